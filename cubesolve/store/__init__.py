"""Storage of tables: their files, the folders that contain them, and unpacked copies."""
