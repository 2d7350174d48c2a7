"""What every puzzle says of itself, and what it does not know: how its questions are answered (pure Python)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from cubesolve.errors import InvalidStateError
from cubesolve.rules.tables import TableEntry


class Form(NamedTuple):
    """A way to write states.

    Attributes:
        read: the state that a text describes.
        write: the text that describes a state; None where a solution must be found for that, or nobody writes it so.
        help: what it is, in a few words.
        lines: how many lines a state takes.
        empty: whether nothing at all describes a state.
    """

    read: Callable[[str], Any]
    write: Callable[[Any], str] | None
    help: str
    lines: int = 1
    empty: bool = False


class Option(NamedTuple):
    """Something that can be said beside a state, in a question about some puzzles.

    Attributes:
        name: as a keyword; on the command line with ``--`` and dashes.
        help: what it says.
        questions: the questions in which it means something: ``depth``, ``solve``, ``scramble``, ``show``, ``distribution``.
        default: what is taken where it is not said.
        choices: what can be said, if there are only a few such things.
        metavar: how help calls its value.
        read: reads the value on the command line.
    """

    name: str
    help: str
    questions: frozenset[str]
    default: Any = None
    choices: tuple[str, ...] = ()
    metavar: str = ""
    read: Callable[[str], Any] = str


class Cell(NamedTuple):
    """A square of a picture.

    Attributes:
        column: where it is, counted from the left.
        row: likewise, from the top.
        text: what is written on it.
        colour: what colour it has: red, green and blue, 0 to 255.
    """

    column: int
    row: int
    text: str
    colour: tuple[int, int, int]


class Graph(ABC):
    """The states of a puzzle as ranks, and the moves between them.

    Attributes:
        entry: the table of distances.
        moves: how the moves are written, in the order in which ties are broken.
        costs: what each counts; None if all count 1.
        states: how many states there are.
    """

    entry: TableEntry
    moves: Sequence[str]
    costs: Sequence[int] | None = None
    states: int

    @abstractmethod
    def rank(self, given: Any) -> int:
        """The rank of a state, however it was given.

        Raises:
            InvalidStateError: this is no state of the puzzle, or no moves lead to it.
        """

    @abstractmethod
    def unrank(self, rank: int) -> Any:
        """The state with a rank."""

    @abstractmethod
    def neighbours(self, rank: int) -> Sequence[int]:
        """The ranks that the moves lead to, -1 where one is not possible."""

    def written(self, moves: Sequence[int], given: Any) -> str:  # noqa: ARG002  # others are held in several ways
        """Moves by number, from a state as it was given, as an alg."""
        return " ".join([self.moves[move] for move in moves])

    def require_rank(self, rank: int) -> int:
        """A number that should be a rank.

        Raises:
            InvalidStateError: it is none.
        """
        if not 0 <= rank < self.states:
            raise InvalidStateError(f"rank {rank} is not in 0..{self.states - 1}", "rank")
        return rank
