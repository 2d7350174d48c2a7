"""The commands `depth` and `solve`."""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from cubesolve.ask import Puzzle
from cubesolve.cli.chains import StepsCommand, chain_fields, chain_text, chains, niss_option
from cubesolve.cli.options import (
    PuzzleCommand,
    json_option,
    keep_order_option,
    optional_states_argument,
    puzzle_of,
    require_one_acceptance,
)
from cubesolve.cli.output import Documents, Subject, document_options, in_words
from cubesolve.cli.running import Answer, answer_all, exit_on_signals, is_watched, parse_one, whole_input
from cubesolve.definitions.view import DefinedView
from cubesolve.errors import CubesolveError, InvalidDefinitionError, InvalidMoveError, InvalidStateError
from cubesolve.search.limits import Progress
from cubesolve.solvers.solution import Solution
from cubesolve.spaces.rules import Query, Rules

if TYPE_CHECKING:
    from cubesolve.analysis import Chain

_FORMAT = ("--format", "form", True)


_scrambles_option = click.option(
    "--scrambles",
    metavar="FILE",
    help="Take the states from a file of scrambles as twsearch reads it, or of KPuzzle patterns; - reads stdin.",
)
_progress_option = click.option(
    "--progress/--no-progress",
    "is_reported",
    default=None,
    help="Print depth, nodes and nodes a second of a search on stderr.  [default: on a terminal]",
)


@click.command(cls=PuzzleCommand, question="depth", formats=[_FORMAT])
@optional_states_argument
@_scrambles_option
@_progress_option
@keep_order_option
@json_option
def depth(
    states: tuple[str, ...],
    scrambles: str | None,
    is_reported: bool | None,
    keep_order: bool,
    as_json: bool,
    form: str | None = None,
    **options: Any,
) -> None:
    """Print the least number of moves that solve each STATE.

    \b
    Examples:
      cubesolve depth UUUUBBRRRRFFDDDDFFLLLLBB
      cubesolve depth --format uva --metric qtm "GGGG WWBB OORR YYYY BBWW RROO"
      cubesolve depth --json - < states.txt
      cubesolve depth --puzzle rubik --timeout 60 --format alg "R U2 F' D"
      cubesolve depth --puzzle skewb "R U' L B"
      cubesolve depth --puzzle rolling --start 2,1 "RBW/RWW/EWW"

    For rolling cubes, STATE is the goal, and the answer counts rolls from --start.
    """
    given = _states(states, scrambles, form)
    questions = _Questions(puzzle_of(), given, options, scrambles, is_reported)

    def answer(text: str) -> Answer:
        query = questions.query(text)
        moves = questions.puzzle.depth(query.state, **query.named)
        return Answer(str(moves), lambda: {**query.about, "depth": moves})

    questions.answer_all(answer, keep_order=keep_order, as_json=as_json)


