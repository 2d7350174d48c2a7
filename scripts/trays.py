"""Print God's numbers of rolling cubes for docs/catalog.md: all trays and models that can be enumerated quickly.

Run it as `python scripts/trays.py`; it takes about a minute. With ``--large`` it counts the 10,032,906,240 states of
2x4 trays of the model `full`, too, with two bits for each.
"""

from __future__ import annotations

import argparse
import itertools

from cubesolve.catalog.rolling.model import MODELS
from cubesolve.catalog.rolling.spaces import TrayRanks, rolling_space
from cubesolve.catalog.rolling.tray import Tray
from cubesolve.encodings.counting import Farthest
from cubesolve.encodings.enumeration import distribution, enumerate_depths, enumerate_levels

MOST_STATES, MOST_LARGE = 110_000_000, 11_000_000_000
SIZES = [(2, 2), (2, 3), (2, 4), (2, 5), (3, 3)]


def counted(start: Tray) -> tuple[tuple[int, ...], Tray]:
    """Return the number of states at each depth, and one of the farthest."""
    shape, cell = start.shape, start.shape.vacancy_cell(start.vacancy)
    if shape.states(start.plus) <= MOST_STATES:
        depths = enumerate_depths(rolling_space(shape, start.plus), [start.rank])
        counts = distribution(depths)
        return counts, Tray.unrank(int((depths == len(counts) - 1).argmax()), start.plus, shape)
    trays = TrayRanks(shape, start.plus, cell)
    space = rolling_space(shape, start.plus, MOST_LARGE, cell)
    last = Farthest(space, 2)
    _, counts = enumerate_levels(space, trays.rank(start), checkpointer=last, bits=2)
    return counts, trays.unrank(int(last.newest[0]))


def main() -> None:
    """Print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--large", action="store_true", help="2x4 trays of the model full, too: two minutes more")
    most = MOST_LARGE if parser.parse_args().large else MOST_STATES
    print("| tray | model | vacancy | states reached | largest depth | states there | one of them |")
    print("|---|---|---|--:|--:|--:|---|")
    for (rows, cols), model in itertools.product(SIZES, MODELS):
        # One vacancy of each symmetry class of the tray's cells.
        for y, x in itertools.product(range(1, (rows + 1) // 2 + 1), range(1, (cols + 1) // 2 + 1)):
            if rows == cols and y > x:
                continue
            start = Tray.start((x, y), rows, cols, model)
            if start.shape.states(start.plus) > most:
                continue
            counts, tray = counted(start)
            states, farthest = f"{sum(counts):,}", f"{counts[-1]:,}"
            cells = (f"{rows}x{cols}", model, f"{x},{y}", states, len(counts) - 1, farthest, f"`{tray}`")
            print("|", " | ".join(map(str, cells)), "|")


if __name__ == "__main__":
    main()
