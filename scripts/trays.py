"""Print God's numbers of rolling cubes for README.md: every tray and model that this machine enumerates quickly.

Run it as `python scripts/trays.py`; it takes about a minute.
"""

from __future__ import annotations

import itertools

from cubesolve import rolling
from cubesolve.rolling import Tray

MOST_STATES = 110_000_000
SIZES = [(2, 2), (2, 3), (2, 4), (2, 5), (3, 3)]


def main() -> None:
    """Print a Markdown table."""
    print("| tray | model | vacancy | states reached | largest depth | states there | one of them |")
    print("|---|---|---|--:|--:|--:|---|")
    for (rows, cols), model in itertools.product(SIZES, rolling.MODELS):
        # One vacancy of each kind: the symmetries of the tray take it to all others of its kind.
        for y, x in itertools.product(range(1, (rows + 1) // 2 + 1), range(1, (cols + 1) // 2 + 1)):
            if rows == cols and y > x:
                continue
            start = Tray.start((x, y), rows, cols, model)
            if start.shape.states(start.plus) > MOST_STATES:
                continue
            found = rolling.enumerate(start)
            counts = found.distribution
            state = f"`{found.hardest()[0]}`"
            cells = (f"{rows}x{cols}", model, f"{x},{y}", f"{sum(counts):,}", len(counts) - 1, f"{counts[-1]:,}", state)
            print("|", " | ".join(map(str, cells)), "|")


if __name__ == "__main__":
    main()