@click.command(cls=StepsCommand, question="solve", formats=[_FORMAT])
@optional_states_argument
@_scrambles_option
@_progress_option
@click.option("--all", "every", is_flag=True, help="Print every optimal solution, one per line.")
@click.option("-n", "most", type=click.IntRange(min=1), metavar="N", help="Print the first N optimal solutions.")
@click.option("--starts", is_flag=True, help="Print an optimal solution for each first move that one can have.")
@click.option("--count", is_flag=True, help="Print the number of optimal solutions.")
@click.option(
    "--slack",
    type=click.IntRange(min=0),
    metavar="N",
    help="With --all, -n or --starts: also print solutions up to N moves longer. With --steps: try longer steps, too.",
)
@click.option(
    "--steps",
    metavar="[NAME,...]",
    help="Print a picture after every move, in colour on a terminal. With names, as cross,f2l,oll,pll or "
    "eo,dr,htr,solved: print a short solution that goes through these steps.",
)
@niss_option
@document_options("solution")
@keep_order_option
@json_option
def solve(
    states: tuple[str, ...],
    scrambles: str | None,
    is_reported: bool | None,
    every: bool,
    most: int | None,
    starts: bool,
    count: bool,
    slack: int | None,
    steps: str | None,
    niss: bool,
    documents: Documents,
    keep_order: bool,
    as_json: bool,
    form: str | None = None,
    **options: Any,
) -> None:
    """Print an optimal solution of each STATE.

    The moves refer to the puzzle as it is held; a solved state gets an empty line. In the quarter-turn metric a half
    turn is written as two quarter turns. With --target, free rotations x y z may follow; they turn the cube to the
    orientation of the target. For rolling cubes, STATE is the goal, and the solution consists of rolls from --start.

    \b
    Examples:
      cubesolve solve --format alg "R U2 F'"
      cubesolve solve --all UUUUBBRRRRFFDDDDFFLLLLBB
      cubesolve solve --steps --format alg "R U2 F'"
      cubesolve solve --puzzle skewb --steps layer,solved "R U' L"
      cubesolve solve --format alg "R U" --target "F2 x"
      cubesolve solve --puzzle rubik --format alg "R U2 F' D"
      cubesolve solve --puzzle rubik --within 3 --format alg "R U2 F' D"
      cubesolve solve --puzzle rubik --moves "R2 U2" --format alg "R2 U2 R2"
      cubesolve solve --puzzle rubik --goal cross --all --slack 1 --format alg "R U F"
      cubesolve solve --puzzle skewb --starts --slack 1 "R U' L"
      cubesolve solve --puzzle rolling --start 2,1 "BRB/BEB/BRB"
      cubesolve solve --format alg "R U2 F'" --html cube.html
    """
    if every and (count or most):
        raise click.UsageError(f"--all and {'--count' if count else '-n'} exclude each other")
    every = every or starts or most is not None
    if every and count:
        raise click.UsageError("--count prints a number, and excludes -n and --starts")
    for name in ("within", "max_length"):
        if (every or count) and options.get(name) is not None:
            spoken = name.replace("_", "-")
            raise click.UsageError(f"--{spoken} finds one solution, and excludes --all, -n, --starts and --count")
    require_one_acceptance(options)
    given = _states(states, scrambles, form)
    if count:
        documents.reject("a solution, and --count prints none")
    documents.require_one_state(given.texts, "the solution of ")
    documents.require_one_output(as_json)
    pictures = steps == ""
    if pictures and (every or count or as_json or documents.on_stdout):
        excluded = ["--all", "-n", "--starts", "--count", "--json", *documents.on_stdout]
        raise click.UsageError(f"--steps prints one solution, and excludes {', '.join(excluded)}")
    if niss and not steps:
        raise click.UsageError("--niss requires --steps with names of steps")
    questions = _Questions(puzzle_of(), given, options, scrambles, is_reported)
    puzzle, rules = questions.puzzle, questions.puzzle.rules
    if steps:
        find = chains(puzzle, steps, niss=niss, slack=slack, timeout=options.get("timeout"))
        answer = functools.partial(_answer_in_steps, questions, find, documents)
        questions.answer_all(answer, keep_order=keep_order, as_json=as_json)
        return
    longer = _longer(puzzle, slack, every)

    def answered(text: str) -> Answer:
        query = questions.query(text)
        if count:
            number = puzzle.count_solutions(query.state, **query.named)
            return Answer(str(number), lambda: {**query.about, "count": number})
        foreseen = questions.foreseen.get(text)
        if every:
            found = _chosen(rules, puzzle.solutions(query.state, **query.named, **longer), most, starts)
            if not (documents or as_json):
                return Answer(found, dict)
            algs = list(found)
        else:
            algs = [_solved(puzzle, query) if foreseen is None else foreseen]
        path = list(rules.view.steps(rules.begin(query), algs[0])) if pictures or documents else []
        document = documents.write(Subject(rules, path, algs[0], lambda: _left(puzzle, query, algs[0])))
        if pictures:
            return Answer("\n\n".join(f"{caption}\n{in_words(rules, state)}" for caption, state in path), dict)
        named = {"solutions": algs} if every else {"solution": algs[0]}
        proved = _proved(query, algs[0])
        return Answer(
            "\n".join(algs) if document is None else document,
            lambda: {**query.about, rules.unit: rules.view.count(algs[0]), **named, **proved},
        )

    foresee = None if every or count else questions.foresee
    questions.answer_all(answered, keep_order=keep_order, as_json=as_json, foresee=foresee)


