"""Answers about pocket cubes."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from cubesolve import pocket
from cubesolve.catalog import CATALOG
from cubesolve.errors import InvalidStateError
from cubesolve.lookup.tables import Tables
from cubesolve.notation import FACES, METRICS, Move, format_alg, metric_moves, require_metric
from cubesolve.puzzles.pocket.cube import PocketCube

if TYPE_CHECKING:
    import mmap
    import random

SCRAMBLE_LENGTH = 11
"""The number of moves of a scramble."""

SCRAMBLE_DEPTH = 4
"""The least number of moves that a scrambled cube must need: World Cube Association, Regulations, 4b3b."""

Cube = PocketCube | str
"""A pocket cube, or its 24 facelets."""

_TABLES = {metric: f"pocket-{metric}" for metric in METRICS}


class CubeAnswers:
    """Answers about pocket cubes from the tables of one tablebase."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def depth(self, cube: Cube, metric: str = "htm", *, orientation: str = "free") -> int:
        """See `Tablebase.depth`."""
        if orientation == "fixed":
            return self._fixed_depth(PocketCube(cube) if isinstance(cube, str) else cube, metric)
        if orientation != "free":
            raise ValueError(f"unknown orientation {orientation!r}: expected free or fixed")
        body, rank = self._start(cube, metric)
        return body[rank]

    def _fixed_depth(self, cube: PocketCube, metric: str) -> int:
        require_metric(metric)
        if metric != "htm":
            raise ValueError("depths in a fixed orientation are known in the metric htm only")
        body = self._tables.with_mapped("corners-htm", _unchanged)
        return body[_corner_rank(cube)]

    def solve(self, cube: Cube, metric: str = "htm") -> str:
        """See `Tablebase.solve`."""
        body, rank = self._start(cube, metric)
        moves = metric_moves(metric, pocket.TURNING_FACES)
        alg = []
        while body[rank]:
            move, rank = _descents(body, rank, metric)[0]
            alg.append(moves[move])
        return format_alg(alg)

    def solutions(self, cube: Cube, metric: str = "htm") -> Iterator[str]:
        """See `Tablebase.solutions`."""
        body, rank = self._start(cube, metric)
        return iter(_solutions(body, rank, metric))

    def count_solutions(self, cube: Cube, metric: str = "htm") -> int:
        """See `Tablebase.count_solutions`."""
        body, rank = self._start(cube, metric)
        ways = {rank: 1}
        for _ in range(body[rank]):
            nearer: Counter[int] = Counter()
            for state, count in ways.items():
                for _, neighbour in _descents(body, state, metric):
                    nearer[neighbour] += count
            ways = nearer
        return sum(ways.values())

    def optimal_moves(self, cube: Cube, metric: str = "htm") -> list[str]:
        """The turns of U, R and F with which a shortest solution can begin; none if the cube is solved.

        Raises:
            InvalidStateError, TableError: as for `Tablebase.depth`.

        >>> from cubesolve.lookup import optimal_moves
        >>> optimal_moves(PocketCube.from_alg("R2"), metric="qtm")
        ['R', "R'"]
        """
        body, rank = self._start(cube, metric)
        moves = metric_moves(metric, pocket.TURNING_FACES)
        return [str(moves[move]) for move, _ in _descents(body, rank, metric)]

    def scramble(self, rng: random.Random | int | None = None) -> str:
        """See `Tablebase.scramble`."""
        source = random_source(rng)
        body = self._body("htm")
        rank = source.randrange(pocket.STATES)
        while body[rank] < SCRAMBLE_DEPTH:
            rank = source.randrange(pocket.STATES)
        alg = _solution_of_length(body, rank, SCRAMBLE_LENGTH, source)
        if alg is None:
            raise AssertionError(f"state {rank} has no solution of exactly {SCRAMBLE_LENGTH} moves")
        return format_alg([move.inverse() for move in reversed(alg)])

    def random_state(
        self, rng: random.Random | int | None = None, depth: int | None = None, metric: str = "htm"
    ) -> PocketCube:
        """See `Tablebase.random_state`."""
        source = random_source(rng)
        if depth is None:
            return PocketCube.unrank(source.randrange(pocket.STATES))
        counts = self.distribution(metric)
        if not 0 <= depth < len(counts):
            raise ValueError(f"no state has depth {depth}: depths are 0..{len(counts) - 1}")
        body = self._body(metric)
        return PocketCube.unrank(_find_nth(body, depth, source.randrange(counts[depth])))

    def distribution(self, metric: str = "htm") -> tuple[int, ...]:
        """See `Tablebase.distribution`."""
        require_metric(metric)
        return CATALOG[_TABLES[metric]].header.distribution

    def antipodes(self, metric: str = "htm") -> Iterator[PocketCube]:
        """The states at the largest depth, in the order of their ranks.

        Raises:
            TableError: as for `Tablebase.depth`.

        >>> from cubesolve.lookup import antipodes
        >>> len(list(antipodes(metric="qtm")))
        276
        """
        deepest = len(self.distribution(metric)) - 1
        body = self._body(metric)
        return map(PocketCube.unrank, _positions(body, deepest))

    def _start(self, cube: Cube, metric: str) -> tuple[bytes, int]:
        rank = cube.anchored_rank if isinstance(cube, PocketCube) else pocket.anchored_rank(cube)
        return self._body(metric), rank

    def _body(self, metric: str) -> bytes:
        require_metric(metric)
        return self._tables.body(_TABLES[metric])


