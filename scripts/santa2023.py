#!/usr/bin/env python3
"""Write the puzzles of Kaggle's competition Santa 2023 as definitions.

    python scripts/santa2023.py NAME... --out FOLDER

Names are those of the competition: `cube_4/4/4`, `wreath_6/6`, `globe_3/4`, of any size. Files are named
`cube_4-4-4.tws` and so on, and the move `f0` is named `0F`. Only quarter turns are moves there, so solve them with
`--metric qtm`:

    python scripts/bench_anything.py FOLDER/*.tws --metric qtm --seconds 30

The stickers of a face of a cube are alike, and those of a ring of a wreath; those of a globe are distinct. The
competition also has other solved states. Its data: https://www.kaggle.com/competitions/santa-2023/data
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

Point = tuple[int, int, int]


class Puzzle(NamedTuple):
    """A puzzle: the labels of its solved state, and for each move the place that each place gets its label from."""

    solved: Sequence[int]
    moves: Mapping[str, Sequence[int]]


def cube(sizes: Sequence[int]) -> Puzzle:
    """Return a cube: `f0` turns the front layer, `f1` the next one, all as seen from the front; `r` right, `d` down."""
    size = sizes[0]
    last = size - 1
    faces: dict[str, Callable[[int, int], Point]] = {  # where a row and a column are
        "U": lambda row, column: (column, size, row),
        "F": lambda row, column: (column, last - row, size),
        "R": lambda row, column: (size, last - row, last - column),
        "B": lambda row, column: (last - column, last - row, -1),
        "L": lambda row, column: (-1, last - row, column),
        "D": lambda row, column: (column, -1, last - row),
    }
    cells = [*itertools.product(range(size), repeat=2)]
    points = [place(row, column) for place in faces.values() for row, column in cells]
    number = {point: i for i, point in enumerate(points)}
    turns: dict[str, tuple[int, bool, Callable[[Point], Point]]] = {  # the axis, whether it counts from its end
        "f": (2, True, lambda p: (p[1], last - p[0], p[2])),
        "r": (0, True, lambda p: (p[0], p[2], last - p[1])),
        "d": (1, False, lambda p: (p[2], p[1], last - p[0])),
    }
    moves = {}
    for name, (axis, is_last, turn) in turns.items():
        for layer in range(size):
            here = last - layer if is_last else layer
            sources = [*range(len(points))]
            for point in points:
                if min(max(point[axis], 0), last) == here:
                    sources[number[turn(point)]] = number[point]
            moves[f"{name}{layer}"] = sources
    return Puzzle([i // size**2 for i in range(len(points))], moves)


def wreath(sizes: Sequence[int]) -> Puzzle:
    """Return two rings of the same size that have two places in common: the first of each, and a quarter further."""
    size = sizes[0]
    gap = -(-size // 4)
    others = [*range(size, 2 * size - 2)]
    left, right = range(size), [0, *others[: size - 2 - gap], gap, *others[size - 2 - gap :]]
    moves = {"l": _shifted(2 * size - 2, left), "r": _shifted(2 * size - 2, right)}
    return Puzzle([2 if i in (0, gap) else int(i >= size) for i in range(2 * size - 2)], moves)


def globe(sizes: Sequence[int]) -> Puzzle:
    """Return a globe: `r0` shifts its first row, `f0` flips half of it, from the first column on, but no middle row."""
    rows, columns = sizes[0] + 1, 2 * sizes[1]
    places = rows * columns
    moves = {f"r{row}": _shifted(places, range(row * columns, (row + 1) * columns)) for row in range(rows)}
    for first in range(columns):
        half = [(first + i) % columns for i in range(sizes[1])]
        sources = [*range(places)]
        for row, (here, there) in itertools.product(range(rows), zip(half, reversed(half), strict=True)):
            if 2 * row != rows - 1:
                sources[row * columns + here] = (rows - 1 - row) * columns + there
        moves[f"f{first}"] = sources
    return Puzzle(range(places), moves)


def _shifted(places: int, ring: Sequence[int]) -> list[int]:
    """Return the sources of a move by which each place of a ring gets the label of the next one."""
    sources = [*range(places)]
    for here, following in zip(ring, [*ring[1:], ring[0]], strict=True):
        sources[here] = following
    return sources


KINDS: dict[str, Callable[[Sequence[int]], Puzzle]] = {"cube": cube, "wreath": wreath, "globe": globe}


def named(name: str) -> Puzzle:
    """Return a puzzle by its name in the competition.

    Raises:
        ValueError: there is none.
    """
    kind, _, sizes = name.partition("_")
    numbers = [int(size) for size in sizes.split("/") if size.isdecimal()]
    is_square = len(set(numbers)) == 1 or kind == "globe"
    if kind not in KINDS or sizes != "/".join(map(str, numbers)) or min(numbers, default=0) < 1 or not is_square:
        raise ValueError(f"{name} is not a name such as cube_4/4/4, wreath_6/6 or globe_3/4")
    if len(numbers) != (3 if kind == "cube" else 2) or (kind == "wreath" and numbers[0] < 3):
        raise ValueError(f"{name} is no cube of three equal sizes, wreath of two, at least 3, or globe of two")
    return KINDS[kind](numbers)


def definition(name: str) -> Iterator[str]:
    """Yield the lines of the definition of a puzzle, in the format of twsearch."""
    puzzle = named(name)
    yield f"Name {name.replace('/', '-')}"
    yield f"Set STICKER {len(puzzle.solved)} 1"
    yield from ("Solved", "STICKER", " ".join(str(label + 1) for label in puzzle.solved), "End")
    for move, sources in puzzle.moves.items():
        name = move[1:] + move[0].upper()  # numbers that follow a name are powers
        yield from (f"Move {name}", "STICKER", " ".join(str(source + 1) for source in sources), "End")


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", metavar="NAME")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    options = parser.parse_args()
    try:
        made = {name.replace("/", "-"): "\n".join(definition(name)) for name in options.names}
    except ValueError as error:
        parser.error(str(error))
    options.out.mkdir(parents=True, exist_ok=True)
    for name, text in made.items():
        file = options.out / f"{name}.tws"
        file.write_text(f"{text}\n")
        print(file)


if __name__ == "__main__":
    main()
