"""Counts of the states at each depth that can be interrupted and continued (numpy)."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from cubesolve.definition.goals import Allowed
from cubesolve.encodings import BY_BITS
from cubesolve.encodings.counting import Among, Farthest, bits_to_count, bytes_to_count, have_solutions, solutions
from cubesolve.encodings.enumeration import enumerate_levels
from cubesolve.errors import CubesolveError, TableError
from cubesolve.group.permutations import Arrangement
from cubesolve.runtime.arguments import Keywords, integer
from cubesolve.runtime.deadline import EndedError
from cubesolve.runtime.machine import memory_limit
from cubesolve.runtime.notices import announce, following, notifying
from cubesolve.solvers.answers import Distribution
from cubesolve.solvers.expected import (
    SECONDS_AN_EDGE,
    Estimate,
    announce_effort,
    announcing,
    first_levels,
    seconds_to_count,
)
from cubesolve.spaces.defined_graph import DerivedGraph
from cubesolve.spaces.levels import HASH_BITS, LevelSearch, needs_memory
from cubesolve.spaces.members import Members, StatesOfEntries, members
from cubesolve.spaces.space import StateSpace
from cubesolve.spaces.symmetric import Plan, Walk, space_up_to_symmetry
from cubesolve.spaces.tables import CHECKPOINT, TableEntry, TableHeader
from cubesolve.store.checkpoint import Checkpoint

ItemT = TypeVar("ItemT")
Last = tuple[tuple[int, ...], Any]
"""Of a shard: the number of the states to count at each depth, unless these are all, and the last of them."""

DISK = "up to twice as much disk space for checkpoints"
"""What a long count takes besides memory and time."""

_LONG = 1 << 28  # states times moves: a second or so
_MOST_FARTHEST = 100_000  # entries at the largest depth, of which a state of each symmetry class is listed
_FEW_EACH = 100  # states that are counted one by one in a second or so
_TIMED = 8  # of them, for a message
_MOST_PARTS = 254  # between checkpoints, of which one has at most 255 numbers
_DIGITS = 16  # characters of a digest in the name of a file


class SymmetryClass(NamedTuple):
    """A symmetry class: one of its states, their number, and the entry that stands for the state."""

    state: Any
    number: int
    rank: int


class Counted(NamedTuple):
    """A space to count."""

    space: StateSpace
    starts: Sequence[int]  # the ranks of the states at depth 0
    classes: Callable[[NDArray[np.int64]], Sequence[SymmetryClass]]  # among some ranks
    symmetries: int = 1
    known: int | None = None  # the number of states, if it is known without the space
    goal: Any = None  # what solutions of the farthest states lead to; None for the solved state
    entries: StatesOfEntries | None = None  # the states of the entries of the space, if they have arrangements
    first: Sequence[int] = ()  # the number of states at the first depths, if a count takes long and they are known
    written: Callable[[Sequence[int], Any], str] | None = None  # None if moves of the space are none of the puzzle
    walk: Callable[[NDArray[np.int64]], Walk] | None = None  # from entries; None if moves lead to entries
    conditions: Sequence[Allowed] | None = None  # any of which the counted states fulfil; None if all are counted
    state: Callable[[Arrangement], object] | None = None  # that an arrangement represents; None if all are counted

    def members(self, memory: int) -> tuple[Members | None, str]:
        """Return the entries that stand for some states to count, and a digest of all that the counts depend on."""
        space, states = self.space, self.entries
        if self.conditions is None:
            return None, space_digest(space, self.starts)
        assert states is not None  # all derived spaces have them

        def require_memory(size: int) -> None:
            if space.nbytes + size > memory:
                raise needs_memory(space.counted, space.nbytes + size, memory)

        with notifying("finding the states of the other goal"):
            some = members(states, self.conditions, require_memory)
        return some, space_digest(space, self.starts, (states.ties, *some[1:]))

    def result(
        self,
        counts: Sequence[int],
        last: Sequence[Last],
        bits: int,
        digest: str,
        table: NDArray[np.uint8] | None = None,
    ) -> Count:
        """Return the count of an enumeration, given the last states of each shard, and the entries for solutions."""
        count = Count(Distribution(counts), None, self.symmetries, self.space.states, bits, digest, goal=self.goal)
        if self.state is not None:
            tallies = [(np.trim_zeros(own, "b"), places) for own, places in last]
            counts = [sum(numbers) for numbers in itertools.zip_longest(*(own for own, _ in tallies), fillvalue=0)]
            deepest = [places for own, places in tallies if len(own) == len(counts)]
            listed = dict.fromkeys(map(self.state, itertools.chain(*deepest) if all(deepest) else ()))
            return count._replace(distribution=Distribution(counts), farthest=[(each, 1) for each in listed] or None)
        count, ranks = count._replace(known=self.known), np.concatenate([ranks for _, ranks in last])
        if not 0 < len(ranks) <= _MOST_FARTHEST or sum(counts) < self.space.counted:  # too many, or others remain, too
            return count
        classes = self.classes(ranks)
        count = count._replace(farthest=[(orbit.state, orbit.number) for orbit in classes])
        if table is None or self.written is None or not have_solutions(self.space, bits):
            return count
        return count._replace(solutions=functools.partial(_solutions, self, bits, table, classes))


def up_to_symmetry(
    graph: DerivedGraph,
    state: Callable[[Arrangement], object],
    memory: int | None = None,
    what: str = "states",
    *,
    up_to_free: bool = False,
) -> Counted | None:
    """Return the space of a graph up to symmetry, and up to free moves if asked for; None if it has none."""
    first = list[int]()

    def announced(plan: Plan) -> None:
        if plan.entries * plan.moves >= _LONG:
            first[:] = first_levels(graph, up_to_free=up_to_free)
        _planned.get()(plan, seconds_to_count(plan.states, plan.entries, plan.moves, first))

    with notifying(f"deriving the states of the {graph.rules.title} up to symmetry"):
        reduced = space_up_to_symmetry(graph, memory, what, up_to_free=up_to_free, planned=announced)
    if reduced is None:
        return None
    return Counted(
        reduced.space,
        reduced.starts,
        lambda ranks: [SymmetryClass(state(place), number, rank) for place, number, rank in reduced.classes(ranks)],
        reduced.symmetries,
        entries=reduced.states,
        first=first,
        written=None if up_to_free else graph.written,
        walk=None if up_to_free else reduced.walk,
    )


def _announce_plan(plan: Plan, seconds: float) -> None:
    """Announce what a long count takes, before its space is derived; its levels take a number of seconds."""
    what = f"expected: {plan.states:,} states, {plan.entries:,} entries"
    announce_effort(what, plan.size, seconds + plan.edges * SECONDS_AN_EDGE, DISK)


_planned: ContextVar[Callable[[Plan, float], object]] = ContextVar("planned", default=_announce_plan)


@contextlib.contextmanager
def planned(announced: Callable[[Plan, float], object]) -> Iterator[None]:
    """Announce plans of counts otherwise: a function takes each plan, and the seconds of its levels on one machine."""
    token = _planned.set(announced)
    try:
        yield
    finally:
        _planned.reset(token)


class Count(NamedTuple):
    """The number of states at each depth, and what they were counted by."""

    distribution: Distribution
    # A state of each symmetry class at the largest depth, and how many states the class has; None if there are too many
    # to list, or if a count continues after they were reached.
    farthest: Sequence[tuple[object, int]] | None
    symmetries: int
    entries: int  # the number of entries that stand for the states
    bits: int  # of each entry; 0 if states were counted one by one
    digest: str | None = None  # the SHA-256 of the arrays of the space; None if there is no space
    known: int | None = None  # the number of states, if it is known without the space
    goal: Any = None  # what solutions of the farthest states lead to; None for the solved state
    # Yields an optimal solution of each of these, or "" where a search must find it; None if it must find all. It keeps
    # the entries in memory.
    solutions: Callable[[], Iterator[str]] | None = None


def counted(about: Counted, question: Keywords) -> Count:
    """Count the states at each depth; a long count writes checkpoints between levels."""
    space, resume = about.space, bool(question.get("resume"))
    some, digest = about.members(memory_limit(question.get("memory")))
    bits = bits_to_count(space)
    size = bytes_to_count(space, bits) + (some.nbytes if some else 0)
    if size > memory_limit(question.get("memory")):
        raise needs_memory(space.counted, size, question.get("memory"))
    what = f"{space.counted:,} states, {space.states:,} entries"
    size_of = space.counted, space.states, len(space.base)
    announce_effort(what, size, seconds_to_count(*size_of, about.first, space.symmetric * space.width), DISK)
    progress, place = Estimate(space.counted, question.get("progress")), _from_half if some else _from_depth
    table_bytes = BY_BITS[bits].body_bytes(space.states)
    with _checkpoint("count", digest, table_bytes, resume=resume, place=place) as checkpoint:
        watcher = Among(some, space.width, bits, checkpoint) if some else Farthest(space, bits, checkpoint)
        table, counts = enumerate_levels(space, about.starts, progress, None, watcher, bits=bits)
    return about.result(counts, [(watcher.counts, watcher.farthest())], bits, digest, table)


def _solutions(about: Counted, bits: int, table: NDArray[np.uint8], classes: Sequence[SymmetryClass]) -> Iterator[str]:
    """Yield an optimal solution of a state of each class; "" if it does not solve the state."""
    assert about.written is not None  # otherwise only a search finds solutions
    algs = solutions(about.space, bits, table, np.array([orbit.rank for orbit in classes]), about.walk)
    for moves, (state, *_) in zip(algs, classes, strict=True):
        alg = about.written(moves, state)
        yield alg if state.apply(alg).is_solved else ""


def _from_depth(counts: Sequence[int]) -> str:
    return f"from depth {len(counts) - 1}"


def _from_half(counts: Sequence[int]) -> str:
    return _from_depth(counts[: len(counts) // 2])


def counted_each(
    classes: Sequence[tuple[ItemT, int]],
    depths: Callable[[Sequence[ItemT]], Iterable[int]],
    what: str,
    *,
    symmetries: int = 1,
    resume: bool = False,
) -> Count:
    """Count some states at each depth, -1 for unreachable ones; `what` identifies the checkpoint."""
    states, number_of = [state for state, _ in classes], np.array([number for _, number in classes], np.int64)
    size = max(-(-len(states) // _MOST_PARTS), _FEW_EACH)
    digest, bytes_kept = hashlib.sha256(what.encode()).hexdigest(), 4 * len(states)
    kept = _checkpoint("from", digest, bytes_kept, resume=resume, place=lambda counts: f"after {sum(counts):,} states")
    with kept as checkpoint, following("counting", len(states)) as advance:
        table, counts = (checkpoint and checkpoint.begun()) or (np.full(4 * len(states), 255, np.uint8), ())
        depth_of = table.view(np.int32)  # -1 if no depth is known
        advance(sum(counts))
        is_timed = False
        while (done := sum(counts)) < len(states):
            part, timed = states[done : done + size], list[int]()
            if not is_timed and len(part) > 2 * _TIMED:
                timed += depths(part[:_TIMED])  # these also open tables
                before = time.process_time()
                timed += depths(part[_TIMED : 2 * _TIMED])
                left = len(states) - done - len(timed)
                seconds = left * (time.process_time() - before) / _TIMED
                announce_effort(f"{left:,} states{' up to symmetry' * (symmetries > 1)}, one by one", 0, seconds)
                is_timed = True
            depth_of[done : done + len(part)] = [*timed, *depths(part[len(timed) :])]
            counts = (*counts, len(part))
            advance(len(part))
            if checkpoint:
                checkpoint.keep(table, counts)
    is_reached = depth_of >= 0
    # As floats, which are exact: few states are listed.
    numbers = np.bincount(depth_of[is_reached], number_of[is_reached])
    distribution = Distribution(numbers.astype(np.int64).tolist())
    last = np.flatnonzero(depth_of == len(distribution) - 1).tolist() if distribution else []
    farthest = [classes[number] for number in last] if 0 < len(last) <= _MOST_FARTHEST else None
    return Count(distribution, farthest, symmetries, len(states), 0)


def counted_levels(graph: DerivedGraph, question: Keywords, *, up_to_free: bool = False) -> Count:
    """Count the states at each depth up to some depth; a long count writes checkpoints between levels."""
    limit, resume = integer("levels", question["levels"], 0), bool(question.get("resume"))
    search = LevelSearch(graph, question.get("memory"), up_to_free=up_to_free)
    progress = announcing(search, limit, graph.number_of_states, question.get("progress"), DISK)
    with _checkpoint("levels", search.about.digest, resume=resume) as checkpoint:

        def keep(counts: tuple[int, ...]) -> None:
            if checkpoint:
                checkpoint.keep(search.share.levels(), counts)

        begun = checkpoint.begun() if checkpoint else None
        levels = search.count(limit, progress, search.share.resumed(*begun) if begun else (), keep)
    number = None if up_to_free else graph.number_of_states
    return Count(Distribution(levels.counts), None, levels.symmetries, levels.classes, HASH_BITS, known=number)


@contextlib.contextmanager
def _checkpoint(
    kind: str, digest: str, size: int = 0, *, resume: bool, place: Callable[[Sequence[int]], str] = _from_depth
) -> Iterator[Checkpoint | None]:
    """Yield the checkpoint of a count, None if there is no folder for it; remove it when the count is complete.

    Messages say where the count begins, and if it is interrupted, where it can continue. The `size` in bytes is 0 if it
    differs from level to level.
    """
    header = TableHeader(f"{kind}-{digest[:_DIGITS]}", kind, "moves", f"states {digest}", size, (), "", CHECKPOINT)
    checkpoint, counts = None, tuple[int, ...]()
    try:
        checkpoint = Checkpoint(TableEntry(header, built_by="--count"), resume=resume)
        counts = checkpoint.counts()
    except TableError:
        if resume:
            raise
    if checkpoint and resume:
        how = f"continues {place(counts)}:" if counts else "starts anew: there is no checkpoint"
        announce(f"the count {how} {checkpoint.path}")
    elif checkpoint and counts:
        announce(f"the count starts anew; with --resume it would continue {place(counts)}: {checkpoint.path}")

    def where() -> str:
        kept = checkpoint.counts() if checkpoint and checkpoint.kept_levels else ()
        return f"with --resume it continues {place(kept)}: {checkpoint.path}" if checkpoint and kept else ""

    try:
        yield checkpoint
    except KeyboardInterrupt:
        how = where() or "it would start anew: there is no checkpoint"
        raise KeyboardInterrupt(f"the count was interrupted; {how}") from None
    except (CubesolveError, EndedError):  # as at a time limit, or if a level does not fit in the memory
        if how := where():
            announce(f"the count was interrupted; {how}")
        raise
    if checkpoint:
        checkpoint.remove()


def space_digest(space: StateSpace, starts: Sequence[int], more: Sequence[NDArray[Any]] = ()) -> str:
    """Return a digest of all that the counts depend on: a space, its starts, and more arrays."""
    digest = hashlib.sha256(repr((sorted(starts), space.costs, space.symmetric)).encode())
    moves = range(len(space.base))
    for ranks, _ in map(space.of_move, moves):  # before all actions, as in the names of existing checkpoints
        digest.update(np.ascontiguousarray(ranks).data)
    for _, action in map(space.of_move, moves):
        digest.update(np.ascontiguousarray(action, np.int32).data)
    for array in (space.fibre, space.count_of_rows, *(space.symmetries or ()), *more):
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