def random_source(rng: random.Random | int | None) -> random.Random:
    """A source of random numbers: the one given, one from a seed, or one that nobody can repeat."""
    import random  # noqa: PLC0415  # costs every start 3 ms, and few need it

    return rng if isinstance(rng, random.Random) else random.Random(rng)


def _descents(body: bytes, rank: int, metric: str) -> list[tuple[int, int]]:
    """The moves, by number, that lead nearer to the start, and where they lead."""
    nearer = body[rank] - 1
    return [way for way in enumerate(pocket.neighbours(rank, metric)) if body[way[1]] == nearer]


def _solutions(body: bytes, rank: int, metric: str) -> list[str]:
    """Every shortest alg, each state on the way being looked at once."""
    permutations, twists = pocket.neighbour_rows(metric)
    names = [f"{move} " for move in metric_moves(metric, pocket.TURNING_FACES)]
    known = {0: [""]}

    def algs(rank: int) -> list[str]:
        nearer = body[rank] - 1
        found = []
        neighbours = map(operator.add, permutations[rank // pocket.TWISTS], twists[rank % pocket.TWISTS])
        for name, neighbour in zip(names, neighbours, strict=True):
            if body[neighbour] == nearer:
                rest = known[neighbour] if neighbour in known else algs(neighbour)
                found += [name + alg for alg in rest]
        known[rank] = found
        return found

    return [alg[:-1] for alg in (algs(rank) if rank else known[0])]


def _solution_of_length(
    body: bytes, rank: int, length: int, source: random.Random, last_face: str = ""
) -> list[Move] | None:
    """A random alg of exactly this many half-turn moves that solves a state, no face twice in a row."""
    if length == 0:
        return [] if body[rank] == 0 else None
    ways = list(zip(metric_moves("htm", pocket.TURNING_FACES), pocket.neighbours(rank), strict=True))
    source.shuffle(ways)
    for move, neighbour in ways:
        if move.letter != last_face and body[neighbour] < length:
            rest = _solution_of_length(body, neighbour, length - 1, source, move.letter)
            if rest is not None:
                return [move, *rest]
    return None


def _positions(body: bytes, value: int) -> Iterator[int]:
    """Where a value occurs."""
    position = body.find(value)
    while position >= 0:
        yield position
        position = body.find(value, position + 1)


def _find_nth(body: bytes, value: int, n: int) -> int:
    """Where a value occurs for the n-th time, counted from 0, by halving."""
    first, last = 0, len(body)
    while last - first > 1:
        middle = (first + last) // 2
        before = body.count(value, first, middle)
        if n < before:
            last = middle
        else:
            first, n = middle, n - before
    return first


def _unchanged(body: mmap.mmap) -> mmap.mmap:
    return body


def _corner_rank(cube: PocketCube) -> int:
    """The rank of a cube in the table of all corners: that of the corners of a 3x3x3 whose centres are at home."""
    from cubesolve.puzzles.rubik.cube import CORNERS  # noqa: PLC0415  # other questions do not wait for this

    if cube.colours != FACES:
        raise InvalidStateError(
            "a fixed orientation needs face letters: PocketCube.from_facelets(..., colours=...) says which are at home"
        )
    rank = twists = 0
    pieces = list(CORNERS)
    for name in CORNERS:
        looks = "".join(cube.facelets[i] for i in pocket.CORNER_FACELETS[pocket.CORNERS.index(name)])
        twist = next(k for k, colour in enumerate(looks) if colour in "UD")
        piece = looks[twist:] + looks[:twist]
        rank = rank * len(pieces) + pieces.index(piece)
        pieces.remove(piece)
        if pieces:  # the last twist follows from the others
            twists = twists * 3 + twist
    return 3**7 * rank + twists
