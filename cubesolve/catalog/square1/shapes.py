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
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from cubesolve.catalog.square1.definition import CORNER_WEDGES, EDGE_WEDGES, HALF, LAYER, SECOND_WEDGES, WEDGES, Turns
from cubesolve.group.permutations import Arrangement, arrangement

PIECES = 8
"""The number of corners, and of edges."""

if TYPE_CHECKING:
    import random

_ALL, _CUT, _HALF = (1 << LAYER) - 1, 1 | 1 << HALF, (1 << HALF) - 1

Sources = tuple[int, ...]
"""For each piece of a kind, in the order of their places, the number that it had before."""


class Layers(NamedTuple):
    """The layers of a state.

    Attributes:
        top: the top layer.
        bottom: the bottom layer.
    """

    top: int
    bottom: int

    def turned(self, turns: Turns) -> Layers:
        """Return the shape after turns of the layers."""
        return Layers(_turned(self.top, turns[0]), _turned(self.bottom, turns[1]))

    def twisted(self) -> Layers:
        """Return the shape after a twist of an aligned one.

        >>> Layers(0b010010010010, 0b100100100100).twisted() == Layers(0b100100010010, 0b100100010010)
        True
        """
        right, front = self.top >> HALF, self.bottom & _HALF
        return Layers(self.top & _HALF | front << HALF, self.bottom & ~_HALF | right)

    def standard(self) -> tuple[Layers, Turns]:
        """Return the shape that represents the class, and the turns that lead to it."""
        (top, first), (bottom, second) = _standard(self.top), _standard(self.bottom)
        return Layers(top, bottom), (first, second)


class ClassMove(NamedTuple):
    """A move of a class: turns from its standard shape, a twist, and turns to the standard shape of another class.

    Attributes:
        turns: the turns before the twist.
        after: the turns after it.
        number: the number of the class that it leads to.
        changes: the sources of the corners, then of the edges, by the three steps.
        back: of the moves of that class in the first half, the one that undoes it, perhaps up to an exchange.
    """

    turns: Turns
    after: Turns
    number: int
    changes: tuple[tuple[Sources, Sources, Sources], tuple[Sources, Sources, Sources]]
    back: int


def shape_of(state: Arrangement) -> Layers:
    """Return the shape of a state."""
    bits = sum(1 << place for place in range(WEDGES) if state[place] in SECOND_WEDGES)
    return Layers(bits & _ALL, bits >> LAYER)


def aligned_shapes() -> list[Layers]:
    """Return all shapes in which a twist is possible.

    >>> len(aligned_shapes())
    3678
    """
    layers = [first | second << HALF for first in _halves(0) for second in _halves(0)]
    return [
        Layers(top, bottom) for top in layers for bottom in layers if top.bit_count() + bottom.bit_count() == PIECES
    ]


@functools.cache
def _shapes() -> Sequence[Layers]:
    return aligned_shapes()


def random_arrangement(source: random.Random) -> Arrangement:
    """Return a uniformly random state in which a twist is possible."""
    shape = source.choice(_shapes())
    corners, edges = (iter(source.sample(wedges, PIECES)) for wedges in (CORNER_WEDGES, EDGE_WEDGES))
    wedges = list[int]()
    for layer in shape:
        for place in range(LAYER):
            if layer >> place & 1:
                wedges.append(wedges[-1] + 1)
            else:
                wedges.append(next(corners if layer >> place + 1 & 1 else edges))
    turned = source.randrange(2)
    return arrangement([*wedges, WEDGES + turned, WEDGES + 1 - turned])


def _halves(place: int) -> Iterator[int]:
    """Yield half a layer from a place on: edges and corners."""
    if place == HALF:
        yield 0
    if place < HALF:
        yield from _halves(place + 1)
    if place + 2 <= HALF:
        yield from (rest | 2 << place for rest in _halves(place + 2))


@functools.cache
def classes() -> dict[Layers, int]:
    """Return the standard shapes, with their numbers.

    >>> len(classes())
    170
    """
    return {shape: number for number, shape in enumerate(sorted({each.standard()[0] for each in aligned_shapes()}))}


@functools.cache
def moves() -> list[list[ClassMove]]:
    """Return the moves of each class, in the order of their turns."""
    found = {shape: [*_alignments(shape)] for shape in classes()}
    return [[_move(shape, turns, found) for turns in alignments] for shape, alignments in found.items()]


def _move(shape: Layers, turns: Turns, found: dict[Layers, list[Turns]]) -> ClassMove:
    before = shape.turned(turns)
    twisted = before.twisted()
    standard, after = twisted.standard()
    steps = (
        (turning(shape, turns, counted), _twisting(before, counted), turning(twisted, after, counted))
        for counted in (corners_in, edges_in)
    )
    back = ((-after[0]) % LAYER, (-after[1]) % LAYER)
    if back[0] >= HALF:
        back = ((back[0] - HALF), (back[1] + HALF) % LAYER)
    return ClassMove(turns, after, classes()[standard], (next(steps), next(steps)), found[standard].index(back))


def _alignments(shape: Layers) -> Iterator[Turns]:
    """Yield the turns that align both layers."""
    first, second = ([turn for turn in range(LAYER) if not _turned(layer, turn) & _CUT] for layer in shape)
    return ((top, bottom) for top in first for bottom in second)


def symmetries(shape: Layers) -> Iterator[Turns]:
    """Yield the turns that leave a shape as it is."""
    return (turns for turns in _alignments(shape) if shape.turned(turns) == shape)


def corners_in(layer: int, begin: int, end: int) -> int:
    """Return the number of corners in some places of a layer, none of which is half in them."""
    return (layer >> begin & (1 << end - begin) - 1).bit_count()


def edges_in(layer: int, begin: int, end: int) -> int:
    """Return the number of edges in some places of a layer."""
    return end - begin - 2 * corners_in(layer, begin, end)


Counted = Callable[[int, int, int], int]


def turning(shape: Layers, turns: Turns, counted: Counted) -> Sources:
    """Return the sources of the pieces of a kind by turns of the layers."""
    sources = list[int]()
    for layer, turn in zip(shape, turns, strict=True):
        number, shift, first = counted(layer, 0, LAYER), counted(layer, LAYER - turn, LAYER), len(sources)
        sources += [first + (each - shift) % number for each in range(number)]
    return tuple(sources)


def _twisting(shape: Layers, counted: Counted) -> Sources:
    """Return the sources of the pieces of a kind by a twist."""
    parts, first = [], 0
    for layer in shape:
        for begin in (0, HALF):
            number = counted(layer, begin, begin + HALF)
            parts.append(range(first, first + number))
            first += number
    return (*parts[0], *parts[2], *parts[1], *parts[3])


def _turned(layer: int, turn: int) -> int:
    return (layer << turn | layer >> LAYER - turn) & _ALL


def _standard(layer: int) -> tuple[int, int]:
    turned = ((_turned(layer, turn), turn) for turn in range(LAYER))
    return min(each for each in turned if not each[0] & _CUT)
