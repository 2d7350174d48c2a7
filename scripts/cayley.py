"""Count the elements of Cayley graphs by distance, as CSV: ``python scripts/cayley.py lrx 10 > lrx-10.csv``.

Families: ``lrx``, a row of disks that is shifted round by one place to the left or right, or of which the first two are
exchanged; ``burnt``, a stack of pancakes with a burnt side each, of which any number from the top is turned over. With
``--definition`` the puzzle is printed instead, as a file for ``cubesolve tables distribution --puzzle FILE --count``
(``--metric qtm`` for ``lrx``).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from cubesolve import puzzle
from cubesolve.errors import CubesolveError


class Move(NamedTuple):
    """A move: its name, for each place the place from which a piece comes, and the change of each orientation."""

    name: str
    places: Sequence[int]
    turned: Sequence[int]


def lrx(number: int) -> tuple[int, list[Move]]:
    """Return the orientations and the moves of a row of disks; the inverse of L is R."""
    row, stay = [*range(1, number + 1)], [0] * number
    return 1, [Move("L", [*row[1:], 1], stay), Move("X", [2, 1, *row[2:]], stay)]


def burnt(number: int) -> tuple[int, list[Move]]:
    """Return the orientations and the moves of a stack of burnt pancakes."""
    row = [*range(1, number + 1)]
    flips = range(1, number + 1)
    return 2, [Move(f"f{n}", [*row[:n][::-1], *row[n:]], [1] * n + [0] * (number - n)) for n in flips]


FAMILIES: dict[str, tuple[Callable[[int], tuple[int, list[Move]]], str]] = {
    "lrx": (lrx, "qtm"),
    "burnt": (burnt, "htm"),
}


FEWEST = {"lrx": 2, "burnt": 1}


def definition(family: str, number: int) -> str:
    """Return the definition of a puzzle in twsearch's format."""
    orientations, moves = FAMILIES[family][0](number)
    lines = [f"Name {family}-{number}", f"Set PIECES {number} {orientations}", "Solved", "PIECES"]
    lines += [" ".join(map(str, range(1, number + 1))), "End"]
    for move in moves:
        lines += [
            f"Move {move.name}",
            "PIECES",
            " ".join(map(str, move.places)),
            " ".join(map(str, move.turned)),
            "End",
        ]
    return "\n".join(lines)


def main() -> None:
    """Print the definition, or the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("family", choices=FAMILIES)
    parser.add_argument("number", type=int, help="the number of pieces")
    parser.add_argument("--definition", action="store_true")
    parser.add_argument("--resume", action="store_true", help="continue an interrupted count")
    options = parser.parse_args()
    if options.number < FEWEST[options.family]:
        parser.error(f"{options.family} has at least {FEWEST[options.family]} pieces")
    text = definition(options.family, options.number)
    if options.definition:
        print(text)
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, f"{options.family}-{options.number}.tws")
        file.write_text(text)
        asked = puzzle(str(file))

        def show(depth: int, found: int, total: float) -> None:
            print(f"{depth:4}{found:18,}{total:19,}", file=sys.stderr, flush=True)

        metric = FAMILIES[options.family][1]
        if metric not in asked.rules.metrics:  # the only one of few pieces has the same moves
            metric = asked.rules.metrics[0]
        try:
            counts = asked.distribution(metric=metric, count=True, resume=options.resume, progress=show)
        except CubesolveError as error:
            parser.error(str(error))
    print("distance,elements")
    for distance, elements in enumerate(counts):
        print(f"{distance},{elements}")


if __name__ == "__main__":
    main()
