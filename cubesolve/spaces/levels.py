"""The number of states at each small depth of any puzzle, without a space (numpy).

Breadth-first search from the solved states, over one state of each symmetry class. The states of the newest depths are
kept, and a hash of 64 bits of each earlier one: among 100 million classes, two have the same hash with a probability of
less than 0.0004.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from cubesolve.definition.reach import undoing_costs
from cubesolve.errors import CubesolveError, TooLargeError, UnsolvableStateError, in_bytes
from cubesolve.group.moves import Move, are_plain
from cubesolve.group.permutations import Arrangement
from cubesolve.group.symmetries import symmetries
from cubesolve.runtime.deadline import check
from cubesolve.runtime.machine import memory_limit
from cubesolve.spaces.representatives import MOST_CLASSES, PatternMoves, Representatives, SymmetryGroup, groups_of
from cubesolve.spaces.rows import Rows, RowSet, hashed
from cubesolve.spaces.space import Progress

if TYPE_CHECKING:
    from cubesolve.spaces.defined_graph import DerivedGraph

HASH_BITS = 64
"""The bits of the hash of a state."""

_AT_ONCE = 1 << 24  # labels that are processed at a time
_TEMPORARY = 32  # bytes that each of these takes meanwhile
_HASH = 16  # bytes of the hash of a state, while hashes are sorted
_MOST_KEPT = 255  # levels in a checkpoint
_TOO_MANY_BYTES = 10**14  # no machine has
_IMAGES_A_SECOND = 1e7  # of states under a symmetry, on a processor; a rough estimate for messages


def needs_memory(states: int, size: int, memory: int | None = None, *, what: str = "states") -> TooLargeError:
    """Return the error about states that take more memory to count than allowed.

    Args:
        size: the bytes that counting them takes.
        memory: the maximum number of bytes; by default half of the machine's.
    """
    limit, advice = states * memory_limit(memory) // size, ""
    if size < _TOO_MANY_BYTES:
        advice = f"counting them takes about {in_bytes(size)} of memory: allow it with memory (--memory)"
    return TooLargeError(states, limit, exact=True, advice=advice, what=what)


class FirstLevels(NamedTuple):
    """The first levels of a puzzle."""

    counts: tuple[int, ...]  # the number of states at each depth, from 0
    symmetries: int  # the number of symmetries up to which states were listed
    classes: int  # the number of states up to these


FoundStates = tuple[Rows, NDArray[np.int32]]
"""States, each the least of its symmetry class, and the numbers of symmetries that leave them as they are."""

ResultT = TypeVar("ResultT")


class AboutLevels(NamedTuple):
    """What all shares of a search have in common."""

    costs: Sequence[int]  # the costs that moves have, without 0
    is_free: bool  # whether moves of cost 0 are followed
    symmetries: int  # the number of symmetries
    digest: str  # a digest of all that a checkpoint depends on


class LevelShare:
    """One of several shares of a search, each of which has the states with some hashes.

    States that moves lead to are passed to the shares that have them.
    """

    def __init__(
        self, graph: DerivedGraph, memory: int | None = None, shares: int = 1, *, up_to_free: bool = False
    ) -> None:
        """Take a puzzle of any number of states, the bytes of memory, and the number of shares.

        Args:
            up_to_free: whether states that free moves connect count as one, which must have symmetries (`groups_of`).
        """
        memory = memory_limit(memory)
        self._graph, self._memory, self._up_to_free = graph, memory, up_to_free
        reduction, illegal = graph.reduction, graph.rules.definition.illegal
        solved = _reached(graph)
        labels = sorted(set(solved[0]))
        if len(labels) > MOST_CLASSES:
            raise CubesolveError(f"levels of puzzles with more than {MOST_CLASSES} labels cannot be counted")
        classes = np.zeros(labels[-1] + 1, np.uint8)
        classes[labels] = np.arange(len(labels))
        group = self._group(graph)
        # States that differ by a rotation are one; symmetric ones are several. All moves but these are undone by moves,
        # and the inverses of moves that stand for others, up to a rotation after them, do not stand for all.
        self.symmetries = len(group.symmetries)
        self._is_rotated = reduction.rotated is not None
        self._represented = Representatives(solved[0], group, classes)
        self._free = group.rotations if group.is_free else ()
        turning = [move for move in reduction.moves if move.cost or not group.is_free]
        is_undone = reduction.rotated is not None and reduction.rotated.are_undone
        backs = [Move(name, tuple(effect.undone() for effect in effects), cost) for name, effects, cost in turning]
        moves = turning if is_undone else backs
        self._moves = PatternMoves(moves, illegal, classes, self._free)
        self._effects: dict[int, list[int]] = {}  # by cost
        for effect, (number, _) in enumerate(self._moves.effects):
            self._effects.setdefault(moves[number % len(moves)].cost, []).append(effect)
        self._costs = sorted(self._effects.keys() - {0}) or [1]
        self._starts: Rows = classes[np.array([list(state) for state in solved])]
        self._width = self._starts.shape[1]
        self._at_once = min(_AT_ONCE, max(memory // _TEMPORARY, self._width))
        self._seen = RowSet(self._starts[:0])
        self._classes = list[int]()  # the number of symmetry classes up to each depth
        self._newest = list[list[Rows]]()  # the states of the depths from which moves lead to the next one
        self._shares, self._followed, self._sources = shares, 0, list[Rows]()

    @staticmethod
    def _group(graph: DerivedGraph) -> SymmetryGroup:
        """Return the symmetries, and the permutations of free moves unless these are followed one by one."""
        reduction, illegal = graph.reduction, graph.rules.definition.illegal
        if reduction.rotated is not None:
            same = symmetries(reduction.solved, reduction.moves, illegal)[:1]
            return SymmetryGroup(same, reduction.rotated.rotations)
        moves, has_free = graph.definition_moves, any(move.cost == 0 for move in reduction.moves)
        groups = [*groups_of(reduction, moves, illegal, up_to_free=True)] if has_free else []
        groups = groups or [*groups_of(reduction, moves, illegal, up_to_free=False)]
        return max(groups, key=lambda group: len(group.symmetries))

    @property
    def about(self) -> AboutLevels:
        """What all shares have in common."""
        digest = hashlib.sha256(f"{self._graph.digest} {self._up_to_free} {len(self._free)}".encode())
        for array in (self._represented.points, self._represented.labels, hashed(self._starts)):
            digest.update(np.ascontiguousarray(array).data)
        return AboutLevels(self._costs, 0 in self._effects, self.symmetries, digest.hexdigest())

    def _number(self, listed: Rows, ties: NDArray[np.int32]) -> int:
        """Return the number of states of some classes, each of which so many symmetries map to itself."""
        if self._is_rotated:
            return len(ties)
        sizes = self.symmetries // ties
        if self._free and not self._up_to_free:
            sizes *= self._moves.legal_images(listed)
        return int(sizes.sum(dtype=np.int64))

    def effort(self, states: float, before: float) -> tuple[float, float]:
        """Return the bytes and the processor seconds that some states take, moves from those `before` a depth."""
        size = states / self.symmetries * _HASH + before / self.symmetries * self._width
        return size, before * len(self._moves.effects) / _IMAGES_A_SECOND

    def classes(self, depth: int) -> int:
        """Return the number of symmetry classes that it has up to a depth."""
        return [*self._classes, len(self._seen)][depth]

    def begin_level(self) -> None:
        """Begin the next depth; no moves lead there from states that are farther than the dearest move."""
        if self._newest:
            self._classes.append(len(self._seen))
        del self._newest[: -self._costs[-1]]
        self._newest.append([])
        self._followed, self._sources = 0, []

    def begin_look(self, cost: int) -> int:
        """Select the states from which moves of a cost lead to the newest depth; return the number of their parts."""
        level = self._newest[-1 - cost] if cost < len(self._newest) and cost in self._effects else []
        parts = level
        if not cost:
            parts, self._followed = level[self._followed :], len(level)
        step = max(1, self._at_once // (self._width * len(self._effects.get(cost, [0]))))
        self._sources = [rows[first : first + step] for rows in parts for first in range(0, len(rows), step)]
        return len(self._sources)

    def starts(self) -> list[FoundStates]:
        """Return the solved states for each share, with their numbers of symmetries that leave them as they are."""
        return self._divided(self._starts)

    def reached(self, cost: int, part: int) -> list[FoundStates]:
        """Return the states that moves of a cost lead to from a part of those selected, as `starts`."""
        check()
        rows = self._sources[part]
        return self._divided(np.concatenate([self._moves.after(rows, effect)[1] for effect in self._effects[cost]]))

    def receive(self, states: Sequence[FoundStates], is_kept: bool) -> int:
        """Add the unseen ones of states that shares have passed to this one; return their number."""
        number = 0
        for listed, ties in states:
            first = self._seen.add(listed)
            if is_kept and len(first):
                self._newest[-1].append(listed[first])
            number += self._number(listed[first], ties[first])
        self._require_room()
        return number

    def _divided(self, states: Rows) -> list[FoundStates]:
        listed, maps = self._represented.listed(states)
        if self._shares == 1:
            return [(listed, maps[1])]
        hashes, first = np.unique(hashed(listed), return_index=True)
        shares = (hashes % np.uint64(self._shares)).astype(np.intp)
        return [(listed[own], maps[1, own]) for own in (first[shares == share] for share in range(self._shares))]

    @property
    def _row_bytes(self) -> int:
        return sum(part.nbytes for parts in self._newest for part in parts)

    def _require_room(self) -> None:
        """Reject a depth as soon as its states take more than the memory."""
        needed, states = _HASH * len(self._seen) + self._row_bytes, len(self._seen)
        if needed > self._memory:
            advice = "choose fewer levels, or allow more memory with memory (--memory)"
            raise TooLargeError(states, states * self._memory // needed, advice=advice, what="symmetry classes")

    # -- Checkpoints ---------------------------------------------------------------------------------------------------

    def can_be_kept(self, levels: int) -> bool:
        """Return whether a number of levels fits in a checkpoint, and its bytes in the memory."""
        needed = _HASH * len(self._seen) + 2 * self._row_bytes
        return levels <= _MOST_KEPT and needed <= self._memory

    def levels(self) -> NDArray[np.uint8]:
        """Return the levels so far: some numbers, the hashes, and the states from which moves lead on, as bytes."""
        del self._newest[: -self._costs[-1]]
        sizes = (sum(map(len, parts)) for parts in self._newest)
        numbers = np.array([*self._classes, len(self._seen), *sizes], np.int64)
        arrays = [numbers, self._seen.hashes, *itertools.chain.from_iterable(self._newest)]
        return np.concatenate([array.reshape(-1).view(np.uint8) for array in arrays])

    def resumed(self, table: NDArray[np.uint8], counts: tuple[int, ...]) -> tuple[int, ...]:
        """Continue from the bytes of a search that has counted some levels; return the number of states of each."""
        levels, recent = len(counts), min(len(counts), self._costs[-1])
        numbers = table[: 8 * (levels + recent)].view(np.int64)
        *self._classes, seen = numbers[:levels].tolist()
        ends = np.cumsum([numbers.nbytes, 8 * seen, *(self._width * numbers[levels:])])
        hashes, *rows = (table[first:end] for first, end in itertools.pairwise(ends.tolist()))
        self._seen.hashes = hashes.view(np.uint64)
        self._newest = [[level.reshape(-1, self._width)] for level in rows]
        return counts


class LevelSearch:
    """A breadth-first search from the solved states of a puzzle, here by one share."""

    counts: list[int]  # the number of states at each depth so far
    shards = 1  # the number of shares

    def __init__(self, graph: DerivedGraph, memory: int | None = None, *, up_to_free: bool = False) -> None:
        self.share = LevelShare(graph, memory, up_to_free=up_to_free)
        self.about = self.share.about

    def on_all(self, method: Callable[..., ResultT], *arguments: object) -> list[ResultT]:
        """Return the results of a method of each share."""
        return [method(self.share, *arguments)]

    def exchange(
        self,
        senders: Sequence[int],  # noqa: ARG002  # the share
        is_kept: bool,
        method: Callable[..., list[FoundStates]],
        *arguments: object,
    ) -> int:
        """Pass the states that a method of some shares finds to those that have them; return the number of new ones."""
        return self.share.receive(method(self.share, *arguments), is_kept)

    def count(
        self,
        most: int,
        progress: Progress | None = None,  # called once a depth
        begun: Sequence[int] = (),
        # called between two levels with the numbers so far, to write a checkpoint
        keep: Callable[[tuple[int, ...]], object] | None = None,
    ) -> FirstLevels:
        """Count the states at each depth, from 0, or continue from those of some levels."""
        about, counts = self.about, [*begun]
        self.counts = counts
        while len(counts) <= most and (not counts or any(counts[-about.costs[-1] :])):
            is_last = [depth + about.costs[0] > most for depth in (len(counts) - 1, len(counts))]
            if keep and counts and not is_last[0] and all(self.on_all(LevelShare.can_be_kept, len(counts))):
                keep(tuple(counts))
            self.on_all(LevelShare.begin_level)
            counts.append(self._found(not is_last[1] or about.is_free, is_first=not counts))
            if progress:
                progress(len(counts) - 1, counts[-1], sum(counts))
        counts = counts[: most + 1]  # a checkpoint may have more
        classes = sum(self.on_all(LevelShare.classes, len(counts) - 1))
        while not counts[-1]:
            del counts[-1]
        return FirstLevels(tuple(counts), about.symmetries, classes)

    def _found(self, is_kept: bool, *, is_first: bool) -> int:
        """Find the states at the newest depth; return their number. Those at the last depth are only counted."""
        if is_first:
            total = self.exchange([0], is_kept, LevelShare.starts)
        else:
            total = sum(self._look(cost, is_kept) for cost in self.about.costs)
        new = total
        while self.about.is_free and new:
            new = self._look(0, is_kept)
            total += new
        return total

    def _look(self, cost: int, is_kept: bool) -> int:
        """Find unseen states by moves of a cost; return their number."""
        parts, total = self.on_all(LevelShare.begin_look, cost), 0
        for part in range(max(parts)):
            senders = [share for share, number in enumerate(parts) if part < number]
            total += self.exchange(senders, is_kept, LevelShare.reached, cost, part)
        return total


def _reached(graph: DerivedGraph) -> Sequence[Arrangement]:
    """Return the solved states that moves lead to."""
    solved, moves, reach = graph.reduction.solved, graph.reduction.moves, graph.reach
    is_blocked = graph.rules.definition.illegal or not are_plain(moves)
    # Other states than those that moves lead to may lead to solved ones.
    if is_blocked and undoing_costs(moves) is None:
        raise CubesolveError("levels are not supported where moves without inverses are not always possible")
    if len(solved) == 1 and graph.rules.origin is None:
        return solved
    are_reached = [None if reach is None else reach.has(state) for state in solved]
    if None in are_reached:
        raise CubesolveError("levels cannot be counted: it would take too long to find out which goals are reachable")
    if True not in are_reached:
        raise UnsolvableStateError(f"no moves of the {graph.rules.title} lead to the goal")
    return [state for state, is_reached in zip(solved, are_reached, strict=True) if is_reached]
