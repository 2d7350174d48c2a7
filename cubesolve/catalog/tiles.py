"""Sliding tiles: a tray of numbered tiles with one gap, of any size; ``8-puzzle`` is another name of ``tiles-3x3``."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping

from cubesolve.definition.definition import Definition, Orbit
from cubesolve.definition.piece_view import PieceView
from cubesolve.definition.state import State
from cubesolve.group.moves import Effect
from cubesolve.group.permutations import arrangement, identity
from cubesolve.picture.pictures import EMPTY, PLAIN, Picture, square
from cubesolve.spaces.defined import DerivedRules, Pinned

NAMES = ("tiles-2x3", "tiles-2x4", "tiles-2x5", "tiles-3x3", "tiles-3x4")
"""The puzzles of this module; others have any number of rows and columns from 2 to 9."""

ALIASES = {"8-puzzle": "tiles-3x3", "15-puzzle": "tiles-4x4", "24-puzzle": "tiles-5x5", "35-puzzle": "tiles-6x6"}
"""Other names of puzzles of this family."""

_GAPS = "xX_"  # the signs of the gap, besides 0 and a blank
_DIGITS = 10  # cells of the largest tray whose tiles are single digits
_INVERSES = {"U": "D", "D": "U", "L": "R", "R": "L"}
_FROM = {"U": (1, 0), "D": (-1, 0), "L": (0, 1), "R": (0, -1)}  # the origin of the tile, in rows and columns


def rules(name: str) -> DerivedRules | None:
    """Return the rules of a puzzle of this module, by name; None for other names."""
    size = re.fullmatch(r"tiles-([2-9])x([2-9])", name)
    if size is None:
        return None
    rows, columns = int(size[1]), int(size[2])
    view = TileView(_tiles(name, rows, columns), f"sliding tiles, {rows}x{columns}")
    return DerivedRules(view, pinned=_PINNED.get(name))


class TileView(PieceView):
    """Sliding tiles, which lie in rows."""

    numbering = "the tile in each cell, row by row: 0 is the gap, and tiles are counted from 1, as in text"

    @functools.cached_property
    def numbers(self) -> Mapping[int, int]:
        """The number of each label in arrays of states: the gap, which is the last label, is 0.

        >>> rules("tiles-2x2").view.numbers
        {0: 1, 1: 2, 2: 3, 3: 0}
        """
        cells = self.definition.points
        return {label: (label + 1) % cells for label in range(cells)}

    def _from_text(self, text: str) -> State:
        return super()._from_text(self._in_words(text))

    def _in_words(self, text: str) -> str:
        """Return a tray with blanks between the tiles and 0 for the gap; any other text as it is.

        >>> view = rules("tiles-3x3").view
        >>> [view._in_words(text) for text in ("867254301", "8,6,7,2,5,4,3,,1", "8 6 7 / 2 5 4 / 3 x 1", "U2 x")]
        ['8 6 7 2 5 4 3 0 1', '8 6 7 2 5 4 3 0 1', '8 6 7 / 2 5 4 / 3 0 1', 'U2 x']
        """
        cells = self.definition.points
        if cells <= _DIGITS and len(text) == cells and re.fullmatch(rf"\d*[{_GAPS} \d]\d*", text):
            text = " ".join(text.replace(" ", "0"))
        words = re.sub(r"(?<=,)(?=\s*(?:,|$))|^(?=,)", "0", text).replace(",", " ").split()
        is_tray = any(map(str.isdigit, words)) and all(re.fullmatch(rf"\d+|[{_GAPS}]|/", word) for word in words)
        return " ".join("0" if word in _GAPS else word for word in words) if is_tray else text

    def draw(self, state: State) -> Picture:
        """Return the picture of a state.

        >>> tiles = rules("tiles-2x3").view
        >>> print(tiles.picture(tiles.read("R")).text())
        1 2 3
        4   5
        """
        columns, gap = int(self.name[-1]), len(state.arrangement) - 1
        texts = ["" if tile == gap else str(tile + 1) for tile in state.arrangement]
        cells = [
            square(cell % columns, cell // columns, text, PLAIN if text else EMPTY, text)
            for cell, text in enumerate(texts)
        ]
        return Picture(cells, str(state))


def _tiles(name: str, rows: int, columns: int) -> Definition:
    """Return the definition. ``0`` is the gap, which is last when solved. A tile moves in the direction of the move."""
    cells, gap = rows * columns, rows * columns - 1
    moves: dict[str, list[Effect]] = {letter: [] for letter in _FROM}
    for cell in range(cells):
        row, column = divmod(cell, columns)
        for letter, (down, right) in _FROM.items():
            if 0 <= row + down < rows and 0 <= column + right < columns:
                other = (row + down) * columns + column + right
                sources = list(range(cells))
                sources[cell], sources[other] = other, cell
                moves[letter].append(Effect(arrangement(sources), ((cell, gap),)))
    names = (*map(str, range(1, cells)), "0")
    effects = {letter: tuple(found) for letter, found in moves.items()}
    return Definition(name, (Orbit("TILES", cells, 1, names),), (identity(cells),), effects, _INVERSES)


_PINNED: dict[str, dict[str, Pinned]] = {
    "tiles-2x3": {
        "htm": Pinned(
            "1 2 3 5 6 7 10 12 12 16 23 25 28 39 44 40 29 21 18 12 6 1",
            "b1c9c5c1ebf3716b4dc5957902d6c602cd938a679e21a9f2a963055896057de8",
            "188bbd4a92ae19ecd4cf8c15ae09400a9db196ac3c4c3c5a281a4a3401552d6a",
            1_472,
            source="OEIS A090034",
        ),
    },
    "tiles-2x4": {
        "htm": Pinned(
            """
            1 2 3 6 10 14 19 28 42 61 85 119 161 215 293 396 506 632 788 985 1194 1414 1664 1884 1999 1958
            1770 1463 1076 667 361 190 88 39 19 7 1
            """,
            "7fc926b3c714590491221fa4f2a00b82301d4033e262d83b3dde0a2b021d42b2",
            "a878826f4a6fd834350deeab8d93b24847dc6199093634c210e79b3da987ce0e",
            22_952,
            source="OEIS A090035",
        ),
    },
    "tiles-2x5": {
        "htm": Pinned(
            """
            1 2 3 6 11 19 30 44 68 112 176 271 411 602 851 1232 1783 2530 3567 4996 6838 9279 12463 16597
            21848 28227 35682 44464 54597 65966 78433 91725 104896 116966 126335 131998 133107 128720
            119332 106335 91545 75742 60119 45840 33422 23223 15140 9094 5073 2605 1224 528 225 75 20 2
            """,
            "14cc12bf889c9ff59ae5094b93a12f42e6600bdf020e2ae112da9c49b25b3426",
            "d252984ed6779f06bfaa9b9feb7be46101814e7bb7bd198a91118bcda2adb9e1",
            295_256,
            source="OEIS A090036",
        ),
    },
    "tiles-3x3": {
        "htm": Pinned(
            """
            1 2 4 8 16 20 39 62 116 152 286 396 748 1024 1893 2512 4485 5638 9529 10878 16993 17110 23952
            20224 24047 15578 14560 6274 3910 760 221 2
            """,
            "779a057903ee169a63093b15b5d119cca53b61e27fcb7968ddcae9020d7f1986",
            "bc8c701eec96aa4ce80fce3c30b21773d72e23097bdb8834ad34c89a7696c998",
            86_024,
            source="OEIS A089473",
        ),
    },
    "tiles-3x4": {
        "htm": Pinned(
            """
            1 2 4 9 20 37 63 122 232 431 781 1392 2494 4442 7854 13899 24215 41802 71167 119888 198363
            323206 515778 811000 1248011 1885279 2782396 4009722 5621354 7647872 10065800 12760413
            15570786 18171606 20299876 21587248 21841159 20906905 18899357 16058335 12772603 9515217
            6583181 4242753 2503873 1350268 643245 270303 92311 27116 5390 1115 86 18
            """,
            "ac5647a60bca909cb39f87b5ae690f5687ad623869cb2403a8f518e7501fcf9f",
            "37aeddcddcbb609f2df7e9a7f8803a89d6ad35d7ff0f54a2d0b12fa01ca6392e",
            26_876_224,
            effort="10 s, 1 GB of memory",
        ),
    },
}
