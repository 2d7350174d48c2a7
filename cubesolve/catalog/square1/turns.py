"""Turns of the layers of the Square-1: their effect on states, and algs with turns before each twist (pure Python)."""

from __future__ import annotations

from collections.abc import Sequence

from cubesolve.catalog.square1.definition import BOTTOM, HALF, LAYER, TOP, TWIST, WEDGES, square1
from cubesolve.definition.definition import Power
from cubesolve.group.permutations import Arrangement, arrangement

Turns = tuple[int, int]
"""The turns of both layers, 0 to 11."""

_BY_SIZE = sorted(range(LAYER), key=lambda turn: min(turn, LAYER - turn))


def written(turns: Sequence[Turns]) -> str:
    """Return the alg with turns before each twist and after the last one.

    >>> written([(0, 11), (3, 0), (0, 0)])
    '(0,-1) / (3,0) /'
    """
    steps = list[Power]()
    for number, (top, bottom) in enumerate(turns):
        steps += [Power(TWIST)] * (number > 0) + [Power(TOP, top), Power(BOTTOM, bottom)]
    return square1("square1").written(steps)


def turned(state: Arrangement, turns: Turns) -> Arrangement:
    """Return a state after turns of the layers."""
    top, bottom = -turns[0] % LAYER, -turns[1] % LAYER
    layers = state[:LAYER], state[LAYER:WEDGES]
    placed = (*layers[0][top:], *layers[0][:top], *layers[1][bottom:], *layers[1][:bottom])
    return arrangement((*placed, *state[WEDGES:]))


def twisted(state: Arrangement) -> Arrangement:
    """Return a state after a twist, which no corner blocks."""
    parts = [state[begin : begin + HALF] for begin in range(0, WEDGES, HALF)]
    return arrangement((*parts[0], *parts[2], *parts[1], *parts[3], state[WEDGES + 1], state[WEDGES]))


def exchanged(state: Arrangement) -> Arrangement:
    """Return a state after turning the whole puzzle, without its middle, so that its layers change places."""
    top, bottom = state[:LAYER], state[LAYER:WEDGES]
    return arrangement((*bottom[HALF:], *bottom[:HALF], *top[HALF:], *top[:HALF], *state[WEDGES:]))


def turns_between(state: Arrangement, other: Arrangement) -> list[Turns]:
    """Return all turns that lead from a state to another, whatever their middle layers; the smallest come first."""
    found = list[list[int]]()
    for layer in (slice(0, LAYER), slice(LAYER, WEDGES)):
        here, there = list(state[layer]), list(other[layer])
        found.append([turn for turn in _BY_SIZE if here == there[turn:] + there[:turn]])
    return [(top, bottom) for top in found[0] for bottom in found[1]]
