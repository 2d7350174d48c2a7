"""One bit an entry, where every move changes a parity."""
