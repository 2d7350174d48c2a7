"""Counts of the states at each depth that can be interrupted and continued (numpy)."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from cubesolve.definition.goals import Allowed
from cubesolve.encodings import BY_BITS
from cubesolve.encodings.counting import Among, CountedEntries, Farthest, bits_to_count, bytes_to_count
from cubesolve.encodings.enumeration import enumerate_levels
from cubesolve.errors import CubesolveError, TableError
from cubesolve.group.permutations import Arrangement
from cubesolve.runtime.arguments import Keywords, integer
from cubesolve.runtime.deadline import EndedError
from cubesolve.runtime.machine import memory_limit, needs_memory
from cubesolve.runtime.notices import Estimate, announce, announce_effort, following, notifying
from cubesolve.solvers.answers import Distribution
from cubesolve.solvers.expected import announcing, first_levels, seconds_to_count, seconds_to_derive
from cubesolve.spaces.defined import DerivedGraph
from cubesolve.spaces.levels import HASH_BITS, LevelSearch
from cubesolve.spaces.members import Members, StatesOfEntries, members
from cubesolve.spaces.space import StateSpace
from cubesolve.spaces.symmetric import Plan, Walk, space_up_to_symmetry
from cubesolve.spaces.tables import CHECKPOINT, TableEntry, TableHeader
from cubesolve.store.checkpoint import Checkpoint

ItemT = TypeVar("ItemT")
WatcherT = TypeVar("WatcherT", Among, Farthest)

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
    """A space to count.

    Attributes:
        starts: the ranks of the states at depth 0.
        classes: returns the symmetry classes among some ranks.
        known: the number of states, if it is known without the space.
        goal: what solutions of the farthest states lead to; None for the solved state.
        entries: the states for which the entries of the space stand, if they have arrangements.
        first: the number of states at the first depths, if a count takes long and they are known.
        written: returns the alg of some moves of the space from a state; None if these are no moves of the puzzle.
        walk: begins at the states of some entries; None if moves lead to states of entries.
    """

    space: StateSpace
    starts: Sequence[int]
    classes: Callable[[NDArray[np.int64]], Sequence[SymmetryClass]]
    symmetries: int = 1
    known: int | None = None
    goal: Any = None
    entries: StatesOfEntries | None = None
    first: Sequence[int] = ()
    written: Callable[[Sequence[int], Any], str] | None = None
    walk: Callable[[NDArray[np.int64]], Walk] | None = None


class CountedAmong(NamedTuple):
    """States to count among those of a space.

    Attributes:
        conditions: any of these must be fulfilled.
        state: returns the state that an arrangement represents.
    """

    about: Counted
    conditions: Sequence[Allowed]
    state: Callable[[Arrangement], object]

    def members(self, memory: int) -> tuple[Members, str]:
        """Return the entries that stand for these states, and a digest of all that their counts depend on."""
        space, states = self.about.space, self.about.entries
        assert states is not None  # all derived spaces have them

        def require_memory(size: int) -> None:
            if space.nbytes + size > memory:
                raise needs_memory(space.counted, space.nbytes + size, memory)

        with notifying("finding the states of the other goal"):
            some = members(states, self.conditions, require_memory)
        return some, space_digest(space, self.about.starts, (states.ties, *some[1:]))

    def farthest(self, places: Iterable[Arrangement] | None) -> Sequence[tuple[object, int]] | None:
        """Return the distinct states that some arrangements represent, one by one; None if there are none."""
        return [(state, 1) for state in dict.fromkeys(map(self.state, places or ()))] or None


def up_to_symmetry(
    graph: DerivedGraph,
    state: Callable[[Arrangement], object],
    memory: int | None = None,
    what: str = "states",
    *,
    up_to_free: bool = False,
) -> Counted | None:
    """Return the space of a graph up to symmetry; None if it has none.

    Args:
        memory: the maximum number of bytes; by default half of the machine's.
        up_to_free: whether states that free moves connect are one state.
    """
    first = list[int]()

    def announced(plan: Plan) -> None:
        if plan.entries * plan.moves >= _LONG:
            first[:] = first_levels(graph, up_to_free=up_to_free)
        _planned.get()(plan, seconds_to_count(plan.states, plan.entries, plan.moves, first))

    with notifying(f"deriving the states of the {graph.rules.title} up to symmetry"):
        reduced = space_up_to_symmetry(graph, memory, what, up_to_free=up_to_free, planned=announced)
    if reduced is None:
        return None

    def classes(ranks: NDArray[np.int64]) -> Sequence[SymmetryClass]:
        return [SymmetryClass(state(place), number, rank) for place, number, rank in reduced.classes(ranks)]

    return Counted(
        reduced.space,
        reduced.starts,
        classes,
        reduced.symmetries,
        entries=reduced.states,
        first=first,
        written=None if up_to_free else graph.written,
        walk=None if up_to_free else reduced.walk,
    )


def _announce_plan(plan: Plan, seconds: float) -> None:
    """Announce what a long count takes, before its space is derived; its levels take a number of seconds."""
    what = f"expected: {plan.states:,} states, {plan.entries:,} entries"
    announce_effort(what, plan.size, seconds + seconds_to_derive(plan.edges), DISK)


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
    """The number of states at each depth, and what they were counted by.

    Attributes:
        farthest: a state of each symmetry class at the largest depth, and how many states the class has; None if there
            are too many to list, or if a count continues after they were reached.
        entries: the number of entries that stand for the states.
        bits: the bits of each; 0 if states were counted one by one.
        digest: the SHA-256 of the arrays of the space; None if there is no space.
        known: the number of states, if it is known without the space.
        goal: what solutions of the farthest states lead to; None for the solved state.
        solutions: yields an optimal solution of each of these, or "" where a search must find it; None if it must find
            all. It keeps the entries in memory.
    """

    distribution: Distribution
    farthest: Sequence[tuple[object, int]] | None
    symmetries: int
    entries: int
    bits: int
    digest: str | None = None
    known: int | None = None
    goal: Any = None
    solutions: Callable[[], Iterator[str]] | None = None


def counted(about: Counted, question: Keywords) -> Count:
    """Count the states at each depth; a long count writes checkpoints between levels.

    Args:
        question: `progress`, `resume` and `memory`; other keywords are ignored.
    """
    digest = space_digest(about.space, about.starts)
    counts, last, bits = _enumerated(about, question, digest, functools.partial(Farthest, about.space))
    farthest = farthest_of(about, counts, last.ranks)
    listed = pairs(farthest)
    count = _count(about, counts, bits, digest)._replace(farthest=listed, known=about.known)
    if not farthest or about.written is None or not CountedEntries.have_solutions(about.space, bits):
        return count
    return count._replace(solutions=functools.partial(_solutions, about, bits, last.table, farthest, len(counts) - 1))


def _solutions(
    about: Counted, bits: int, table: NDArray[np.uint8], classes: Sequence[SymmetryClass], depth: int
) -> Iterator[str]:
    """Yield an optimal solution of a state of each class at a depth; "" if it does not solve the state."""
    assert about.written is not None  # otherwise only a search finds solutions
    entries, ranks = CountedEntries(about.space, bits, table), np.array([orbit.rank for orbit in classes])
    for moves, (state, *_) in zip(entries.solutions(ranks, depth, about.walk), classes, strict=True):
        alg = about.written(moves, state)
        yield alg if state.apply(alg).is_solved else ""


def pairs(classes: Sequence[SymmetryClass] | None) -> Sequence[tuple[object, int]] | None:
    """Return a state of each of some classes, and how many states the class has; None if there are no classes."""
    return None if classes is None else [(orbit.state, orbit.number) for orbit in classes]


def farthest_of(about: Counted, counts: Sequence[int], ranks: NDArray[np.int64]) -> Sequence[SymmetryClass] | None:
    """Return the symmetry classes at the largest depth; None if there are too many."""
    if len(counts) == 1:  # no level is followed by another
        ranks = np.arange(min(about.space.states, _MOST_FARTHEST + 1))
    is_listed = 0 < len(ranks) <= _MOST_FARTHEST and sum(counts) == about.space.counted  # others remain, too
    return about.classes(ranks) if is_listed else None


def _from_depth(counts: Sequence[int]) -> str:
    return f"from depth {len(counts) - 1}"


def _from_half(counts: Sequence[int]) -> str:
    return _from_depth(counts[: len(counts) // 2])


def counted_among(among: CountedAmong, question: Keywords) -> Count:
    """Count the states at each depth that fulfil conditions, without a list of them; as `counted` otherwise."""
    some, digest = among.members(memory_limit(question.get("memory")))
    about, place, tally_of = among.about, _from_half, functools.partial(Among, some, among.about.space.width)
    _, tally, bits = _enumerated(about, question, digest, tally_of, place, some.nbytes)
    count = _count(about, np.trim_zeros(tally.counts, "b"), bits, digest)
    return count._replace(farthest=among.farthest(tally.farthest()))


def _count(about: Counted, counts: Sequence[int], bits: int, digest: str) -> Count:
    entries = about.space.states
    return Count(Distribution(counts), None, about.symmetries, entries, bits, digest, goal=about.goal)


def _enumerated(
    about: Counted,
    question: Keywords,
    digest: str,
    watcher: Callable[[int, Checkpoint | None], WatcherT],
    place: Callable[[Sequence[int]], str] = _from_depth,
    more: int = 0,
) -> tuple[tuple[int, ...], WatcherT, int]:
    """Return the number of states at each depth, what was called after each level, and the bits of an entry.

    Args:
        watcher: returns it, given these bits and the checkpoint, which it calls.
        more: bytes of memory that are taken beside the space and its entries.
    """
    space, given, resume = about.space, question.get("progress"), bool(question.get("resume"))
    bits = bits_to_count(space)
    size = bytes_to_count(space, bits) + more
    if size > memory_limit(question.get("memory")):
        raise needs_memory(space.counted, size, question.get("memory"))
    entry = _entry("count", digest, BY_BITS[bits].body_bytes(space.states))
    checkpoint = _checkpoint(entry, resume=resume)
    what = f"{space.counted:,} states, {space.states:,} entries"
    size_of = space.counted, space.states, len(space.base)
    announce_effort(what, size, seconds_to_count(*size_of, about.first, space.symmetric * space.width), DISK)
    watching, estimate = watcher(bits, checkpoint), Estimate(space.counted)

    def progress(depth: int, states: int, total: int) -> None:
        if given:
            given(depth, states, total)
        estimate(total)

    with _continuing(checkpoint, resume=resume, place=place):
        return enumerate_levels(space, about.starts, progress, None, watching, bits=bits)[1], watching, bits


def counted_each(
    classes: Sequence[tuple[ItemT, int]],
    depths: Callable[[Sequence[ItemT]], Iterable[int]],
    what: str,
    *,
    symmetries: int = 1,
    resume: bool = False,
) -> Count:
    """Count some states at each depth; those at the largest depth are listed.

    Args:
        depths: returns the depth of each of some states; -1 for a state that is not reachable.
        what: identifies the checkpoint.
    """
    states, number_of = [state for state, _ in classes], np.array([number for _, number in classes], np.int64)
    size = max(-(-len(states) // _MOST_PARTS), _FEW_EACH)
    entry = _entry("from", hashlib.sha256(what.encode()).hexdigest(), 4 * len(states))
    checkpoint = _checkpoint(entry, resume=resume)
    with _continuing(checkpoint, resume=resume, place=_after_states), following("counting", len(states)) as advance:
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
    """Count the states at each depth up to some depth; a long count writes checkpoints between levels.

    Args:
        question: `levels`, `progress`, `resume` and `memory`; other keywords are ignored.
        up_to_free: whether states that free moves connect count as one.
    """
    limit, resume = integer("levels", question["levels"], 0), bool(question.get("resume"))
    search = LevelSearch(graph, question.get("memory"), up_to_free=up_to_free)
    checkpoint = _checkpoint(_entry("levels", search.about.digest), resume=resume)
    progress = announcing(search, limit, graph.number_of_states, question.get("progress"), DISK)
    with _continuing(checkpoint, resume=resume):
        levels = search.count(limit, progress, checkpoint)
    number = None if up_to_free else graph.number_of_states
    return Count(Distribution(levels.counts), None, levels.symmetries, levels.classes, HASH_BITS, known=number)


def _after_states(counts: Sequence[int]) -> str:
    return f"after {sum(counts):,} states"


@contextlib.contextmanager
def _continuing(
    checkpoint: Checkpoint | None, *, resume: bool, place: Callable[[Sequence[int]], str] = _from_depth
) -> Iterator[None]:
    """Report where a count begins, and if it is interrupted, where it can continue; remove a complete checkpoint."""
    if checkpoint:
        _report_start(checkpoint, place, resume=resume)

    def where() -> str:
        kept = checkpoint.counts() if checkpoint and checkpoint.kept_levels else ()
        return f"with --resume it continues {place(kept)}: {checkpoint.path}" if checkpoint and kept else ""

    try:
        yield
    except KeyboardInterrupt:
        how = where() or "it would start anew: there is no checkpoint"
        raise KeyboardInterrupt(f"the count was interrupted; {how}") from None
    except (CubesolveError, EndedError):  # as at a time limit, or if a level does not fit in the memory
        if how := where():
            announce(f"the count was interrupted; {how}")
        raise
    if checkpoint:
        checkpoint.remove()


def _report_start(checkpoint: Checkpoint, place: Callable[[Sequence[int]], str], *, resume: bool) -> None:
    """Report whether a count continues from its checkpoint, or could."""
    try:
        counts = checkpoint.counts()
    except TableError:
        if resume:
            raise
        return
    if resume:
        how = f"continues {place(counts)}:" if counts else "starts anew: there is no checkpoint"
        announce(f"the count {how} {checkpoint.path}")
    elif counts:
        announce(f"the count starts anew; with --resume it would continue {place(counts)}: {checkpoint.path}")


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


def _checkpoint(entry: TableEntry, *, resume: bool) -> Checkpoint | None:
    """Return the checkpoint of a count; None if there is no folder to continue from."""
    try:
        return Checkpoint(entry, resume=resume)
    except TableError:
        if resume:
            raise
        return None


def _entry(kind: str, digest: str, size: int = 0) -> TableEntry:
    """Return what identifies a checkpoint with a number of bytes; 0 if they differ from level to level."""
    name = f"{kind}-{digest[:_DIGITS]}"
    header = TableHeader(name, kind, "moves", f"states {digest}", size, (), "", CHECKPOINT)
    return TableEntry(header, built_by="--count")
