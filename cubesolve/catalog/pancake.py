"""Pancakes: a stack of which any number from the top can be turned over at once; ``pancake-9`` has nine."""

from __future__ import annotations

from cubesolve.catalog.pins import pinned_tables
from cubesolve.definition.definition import Definition, Orbit
from cubesolve.definition.piece_view import PieceView
from cubesolve.definition.state import State
from cubesolve.group.moves import Effect
from cubesolve.group.permutations import arrangement, identity
from cubesolve.picture.pictures import PLAIN, Cell, Picture
from cubesolve.spaces.defined import DerivedRules

NAMES = tuple(f"pancake-{number}" for number in range(4, 12))
OTHERS = "pancake-([2-9]|[1-9][0-9])"
SERIES = "pancake-N", "N pancakes, 2 to 99"


def rules(name: str) -> DerivedRules:
    """Return the rules of a puzzle of this module."""
    pancakes = int(name.removeprefix("pancake-"))
    return DerivedRules(PancakeView(_stack(name, pancakes), f"{pancakes} pancakes"), pinned=pinned_tables(name))


class PancakeView(PieceView):
    """Pancakes, one on top of the other."""

    numbering = "the pancake in each place from the top on, counted from 0, which is the smallest; text counts from 1"

    def draw(self, state: State) -> Picture:
        """Return the picture of a state.

        >>> stack = rules("pancake-4").view
        >>> print(stack.picture(stack.read("f3")).text())
        3
        2
        1
        4
        """
        middle, cells = (len(state.arrangement) + 1) / 4, []
        for row, number in enumerate(state.arrangement):
            half, top, below = (number + 2) / 4, row * 0.6, (row + 1) * 0.6
            left, right = middle - half, middle + half
            outline = ((left, top), (right, top), (right, below), (left, below))
            cells.append(Cell(0, row, str(number + 1), PLAIN, outline, str(number + 1)))
        return Picture(cells, str(state))


def _stack(name: str, pancakes: int) -> Definition:
    """Return the definition. The smallest pancake, 1, is at home on top; ``f3`` turns the upper three over."""
    flips = {
        f"f{number}": (Effect(arrangement([*reversed(range(number)), *range(number, pancakes)])),)
        for number in range(2, pancakes + 1)
    }
    return Definition(name, (Orbit("PANCAKES", pancakes),), (identity(pancakes),), flips)
