"""Exact answers from tables: depth, shortest solutions, scrambles.

The functions of this module ask a tablebase that is opened on first use and shared by all threads; `open_tablebase`
opens another one. A cube is a `pocket.PocketCube` or its 24 facelets; answers are about the cube as it is held, and
depths are up to whole-cube rotation. Metrics are ``htm``, which counts every turn of a face as one move, and ``qtm``,
which counts quarter turns. Where several moves are equally good, the first in the order ``U U2 U' R R2 R' F F2 F'``
(``U U' R R' F F'``) is taken, so that the same question always has the same answer.

>>> cube = PocketCube.from_alg("R U F2")
>>> depth(cube), solve(cube)
(3, "F2 U' R'")
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from cubesolve import pocket, tablefile
from cubesolve.catalog import CATALOG, find_table
from cubesolve.errors import MissingTableError
from cubesolve.notation import METRICS, Move, format_alg, metric_moves
from cubesolve.pocket import PocketCube

if TYPE_CHECKING:
    import random

__all__ = [
    "Tablebase",
    "antipodes",
    "count_solutions",
    "depth",
    "distribution",
    "open_tablebase",
    "optimal_moves",
    "path",
    "random_state",
    "scramble",
    "solutions",
    "solve",
]

SCRAMBLE_LENGTH = 11
"""The number of moves of a scramble."""

SCRAMBLE_DEPTH = 4
"""The least number of moves that a scrambled cube must need: World Cube Association, Regulations, 4b3b."""

Cube = PocketCube | str


class Tablebase:
    """The tables of one folder, or of the usual ones; each is read on first use and never changes.

    Any number of threads may query one at once. As a context manager it gives the memory back on leaving.

    >>> with open_tablebase() as tables:
    ...     tables.depth("UUUU RRRR FFFF DDDD LLLL BBBB")
    0
    """

    def __init__(self, directory: str | None = None) -> None:
        """See `open_tablebase`."""
        self._directory = directory
        self._pocket: dict[str, bytes] = {}
        self._loading = threading.Lock()
        self._closed = False

    def depth(self, cube: Cube, metric: str = "htm") -> int:
        """The least number of moves that solve a cube.

        Args:
            cube: a cube, or its 24 facelets.
            metric: ``htm`` or ``qtm``.

        Raises:
            InvalidStateError: the facelets are no pocket cube.
            TableError: the table is missing or damaged.

        >>> depth("WWWW BBRR RRGG YYYY GGOO OOBB"), depth(PocketCube.from_alg("R2 U"), metric="qtm")
        (1, 3)
        """
        rank = cube.anchored_rank if isinstance(cube, PocketCube) else pocket.anchored_rank(cube)
        return (self._pocket.get(metric) or self._load(metric))[rank]

    def solve(self, cube: Cube, metric: str = "htm") -> str:
        """A shortest alg that solves a cube as it is held; the empty one if it is solved.

        Raises:
            InvalidStateError, TableError: as for `depth`.

        >>> solve(PocketCube.from_alg("R U2 x"))
        "F2 R'"
        """
        body, rank = self._start(cube, metric)
        moves = metric_moves(metric, pocket.TURNING_FACES)
        alg = []
        while body[rank]:
            move, rank = _descents(body, rank, metric)[0]
            alg.append(moves[move])
        return format_alg(alg)

    def solutions(self, cube: Cube, metric: str = "htm") -> Iterator[str]:
        """Every shortest alg of turns of U, R and F that solves a cube, in the order of the moves.

        In the quarter-turn metric a half turn is written as its two quarter turns, which have two orders of signs.

        Raises:
            InvalidStateError, TableError: as for `depth`.

        >>> list(solutions(PocketCube.from_alg("R2"), metric="qtm"))
        ['R R', "R' R'"]
        """
        body, rank = self._start(cube, metric)
        names = [f"{move} " for move in metric_moves(metric, pocket.TURNING_FACES)]
        return iter(_solutions(body, rank, metric, names))

    def count_solutions(self, cube: Cube, metric: str = "htm") -> int:
        """How many algs `solutions` lists, without listing them.

        Raises:
            InvalidStateError, TableError: as for `depth`.

        >>> count_solutions(PocketCube.from_alg("U2 R2 F U R2 U R2 F2 U F2 U"))
        68
        """
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
            InvalidStateError, TableError: as for `depth`.

        >>> optimal_moves(PocketCube.from_alg("R2"), metric="qtm")
        ['R', "R'"]
        """
        body, rank = self._start(cube, metric)
        moves = metric_moves(metric, pocket.TURNING_FACES)
        return [str(moves[move]) for move, _ in _descents(body, rank, metric)]

    def path(self, start: Cube, target: Cube, metric: str = "htm") -> str:
        """A shortest alg that turns one state of a cube into another.

        Both are given in the colours of one cube. Turning the whole cube is free: where the alg must end with
        rotations to leave `target` exactly as it is held, they are written and do not count.

        Raises:
            InvalidStateError: one is no pocket cube, or they are not states of the same one.
            TableError: as for `depth`.

        >>> start, target = PocketCube.from_alg("R U"), PocketCube.from_alg("F x")
        >>> path(start, target)
        "U' R' F x"
        >>> start.apply(path(start, target)) == target
        True
        """
        relative = _cube(start).relative_to(_cube(target))
        alg = self.solve(relative, metric)
        return f"{alg} {relative.apply(alg).homing_rotation()}".strip()

    def scramble(self, rng: random.Random | int | None = None) -> str:
        """An alg of eleven moves that leads to a random state, no face twice in a row.

        The state is uniformly random over the 3,673,775 that need at least four moves (WCA Regulations, 4b3b).

        Args:
            rng: a source of random numbers, or a seed for one; by default one that nobody can repeat.

        Raises:
            TableError: as for `depth`.

        >>> scramble(7) == scramble(7), len(scramble().split())
        (True, 11)
        """
        source = _source(rng)
        body = self._pocket.get("htm") or self._load("htm")
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
        """A uniformly random state: of all, or of those at one depth.

        Args:
            rng: a source of random numbers, or a seed for one; by default one that nobody can repeat.
            depth: the depth that the state shall have.
            metric: the metric of that depth.

        Raises:
            ValueError: no state has this depth.
            TableError: as for `depth`; a table is needed only where `depth` is given.

        >>> tablebase_depth = depth
        >>> tablebase_depth(random_state(1, depth=11))
        11
        """
        source = _source(rng)
        if depth is None:
            return PocketCube.unrank(source.randrange(pocket.STATES))
        counts = self.distribution(metric)
        if not 0 <= depth < len(counts):
            raise ValueError(f"no state has depth {depth}: depths are 0..{len(counts) - 1}")
        body = self._pocket.get(metric) or self._load(metric)
        return PocketCube.unrank(_find_nth(body, depth, source.randrange(counts[depth])))

    def distribution(self, metric: str = "htm") -> tuple[int, ...]:
        """The number of states at each depth, from 0.

        >>> distribution()[-1], sum(distribution())
        (2644, 3674160)
        """
        _require_metric(metric)
        return CATALOG[f"pocket-{metric}"].header.distribution

    def antipodes(self, metric: str = "htm") -> Iterator[PocketCube]:
        """The states at the largest depth, in the order of their ranks.

        Raises:
            TableError: as for `depth`.

        >>> len(list(antipodes(metric="qtm")))
        276
        """
        deepest = len(self.distribution(metric)) - 1
        body = self._pocket.get(metric) or self._load(metric)
        return map(PocketCube.unrank, _positions(body, deepest))

    def close(self) -> None:
        """Give the memory back; further queries raise `ValueError`."""
        self._closed = True
        self._pocket = {}

    def __enter__(self) -> Tablebase:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self, cube: Cube, metric: str) -> tuple[bytes, int]:
        return self._pocket.get(metric) or self._load(metric), _cube(cube).anchored_rank

    def _load(self, metric: str) -> bytes:
        _require_metric(metric)
        with self._loading:
            if self._closed:
                raise ValueError("this tablebase is closed")
            if metric not in self._pocket:
                name = f"pocket-{metric}"
                path = find_table(name, self._directory)
                try:
                    _, self._pocket[metric] = tablefile.read(path, CATALOG[name].header)
                except FileNotFoundError:
                    raise MissingTableError(name, [path]) from None
            return self._pocket[metric]


