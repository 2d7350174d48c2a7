"""Depths modulo 3 in two bits an entry."""
