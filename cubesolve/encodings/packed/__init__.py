"""Depths above a floor in two bits an entry: the pattern databases of the 3x3x3."""
