"""Depths in one byte an entry."""
