"""Cubes given by their facelets, as puzzles whose moves can be chosen (pure Python).

The points are the facelets, and the label on a facelet is the facelet where it is at home. Which colour is whose face
is not written on a cube: a cube can be named in as many ways as it can be held, and each is tried.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cubesolve.errors import InvalidMoveError, InvalidStateError
from cubesolve.facelets import FaceletCube, facelet_names, piece_facelets, turning
from cubesolve.notation import FACES, ROTATIONS, Move, moves_of
from cubesolve.permutations import Arrangement, arrangement, identity
from cubesolve.puzzles.definition import Case, Definition, Orbit, Step
from cubesolve.puzzles.facelet_goals import goals_of, written
from cubesolve.puzzles.options import COLOURS, Option
from cubesolve.spaces.defined import DerivedRules, costs_of, moved_by
from cubesolve.spaces.rules import Form, Rules

if TYPE_CHECKING:
    from cubesolve.pictures import Picture
    from cubesolve.scenes import Motion, Scene
    from cubesolve.spaces.facelet_rules import FaceletRules


@functools.cache
def definition_of(name: str, size: int, letters: tuple[str, ...]) -> Definition:
    """A cube whose facelets are moved by turns with some letters.

    >>> definition_of("pocket", 2, ("R",)).order("R")
    4
    """

    def change(letter: str) -> Arrangement:
        return arrangement(turning(size, Move(letter, 1))(range(6 * size * size)))

    points = 6 * size * size
    return Definition(
        name,
        (Orbit("FACELETS", points, 1, facelet_names(size)),),
        (identity(points),),
        {letter: (Case(change(letter)),) for letter in letters},
        rotations={letter: change(letter) for letter in ROTATIONS},
    )


@functools.lru_cache(maxsize=64)
def _homes(size: int, pieces: tuple[str, ...], scheme: str) -> dict[tuple[str, ...], tuple[int, ...]]:
    """The home facelets of a piece, by what it shows clockwise from one of its facelets."""
    colours = dict(zip(FACES, scheme, strict=True))
    found = {}
    for name in pieces:
        home, looks = piece_facelets(size, name), tuple(colours[face] for face in name)
        for turned in range(len(name)):
            found[looks[turned:] + looks[:turned]] = home[turned:] + home[:turned]
    return found


@functools.cache
def _namings(size: int) -> tuple[bytes, ...]:
    """What each turning of the whole cube makes of the names of facelets, that which changes nothing first."""
    rotations = [turning(size, Move(letter, 1)) for letter in ROTATIONS]
    found = {bytes(range(6 * size * size)): None}
    for naming in (reached := list(found)):
        for turned in rotations:
            image = bytes(turned(naming))
            if image not in found:
                found[image] = None
                reached.append(image)
    padding = bytes(range(256))
    return tuple(naming + padding[len(naming) :] for naming in found)


def restrict(
    cube: FaceletRules, moves: str | None, costs: Mapping[str, int] | str | None, inverses: bool = True
) -> RestrictedRules:
    """A cube with some moves alone; see `Rules.restricted`."""
    whole = definition_of(cube.name, cube.size, tuple(cube.letters))
    chosen = moves_of(moves, cube.letters) if moves else [Move(face, 1) for face in FACES]
    if not chosen:
        raise InvalidMoveError("", 0, "is not a move: name at least one")
    steps = tuple(dict.fromkeys(Step(move.letter, move.turns) for move in chosen))
    definition = whole._replace(chosen=steps, directed=not inverses)
    return RestrictedRules(cube, definition, moves, costs_of(definition, costs))


class RestrictedRules(DerivedRules):
    """A cube of which only some moves are made, or whose moves count differently."""

    def __init__(self, cube: FaceletRules, definition: Definition, moves: str | None, costs: Mapping[str, int]) -> None:
        """Take the cube, and its moves."""
        words, spoken = moved_by(definition, moves, costs)
        super().__init__(definition, title=f"{cube.title}{words}", costs=costs, spoken=f"{cube.name}{spoken}")
        self._cube, self._moves = cube, moves

    @property
    def options(self) -> Sequence[Option]:  # type: ignore[override]
        """Those of moves, and the colours."""
        return [*super().options, COLOURS]

    @property
    def forms(self) -> Mapping[str, Form]:
        """Those of the cube."""
        return self._cube.forms

    def reader(self, form: str, **how: Any) -> Callable[[str], Any]:
        """See `Rules.reader`."""
        return self._cube.reader(form, **how)

    def read(self, given: Any) -> Any:
        """See `Rules.read`."""
        return self._cube.read(given)

    def picture(self, state: Any) -> Picture | None:
        """See `Rules.picture`."""
        return self._cube.picture(state)

    def scene(self, state: Any) -> Scene | None:
        """See `Rules.scene`."""
        return self._cube.scene(state)

    def motion(self, state: Any, move: str) -> Motion:
        """See `Rules.motion`."""
        return self._cube.motion(state, move)

    def solved(self, like: Any) -> Any:
        """See `Rules.solved`."""
        return self._cube.solved(like)

    def is_free(self, move: str) -> bool:
        """See `Rules.is_free`."""
        return self._cube.is_free(move)

    def restricted(self, moves: str | None, costs: Mapping[str, int] | str | None, *, inverses: bool = True) -> Rules:
        """See `Rules.restricted`: the moves are chosen anew."""
        return self._cube.restricted(moves, costs, inverses=inverses)

    def towards(self, goal: Any) -> Rules:
        """See `Rules.towards`."""
        from cubesolve.spaces.goal_rules import towards  # noqa: PLC0415  # few questions are about other goals

        return towards(self, goal, functools.partial(goals_of, self._cube))

    def as_held(self, state: FaceletCube) -> Arrangement:
        """The home of every facelet, where that of the centres is where they are; without these, colours are letters.

        Raises:
            InvalidStateError: there are no centres, and other colours.
        """
        size = self._cube.size
        centres = [piece_facelets(size, name)[0] for name in self._cube.pieces if len(name) == 1]
        if not centres and self._cube.scheme(state) != FACES:
            raise InvalidStateError(
                "a goal needs face letters, or the colours of U R F D L B on the solved cube", "colours"
            )
        return next(place for place in self.arrangements(state) if all(place[centre] == centre for centre in centres))

    def shown(self, labels: Sequence[frozenset[int]]) -> str:
        """See `DerivedRules.shown`."""
        return written(labels, self._cube.size)

    @property
    def numbering(self) -> str:
        """See `DerivedRules.numbering`."""
        return "where each facelet is at home, facelets counted from 0 in the order of the faces U R F D L B"

    @property
    def looks(self) -> Mapping[int, int]:
        """See `DerivedRules.looks`: a facelet looks like the others of its face."""
        return {label: label // self._cube.size**2 for label in self.definition.solved[0]}

    def looking(self, numbers: Sequence[int]) -> Any:
        """See `DerivedRules.looking`."""
        return self.read("".join(FACES[number] for number in numbers))

    def arrangements(self, state: FaceletCube) -> Iterator[Arrangement]:
        """The home of every facelet, in each of the ways to name the colours."""
        facelets, size = state.facelets, self._cube.size
        homes = _homes(size, tuple(self._cube.pieces), self._cube.scheme(state))
        labels = [0] * len(facelets)
        for name in self._cube.pieces:
            here = piece_facelets(size, name)
            for facelet, home in zip(here, homes[tuple(facelets[i] for i in here)], strict=True):
                labels[facelet] = home
        for naming in _namings(size):
            yield bytes(labels).translate(naming)

    def state(self, place: Arrangement) -> Any:
        """The cube in which every facelet has come to lie somewhere."""
        return self._cube.cube_type("".join(FACES[label // self._cube.size**2] for label in place))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RestrictedRules):
            return NotImplemented
        return (self.definition, self.costs) == (other.definition, other.costs)

    def __hash__(self) -> int:
        return hash((self.spoken, self.definition.chosen))

    def __reduce__(self) -> tuple[Any, ...]:
        return restrict, (self._cube, self._moves, self.costs, not self.is_directed)
