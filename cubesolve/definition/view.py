"""The notation and pictures of the states and algs of a puzzle, for all selections of its moves (pure Python)."""

from __future__ import annotations

import functools
import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Generic, NamedTuple

from cubesolve.definition.state import Labelling, MaskedState, StateT
from cubesolve.group.permutations import Arrangement, Permutation, arrangement
from cubesolve.runtime.deadline import check

if TYPE_CHECKING:
    from cubesolve.definition.definition import Definition, Power
    from cubesolve.definition.goals import Allowed, NamedGoal
    from cubesolve.definition.named_steps import NamedSteps
    from cubesolve.definition.options import Option
    from cubesolve.picture.pictures import Picture
    from cubesolve.picture.scenes import Motion, Scene


class Form(NamedTuple, Generic[StateT]):
    """A notation of states."""

    read: Callable[[str], StateT]  # returns the state that a text describes
    write: Callable[[StateT], str] | None  # returns the text that describes a state; None where that takes a solution
    help: str  # a description in a few words
    lines: int = 1  # the number of lines of a state
    empty: bool = False  # whether the empty text describes a state
    layers: int = 0  # those of a cube whose net is read, too


class View(ABC, Generic[StateT]):
    """The notation and pictures of the states and algs of a puzzle."""

    name: str  # the name of the puzzle
    title: str  # the same in words
    options: Sequence[Option] = ()  # the options of its notations on the command line
    # moves that turn the whole puzzle, where its picture does not show all of it otherwise
    free_moves: Sequence[str] = ()

    @functools.cached_property
    def spoken(self) -> str:
        """The name of the puzzle on the command line."""
        return self.name

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), ()  # views with arguments override this

    # -- States --------------------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def forms(self) -> Mapping[str, Form[StateT]]:
        """The notations of states, the usual one first."""

    def reader(self, form: str, **_options: str | None) -> Callable[[str], StateT]:
        """Return the function that reads states in a notation."""
        return self.forms[form].read

    @abstractmethod
    def read(self, given: object) -> StateT:
        """Return a state that is given in any supported way."""

    def claims(self, given: object) -> bool:  # noqa: ARG002  # most puzzles must be named
        """Return whether a state is certainly one of this puzzle."""
        return False

    def claims_batch(self, given: object, **question: object) -> bool:  # noqa: ARG002
        """Return whether a batch of states, with the keywords of the question, is one of this puzzle."""
        return False

    def solved(self, like: StateT | None) -> StateT:  # noqa: ARG002
        """Return the solved state at which algs start, in the colours of a state; `ValueError` if there is none."""
        raise ValueError(f"no state of the {self.title} is the solved one")

    # -- Algs ----------------------------------------------------------------------------------------------------------

    @abstractmethod
    def invert(self, alg: str) -> str:
        """Return the inverse of an alg."""

    def split(self, alg: str) -> list[str]:
        """Return the moves of an alg, each as it is written by itself."""
        return alg.split()

    def is_free(self, move: str) -> bool:  # noqa: ARG002  # most puzzles have no rotations
        """Return whether a move rotates the whole puzzle."""
        return False

    def count(self, alg: str, metric: str | None = None) -> int:
        """Return the number of moves of an alg, as a metric counts them; whole-puzzle rotations are not counted."""
        return self.left(alg, metric)[0]

    def left(self, alg: str, metric: str | None = None) -> list[int]:  # noqa: ARG002  # most algs have its moves
        """Return the number of moves that are left at the start of an alg, and after each of its moves; see `count`."""
        counted = [not self.is_free(move) for move in self.split(alg)]
        return list(itertools.accumulate(reversed(counted), initial=0))[::-1]

    def after(self, state: StateT, alg: str) -> StateT:
        """Return the state after an alg."""
        return state.apply(alg)

    def scrambled(self, alg: str) -> StateT:
        """Return the state after an alg that begins with the solved puzzle."""
        return self.after(self.solved(None), alg)

    def order_of(self, alg: str) -> int:
        """Return the least number of repetitions of an alg, at least 1, that leave the solved puzzle solved."""
        times, state, solved = 1, self.scrambled(alg), self.solved(None)
        while state != solved:
            check()
            times, state = times + 1, self.after(state, alg)
        return times

    def relative(self, start: object, target: object) -> tuple[StateT, Callable[[str], str]]:
        """Return the state whose solutions lead from one state to another, and a function that extends a solution."""
        raise NotImplementedError  # solvers of other puzzles than cubes have `toward`

    def steps(self, state: StateT, alg: str) -> Iterator[tuple[str, StateT]]:
        """Yield a caption and a state for the start of an alg and after each of its moves."""
        yield "start", state
        for number, move in enumerate(self.split(alg), start=1):
            state = self.after(state, move)
            yield f"{number} {move}", state

    # -- Pictures ------------------------------------------------------------------------------------------------------

    def picture(self, state: StateT | MaskedState, **options: str) -> Picture | None:
        """Return the net of a state; None if there is no picture of it, as of masked states."""
        return None if isinstance(state, MaskedState) else self.draw(state, **options)

    @property
    def named_steps(self) -> NamedSteps:
        """The named steps of a solution, and the named sets of cases."""
        from cubesolve.definition.named_steps import NamedSteps  # noqa: PLC0415  # delays the start

        return NamedSteps()

    def scene(self, state: StateT | MaskedState) -> Scene | None:
        """Return the scene of a state; None if its shape is unknown, as that of masked states."""
        return None if isinstance(state, MaskedState) else self.build(state)

    def draw(self, state: StateT) -> Picture | None:  # noqa: ARG002  # some puzzles have no pictures
        """Return the picture of a state that is not masked."""
        return None

    def build(self, state: StateT) -> Scene | None:  # noqa: ARG002  # some puzzles have no shape
        """Return the scene of a state that is not masked."""
        return None

    def motion(self, state: StateT, move: str) -> Motion:
        """Return the motion of a move in the scene of a state."""
        raise NotImplementedError


