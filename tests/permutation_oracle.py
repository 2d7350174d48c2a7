"""An independent dictionary search for puzzles with a definition."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tests.matrix_oracle import closure

Labels = tuple[int, ...]
"""What lies on each point."""

Move = Callable[[Any], Any]
"""The state after a move; None where it is not possible."""


class Oracle(NamedTuple):
    """A puzzle.

    Attributes:
        solved: the states at depth 0.
        moves: what moves do, by name.
        home: the normal form of a state up to rotation.
    """

    solved: Sequence[Hashable]
    moves: Mapping[str, Move]
    home: Callable[[Any], Any] = lambda state: state

    def levels(self, most: int = 20_000, deepest: int = 1 << 30) -> dict[Any, tuple[int, str]]:
        """Return states up to rotation with their depth and an alg that makes them; every depth is complete.

        Args:
            most: the search ends at a depth with more states.
            deepest: the largest depth.
        """
        newest = {self.home(state): (0, "") for state in self.solved}
        found = dict(newest)
        begin = {home: state for state in self.solved if (home := self.home(state)) in newest}
        while newest and len(found) <= most and next(iter(newest.values()))[0] < deepest:
            reached: dict[Any, tuple[int, str]] = {}
            after: dict[Any, Any] = {}
            for place, (depth, alg) in newest.items():
                for name, move in self.moves.items():
                    state = move(begin[place])
                    if state is not None and (home := self.home(state)) not in found:
                        reached.setdefault(home, (depth + 1, f"{alg} {name}".strip()))
                        after.setdefault(home, state)
            found |= reached
            newest, begin = reached, after
        return found

    def counts(self, levels: Mapping[Any, tuple[int, str]]) -> list[int]:
        """How many states there are at each depth."""
        depths = [depth for depth, _ in levels.values()]
        return [depths.count(depth) for depth in range(max(depths) + 1)]

    def after(self, state: Any, alg: str) -> Any:
        """A state after moves by name."""
        for name in alg.split():
            state = self.moves[name](state)
            assert state is not None, f"{name} of {alg} is not possible"
        return state

    def is_solved(self, state: Any) -> bool:
        return self.home(state) in {self.home(each) for each in self.solved}


def moved(sources: Sequence[int]) -> Move:
    """Apply a permutation to labels."""
    change = operator.itemgetter(*sources, 0)
    return lambda state: change(state)[:-1]


def least_of(turned: Iterable[Sequence[int]], points: int) -> Callable[[Labels], Labels]:
    """Return the least rotated copy of a state."""
    changes = [operator.itemgetter(*change, 0) for change in closure(points, [*map(tuple, turned)])]
    return lambda state: min(change(state) for change in changes)[:-1]


def some(levels: Mapping[Any, tuple[int, str]], number: int, seed: int = 20261121) -> Iterator[tuple[int, str]]:
    """Sample the depths and algs of a few states."""
    rng = random.Random(seed)
    return iter(rng.sample(list(levels.values()), min(number, len(levels))))
