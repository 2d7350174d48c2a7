"""The command line: data on stdout, everything else on stderr.

Exit status: 0 all answered, 1 some input invalid, 2 usage, 3 table missing or corrupt.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import io
import math
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, NoReturn, TypeVar

import click
from click.core import ParameterSource

from cubesolve import __version__, lookup, tablefile
from cubesolve.atomic import write_atomically
from cubesolve.catalog import CATALOG, GROUPS, find_table, tables_named
from cubesolve.errors import (
    CubesolveWarning,
    InvalidMoveError,
    InvalidStateError,
    MissingTableError,
    SearchLimitError,
    TableError,
    quoted,
)
from cubesolve.catalog.pocket.forms import FORMATS
from cubesolve.notation import METRICS
from cubesolve.catalog.pocket.cube import PocketCube

if TYPE_CHECKING:
    from cubesolve.lookup.trays import Start

State = TypeVar("State")

INVALID_INPUT = 1
TABLE_TROUBLE = 3
_INTERRUPTED = 130
_CLOSED_PIPE = 141
_BYTE_ORDER_MARK = "\ufeff"


class _LaterChoice(click.Choice[str]):
    """A choice from names in a module that is only loaded when they are needed: it would slow down every start."""

    def __init__(self, module: str, names: str) -> None:
        self._where = module, names
        self.case_sensitive = True

    @functools.cached_property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        module, names = self._where
        return tuple(getattr(importlib.import_module(module), names))


class _Commands(click.Group):
    """The group of all commands; turns what can go wrong into a line on stderr and an exit status."""

    def invoke(self, ctx: click.Context) -> Any:
        gc.set_threshold(700, 10, 100)  # what is loaded stays, and looking through all of it for garbage takes 60 ms
        for stream in (sys.stdin, sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):  # None if the caller closed it
                stream.reconfigure(errors="backslashreplace")
        if sys.stdout is None:
            _complain("output: standard output is closed")
            ctx.exit(INVALID_INPUT)
        try:
            with _warnings_in_lines():
                result = super().invoke(ctx)
            sys.stdout.flush()
        except TableError as error:
            _complain(str(error))
            ctx.exit(TABLE_TROUBLE)
        except BrokenPipeError:
            _discard_output()
            ctx.exit(_CLOSED_PIPE)
        except KeyboardInterrupt:
            ctx.exit(_INTERRUPTED)
        except MemoryError:
            _complain("there is not enough memory for this")
            ctx.exit(INVALID_INPUT)
        except OSError as error:
            _complain(f"{error.filename or 'output'}: {error.strerror or error}")
            _discard_output()
            ctx.exit(INVALID_INPUT)
        return result


@contextlib.contextmanager
def _warnings_in_lines() -> Iterator[None]:
    """Show a warning as a line on stderr, those of cubesolve's whatever the filters say."""
    with warnings.catch_warnings():
        warnings.simplefilter("default", CubesolveWarning)
        warnings.showwarning = lambda message, *_: _complain(f"warning: {message}")
        yield


def _complain(message: str) -> None:
    with contextlib.suppress(OSError):
        click.echo(f"cubesolve: {message}", err=True)