class DefinedView(View[StateT], Labelling[StateT]):
    """A view of a puzzle that has a definition, so moves can be selected and goals given."""

    # the rotations of the whole puzzle, if its definition has none because no move turns a certain piece
    rotations: Sequence[Permutation] = ()

    @property
    def goals(self) -> Mapping[str, tuple[NamedGoal, ...]]:
        """The named steps of a solution; each has several goals, any of which will do."""
        return self.named_steps.goals

    @functools.cached_property
    def _points_named(self) -> Mapping[str, Sequence[int]]:
        points = dict[str, list[int]]()
        for orbit, places in self.definition.places:
            for name, place in zip(orbit.names, places, strict=False):  # without names, if they only have numbers
                points.setdefault(name, []).extend(place)
        return points

    def points_of(self, name: str) -> Sequence[int]:
        """Return the points of the places with a name."""
        return self._points_named[name]

    def allowed(self, goal: NamedGoal) -> Allowed:
        """Return the labels that a goal allows on each point that matters."""
        solved = self.definition.solved[0]

        def of(names: str) -> list[int]:
            return [point for name in names.split() for point in self.points_of(name)]

        fixed = {point: frozenset({solved[point]}) for point in (*goal.points, *of(goal.pieces))}
        for alike in map(of, goal.alike):
            fixed |= dict.fromkeys(alike, frozenset(solved[point] for point in alike))
        if not goal.setup:
            return fixed
        place = self.oriented(self.scrambled(goal.setup))
        return {point: fixed[home] for point, label in enumerate(place) if (home := solved.index(label)) in fixed}

    def goals_named(self, text: str) -> list[Allowed]:
        """Return the goals of a named step, any of which will do; none if there is no such step."""
        return [self.allowed(goal) for goal in self.goals.get(self.named_steps.named(text), ())]

    def in_pieces(self, definition: Definition) -> Definition:
        """Return a definition of this puzzle by pieces, as formats of pieces need it; most are already."""
        return definition

    def on_own_points(self, goal: Allowed) -> Allowed:
        """Return a goal about the points of the definition by pieces as one about those of this puzzle."""
        return goal

    def of_pattern(self, pattern: object) -> StateT:
        """Return the state of a KPuzzle pattern, an object or JSON."""
        from cubesolve.definition.formats import parse_kpuzzle_pattern  # noqa: PLC0415  # heavy: all formats of files
        from cubesolve.definition.texts import read_json  # noqa: PLC0415  # delays the start

        given = read_json(pattern) if isinstance(pattern, str) else pattern
        points = parse_kpuzzle_pattern(self.in_pieces(self.definition), given)
        placed = self.on_own_points({point: frozenset({label}) for point, label in enumerate(points)})
        return self.state(arrangement(next(iter(placed[point])) for point in range(self.definition.points)))

    def to_pattern(self, state: StateT) -> str:
        """Return a state as a KPuzzle pattern in JSON, with the places and orientations of cubing.js for cubes."""
        import json  # noqa: PLC0415  # delays the start

        from cubesolve.definition.formats import format_kpuzzle_pattern  # noqa: PLC0415  # heavy: all formats of files

        definition = self.in_pieces(self.definition._replace(solved=(self.arrangement(state),)))
        return json.dumps(format_kpuzzle_pattern(definition, definition.solved[0]))

    def order_of(self, alg: str) -> int:
        """Return the least number of repetitions of an alg, at least 1, that leave the solved puzzle solved."""
        return self.definition.order_of(self.alg_reader(alg), self.solved_arrangements)

    def parse(self, moves: str) -> list[Power]:
        """Return the moves of a selection that is given as an alg."""
        return self.alg_reader(moves)

    def oriented(self, state: StateT) -> Arrangement:
        """Return the arrangement that a goal is compared with, in the orientation in which the puzzle is held."""
        return self.arrangement(state)

    @abstractmethod
    def write_some(self, labels: Sequence[frozenset[int]]) -> str:
        """Return the text of a state of which only the possible labels on each point are known."""

    def draw_some(self, labels: Sequence[frozenset[int]], *, above: bool = False) -> Picture | None:  # noqa: ARG002
        """Return the picture of the possible labels on each point, or of the upper face; None if there is none."""
        return None
