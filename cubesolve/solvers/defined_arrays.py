"""Arrays of labels by their definition: which rows moves lead to, which moves follow, equal images (numpy)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.definition.definition import Definition, precondition_labels
from cubesolve.definition.reach import ReachableStates
from cubesolve.group.canonical import canonical
from cubesolve.group.moves import Move, is_plain
from cubesolve.group.permutations import Arrangement, Permutation, after, arrangement, identity, inverse
from cubesolve.group.pieces import PieceOrbit
from cubesolve.group.symmetries import MOST_SYMMETRIES, symmetries
from cubesolve.spaces.rows import RowIndex, Rows, hashed, odd_orders
from cubesolve.spaces.vectors import LabelEncoding

if TYPE_CHECKING:
    from cubesolve.spaces.defined import DerivedRules


class Layout(NamedTuple):
    """The labels of rows, and the moves that change these."""

    moves: Sequence[Move]
    encoding: LabelEncoding
    solved: NDArray[np.uint8]
    numbering: str  # the meaning of the labels
    numbers: NDArray[np.uint8] = np.empty(0, np.uint8)  # the number in rows of each label of an arrangement
    illegal: Collection[tuple[int, int]] = ()  # points, and the labels of arrangements that must not be on them
    directed: bool = False  # whether some moves may lack inverses


def layout_of(rules: DerivedRules, moves: Sequence[Move], solved: Arrangement) -> Layout:
    """Return the layout of a puzzle with a definition, some of its moves, and the first of its solved states."""
    definition, looks = rules.definition, rules.labelling.looks
    alike, numbers = Counter(looks.values()), np.zeros(1 + max(looks), np.uint8)
    encoding = LabelEncoding(definition.points, len(alike))
    numbers[[*looks]] = np.array([*looks.values()]).astype(np.uint8)
    deciding = precondition_labels((effect for move in moves for effect in move.effects), definition.illegal)
    if any(alike[looks.get(label, -1)] > 1 for label in deciding):
        wrong = "pieces that look alike decide which moves are possible"
        raise ValueError(f"the {rules.title} has no arrays, because {wrong}: define them as different")
    row, numbering = numbers[list(solved)], rules.labelling.numbering
    return Layout(moves, encoding, row, numbering, numbers, definition.illegal, definition.directed)


class Images(NamedTuple):
    """Images of states: the point from which each point gets its label, and what each label becomes."""

    sources: NDArray[np.uint16]
    labels: NDArray[np.uint8]


class Successors(NamedTuple):
    """The states after all possible moves, with the index of the state before each, and the number of the move."""

    states: NDArray[Any]
    origins: NDArray[np.intp]
    moves: NDArray[np.intp]


def may_have(reach: ReachableStates, rows: Rows) -> NDArray[np.bool_]:
    """Return `ReachableStates.may_have` for each of some arrangements, (N, points), with the labels of the start.

    In a full group, the parities of the permutations of the pieces of each kind and the sums of their twists decide. So
    one arrangement is asked about for all that have the same totals and the same placement.

    >>> from cubesolve.catalog import rules_named
    >>> rows = np.array([[1, 0, 2, 3], [0, 2, 1, 3], [2, 0, 1, 3]], np.uint8)
    >>> may_have(rules_named("tiles-2x2").graph().reach, rows).tolist()
    [False, False, True]
    """
    group, start = reach.loops, np.array(list(reach.start), rows.dtype)
    if not group.is_full or group.totals is None:
        return np.array([reach.may_have(arrangement(row)) for row in rows.tolist()], np.bool_)
    looks = np.array(list(reach.looks))
    placements = RowIndex(np.array([list(place) for place in reach.ways])).find(looks[rows])
    back = np.array([list(inverse(way)) for way in reach.ways.values()])
    homes = np.take_along_axis(rows, back[placements], axis=1)  # after the way back to the first placement
    moved = [point for kind in group.kinds for along in kind.along.values() for point in along]
    still = np.setdiff1d(np.arange(len(start)), moved)
    kinds = [_totals(kind, start, homes) for kind in group.kinds]
    totals = np.stack([(homes[:, still] != start[still]).any(axis=1), *kinds], axis=1)
    _, first, which = np.unique(hashed(totals.astype(np.uint16)), return_index=True, return_inverse=True)
    made = group.made(reach.start, map(arrangement, homes[first].tolist()))
    assert made is not None  # which is known of a full group
    return (placements >= 0) & np.array(made, np.bool_)[which]


def _totals(kind: PieceOrbit, start: Rows, rows: Rows) -> NDArray[np.int64]:
    """Return a number for each arrangement, equal for equal totals of a kind; -1 for other pieces than at the start."""
    along = np.array([[kind.along[point] for point in piece] for piece in kind.pieces()])
    seen = hashed(start[along])  # (pieces, orientations): the look of each piece from each orientation
    _, looks = np.unique(seen.min(axis=1), return_inverse=True)  # equal for pieces that look alike
    homes, turns = np.argsort(looks, kind="stable"), along.shape[1]
    known, first = np.unique(seen, return_index=True)
    piece, turn = np.divmod(first, turns)
    turned = turn - seen.argmin(axis=1)[piece]
    given = hashed(rows[:, along[:, 0]])
    numbers = np.minimum(np.searchsorted(known, given), len(known) - 1)
    shown = looks[piece][numbers]
    # Naming pieces that look alike in the order of their places changes totals as some invisible exchange.
    order = np.argsort(shown, axis=1, kind="stable")
    same = (known[numbers] == given) & (np.take_along_axis(shown, order, axis=1) == looks[homes])
    origins = np.empty_like(order)
    np.put_along_axis(origins, order, np.broadcast_to(homes, order.shape), axis=1)
    totals: NDArray[np.int64] = 2 * (turned[numbers].sum(axis=1) % turns) + odd_orders(origins)
    return np.where(same.all(axis=1), totals, -1)


def random_rows(reach: ReachableStates, number: int, rng: np.random.Generator) -> Rows | None:
    """Return random reachable arrangements, (N, points), by random bits; None unless the group is full."""
    group, start = reach.loops, np.array(list(reach.start), np.min_scalar_type(max(reach.start)))
    if not group.is_full or group.totals is None:
        return None

    def bits(*shape: int) -> NDArray[np.int64]:
        drawn = np.asarray(rng.bit_generator.random_raw(math.prod((number, *shape))), np.uint64)
        return (drawn >> np.uint64(1)).astype(np.int64).reshape(number, *shape)

    moduli = group.totals.moduli
    given = np.array(group.given_totals, np.int64).reshape(len(group.given_totals), len(moduli))
    totals = (bits(len(given)) % math.lcm(*moduli)) @ given % moduli
    sources = np.tile(np.arange(len(start)), (number, 1))
    for kind, twist, parity in zip(group.kinds, totals.T[::2], totals.T[1::2], strict=True):
        along = np.array([[kind.along[point] for point in piece] for piece in kind.pieces()])
        pieces, turns = along.shape[:2]
        origins, turned = np.argsort(bits(pieces), axis=1, kind="stable"), bits(pieces) % turns
        turned[:, 0] = (turned[:, 0] + twist - turned.sum(axis=1)) % turns
        odd = odd_orders(origins) != parity
        origins[odd, :2], turned[odd, :2] = origins[odd, 1::-1], turned[odd, 1::-1]
        places = along[:, 0].reshape(-1)
        sources[:, places] = along[origins, turned].reshape(number, len(places))
    ways = np.array([list(way) for way in reach.ways.values()])
    return start[np.take_along_axis(sources, ways[bits() % len(ways)], axis=1)]


def following_moves(definition: Definition, moves: Sequence[Move], *, in_order: bool) -> NDArray[np.int32]:
    """Return the automaton of the moves that may follow each other in a walk; see `StateArrays.following`."""
    changes, still = frozenset(move.effects[0].sources for move in moves), identity(definition.points)

    def are_joined(one: Move, other: Move) -> bool:
        if not (is_plain(one.effects) and is_plain(other.effects)):
            return True
        both = after(one.effects[0].sources, other.effects[0].sources)
        return both == still or both in changes

    if not in_order:
        any_move = range(1, 1 + len(moves))
        following = [[-1 if are_joined(last, move) else i for i, move in enumerate(moves, 1)] for last in moves]
        return np.array([[*any_move], *following], np.int32)
    automaton = canonical(moves, definition.solved[0], blocked=bool(definition.illegal))
    table = np.array(automaton.following, np.int32)
    for state in np.flatnonzero((table < 0).all(axis=1)).tolist():  # as after the last of all commuting moves
        ends = [moves[end] for end in np.flatnonzero((table == state).any(axis=0)).tolist()]
        for number, move in enumerate(moves):
            if not any(are_joined(end, move) for end in ends):
                table[state, number] = table[0, number]
    return table


def moved_points(moves: Sequence[Move]) -> NDArray[np.intp]:
    """Return the points that moves change, or that decide whether they are possible."""
    effects = [effect for move in moves for effect in move.effects]
    changes = np.array([list(effect.sources) for effect in effects])
    are_moved = (changes != np.arange(changes.shape[1])).any(axis=0)
    are_moved[[point for effect in effects for point, _ in effect.needs]] = True
    return np.flatnonzero(are_moved)


def depth_images(layout: Layout, solved_rows: NDArray[np.uint8], merged: Sequence[Permutation]) -> Images:
    """Return the symmetries of the moves, the identity first, as images of the points that these change.

    The rotations `merged`, the identity first, keep the depth; they follow all symmetries if every point moves.
    """
    points, labels = layout.encoding.points, layout.encoding.labels
    moved, place = moved_points(layout.moves), np.zeros(points, np.int64)
    place[moved] = np.arange(len(moved))
    moved_labels, number_of = set(layout.solved[moved].tolist()), layout.numbers.tolist().__getitem__

    def restricted(move: Move) -> Move:
        effects = (
            effect._replace(
                sources=arrangement(place[np.array(list(effect.sources))[moved]].tolist()),
                needs=tuple((int(place[point]), number_of(label)) for point, label in effect.needs),
            )
            for effect in move.effects
            if all(number_of(label) in moved_labels for _, label in effect.needs)  # others fit no state
        )
        return move._replace(effects=tuple(effects))

    blocked = [(point, label) for point, label in layout.illegal if point in moved]
    kept = np.delete(np.arange(points), moved)
    ends = dict[bytes, list[NDArray[np.uint8]]]()  # the solved states by the labels that no move changes
    for row in (layout.solved, *solved_rows):
        ends.setdefault(row[kept].tobytes(), []).append(row)
    solved, *others = ends.values()
    group = symmetries(
        [*dict.fromkeys(arrangement(row[moved].tolist()) for row in solved)],
        [move for move in map(restricted, layout.moves) if move.effects],
        frozenset((int(place[point]), number_of(label)) for point, label in blocked),
    )
    sources, images = np.empty((len(group), len(moved)), np.int64), np.tile(np.arange(labels), (len(group), 1))
    for number, symmetry in enumerate(group):
        sources[number, list(symmetry.points)] = moved
        images[number, : len(symmetry.labels)] = list(symmetry.labels)

    def preserves(number: int, rows: Sequence[NDArray[np.uint8]]) -> bool:
        turned = images[number][np.array(rows)[:, sources[number]]].astype(np.uint8)
        return {*map(bytes, turned)} == {row[moved].tobytes() for row in rows}

    if not merged:  # states are compared with others that have the same fixed labels, whichever these are
        preserving = [number for number in range(len(group)) if all(preserves(number, rows) for rows in others)]
        sources, images = sources[preserving], images[preserving]
    if not len(kept) and 0 < len(merged) * len(group) <= MOST_SYMMETRIES:
        sources = np.array([list(rotation) for rotation in merged])[:, sources].reshape(-1, points)
        images = np.tile(images, (len(merged), 1))
    return Images(sources.astype(np.uint16, order="C"), images.astype(np.uint8))
