"""How long tests wait for an event that must come: a busy machine takes many times as long."""

PATIENCE = 600
"""Seconds after which something hangs."""
