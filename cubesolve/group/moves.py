"""Moves: permutations of points, each with a cost and perhaps labels that it requires on points (pure Python)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from cubesolve.group.permutations import Arrangement, Permutation, after, inverse


class Effect(NamedTuple):
    """One possible effect of a move."""

    sources: Permutation  # the point from which each point gets its label
    needs: tuple[tuple[int, int], ...] = ()  # points, and the labels that must be on them for this effect to apply

    def fits(self, state: Arrangement) -> bool:
        """Return whether it applies to a state."""
        return all(state[point] == label for point, label in self.needs)

    def undone(self) -> Effect:
        """Return the effect that undoes it."""
        needs = [(self.sources.index(point), label) for point, label in self.needs]
        return Effect(inverse(self.sources), tuple(needs))


class Move(NamedTuple):
    """A move."""

    name: str  # the name of the move in algs
    effects: tuple[Effect, ...]  # its possible effects; one for most moves
    cost: int = 1

    def apply(self, state: Arrangement) -> Arrangement | None:
        """Return the state after the move; None if the move is not possible."""
        for effect in self.effects:
            if not effect.needs or effect.fits(state):
                return after(state, effect.sources)
        return None


def are_plain(moves: Iterable[Move]) -> bool:
    """Return whether each move has the same effect in every state."""
    return all(len(effects) == 1 and not effects[0].needs for _, effects, _ in moves)


def is_plain(effects: Sequence[Effect]) -> bool:
    """Return whether a generator has the same effect in every state."""
    return len(effects) == 1 and not effects[0].needs
