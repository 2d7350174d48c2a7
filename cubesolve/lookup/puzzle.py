"""A puzzle with its tables: what can be asked about any puzzle."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from cubesolve.errors import CubesolveError
from cubesolve.lookup.limits import SearchOptions, split
from cubesolve.lookup.tables import Tables
from cubesolve.rules.rules import Rules

if TYPE_CHECKING:
    import random

    import numpy as np

    from cubesolve.lookup.arrays import ArrayAnswers

    Source = random.Random | np.random.Generator | int | None

RulesT = TypeVar("RulesT", bound=Rules)


class Puzzle(ABC):
    """A puzzle: its states and moves, and exact answers about them.

    A state is given as the puzzle's own state, as text, or as a rank. What else can be said in a question goes by name:
    `metric`, and what `SearchOptions` lists; for some puzzles more.

    >>> from cubesolve import puzzle
    >>> skewb = puzzle("skewb")
    >>> skewb.depth("R U' L"), skewb.solve("R U' L")
    (3, "L' U R'")
    """

    def __init__(self, rules: Rules, tables: Tables) -> None:
        """See `cubesolve.puzzle`."""
        self.rules = rules
        self._tables = tables

    # -- What it is ----------------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Its name."""
        return self.rules.name

    @property
    def title(self) -> str:
        """The same in words."""
        return self.rules.title

    @property
    def metrics(self) -> Sequence[str]:
        """The names of its metrics, the usual one first."""
        return self.rules.metrics

    @property
    @abstractmethod
    def moves(self) -> Sequence[str]:
        """How the moves of the usual metric are written, in the order in which ties are broken."""

    @property
    @abstractmethod
    def states(self) -> int:
        """How many states there are."""

    def parse(self, text: str, form: str | None = None) -> Any:
        """The state that a text describes.

        Args:
            text: the text.
            form: how it is written: one of `forms`; by default in any way that the puzzle knows without being told.

        Raises:
            InvalidStateError, InvalidMoveError: it describes none.
            ValueError: states are not written so.
        """
        return self.rules.read(text) if form is None else self.rules.reader(self._form(form))(text)

    @property
    def forms(self) -> Sequence[str]:
        """The ways to write a state, by name."""
        return tuple(self.rules.forms)

    def write(self, state: Any, form: str) -> str:
        """A state in a form.

        Raises:
            InvalidStateError: this is no state.
            ValueError: states are not written so.
        """
        write = self.rules.forms[self._form(form)].write
        return self.alg(state) if write is None else write(self.rules.read(state))

    def _form(self, form: str) -> str:
        if form not in self.rules.forms:
            raise ValueError(f"unknown form {form!r}: expected {', '.join(self.rules.forms)}")
        return form

    def alg(self, state: Any) -> str:
        """A shortest alg that makes a state of the solved one."""
        return self.rules.invert(self.solve(state))

    # -- Questions about one state ---------------------------------------------------------------------------------------

    @abstractmethod
    def depth(self, state: Any, goal: Any = None, **question: Any) -> int:
        """The least number of moves that solve a state; with a goal, that lead there.

        Args:
            state: the state.
            goal: another state; for rolling cubes also a pattern.
            **question: `metric`, and what the puzzle and `SearchOptions` have beside.

        Raises:
            InvalidStateError: what is given is no state of the puzzle.
            UnsolvableStateError: no moves lead there.
            SearchLimitError: a search ended at its limit.
            TableError: a table is missing or damaged.
            ValueError: something is said that means nothing for the puzzle.
        """

    @abstractmethod
    def solve(self, state: Any, goal: Any = None, **question: Any) -> str:
        """A shortest alg that solves a state, or leads from it to a goal; see `depth`."""

    @abstractmethod
    def solutions(self, state: Any, goal: Any = None, **question: Any) -> Iterator[str]:
        """Every shortest alg that does, in the order of the moves; see `depth`."""

    @abstractmethod
    def count_solutions(self, state: Any, goal: Any = None, **question: Any) -> int:
        """How many algs `solutions` lists."""

    def optimal_moves(self, state: Any, goal: Any = None, **question: Any) -> list[str]:
        """The moves with which a shortest solution can begin, in their order; none if there is nothing to be done."""
        first = (alg.split(maxsplit=1)[:1] for alg in self.solutions(state, goal, **question))
        return list(dict.fromkeys(move for moves in first for move in moves))

    def path(self, start: Any, target: Any, **question: Any) -> str:
        """A shortest alg that turns one state into another; see `depth`."""
        return self.solve(start, target, **question)

    # -- Questions about all states ----------------------------------------------------------------------------------------

    def distribution(self, **question: Any) -> tuple[int, ...]:
        """The number of states at each depth, from 0."""
        raise self._unknown("how many states there are at each depth", question)

    def antipodes(self, **question: Any) -> list[Any]:
        """The states at the largest depth, in the order of their ranks."""
        raise self._unknown("which states need the most moves", question)

    def random_state(self, rng: Source = None, depth: int | None = None, **question: Any) -> Any:
        """A uniformly random state: of all, or of those at a depth.

        Args:
            rng: a source of random numbers, or a seed for one; by default one that nobody can repeat.
            depth: the depth that it shall have.
            **question: the metric of that depth.

        Raises:
            ValueError: no state has this depth, or states cannot be drawn by their depth.
        """
        raise self._unknown("a random state", {"rng": rng, "depth": depth, **question})

    def scramble(
        self, rng: Source = None, *, depth: int | None = None, length: int | None = None, **question: Any
    ) -> str:
        """An alg that leads to a random state, uniformly random over those that are scrambled enough.

        Args:
            rng: as for `random_state`.
            depth: the depth that the state shall have.
            length: the number of moves of the alg; of the states, those are drawn that so many moves lead to.
            **question: the metric of both.

        Raises:
            ValueError: there is no such state, or no such alg.
        """
        raise self._unknown("a scramble", {"rng": rng, "depth": depth, "length": length, **question})

    def _unknown(self, what: str, _question: object) -> CubesolveError:
        return CubesolveError(f"{what} is not known of the {self.title}")
