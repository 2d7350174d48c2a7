"""Parts of the commands about tables: the tables that a command line names, and lines about each."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Callable, Iterable

import click

from cubesolve import catalog, lookup
from cubesolve.cli.options import complete, variant, variant_options
from cubesolve.cli.running import TABLE_TROUBLE, Value, complain, is_watched, with_hint
from cubesolve.encodings import encoding_of
from cubesolve.errors import TableError, UnknownPuzzleError
from cubesolve.lookup.finding import is_path
from cubesolve.spaces.rules import Rules
from cubesolve.spaces.tables import TableEntry

_ABOUT = "--metric, --moves, --cost, --no-inverses and --goal"
_LONG = 20  # seconds after which the depths of a count are printed on stderr, even if that is not a terminal

ChosenTables = list[tuple[Rules, TableEntry]]


class TableCommand(click.Command):
    """A command about tables, whose help lists them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the command line; explain where the puzzle is given."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if error.option_name != "--puzzle":
                raise
            message = f"No such option '--puzzle': the puzzle is the argument NAME, as in {ctx.command_path} skewb"
            raise click.UsageError(message, ctx) from None

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the values of NAME."""
        with formatter.section("Names"):
            _write_names(formatter, _every_name())
            formatter.write_text(
                "Also a puzzle that `cubesolve puzzles` lists, or a file that defines one, for its table."
            )


def _write_names(formatter: click.HelpFormatter, names: Iterable[str]) -> None:
    """Write names with commas between them; unlike `write_text`, break no line at a hyphen of a name."""
    indent = " " * formatter.current_indent
    lines = textwrap.wrap(", ".join(names), formatter.width - len(indent), break_on_hyphens=False)
    formatter.write("".join(f"{indent}{line}\n" for line in lines))


def _every_name() -> list[str]:
    known = catalog.tables()
    current = [entry for entry in known.values() if entry.built_by not in known]
    return [*catalog.groups(), *(entry.name for entry in current if encoding_of(entry.header).has_depths)]


_names = click.argument(
    "names",
    metavar="[NAME]...",
    nargs=-1,
    shell_complete=complete(lambda: dict.fromkeys([*_every_name(), *lookup.puzzles()])),
)


def about_options(command: click.decorators.FC) -> click.decorators.FC:
    """Add the argument NAME, and the options that change a puzzle."""
    return _names(variant_options(command))


def chosen_tables(names: Iterable[str], metric: str | None, **other: Value) -> ChosenTables:
    """Return the named tables; without any name, those that are built by default."""
    if not names:
        if metric or any(other.values()):
            raise click.UsageError(f"{_ABOUT} require the NAME of a puzzle")
        return [catalog.entry_named(name) for name in catalog.tables_named()]
    found: ChosenTables = []
    for name in names:
        found += _named(name, metric, **other)
    return found


def _named(
    name: str,
    metric: str | None,
    moves: str | None,
    cost: str | None,
    no_inverses: bool,
    goal: str | None,
) -> ChosenTables:
    is_puzzle = is_path(name) or name in catalog.names() or name in catalog.aliases()
    if not is_puzzle and (name in catalog.groups() or name in catalog.tables()):
        if metric or moves or cost or no_inverses or goal:
            raise click.UsageError(f"{name} is a table; {_ABOUT} require a puzzle")
        return [catalog.entry_named(each) for each in catalog.tables_named([name])]
    try:
        puzzle = lookup.puzzle(name)
    except UnknownPuzzleError as error:
        raise click.BadParameter(str(error), param_hint="NAME") from None
    puzzle = variant(puzzle, moves, cost, no_inverses, goal)
    hint = "--metric"
    try:
        if metric:
            puzzle.rules.require_metric(metric)
        hint = "--goal" if goal else "NAME"
        return [(puzzle.rules, entry) for entry in puzzle.usual_tables(metric)]
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint=hint) from None


def for_each(chosen: ChosenTables, describe: Callable[[Rules, TableEntry], str]) -> None:
    """Print lines about each table; report tables with errors, and continue with the others."""
    all_valid = True
    for rules, entry in chosen:
        try:
            click.echo(describe(rules, entry))
        except TableError as error:
            all_valid = False
            complain(with_hint(error))
    if not all_valid:
        click.get_current_context().exit(TABLE_TROUBLE)


def printing_depths(name: str) -> Callable[[int, int, int], None]:
    """Return a function that prints a line for each depth; only of long runs if stderr is not a terminal."""
    begin = time.monotonic() + (0 if is_watched() else _LONG)

    def print_depth(depth: int, states: int, total: int) -> None:
        if time.monotonic() < begin:
            return
        click.echo(f"{name}  depth {depth:2}  states {states:>9,}  total {total:>10,}", err=True)

    return print_depth
