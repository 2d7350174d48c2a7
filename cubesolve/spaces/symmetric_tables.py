"""The entries of tables up to symmetry, for arrays of states (numpy)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cubesolve.definitions.rotations import RotationReduction
from cubesolve.definitions.symmetries import Symmetry
from cubesolve.errors import CubesolveError
from cubesolve.jobs import kept
from cubesolve.notices import notifying
from cubesolve.permutations import arrangement, identity
from cubesolve.spaces.batches import Batch, RankBatch
from cubesolve.spaces.coordinates import damaged, write_sizes
from cubesolve.spaces.derive import from_bytes, in_bytes, require_below
from cubesolve.spaces.derived import (
    ArrangementBatch,
    DerivedForm,
    GivenBatch,
    HeldBatch,
    Reader,
    Relabelling,
    as_given,
    at_home,
    derived_space,
)
from cubesolve.spaces.representatives import Representatives, SymmetryGroup, go
from cubesolve.spaces.rows import Rows, ascending
from cubesolve.spaces.space import FibreSymmetries, StateSpace
from cubesolve.spaces.symmetric import EntryIndex, SymmetricSpace, space_up_to_symmetry, unreduced
from cubesolve.spaces.symmetric_coordinates import SymmetricCoordinates, SymmetricSizes, layout, read_sizes
from cubesolve.spaces.symmetric_graph import SymmetricGraph

_KEPT = 4
_FEWEST_SYMMETRIES = 2  # with one, a table of all states has the same entries
_LARGEST_BYTE = 256


def make_ready(graph: SymmetricGraph) -> bytes:
    """Derive the space of a graph up to symmetry, and give it to the graph.

    Returns:
        The coordinates, which `spaces.symmetric_coordinates` reads.

    Raises:
        TooLargeError: the arrays of the space take more than half of the machine's memory.
        CubesolveError: the puzzle has no such space.
    """
    whole = graph.whole
    with notifying(f"deriving the states of the {whole.rules.title} up to symmetry"):
        found = space_up_to_symmetry(whole, fewest=_FEWEST_SYMMETRIES)
        if found is None:
            raise CubesolveError(f"{whole.rules.title} has no table up to symmetry, because {unreduced(whole)}")
        body = _packed(found, whole.reduction)
    graph.use(body)
    return body


def _packed(found: SymmetricSpace, reduction: RotationReduction) -> bytes:
    """Return a space as bytes."""
    space, states = found.space, found.states
    assert space.symmetries is not None  # there are several
    labels = states.labels.shape[1]
    item = 1 if max(labels, states.ways.shape[1]) <= _LARGEST_BYTE else 2
    patterns = found.names[states.fibre[0]][states.ways]
    sizes = SymmetricSizes(
        points=states.ways.shape[1],
        item=item,
        labels=labels,
        symmetries=found.symmetries,
        homing=int(found.is_homing),
        rows=space.rows,
        states=space.width,
        moves=len(reduction.moves),
        actions=len(space.fibre),
        mutual=int(space.mutual),
    )
    parts = {
        "classes": found.names,
        "points_after": states.points,
        "labels_after": states.labels,
        "patterns": patterns,
        "pattern_order": ascending(patterns),
        "ways": states.ways,
        "ties": states.ties,
        "states": states.fibre,
        "state_order": ascending(states.fibre),
        "targets": space.base,
        "action": space.action,
        "numbers": space.symmetries.numbers,
        "fibre": space.fibre,
        "images": space.symmetries.images,
    }
    return in_bytes(write_sizes(sizes), layout(sizes), parts)


def entries_of(graph: SymmetricGraph) -> Entries:
    """Return the entries of a graph: from its coordinates if they are loaded, or else derived from its moves."""
    if not graph.is_ready:
        make_ready(graph)
    return _entries_of(graph)


@kept(_KEPT)
def _entries_of(graph: SymmetricGraph) -> Entries:
    return Entries(graph.known, graph.whole.reduction)


class Entries:
    """The entries of a table up to symmetry.

    Attributes:
        space: the space whose states they are.
        symmetries: the number of symmetries.
        find: returns the entries that stand for states; see `EntryIndex.find`.
    """

    def __init__(self, known: SymmetricCoordinates, reduction: RotationReduction) -> None:
        """Read the coordinates of a puzzle.

        Raises:
            CorruptTableError: a number is out of range.
        """
        self._known, self._moves = known, reduction.moves
        sizes = read_sizes(known.body)
        parts = from_bytes(known.body, layout(sizes))
        _require_inside(sizes, parts)
        shapes = {"points": sizes.points, "labels": sizes.labels}
        points, labels = (
            parts[f"{name}_after"].reshape(sizes.symmetries, width).astype(np.uint16) for name, width in shapes.items()
        )
        self.space = _space(sizes, parts, tuple(move.cost for move in self._moves))
        reference, start = reduction.reference, reduction.solved[0]
        symmetries = [
            Symmetry(arrangement(each), arrangement(image), ())
            for each, image in zip(points.tolist(), labels.tolist(), strict=True)
        ]
        group = SymmetryGroup(symmetries, [identity(sizes.points)])
        if sizes.homing and reference is not None:
            group = SymmetryGroup(symmetries, reference.rotations, reference.labels)
        self._points, self._labels, self.symmetries = points, labels, sizes.symmetries
        patterns, self._ways, self._fibre = (
            parts[name].reshape(-1, sizes.points) for name in ("patterns", "ways", "states")
        )
        represented = Representatives(start, group, parts["classes"])
        self.find = EntryIndex(represented, parts["classes"], patterns, self._ways, self._fibre).find
        self._moves_after = np.full((sizes.symmetries * len(group.rotations), sizes.moves), -1, np.intp)

    def weights(self, entries: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of states for which each entry stands, divided by that of the entries that do."""
        return self.space.count_of_rows[entries // self.space.width].astype(np.int64)

    def images(self, entries: NDArray[np.int64], symmetries: NDArray[np.int64]) -> Rows:
        """Return the image of the state of each entry under a symmetry, which may displace reference pieces."""
        rows, places = np.divmod(entries, self.space.width)
        states = np.take_along_axis(self._fibre[places], self._ways[rows].astype(np.intp), axis=1)
        labels = np.take_along_axis(self._labels[symmetries], states.astype(np.intp), axis=1)
        images = np.empty_like(labels)
        np.put_along_axis(images, self._points[symmetries].astype(np.intp), labels, axis=1)
        return images

    def hold_leads(self, maps: NDArray[np.int32], leads: NDArray[np.bool_]) -> None:
        """Translate sets of moves of entries into those of the states for which they stand, in place.

        Args:
            maps: int32 (N,): the maps from these states, as `find` returns them.
            leads: bool (N, moves).
        """
        for number in np.unique(maps).tolist():
            if self._moves_after[number, 0] < 0:
                self._moves_after[number] = self._known.moves_after(number)
        leads[:] = np.take_along_axis(leads, self._moves_after[maps], axis=1)

    def go(self, rows: Rows, moves: NDArray[np.intp]) -> None:
        """Make a possible move from each state, in place; `rows` as for `find`."""
        go(self._moves, rows, moves)


def _space(sizes: SymmetricSizes, parts: dict[str, NDArray[Any]], costs: tuple[int, ...]) -> StateSpace:
    ties = parts["ties"]
    return StateSpace(
        parts["targets"].reshape(sizes.moves, sizes.rows),
        parts["action"].reshape(sizes.moves, sizes.rows),
        parts["fibre"].reshape(sizes.actions, -1).astype(np.uint32),
        bool(sizes.mutual),
        costs if set(costs) != {1} else (),
        (sizes.symmetries // ties).astype(np.uint8),
        None,
        int(np.count_nonzero(ties > 1)),
        FibreSymmetries(
            parts["numbers"].reshape(sizes.moves, -1).copy(),
            parts["images"].reshape(sizes.symmetries, -1).astype(np.uint32),
        ),
    )


def _require_inside(sizes: SymmetricSizes, parts: dict[str, NDArray[Any]]) -> None:
    """Require that all numbers are in range."""
    limits = {
        "points_after": sizes.points,
        "labels_after": sizes.labels,
        "ways": sizes.points,
        "ties": sizes.symmetries + 1,
        "states": sizes.labels,
        "targets": sizes.rows,
        "action": sizes.actions,
        "numbers": sizes.symmetries,
        "fibre": sizes.states,
        "images": sizes.states,
    }
    require_below(parts, limits)
    if not parts["ties"].all():
        raise damaged()


# -- Arrays of states --------------------------------------------------------------------------------------------------


class SymmetricBatch(HeldBatch):
    """States of which those that symmetries map to one another have one rank."""

    _entries: Entries

    def hold_leads(self, part: slice, leads: NDArray[np.bool_]) -> None:
        """Translate sets of moves of entries into those of some rows as they are held, in place."""
        self._entries.hold_leads(self._entries.find(self.home_labels(part))[1], leads)
        super().hold_leads(part, leads)


class _States(SymmetricBatch, GivenBatch):
    """States in any form, one by one."""

    def __init__(self, given: Sequence[Any], graph: SymmetricGraph, read: Reader) -> None:
        super().__init__(given, graph.whole, graph.entry_of, read)
        self._entries = entries_of(graph)
        if any(hasattr(each, "__index__") for each in given):
            derived_space(graph.whole)  # which makes it ready


class _Numbers(SymmetricBatch, ArrangementBatch):
    """States as the numbers of the labels on their points."""

    def __init__(self, given: NDArray[np.integer], graph: SymmetricGraph, relabelling: Relabelling) -> None:
        super().__init__(given, graph.whole, relabelling)
        self._entries = entries_of(graph)

    def ranks(self, part: slice) -> NDArray[np.int64]:
        """Return the ranks of some rows, -1 for invalid ones."""
        sound = self._sound(part)
        return np.where(sound, self._entries.find(at_home(self._graph, self._labels(part, sound)))[0], -1)


class _Ranks(_Numbers):
    """Ranks of the graph of all states."""

    def __init__(self, given: NDArray[np.integer], graph: SymmetricGraph, relabelling: Relabelling) -> None:
        space = derived_space(graph.whole)
        self._given_ranks = RankBatch(given, space.arrays.states)
        self._ranks_of_all = self._given_ranks.ranks(slice(None))
        states = space.states(np.maximum(self._ranks_of_all, 0))
        super().__init__(relabelling.numbers[states], graph, relabelling)
        self.shape = self._given_ranks.shape

    def ranks(self, part: slice) -> NDArray[np.int64]:
        """Return the ranks of some rows, -1 for invalid ones."""
        return np.where(self._ranks_of_all[part] < 0, -1, super().ranks(part))

    def fault(self, row: int) -> str:
        """Return the error of an invalid row."""
        return self._given_ranks.fault(row)


class SymmetricForm(DerivedForm):
    """States as the numbers of the labels on their points, or as text; ranks are those of the graph of all states."""

    def __init__(self, graph: SymmetricGraph) -> None:
        """Take the states of a graph."""
        super().__init__(graph.whole)
        self._symmetric = graph

    def _of_ranks(self, ranks: NDArray[Any]) -> Batch:
        return _Ranks(ranks, self._symmetric, self._relabelling)

    def _of_numbers(self, rows: NDArray[Any]) -> Batch:
        return _Numbers(rows, self._symmetric, self._relabelling)

    def _of_states(self, states: Sequence[Any], read: Reader = as_given) -> Batch:
        return _States(states, self._symmetric, read)
