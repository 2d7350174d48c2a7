"""Patterns: the pieces of the solved state that a simplified puzzle distinguishes (pure Python)."""

from __future__ import annotations

from collections.abc import Mapping

from cubesolve.definition import facelet_goals, piece_goals
from cubesolve.definition.facelet_view import FaceletView
from cubesolve.definition.goals import Allowed, mask_of
from cubesolve.definition.piece_view import PieceView
from cubesolve.errors import InvalidStateError
from cubesolve.spaces.defined import DerivedRules
from cubesolve.spaces.projections import Distinguished


def distinguished_by(rules: DerivedRules, pattern: str | Mapping[str, object]) -> Distinguished:
    """Return the labels that a pattern distinguishes.

    Returns:
        Sets of labels that look alike; labels that the pattern leaves open are in none.

    >>> from cubesolve.catalog import rules_named
    >>> tiles = rules_named("tiles-2x3")
    >>> sorted(map(sorted, distinguished_by(tiles, "1 2"))), sorted(map(sorted, distinguished_by(tiles, "1 2 * * * 0")))
    ([[0], [1]], [[0], [1], [5]])
    """
    definition, goal = rules.definition, _goal_of(rules, pattern)
    solved = definition.solved[0]
    if any(solved[point] not in allowed for point, allowed in goal.items()):
        raise InvalidStateError("the solved state does not fulfil this pattern: its pieces must be at home")
    changes = [effect.sources for move in definition.moves() for effect in move.effects]
    alike: dict[int, set[int]] = {}
    for label, look in mask_of(solved, changes, [goal]).looks.items():
        alike.setdefault(look, set()).add(label)
    shown = {label for allowed in goal.values() for label in allowed}
    return frozenset(frozenset(labels) for labels in alike.values() if labels & shown)


def _goal_of(rules: DerivedRules, pattern: str | Mapping[str, object]) -> Allowed:
    if not isinstance(pattern, (str, Mapping)):
        raise InvalidStateError(
            f"a pattern is text or a KPuzzle pattern, not of the type {type(pattern).__name__}", "type"
        )
    if isinstance(rules.view, FaceletView):
        return facelet_goals.pattern_of(rules.view, pattern)
    assert isinstance(rules.view, PieceView)  # all views with definitions are of these types
    return piece_goals.pattern_of(rules.view, pattern)
