"""A puzzle with its tables: every question that can be asked about any puzzle.

`arrays` has the questions about arrays of states; `Puzzle` inherits them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self, Unpack, overload

from cubesolve import catalog
from cubesolve.ask.arrays import ArrayQuestions
from cubesolve.catalog.solvers import solver_of
from cubesolve.definition.state import StateT
from cubesolve.definition.view import DefinedView
from cubesolve.encodings import encoding_of
from cubesolve.errors import SearchLimitError, UnknownPuzzleError, lacking
from cubesolve.runtime.arguments import integer, one_of
from cubesolve.search.limits import limited, within_limits
from cubesolve.solvers.answers import Distribution, Solution, chosen
from cubesolve.solvers.questions import Asked, accepted_at_end
from cubesolve.solvers.sources import seeded
from cubesolve.spaces.rules import Rules
from cubesolve.spaces.tables import TableEntry, TableHeader
from cubesolve.store.tables import Table, Tables

if TYPE_CHECKING:
    from cubesolve.ask.arrays import Given, Target
    from cubesolve.definition.cases import Cases
    from cubesolve.search.limits import Limits
    from cubesolve.solvers.arrays import GraphArrays
    from cubesolve.solvers.case_algs import CaseAlgs
    from cubesolve.solvers.keywords import (
        AntipodesQuestion,
        DrawQuestion,
        GraphQuestion,
        Question,
        SolutionsQuestion,
        SolveQuestion,
        StatesQuestion,
    )
    from cubesolve.solvers.solver import Solver, Source

_KEPT = 16


class Puzzle(ArrayQuestions[StateT]):
    """A puzzle: its states and moves, and exact answers about them.

    A state is given as the puzzle's own type, as text, or as a rank. Options are keywords: `metric`, those of
    `SearchOptions`, and those that only some puzzles have. Every question that can take long takes `timeout` and
    `cancel`, which bound everything that is done for it, preparation included: at most half a second later there is an
    answer, or a `SearchLimitError`. Tables that were built until then are kept, and the next question continues there.

    A puzzle can be pickled and sent to other processes, which open its tables when they need them.

    The type parameter is that of the states. ``puzzle("pocket")`` is a ``Puzzle[PocketCube]``, so type checkers accept
    its own states, text and ranks, and `parse` and `random_state` return a `PocketCube`.

    Attributes:
        rules: the definition of the puzzle, and how its states are written.
        solver: answers the questions.

    >>> from cubesolve import puzzle
    >>> skewb = puzzle("skewb")
    >>> skewb.depth("R U' L"), skewb.solve("R U' L")
    (3, "L' U R'")
    """

    def __init__(self, rules: Rules[StateT], tables: Tables) -> None:
        """Create it from the description of a puzzle, with the tables of one folder or of the usual ones."""
        self.rules = rules
        self._tables = tables
        self.solver = solver_of(rules, tables)

    def __repr__(self) -> str:
        return f"<puzzle {self.name}: {self.title}>"

    # A copy would give the same answers: a puzzle changes only what it has loaded for the next question.

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Callable[..., Puzzle], tuple[Rules[StateT] | str, str | None]]:
        self._tables.require_open()
        return _opened_again, (_named(self.rules), self._tables.directory)

    # -- What it is ----------------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name."""
        return self.rules.name

    @property
    def title(self) -> str:
        """The name in words."""
        return self.rules.title

    @property
    def metrics(self) -> Sequence[str]:
        """The names of the metrics, the default first."""
        return self.rules.metrics

    @property
    def moves(self) -> Sequence[str]:
        """The moves of the default metric, in the order in which ties are broken."""
        return self.solver.moves

    @property
    def states(self) -> int:
        """The number of states. For most puzzles it is known without a table, however large it is.

        Raises:
            CubesolveError, ValueError: the number is not known; for a puzzle defined by its moves, the message has an
                upper bound.
        """
        return self.solver.states

    @property
    def lists_longer(self) -> bool:
        """Whether `solutions` takes `slack`, and then lists longer solutions too."""
        return self.solver.lists_longer

    @property
    def group_order(self) -> int | None:
        """The order of the group that the moves generate; None if they generate none.

        Moves that are not always possible, as those of sliding tiles, generate no group. If pieces look alike, or
        whole-puzzle rotations are free, there are fewer states than elements.

        Raises:
            CubesolveError: it would take too long to find the order; the message has an upper bound.

        >>> from cubesolve import puzzle
        >>> puzzle("rubik").restrict("R U F").group_order
        170659735142400
        """
        return self.solver.order

    @limited
    def order(self, alg: str, **_limits: Unpack[Limits]) -> int:
        """Return the order of an alg: after how many repetitions, at least one, the solved puzzle is solved again.

        Where whole-puzzle rotations are free, the puzzle may end in another orientation.

        Args:
            alg: the alg.
            **_limits: `timeout` and `cancel`, as in `SearchOptions`.

        Raises:
            InvalidMoveError: the alg is invalid, or a move is not possible in some repetition.
            ValueError: no state of this puzzle is the solved one.

        >>> from cubesolve import puzzle
        >>> puzzle("rubik").order("R U"), puzzle("rubik").order("R U R' U'"), puzzle("15-puzzle").order("R D L U")
        (105, 6, 3)
        """
        return self.rules.view.order_of(alg)

    @limited
    def parse(self, text: str, form: str | None = None, **_limits: Unpack[Limits]) -> StateT:
        """Return the state that a text describes.

        Args:
            text: the text.
            form: the notation, one of `forms`; by default it is detected.
            **_limits: `timeout` and `cancel`, as in `SearchOptions`.

        Raises:
            InvalidStateError, InvalidMoveError: the text describes no state.
            ValueError: the puzzle does not have this notation.
        """
        return self.rules.read(text) if form is None else self.rules.view.reader(self._form(form))(text)

    @property
    def forms(self) -> Sequence[str]:
        """The names of the notations of states."""
        return tuple(self.rules.view.forms)

    @limited
    def write(self, state: Given[StateT], form: str, **_limits: Unpack[Limits]) -> str:
        """Return a state in a notation, one of `forms`.

        Raises:
            InvalidStateError: the state is invalid.
            ValueError: the puzzle does not have this notation.
        """
        write = self.rules.view.forms[self._form(form)].write
        return self.solver.alg(state) if write is None else write(self.rules.read(state))

    def _form(self, form: str) -> str:
        return one_of("form", form, self.rules.view.forms)

    @limited
    def definition(self, form: str, *, metric: str | None = None, **_limits: Unpack[Limits]) -> str:
        """Return the definition as text, which `cubesolve.puzzle` reads from a file with the suffix ``.json``.

        Args:
            form: ``kpuzzle``, the JSON of cubing.js, with the places of cubing.js for cubes; or ``cayleypy``, a Cayley
                graph: ``central_state``, and a permutation for each of ``generators``.
            metric: one of `metrics`, which determines the generators of the graph.
            **_limits: `timeout` and `cancel`, as in `SearchOptions`.

        Raises:
            CubesolveError: the format cannot express the puzzle, such as moves that are not always possible.
            ValueError: the puzzle has no definition, not this metric, or there is no such format.

        >>> import json
        >>> from cubesolve import puzzle
        >>> graph = json.loads(puzzle("skewb").definition("cayleypy"))
        >>> len(graph["central_state"]), list(graph["generators"])
        (30, ['R', "R'", 'U', "U'", 'L', "L'", 'B', "B'"])
        """
        from cubesolve.definition.formats import FORMATS  # noqa: PLC0415  # heavy: all formats of files

        written = {name: file_format.write for name, file_format in FORMATS.items() if file_format.write is not None}
        write = written[one_of("form", form, written)]
        rules = self.solver.derived_rules
        definition, looks = rules.definition, rules.labelling.looks
        numbers = {look: number for number, look in enumerate(sorted(set(looks.values())))}
        labels = [numbers[looks[label]] for label in definition.solved[0]]
        moves = rules.graph(metric=metric).definition_moves
        pieces = rules.view.in_pieces(definition) if isinstance(rules.view, DefinedView) else definition
        return write(definition, pieces, moves, labels)

    @limited
    def alg(self, state: Given[StateT], **_limits: Unpack[Limits]) -> Solution[StateT]:
        """Return a shortest alg that leads from the solved state to a state in its orientation."""
        return self.solver.alg(state)

    def forget(self) -> None:
        """Release the memory of everything that was loaded."""
        self.solver = solver_of(self.rules, self._tables)

    @limited
    def restrict(
        self,
        moves: str | None = None,
        cost: Mapping[str, int] | str | None = None,
        *,
        inverses: bool = True,
        **_limits: Unpack[Limits],
    ) -> Puzzle[StateT]:
        """Return this puzzle with only some of its moves, or with other costs of moves; what is not given stays.

        Args:
            moves: the moves, as an alg: ``R U``, ``U2 R2``, ``M2 U``. A move also stands for its multiples.
            cost: the costs of moves, by name, 0 to 9; as text, ``U2=2``, or ``*=2 *2=3`` with patterns. Where some
                cost 0, states are solved by tables, and not by search.
            inverses: whether a move also stands for its inverse and its other powers. Without these the graph of states
                is directed. The depth of a state is the least number of moves that lead from it to the solved one.
            **_limits: `timeout` and `cancel`, as in `SearchOptions`.

        Returns:
            A puzzle with all questions. States that these moves do not solve raise an `UnsolvableStateError`.

        Raises:
            InvalidMoveError: the puzzle does not have such a move.
            ValueError: a cost is invalid, or the moves of this puzzle cannot be chosen.

        >>> from cubesolve import puzzle
        >>> puzzle("pocket").restrict("R U").states
        29160
        >>> clockwise = puzzle("pocket").restrict("R U", inverses=False)
        >>> clockwise.solve(puzzle("pocket").parse("R U", "alg"))
        'U U U R R R'
        """
        from cubesolve.spaces.variants import restricted  # noqa: PLC0415  # delays the start

        return Puzzle(restricted(self.rules, moves, cost, inverses=inverses), self._tables)

    @limited
    def towards(self, goal: str | Mapping[str, object], **_limits: Unpack[Limits]) -> Puzzle[StateT]:
        """Return this puzzle with another goal, which may leave parts of the state open.

        Args:
            goal: for cubes, facelets with ``*`` as a don't-care; for other puzzles, pieces with ``*``; for all, a
                KPuzzle pattern with null, or the name of a step, as ``cross``. Text may list several goals, separated
                by ``|``; the nearest is reached.
            **_limits: `timeout` and `cancel`, as in `SearchOptions`.

        Returns:
            A puzzle with all questions. Its solutions lead to the goal in the orientation of the state.

        Raises:
            InvalidStateError: the goal is invalid, or no moves lead to it.
            ValueError: this puzzle has only its own goal.

        >>> from cubesolve import puzzle
        >>> cross = puzzle("rubik").towards("cross")
        >>> cross.states, cross.solve(puzzle("rubik").parse("R U F", "alg"))
        (190080, "F' R'")
        """
        from cubesolve.spaces.variants import towards  # noqa: PLC0415  # delays the start

        return Puzzle(self.rules.towards(goal) or towards(self.rules, goal), self._tables)

    @property
    def case_sets(self) -> Mapping[str, str]:
        """The names of the sets of cases, and what each is about.

        >>> from cubesolve import puzzle
        >>> puzzle("rubik").case_sets["oll"]
        'orientation of the last layer'
        """
        return {name: about.title for name, about in self.rules.view.named_steps.case_sets.items()}

    @limited
    def cases(self, name: str, **_limits: Unpack[Limits]) -> Cases:
        """Return the cases of a set: those that are left when some pieces are solved, up to adjusting a face.

        Args:
            name: the name of the set, one of `case_sets`.
            **_limits: `timeout` and `cancel`, as in `SearchOptions`.

        Raises:
            ValueError: there is no such set.

        >>> from cubesolve import puzzle
        >>> cll = puzzle("pocket").cases("cll")
        >>> len(cll), cll[1].probability, cll.find("R U R' U R U2 R'").number
        (43, Fraction(2, 81), 22)
        """
        from cubesolve.definition.cases import Cases  # noqa: PLC0415  # delays the start

        view = self.rules.view
        if not isinstance(view, DefinedView):
            raise ValueError(f"cases are not supported for the {self.title}")
        cases = Cases(view, name)
        len(cases)  # within the time
        return cases

    @limited
    def algs(
        self,
        name: str,
        which: str | None = None,
        *,
        moves: str | None = None,
        cost: Callable[[Sequence[str]], float] | None = None,
        number: int = 1,
        slack: int = 0,
        most: int = 16,
        memory: int | None = None,
        workers: int | None = None,
        report: Callable[[Sequence[CaseAlgs]], object] | None = None,
        **_limits: Unpack[Limits],
    ) -> list[CaseAlgs]:
        """Return the best algs of each case of a set, found by joining halves; adjusting before and after is free.

        Args:
            name: the name of the set, one of `case_sets`.
            which: the name of a case; by default, all of them.
            moves: the moves that algs consist of, as an alg; by default, those of the set. Wide moves, slices and
                rotations may be among them; the puzzle may then be rotated at the end, and the alg has the rotation
                that turns it back. A rotation within an alg counts as a move.
            cost: the cost of an alg, given its moves, as `ergonomics.USUAL.cost`; by default, the number of moves. For
                the Square-1 these are twists; algs with the same twists count as one, that with the fewest turns, and a
                cost compares the first 1,000 of each length.
            number: the number of algs of each case.
            slack: how many moves more than the shortest an alg may have. Costs are compared among these algs.
            most: the largest number of moves.
            memory: the bytes that the search may use; with few of them it takes longer.
            workers: number of threads; by default one for each processor. The result does not depend on it.
            report: called whenever algs were found, with those found so far of the cases that have some.
            **_limits: `timeout` and `cancel`, as in `SearchOptions`.

        Raises:
            InvalidMoveError: there is no such move.
            KeyError: there is no such case.
            NoMemoryError: there is too little memory.
            SearchLimitError: the search ended at its limit.
            ValueError: there is no such set, or a number is out of range.

        >>> from cubesolve import puzzle
        >>> found = puzzle("pocket").algs("cll", "22")
        >>> found[0].optimal, found[0].algs[0].alg
        (7, "R U2 R' U' R U' R'")
        """
        from cubesolve.solvers.case_algs import Wanted  # noqa: PLC0415  # delays the start

        if not (cost is None or callable(cost)):
            raise ValueError("cost must be a function of the moves, as cubesolve.practice.ergonomics.USUAL.cost")
        cases = self.cases(name)
        wanted = Wanted(
            moves=moves or cases.about.moves or None,
            cost=cost,
            number=integer("number", number, 1),
            slack=integer("slack", slack, 0),
            most=integer("most", most, 0),
            memory=None if memory is None else integer("memory", memory, 0),
            workers=workers,
            report=report or (lambda _found: None),
        )
        return self.solver.algs(cases, [*cases] if which is None else [cases[which]], wanted)

    # -- Questions about one state -------------------------------------------------------------------------------------

    def _toward(self, state: object, goal: object, question: Mapping[str, object]) -> tuple[Solver[StateT], Any]:
        """Return the solver of a question, and the state that it is asked about."""
        if goal is None:
            return self.solver, self._single(state)
        return self.solver.toward(self._single(state), self._single(goal), question)

    def _single(self, given: object) -> object:
        """Return a state that may be given as an array, as a row of a batch is."""
        if not hasattr(given, "__array__"):
            return given
        from cubesolve.spaces.batches import as_array  # noqa: PLC0415  # needs numpy

        array = as_array(given)
        if not array.ndim or array.dtype.kind in "US":
            return array.item() if not array.ndim else array.ravel().tolist()
        (state,) = self.solver.read_batch(array.reshape(1, -1), "raise")
        return state

    def depth(self, state: Given[StateT], goal: Target[StateT] = None, **question: Unpack[Question]) -> int:
        """Return the least number of moves that solve a state, or that lead from it to a goal.

        Args:
            state: the state: as the puzzle's own type, as text, as a rank, or as a list, tuple or array of facelets,
                pieces, or labels as those of `state_arrays`. For rolling cubes, the start: a tray, or
                the column and row of the vacancy of a uniform one.
            goal: the state to reach instead of the solved one. For rolling cubes a goal is required, and it can be a
                pattern.
            **question: `metric`, the options of `SearchOptions`, and the options that only some puzzles have.

        Raises:
            InvalidStateError: the state or the goal is invalid.
            UnsolvableStateError: no moves lead to the goal.
            SearchLimitError: a search ended at its limit.
            TableError: a table is missing or damaged.
            ValueError: the puzzle does not have this metric or option.

        >>> from cubesolve import puzzle
        >>> puzzle("skewb").depth("R U' L")
        3
        >>> puzzle("pocket").depth("R2 U", metric="qtm")
        3
        """
        if goal is None and not question and not hasattr(state, "__array__"):  # most questions have no keywords
            try:
                return self.solver.depth(state)
            except ModuleNotFoundError as error:
                raise lacking(error) from None
        return within_limits(self._depth, state, goal, **question)

    def _depth(self, state: object, goal: object, **question: Unpack[Question]) -> int:
        solver, asked = self._toward(state, goal, question)
        is_alone = isinstance(asked, Asked) and asked.target is None
        return solver.depth(asked.state if is_alone else asked, **question)

    def solve(
        self, state: Given[StateT], goal: Target[StateT] = None, **question: Unpack[SolveQuestion]
    ) -> Solution[StateT]:
        """Return an optimal solution of a state, or a shortest alg that leads from it to a goal.

        The solution is text; a notebook shows it step by step. It is empty if the state is solved already. Where
        several moves are equally good, the first in the order of `moves` is taken, so the same question always has the
        same answer. A search returns the solution that it finds first, which with the same table is always the same.

        The arguments and errors are those of `depth`; there are two more. `max_length` accepts any solution of at most
        this many moves: one of 21 for the 3x3x3, 56 for the 4x4x4 or 30 for the FTO is found at once. With `within`
        instead, a solution may be that many moves longer than the proved lower bound: if the time ends before that, or
        no table proves the bound, the shortest solution found is returned. Where moves have costs, both are about
        these. Without these keywords, a `SearchLimitError` has the shortest solution found, if any, as `solution`, and
        the bound as `at_least`.

        >>> from cubesolve import puzzle
        >>> puzzle("skewb").solve("R U' L")
        "L' U R'"
        """
        if goal is None and not question and not hasattr(state, "__array__"):
            try:
                return self.solver.solve(state)
            except ModuleNotFoundError as error:
                raise lacking(error) from None
        try:
            return within_limits(self._solve, state, goal, **question)
        except SearchLimitError as error:
            return accepted_at_end(error, question)

    def _solve(self, state: object, goal: object, **question: Unpack[SolveQuestion]) -> Solution[StateT]:
        solver, asked = self._toward(state, goal, question)
        return solver.solve(asked, **question)

    @limited
    def improvements(
        self, state: Given[StateT], goal: Target[StateT] = None, **question: Unpack[SolveQuestion]
    ) -> Iterator[Solution[StateT]]:
        """Return better and better solutions of a state, of which the last is that of `solve`.

        For the 3x3x3, the first comes within milliseconds. Each further one is shorter, or has a larger proved lower
        bound, `Solution.at_least`. Without a table that proves a solution optimal, solutions get shorter until the time
        ends; so do those of the 4x4x4 and the FTO. With `max_length` or `within`, so do solutions of other puzzles
        without a table. Without these keywords, but with a `timeout` or `cancel`, they get shorter until they are not
        many times as long as the lower bound, and then an optimal one is searched for; without a limit there is one
        solution.

        The arguments and errors are those of `solve`; the last solution is also in the error.

        >>> from cubesolve import puzzle
        >>> [(alg, alg.at_least) for alg in puzzle("rubik").improvements("R U F")]
        [("F' U' R'", 3)]
        """
        solver, asked = self._toward(state, goal, question)
        return solver.improvements(asked, **question)

    @limited
    def solutions(
        self, state: Given[StateT], goal: Target[StateT] = None, **question: Unpack[SolutionsQuestion]
    ) -> Iterator[str]:
        """List every optimal solution of a state.

        They come in the order of the moves, that of `solve` first. Two kinds of puzzles differ: for the 3x3x3, the
        solution of `solve` can be any of them; for a puzzle with several goals that have no common table, the solutions
        are listed goal by goal.

        The arguments and errors are those of `depth`. Most puzzles also take `slack`: solutions may then be that much
        longer, up to `max_depth`, and shorter ones come first. Where moves depend on a gap, this requires a table. A
        longer solution ends where it first solves the state, and contains no two adjacent moves that one move or none
        could replace; for the 3x3x3, no three adjacent turns of opposite faces either, and for the Clock, no two moves
        of a side with the same pins.

        >>> from cubesolve import puzzle
        >>> list(puzzle("pancake-4").solutions("f2 f3", slack=2))
        ['f3 f2', 'f2 f3 f2 f3']
        """
        solver, asked = self._toward(state, goal, question)
        return solver.solutions(asked, **question)

    @limited
    def count_solutions(self, state: Given[StateT], goal: Target[StateT] = None, **question: Unpack[Question]) -> int:
        """Return the number of optimal solutions of a state: how many `solutions` lists without `slack`.

        The arguments and errors are those of `depth`.

        >>> from cubesolve import puzzle
        >>> puzzle("pocket").count_solutions("R2", metric="qtm")
        2
        """
        solver, asked = self._toward(state, goal, question)
        return solver.count_solutions(asked, **question)

    @limited
    def optimal_moves(
        self, state: Given[StateT], goal: Target[StateT] = None, **question: Unpack[Question]
    ) -> list[str]:
        """List the moves with which an optimal solution can begin, in the order of `moves`.

        The list is empty if the state is solved. The arguments and errors are those of `depth`.

        >>> from cubesolve import puzzle
        >>> puzzle("pocket").optimal_moves("R2", metric="qtm")
        ['R', "R'"]
        """
        solver, asked = self._toward(state, goal, question)
        return solver.optimal_moves(asked, **question)

    def answers_at_once(self, state: Given[StateT], goal: Target[StateT] = None, **question: Unpack[Question]) -> bool:
        """Return whether `depth` answers by a look-up in a table that is open already, without a search.

        >>> from cubesolve import puzzle
        >>> skewb = puzzle("skewb")
        >>> skewb.depth("R"), skewb.answers_at_once("U")
        (1, True)
        """
        solver, asked = self._toward(state, goal, question)
        return solver.answers_at_once(asked, **question)

    @limited
    def open(self, **_limits: Unpack[Limits]) -> None:
        """Open those usual tables that are built, so that later questions do not wait for it.

        Args:
            **_limits: `timeout` and `cancel`, as in `SearchOptions`.

        Raises:
            TableError: one is damaged.

        >>> from cubesolve import puzzle
        >>> puzzle("rolling").open()
        """
        self.solver.open()

    @limited
    def path(self, start: Given[StateT], target: Given[StateT], **question: Unpack[SolveQuestion]) -> Solution[StateT]:
        """Return a shortest alg that leads from one state to another.

        For cubes, both states are given in the colours of one cube. Whole-cube rotations are free: where the alg must
        end with rotations to end in the orientation of `target`, they are written and do not count.

        Args:
            start: the state to begin with.
            target: the state to reach.
            **question: as for `depth`.

        Raises:
            InvalidStateError: one of the states is invalid, or they are states of different cubes.
            UnsolvableStateError, SearchLimitError, TableError, ValueError: as for `depth`.

        >>> from cubesolve import puzzle
        >>> puzzle("pocket").path("R U", "F x")
        "U' R' F x"
        """
        return self._solve(start, target, **question)

    # -- Questions about all states ------------------------------------------------------------------------------------

    @limited
    def distribution(self, **question: Unpack[StatesQuestion]) -> Distribution:
        """Return the number of states at each depth, from 0: a tuple, which a notebook shows as bars.

        A published distribution that the puzzle ships with needs no table.

        Args:
            **question: `metric`; for rolling cubes instead `start`, the column and row of the vacancy of a uniform
                start, its `tray` and `model`, and `patterns` to count top patterns instead of states. For puzzles
                with a table, `count=True` counts the states now instead, without keeping anything: with two bits a
                state, or a byte if a move costs more than 2.
                `levels` is the depth up to which states are counted, whatever their number is; for the Square-1, a
                number of twists. `from_goal` is a goal, and only states that fulfil it are counted: a step, as it is
                left by the step before. With any of these, `resume=True` continues a long count that was interrupted
                from its checkpoint, and `memory` is the maximum number of bytes, by default half of the machine's.

        Raises:
            InvalidStateError: `from_goal` is not a goal, or no moves lead to it.
            TooLargeError: there are too many states to count in this memory.
            TableError: the table is missing or damaged.
            ValueError: the distribution is not known, or the puzzle does not have this metric or option.

        >>> from cubesolve import puzzle
        >>> puzzle("pocket").distribution()[-1]
        2644
        """
        return self.solver.distribution(**chosen(question))

    @overload
    def antipodes(self, *, patterns: Literal[True], **question: Unpack[AntipodesQuestion]) -> list[str]: ...
    @overload
    def antipodes(self, *, patterns: Literal[False] = ..., **question: Unpack[AntipodesQuestion]) -> list[StateT]: ...
    @limited
    def antipodes(self, **question: Unpack[StatesQuestion]) -> list[StateT] | list[str]:
        """List the states at the largest depth, in the order of their ranks.

        Args:
            **question: `metric`; for rolling cubes `start` and `patterns`, as for `distribution`.

        Raises:
            TableError: the table is missing or damaged.
            ValueError: the antipodes are not known, or the puzzle does not have this metric or option.

        >>> from cubesolve import puzzle
        >>> len(puzzle("pocket").antipodes(metric="qtm"))
        276
        """
        return self.solver.antipodes(**question)

    @limited
    def random_state(
        self, rng: Source = None, depth: int | None = None, *, seed: int | None = None, **question: Unpack[DrawQuestion]
    ) -> StateT:
        """Draw a state uniformly at random: from all states, or from those at a depth.

        Args:
            rng: a source of random numbers, or a seed for one; by default the system's randomness.
            seed: the seed, as another keyword; a seed and its negative are one.
            depth: the depth of the state. It is not supported for several goals without a common table. Without a
                table, states are found by search, up to a depth where that takes seconds: 12 for the 3x3x3.
            **question: the metric of that depth; for rolling cubes `start` and `model`, as for `distribution`.

        Raises:
            TableError: the table is missing or damaged; without a depth most puzzles need none.
            ValueError: no state has this depth, states cannot be drawn by their depth, or the puzzle does not have this
                metric or option.

        >>> from cubesolve import puzzle
        >>> pocket = puzzle("pocket")
        >>> pocket.depth(pocket.random_state(7, depth=9))
        9
        """
        return self.solver.random_state(seeded(rng, seed), depth, **question)

    @limited
    def scramble(
        self,
        rng: Source = None,
        *,
        seed: int | None = None,
        depth: int | None = None,
        length: int | None = None,
        **question: Unpack[DrawQuestion],
    ) -> str:
        """Return an alg that leads to a random state, drawn uniformly from those that are scrambled enough.

        Of the pocket cube and the 3x3x3, those are the states that the WCA Regulations allow (4b3): at least four and
        two moves from solved. A scramble of the pocket cube has eleven moves, one of the 3x3x3 at most 21, one of
        the FTO about 27. Scrambles of other puzzles are as short as possible, unless they have more than 10^15 states
        and no heuristic that solves random states at once.

        Args:
            rng: a source of random numbers, or a seed for one; by default the system's randomness.
            seed: the seed, as another keyword; a seed and its negative are one.
            depth: the depth of the state, as for `random_state`.
            length: the number of moves of the alg; the state is then one of those that this many moves lead to.
            **question: as for `depth`; `metric` is that of both numbers.

        Raises:
            SearchLimitError: a search ended at its limit.
            TableError: the table is missing or damaged.
            ValueError: there is no such state or alg, or the puzzle does not have this metric or option.

        >>> from cubesolve import puzzle
        >>> skewb = puzzle("skewb")
        >>> skewb.depth(skewb.scramble(7, depth=5))
        5
        """
        return self.solver.scramble(seeded(rng, seed), depth=depth, length=length, **question)

    # -- Tables --------------------------------------------------------------------------------------------------------

    def header(self, entry: TableEntry) -> TableHeader:
        """Return the header of one of the tables.

        Raises:
            TableError: the table is missing or damaged.
        """
        return self._tables.header(entry)

    @limited
    def table(self, entry: TableEntry, **_limits: Unpack[Limits]) -> Table:
        """Return one of the tables.

        Args:
            entry: the table.
            **_limits: `timeout` and `cancel`, as in `SearchOptions`.

        Raises:
            SearchLimitError: it was not opened in time.
            TableError: the table is missing or damaged.
            ValueError: the table does not have a byte for each entry.
        """
        return self._tables.table(self.solver.offered(entry))

    def usual_tables(self, metric: str | None = None) -> Sequence[TableEntry]:
        """Return the tables that most questions need, or those that questions with a metric need.

        `store.build.build` builds each. If all are built, questions use them.

        Args:
            metric: the metric.

        Raises:
            ValueError: the puzzle does not have this metric.

        >>> from cubesolve import puzzle
        >>> [entry.name for entry in puzzle("ivy").usual_tables()]
        ['ivy-htm-coordinates', 'ivy-htm']
        """
        return within_limits(self.solver.usual_tables, metric)

    def usual_table(self, metric: str | None = None) -> TableEntry:
        """Return the table of all states.

        Raises:
            ValueError: there is none, or the puzzle does not have this metric.
        """
        entries = [entry for entry in self.usual_tables(metric) if encoding_of(entry.header).has_bytes]
        if not entries:
            raise ValueError(f"there is no table of all states of the {self.title}")
        return entries[0]

    def arrays_of(self, entry: TableEntry) -> GraphArrays:
        """Return the arrays of the states of a table.

        Raises:
            ValueError: its entries are not the states of this puzzle.
        """
        return self.solver.arrays_of(entry)

    @limited
    def whole(self, **question: Unpack[GraphQuestion]) -> GraphArrays | None:
        """Return the arrays of all states if a table holds their depths; None if each state is solved by search.

        Args:
            **question: as for `depths`.

        Raises:
            ValueError: the puzzle does not have this metric or option.
        """
        return self.solver.whole(**question)


@functools.lru_cache(_KEPT, typed=True)
def _opened_again(rules: Rules | str, directory: str | None) -> Puzzle:
    """Return a puzzle that was pickled; its tables are opened once, however often it is unpickled."""
    return Puzzle(catalog.rules_named(rules) if isinstance(rules, str) else rules, Tables(directory))


def _named(rules: Rules) -> Rules | str:
    """Return what a pickle contains: the name of a puzzle that ships, the whole rules of others."""
    try:
        shipped = catalog.rules_named(rules.name)
    except UnknownPuzzleError:
        return rules
    return rules.name if type(shipped) is type(rules) and shipped == rules else rules
