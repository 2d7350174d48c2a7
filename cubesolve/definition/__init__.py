"""Definitions of puzzles: states and their notation, moves, goals, and tables."""