def _answer_in_steps(questions: _Questions, find: Callable[[Any], Chain], documents: Documents, text: str) -> Answer:
    """Return a solution that goes through steps."""
    query = questions.query(text)
    chain, rules = find(query.state), questions.puzzle.rules
    document = documents.write(Subject(rules, list(rules.view.steps(rules.begin(query), chain.alg)), chain.alg))
    found = {rules.unit: chain.length, **chain_fields(chain)}
    return Answer(chain_text(rules.view, chain) if document is None else document, lambda: {**query.about, **found})


class _Given(NamedTuple):
    """The states of a command line.

    Attributes:
        texts: the states.
        form: their notation.
        faults: for those that cannot be read, by text, the error.
    """

    texts: tuple[str, ...]
    form: str | None
    faults: Mapping[str, CubesolveError] = {}


def _states(states: tuple[str, ...], scrambles: str | None, form: str | None) -> _Given:
    """Return the states of a command line."""
    if scrambles is None:
        if not states:
            raise click.UsageError("Missing argument 'STATE...'.")
        return _Given(states, form)
    if states:
        raise click.UsageError("--scrambles takes the states from a file, and excludes STATE")
    import json  # noqa: PLC0415  # rarely needed; importing it takes time

    from cubesolve.definitions.readers import format_kpuzzle_pattern, parse_scrambles, read_text  # noqa: PLC0415  # likewise

    view = puzzle_of().rules.view
    if not isinstance(view, DefinedView):
        raise click.UsageError(f"--scrambles is not supported for --puzzle {puzzle_of().rules.spoken}")
    text, name = (whole_input(), "stdin") if scrambles == "-" else (read_text(scrambles), scrambles)
    definition = view.in_pieces(view.definition)
    texts, faults = [], dict[str, CubesolveError]()
    for found in parse_scrambles(text, name, definition):
        if isinstance(found, InvalidDefinitionError):
            texts.append(str(found))
            faults[texts[-1]] = InvalidStateError(str(found))
        else:
            texts.append(json.dumps(format_kpuzzle_pattern(definition, found)))
    return _Given(tuple(texts), "kpuzzle", faults)


def _longer(puzzle: Puzzle, slack: int | None, every: bool) -> dict[str, Any]:
    """Return the keyword for solutions that are longer than optimal, if they are requested."""
    if slack is None:
        return {}
    if not every:
        raise click.UsageError("--slack requires --all, -n or --starts")
    rules = puzzle.rules
    if not puzzle.lists_longer:
        advice = "; with --moves or --goal it is" if isinstance(rules.view, DefinedView) else ""
        raise click.UsageError(f"--slack is not supported for --puzzle {rules.spoken}{advice}")
    return {"slack": slack}


def _chosen(rules: Rules, algs: Iterator[str], most: int | None, starts: bool) -> Iterator[str]:
    """Yield the first solutions, of all or of those with different first moves."""
    if starts:
        algs = _by_start(rules, algs)
    return itertools.islice(algs, most)


def _by_start(rules: Rules, algs: Iterator[str]) -> Iterator[str]:
    """Yield the first of the solutions with each first move."""
    seen = set[str]()
    for alg in algs:
        start = "".join(rules.view.split(alg)[:1])
        if start not in seen:
            seen.add(start)
            yield alg


