"""Counts of the states at each depth that can be interrupted and continued (numpy)."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.arguments import integer
from cubesolve.encodings import body_bytes
from cubesolve.encodings.counting import bits_to_count, count_states
from cubesolve.encodings.farthest import Farthest
from cubesolve.errors import TableError, UnsolvableStateError
from cubesolve.notices import announce, announce_effort, following, notifying
from cubesolve.permutations import Arrangement
from cubesolve.solvers.distribution import Distribution
from cubesolve.solvers.keywords import StatesQuestion
from cubesolve.spaces.defined import DerivedGraph
from cubesolve.spaces.levels import HASH_BITS, count_levels
from cubesolve.spaces.space import StateSpace
from cubesolve.spaces.symmetric import space_up_to_symmetry
from cubesolve.spaces.tables import CHECKPOINT, TableEntry, TableHeader
from cubesolve.store.checkpoint import Checkpoint

_LONG = 1 << 28  # states times moves: a second or so; only longer counts have checkpoints
_MOVES_A_SECOND = 4e8  # of a processor; a rough estimate for messages
_MOST_FARTHEST = 100_000  # entries at the largest depth, of which a state of each symmetry class is listed
_MANY_EACH = 10_000  # states that are counted one by one, which takes seconds or more
_DIGITS = 16  # characters of a digest in the name of a file


class Counted(NamedTuple):
    """A space to count.

    Attributes:
        space: the space.
        starts: the ranks of the states at depth 0.
        classes: returns a state of each symmetry class among some ranks, and how many states the class has.
        symmetries: the number of symmetries.
        known: the number of states, if it is known without the space.
        goal: what solutions of the farthest states lead to; None for the solved state.
    """

    space: StateSpace
    starts: Sequence[int]
    classes: Callable[[NDArray[np.int64]], list[tuple[Any, int]]]
    symmetries: int = 1
    known: int | None = None
    goal: Any = None


def up_to_symmetry(
    graph: DerivedGraph,
    state: Callable[[Arrangement], Any],
    memory: int | None = None,
    what: str = "states",
    *,
    up_to_free: bool = False,
) -> Counted | None:
    """Return the space of a graph up to symmetry; None if it has none.

    Args:
        graph: the graph.
        state: returns the state that an arrangement represents.
        memory: the maximum number of bytes; by default half of the machine's.
        what: what the number of states of the graph counts.
        up_to_free: whether states that free moves connect are one state.

    Raises:
        TooLargeError: counting takes more memory.
    """
    with notifying(f"deriving the states of the {graph.rules.title} up to symmetry"):
        found = space_up_to_symmetry(graph, memory, what, up_to_free=up_to_free)
    if found is None:
        return None

    def classes(ranks: NDArray[np.int64]) -> list[tuple[Any, int]]:
        return [(state(place), number) for place, number in found.classes(ranks)]

    return Counted(found.space, found.starts, classes, found.symmetries)


class Count(NamedTuple):
    """The number of states at each depth, and what they were counted by.

    Attributes:
        distribution: the number of states at each depth.
        farthest: a state of each symmetry class at the largest depth, and how many states the class has; None if there
            are too many to list.
        symmetries: the number of symmetries.
        entries: the number of entries that stand for the states.
        bits: the bits of each; 0 if states were counted one by one.
        digest: the SHA-256 of the arrays of the space; None if there is no space.
        known: the number of states, if it is known without the space.
        goal: what solutions of the farthest states lead to; None for the solved state.
    """

    distribution: Distribution
    farthest: list[tuple[Any, int]] | None
    symmetries: int
    entries: int
    bits: int
    digest: str | None
    known: int | None
    goal: Any


def counted(about: Counted, question: StatesQuestion) -> Count:
    """Count the states at each depth; a long count writes checkpoints between levels.

    Args:
        about: the space.
        question: `progress`, `resume` and `memory`; other keywords are ignored.

    Raises:
        TooLargeError: the states do not fit in this memory.
        TableError: the checkpoint is damaged, or there is no folder for it.
        ValueError: a depth is over 254.
    """
    space, starts, resume = about.space, about.starts, bool(question.get("resume"))
    labour, bits, checkpoint = space.states * len(space.base), bits_to_count(space, starts), None
    digest = _digest(space, starts)
    if labour >= _LONG or resume:
        entry = _entry(space, bits, digest)
        checkpoint = Checkpoint(entry, resume=resume)
        size, seconds = space.nbytes + body_bytes(entry.header), labour / _MOVES_A_SECOND
        disk = "up to twice as much disk space for checkpoints"
        announce_effort(f"{space.counted:,} states, {space.states:,} entries", size, seconds, disk)
        _report_start(checkpoint, resume=resume)
    last = Farthest(space, bits, checkpoint)
    progress, memory = question.get("progress"), question.get("memory")
    try:
        found = Distribution(count_states(space, starts, progress, checkpointer=last, memory=memory))
    except KeyboardInterrupt:
        raise KeyboardInterrupt(_interrupted(checkpoint)) from None
    if checkpoint:
        checkpoint.remove()
    ranks = np.array(starts, np.int64) if len(found) == 1 else last.ranks
    is_listed = 0 < len(ranks) <= _MOST_FARTHEST and sum(found) == space.counted  # others remain, too
    farthest = about.classes(ranks) if is_listed else None
    return Count(found, farthest, about.symmetries, space.states, bits, digest, about.known, about.goal)


def _interrupted(checkpoint: Checkpoint | None) -> str:
    """Return what remains of an interrupted count."""
    depth = len(checkpoint.counts()) - 1 if checkpoint else -1
    if checkpoint is None or depth < 0:
        return "the count was interrupted; it would start anew: there is no checkpoint"
    return f"the count was interrupted; with --resume it continues from depth {depth}: {checkpoint.path}"


def counted_each(states: Sequence[Any], depth: Callable[[Any], int]) -> Count:
    """Count some states at each depth, one by one; those at the largest depth are listed.

    Args:
        states: the states.
        depth: returns the depth of one; raises `UnsolvableStateError` for a state that is not reachable.
    """
    if len(states) >= _MANY_EACH:
        announce(f"{len(states):,} states are counted one by one")
    found = dict[int, list[Any]]()
    with following("counting", len(states)) as advance:
        for state in states:
            with contextlib.suppress(UnsolvableStateError):
                found.setdefault(depth(state), []).append(state)
            advance(1)
    counts = Distribution(len(found.get(each, ())) for each in range(1 + max(found, default=-1)))
    farthest = [(state, 1) for state in found.get(len(counts) - 1, ())]
    listed = farthest if 0 < len(farthest) <= _MOST_FARTHEST else None
    return Count(counts, listed, 1, len(states), 0, None, None, None)


def counted_levels(graph: DerivedGraph, question: Mapping[str, Any], *, up_to_free: bool = False) -> Count:
    """Count the states at each depth up to some depth.

    Args:
        graph: the graph.
        question: `levels`, `progress` and `memory`; other keywords are ignored.
        up_to_free: whether states that free moves connect count as one.

    Raises:
        TooLargeError: the states do not fit in this memory.
        CubesolveError: the puzzle has too many different labels.
        ValueError: `resume` is given.
    """
    if question.get("resume"):
        raise ValueError("resume is not supported with levels: there are no checkpoints of these")
    most = integer("levels", question["levels"], 0)
    progress, memory = question.get("progress"), question.get("memory")
    found = count_levels(graph, most, progress, memory, up_to_free=up_to_free)
    known = None if up_to_free else graph.number_of_states
    return Count(Distribution(found.counts), None, found.symmetries, found.classes, HASH_BITS, None, known, None)


def _report_start(checkpoint: Checkpoint, *, resume: bool) -> None:
    """Report whether a count continues from its checkpoint, or could."""
    try:
        depth = len(checkpoint.counts()) - 1
    except TableError:
        if resume:
            raise
        return
    if resume:
        how = f"continues from depth {depth}" if depth >= 0 else "starts anew: there is no checkpoint"
        announce(f"the count {how} {checkpoint.path}")
    elif depth >= 0:
        announce(f"the count starts anew; with --resume it would continue from depth {depth}: {checkpoint.path}")


def _digest(space: StateSpace, starts: Sequence[int]) -> str:
    """Return a digest of all that the counts depend on."""
    digest = hashlib.sha256(repr((sorted(starts), space.costs, space.symmetric)).encode())
    for array in (space.base, space.action, space.fibre, space.count_of_rows, *(space.symmetries or ())):
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _entry(space: StateSpace, bits: int, digest: str) -> TableEntry:
    """Return what identifies the checkpoint of a space."""
    size = space.states if bits == 8 else -(-space.states * bits // 64) * 8
    name = f"count-{digest[:_DIGITS]}"
    header = TableHeader(name, "count", "moves", f"states {digest}", size, (), "", CHECKPOINT)
    return TableEntry(header, built_by="--count")
