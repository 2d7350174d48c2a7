"""Print the pins of the tables of puzzles of the catalog: distributions, digests, sizes.

python scripts/pins.py skewb pyraminx
"""

from __future__ import annotations

import sys
import time

from cubesolve.catalog import rules_named
from cubesolve.spaces import space_of
from cubesolve.spaces.defined import DerivedRules
from cubesolve.store.build import make


def main() -> None:
    """Derive, enumerate, print."""
    for name in sys.argv[1:]:
        known = rules_named(name)
        assert isinstance(known, DerivedRules)
        rules = DerivedRules(known.view)
        for metric in rules.metrics:
            start = time.perf_counter()
            graph = rules.graph(metric=metric)
            coordinates, _ = make(rules, graph.coordinates_entry)
            derived = time.perf_counter()
            header, _ = make(rules, graph.entry)
            done = time.perf_counter()
            space = space_of(graph)
            sizes = f"{space.rows} x {space.width}, {len(space.fibre)} actions, {len(graph.moves)} moves"
            print(
                f"# {name} {metric}: {sizes}, God's number {len(header.distribution) - 1}, {header.entries:,} states; "
                f"derived in {derived - start:.2f} s, enumerated and proved in {done - derived:.2f} s"
            )
            counts = " ".join(map(str, header.distribution))
            facts = (coordinates.sha256, str(coordinates.entries), "", "", "")  # not by default, no effort, no source
            print("\t".join([f"{name}-{metric}", header.sha256, *facts, counts]), flush=True)


if __name__ == "__main__":
    main()
