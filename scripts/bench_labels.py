#!/usr/bin/env python3
"""Compare labels for the rows of a pattern database of the 3x3x3, in half-turn metric.

    python scripts/bench_labels.py

For each label, its table is enumerated, in memory. Printed are its size; the mean entry, and the mean of the largest of
the six entries of a cube, over random cubes; and the cubes and look-ups that finding all algs of 15 moves takes, on
average over ten of them. Entries of at most 8 count as 8, and those of at least 11 as 11.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np

import cubesolve
from cubesolve.catalog.rubik.optimal import OptimalSolver
from cubesolve.catalog.rubik.pairs import pair_states
from cubesolve.catalog.rubik.projections import Coordinate, Label, label_named, projection_with, quotient
from cubesolve.definition.notation import FACES, metric_moves
from cubesolve.encodings.packed import enumerate_packed
from cubesolve.runtime.deadline import Deadline
from cubesolve.spaces.rows import odd_orders

CUBES, SEARCHES, MOVES, BASE = 20_000, 10, 15, 8


def labels() -> dict[str, Label]:
    """Return labels with few values, that take little memory."""
    order, tetrads = label_named("order").edges, label_named("tetrads").corners
    slice_edges = order.states.at[: order.number]
    odd = odd_orders(slice_edges[slice_edges >= 8].reshape(-1, 4)).tolist()
    edges = {
        "": label_named("none").edges,
        "order of the slice edges, its parity": quotient(order, odd),
        "order, up to exchanges of opposite edges": quotient(order, opposite(order)),
        "order": order,
    }
    corners = {"": label_named("none").corners, "parity of the corners": quotient(tetrads, parity(tetrads))}
    return {
        ", ".join(filter(None, (of_edges, of_corners))) or "none": Label(edges[of_edges], corners[of_corners])
        for of_edges in edges
        for of_corners in corners
    }


def parity(part: Coordinate) -> list[int]:
    """Return the parity of the permutation for each number of a part."""
    odd: list[int] = odd_orders(part.states.at[: part.number]).tolist()
    return odd


def opposite(order: Coordinate) -> list[int]:
    """Return a number for each two orders that differ by an exchange of opposite slice edges."""
    exchanged = order.states.at.copy()
    exchanged[order.states.at == 8], exchanged[order.states.at == 10] = 10, 8
    there = order.raw(order.states._replace(at=exchanged))[: order.number] % order.number
    _, numbers = np.unique(np.minimum(there, np.arange(order.number)), return_inverse=True)
    result: list[int] = numbers.reshape(-1).tolist()
    return result


def row(name: str, label: Label, cubes: Sequence[cubesolve.RubikCube]) -> None:
    """Enumerate the table of a label, and print what it is worth."""
    rows = projection_with(label)
    table, _ = enumerate_packed(rows.space(metric_moves("htm", FACES)), BASE)
    solver = OptimalSolver("htm", rows, table, BASE)
    bounds = solver.bounds_of(np.array([pair_states(cube.cubies) for cube in cubes]))
    for cube in cubes[:SEARCHES]:
        solver.deepening(cube.cubies, every=True).algs(MOVES, Deadline(None))
    entry, largest = bounds.mean(), bounds.max(axis=1).mean()
    work = f"{solver.nodes / SEARCHES / 1e6:.2f} | {solver.probes / SEARCHES / 1e6:.2f}"
    print(f"| {name} | {len(table) / 1e6:.0f} MB | {entry:.2f} | {largest:.2f} | {work} |", flush=True)


def main() -> None:
    """Compare the labels, and print a table."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    puzzle = cubesolve.puzzle("rubik")
    cubes = [puzzle.random_state(seed) for seed in range(CUBES)]
    print("| label | table | mean entry | largest of six | M cubes | M look-ups |\n|---|--:|--:|--:|--:|--:|")
    for name, label in labels().items():
        row(name, label, cubes)


if __name__ == "__main__":
    main()
