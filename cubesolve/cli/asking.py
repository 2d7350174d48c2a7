"""The commands `depth` and `solve`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from cubesolve.ask import Puzzle
from cubesolve.cli.files import STANDARD_OUTPUT, draw, html_option, in_words, require_one_output, svg_option, write_page
from cubesolve.cli.options import PuzzleCommand, json_option, keep_order_option, puzzle_of, states_argument
from cubesolve.cli.running import Answer, answer_all, is_watched, leave_when_told_to, parse_one
from cubesolve.errors import MissingTableError, SearchLimitError
from cubesolve.puzzles.options import WITHIN
from cubesolve.solvers.solution import Solution
from cubesolve.spaces.rules import Request

_FORMAT = ("--format", "form", True)


@click.command(cls=PuzzleCommand, question="depth", formats=[_FORMAT])
@states_argument
@keep_order_option
@json_option
def depth(states: tuple[str, ...], keep_order: bool, as_json: bool, form: str | None = None, **said: Any) -> None:
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
    questions = _Questions(puzzle_of(), form, said)

    def answer(text: str) -> Answer:
        asked = questions.asked(text)
        moves = questions.puzzle.depth(asked.state, **asked.named)
        return Answer(str(moves), {**asked.about, "depth": moves})

    questions.answer_all(states, answer, keep_order=keep_order, as_json=as_json)


@click.command(cls=PuzzleCommand, question="solve", formats=[_FORMAT])
@states_argument
@click.option("--all", "every", is_flag=True, help="Print every optimal solution, one per line.")
@click.option("--count", is_flag=True, help="Print the number of optimal solutions.")
@click.option(
    "--slack", type=click.IntRange(min=0), metavar="N", help="With --all: also print solutions up to N moves longer."
)
@click.option("--steps", is_flag=True, help="Print a picture of every step, in colour on a terminal.")
@svg_option("Also draw every step into this .svg file; - writes only the drawing, to stdout.")
@html_option("Also write a page that plays the solution into this .html file; - writes only the page, to stdout.")
@keep_order_option
@json_option
def solve(
    states: tuple[str, ...],
    every: bool,
    count: bool,
    slack: int | None,
    steps: bool,
    svg: str | None,
    html: str | None,
    keep_order: bool,
    as_json: bool,
    form: str | None = None,
    **said: Any,
) -> None:
    """Print an optimal solution of each STATE.

    The moves refer to the puzzle as it is held; a solved state gets an empty line. In the quarter-turn metric a half
    turn is written as two quarter turns. With --target, free rotations x y z may follow, so that the cube is held like
    the target. For rolling cubes, STATE is the goal, and the solution consists of rolls from --start.

    \b
    Examples:
      cubesolve solve --format alg "R U2 F'"
      cubesolve solve --all UUUUBBRRRRFFDDDDFFLLLLBB
      cubesolve solve --steps --format alg "R U2 F'"
      cubesolve solve --format alg "R U" --target "F2 x"
      cubesolve solve --puzzle rubik --format alg "R U2 F' D"
      cubesolve solve --puzzle rubik --within 3 --format alg "R U2 F' D"
      cubesolve solve --puzzle rubik --moves "R2 U2" --format alg "R2 U2 R2"
      cubesolve solve --puzzle rubik --goal cross --all --slack 1 --format alg "R U F"
      cubesolve solve --puzzle rolling --start 2,1 "BRB/BEB/BRB"
      cubesolve solve --format alg "R U2 F'" --html cube.html
    """
    if every and count:
        raise click.UsageError("--all and --count exclude each other")
    if (every or count) and said.get("within") is not None:
        raise click.UsageError("--within is about one solution, and excludes --all and --count")
    _require_one_way(states, svg, html, count)
    require_one_output(as_json, svg, html)
    if steps and (every or count or as_json or STANDARD_OUTPUT in {svg, html}):
        raise click.UsageError("--steps prints one solution, without --all, --count, --json, --svg - and --html -")
    questions = _Questions(puzzle_of(), form, said)
    puzzle, rules = questions.puzzle, questions.puzzle.rules
    longer: dict[str, Any] = {} if slack is None else {"slack": slack}
    if longer and not every:
        raise click.UsageError("--slack requires --all")
    if longer and not puzzle.lists_longer:
        raise click.UsageError(f"--slack is not supported for --puzzle {rules.spoken}")

    def answer(text: str) -> Answer:
        asked = questions.asked(text)
        if count:
            number = puzzle.count_solutions(asked.state, **asked.named)
            return Answer(str(number), {**asked.about, "count": number})
        algs = list(puzzle.solutions(asked.state, **asked.named, **longer)) if every else [_solved(puzzle, asked)]
        begin = rules.begin(asked)
        way = list(rules.view.steps(begin, algs[0])) if steps or svg else []
        drawn = draw(svg, ((caption, rules.view.picture(state)) for caption, state in way)) if svg else None
        if html:
            drawn = write_page(html, rules, begin, algs[0], _left(puzzle, asked, algs[0])) or drawn
        if steps:
            return Answer("\n\n".join(f"{caption}\n{in_words(rules, state)}" for caption, state in way), {})
        found = {"solutions": algs} if every else {"solution": algs[0]}
        fields = {**asked.about, rules.unit: rules.view.count(algs[0]), **found, **_proved(puzzle, asked, algs[0])}
        return Answer("\n".join(algs) if drawn is None else drawn, fields)

    questions.answer_all(states, answer, keep_order=keep_order, as_json=as_json)


def _require_one_way(states: tuple[str, ...], svg: str | None, html: str | None, count: bool) -> None:
    """Reject drawing or playing several solutions, or none."""
    for option, path, shows in (("--svg", svg, "draws"), ("--html", html, "plays")):
        if path and count:
            raise click.UsageError(f"{option} {shows} a solution, and --count prints none")
        if path and (states == ("-",) or len(states) > 1):
            raise click.UsageError(f"{option} {shows} the solution of one state")


def _left(puzzle: Puzzle, asked: Request, alg: str) -> list[int]:
    """The distances left at the start of a solution and after each move; none if they are not proved."""
    rules = puzzle.rules
    if asked.named.get("within") is not None:
        return []
    if rules.costs:
        return [puzzle.depth(state, **asked.named) for _, state in rules.view.steps(rules.begin(asked), alg)]
    return rules.view.left(alg)


def _solved(puzzle: Puzzle, asked: Request) -> Solution:
    """A solution; if it is not found in time, a terminal shows the option that finds a short one at once."""
    try:
        return puzzle.solve(asked.state, **asked.named)
    except (MissingTableError, SearchLimitError):
        if WITHIN in puzzle.rules.options and asked.named.get("within") is None and is_watched():
            click.echo("cubesolve: --within 9 prints a short solution at once", err=True)
        raise


def _proved(puzzle: Puzzle, asked: Request, alg: str) -> dict[str, int]:
    """The lower bound of a solution that need not be optimal, which a terminal also shows."""
    if asked.named.get("within") is None or not isinstance(alg, Solution):
        return {}
    if is_watched():
        click.echo(f"{puzzle.rules.view.count(alg)} moves; at least {alg.at_least} are needed", err=True)
    return {"at_least": alg.at_least}


class _Questions:
    """Questions of one kind about states of one puzzle."""

    def __init__(self, puzzle: Puzzle, form: str | None, said: dict[str, Any]) -> None:
        self.puzzle, rules = puzzle, puzzle.rules
        self._form = rules.view.forms[form or puzzle.forms[0]]
        self._read = rules.view.reader(form or puzzle.forms[0], **said)
        self._said = {name: value for name, value in said.items() if value is not None}
        target = self._said.pop("target", None)
        if target is not None:
            self._said["goal"] = parse_one("--target", target, self._read)
        leave_when_told_to()  # which may be while the copy of a table is written
        if is_watched():
            self._said["progress"] = _progress()

    def asked(self, text: str) -> Request:
        """The question about a state."""
        return self.puzzle.rules.asked(text, self._read, self._said)

    def answer_all(self, states: tuple[str, ...], answer: Callable[[str], Answer], **how: bool) -> None:
        """See `running.answer_all`."""
        form, searches = self._form, self.puzzle.rules.searches
        answer_all(states, answer, lines=form.lines, blank_lines=form.empty, searches=searches, **how)


def _progress() -> Callable[[int, int, float], None]:
    def print_depth(depth: int, nodes: int, seconds: float) -> None:
        speed = nodes / seconds / 1e6 if seconds else 0
        click.echo(f"depth {depth:2}  nodes {nodes:>15,}  {seconds:8.1f} s  {speed:6.1f} M/s", err=True)

    return print_depth
