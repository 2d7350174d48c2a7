"""Which states are scrambled enough (pure Python)."""

from __future__ import annotations

import functools

from cubesolve.definition.rotations import rotations_of
from cubesolve.group.permutations import Arrangement, after
from cubesolve.spaces.defined import DerivedRules
from cubesolve.spaces.rules import Rules


def is_scrambled(rules: Rules, alg: str) -> bool:
    """Return whether the state after an alg needs at least two moves: World Cube Association, Regulations, 4b3.

    >>> from cubesolve.catalog import rules_named
    >>> is_scrambled(rules_named("4x4x4"), "Rw y"), is_scrambled(rules_named("4x4x4"), "Rw U")
    (False, True)
    """
    assert isinstance(rules, DerivedRules)  # as the puzzles of these events
    definition, solved = rules.definition, _solved(rules)
    state = definition.apply(definition.solved[0], definition.parse(alg))
    return state not in solved and all(move.apply(state) not in solved for move in definition.moves())


@functools.cache
def _solved(rules: DerivedRules) -> frozenset[Arrangement]:
    """Return the solved states in every orientation."""
    definition = rules.definition
    return frozenset(after(solved, rotation) for solved in definition.solved for rotation in rotations_of(definition))