def _discard_output() -> None:
    """Let what is still buffered go nowhere, so that leaving cannot fail on it."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Query(NamedTuple):
    """One state asked about: as it was written, and where."""

    text: str
    line: int | None  # on standard input; None for an argument
    where: str


def _queries(states: tuple[str, ...], blank_lines: bool) -> Iterator[_Query]:
    for number, state in enumerate(states, start=1):
        if state != "-":
            yield _Query(state, None, f"argument {number}")
            continue
        for line, text in enumerate(sys.stdin or (), start=1):
            query = text.removeprefix(_BYTE_ORDER_MARK).strip()
            if query or blank_lines:
                yield _Query(query, line, f"line {line}")


def _answer_all(
    states: tuple[str, ...],
    parse: Callable[[str], State],
    as_json: bool,
    answer: Callable[[State], _Answer],
    blank_lines: bool = False,
) -> None:
    """Answer every state in order; one that cannot be answered is reported, and the others are still answered.

    A table that is missing is needed for some 3x3x3 cubes and not for others; for the other puzzles it ends everything.
    """
    status = 0
    for query in _queries(states, blank_lines):
        given = {"state": query.text} if query.line is None else {"line": query.line, "state": query.text}
        try:
            result = answer(parse(query.text))
        except (InvalidStateError, InvalidMoveError, SearchLimitError, MissingTableError) as error:
            if isinstance(error, MissingTableError) and not error.name.startswith("rubik"):
                raise
            status = max(status, TABLE_TROUBLE if isinstance(error, MissingTableError) else INVALID_INPUT)
            _complain(f"{query.where}: {error}")
            if as_json:
                known = {"at_least": error.at_least} if isinstance(error, SearchLimitError) else {}
                _print_json({**given, "error": str(error), **known})
        else:
            if as_json:
                _print_json({**given, **result.fields})
            else:
                click.echo(result.text)
        if query.line is not None:
            sys.stdout.flush()
    if status:
        click.get_current_context().exit(status)


class _Answer(NamedTuple):
    text: str
    fields: dict[str, Any]


def _print_json(record: dict[str, Any]) -> None:
    import json  # noqa: PLC0415  # only where it is asked for

    click.echo(json.dumps(record))


_states = click.argument("states", metavar="STATE...", nargs=-1, required=True)


def _format_option(name: str) -> Callable[[click.decorators.FC], click.decorators.FC]:
    return click.option(
        name,
        "form",
        type=click.Choice(list(FORMATS)),
        default="urfdlb",
        show_default=True,
        help="How the states are written.",
    )


_format = _format_option("--format")
_puzzle = click.option(
    "--puzzle",
    type=click.Choice(["pocket", "rubik", "rolling"]),
    default="pocket",
    show_default=True,
    help="The 2x2x2 cube, the 3x3x3, or cubes that roll in a tray; each STATE is then a goal.",
)
_start = click.option(
    "--start",
    metavar="X,Y|TRAY",
    help="Rolling cubes: column and row of the vacancy where all cubes start alike, or a tray.",
)
_model = click.option(
    "--model",
    type=_LaterChoice("cubesolve.rolling", "MODELS"),
    default="axis",
    show_default=True,
    help="Rolling cubes: opposite faces alike, one marked face, or all 24 orientations.",
)
_metric = click.option(
    "--metric",
    type=click.Choice(list(METRICS)),
    default="htm",
    show_default=True,
    help="Count every turn of a face (htm) or quarter turns (qtm).",
)
_max_depth = click.option("--max-depth", type=click.IntRange(min=0), help="3x3x3: the most moves to try.")


def _require_number(_ctx: click.Context, _parameter: click.Parameter, seconds: float | None) -> float | None:
    if seconds is not None and math.isnan(seconds):
        raise click.BadParameter("nan is not a number of seconds")
    return seconds


_timeout = click.option(
    "--timeout",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    callback=_require_number,
    help="3x3x3: when to give up on a state.",
)


def _require_workers(_ctx: click.Context, _parameter: click.Parameter, workers: int | None) -> int | None:
    if workers is not None:
        from cubesolve.workers import require_workers  # noqa: PLC0415  # only where it is asked for

        try:
            require_workers(workers)
        except ValueError as error:
            raise click.BadParameter(str(error)) from None
    return workers


_workers = click.option(
    "--workers", type=int, metavar="N", callback=_require_workers, help="3x3x3: how many threads search, 1 to 1024."
)
_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")


def _only_for(puzzle: str, *names: str) -> None:
    """Refuse options that were given and mean nothing for the puzzle."""
    ctx = click.get_current_context()
    for name in names:
        parameter = "form" if name == "format" else name.replace("-", "_")
        if ctx.get_parameter_source(parameter) == ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name} means nothing with --puzzle {puzzle}")


_LIMITS = ("max-depth", "timeout", "workers")


def _reader(puzzle: str, form: str) -> Callable[[str], Any]:
    """What reads a cube as it is written."""
    if puzzle == "pocket":
        return FORMATS[form].parse
    from cubesolve.catalog.rubik.cube import RubikCube  # noqa: PLC0415  # only where it is asked for

    readers = {"urfdlb": RubikCube, "alg": RubikCube.from_alg}
    if form not in readers:
        raise click.UsageError(f"--format {form} means nothing with --puzzle {puzzle}")
    return readers[form]


def _search_options(puzzle: str, limits: dict[str, Any]) -> dict[str, Any]:
    """What a question about a cube says about the search for its answer; only the 3x3x3 needs one."""
    if puzzle == "pocket":
        _only_for(puzzle, *_LIMITS)
        return {}
    _leave_when_told_to()  # which may be while the copy of a table is written
    return {**limits, "progress": _search_progress()}


def _search_progress() -> Callable[[int, int, float], None] | None:
    if not (sys.stderr and sys.stderr.isatty()):
        return None

    def print_depth(depth: int, nodes: int, seconds: float) -> None:
        speed = nodes / seconds / 1e6 if seconds else 0
        click.echo(f"depth {depth:2}  nodes {nodes:>15,}  {seconds:8.1f} s  {speed:6.1f} M/s", err=True)

    return print_depth


def _about(start: Start, model: str) -> dict[str, str]:
    return {"start": ",".join(map(str, start)) if isinstance(start, tuple) else str(start), "model": model}


def _parse_start(start: str | None, model: str) -> Start:
    if start is None:
        raise click.UsageError("--puzzle rolling needs --start: column and row of the vacancy, or a tray")
    if re.fullmatch(r"\s*\d{1,4}\s*,\s*\d{1,4}\s*", start):
        x, y = map(int, start.split(","))
        return x, y
    if "," in start:
        raise click.BadParameter(f"{quoted(start)} is not column,row, as in 2,1", param_hint="--start")
    from cubesolve.rolling import Tray  # noqa: PLC0415  # only where it is asked for

    return _parse_one("--start", start, lambda text: Tray(text, model))


_seed = click.option("--seed", type=int, help="Make the same random choices as every time with this number.")


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="cubesolve %(version)s")
def main() -> None:
    """Exact distances and shortest solutions of 2x2x2 and 3x3x3 cubes and of rolling cubes.

    \b
    A STATE is 24 facelets (54 with --puzzle rubik), U R F D L B, each face row
    by row as seen from outside; any six symbols are colours, the cube is held
    in any way. A single - stands for standard input, one state a line.

    \b
    Examples:
      cubesolve depth UUUUBBRRRRFFDDDDFFLLLLBB
      cubesolve solve --format alg "R U2 F'"
      cubesolve scramble -n 5 | cubesolve depth --format alg -
      cubesolve solve --puzzle rubik --format alg "R U2 F'"
      cubesolve solve --puzzle rolling --start 2,1 "RBW/RWW/EWW"
      cubesolve tables info

    Exit status: 0 all answered, 1 some input invalid, 2 usage, 3 table missing
    or corrupt.
    """


@main.command()
@_states
@_puzzle
@_format
@_metric
@_start
@_model
@_max_depth
@_timeout
@_workers
@_json
def depth(
    states: tuple[str, ...],
    puzzle: str,
    form: str,
    metric: str,
    start: str | None,
    model: str,
    as_json: bool,
    **limits: Any,
) -> None:
    """Print the least number of moves that solve each STATE, or of rolls from a start to it.

    \b
    Examples:
      cubesolve depth UUUUBBRRRRFFDDDDFFLLLLBB
      cubesolve depth --format uva --metric qtm "GGGG WWBB OORR YYYY BBWW RROO"
      cubesolve depth --json - < states.txt
      cubesolve depth --puzzle rubik --timeout 60 --format alg "R U2 F' D"
      cubesolve depth --puzzle rolling --start 2,1 "RBW/RWW/EWW"
    """
    if puzzle == "rolling":
        _only_for(puzzle, "format", "metric", *_LIMITS)
        begin = _parse_start(start, model)

        def answer_tray(goal: str) -> _Answer:
            rolls = lookup.depth(begin, goal, model)
            return _Answer(str(rolls), {**_about(begin, model), "depth": rolls})

        _answer_all(states, str, as_json, answer_tray)
        return
    _only_for(puzzle, "start", "model")
    parse, search = _reader(puzzle, form), _search_options(puzzle, limits)

    def answer(cube: Any) -> _Answer:
        moves = lookup.depth(cube, metric, **search)
        return _Answer(str(moves), {"metric": metric, "depth": moves})

    _answer_all(states, parse, as_json, answer, blank_lines=form == "alg")


@main.command()
@_states
@_puzzle
@_format
@_metric
@_start
@_model
@click.option("--all", "every", is_flag=True, help="Print every shortest solution, one a line.")
@click.option("--count", is_flag=True, help="Print only how many shortest solutions there are.")
@click.option("--target", metavar="STATE", help="Turn the cube into this state instead of solving it.")
@click.option("--svg", type=click.Path(dir_okay=False), help="Rolling cubes: draw every step into this file, too.")
@_max_depth
@_timeout
@_workers
@_json
def solve(
    states: tuple[str, ...],
    puzzle: str,
    form: str,
    metric: str,
    start: str | None,
    model: str,
    every: bool,
    count: bool,
    target: str | None,
    svg: str | None,
    as_json: bool,
    **limits: Any,
) -> None:
    """Print a shortest alg that solves each STATE as it is held, or shortest rolls from a start to it.

    A solved cube gets an empty line. In the quarter-turn metric a half turn is written as two quarter turns. With
    --target, rotations x y z that do not count may follow, so that the cube ends up held like the target.

    \b
    Examples:
      cubesolve solve --format alg "R U2 F'"
      cubesolve solve --all UUUUBBRRRRFFDDDDFFLLLLBB
      cubesolve solve --format alg "R U" --target "F2 x"
      cubesolve solve --puzzle rubik --format alg "R U2 F' D"
      cubesolve solve --puzzle rolling --start 2,1 "BRB/BEB/BRB"
    """
    if every and count:
        raise click.UsageError("--all and --count exclude each other")
    if puzzle == "rolling":
        _only_for(puzzle, "format", "metric", "target", *_LIMITS)
        if svg and count:
            raise click.UsageError("--svg draws a way, and --count shows none")
        if svg and (states == ("-",) or len(states) > 1):
            raise click.UsageError("--svg draws the way to one state")
        _solve_trays(states, _parse_start(start, model), model, every, count, svg, as_json)
        return
    _only_for(puzzle, "start", "model", "svg")
    parse, search = _reader(puzzle, form), _search_options(puzzle, limits)
    goal = None if target is None else _parse_one("--target", target, parse)

    def answer(cube: Any) -> _Answer:
        start = cube if goal is None else cube.relative_to(goal)
        if count:
            number = lookup.count_solutions(start, metric, **search)
            return _Answer(str(number), {"metric": metric, "count": number})
        algs = list(lookup.solutions(start, metric, **search)) if every else [lookup.solve(start, metric, **search)]
        moves = len(algs[0].split())
        if goal is not None:
            algs = [f"{alg} {start.apply(alg).homing_rotation()}".strip() for alg in algs]
        return _algs_answer(algs, every, {"metric": metric, "moves": moves})

    _answer_all(states, parse, as_json, answer, blank_lines=form == "alg")


def _solve_trays(
    states: tuple[str, ...], start: Start, model: str, every: bool, count: bool, svg: str | None, as_json: bool
) -> None:
    about = _about(start, model)

    def answer(goal: str) -> _Answer:
        if count:
            number = lookup.count_solutions(start, goal, model)
            return _Answer(str(number), {**about, "count": number})
        algs = list(lookup.solutions(start, goal, model)) if every else [lookup.solve(start, goal, model)]
        if svg:
            _write_file(svg, _draw_rolls(start, goal, algs[0], model))
        return _algs_answer(algs, every, {**about, "rolls": len(algs[0])})

    _answer_all(states, str, as_json, answer)


def _algs_answer(algs: list[str], every: bool, about: dict[str, Any]) -> _Answer:
    found = {"solutions": algs} if every else {"solution": algs[0]}
    return _Answer("\n".join(algs), {**about, **found})


def _draw_rolls(start: Start, goal: str, alg: str, model: str) -> str:
    from cubesolve import render  # noqa: PLC0415  # only where it is asked for
    from cubesolve.rolling import Tray, parse_cells  # noqa: PLC0415

    shape, _ = parse_cells(goal, model=model, goal=True)
    tray = Tray.start(start, shape.rows, shape.cols, model) if isinstance(start, tuple) else start
    steps = [("start", *parse_cells(tray.pattern, model=model, goal=True))]
    for number, direction in enumerate(alg, start=1):
        tray = tray.roll(direction)
        steps.append((f"{number} {direction}", *parse_cells(tray.pattern, model=model, goal=True)))
    return render.trays_svg(steps)


def _write_file(path: str, text: str) -> None:
    write_atomically(path, text.encode("utf-8", "backslashreplace"))


def _parse_one(what: str, text: str, parse: Callable[[str], State]) -> State:
    try:
        return parse(text)
    except (InvalidStateError, InvalidMoveError) as error:
        _complain(f"{what}: {error}")
        click.get_current_context().exit(INVALID_INPUT)


@main.command()
@click.option("-n", "number", type=click.IntRange(min=1), default=1, show_default=True, help="How many.")
@click.option(
    "--puzzle",
    type=click.Choice(["pocket", "rubik"]),
    default="pocket",
    show_default=True,
    help="The 2x2x2 cube or the 3x3x3.",
)
@_seed
@_workers
@_json
def scramble(number: int, puzzle: str, seed: int | None, workers: int | None, as_json: bool) -> None:
    """Print scrambles: moves to a random state that needs at least four (3x3x3: two).

    They are eleven moves for the 2x2x2, and as few as there can be for the 3x3x3.

    \b
    Examples:
      cubesolve scramble
      cubesolve scramble -n 5 --seed 7
    """
    import random  # noqa: PLC0415  # only where it is asked for

    rng, from_alg = random.Random(seed), _reader(puzzle, "alg")
    search = _search_options(puzzle, {"workers": workers})
    for _ in range(number):
        alg = lookup.scramble(rng, puzzle, **search)
        if as_json:
            _print_json({"scramble": alg, "state": str(from_alg(alg))})
        else:
            click.echo(alg)
        sys.stdout.flush()


@main.command()
@click.argument("state", metavar="STATE")
@_puzzle
@_format
@_model
@click.option("--svg", type=click.Path(dir_okay=False), help="Draw it into this file instead.")
def show(state: str, puzzle: str, form: str, model: str, svg: str | None) -> None:
    """Print the net of a STATE, or a tray, in colour on a terminal (not where NO_COLOR is set).

    \b
    Examples:
      cubesolve show --format alg "R U R' U'"
      cubesolve show --format alg "R U R' U'" --svg cube.svg
      cubesolve show --puzzle rubik --format alg "Rw U2 M'"
      cubesolve show --puzzle rolling "BRB/BEB/BRB"
    """
    from cubesolve import render  # noqa: PLC0415  # only where it is asked for
    from cubesolve.rolling import parse_cells  # noqa: PLC0415

    _only_for(puzzle, *(["format"] if puzzle == "rolling" else ["model"]))
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")

    def draw(text: str) -> _Answer:
        if puzzle == "rolling":
            shape, cells = parse_cells(text, model=model, goal=True)
            return _Answer(
                render.trays_svg([("", shape, cells)]) if svg else render.tray_text(shape, cells, colour), {}
            )
        cube = _reader(puzzle, form)(text)
        return _Answer(render.net_svg(cube) if svg else render.net_text(cube, colour), {})

    if svg is None:
        _answer_all((state,), str, as_json=False, answer=draw)
    elif state == "-":
        raise click.UsageError("--svg draws one state, not those of standard input")
    else:
        _write_file(svg, _parse_one("STATE", state, draw).text)


@main.command()
@_states
@_format_option("--from")
@click.option("--to", "to", type=click.Choice(list(FORMATS)), required=True, help="How to write them.")
@_json
def convert(states: tuple[str, ...], form: str, to: str, as_json: bool) -> None:
    """Write each STATE in another format.

    \b
    urfdlb   24 facelets, U R F D L B, each row by row
    uva      24 letters W R Y B O G, Top Front Right Bottom Back Left
    corners  24 letters, three a corner
    cubies   14 numbers: the pieces, then where their U or D facelets point
    alg      moves that make the state of a solved cube

    \b
    Examples:
      cubesolve convert --from alg --to urfdlb "R U R' U'"
      cubesolve convert --from uva --to alg "GGGG WWBB OORR YYYY BBWW RROO"
    """

    def answer(cube: PocketCube) -> _Answer:
        written = FORMATS[to].write(cube)
        return _Answer(written, {"format": to, "written": written})

    _answer_all(states, FORMATS[form].parse, as_json, answer, blank_lines=form == "alg")


@main.command()
@click.argument("name", metavar="FORMAT", type=_LaterChoice("cubesolve.judge", "PROBLEMS"))
@click.option(
    "--generate", "number", type=click.IntRange(1, 100_000), metavar="N", help="Write test data: N random cases."
)
@_seed
@click.option("--out", type=click.Path(file_okay=False), metavar="FOLDER", help="Where to write test data.")
@click.option("--check", "output", type=click.Path(), metavar="FILE", help="Judge the output in this file.")
def judge(name: str, number: int | None, seed: int | None, out: str | None, output: str | None) -> None:
    """Read the cases of an online judge on stdin, print its answers on stdout.

    With --generate, write inputs and their answers instead: random cases, every
    depth there is, and what goes wrong easily. With --check, say what is wrong
    with the answers in a file to the cases on stdin, if anything is.

    \b
    uva-11007   Mini Cube: quarter turns to solve
    hdu-2953    Rubiks Cube: quarter turns to solve
    corners-24  quarter turns of U F R from one cube to another
    cubies-14   shuffle, number of moves, and solution in half turns
    hdu-2691    2-Dimensional Rubik's Cube: quarter turns between two cubes
    mipt-041    quarter turns to solve
    cf-887c     Solution for Cube: is it exactly one quarter turn?
    hdu-4801    Pocket Cube: complete faces within N quarter turns
    poj-3131    Cubic Eight-Puzzle: rolls to a pattern, -1 if over 30
    rubik-5     3x3x3: at most five quarter turns that solve it, or -1

    \b
    Examples:
      cubesolve judge uva-11007 < cubes.txt
      cubesolve judge uva-11007 --check answers.txt < cubes.txt
      cubesolve judge uva-11007 --generate 100 --seed 7 --out data
    """
    if number is not None:
        if out is None or output is not None:
            raise click.UsageError("--generate needs --out, and excludes --check")
        _generate(name, number, seed, out)
    elif out is not None or seed is not None:
        raise click.UsageError("--out and --seed mean nothing without --generate")
    elif output is not None:
        _check(name, output)
    else:
        _answer_cases(name)


def _answer_cases(name: str) -> None:
    from cubesolve.judge import judge as judge_cases  # noqa: PLC0415  # only where it is asked for

    all_valid = True
    for verdict in judge_cases(name, _whole_input()):
        if verdict.answer is not None:
            click.echo(verdict.answer)
        else:
            all_valid = False
            _complain(f"case {verdict.case} (line {verdict.line}): {verdict.error}")
    if not all_valid:
        click.get_current_context().exit(INVALID_INPUT)


def _generate(name: str, number: int, seed: int | None, folder: str) -> None:
    import random  # noqa: PLC0415  # only where it is asked for

    from cubesolve.judge import generating  # noqa: PLC0415

    if seed is None:
        seed = random.SystemRandom().randrange(10**9)
        _complain(f"--seed {seed} makes the same test data again")
    data = generating.generate(name, number, seed)
    _leave_when_told_to()
    generating.write(data, folder)
    width = max(len(part.name) for part in data.parts)
    for part in data.parts:
        click.echo(f"{part.name:{width}}  {part.cases:>7,} {'case ' if part.cases == 1 else 'cases'}  {part.about}")


def _check(name: str, path: str) -> None:
    from cubesolve.judge.checking import check  # noqa: PLC0415  # only where it is asked for

    with open(path, "rb") as file:
        report = check(name, _whole_input(), _text_lines(path, file))
    for fault in report.faults:
        click.echo(str(fault))
    for verdict in report.invalid:
        _complain(f"case {verdict.case} (line {verdict.line}) of the input, to which no answer is due: {verdict.error}")
    if not report.cases:
        _complain("there is no case on standard input")
    click.echo(f"{report.right} of {report.cases} cases right")
    if not report.is_right:
        click.get_current_context().exit(INVALID_INPUT)


def _text_lines(path: str, file: BinaryIO) -> Iterator[str]:
    """The lines of a file, as long as they are lines of text."""
    for number, line in enumerate(iter(lambda: file.readline(_LONGEST_LINE + 1), b""), start=1):
        if len(line) > _LONGEST_LINE:
            _give_up(f"{path}: line {number} has more than {_LONGEST_LINE:,} bytes")
        try:
            yield line.decode("utf-8-sig")
        except UnicodeDecodeError:
            _give_up(f"{path}: line {number} is not text in UTF-8")


def _give_up(message: str) -> NoReturn:
    _complain(message)
    click.get_current_context().exit(INVALID_INPUT)


_LONGEST_LINE = 1_000_000


def _whole_input() -> str:
    return sys.stdin.read().removeprefix(_BYTE_ORDER_MARK) if sys.stdin else ""


@main.command()
@click.argument("name", metavar="NAME", type=_LaterChoice("cubesolve.export", "TABLES"))
@click.option("--out", required=True, type=click.Path(dir_okay=False), help="The file: .npz, .npy or .csv.")
@click.option("--columns", metavar="NAME,...", help="Of rank, facelets (cells, pattern), depth, moves; by default all.")
@click.option("--depth", type=int, help="Only the states at this depth.")
def export(name: str, out: str, columns: str | None, depth: int | None) -> None:
    """Write a whole table, a row for each state, into a file that other programs read.

    \b
    Examples:
      cubesolve export pocket-htm --out pocket.npz
      cubesolve export pocket-htm --out antipodes.csv --columns facelets,moves --depth 11
    """
    from cubesolve.export import Export  # noqa: PLC0415  # loads numpy

    try:
        file = Export(name, out, columns, depth)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    _leave_when_told_to()
    if sys.stderr and sys.stderr.isatty():
        with click.progressbar(length=file.steps, label=name, file=sys.stderr) as bar:
            file.write(bar.update)
    else:
        file.write()


def _leave_when_told_to() -> None:
    """Let a signal that ends the process end it like an error, so that no file is left half written."""
    import signal  # noqa: PLC0415  # only where files are written

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, lambda number, _frame: sys.exit(128 + number))


@main.group()
def tables() -> None:
    """Build, verify and describe the tables that answers come from.

    \b
    They are looked for in the folder that CUBESOLVE_TABLES names, in the
    checkout's tables folder, and inside the installed package; they are built
    in the first of these.
    """


_names = click.argument("names", metavar="[NAME]...", nargs=-1, type=click.Choice([*CATALOG, *GROUPS]))


@tables.command()
@_names
def build(names: tuple[str, ...]) -> None:
    """Build tables (all by default), see that they are right, and write them.

    They are proved, but for the pattern databases of the 3x3x3, whose digests
    are compared with those of proved ones: `tables verify` proves these, too.

    \b
    Example:
      cubesolve tables build pocket-htm
    """
    from cubesolve import generate  # noqa: PLC0415  # loads numba

    _leave_when_told_to()
    for name in tables_named(names):
        path = generate.build_table(name, progress=_progress(name))
        click.echo(f"{name} built: {path}")


def _progress(name: str) -> Callable[[int, int, int], None] | None:
    """What prints a line for each depth, if there is a terminal to see it."""
    if not (sys.stderr and sys.stderr.isatty()):
        return None

    def print_depth(depth: int, states: int, total: int) -> None:
        click.echo(f"{name}  depth {depth:2}  states {states:>9,}  total {total:>10,}", err=True)

    return print_depth


@tables.command()
@_names
def verify(names: tuple[str, ...]) -> None:
    """Prove that every entry of tables (all by default) is right.

    \b
    Example:
      cubesolve tables verify
    """
    from cubesolve import generate  # noqa: PLC0415  # loads numba

    _for_each_table(names, lambda name: f"{name} proved right: {generate.verify_table(name)}")


@tables.command()
@_names
def info(names: tuple[str, ...]) -> None:
    """Describe tables (all by default): file, size, digest, distribution.

    \b
    Example:
      cubesolve tables info pocket-qtm
    """
    _for_each_table(names, _description)


@tables.command("distribution")
@click.option("--tray", required=True, metavar="RxC", help="Rows and columns of the tray.")
@_model
@click.option("--start", default="1,1", show_default=True, metavar="X,Y", help="Column and row of the vacancy.")
@_json
def tray_distribution(tray: str, model: str, start: str, as_json: bool) -> None:
    """Enumerate a tray of rolling cubes; print each depth and how many states it has.

    \b
    Example:
      cubesolve tables distribution --tray 2x3 --model face --start 2,1
    """
    from cubesolve import rolling  # noqa: PLC0415  # `enumerate` is not for everyone's namespace

    size, vacancy = re.fullmatch(r"(\d{1,4})x(\d{1,4})", tray), re.fullmatch(r"(\d{1,4}),(\d{1,4})", start)
    if size is None:
        raise click.BadParameter(f"{tray!r} is not rows x columns, as in 2x3", param_hint="--tray")
    if vacancy is None:
        raise click.BadParameter(f"{start!r} is not column,row, as in 2,1", param_hint="--start")
    try:
        begin = rolling.Tray.start((int(vacancy[1]), int(vacancy[2])), int(size[1]), int(size[2]), model)
        counts = rolling.enumerate(begin, _progress(f"{tray} {model}")).distribution
    except InvalidStateError as error:
        _complain(str(error))
        click.get_current_context().exit(INVALID_INPUT)
    if as_json:
        _print_json({"distribution": counts})
    else:
        for depth, states in enumerate(counts):
            click.echo(f"{depth} {states}")


def _for_each_table(names: tuple[str, ...], describe: Callable[[str], str]) -> None:
    """Print a line or more about each table; what is wrong with one does not keep the others from it."""
    all_there = True
    for name in tables_named(names):
        try:
            click.echo(describe(name))
        except TableError as error:
            all_there = False
            _complain(str(error))
    if not all_there:
        click.get_current_context().exit(TABLE_TROUBLE)


def _description(name: str) -> str:
    path = find_table(name)
    header, size = tablefile.read_header(path)
    tablefile.require_same(header, CATALOG[name].header, path)
    widest = max(header.distribution)
    width = max(len("states"), len(f"{widest:,}"))
    lines = [
        f"{header.name}: {header.puzzle}, {header.metric}, {header.scheme}",
        f"  file     {path}",
        f"  size     {size:,} bytes for {header.entries:,} entries",
        f"  sha256   {header.sha256}",
        f"  source   {CATALOG[name].source}",
        f"  depth  {'states':>{width}}",
    ]
    for depth, states in enumerate(header.distribution):
        bar = "#" * max(1, round(_BAR * states / widest))
        lines.append(f"  {depth:5}  {states:>{width},}  {bar}")
    if header.encoding != tablefile.BYTE_DEPTHS:
        lines[-1] += "  at this depth or deeper"
    return "\n".join(lines)


_BAR = 40  # columns
