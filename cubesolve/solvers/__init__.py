"""Answers to questions about a puzzle: from a table, or by a search."""
