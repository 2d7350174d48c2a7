"""Storage of tables: their files, the folders that contain them, and unpacked copies.

In reading order: `tablefile` reads and writes a file, `folders` are where tables are, `tables` opens them on first
use, `unpacked` maps large ones into memory, `build` makes and proves them, and `checkpoint` keeps long enumerations.
"""