def _left(puzzle: Puzzle, query: Query, alg: str) -> list[int]:
    """Return the distances at the start of a solution and after each move; an empty list if they are not proved."""
    rules = puzzle.rules
    if rules.costs:
        return [puzzle.depth(state, **query.named) for _, state in rules.view.steps(rules.begin(query), alg)]
    return alg.left() if isinstance(alg, Solution) else rules.view.left(alg)


def _solved(puzzle: Puzzle, query: Query) -> Solution:
    """Return a solution; on a terminal, print the bounds of its length whenever a shorter one is found."""
    if not is_watched():
        return puzzle.solve(query.state, **query.named)
    shortest = math.inf
    for found in puzzle.improvements(query.state, **query.named):
        if found.at_least < found.length < shortest:
            click.echo(f"{found.length} moves found, at least {found.at_least} are needed", err=True)
        shortest = found.length
    return found


def _proved(query: Query, alg: str) -> dict[str, int]:
    """Return the lower bound of a solution that need not be optimal, and print it on a terminal."""
    if not isinstance(alg, Solution) or {"within", "max_length"}.isdisjoint(query.named):
        return {}
    if is_watched():
        click.echo(f"{alg.length} moves; at least {alg.at_least} are needed", err=True)
    return {"at_least": alg.at_least}


class _Questions:
    """The options of a command line, applied to each state.

    Attributes:
        foreseen: the solutions of the next states, by text.
    """

    def __init__(
        self,
        puzzle: Puzzle,
        given: _Given,
        options: dict[str, Any],
        scrambles: str | None,
        is_reported: bool | None,
    ) -> None:
        self.puzzle, rules = puzzle, puzzle.rules
        self._given, form = given, given.form
        self._called = "argument" if scrambles is None else "scramble"
        self._form = rules.view.forms[form or puzzle.forms[0]]
        self._read = rules.view.reader(form or puzzle.forms[0], **options)
        self._options = {name: value for name, value in options.items() if value is not None}
        self.foreseen = dict[str, Solution]()
        target = self._options.pop("target", None)
        if target is not None:
            self._options["goal"] = parse_one("--target", target, self._read)
        exit_on_signals()  # the copy of a table may be written
        if is_watched() if is_reported is None else is_reported:
            self._options["progress"] = _progress()

    def query(self, text: str) -> Query:
        """Return the question about a state.

        Raises:
            InvalidStateError: it is invalid.
        """
        if text in self._given.faults:
            raise self._given.faults[text]
        return self.puzzle.rules.query(text, self._read, self._options)

    def foresee(self, texts: Sequence[str]) -> None:
        """Solve states together, where that is faster than one after the other."""
        solver = self.puzzle.solver
        if not solver.solves_together(self._options):
            return
        states = dict[str, Any]()
        for text in texts:
            with contextlib.suppress(InvalidStateError, InvalidMoveError):
                states[text] = self.query(text).state
        found = solver.solve_together(list(states.values()), **self._options)
        self.foreseen = {text: alg for text, alg in zip(states, found, strict=True) if alg is not None}

    def answer_all(self, answer: Callable[[str], Answer], **how: Any) -> None:
        """See `running.answer_all`."""
        form, searches = self._form, self.puzzle.rules.searches
        how = {**how, "searches": searches, "called": self._called}
        answer_all(self._given.texts, answer, lines=form.lines, blank_lines=form.empty, **how)


def _progress() -> Progress:
    last = 0, 0.0

    def print_depth(depth: int, nodes: int, seconds: float) -> None:
        nonlocal last
        before, then = last if nodes >= last[0] and seconds >= last[1] else (0, 0.0)  # else another search
        speed = (nodes - before) / (seconds - then) / 1e6 if seconds > then else 0
        last = nodes, seconds
        click.echo(f"depth {depth:2}  nodes {nodes:>15,}  {seconds:8.1f} s  {speed:6.1f} M/s", err=True)

    return print_depth
