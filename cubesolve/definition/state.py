"""States of puzzles that are given by a definition: immutable, hashable, and as labels on its points (pure Python)."""

from __future__ import annotations

import functools
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic

from cubesolve.errors import InvalidStateError, counted
from cubesolve.group.permutations import Arrangement, after, arrangement
from cubesolve.picture.immutable import Drawn

if TYPE_CHECKING:
    from typing import Protocol, Self

    from typing_extensions import TypeVar  # the type for type checkers; before Python 3.13, typing has no defaults

    from cubesolve.definition.definition import Definition, Power
    from cubesolve.picture.pictures import Picture

    class Movable(Protocol):
        """A state of any puzzle."""

        def apply(self, alg: str) -> Self:
            """Return the state after an alg."""

    StateT = TypeVar("StateT", bound=Movable, default=Any)
else:
    from typing import TypeVar

    StateT = TypeVar("StateT")


def rank_below(states: int, given: Any) -> int:
    """Return an argument as a rank.

    >>> rank_below(3674160, 3674160)
    Traceback (most recent call last):
        ...
    cubesolve.errors.InvalidStateError: rank 3674160 is not in 0..3674159
    """
    try:
        number = operator.index(given)
    except TypeError:
        raise InvalidStateError(f"a rank must be an integer, not of the type {type(given).__name__}", "type") from None
    if not 0 <= number < states:
        raise InvalidStateError(f"rank {counted(number).replace(',', '')} is not in 0..{states - 1}", "rank")
    return number


class State(Drawn):
    """A state of a puzzle that is given by a definition.

    `cubesolve.puzzle` makes them: ``puzzle("skewb").parse("R U'")``.
    """

    __slots__ = ("_arrangement", "_labelling")
    _labelling: Labelling
    _arrangement: Arrangement

    def __init__(self, labelling: Labelling, arrangement: Arrangement) -> None:
        object.__setattr__(self, "_labelling", labelling)
        object.__setattr__(self, "_arrangement", arrangement)

    @property
    def labelling(self) -> Labelling:
        """The meaning of the labels: that of the puzzle, or of the goal of a masked state."""
        return self._labelling

    @property
    def arrangement(self) -> Arrangement:
        """The label on each point; see `definition.definition`."""
        return self._arrangement

    @property
    def pattern(self) -> dict[str, dict[str, list[int]]]:
        """The state as a KPuzzle pattern: for each orbit the pieces and their orientations.

        Pieces are counted from 0 in the order of their homes, so the gap of sliding tiles is the last here.

        Raises:
            CubesolveError: the puzzle has no pieces.
        """
        from cubesolve.definition.formats import format_kpuzzle_pattern  # noqa: PLC0415  # heavy: all formats of files

        return format_kpuzzle_pattern(self._labelling.definition, self._arrangement)

    @property
    def is_solved(self) -> bool:
        """Whether it is solved, in any orientation of the puzzle."""
        return self._labelling.is_solved(self._arrangement)

    def apply(self, alg: str) -> Self:
        """Return the state after an alg."""
        steps = self._labelling.alg_reader(alg)
        return type(self)(self._labelling, self._labelling.definition.apply(self._arrangement, steps, alg))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self._arrangement == other._arrangement and self._labelling == other._labelling

    def __hash__(self) -> int:
        return hash(self._arrangement)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self._labelling, self._arrangement)

    def __str__(self) -> str:
        return self._labelling.write(self._arrangement)

    def __repr__(self) -> str:
        return f"<{self._labelling.name}: {self}>"

    def _drawn(self) -> Picture | None:
        return self._labelling.picture(self)


class MaskedState(State):
    """A state of which only the labels that a goal distinguishes are known; its labelling is that of the goal."""

    __slots__ = ()


class Labelling(ABC, Generic[StateT]):
    """The meaning of labels: which arrangements represent which states."""

    name: str  # the name of the puzzle
    title: str

    @functools.cached_property
    def definition(self) -> Definition:
        """The definition, which has the points and the solved states; subclasses assign it or compute it."""
        raise NotImplementedError

    @functools.cached_property
    def alg_reader(self) -> Callable[[str], list[Power]]:
        """The reader of algs."""
        return self.definition.reader()

    @abstractmethod
    def read(self, given: object) -> StateT:
        """Return a state that is given in any supported way; see `View.read`."""

    @abstractmethod
    def arrangement(self, state: StateT) -> Arrangement:
        """Return the arrangement that represents a state; where no colours name its labels, one of several."""

    @abstractmethod
    def state(self, place: Arrangement) -> StateT:
        """Return the state that an arrangement represents."""

    @abstractmethod
    def write(self, place: Arrangement) -> str:
        """Return the text of an arrangement."""

    def picture(self, state: StateT) -> Picture | None:  # noqa: ARG002  # some have none
        """Return a state as coloured cells; None if there is no picture of it."""
        return None

    @functools.cached_property
    def numbers(self) -> Mapping[int, int]:
        """The number of each label in arrays of states; all differ, and there are no gaps."""
        return {label: number for number, label in enumerate(sorted(set(self.definition.solved[0])))}

    @functools.cached_property
    def labels(self) -> Mapping[int, int]:
        """The label with each number."""
        return {number: label for label, number in self.numbers.items()}

    @property
    def numbering(self) -> str:
        """The meaning of the numbers in an array of states."""
        return "the home of the sticker or piece in each place, counted from 0; identical ones share one, without gaps"

    @property
    def looks(self) -> Mapping[int, int]:
        """The look of each label, as a number; by default all look different."""
        return self.numbers

    def looking(self, numbers: Sequence[int]) -> StateT:
        """Return the state whose labels have given looks; see `looks`."""
        place = arrangement(self.labels[number] for number in numbers)
        if sorted(place) != sorted(self.definition.solved[0]):
            raise InvalidStateError("its numbers are not those of the solved state", "repeated")
        return self.state(place)

    def is_solved(self, place: Arrangement) -> bool:
        """Return whether an arrangement is solved, in any orientation of the puzzle."""
        return place in self.solved_arrangements

    @functools.cached_property
    def solved_arrangements(self) -> frozenset[Arrangement]:
        """The arrangements that are solved, in all orientations of the puzzle."""
        return solved_in(self.definition)


def solved_in(definition: Definition) -> frozenset[Arrangement]:
    """Return the arrangements that are solved by a definition, in all orientations of the puzzle."""
    from cubesolve.definition.rotations import rotations_of  # noqa: PLC0415  # delays the start

    rotated = (after(state, rotation) for state in definition.solved for rotation in rotations_of(definition))
    return frozenset(place for place in rotated if definition.is_legal(place))
