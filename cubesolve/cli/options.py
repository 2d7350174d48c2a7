"""Options of commands, including those that the puzzle declares."""

from __future__ import annotations

import contextlib
import functools
import math
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import click
from click.core import augment_usage_errors

from cubesolve import catalog, lookup
from cubesolve.ask import Puzzle
from cubesolve.cli.running import Value, complain
from cubesolve.definition.facelets import is_no_facelets
from cubesolve.definition.metrics import METRICS
from cubesolve.definition.options import Option, read_bytes
from cubesolve.errors import CubesolveError, InvalidDefinitionError, quoted
from cubesolve.runtime.arguments import Keywords, plain

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_PUZZLE, _WHOLE, _GOAL, _PARAMETERS, _IS_NAMED = (
    f"cubesolve.{name}" for name in ("puzzle", "whole", "goal", "parameters", "is_named")
)

states_argument = click.argument("states", metavar="STATE...", nargs=-1, required=True)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
keep_order_option = click.option(
    "--keep-order", is_flag=True, help="Print ? for a STATE without an answer, so that output lines match input lines."
)
Listed = tuple[str, Callable[[click.Context], Iterable[tuple[str, str]]]]  # the title of a section, and its rows

_FACELETS, _ROWS = 54, 9  # of a 3x3x3, and of its net, which begins with six blanks
_LONGEST_LINE = 200  # bytes of a line of facelets, or of the net

# The sections of the help of a command after the first one, and their options.
_SECTIONS = {
    "Moves and notation": "--moves --cost --no-inverses --target --orientation --faces --colours --start --model",
    "Limits": "--max-depth --max-length --within --timeout --share --workers --memory --progress",
    "Input and output": "--keep-order --json --svg --html --csv --sheet",
}
_SECTION_OF = {name: title for title, names in _SECTIONS.items() for name in names.split()}

seed_option = click.option("--seed", type=int, metavar="N", help="Random seed.")


def number_option(
    *names: str, text: str, least: int = 0, most: int | None = None, default: int | None = None, shown: bool = True
) -> Callable[[click.decorators.FC], click.decorators.FC]:
    """Return an option for a whole number in a range."""
    kind, show_default = click.IntRange(least, most), shown and default is not None
    return click.option(*names, type=kind, metavar="N", default=default, show_default=show_default, help=text)


