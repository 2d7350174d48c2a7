"""Where tables are kept: their files, the folders these are in, and copies to be used as memory."""
