"""Sliding tiles: a tray of numbered tiles with one gap, of any size; ``8-puzzle`` is another name of ``tiles-3x3``."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping

from cubesolve.catalog.pins import pinned_tables
from cubesolve.definition.definition import Definition, Orbit
from cubesolve.definition.piece_view import PieceView
from cubesolve.definition.state import State
from cubesolve.group.moves import Effect
from cubesolve.group.permutations import from_cycles, identity
from cubesolve.picture.pictures import EMPTY, PLAIN, Picture, square
from cubesolve.spaces.defined import DerivedRules

NAMES = ("tiles-2x3", "tiles-2x4", "tiles-2x5", "tiles-3x3", "tiles-3x4")
ALIASES = {"8-puzzle": "tiles-3x3", "15-puzzle": "tiles-4x4", "24-puzzle": "tiles-5x5", "35-puzzle": "tiles-6x6"}
OTHERS = "tiles-[2-9]x[2-9]"
SERIES = "tiles-RxC", "sliding tiles, R rows and C columns, 2 to 9 each"

_GAPS = "xX_"  # the signs of the gap, besides 0 and a blank
_DIGITS = 10  # cells of the largest tray whose tiles are single digits
_INVERSES = {"U": "D", "D": "U", "L": "R", "R": "L"}
_FROM = {"U": (1, 0), "D": (-1, 0), "L": (0, 1), "R": (0, -1)}  # the origin of the tile, in rows and columns


def rules(name: str) -> DerivedRules:
    """Return the rules of a puzzle of this module."""
    rows, columns = int(name[-3]), int(name[-1])
    view = TileView(_tiles(name, rows, columns), f"sliding tiles, {rows}x{columns}")
    return DerivedRules(view, pinned=pinned_tables(name))


class TileView(PieceView):
    """Sliding tiles, which lie in rows."""

    numbering = "the tile in each cell, row by row: 0 is the gap, and tiles are counted from 1, as in text"

    @functools.cached_property
    def numbers(self) -> Mapping[int, int]:
        """The number of each label in arrays of states: the gap, which is the last label, is 0."""
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
                moves[letter].append(Effect(from_cycles([(cell, other)], cells), ((cell, gap),)))
    names = (*map(str, range(1, cells)), "0")
    effects = {letter: tuple(listed) for letter, listed in moves.items()}
    return Definition(name, (Orbit("TILES", cells, 1, names),), (identity(cells),), effects, _INVERSES)
