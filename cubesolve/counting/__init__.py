"""Counts of all states: `cluster` shares a count among machines, `records` lists what others need to check it."""