def open_tablebase(directory: str | None = None) -> Tablebase:
    """Open the tables of a folder.

    Args:
        directory: the only folder to look in. Without it: the one that the environment variable ``CUBESOLVE_TABLES``
            names, the checkout's ``tables``, the copy inside an installed wheel; the first that has a table wins.

    Returns:
        A tablebase. Nothing is read yet: a missing or damaged table shows at the first query that needs it.
    """
    return Tablebase(directory)


def _cube(cube: Cube) -> PocketCube:
    return cube if isinstance(cube, PocketCube) else PocketCube(cube)


def _require_metric(metric: str) -> None:
    if metric not in METRICS:
        raise ValueError(f"unknown metric {metric!r}: expected {' or '.join(METRICS)}")


def _source(rng: random.Random | int | None) -> random.Random:
    import random  # noqa: PLC0415  # costs every start 3 ms, and few need it

    return rng if isinstance(rng, random.Random) else random.Random(rng)


def _descents(body: bytes, rank: int, metric: str) -> list[tuple[int, int]]:
    """The moves, by number, that lead nearer to the start, and where they lead."""
    nearer = body[rank] - 1
    return [way for way in enumerate(pocket.neighbours(rank, metric)) if body[way[1]] == nearer]


def _solutions(body: bytes, rank: int, metric: str, names: list[str]) -> list[str]:
    """Every shortest alg, each state on the way being looked at once."""
    known: dict[int, list[str]] = {}

    def algs(rank: int) -> list[str]:
        if body[rank] == 0:
            return [""]
        if rank not in known:
            ways = _descents(body, rank, metric)
            known[rank] = [names[move] + rest for move, neighbour in ways for rest in algs(neighbour)]
        return known[rank]

    return [alg[:-1] for alg in algs(rank)]


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


_default = Tablebase()
antipodes = _default.antipodes
count_solutions = _default.count_solutions
depth = _default.depth
distribution = _default.distribution
optimal_moves = _default.optimal_moves
path = _default.path
random_state = _default.random_state
scramble = _default.scramble
solutions = _default.solutions
solve = _default.solve
