"""The command `solve`, and solutions that go through steps, for `analyse` as well."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import click

from cubesolve.ask import Puzzle
from cubesolve.cli.options import (
    PuzzleCommand,
    json_option,
    keep_order_option,
    number_option,
    puzzle_of,
    require_alone,
    require_one_acceptance,
    states_argument,
    usage_errors,
)
from cubesolve.cli.output import FORMATS, Documents, Subject, document_options, in_words
from cubesolve.cli.questions import Questions, progress_option
from cubesolve.cli.running import Answer, Value, complain, is_watched, show_status
from cubesolve.definition.options import MAX_LENGTH
from cubesolve.errors import SearchLimitError, in_moves
from cubesolve.runtime.arguments import Keywords
from cubesolve.runtime.notices import notifying
from cubesolve.solvers.answers import Solution
from cubesolve.solvers.questions import accepted_at_end
from cubesolve.spaces.rules import Query, Rules

if TYPE_CHECKING:
    from cubesolve.definition.view import View
    from cubesolve.practice.analysis import SteppedSolution


niss_option = click.option(
    "--niss", is_flag=True, help="Steps may be on the inverse of the scramble; such moves are in parentheses."
)

_STEPS = "--steps"
_PATIENCE = 5.0  # seconds

# The parameters of `solve` that apply with names of steps.
_ALLOWED = (
    "states", "puzzle", "form", "steps", "niss", "slack", "timeout", *FORMATS, "keep_order", "as_json",
)  # fmt: skip


class _StepsCommand(PuzzleCommand):
    """A command with an option for steps whose value is optional: a state may follow the option, too."""

    def arranged(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Return the command line with an empty value of the option where no names of steps follow it."""
        end = args.index("--") if "--" in args else len(args)
        if _STEPS not in args[:end]:
            return args
        from cubesolve.practice.steps import are_steps  # noqa: PLC0415  # delays the start

        place = args.index(_STEPS)
        follows = "".join(args[place + 1 : place + 2])
        if place + 1 < end and are_steps(puzzle_of(ctx), follows):
            return [*args[:place], f"{_STEPS}={follows}", *args[place + 2 :]]
        return [*args[:place], f"{_STEPS}=", *args[place + 1 :]]


@click.command(cls=_StepsCommand, question="solve", formats=["--format"])
@states_argument
@progress_option
@click.option("--all", "every", is_flag=True, help="Print every optimal solution, one per line.")
@number_option("-n", "most", least=1, text="Print the first N optimal solutions.")
@click.option("--starts", is_flag=True, help="Print one optimal solution for each possible first move.")
@click.option("--count", is_flag=True, help="Print the number of optimal solutions.")
@number_option(
    "--slack",
    text="With --all, -n or --starts: also print solutions up to N moves longer. With --steps: also try steps up to N "
    "moves longer.",
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
    every: bool,
    most: int | None,
    starts: bool,
    count: bool,
    slack: int | None,
    steps: str | None,
    niss: bool,
    documents: Documents,
    **given: Value,
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
    _require_one_kind(every=every, most=most, starts=starts, count=count, options=given)
    every, pictures = every or starts or most is not None, steps == ""
    questions = Questions(**given)
    if count:
        documents.reject("a solution, and --count prints none")
    documents.require_one_state(questions.texts, "the solution of ")
    documents.require_one_output(questions.as_json)
    if pictures and (every or count or questions.as_json or documents.on_stdout):
        excluded = ["--all", "-n", "--starts", "--count", "--json", *documents.on_stdout]
        raise click.UsageError(f"--steps prints one solution, and excludes {', '.join(excluded)}")
    if niss and not steps:
        raise click.UsageError("--niss requires --steps with names of steps")
    puzzle, rules = questions.puzzle, questions.puzzle.rules
    if steps:
        answer = _in_steps(questions, documents, steps, niss=niss, slack=slack, timeout=given.get("timeout"))
        questions.answer_all(answer)
        return
    longer = _longer(puzzle, slack, every)

    def answered(text: str) -> Answer:
        query = questions.query(text)
        if count:
            number = puzzle.count_solutions(query.state, **query.named)
            return Answer(str(number), lambda: {**query.about, "count": number})
        foreseen = questions.foreseen.get(text)
        if every:
            optimal = puzzle.solutions(query.state, **query.named, **longer)
            solutions = itertools.islice(_by_start(rules, optimal) if starts else optimal, most)
            if not (documents or questions.as_json):
                return Answer(solutions, dict)
            algs = list(solutions)
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
            lambda: {
                **query.about,
                rules.unit: rules.view.count(algs[0], query.named.get("metric")),
                **named,
                **proved,
            },
        )

    questions.answer_all(answered, together=not (every or count))


