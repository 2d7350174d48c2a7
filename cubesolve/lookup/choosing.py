"""Choosing the projections by which a puzzle is searched, by what their tables are worth (numpy)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.errors import CubesolveError, TooLargeError
from cubesolve.rules.defined import DerivedGraph
from cubesolve.rules.projections import Projection, Told, covering, kinds, mixtures
from cubesolve.rules.tables import TableEntry, TableHeader
from cubesolve.spaces.derived import derived_space, make_ready
from cubesolve.spaces.space import StateSpace
from cubesolve.store.build import make

ENOUGH = 1 << 20
"""Bytes in which there is room for tables of any puzzle."""

_WORTH = 0.05  # moves by which a table must make the mean bound larger
_FEWEST = 1 << 8  # states of a projection
_LARGEST_MIXTURE = 1 << 22  # states of those that tell something of everything: more are derived too slowly
_TRIED = 4  # projections that tell something of everything
_SAMPLE = 2_000  # states by which they are judged,
_WALK = 500  # each so many random moves from the solved one

Make = Callable[[TableEntry, TableHeader, memoryview], None]
"""Called with a table that was made."""

_Moves = NDArray[np.int64]


class _Built(NamedTuple):
    """A projection with its table.

    Attributes:
        told: what it tells.
        tables: what was made.
        bounds: the distances of what it tells of the sample.
    """

    told: Told
    tables: list[tuple[TableEntry, TableHeader, memoryview]]
    bounds: NDArray[np.uint8]

    @property
    def size(self) -> int:
        return len(self.tables[-1][2])


def choose(graph: DerivedGraph, project: Callable[[Told], Projection], memory: int, keep: Make) -> list[Told]:
    """The projections whose tables are worth the most, of those that fit in so much memory.

    Together they tell where every piece is, and how it is turned. Others that tell something of everything are added,
    as long as they make the bounds of random states larger.

    Args:
        graph: the states of a puzzle.
        project: makes a projection.
        memory: bytes of their tables.
        keep: called with each table that is chosen.

    Returns:
        What they tell, the one with the largest bounds first.

    Raises:
        CubesolveError: there is too little memory for any.
    """
    found = kinds(graph.holdings.solved[0], graph.holdings.turns)
    walk = _random_moves(len(graph.holdings.turns))
    chosen, most = None, memory // 2
    while chosen is None and most >= _FEWEST:
        most //= 2
        chosen = _cover(covering(found, most), project, walk, memory)
    if chosen is None:
        raise CubesolveError(f"{memory:,} bytes are not enough for tables of the {graph.rules.title}: {ENOUGH:,} are")
    for told in mixtures(found, min(most, _LARGEST_MIXTURE))[:_TRIED]:
        room = memory - sum(each.size for each in chosen)
        one = _built(told, project, walk, min(room, most))
        best = np.max([each.bounds for each in chosen], axis=0)
        if one is not None and np.maximum(best, one.bounds).mean() > best.mean() + _WORTH:
            chosen.append(one)
    chosen.sort(key=lambda each: -float(each.bounds.mean()))
    for each in chosen:
        for made in each.tables:
            keep(*made)
    return [each.told for each in chosen]


def _cover(cover: list[Told], project: Callable[[Told], Projection], walk: _Moves, memory: int) -> list[_Built] | None:
    """The tables of some projections; None if they do not fit."""
    found = list[_Built]()
    for told in cover:
        room = memory - sum(each.size for each in found)
        one = _built(told, project, walk, room)
        if one is None:
            return None
        found.append(one)
    return found


def _built(told: Told, project: Callable[[Told], Projection], walk: _Moves, most: int) -> _Built | None:
    """A projection with its table; None if it has more states than that."""
    rules = project(told)
    graph = rules.graph()
    try:
        make_ready(graph, most)
    except TooLargeError:
        return None
    tables = [(entry, *make(rules, entry)) for entry in (graph.coordinates_entry, graph.entry)]
    bounds = np.frombuffer(tables[-1][2], np.uint8)[_walked(derived_space(graph).arrays, walk)]
    return _Built(told, tables, bounds)


def _random_moves(moves: int) -> _Moves:
    return np.random.default_rng(20260711).integers(0, moves, (_WALK, _SAMPLE))


def _walked(space: StateSpace, walk: _Moves) -> _Moves:
    """The ranks of the states that random moves lead to; those that are not possible are left out."""
    ranks = np.zeros(walk.shape[1], np.int64)
    for moves in walk:
        a, b = np.divmod(ranks, space.width)
        first = space.base[moves, a]
        ranks = np.where(first >= 0, first + space.fibre[space.action[moves, a], b], ranks)
    return ranks
