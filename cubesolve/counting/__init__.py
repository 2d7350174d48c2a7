"""Counts of all states.

`cluster` shares a count among machines, `worker` is what each does, `records` lists what others need to check it.
"""
