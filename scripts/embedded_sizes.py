"""Print the sizes of the files that `cubesolve export NAME --out NAME.mjs | NAME.h` writes, for docs/embedding.md."""

from __future__ import annotations

import sys

import cubesolve
from cubesolve.embedding.embedded import embedded
from cubesolve.embedding.header import header
from cubesolve.embedding.javascript import module

NAMES = ("pyraminx-duo", "ivy", "tiles-3x3", "pyraminx", "skewb", "pocket")


def main(names: list[str]) -> None:
    """Print a row of a table for each puzzle."""
    print("| puzzle | states | module | header | in memory |\n|---|--:|--:|--:|--:|")
    for name in names or NAMES:
        found = embedded(cubesolve.puzzle(name))
        arrays = (found.parents, found.steps, found.places, found.arrangements, found.entries)
        sizes = (
            found.depths.size,
            len(module(found).encode()),
            len(header(found, name).encode()),
            sum(each.nbytes for each in arrays),
        )
        print(f"| {name} | " + " | ".join(f"{size:,}" for size in sizes) + " |")


if __name__ == "__main__":
    main(sys.argv[1:])
