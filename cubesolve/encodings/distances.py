"""Distances and solutions of single states from a table (pure Python)."""

from __future__ import annotations

import bisect
import itertools
from abc import ABC, abstractmethod
from collections import Counter
from typing import TYPE_CHECKING, Generic, TypeVar

from cubesolve.encodings.entries import UNREACHED
from cubesolve.errors import CorruptTableError
from cubesolve.runtime.deadline import check
from cubesolve.spaces.rules import Graph
from cubesolve.spaces.tables import UNREACHABLE

if TYPE_CHECKING:
    import mmap
    import random
    from collections.abc import Collection, Iterator, Sequence


def wrong_distances(graph: Graph) -> CorruptTableError:
    """Return the error of a table whose entries are not the distances of its graph."""
    return CorruptTableError(graph.entry.name, "these are not the distances of its puzzle")


_MOST_TRIES = 10_000  # states visited to find an alg of an exact length
_BLOCK = 1 << 11  # entries

Place = TypeVar("Place")
"""The key of a state."""


class Depths(ABC, Generic[Place]):
    """The depths of states, and the moves between them."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._costs = graph.costs

    @abstractmethod
    def __getitem__(self, place: Place) -> int:
        """Return the depth of a state."""

    @abstractmethod
    def following(self, place: Place) -> list[tuple[int, Place]]:
        """Return the possible moves, by number, with the states after them."""

    def _cost(self, move: int) -> int:
        return self._costs[move] if self._costs else 1

    def longer(self, place: Place, totals: range) -> Iterator[tuple[int, ...]]:
        """Yield every path of given total costs, in the order of these.

        A path ends at the first solved state, and no two consecutive moves are equal to none or to one move of at most
        their cost.
        """
        costs = self._costs or (1,) * len(self.graph.moves)

        def ways(place: Place, left: int, before: Sequence[tuple[int, Place]], last: int) -> Iterator[tuple[int, ...]]:
            check()
            if left == 0:
                yield ()
                return
            following = self.following(place)
            for move, neighbour in following:
                rest = left - costs[move]
                depth = self[neighbour]
                if depth > rest or (rest > 0 and depth == 0):
                    continue
                if last >= 0 and self._is_joined(last, move, neighbour, before, costs):
                    continue
                for way in ways(neighbour, rest, [(-1, place), *following], move):
                    yield move, *way

        for total in totals:
            yield from ways(place, total, (), -1)

    def _is_joined(
        self, last: int, move: int, there: Place, before: Sequence[tuple[int, Place]], costs: Sequence[int]
    ) -> bool:
        """Return whether no move or one move has the effect of two in a row, at no higher cost."""
        if self.graph.joined is not None:
            return (last, move) in self.graph.joined
        limit = costs[last] + costs[move]
        return any(there == other and (one < 0 or costs[one] <= limit) for one, other in before)


class Distances(Depths[int]):
    """The distances of a graph's states, from a table with a byte per entry."""

    def __init__(self, graph: Graph, body: bytes | mmap.mmap) -> None:
        super().__init__(graph)
        # A table that was just made as a pattern database is a view of an array, which has no methods of bytes.
        self.body = bytes(body) if isinstance(body, memoryview) else body
        self._before = dict[int, list[int]]()

    def __getitem__(self, rank: int) -> int:
        return self.body[rank]

    _entry = __getitem__  # by which nearer neighbours are known

    def is_at(self, rank: int, depth: int) -> bool:
        """Return whether a neighbour of a state at `depth` + 1 is at `depth`."""
        return self.body[rank] == depth

    def following(self, rank: int) -> list[tuple[int, int]]:
        """Return the possible moves, by number, with the states after them."""
        return [way for way in enumerate(self.graph.neighbours(rank)) if way[1] >= 0]

    def first_steps(self, rank: int) -> list[tuple[int, int]]:
        """Return the optimal moves of a state, by number, with the states after them."""
        return self.steps_left(rank, self._entry(rank))[1]

    def step(self, rank: int) -> tuple[int, int] | None:
        """Return the first of the moves that `first_steps` lists, with the state after it; None for a solved state."""
        body, costs = self.body, self._costs
        left = body[rank]
        if not left:
            return None
        for move, neighbour in enumerate(self.graph.neighbours(rank)):
            if neighbour >= 0 and body[neighbour] == left - (costs[move] if costs else 1):
                return move, neighbour
        raise wrong_distances(self.graph)

    def steps_left(self, rank: int, left: int) -> tuple[int, list[tuple[int, int]]]:
        """Return the number of moves of cost 0 before the next one that costs, or the end, and the optimal moves."""
        body, ways = self.body, enumerate(self.graph.neighbours(rank) if left else ())
        if self._costs is None:
            steps = [way for way in ways if way[1] >= 0 and body[way[1]] == left - 1]
        else:
            steps = [way for way in ways if way[1] >= 0 and body[way[1]] == left - self._costs[way[0]]]
        if left and not steps:
            raise wrong_distances(self.graph)
        return 0, steps

    def solution(self, rank: int) -> list[int]:
        """Return the first optimal solution, in the order of the moves."""
        moves = []
        while step := self.step(rank):
            move, rank = step
            moves.append(move)
            if self._costs is None and len(moves) > UNREACHABLE:  # wrong entries can lead in a circle
                raise wrong_distances(self.graph)
        return moves

    def solutions(self, rank: int) -> list[tuple[int, ...]]:
        """Return all optimal solutions, in the order of the moves; each state on the way is looked up once."""
        ways: dict[int, list[tuple[int, ...]]] = {}
        for state, steps in reversed([*self._on_the_way(rank)]):
            ways[state] = [(move, *rest) for move, neighbour in steps for rest in ways[neighbour]] if steps else [()]
        return ways[rank]

    def number(self, rank: int) -> int:
        """Return the number of optimal solutions."""
        total, counts = 0, Counter({rank: 1})
        for state, steps in self._on_the_way(rank):
            count = counts.pop(state)
            total += 0 if steps else count
            for _, neighbour in steps:
                counts[neighbour] += count
        return total

    def is_solved(self, rank: int) -> bool:
        """Return whether a state is solved."""
        return self[rank] == 0

    def of_length(self, rank: int, length: int, source: random.Random) -> list[int] | None:
        """Return a random path of an exact length in which no move cancels or joins with one that could be beside it.

        Returns:
            None if none was found: there is none, or too many states would have to be tried.
        """
        hopeless = set[tuple[int, tuple[int, ...], int]]()
        dearest = max(self._costs or (1,))

        # The states before the last move, also if it is exchanged with moves before it: two moves that do the same.
        def way(rank: int, befores: tuple[int, ...], left: int) -> list[int] | None:
            if left == 0 or len(hopeless) > _MOST_TRIES:
                return [] if left == 0 and self.is_solved(rank) else None
            here = (rank, befores, left)
            if here in hopeless:
                return None
            choices, around = self.following(rank), set[int]().union(*map(self._beside, befores))
            beyond = {other: self._beside(other) for other in around - {rank}}
            source.shuffle(choices)
            for move, neighbour in choices:
                if neighbour in befores or neighbour in around or self[neighbour] > dearest * (left - 1):
                    continue
                exchanged = sorted(other for other, ends in beyond.items() if neighbour in ends)
                rest = way(neighbour, (rank, *exchanged), left - 1)
                if rest is not None:
                    return [move, *rest]
            hopeless.add(here)
            return None

        return way(rank, (), length)

    def _beside(self, rank: int) -> set[int]:
        """Return the states after one move."""
        return {neighbour for _, neighbour in self.following(rank)}

    def _on_the_way(self, rank: int) -> Iterator[tuple[int, list[tuple[int, int]]]]:
        """Yield the states of optimal solutions with their optimal moves: each state before those after it."""
        left = self[rank]
        free, steps = self.steps_left(rank, left)
        waiting, seen = {(left, free): [(rank, steps)]}, {rank}
        while waiting:
            farthest = max(waiting)
            for state, steps in waiting.pop(farthest):
                if farthest[0] and not steps:
                    raise wrong_distances(self.graph)
                yield state, steps
                for move, neighbour in steps:
                    if neighbour not in seen:
                        seen.add(neighbour)
                        left = farthest[0] - self._cost(move)
                        free, following = self.steps_left(neighbour, left)
                        waiting.setdefault((left, free), []).append((neighbour, following))

    def at(self, depth: int) -> Iterator[int]:
        """Yield the ranks at a depth, in ascending order."""
        return self._at(depth, 0)

    def _at(self, depth: int, first: int) -> Iterator[int]:
        rank = self.body.find(bytes([depth]), first)
        while rank >= 0:
            yield rank
            rank = self.body.find(bytes([depth]), rank + 1)

    def random_at(self, depth: int, counts: Sequence[int], source: random.Random) -> int:
        """Return a uniformly random rank at a depth."""
        before, number = self._before_blocks(depth), source.randrange(counts[depth])
        block = bisect.bisect_right(before, number) - 1
        rank = next(itertools.islice(self._at(depth, block * _BLOCK), number - before[block], None), None)
        if rank is None:
            raise wrong_distances(self.graph)
        return rank

    def _before_blocks(self, depth: int) -> list[int]:
        """Return the number of ranks at a depth before each block; they are counted once."""
        if depth not in self._before:
            wanted, firsts = bytes([depth]), range(0, len(self.body), _BLOCK)
            counts = (self.body[first : first + _BLOCK].count(wanted) for first in firsts)
            self._before[depth] = [0, *itertools.accumulate(counts)]
        return self._before[depth]


