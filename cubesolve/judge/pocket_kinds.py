"""The kinds of test data that problems about pocket cubes have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from cubesolve import lookup
from cubesolve.catalog.pocket.cube import STATES, TURNING_FACES, PocketCube
from cubesolve.facelets import holdings
from cubesolve.judge.problem import Case, Kind
from cubesolve.notation import FACES, metric_moves

if TYPE_CHECKING:
    import random

_SCHEMES = 12
_RARE = 1000  # one state in so many


class PocketKinds(NamedTuple):
    """What test data about pocket cubes depend on.

    Attributes:
        write: the symbols of a case about a cube, from a source of random numbers, the cube in face letters as it is
            held, and the colours that stand for the letters U R F D L B.
        palette: the symbols of which any six can be the colours; none where the problem names the colours.
        metric: how moves are counted.
        is_held: whether the cube can be held in any way; otherwise its corner DBL is at home.
        telling: the depth at which an answer tells whether a cube was read right; by default any depth does.
    """

    write: Callable[[random.Random, PocketCube, str], Case]
    palette: str = ""
    metric: str = "qtm"
    is_held: bool = True
    telling: int | None = None

    def all(self) -> tuple[Kind, ...]:
        """All these kinds."""
        holding = Kind("holdings", "one state in all 24 holdings", self._holdings)
        scheme = Kind("schemes", "one state in many colour schemes, each with its mirror image", self._schemes)
        return (
            Kind("solved", "nothing is to be done" + ", in all 24 holdings" * self.is_held, self._solved),
            Kind("turns", "one turn is to be undone, each there is, quarter or half", self._turns),
            Kind("depths", "each depth there is, from the least to the largest, equally often", self._depths),
            *([holding] if self.is_held else []),
            *([scheme] if self.palette else []),
            Kind("antipodes", "states at the largest depth", self._antipodes),
            Kind("random", "uniformly random states", self._random),
        )

    def cases(self, rng: random.Random, cubes: Iterable[PocketCube]) -> list[Case]:
        """A case about each cube, in random colours."""
        return [self.write(rng, cube, self._colours(rng)) for cube in cubes]

    def _colours(self, rng: random.Random) -> str:
        return "".join(rng.sample(self.palette, 6)) if self.palette else FACES

    def _turned(self, rng: random.Random, cubes: Iterable[PocketCube]) -> Iterable[PocketCube]:
        return (held_anyhow(rng, cube) for cube in cubes) if self.is_held else cubes

    def _solved(self, rng: random.Random, _number: int) -> list[Case]:
        solved = PocketCube.solved()
        return self.cases(rng, in_all_holdings(solved) if self.is_held else [solved])

    def _turns(self, rng: random.Random, _number: int) -> list[Case]:
        moves = metric_moves("htm", FACES if self.is_held else TURNING_FACES)
        return self.cases(rng, map(PocketCube.solved().apply, moves))

    def _depths(self, rng: random.Random, number: int) -> list[Case]:
        depths = len(lookup.distribution(metric=self.metric))
        each = max(1, number // depths)
        states = (state_at(rng, depth, self.metric) for depth in range(depths) for _ in range(each))
        return self.cases(rng, self._turned(rng, states))

    def _holdings(self, rng: random.Random, _number: int) -> list[Case]:
        return self.cases(rng, in_all_holdings(lookup.random_state(rng, self.telling, metric=self.metric)))

    def _schemes(self, rng: random.Random, _number: int) -> list[Case]:
        state = lookup.random_state(rng, self.telling, metric=self.metric)
        schemes = [self.palette[:6], *(self._colours(rng) for _ in range(_SCHEMES - 1))]
        return [self.write(rng, state, colours) for scheme in schemes for colours in (scheme, mirrored(scheme))]

    def _antipodes(self, rng: random.Random, number: int) -> list[Case]:
        antipodes = list(lookup.antipodes(metric=self.metric))
        return self.cases(rng, self._turned(rng, rng.sample(antipodes, min(number, len(antipodes)))))

    def _random(self, rng: random.Random, number: int) -> list[Case]:
        return self.cases(rng, self._turned(rng, (lookup.random_state(rng) for _ in range(number))))


def in_all_holdings(cube: PocketCube) -> list[PocketCube]:
    """A cube held in each of the 24 ways.

    >>> len(set(in_all_holdings(PocketCube.from_alg("R U"))))
    24
    """
    return [cube.apply(rotations) for rotations in holdings().values()]


def held_anyhow(rng: random.Random, cube: PocketCube) -> PocketCube:
    """A cube held in a random way.

    >>> import random
    >>> held_anyhow(random.Random(7), PocketCube.solved()).is_solved
    True
    """
    return cube.apply(rng.choice(list(holdings().values())))


def state_at(rng: random.Random, depth: int, metric: str) -> PocketCube:
    """A uniformly random state at a depth: that of `lookup.random_state` where such states are rare.

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
    """The colours of the faces U R F D L B of a cube that is held in front of a mirror.

    >>> mirrored("WRGYOB")
    'WOGYRB'
    """
    return colours.translate(str.maketrans(colours[1] + colours[4], colours[4] + colours[1]))


def coloured(cube: PocketCube, colours: str) -> str:
    """The facelets of a cube in face letters, in other colours.

    >>> coloured(PocketCube.from_alg("U"), "WRGYOB")
    'WWWWBBRRRRGGYYYYGGOOOOBB'
    """
    return cube.facelets.translate(str.maketrans(FACES, colours))
