"""A puzzle with its tables: what can be asked about any puzzle."""

from __future__ import annotations

import functools
import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from cubesolve import catalog
from cubesolve.arguments import one_of
from cubesolve.errors import UnknownPuzzleError, did_you_mean
from cubesolve.lookup.distribution import Distribution
from cubesolve.lookup.limits import NAMES, SearchOptions, limited
from cubesolve.lookup.solution import Solution
from cubesolve.lookup.tables import Table, Tables
from cubesolve.rules.rules import Graph, Rules
from cubesolve.rules.tables import BYTE_DEPTHS, MODULO, TableEntry, TableHeader

if TYPE_CHECKING:
    import random

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from cubesolve.lookup.arrays import GraphArrays

    Source = random.Random | np.random.Generator | int | None


_LIMITED = (
    "depth", "solve", "solutions", "count_solutions", "optimal_moves", "path", "alg", "write",
    "distribution", "antipodes", "random_state", "scramble",
    "depths", "solve_batch", "bounds", "optimal_moves_batch", "count_solutions_batch", "neighbors", "ranks", "written",
    "sample", "transition_table", "solution_counts",
    "restrict", "towards",
)  # fmt: skip
"""The questions that can take long; each takes `timeout` and `cancel`."""

_KEPT = 16


class Puzzle(ABC):
    """A puzzle: its states and moves, and exact answers about them.

    A state is given as the puzzle's own state, as text, or as a rank. What else can be said in a question goes by name:
    `metric`, and what `SearchOptions` lists; for some puzzles more. Every question that can take long takes `timeout`
    and `cancel`. These end everything that is done for it: half a second later at most there is an answer, or a
    `SearchLimitError`. What was built by then (tables, what ranks stand for) is kept, and the next question goes on
    with it.

    A puzzle can be pickled, and so sent to other processes, which open its tables when they are first needed.

    Attributes:
        lists_longer: whether `solutions` also lists longer ones.

    >>> from cubesolve import puzzle
    >>> skewb = puzzle("skewb")
    >>> skewb.depth("R U' L"), skewb.solve("R U' L")
    (3, "L' U R'")
    """

    lists_longer: ClassVar[bool] = False

    def __init_subclass__(cls, *, limits_each: Collection[str] = (), **others: Any) -> None:
        """Limit the questions that a puzzle answers in a way of its own.

        Args:
            limits_each: questions about many states that hand on the limits, which are those of each state.
            **others: for other base classes.
        """
        super().__init_subclass__(**others)
        for name in _LIMITED:
            if name in cls.__dict__ and name not in limits_each:
                setattr(cls, name, limited(cls.__dict__[name]))

    def __init__(self, rules: Rules, tables: Tables) -> None:
        """See `cubesolve.puzzle`."""
        self.rules = rules
        self._tables = tables
        self._by_graph: dict[Graph, GraphArrays] = {}

    def __repr__(self) -> str:
        return f"<puzzle {self.name}: {self.title}>"

    # What it keeps is only kept for the next question: a copy would answer the same.

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Callable[..., Puzzle], tuple[Rules | str, str | None]]:
        self._tables.require_open()
        return _opened_again, (_named(self.rules), self._tables.directory)

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

    @property
    def order(self) -> int | None:
        """The order of the group that its moves make, however large it is; None if they make none.

        They make none where they are not always possible, as with sliding tiles. Where pieces look alike, or turning
        the whole puzzle is free, there are fewer states.

        >>> from cubesolve import puzzle
        >>> puzzle("rubik").restrict("R U F").order
        170659735142400
        """
        return self.rules.order

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
        return one_of("form", form, self.rules.forms)

    def alg(self, state: Any) -> Solution:
        """A shortest alg that makes a state, as it is held, of the solved one."""
        given = self.rules.read(state)
        return self.path(self.rules.solved(given), given)

    def forget(self) -> None:
        """Give the memory back."""
        self._by_graph.clear()

    def restrict(
        self,
        moves: str | None = None,
        cost: Mapping[str, int] | str | None = None,
        *,
        inverses: bool = True,
    ) -> Puzzle:
        """The same puzzle with some moves alone, or with moves that count more than one.

        Args:
            moves: the moves, as an alg: ``R U``, ``U2 R2``, ``M2 U``. A move also stands for its multiples.
            cost: what moves count, by name, 1 to 9; as text, ``U2=2``, or ``*=2 *2=3`` with patterns.
            inverses: whether a move also stands for its inverse and its other powers. Without these the graph of states
                is directed. The depth of a state is the least number of moves that lead from it to the solved one.

        Returns:
            A puzzle that can be asked whatever can be asked about any. States that the moves do not lead to are an
            `UnsolvableStateError`.

        Raises:
            InvalidMoveError: there is no such move.
            ValueError: there is no such cost, or moves of this puzzle cannot be chosen.

        >>> from cubesolve import puzzle
        >>> puzzle("pocket").restrict("R U").states
        29160
        >>> clockwise = puzzle("pocket").restrict("R U", inverses=False)
        >>> clockwise.solve(puzzle("pocket").parse("R U", "alg"))
        'U U U R R R'
        """
        return with_tables(self.rules.restricted(moves, cost, inverses=inverses), self._tables)

    def towards(self, goal: Any) -> Puzzle:
        """The same puzzle, solved as soon as it fulfils a goal, which need not say everything.

        Args:
            goal: for cubes, facelets with ``*`` for what does not matter, or the name of a step, as ``cross``; for
                other puzzles, pieces with ``*``, or a pattern of KPuzzle with null. Texts may be several, separated by
                ``|``, any of which will do.

        Returns:
            A puzzle that can be asked whatever can be asked about any. Solutions leave a state as the goal says, held
            as it was given.

        Raises:
            InvalidStateError: this is no goal, or no moves lead there.
            ValueError: the puzzle has no goals but its own.

        >>> from cubesolve import puzzle
        >>> cross = puzzle("rubik").towards("cross")
        >>> cross.states, cross.solve(puzzle("rubik").parse("R U F", "alg"))
        (190080, "F' R'")
        """
        return with_tables(self.rules.towards(goal), self._tables)

    # -- Questions about one state -------------------------------------------------------------------------------------

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
    def solve(self, state: Any, goal: Any = None, **question: Any) -> Solution:
        """A shortest alg that solves a state, or leads from it to a goal, and knows where it begins; see `depth`."""

    @abstractmethod
    def solutions(self, state: Any, goal: Any = None, **question: Any) -> Iterator[str]:
        """Every shortest alg that does, in the order of the moves; see `depth`.

        Where there is a table, `slack` is how much longer they may be: shorter ones come first. Longer ones end where
        the state is solved first, and have no two moves in a row that none or one would do for.

        >>> from cubesolve import puzzle
        >>> list(puzzle("pancake-4").solutions("f2 f3", slack=2))
        ['f3 f2', 'f2 f3 f2 f3']
        """

    @abstractmethod
    def count_solutions(self, state: Any, goal: Any = None, **question: Any) -> int:
        """How many algs `solutions` lists."""

    def optimal_moves(self, state: Any, goal: Any = None, **question: Any) -> list[str]:
        """The moves with which a shortest solution can begin, in their order; none if there is nothing to be done."""
        first = (alg.split(maxsplit=1)[:1] for alg in self.solutions(state, goal, **question))
        return list(dict.fromkeys(move for moves in first for move in moves))

    def answers_at_once(self, state: Any, goal: Any = None, **question: Any) -> bool:  # noqa: ARG002
        """Whether `depth` only looks its answer up, in a table that is open already.

        >>> from cubesolve import puzzle
        >>> skewb = puzzle("skewb")
        >>> skewb.depth("R"), skewb.answers_at_once("U")
        (1, True)
        """
        return False

    def open(self) -> None:
        """Open those of its usual tables that are there, so that no question waits for that.

        Raises:
            TableError: one is damaged.

        >>> from cubesolve import puzzle
        >>> puzzle("rolling").open()
        """
        for entry in self._there():
            self._tables.body(entry)

    def _there(self) -> list[TableEntry]:
        return [entry for entry in self.rules.tables() if entry.by_default and self._tables.has(entry)]

    def path(self, start: Any, target: Any, **question: Any) -> Solution:
        """A shortest alg that turns one state into another; see `depth`."""
        return self.solve(start, target, **question)

    # -- Questions about all states ------------------------------------------------------------------------------------

    def distribution(self, **question: Any) -> Distribution:
        """The number of states at each depth, from 0: a tuple, which a notebook shows as bars."""
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

    # -- Arrays --------------------------------------------------------------------------------------------------------

    def depths(
        self, batch: Any, *, invalid: str = "raise", workers: int | None = None, **question: Any
    ) -> NDArray[np.uint8]:
        """The depth of every state of a batch.

        Args:
            batch: states: an array of ranks, integers (N,); an array of states as `written` gives it; text; or a list
                of states.
            invalid: ``raise``, or ``mask`` to go on.
            workers: number of threads; by default one for each processor. The result does not depend on it.
            **question: `metric`, and what the puzzle has beside.

        Returns:
            uint8 (N,): 255 for what is no state.

        Raises:
            InvalidStateError: an array of another shape or type, or rows that are no states: the first of them are
                named.
            ValueError: something is said that means nothing for this puzzle.
            TableError: the table is missing or damaged.
        """
        return self._distances_of_arrays(question).depths(batch, invalid, workers)

    def solve_batch(self, batch: Any, *, invalid: str = "raise", workers: int | None = None, **question: Any) -> Any:
        """A shortest solution of every state of a batch: that which `solve` gives; see `depths`.

        Returns:
            `moves`, uint8 (N, longest): the numbers of the moves, 255 after the last; `longest` is the largest depth of
            all states. And `lengths`, uint8 (N,): how many moves there are. Both are 255 for what is no state.
        """
        return self._distances_of_arrays(question).solve(batch, invalid, workers)

    def bounds(
        self, batch: Any, *, invalid: str = "raise", workers: int | None = None, **question: Any
    ) -> NDArray[np.uint8]:
        """How many moves every state of a batch needs at least, as a pattern database tells; see `lookup.bounds`.

        Returns:
            uint8 (N, bounds): 255 for what is no state.
        """
        raise self._unknown(
            "bounds by a pattern database", {"batch": batch, "invalid": invalid, "workers": workers, **question}
        )

    def optimal_moves_batch(
        self, batch: Any, *, invalid: str = "raise", workers: int | None = None, **question: Any
    ) -> NDArray[np.bool_]:
        """The moves with which a shortest solution of every state of a batch can begin; see `depths`.

        Returns:
            bool (N, moves): none for a solved state, and for what is no state.
        """
        return self._distances_of_arrays(question).optimal_moves(batch, invalid, workers)

    def count_solutions_batch(
        self, batch: Any, *, invalid: str = "raise", workers: int | None = None, **question: Any
    ) -> NDArray[np.int64]:
        """How many shortest solutions every state of a batch has; see `depths`.

        Returns:
            int64 (N,): 1 for a solved state, 0 for what is no state.
        """
        return self._distances_of_arrays(question).count_solutions(batch, invalid, workers)

    def neighbors(
        self, ranks: ArrayLike, *, invalid: str = "raise", workers: int | None = None, **question: Any
    ) -> NDArray[np.integer]:
        """The ranks that the moves lead to from every rank; see `depths`. No table is needed.

        Returns:
            int32 (N, moves): -1 where a move is not possible, and for what is no state.
        """
        return self._arrays(question).neighbors(ranks, invalid, workers)

    def ranks(
        self, batch: Any, *, invalid: str = "raise", workers: int | None = None, **question: Any
    ) -> NDArray[np.integer]:
        """The rank of every state of a batch, the same in every holding; see `depths`. No table is needed.

        Returns:
            int32 (N,): -1 for what is no state.
        """
        return self._arrays(question).ranks(batch, invalid, workers)

    def written(self, ranks: ArrayLike, *, workers: int | None = None, **question: Any) -> NDArray[Any]:
        """States with these ranks as an array, which `depths` reads again.

        Returns:
            For pocket cubes text, and for all others integers (N, points): in sliding tiles 0 is the gap, and all else
            is counted from 0; see "Numbers in arrays" in docs/learning.md.

        >>> from cubesolve import puzzle
        >>> puzzle("tiles-2x3").written([0])
        array([[1, 2, 3, 4, 5, 0]], dtype=uint8)
        """
        return self._arrays(question).written(ranks, workers)

    def sample(
        self, number: int, depth: ArrayLike | None = None, rng: Any = None, **question: Any
    ) -> NDArray[np.integer]:
        """Uniformly random states: of all, or each of those at a depth.

        Args:
            number: how many; the same state can come more than once.
            depth: the depth of all of them, or `number` integers, one each.
            rng: a source of random numbers, or a seed for one; by default one that nobody can repeat.
            **question: the metric of these depths, and what the puzzle has beside.

        Returns:
            int32 (N,): ranks; int64 where there are more than 2,147,483,648 states.

        Raises:
            ValueError: no state has such a depth.
            TableError: the table is missing or damaged; it is needed only where depths are given.
        """
        return self._distances_of_arrays(question).sample(number, depth, rng)

    def transition_table(self, *, workers: int | None = None, **question: Any) -> NDArray[np.integer]:
        """Where every move leads from every state: int32 (states, moves), -1 where it is not possible."""
        return self._arrays(question).transition_table(workers)

    def solution_counts(self, *, workers: int | None = None, **question: Any) -> NDArray[np.int64]:
        """How many shortest solutions every state has: int64 (states,), read-only."""
        return self._distances_of_arrays(question).ways(workers)

    def header(self, entry: TableEntry) -> TableHeader:
        """What one of its tables says about itself.

        Raises:
            TableError: the table is missing or damaged.
        """
        return self._tables.header(entry)

    def table(self, entry: TableEntry) -> Table:
        """One of its tables, whole.

        Raises:
            TableError: the table is missing or damaged.
            ValueError: it has no byte for each entry.
        """
        return self._tables.table(entry)

    def usual_tables(self, metric: str | None = None) -> Sequence[TableEntry]:
        """The tables that most questions need, or those in which such a question is answered that names a metric.

        Raises:
            ValueError: there is no such metric.
        """
        return self.rules.usual_tables(metric)

    def usual_table(self) -> TableEntry:
        """The table of all its states.

        Raises:
            ValueError: there is none.
        """
        found = [entry for entry in self.usual_tables() if entry.header.encoding == BYTE_DEPTHS]
        if not found:
            raise ValueError(f"there is no table of all states of the {self.title}")
        return found[0]

    def arrays_of(self, entry: TableEntry) -> GraphArrays:
        """Answers about arrays of the states that a table is about.

        Raises:
            ValueError: it is about something else.
        """
        return self._arrays_about(self.rules.graph_of(entry))

    def whole(self, **question: Any) -> GraphArrays | None:  # noqa: ARG002
        """Answers about arrays of all states, where a table has these; None where each is searched for.

        Args:
            **question: `metric`, and what the puzzle has beside.

        Raises:
            ValueError: something is said that means nothing for this puzzle.
        """
        return None

    def _distances_of_arrays(self, question: dict[str, Any]) -> GraphArrays:
        """The same for questions about distances, which need the table."""
        return self._arrays(question)

    def _arrays(self, question: dict[str, Any]) -> GraphArrays:
        raise self._unknown("arrays of states", question)

    def _arrays_about(self, graph: Graph) -> GraphArrays:
        from cubesolve.lookup.arrays import GraphArrays  # noqa: PLC0415  # needs numpy

        if graph not in self._by_graph:
            if graph.entry.header.encoding == MODULO:
                from cubesolve.lookup.modulo_arrays import ModuloArrays  # noqa: PLC0415  # few tables are so large

                self._by_graph[graph] = ModuloArrays(graph, self._tables)
            else:
                self._by_graph[graph] = GraphArrays(graph, self._tables)
        return self._by_graph[graph]

    def _refuse(self, said: Mapping[str, Any], known: Collection[str]) -> None:
        """Refuse what was said by name and means nothing for this puzzle.

        Args:
            said: what was said.
            known: the names that mean something, but for those of `SearchOptions`.
        """
        unknown = said.keys() - known
        if unknown:
            searching = () if unknown & NAMES else SearchOptions.__annotations__
            expected = [name for name in (*known, *searching) if name not in unknown]
            near = did_you_mean(min(unknown), expected)
            means = f"{', '.join(sorted(unknown))} means nothing for the {self.title}"
            raise ValueError(f"{means}: {near}{' ' if near else ''}expected {', '.join(expected) or 'nothing'}")

    def _unknown(self, what: str, _question: object) -> ValueError:
        return ValueError(f"{what}: not known of the {self.title}")


for _name in _LIMITED:
    setattr(Puzzle, _name, limited(getattr(Puzzle, _name)))


@functools.lru_cache(_KEPT, typed=True)
def _opened_again(rules: Rules | str, directory: str | None) -> Puzzle:
    """A puzzle that was pickled; tables are opened once, however often it comes."""
    return with_tables(catalog.rules_named(rules) if isinstance(rules, str) else rules, Tables(directory))


def _named(rules: Rules) -> Rules | str:
    """The name of a puzzle that ships; of others, all that they are."""
    try:
        shipped = catalog.rules_named(rules.name)
    except UnknownPuzzleError:
        return rules
    return rules.name if type(shipped) is type(rules) and shipped == rules else rules


def with_tables(rules: Rules, tables: Tables) -> Puzzle:
    """A puzzle with its tables, answered for by the module of this package that its rules name.

    >>> from cubesolve.catalog import rules_named
    >>> with_tables(rules_named("pocket"), Tables(None)).depth("WWWW BBRR RRGG YYYY GGOO OOBB")
    1
    """
    puzzle: Puzzle = importlib.import_module(f"cubesolve.lookup.{rules.answers}").ANSWERS(rules, tables)
    return puzzle
