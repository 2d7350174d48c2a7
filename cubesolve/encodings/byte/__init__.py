"""The encoding with one byte per entry, and what it shares with that of two bits."""
