"""States as labels on the points of a definition, and as numbers in arrays (pure Python)."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Generic

from cubesolve.definition.state import StateT
from cubesolve.errors import InvalidStateError
from cubesolve.group.permutations import Arrangement, after, arrangement

if TYPE_CHECKING:
    from cubesolve.definition.definition import Definition, Power
    from cubesolve.picture.pictures import Picture


class Labelling(ABC, Generic[StateT]):
    """The meaning of labels: which arrangements represent which states.

    Attributes:
        name: the name of the puzzle.
        title: its title.
    """

    name: str
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
    def arrangements(self, state: StateT) -> Iterable[Arrangement]:
        """Return the arrangements that represent a state: several, if its labels can be named in several ways."""

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
        from cubesolve.definition.rotations import rotations_of  # noqa: PLC0415  # delays the start

        rotated = (after(state, each) for state in self.definition.solved for each in rotations_of(self.definition))
        return frozenset(place for place in rotated if self.definition.is_legal(place))
