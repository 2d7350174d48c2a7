"""How long a test waits for what must come: on a slow machine that is busy, everything takes many times as long."""

PATIENCE = 600
"""Seconds after which something hangs."""
