"""The shapes of the Square-1, and the twists that are possible in each (pure Python).

A *layer* is a number of 12 bits: bit i is set if a corner has its second wedge at place i. Turning a layer rotates the
bits. A layer is *aligned* if no corner lies across the cut. States are seen up to turns of both layers: each layer is
turned to the smallest aligned number, and a *class* is a pair of such layers.

Seen so, a twist of the left half is a twist of the right half followed by the exchange of the layers, because both
twists together turn the puzzle as a whole. A twist of the left half is one of the right half after turns of both
layers by half a turn. So the second half of the moves of a class, those that turn the top layer by 6 to 11, lead to the
exchanged states of the first half. A search needs only the first half: it leads to a goal or to its exchanged state,
and replacing one of its moves with the counterpart leads from the one to the other.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from cubesolve.catalog.square1.definition import CORNER_WEDGES, EDGE_WEDGES, HALF, LAYER, SECOND_WEDGES, WEDGES, Turns
from cubesolve.group.permutations import Arrangement, arrangement

PIECES = 8  # number of corners, and of edges

if TYPE_CHECKING:
    import random

_ALL, _CUT = (1 << LAYER) - 1, 1 | 1 << HALF
# The halves of layers, in the order of their pieces: corners lie neither across the cut nor across one another.
_HALVES = [half for half in range(0, 1 << HALF, 2) if not half & half >> 1]
_HALVES.sort(key=lambda half: f"{half:06b}"[::-1])

_KINDS = frozenset(CORNER_WEDGES), frozenset(EDGE_WEDGES)

Sources = tuple[int, ...]  # for each piece of a kind, in the order of their places, the number that it had before


class Layers(NamedTuple):
    """The layers of a state."""

    top: int
    bottom: int

    def standard(self) -> tuple[Layers, Turns]:
        """Return the shape that represents the class, and the turns that lead to it."""
        (top, first), (bottom, second) = _standard(self.top), _standard(self.bottom)
        return Layers(top, bottom), (first, second)


def shape_of(state: Arrangement) -> Layers:
    """Return the shape of a state."""
    bits = sum(1 << place for place in range(WEDGES) if state[place] in SECOND_WEDGES)
    return Layers(bits & _ALL, bits >> LAYER)


@functools.cache
def aligned_shapes() -> list[Layers]:
    """Return all shapes in which a twist is possible."""
    layers = [first | second << HALF for first in _HALVES for second in _HALVES]
    return [
        Layers(top, bottom) for top in layers for bottom in layers if top.bit_count() + bottom.bit_count() == PIECES
    ]


def random_arrangement(source: random.Random) -> Arrangement:
    """Return a uniformly random state in which a twist is possible."""
    shape = source.choice(aligned_shapes())
    corners, edges = (source.sample(wedges, PIECES) for wedges in (CORNER_WEDGES, EDGE_WEDGES))
    return _arranged(shape, corners, edges, is_twisted=source.randrange(2))


def in_order_of(shape: Layers) -> Arrangement:
    """Return the state with a shape whose corners, and whose edges, are in the order of their homes."""
    return _arranged(shape, CORNER_WEDGES, EDGE_WEDGES)


def _arranged(shape: Layers, corners: Iterable[int], edges: Iterable[int], is_twisted: int = 0) -> Arrangement:
    corners, edges, wedges = iter(corners), iter(edges), list[int]()
    for layer in shape:
        for place in range(LAYER):
            if layer >> place & 1:
                wedges.append(wedges[-1] + 1)
            else:
                wedges.append(next(corners if layer >> place + 1 & 1 else edges))
    return arrangement([*wedges, WEDGES + is_twisted, WEDGES + 1 - is_twisted])


@functools.cache
def classes() -> dict[Layers, int]:
    """Return the standard shapes, with their numbers."""
    return {shape: number for number, shape in enumerate(sorted({layers.standard()[0] for layers in aligned_shapes()}))}


def alignments(shape: Layers) -> list[Turns]:
    """Return the turns of a shape before a twist, in ascending order."""
    first, second = ([turn for turn in range(LAYER) if not _turned(layer, turn) & _CUT] for layer in shape)
    return [(top, bottom) for top in first for bottom in second]


def symmetries(shape: Layers) -> Iterator[Turns]:
    """Yield the turns that leave a shape as it is."""
    return (turns for turns in alignments(shape) if tuple(map(_turned, shape, turns)) == shape)


def in_order(state: Arrangement, wedges: Collection[int]) -> list[int]:
    """Return the pieces of a kind, whose first wedges are given, in the order of their places."""
    return [wedge for wedge in state[:WEDGES] if wedge in wedges]


def changes(*states: Arrangement) -> tuple[tuple[Sources, ...], tuple[Sources, ...]]:
    """Return the sources of the corners, then of the edges, by the moves that lead from each state to the next one."""
    corners, edges = ([in_order(state, kind) for state in states] for kind in _KINDS)
    return _sources(corners), _sources(edges)


def _sources(orders: Sequence[list[int]]) -> tuple[Sources, ...]:
    return tuple(tuple(map(here.index, there)) for here, there in pairwise(orders))


def _turned(layer: int, turn: int) -> int:
    return (layer << turn | layer >> LAYER - turn) & _ALL


def _standard(layer: int) -> tuple[int, int]:
    turned = ((_turned(layer, turn), turn) for turn in range(LAYER))
    return min(pair for pair in turned if not pair[0] & _CUT)
