"""The interface of every puzzle: a view, questions and tables (pure Python)."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, NamedTuple

from cubesolve.definition.options import OF_FACELETS
from cubesolve.definition.state import StateT, rank_below
from cubesolve.runtime.arguments import Keywords, one_of

if TYPE_CHECKING:
    import mmap

    from cubesolve.definition.options import Option
    from cubesolve.definition.view import View
    from cubesolve.group.moves import Move
    from cubesolve.spaces.batches import ArrayForm
    from cubesolve.spaces.space import RefinedSpace, StateSpace
    from cubesolve.spaces.tables import TableEntry


_WRITTEN = {option.name for option in OF_FACELETS}  # options that say how states are written


class Query(NamedTuple):
    """A question about a state, as the command line and the page receive it."""

    state: Any
    named: dict[str, Any]  # the keywords of the question
    about: dict[str, Any]  # fields that are repeated with the answer


class InArrays(NamedTuple):
    """A graph as arrays; `spaces.space_of` and `spaces.form_of` keep what the functions return."""

    space: Callable[[], StateSpace]  # the moves
    form: Callable[[], ArrayForm]  # the form of arrays of states; a `ValueError` if these are not supported


class Graph(ABC, Generic[StateT]):
    """The states of a puzzle as ranks, and the moves between them; subclasses assign the properties or compute them."""

    @functools.cached_property
    def entry(self) -> TableEntry:
        """The table of distances."""
        raise NotImplementedError

    @functools.cached_property
    def moves(self) -> Sequence[str]:
        """The names of the moves, in the order in which ties are broken."""
        raise NotImplementedError

    @functools.cached_property
    def states(self) -> int:
        """The number of states."""
        raise NotImplementedError

    @functools.cached_property
    def costs(self) -> Sequence[int] | None:
        """The cost of each move; None if all costs are 1."""
        return None

    @property
    def has_free_moves(self) -> bool:
        """Whether some moves cost 0."""
        return 0 in (self.costs or ())

    @functools.cached_property
    def joined(self) -> Collection[tuple[int, int]] | None:
        """The pairs of moves equal to no move or to one of at most their cost; None if the state decides."""
        return None

    @property
    def merges_rotations(self) -> bool:
        """Whether states that differ by a rotation have one rank, of which one is listed."""
        return False

    @property
    def starts(self) -> Sequence[int]:
        """The ranks of the states at depth 0."""
        return self.entry.starts

    @abstractmethod
    def rank(self, given: object) -> int:
        """Return the rank of a state that is given in any supported way."""

    @abstractmethod
    def unrank(self, rank: int) -> StateT:
        """Return the state with a rank."""

    @abstractmethod
    def neighbours(self, rank: int) -> Sequence[int]:
        """Return the rank after each move, -1 if the move is not possible."""

    @abstractmethod
    def in_arrays(self) -> InArrays:
        """Return how the graph is given as arrays, which needs numpy."""

    def by_rank(self, table: bytes | mmap.mmap) -> bytes | mmap.mmap:  # few tables are those of other states
        """Return the entries of the states of the graph, given the body of the table."""
        return table

    def written(self, moves: Sequence[int], given: object) -> str:  # other puzzles have several orientations
        """Return the alg of moves given by number, which lead from a listed state, in the orientation of a state."""
        return self.spelled(moves)

    def spelled(self, moves: Sequence[int]) -> str:
        """Return the alg of moves given by number."""
        return " ".join([self.moves[move] for move in moves])

    def checked(self, rank: object) -> int:
        """Return a valid rank unchanged."""
        return rank_below(self.states, rank)


class Rules(ABC, Generic[StateT]):
    """A puzzle: its view, the questions about it, and its tables; mappings are never changed."""

    needs_goal: bool = False  # a question about a state needs a goal
    groups: Mapping[str, tuple[str, ...]] = {}  # of its tables, by name
    unit: str = "moves"  # the name of its moves
    kind: str = "own"  # names the solver of its questions in `catalog.solvers`
    costs: Mapping[str, int] = {}  # of moves by name, where they are not 1
    is_directed: bool = False  # moves may lack inverses among the moves
    usual_length: int | None = None  # nearly all states are solved in so many moves at once, without table or search
    uncounted: Mapping[str, str] = {}  # why options of `tables distribution` are not supported, and what to do, by name

    def __init__(self, view: View[StateT], title: str | None = None, spoken: str | None = None) -> None:
        """Take a view, and a title and a name for the command line if they are not those of the view."""
        self.view = view
        self.name, self.title, self.spoken = view.name, title or view.title, spoken or view.spoken

    def __repr__(self) -> str:
        return f"<rules of {self.name}: {self.title}>"

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), ()  # rules with arguments override this

    # -- Facts ---------------------------------------------------------------------------------------------------------

    def usual_length_in(self, metric: str | None) -> int | None:
        """Return the usual length in a metric; in others than the usual one, a move is at most two."""
        usual = self.usual_length
        return usual if usual is None or metric in (None, self.metrics[0]) else 2 * usual + 1

    @property
    def metrics(self) -> Sequence[str]:
        """The names of its metrics, the usual one first."""
        return ("htm",)

    @property
    def options(self) -> Sequence[Option]:
        """The options of questions about it on the command line."""
        return ()

    @property
    def searches(self) -> bool:
        """Whether some states are answered without its tables."""
        return False

    @property
    def number_of_states(self) -> int | None:
        """The number of states; None if it is unknown without a table."""
        return sum(self._distribution) or None

    @property
    def order(self) -> int | None:
        """The order of the group of its moves; None if they generate none, or if it is unknown."""
        return None

    @property
    def gods_number(self) -> int | None:
        """The largest depth of a state in the usual metric; None if it is unknown without a table."""
        return len(self._distribution) - 1 if self._distribution else None

    @property
    def _distribution(self) -> tuple[int, ...]:
        distributions = (entry.header.distribution for entry in self.usual_tables() if entry.header.distribution)
        return next(distributions, ())

    @property
    def trained(self) -> Mapping[str, Mapping[str, object]]:
        """The environments for learning: names, and the keywords of questions about their states and moves."""
        return {self.name: {}}

    def array_moves(self, metric: str | None) -> tuple[Move, ...] | None:  # few puzzles have others
        """Return the moves of states as arrays; None if they are those of the definition."""
        return None

    # -- Questions -----------------------------------------------------------------------------------------------------

    def towards(self, goal: object) -> Rules[StateT] | None:  # few puzzles have goals of their own
        """Return the puzzle with a goal; None if its states are those of `spaces.variants.towards`."""
        return None

    def read(self, given: object) -> StateT:
        """Return a state that questions accept, given in any supported way; see `View.read`."""
        return self.view.read(given)

    def query(self, text: str, read: Callable[[str], object], options: Keywords) -> Query:
        """Return the question that a text represents on the command line."""
        about = {"metric": options.get("metric") or self.metrics[0]}
        return Query(read(text), {name: value for name, value in options.items() if name not in _WRITTEN}, about)

    def begin(self, query: Query) -> StateT:
        """Return the state at which a question begins."""
        return self.read(query.state)

    def at_first(self, options: Keywords) -> StateT:
        """Return the state at which an alg begins, given the values of options."""
        return self.view.solved(None)

    def require_metric(self, metric: str | None) -> str:
        """Return a metric by name; without a name, the usual one."""
        return self.metrics[0] if metric is None else one_of("metric", metric, self.metrics)

    # -- Tables --------------------------------------------------------------------------------------------------------

    @abstractmethod
    def tables(self) -> Sequence[TableEntry]:
        """Return the tables that can be built for it."""

    def table(self, name: str) -> TableEntry:
        """Return one of its tables by name."""
        for entry in self.tables():
            if entry.name == name:
                return entry
        raise ValueError(f"{name} is not a table of the {self.title}")

    def refined_space(self, entry: TableEntry) -> RefinedSpace:
        """Return the space of a packed pattern database; a `ValueError` for other tables."""
        raise ValueError(f"{entry.name} is not a packed pattern database")

    def arrays(self, entry: TableEntry, *, anew: bool = False) -> bytes:  # few tables are arrays
        """Return the body of a table of arrays, such as coordinates, derived `anew` or not."""
        raise ValueError(f"{entry.name} is not a table of arrays")

    def usual_tables(self, metric: str | None = None) -> Sequence[TableEntry]:
        """Return the tables that most questions need."""
        chosen = metric and self.require_metric(metric)
        entries = [entry for entry in self.tables() if chosen in {None, entry.header.metric}]
        return [entry for entry in entries if entry.by_default] or entries[:1]

    def graph_of(self, entry: TableEntry) -> Graph[StateT]:
        """Return the states of a table of distances; a `ValueError` for other tables."""
        raise ValueError(f"{entry.name} is not a table of states")

    def pattern(self, entry: TableEntry, number: int) -> str:  # few tables are of patterns
        """Return the pattern of an entry of a table of least depths."""
        raise ValueError(f"{entry.name} is not a table of patterns")


class GraphRules(Rules[StateT]):
    """A puzzle whose states all have ranks, so a table can have all distances."""

    kind = "ranked"
    questions: Sequence[str] = ("metric",)  # the keywords that select one of its graphs
    scramble_depth: int = 0  # the least depth of a scrambled state
    scramble_length: int | None = None  # of a scramble, in moves; None for an optimal solution

    @abstractmethod
    def graph(self, **question: Any) -> Graph[StateT]:
        """Return the states and moves that a question is about; a `ValueError` if a keyword is invalid."""

    def made(self, alg: str, state: object, metric: str | None = None) -> str:  # others have orientations
        """Return the alg that leads from the solved state to another, given a solution of that."""
        return self.view.invert(alg)