class FreeDistances(Distances):
    """The distances of a graph's states, from a table with a byte per entry, where some moves cost 0.

    These moves connect states at one depth, so depths do not show which of them lead on. Optimal are those that lead,
    in as few of them as possible, to a solved state or to one from which another move decreases the depth.
    """

    def __init__(self, graph: Graph, body: bytes | mmap.mmap, starts: Collection[int] | None = None) -> None:
        """Take the body of a table, and the ranks from which depths count; by default those of the solved states."""
        super().__init__(graph, body)
        self._starts = frozenset(graph.starts if starts is None else starts)

    def is_solved(self, rank: int) -> bool:
        """Return whether a state is solved."""
        return rank in self._starts

    def step(self, rank: int) -> tuple[int, int] | None:
        """Return the first of the moves that `first_steps` lists, with the state after it; None for a solved state."""
        return next(iter(self.first_steps(rank)), None)

    def steps_left(self, rank: int, left: int) -> tuple[int, list[tuple[int, int]]]:
        """Return the number of moves of cost 0 before the next one that costs, or the end, and the optimal moves."""
        if self.is_solved(rank):
            return 0, []
        decreasing = self._steps(rank, left, is_free=False)
        if decreasing:
            return 0, decreasing
        beside = self._steps(rank, left, is_free=True)
        # The states at one distance, each with the first moves, a bit each, of the shortest paths that lead there.
        level, seen, length = dict[int, int](), {rank}, 1
        for move, neighbour in beside:
            level[neighbour] = level.get(neighbour, 0) | 1 << move
        while level:
            check()
            first = 0
            for state, moves in level.items():
                if self.is_solved(state) or self._steps(state, left, is_free=False):
                    first |= moves
            if first:
                return length, [(move, neighbour) for move, neighbour in beside if first >> move & 1]
            seen |= level.keys()
            following = dict[int, int]()
            for state, moves in level.items():
                for _, neighbour in self._steps(state, left, is_free=True):
                    if neighbour not in seen:
                        following[neighbour] = following.get(neighbour, 0) | moves
            level, length = following, length + 1
        raise wrong_distances(self.graph)

    def _steps(self, rank: int, left: int, *, is_free: bool) -> list[tuple[int, int]]:
        """Return the moves of cost 0, or all others, by number, that change the depth by no more than their cost."""
        assert self._costs is not None  # some are 0
        ways = zip(self._costs, enumerate(self.graph.neighbours(rank)), strict=True)
        return [way for cost, way in ways if way[1] >= 0 and (not cost) == is_free and self[way[1]] == left - cost]