def _require_one_kind(*, every: bool, most: int | None, starts: bool, count: bool, options: Keywords) -> None:
    if every and (count or most):
        raise click.UsageError(f"--all and {'--count' if count else '-n'} exclude each other")
    is_listed = every or starts or most is not None
    if is_listed and count:
        raise click.UsageError("--count prints a number, and excludes -n and --starts")
    for name in ("within", "max_length"):
        if (is_listed or count) and options.get(name) is not None:
            spoken = name.replace("_", "-")
            raise click.UsageError(f"--{spoken} finds one solution, and excludes --all, -n, --starts and --count")
    require_one_acceptance(options)


def _longer(puzzle: Puzzle, slack: int | None, every: bool) -> dict[str, Any]:
    if slack is None:
        return {}
    if not every:
        raise click.UsageError("--slack requires --all, -n or --starts")
    if not puzzle.lists_longer:
        raise click.UsageError(f"--slack is not supported for --puzzle {puzzle.rules.spoken}")
    return {"slack": slack}


def _by_start(rules: Rules, algs: Iterator[str]) -> Iterator[str]:
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
    return alg.left() if isinstance(alg, Solution) else rules.view.left(alg, query.named.get("metric"))


def _solved(puzzle: Puzzle, query: Query) -> Solution:
    """Return a solution; on a terminal, print the bounds of its length whenever a shorter one is found."""
    if not is_watched():
        return puzzle.solve(query.state, **query.named)
    shortest = math.inf
    try:
        with _advising(puzzle, query):
            for solution in puzzle.improvements(query.state, **query.named):
                if solution.length < shortest and not solution.is_proved:
                    show_status(f"{in_moves(solution.length)} found, at least {solution.at_least} needed")
                shortest = solution.length
    except SearchLimitError as error:
        return accepted_at_end(error, query.named)
    return solution


def _advising(puzzle: Puzzle, query: Query) -> AbstractContextManager[None]:
    """Say, after some seconds of a search for an optimal solution, how a short one is found sooner."""
    is_supported = any(option.name == MAX_LENGTH.name for option in puzzle.rules.options)
    if not is_supported or not {"within", "max_length"}.isdisjoint(query.named):
        return nullcontext()
    length = puzzle.rules.usual_length or "N"
    return notifying(f"--max-length {length} accepts a solution that need not be optimal, found sooner", _PATIENCE)


def _proved(query: Query, alg: str) -> dict[str, int]:
    """Return the lower bound of a solution that need not be optimal, and print it on a terminal."""
    if not isinstance(alg, Solution) or {"within", "max_length"}.isdisjoint(query.named):
        return {}
    if is_watched():
        complain(f"{in_moves(alg.length)}; at least {alg.at_least} needed")
    return {"at_least": alg.at_least}


# -- Solutions that go through steps -----------------------------------------------------------------------------------


def chain_fields(chain: SteppedSolution) -> dict[str, object]:
    """Return the solution and the steps of a chain, to be printed as JSON."""
    return {"solution": chain.alg, "steps": [{"step": name, "alg": alg} for name, alg in chain.parts]}


def chain_text(view: View, chain: SteppedSolution) -> str:
    """Return a line for each step, and one for the whole."""
    width = max(len(name) for name, _ in chain.parts)
    # Moves on the inverse, which are in parentheses, are turned round in the solution; otherwise it is not repeated.
    is_switched = chain.alg.split() != " ".join(alg for _, alg in chain.parts).split()
    counts = [view.count(alg.strip("()") if is_switched else alg) for _, alg in chain.parts]
    lines = [
        f"{name:{width}}  {count:>2}  {alg}".rstrip() for count, (name, alg) in zip(counts, chain.parts, strict=True)
    ]
    return "\n".join([*lines, f"{'':{width}}  {chain.length:>2}  {chain.alg if is_switched else ''}".rstrip()])


def _in_steps(questions: Questions, documents: Documents, steps: str, **options: Value) -> Callable[[str], Answer]:
    from cubesolve.practice.analysis import shortest_chain  # noqa: PLC0415  # delays the start
    from cubesolve.practice.inverses import require_inverses  # noqa: PLC0415  # likewise
    from cubesolve.practice.steps import Steps  # noqa: PLC0415  # likewise

    require_alone(f"{_STEPS} {steps}", _ALLOWED)
    names, puzzle, rules = [name.strip() for name in steps.split(",")], questions.puzzle, questions.puzzle.rules
    with usage_errors():
        Steps(puzzle, names)
        if options["niss"]:
            require_inverses(rules.view)
    given = {name: value for name, value in options.items() if value is not None}

    def answer(text: str) -> Answer:
        query = questions.query(text)
        chain = shortest_chain(puzzle, query.state, names, **given)
        document = documents.write(Subject(rules, list(rules.view.steps(rules.begin(query), chain.alg)), chain.alg))
        fields = {rules.unit: chain.length, **chain_fields(chain)}
        return Answer(
            chain_text(rules.view, chain) if document is None else document, lambda: {**query.about, **fields}
        )

    return answer
