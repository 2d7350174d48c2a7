"""Depths of many 3x3x3 cubes that differ little, such as those of the last layer."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from cubesolve.catalog.rubik.cube import RubikCube
from cubesolve.definition.notation import FACES, metric_moves
from cubesolve.runtime.deadline import current

if TYPE_CHECKING:
    from cubesolve.catalog.rubik.optimal import OptimalSolver


def classes_of(cubes: Sequence[RubikCube]) -> list[tuple[RubikCube, int]]:
    """Return a cube of each class under symmetries and inversion, and how many of some cubes at home the class has.

    A class that a move leads to from the class before comes next, if there is one.

    >>> [(str(cube)[:9], number) for cube, number in classes_of([*map(RubikCube.from_alg, ("U", "R", "U R", "F'"))])]
    [('UUUUUUUUU', 3), ('UURUUFUUF', 1)]
    """
    left = {cube.facelets: cube for cube in cubes}
    found, beside = list[tuple[RubikCube, int]](), list[RubikCube]()
    while left:
        cube = beside.pop() if beside else next(iter(left.values()))
        if cube.facelets in left:
            alike = _images(cube) & left.keys()
            found.append((cube, len(alike)))
            for image in alike:
                del left[image]
            beside += [left[each.facelets] for each in _after_moves(cube, "htm") if each.facelets in left]
    return found


def depths_of(cubes: Sequence[RubikCube], solver: OptimalSolver) -> list[int]:
    """Return the depth of each cube.

    All cubes are searched with one length before the next. A cube that has no solution of a length, and that a move
    takes to a cube that has one, has the next length as its depth, without another search.
    """
    number_of = {image: number for number, cube in enumerate(cubes) for image in _images(cube)}
    beside = list[set[int | None]]()
    for cube in cubes:
        near = itertools.chain.from_iterable(_after_moves(each, solver.metric) for each in (cube, cube.inverse()))
        beside.append({number_of.get(each.facelets) for each in near})
    searches = [solver.deepening(cube.cubies) for cube in cubes]
    lengths = [search.lengths(0) for search in searches]
    depths, length, found = dict[int, int](), 0, defaultdict[int, set[int | None]](set)
    while len(depths) < len(cubes):
        for number, search in enumerate(searches):
            if number in depths or length not in lengths[number]:
                continue
            if found[length - 1] & beside[number] or search.algs(length, current()):
                found[length].add(number)
                depths[number] = length
        length += 1
    return [depths[number] for number in range(len(cubes))]


def _images(cube: RubikCube) -> set[str]:
    return {image for each in (cube, cube.inverse()) for image in each.symmetric_facelets()}


def _after_moves(cube: RubikCube, metric: str) -> Iterator[RubikCube]:
    return (cube.apply(str(move)) for move in metric_moves(metric, FACES))