RARE = 1000
"""If fewer than one in this many states are wanted, looking at all takes no longer than drawing."""

AS_OFTEN = 30
"""If drawing this many times the expected number of states finds none at a depth, there is none."""


class Mod3Distances(Distances):
    """The distances of a graph's states, by depths modulo 3.

    An optimal move leads to an entry that is one less modulo 3. Only starts have no optimal move, so a depth is the
    length of a descent. Questions about states at a given depth go through all states, or draw states until enough have
    the depth.
    """

    def __init__(self, graph: Graph, body: bytes | mmap.mmap) -> None:
        if graph.costs is not None:
            raise wrong_distances(graph)
        super().__init__(graph, body)

    def _entry(self, rank: int) -> int:
        return self.body[rank >> 2] >> 2 * (rank & 3) & 3

    def __getitem__(self, rank: int) -> int:
        body, at, neighbours = self.body, rank, self.graph.neighbours
        entry = body[rank >> 2] >> 2 * (rank & 3) & 3
        if entry == UNREACHED:
            return UNREACHABLE
        for depth in range(UNREACHABLE):
            entry = (entry + 2) % 3
            for target in neighbours(at):
                if target >= 0 and body[target >> 2] >> 2 * (target & 3) & 3 == entry:
                    at = target
                    break
            else:
                return depth
        return UNREACHABLE

    def is_at(self, rank: int, depth: int) -> bool:
        """Return whether a neighbour of a state at `depth` + 1 is at `depth`."""
        return self._entry(rank) == depth % 3

    def steps_left(self, rank: int, left: int) -> tuple[int, list[tuple[int, int]]]:
        """Return 0 and the optimal moves, given the depth or the entry."""
        wanted = (left + 2) % 3  # states that cannot reach a start have only neighbours with 3
        ways = enumerate(self.graph.neighbours(rank))
        return 0, [(move, target) for move, target in ways if target >= 0 and self._entry(target) == wanted]

    def step(self, rank: int) -> tuple[int, int] | None:
        """Return the first of the moves that `first_steps` lists, with the state after it; None for a solved state."""
        return next(iter(self.first_steps(rank)), None)

    def solution(self, rank: int) -> list[int]:
        """Return the first optimal solution, in the order of the moves."""
        if self[rank] == UNREACHABLE:
            raise wrong_distances(self.graph)
        return super().solution(rank)

    def at(self, depth: int) -> Iterator[int]:
        """Yield the ranks at a depth, in ascending order. Every state is looked up."""
        from cubesolve.encodings.batch import WideSteps, mod3_ranks_at  # noqa: PLC0415  # needs numpy
        from cubesolve.spaces import space_of  # noqa: PLC0415  # likewise

        return mod3_ranks_at(WideSteps.of(space_of(self.graph)), self.body, self.graph.states, depth)

    def random_at(self, depth: int, counts: Sequence[int], source: random.Random) -> int:
        """Return a uniformly random rank at a depth."""
        if counts[depth] * RARE < self.graph.states:
            state = next(itertools.islice(self.at(depth), source.randrange(counts[depth]), None), None)
        else:
            drawn = (source.randrange(self.graph.states) for _ in range(AS_OFTEN * RARE))
            state = next((rank for rank in drawn if self[rank] == depth), None)
        if state is None:
            raise wrong_distances(self.graph)
        return state
