"""The groups of test data that all problems about pocket cubes share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from cubesolve import lookup
from cubesolve.catalog.pocket.cube import STATES, TURNING_FACES, PocketCube
from cubesolve.definition.facelets import cube_rotations
from cubesolve.definition.notation import FACES, metric_moves
from cubesolve.judge.problem import Case, CaseGroup

if TYPE_CHECKING:
    import random

_SCHEMES = 12
_RARE = 1000  # one state in so many


class PocketGroups(NamedTuple):
    """Makes the groups of test data of a problem about pocket cubes.

    Attributes:
        write: returns the symbols of a case, from a random number generator, a cube in face letters, and the colours
            of the letters U R F D L B.
        palette: the symbols from which the six colours are drawn; empty if the problem fixes the colours.
        metric: the metric.
        is_held: whether the cube can have any orientation; otherwise its corner DBL is at home.
        probe_depth: the depth at which the answer reveals a misread cube; by default any depth does.
    """

    write: Callable[[random.Random, PocketCube, str], Case]
    palette: str = ""
    metric: str = "qtm"
    is_held: bool = True
    probe_depth: int | None = None

    def all(self) -> tuple[CaseGroup, ...]:
        """Return all groups."""
        orientation = CaseGroup("holdings", "one state in all 24 orientations", self._orientations)
        scheme = CaseGroup("schemes", "one state in many colour schemes, each with its mirror image", self._schemes)
        return (
            CaseGroup("solved", "the solved cube" + ", in all 24 orientations" * self.is_held, self._solved),
            CaseGroup("turns", "each state at one quarter or half turn from solved", self._turns),
            CaseGroup("depths", "the same number of states at each depth", self._depths),
            *([orientation] if self.is_held else []),
            *([scheme] if self.palette else []),
            CaseGroup("antipodes", "states at the largest depth", self._antipodes),
            CaseGroup("random", "uniformly random states", self._random),
        )

    def cases(self, rng: random.Random, cubes: Iterable[PocketCube]) -> list[Case]:
        """Return a case about each cube, in random colours."""
        return [self.write(rng, cube, self._colours(rng)) for cube in cubes]

    def _colours(self, rng: random.Random) -> str:
        return "".join(rng.sample(self.palette, 6)) if self.palette else FACES

    def _turned(self, rng: random.Random, cubes: Iterable[PocketCube]) -> Iterable[PocketCube]:
        return (randomly_oriented(rng, cube) for cube in cubes) if self.is_held else cubes

    def _solved(self, rng: random.Random, _number: int) -> list[Case]:
        solved = PocketCube.solved()
        return self.cases(rng, in_all_orientations(solved) if self.is_held else [solved])

    def _turns(self, rng: random.Random, _number: int) -> list[Case]:
        moves = metric_moves("htm", FACES if self.is_held else TURNING_FACES)
        return self.cases(rng, map(PocketCube.solved().apply, moves))

    def _depths(self, rng: random.Random, number: int) -> list[Case]:
        depths = len(lookup.distribution(metric=self.metric))
        each = max(1, number // depths)
        states = (state_at(rng, depth, self.metric) for depth in range(depths) for _ in range(each))
        return self.cases(rng, self._turned(rng, states))

    def _orientations(self, rng: random.Random, _number: int) -> list[Case]:
        return self.cases(rng, in_all_orientations(lookup.random_state(rng, self.probe_depth, metric=self.metric)))

    def _schemes(self, rng: random.Random, _number: int) -> list[Case]:
        state = lookup.random_state(rng, self.probe_depth, metric=self.metric)
        schemes = [self.palette[:6], *(self._colours(rng) for _ in range(_SCHEMES - 1))]
        return [self.write(rng, state, colours) for scheme in schemes for colours in (scheme, mirrored(scheme))]

    def _antipodes(self, rng: random.Random, number: int) -> list[Case]:
        antipodes = list(lookup.antipodes(metric=self.metric))
        return self.cases(rng, self._turned(rng, rng.sample(antipodes, min(number, len(antipodes)))))

    def _random(self, rng: random.Random, number: int) -> list[Case]:
        return self.cases(rng, self._turned(rng, (lookup.random_state(rng) for _ in range(number))))


def in_all_orientations(cube: PocketCube) -> list[PocketCube]:
    """Return a cube in each of the 24 orientations.

    >>> len(set(in_all_orientations(PocketCube.from_alg("R U"))))
    24
    """
    return [cube.apply(rotations) for rotations in cube_rotations().values()]


def randomly_oriented(rng: random.Random, cube: PocketCube) -> PocketCube:
    """Return a cube in a random orientation.

    >>> import random
    >>> randomly_oriented(random.Random(7), PocketCube.solved()).is_solved
    True
    """
    return cube.apply(rng.choice(list(cube_rotations().values())))


def state_at(rng: random.Random, depth: int, metric: str) -> PocketCube:
    """Return a uniformly random state at a depth, by rejection sampling unless such states are rare.

    >>> import random
    >>> lookup.depth(state_at(random.Random(7), 9, "htm"))
    9
    """
    if lookup.distribution(metric=metric)[depth] * _RARE < STATES:
        rare: PocketCube = lookup.random_state(rng, depth, metric=metric)
        return rare
    depths = lookup.table(f"pocket-{metric}").body
    rank = rng.randrange(STATES)
    while depths[rank] != depth:
        rank = rng.randrange(STATES)
    return PocketCube.unrank(rank)


def mirrored(colours: str) -> str:
    """Return the colours of the faces U R F D L B of a cube's mirror image.

    >>> mirrored("WRGYOB")
    'WOGYRB'
    """
    return colours.translate(str.maketrans(colours[1] + colours[4], colours[4] + colours[1]))


def coloured(cube: PocketCube, colours: str) -> str:
    """Return the facelets of a cube in other colours.

    >>> coloured(PocketCube.from_alg("U"), "WRGYOB")
    'WWWWBBRRRRGGYYYYGGOOOOBB'
    """
    return cube.facelets.translate(str.maketrans(FACES, colours))
