"""Moves that are not always possible and have no inverses, which no file or option makes."""

from __future__ import annotations

from cubesolve.catalog import rules_named
from cubesolve.definition.definition import Power
from cubesolve.spaces.defined import DerivedRules


def one_way(name: str, *moves: str) -> DerivedRules:
    """Return a puzzle with these moves alone, without their inverses."""
    rules = rules_named(name)
    assert isinstance(rules, DerivedRules)
    chosen = tuple(Power(move, 1) for move in moves)
    return DerivedRules(rules.view, rules.definition._replace(chosen=chosen, inverses={}))
