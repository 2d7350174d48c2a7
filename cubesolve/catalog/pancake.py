"""Pancakes: a stack of which any number from the top can be turned over at once; ``pancake-9`` has nine."""

from __future__ import annotations

import re

from cubesolve.definition.definition import Definition, Orbit
from cubesolve.definition.piece_view import PieceView
from cubesolve.definition.state import State
from cubesolve.group.moves import Effect
from cubesolve.group.permutations import arrangement, identity
from cubesolve.picture.pictures import PLAIN, Cell, Picture
from cubesolve.spaces.defined import DerivedRules, Pinned

NAMES = tuple(f"pancake-{number}" for number in range(4, 12))
"""The puzzles of this module; others have any number of pancakes from 2 to 99."""


def rules(name: str) -> DerivedRules | None:
    """Return the rules of a puzzle of this module, by name; None for other names."""
    number = re.fullmatch(r"pancake-([1-9][0-9]?)", name)
    if number is None or int(number[1]) < 2:
        return None
    pancakes = int(number[1])
    return DerivedRules(PancakeView(_stack(name, pancakes), f"{pancakes} pancakes"), pinned=_PINNED.get(name))


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


_PINNED: dict[str, dict[str, Pinned]] = {
    "pancake-4": {
        "htm": Pinned(
            "1 3 6 11 3",
            "ac26900e9d36ae282a404acb3585a225552c30a45d28c44f002579127ac6a517",
            "19870df12d381b5db7d53f4846fb020d935e102a713db6e06c7b32aaa8b69821",
            432,
        ),
    },
    "pancake-5": {
        "htm": Pinned(
            "1 4 12 35 48 20",
            "2448dc4728604f5233877c0f5aa95d03cb8217f2c1843406ffdeb772caf64ed4",
            "df391916c35499eb38f53c02a0d1abc92208b1d74897044645ad501ee2c5dd13",
            2_136,
        ),
    },
    "pancake-6": {
        "htm": Pinned(
            "1 5 20 79 199 281 133 2",
            "4a399a420896ca0e089f81e796a720ad407aac584fe425b3b0d2128f5533285c",
            "9f8cb3955529d25ee7a0021320b22bc0024169e5e974645f2810daf2058a30af",
            14_512,
        ),
    },
    "pancake-7": {
        "htm": Pinned(
            "1 6 30 149 543 1357 1903 1016 35",
            "5bccf9c693ded656f752ab84363a110da3faa6e3c75190fc6cc8e2ac4769279e",
            "8b29dd76c84d8e54d801278d585e6f6f0c9c30bdd9d4a2b0bf7b36ab928329c4",
            51_520,
        ),
    },
    "pancake-8": {
        "htm": Pinned(
            "1 7 42 251 1191 4281 10561 15011 8520 455",
            "d66530f49683c302c1a52c27fd885b67d8871538ed179301bf4100d21f4ce9c6",
            "15c203f9e7006d5cac96a5f241135cadfbbbcecc288c377dff0a5ec740531f88",
            72_200,
        ),
    },
    "pancake-9": {
        "htm": Pinned(
            "1 8 56 391 2278 10666 38015 93585 132697 79379 5804",
            "0dd49a8c66a8149abe874ce62dea47fc1bb1fe2de1092e887f00efaba9212961",
            "7c108f46247982c67daa84885ae3067298ab87b5f5768a196ba017e6517e6838",
            292_160,
        ),
    },
    "pancake-10": {
        "htm": Pinned(
            "1 9 72 575 3963 22825 106461 377863 919365 1309756 814678 73232",
            "146c1fce709342c430840764250c75483bdccb080f80c388e1bbc384d8aa2bd7",
            "01b79ffe9997fd68493b7a62d8c9f6c5fda6a850240b8ed5fb435e6285cd508b",
            956_216,
        ),
    },
    "pancake-11": {
        "htm": Pinned(
            "1 10 90 809 6429 43891 252737 1174766 4126515 9981073 14250471 9123648 956354 6",
            "5ef2f934e478cb7b80602512de673160a35b2acb41626cd3795aaaebadbf0370",
            "49cdc590b62e2f184b155d9cb4a8d65ad4d6e4c1b44a49da337feb49d9a60572",
            5_101_984,
            effort="3 s",
        ),
    },
}