class Seconds(click.FloatRange):
    """A time in a range; unlike `click.FloatRange`, it rejects nan."""

    name = "number of seconds"

    def convert(self, value: Value, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the time."""
        seconds: float = super().convert(value, param, ctx)
        if math.isnan(seconds):
            self.fail(f"{quoted(value)} is not a valid {self.name}.", param, ctx)
        return seconds


def seconds_option(name: str, text: str, least: float = 0) -> Callable[[click.decorators.FC], click.decorators.FC]:
    """Return an option for a time."""
    return click.option(name, type=Seconds(min=least), metavar="SECONDS", help=text)


def memory_option(text: str) -> Callable[[click.decorators.FC], click.decorators.FC]:
    """Return an option for a number of bytes."""
    return click.option("--memory", metavar="BYTES", type=Reading("bytes", read_bytes), help=text)


class ListingCommand(click.Command):
    """A command whose help ends with a section of names and descriptions."""

    def __init__(self, *args: Value, listed: Listed | None = None, **kwargs: Value) -> None:
        super().__init__(*args, **kwargs)
        self._listed = listed

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self._listed is not None:
            title, rows = self._listed
            with formatter.section(title):
                formatter.write_dl([*rows(ctx)])


class PuzzleCommand(ListingCommand):
    """A command about a puzzle, with options that depend on the puzzle."""

    def __init__(
        self,
        *args: Value,
        question: str,  # which selects options of the puzzle
        formats: Sequence[str] = (),  # the options for formats of states: --format, --from, --to
        default: str = "pocket",
        changes: str = "moves cost goal",  # the options that change the puzzle; --no-inverses comes with --moves
        **kwargs: Value,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.question, self.formats, self.default, self.changes = question, formats, default, changes.split()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the command line: first the puzzle, which determines the other options."""
        end = args.index("--") if "--" in args else len(args)
        given = _last_values(args, end, ("puzzle", "case", *self.changes))
        name, case, goal = given.pop("puzzle"), given.pop("case"), given.pop("goal", None)
        ctx.meta[_IS_NAMED] = name is not None
        cases = [case] if case else args if self.question == "cases" else ()
        name = name or next(filter(None, map(puzzle_with, cases)), "rubik" if case else None)
        name = name or ("rubik" if self.default == "pocket" and self._has_rubik(ctx, args[:end]) else self.default)
        no_inverses = "moves" in self.changes and "--no-inverses" in args[:end]
        try:
            with augment_usage_errors(ctx):
                puzzle = changed(find(name, "--puzzle"), **given, no_inverses=no_inverses)
                ctx.meta[_WHOLE], ctx.meta[_GOAL] = puzzle, goal
                ctx.meta[_PUZZLE] = puzzle if goal is None else changed(puzzle, goal=goal)
        except (click.UsageError, CubesolveError):
            if not ctx.resilient_parsing:  # a shell also completes an invalid command line
                raise
        try:
            return super().parse_args(ctx, self.arranged(ctx, args))
        except click.NoSuchOption as error:
            _explain(error, puzzle_of(ctx), self.question, ctx)

    def _has_rubik(self, ctx: click.Context, args: Sequence[str]) -> bool:
        """Return whether an argument, or else the first line or net of a pipe, has the facelets of a 3x3x3."""
        pairs = zip(["", *args], args, strict=False)
        texts = [
            arg for last, arg in pairs if len("".join(arg.split())) == _FACELETS and not self._has_value(ctx, last)
        ]
        peek = getattr(getattr(sys.stdin, "buffer", None), "peek", None)
        if "-" in args and not texts and peek is not None and not sys.stdin.isatty():
            begin = peek(_LONGEST_LINE).decode(errors="replace")
            texts = ["\n".join(begin.splitlines()[: _ROWS if begin.startswith(" " * 6) else 1])]
        return any(catalog.rules_named("rubik").view.claims(text) for text in texts)

    def _has_value(self, ctx: click.Context, arg: str) -> bool:
        """Return whether the argument after this one is the value of an option, such as a path."""
        is_option = arg.startswith("-") and arg != "-"
        return is_option and not any(getattr(each, "is_flag", 0) and arg in each.opts for each in self.get_params(ctx))

    def arranged(self, ctx: click.Context, args: list[str]) -> list[str]:  # noqa: ARG002  # for subclasses
        """Return the command line as click reads it; the puzzle is known."""
        return args

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        if _PARAMETERS not in ctx.meta:
            # Without a puzzle no command line has been read, as when click lists parameters.
            parameters = self._parameters(ctx, ctx.meta.get(_PUZZLE) or lookup.puzzle(self.default))
            if _PUZZLE not in ctx.meta:
                return parameters
            ctx.meta[_PARAMETERS] = parameters
        shared: list[click.Parameter] = ctx.meta[_PARAMETERS]
        return shared

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows: dict[str, list[tuple[str, str]]] = {title: [] for title in ("Options", *_SECTIONS)}
        for option in self.get_params(ctx):
            row = option.get_help_record(ctx) if isinstance(option, click.Option) else None
            if row is not None:
                rows[_SECTION_OF.get(option.opts[0], "Options")].append(row)
        for title, listed in rows.items():
            if listed:
                with formatter.section(title):
                    formatter.write_dl(listed)

    def _parameters(self, ctx: click.Context, puzzle: Puzzle) -> list[click.Parameter]:
        *own, for_help = super().get_params(ctx)
        arguments = [parameter for parameter in own if isinstance(parameter, click.Argument)]
        options = [parameter for parameter in own if not isinstance(parameter, click.Argument)]
        declared = [_click_option(option) for option in puzzle.rules.options if self.question in option.questions]
        about = [_about_puzzle(self.default), *_changes(self.changes)]
        return [*arguments, *about, *self._forms(puzzle), *declared, *options, for_help]

    def _forms(self, puzzle: Puzzle) -> list[click.Option]:
        if len(puzzle.forms) == 1:
            return []
        kind = Names(puzzle.forms)
        usual: dict[str, Value] = {"default": puzzle.forms[0], "show_default": True}
        return [
            click.Option([option], type=kind, required=True, help="Format to write.")
            if option == "--to"
            else click.Option([option, "form"], type=kind, help="Format of the states.", **usual)
            for option in self.formats
        ]


def note_alg(text: str, form: str) -> None:
    """Say which puzzle an alg is taken for if none is named."""
    meta = click.get_current_context().meta
    if not meta[_IS_NAMED] and (form == "alg" or is_no_facelets(text)) and puzzle_of().name == "pocket":
        meta[_IS_NAMED] = True  # once
        complain("2x2x2; for others: --puzzle 333")


def puzzle_with(case: str) -> str | None:
    """Return the name of the cube that has a set of cases, a case or a step; None if neither has."""
    steps = {name: catalog.rules_named(name).view.named_steps for name in ("rubik", "pocket")}
    return next((name for name, has in steps.items() if has.parted(case)[0] in {*has.goals, *has.case_sets}), None)


def puzzle_of(ctx: click.Context | None = None) -> Puzzle:
    """Return the puzzle of the command line."""
    puzzle: Puzzle = (ctx or click.get_current_context()).meta[_PUZZLE]
    return puzzle


def whole_and_goal() -> tuple[Puzzle, str | None]:
    """Return the puzzle of the command line without the goal, and the goal."""
    meta = click.get_current_context().meta
    return meta[_WHOLE], meta[_GOAL]


def _about_puzzle(default: str) -> click.Option:
    return click.Option(
        ["--puzzle", "-p"],
        default=default,
        show_default=True,
        metavar="NAME|FILE",
        expose_value=False,
        shell_complete=complete(lookup.puzzles),
        help="A puzzle that `cubesolve puzzles` lists, or a file that defines one.",
    )


def _changes(names: Collection[str]) -> Iterator[click.Option]:
    goal = 'Goal to reach instead of the solved state: "cross" (of D; "cross-U"), or a state with * for don\'t-cares.'
    for name, metavar, text in (
        ("--moves", "ALG", 'Allow only these moves: "R U", "U2 M".'),
        ("--cost", "MOVE=N...", 'Cost of moves, if not 1: "U2=2", "*=2 *2=3".'),
        ("--no-inverses", None, "Do not add inverses and other powers of the moves."),
        ("--goal", "NAME|STATE", goal),
    ):
        if ("moves" if name == "--no-inverses" else name[2:]) in names:
            yield click.Option([name], metavar=metavar, is_flag=metavar is None or None, expose_value=False, help=text)


def complete(names: Callable[[], Iterable[str]]) -> Callable[..., list[CompletionItem]]:
    """Return a completion function for names, which are listed only when needed, or else for files."""

    def completed(_ctx: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem  # noqa: PLC0415  # needed for shell completion only

        named = [CompletionItem(name) for name in names() if name.startswith(begun)]
        return named or [CompletionItem(begun, type="file")]

    return completed


def _last_values(args: Sequence[str], end: int, names: Sequence[str]) -> dict[str, str | None]:
    values: dict[str, str | None] = dict.fromkeys(names)
    for number, arg in enumerate(args[:end]):
        option, is_joined, value = arg.partition("=")
        if arg.startswith("-p"):  # or -pNAME
            option, is_joined, value = "--puzzle", arg[2:], arg[2:]
        name = option.removeprefix("--")
        if name in values and name != option and (is_joined or number + 1 < len(args)):
            values[name] = value if is_joined else args[number + 1]
    return values


def is_given(name: str) -> bool:
    """Return whether the command line has a parameter."""
    source = click.get_current_context().get_parameter_source(name)
    return source is click.core.ParameterSource.COMMANDLINE


def require_alone(option: str, known: Collection[str]) -> None:
    """Reject parameters that do not apply with an option."""
    context = click.get_current_context()
    for parameter in context.command.get_params(context):
        if parameter.name and parameter.name not in known and is_given(parameter.name):
            raise click.UsageError(f"{parameter.opts[0]} is not supported with {option}")


def require_one_acceptance(options: Keywords) -> None:
    """Reject a command line with two options for the solutions that are accepted."""
    if options.get("within") is not None and options.get("max_length") is not None:
        raise click.UsageError("--within and --max-length exclude each other")


@contextlib.contextmanager
def usage_errors(
    hint: str | None = None, *, before: str = "", keep: type[Exception] | tuple[type[Exception], ...] = ()
) -> Iterator[None]:
    """Report an invalid value as an error of the command line, or of the option in `hint`, except those to keep."""
    try:
        yield
    except keep:
        raise
    except ValueError as error:
        message = f"{before}{error}"
        raise (click.BadParameter(message, param_hint=hint) if hint else click.UsageError(message)) from None


def find(name: str, hint: str) -> Puzzle:
    """Return a puzzle by name, or from a file."""
    with usage_errors(hint, keep=InvalidDefinitionError):
        return lookup.puzzle(name)


class Variant(NamedTuple):
    """The options that change a puzzle which is an argument."""

    metric: str | None
    moves: str | None
    cost: str | None
    no_inverses: bool
    goal: str | None

    def of(self, name: str) -> str | Puzzle:
        """Return the name of a puzzle or a table, or if an option but the metric is given, the puzzle with it."""
        return self.puzzle(name) if any(self[1:]) else name

    def puzzle(self, name: str) -> Puzzle:
        return changed(find(name, "NAME"), *self[1:])


def variant_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that change a puzzle which is an argument; the command gets a `Variant`."""

    @functools.wraps(command)
    def with_variant(**values: Value) -> None:
        command(variant=Variant(*(values.pop(name) for name in Variant._fields)), **values)

    decorated: Callable[..., None] = with_variant
    for option in (
        click.option("--goal", metavar="NAME|STATE", help='Goal to reach instead of the solved state: "cross".'),
        click.option("--no-inverses", is_flag=True, help="Do not add inverses of the moves."),
        click.option("--cost", metavar="MOVE=N...", help='Cost of moves: "U2=2".'),
        click.option("--moves", metavar="ALG", help='Allow only these moves: "R U".'),
        click.option("--metric", metavar="NAME", help=f"Metric: {' or '.join(METRICS)} for most puzzles."),
    ):
        decorated = option(decorated)
    return decorated


def changed(
    puzzle: Puzzle,
    moves: str | None = None,
    cost: str | None = None,
    no_inverses: bool = False,
    goal: str | None = None,
) -> Puzzle:
    """Return a puzzle with the moves, costs and goal of the options."""
    if moves is not None or cost is not None or no_inverses:
        try:
            puzzle = puzzle.restrict(moves, cost, inverses=not no_inverses)
        except ValueError as error:
            is_move = moves is not None and isinstance(error, CubesolveError)
            given = {"--moves": moves is not None, "--cost": cost is not None, "--no-inverses": no_inverses}
            hint = "--moves" if is_move else ", ".join(option for option, is_given in given.items() if is_given)
            raise click.BadParameter(str(error), param_hint=hint) from None
    if goal is None:
        return puzzle
    with usage_errors("--goal"):
        return puzzle.towards(goal)


def _explain(error: click.NoSuchOption, puzzle: Puzzle, question: str, ctx: click.Context) -> NoReturn:
    """Report that a puzzle does not support an option, if another puzzle does."""
    name = error.option_name.removeprefix("--").replace("-", "_")
    options = {option.name for named in catalog.RECOGNIZED for option in catalog.rules_named(named).options}
    if name in options | {"format", "from", "to"}:
        message = f"{error.option_name} is not supported for --puzzle {puzzle.rules.spoken}"
        reason = "it has only one metric" if name == "metric" and len(puzzle.rules.metrics) == 1 else ""
        if question == "distribution":
            reason = puzzle.rules.uncounted.get(name, reason)
        raise click.UsageError(f"{message}: {reason}" if reason else message, ctx) from None
    if name == "bits" and question == "distribution":
        reason = "counts choose bits themselves; the option is for building tables"
        raise click.UsageError(f"No such option '{error.option_name}': {reason}", ctx) from None
    if error.option_name[1:].isdecimal():  # as the alg -3,0 / of a Square-1
        hint = "Write -- before an argument that begins with -."
        raise click.UsageError(f"{error.format_message()} {hint}", ctx) from None
    raise error


class Reading(click.ParamType[object]):
    """A value read by a function that raises `ValueError` for invalid text."""

    def __init__(self, name: str, read: Callable[[str], object]) -> None:
        self.name, self._read = name, read

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> object:
        try:
            return self._read(value) if isinstance(value, str) else value
        except ValueError as error:
            self.fail(str(error), param, ctx)


class Names(click.Choice[str]):
    """One of some names; case, spaces, hyphens and underscores do not matter."""

    def normalize_choice(self, choice: object, ctx: click.Context | None) -> str:  # noqa: ARG002
        return plain(str(choice))


def _click_option(option: Option) -> click.Option:
    parse: click.ParamType[object] = Names(option.choices) if option.choices else Reading(option.name, option.read)
    default = {} if option.default is None else {"default": option.default, "show_default": True}
    return click.Option(
        [option.name, *(f"--{name.replace('_', '-')}" for name in (option.name, option.alias) if name)],
        type=parse,
        metavar=option.metavar,
        required=option.required,
        help=option.help,
        **default,
    )
