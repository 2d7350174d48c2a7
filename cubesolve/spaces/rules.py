"""What every puzzle says of itself; how questions about it are answered, it does not know (pure Python)."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from cubesolve.arguments import one_of, rank_below

if TYPE_CHECKING:
    from cubesolve.pictures import Picture
    from cubesolve.puzzles.options import Option
    from cubesolve.scenes import Motion, Scene
    from cubesolve.spaces.batches import ArrayForm
    from cubesolve.spaces.space import RefinedSpace, StateSpace
    from cubesolve.spaces.tables import TableEntry


Kind = Literal["ranked", "derived", "goal", "goals", "own"]
"""How questions about a puzzle are answered: from tables, because all states have ranks; from tables of a space that is
derived from the moves; the same towards a goal, or towards the nearest of several; by a solver of its own."""


class Form(NamedTuple):
    """A way to write states.

    Attributes:
        read: the state that a text describes.
        write: the text that describes a state; None where that takes a solution.
        help: what it is, in a few words.
        lines: how many lines a state takes.
        empty: whether nothing at all describes a state.
    """

    read: Callable[[str], Any]
    write: Callable[[Any], str] | None
    help: str
    lines: int = 1
    empty: bool = False


class Asked(NamedTuple):
    """A question about a state.

    Attributes:
        state: the state.
        named: what is said by name beside it.
        about: what is repeated with the answer.
    """

    state: Any
    named: dict[str, Any]
    about: dict[str, Any]


class Graph(ABC):
    """The states of a puzzle as ranks, and the moves between them.

    Attributes:
        entry: the table of distances.
        moves: how the moves are written, in the order in which ties are broken.
        costs: what each counts; None if all count 1.
        states: how many states there are.
        joined: the pairs of moves in a row of which none or one that counts no more does the same; None if that depends
            on the state.
    """

    entry: TableEntry
    moves: Sequence[str]
    costs: Sequence[int] | None = None
    states: int
    joined: Collection[tuple[int, int]] | None = None

    @property
    def starts(self) -> Sequence[int]:
        """The ranks of the states at depth 0."""
        return self.entry.starts

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

    @abstractmethod
    def make_space(self) -> StateSpace:
        """Return the moves as arrays; see `spaces.space_of`, which keeps them."""

    @abstractmethod
    def make_form(self) -> ArrayForm:
        """Return how arrays of states are written; see `spaces.form_of`, which keeps it.

        Raises:
            ValueError: arrays of these states are not supported.
        """

    def written(self, moves: Sequence[int], given: Any) -> str:  # noqa: ARG002  # others may be held in many ways
        """Moves by number, to be made from a state as it was given, as an alg."""
        return " ".join([self.moves[move] for move in moves])

    def checked(self, rank: Any) -> int:
        """A number that should be a rank.

        Raises:
            InvalidStateError: it is none.
        """
        return rank_below(self.states, rank)


class Rules(ABC):
    """What a puzzle is.

    Attributes:
        name: its name.
        title: the same in words.
        metrics: the names of its metrics, the usual one first.
        options: what can be said on the command line in questions about it.
        needs_goal: whether a question about a state needs a goal.
        groups: names that stand for several of its tables.
        unit: what its moves are called.
        kind: how its questions can be answered.
        searches: whether some states are answered for without its tables.
        costs: what moves count, by name, where that is not 1.
    """

    name: str
    title: str
    metrics: Sequence[str] = ("htm",)
    options: Sequence[Option] = ()
    needs_goal: bool = False
    groups: Mapping[str, tuple[str, ...]] = {}  # nobody changes it
    unit: str = "moves"
    kind: Kind = "own"
    searches: bool = False
    costs: Mapping[str, int] = {}  # nobody changes it

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()  # those that are made of something say of what

    @property
    def number_of_states(self) -> int | None:
        """How many states there are, where that is known without a table."""
        return sum(self._distribution) or None

    @property
    def order(self) -> int | None:
        """The order of the group that its moves make; None if they make none, or if that is not known."""
        return None

    @property
    def gods_number(self) -> int | None:
        """The largest number of moves that a state needs in the usual metric, where that is known without a table."""
        return len(self._distribution) - 1 if self._distribution else None

    @property
    def _distribution(self) -> tuple[int, ...]:
        found = (entry.header.distribution for entry in self.usual_tables() if entry.header.distribution)
        return next(found, ())

    @property
    def spoken(self) -> str:
        """What names it on the command line."""
        return self.name

    @property
    def trained(self) -> Mapping[str, Mapping[str, Any]]:
        """What learners are trained on: names, and what is said in questions about these states and their moves."""
        return {self.name: {}}

    @property
    @abstractmethod
    def forms(self) -> Mapping[str, Form]:
        """The ways to write its states, the usual one first."""

    def reader(self, form: str, **how: Any) -> Callable[[str], Any]:  # noqa: ARG002  # some can be told more
        """What reads states in a form."""
        return self.forms[form].read

    @abstractmethod
    def read(self, given: Any) -> Any:
        """A state, however it was given.

        Raises:
            InvalidStateError: it is none.
            InvalidMoveError: it is an alg, and none of this puzzle's.
        """

    def claims(self, given: Any) -> bool:  # noqa: ARG002  # most must be named
        """Whether a state is certainly meant to be of this puzzle, although that was not said."""
        return False

    def claims_batch(self, given: Any, **question: Any) -> bool:  # noqa: ARG002
        """Likewise for many states, and what else was said in the question."""
        return False

    @abstractmethod
    def tables(self) -> Sequence[TableEntry]:
        """The tables that there can be of it."""

    def table(self, name: str) -> TableEntry:
        """One of its tables by name.

        Raises:
            ValueError: there is none with this name.
        """
        for entry in self.tables():
            if entry.name == name:
                return entry
        raise ValueError(f"{name} is not a table of the {self.title}")

    def refined_space(self, entry: TableEntry) -> RefinedSpace:
        """The space that a packed pattern database is about.

        Raises:
            ValueError: it is about something else.
        """
        raise ValueError(f"{entry.name} is not a packed pattern database")

    def graph_of(self, entry: TableEntry) -> Graph:
        """The states that a table of distances is about.

        Raises:
            ValueError: it is about something else.
        """
        raise ValueError(f"{entry.name} is not a table of states")

    @property
    def is_directed(self) -> bool:
        """Whether moves may have no inverses among the moves."""
        return False

    def restricted(
        self,
        moves: str | None,  # noqa: ARG002
        costs: Mapping[str, int] | str | None,  # noqa: ARG002
        *,
        inverses: bool = True,  # noqa: ARG002
    ) -> Rules:
        """The same puzzle with some moves alone, or with moves that count more than one.

        Args:
            moves: the moves, as an alg; all, if nothing is said.
            costs: what moves count, by name; as text, ``U2=2 R2=2``.
            inverses: whether a move also stands for its inverse and its other powers.

        Raises:
            InvalidMoveError: there is no such move.
            ValueError: a cost is not in 1..9, or moves cannot be chosen.
        """
        raise ValueError(f"restrict is not supported for the {self.title}")

    def towards(self, goal: Any) -> Rules:  # noqa: ARG002
        """The same puzzle, solved as soon as it fulfils a goal.

        Raises:
            InvalidStateError: this is no goal, or nothing fulfils it.
            ValueError: the puzzle has no goals but its own.
        """
        raise ValueError(f"goals are not supported for the {self.title}")

    def invert(self, alg: str) -> str:
        """The alg that undoes an alg."""
        raise NotImplementedError

    def count(self, alg: str) -> int:
        """How many moves an alg has; turning the puzzle as a whole is none."""
        return self.left(alg)[0]

    def left(self, alg: str) -> list[int]:
        """How many moves are left at the start of an alg, and after each of its moves; see `count`.

        >>> from cubesolve.catalog import rules_named
        >>> rules_named("pocket").left("U2 x R'")
        [2, 1, 1, 0]
        """
        counted = [not self.is_free(move) for move in self.split(alg)]
        return list(itertools.accumulate(reversed(counted), initial=0))[::-1]

    def is_free(self, move: str) -> bool:  # noqa: ARG002  # most puzzles are not turned as a whole
        """Whether a move turns the puzzle as a whole."""
        return False

    def asked(self, text: str, read: Callable[[str], Any], said: Mapping[str, Any]) -> Asked:
        """The question that a text stands for on the command line.

        Args:
            text: what was given as the state.
            read: reads states in the form that was chosen.
            said: the values of `options` that were given.

        Raises:
            InvalidStateError, InvalidMoveError: it stands for none.
        """
        about = {"metric": said.get("metric") or self.metrics[0]}
        return Asked(read(text), {name: value for name, value in said.items() if name != "colours"}, about)

    def pattern(self, entry: TableEntry, number: int) -> str:  # noqa: ARG002  # few tables are of patterns
        """What an entry of a table of least depths is about."""
        raise ValueError(f"{entry.name} is not a table of patterns")

    def usual_tables(self, metric: str | None = None) -> Sequence[TableEntry]:
        """The tables that most questions need.

        Args:
            metric: only those of this metric.

        Raises:
            ValueError: there is no such metric.
        """
        chosen = metric and self.require_metric(metric)
        entries = [entry for entry in self.tables() if chosen in {None, entry.header.metric}]
        return [entry for entry in entries if entry.by_default] or entries[:1]

    def solved(self, like: Any) -> Any:  # noqa: ARG002
        """The solved state, where there are several that which algs begin with; if one is given, in its colours.

        Raises:
            ValueError: no state is the solved one.
        """
        raise ValueError(f"no state of the {self.title} is the solved one")

    def at_first(self, said: Mapping[str, Any]) -> Any:  # noqa: ARG002
        """The state with which an alg begins, given the values of `options`.

        Raises:
            InvalidStateError: there is no such state.
        """
        return self.solved(None)

    def begin(self, asked: Asked) -> Any:
        """The state with which a question begins."""
        return self.read(asked.state)

    def split(self, alg: str) -> list[str]:
        """The moves of an alg, each as it is written by itself."""
        return alg.split()

    def after(self, state: Any, move: str) -> Any:
        """A state after a move."""
        return state.apply(move)

    def steps(self, state: Any, alg: str) -> Iterator[tuple[str, Any]]:
        """A caption and a state for the start of an alg and after each of its moves.

        >>> from cubesolve.catalog import rules_named
        >>> pocket = rules_named("pocket")
        >>> [caption for caption, state in pocket.steps(pocket.cube_type.solved(), "U2 R'")]
        ['start', '1 U2', "2 R'"]
        """
        yield "start", state
        for number, move in enumerate(self.split(alg), start=1):
            state = self.after(state, move)
            yield f"{number} {move}", state

    def picture(self, state: Any) -> Picture | None:  # noqa: ARG002  # some have none
        """A state as cells in colours; None if there is no picture of it."""
        return None

    def scene(self, state: Any) -> Scene | None:  # noqa: ARG002  # some are nowhere in space
        """A state in space; None if it is not told where its parts are."""
        return None

    def motion(self, state: Any, move: str) -> Motion:
        """What a move does in the scene of a state."""
        raise NotImplementedError

    def require_metric(self, metric: str | None) -> str:
        """A metric by name, the usual one if there is no name.

        Raises:
            ValueError: there is no such metric.
        """
        if metric is None:
            return self.metrics[0]
        return one_of("metric", metric, self.metrics)


class GraphRules(Rules):
    """What a puzzle is whose states all have ranks, so that a table can have all distances.

    Attributes:
        questions: what can be said to choose among its graphs.
        scramble_depth: the least number of moves that a scrambled state must need.
        scramble_length: the number of moves of a scramble; as few as there can be, if it is None.
    """

    kind: Kind = "ranked"
    questions: Sequence[str] = ("metric",)
    scramble_depth: int = 0
    scramble_length: int | None = None

    @abstractmethod
    def graph(self, **question: Any) -> Graph:
        """The states, and the moves that a question is about.

        Raises:
            ValueError: there is no such question.
        """

    def made(self, alg: str, state: Any) -> str:  # noqa: ARG002  # others may be held in many ways
        """The alg that makes a state of the solved one, given an alg that solves it."""
        return self.invert(alg)

    def relative(self, start: Any, target: Any) -> tuple[Any, Callable[[str], str]]:
        """The state that is solved by just those algs that turn one state into another.

        Args:
            start: a state, however it was given.
            target: another one.

        Returns:
            The state; and what is added to an alg that solves it, so that it ends in `target` as that is held.

        Raises:
            InvalidStateError: there is no such state.
        """
        raise NotImplementedError
