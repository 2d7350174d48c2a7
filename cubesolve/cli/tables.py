"""The commands about tables; `build` and `verify` are imported when they are needed."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from cubesolve import catalog, lookup
from cubesolve.cli.options import (
    PuzzleCommand,
    Variant,
    complete,
    is_given,
    json_option,
    memory_option,
    puzzle_of,
    usage_errors,
    variant_options,
)
from cubesolve.cli.output import DocumentFormat, Documents, document_options, file_option, save
from cubesolve.cli.running import (
    TABLE_TROUBLE,
    Answer,
    Commands,
    ErrorReport,
    Later,
    Value,
    complain,
    give_up,
    importing,
    is_watched,
    reporting,
)
from cubesolve.counting.records import Record, record
from cubesolve.encodings import encoding_of
from cubesolve.errors import MissingTableError, quoted
from cubesolve.lookup.finding import is_path
from cubesolve.picture.render import distribution_svg
from cubesolve.runtime.arguments import Keywords
from cubesolve.runtime.files import CACHE_VARIABLE, cache_folder
from cubesolve.spaces.rules import Rules
from cubesolve.spaces.tables import TableEntry, TableHeader
from cubesolve.store import tablefile
from cubesolve.store.folders import build_folder, find_table, table_folders
from cubesolve.store.unpacked import remove_copies

if TYPE_CHECKING:
    from cubesolve.ask import Puzzle
    from cubesolve.spaces.space import Progress

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
    entries = catalog.tables()
    return [*catalog.groups(), *(name for name, entry in entries.items() if encoding_of(entry.header).has_depths)]


_names = click.argument(
    "names",
    metavar="[NAME]...",
    nargs=-1,
    shell_complete=complete(lambda: dict.fromkeys([*_every_name(), *lookup.puzzles()])),
)


def about_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the argument NAME, and the options that change a puzzle."""
    return _names(variant_options(command))


@contextlib.contextmanager
def chosen_tables(
    names: Iterable[str], variant: Variant, *, is_built: bool = False
) -> Iterator[tuple[ChosenTables, ErrorReport]]:
    """Return the named tables, and a context for each; without any name, those that are built by default.

    Names and tables with errors are reported, and the others come next. With `is_built`, a puzzle whose usual tables
    are missing stands for others that are there.
    """
    if not names and any(variant):
        raise click.UsageError(f"{_ABOUT} require the NAME of a puzzle")
    chosen = [] if names else [catalog.entry_named(name) for name in catalog.tables_named()]
    with reporting() as report:
        for name in names:
            with report():
                chosen += _named(name, variant, is_built=is_built)
        yield chosen, report


def _named(name: str, variant: Variant, *, is_built: bool) -> ChosenTables:
    is_puzzle = is_path(name) or name in catalog.names() or name in catalog.aliases()
    if not is_puzzle and (name in catalog.groups() or name in catalog.tables()):
        if any(variant):
            raise click.UsageError(f"{name} is a table; {_ABOUT} require a puzzle")
        return [catalog.entry_named(table) for table in catalog.tables_named([name])]
    puzzle = variant.puzzle(name)
    if variant.metric:
        with usage_errors("--metric"):
            puzzle.rules.require_metric(variant.metric)
    with usage_errors("--goal" if variant.goal else "NAME"):
        usual = puzzle.usual_tables(variant.metric)
    if is_built and not any(map(_is_there, usual)):
        others, metrics = filter(_is_there, puzzle.rules.tables()), {entry.header.metric for entry in usual}
        same = (entry for entry in others if entry.header.metric in metrics and encoding_of(entry.header).has_depths)
        usual = [*same] or usual
    return [(puzzle.rules, entry) for entry in usual]


def _is_there(entry: TableEntry) -> bool:
    with contextlib.suppress(MissingTableError):
        return bool(find_table(entry.name))
    return False


def printing_depths(name: str) -> Callable[[int, int, int], None]:
    """Return a function that prints a line for each depth; only of long runs if stderr is not a terminal."""
    begin = time.monotonic() + (0 if is_watched() else _LONG)

    def print_depth(depth: int, states: int, total: int) -> None:
        if time.monotonic() < begin:
            return
        click.echo(f"{name}  depth {depth:2}  states {states:>9,}  total {total:>10,}", err=True)

    return print_depth


_BAR = 40  # columns
_CONNECTING = 10  # seconds in which a cluster must answer
_SOLVING = 60  # seconds for the solutions of a record


def _plot(entries: Sequence[TableEntry]) -> str:
    if len(entries) != 1:
        raise click.UsageError("--plot requires the NAME of one table")
    header, *_ = _found(entries[0])
    return distribution_svg(header.distribution, last_is_more=encoding_of(header).last_is_more)


_PLOT = DocumentFormat(".svg", "plot of", "draws", (), _plot)

_COMMANDS = [
    Later("build", "cubesolve.cli.building", "Enumerate, prove and write tables."),
    Later("verify", "cubesolve.cli.building", "Prove that every entry of a table is right."),
]


@click.group(cls=Commands, commands=_COMMANDS)
def tables() -> None:
    """Build, verify and describe tables.

    Tables are read from the folder that CUBESOLVE_TABLES names, from the checkout's tables folder or the installed
    package, and from the user's data folder. New tables are written to CUBESOLVE_TABLES, to a checkout, or to the
    user's data folder. `cubesolve tables info` prints these folders.
    """


@tables.command(cls=TableCommand)
@about_options
@document_options("distribution of one table", beside=False, plot=_PLOT)
def info(names: tuple[str, ...], documents: Documents, variant: Variant) -> None:
    """Print file, size, digest and distribution.

    Without NAME, the tables are those that are built by default.

    \b
    Examples:
      cubesolve tables info pocket-qtm
      cubesolve tables info pocket-qtm --plot pocket.svg
    """
    with chosen_tables(names, variant, is_built=True) as (chosen, report):
        if documents:
            documents.print([entry for _, entry in chosen if encoding_of(entry.header).has_depths])
            return
        if not names:
            click.echo(_folders())
        for _, entry in chosen:
            with report():
                click.echo(_description(entry))


@tables.command()
@click.option("--all", "every", is_flag=True, help="Also remove copies of existing tables; searches make them again.")
def clean(every: bool) -> None:
    """Remove unpacked copies of tables that no longer exist.

    \b
    Example:
      cubesolve tables clean
    """
    try:
        removed = remove_copies(unused=not every)
    except OSError as error:
        complain(f"copies cannot be removed: {error.strerror or error}")
        click.get_current_context().exit(TABLE_TROUBLE)
    for name, size in removed:
        if not name.endswith(".stamp"):
            click.echo(f"{name}  {size:,} bytes")
    click.echo(f"{sum(size for _, size in removed):,} bytes freed")


def _folders() -> str:
    searched = "\n            ".join(table_folders())
    cache = cache_folder() or f"none ({CACHE_VARIABLE} can name a folder)"
    shown = {
        "searched": searched,
        "built in": build_folder(),
        "custom": f"{build_folder(ships=False)}, for puzzles that do not ship",
        "cache": f"{cache}, for unpacked copies and compiled kernels",
    }
    return "\n".join(f"{what:10}  {where}" for what, where in shown.items()) + "\n"


def _found(entry: TableEntry) -> tuple[TableHeader, str, int]:
    path = find_table(entry.name, built_by=entry.built_by, effort=entry.effort)
    header, size = tablefile.read_header(path, entry.built_by or entry.name)
    tablefile.require_same(header, entry.header, path)
    return header, path, size


def _description(entry: TableEntry) -> str:
    header, path, size = _found(entry)
    encoding = encoding_of(header)
    lines = [
        f"{header.name}: {header.puzzle}, {header.metric}, {header.scheme}",
        f"  file     {path}",
        f"  size     {size:,} bytes for {header.entries:,} {encoding.unit}",
        f"  sha256   {header.sha256}",
        f"  source   {entry.source}",
    ]
    if not header.distribution:
        return "\n".join(lines)
    widest = max(header.distribution)
    width = max(len("states"), len(f"{widest:,}"))
    lines.append(f"  depth  {'states':>{width}}")
    for depth, states in enumerate(header.distribution):
        bar = "#" * max(1, round(_BAR * states / widest))
        lines.append(f"  {depth:5}  {states:>{width},}  {bar}")
    if encoding.last_is_more:
        lines[-1] += "  at this depth or deeper"
    return "\n".join(lines)


@tables.command(cls=PuzzleCommand, question="distribution", default="rolling")
@click.option("--count", is_flag=True, help="Count the states now instead of reading a table, and keep no table.")
@click.option(
    "--resume",
    is_flag=True,
    help="With --count, --levels or --from: continue an interrupted count from its checkpoint.",
)
@memory_option("With --count, --levels or --from: memory limit, as 12GB; by default half of the machine's.")
@click.option(
    "--cluster",
    metavar="ADDRESS",
    help="With --count, --levels or --from: use the Dask cluster at tcp://HOST:PORT, each worker up to --memory.",
)
@click.option("--folder", metavar="FOLDER", help="With --cluster: a folder that all workers share, for checkpoints.")
@file_option("--out", ".json", "With --count, --levels or --from: write a record to a .json file, or with - to stdout.")
@json_option
def distribution(as_json: bool, cluster: str | None, folder: str | None, out: str | None, **options: Value) -> None:
    """Print the number of states at each depth.

    Options depend on the puzzle: `cubesolve tables distribution --puzzle pocket --help` also lists --metric, --levels
    and --from.

    \b
    Examples:
      cubesolve tables distribution --tray 2x3 --model face --start 2,1
      cubesolve tables distribution --puzzle skewb
      cubesolve tables distribution --puzzle rubik --moves "U2 R2 F2"
      cubesolve tables distribution --puzzle rubik --goal cross
      cubesolve tables distribution --puzzle tiles-3x4 --count
      cubesolve tables distribution --puzzle ivy --count --out ivy.json
      cubesolve tables distribution --puzzle rubik --levels 5
    """
    named = {name: value for name, value in options.items() if value is not None and value is not False}
    is_counted = any(map(is_given, ("count", "levels", "from_goal", "tray", "model", "start")))  # few trays are read
    for name in filter(is_given, () if is_counted else ("resume", "memory", "out", "cluster")):
        raise click.UsageError(f"--{name} requires --count, --levels or --from")
    if folder is not None and cluster is None:
        raise click.UsageError("--folder requires --cluster")
    if "resume" in named and cluster is not None and folder is None:
        raise click.UsageError("--resume requires --folder, where a cluster has its checkpoints")
    Documents({}, {"out": out}).require_one_output(as_json)
    puzzle = puzzle_of()
    if cluster or not named.keys().isdisjoint({"count", "tray", "levels"}):
        named["progress"] = printing_depths(puzzle.name)
    if out is not None and out != "-":
        _require_writable(out)  # before hours of counting
    with contextlib.ExitStack() as stack:
        if is_counted:
            from cubesolve.store.checkpoint import keeping_checkpoints  # noqa: PLC0415  # needs numpy

            stack.enter_context(keeping_checkpoints())
        try:
            about: Mapping[str, object]
            if cluster is not None:
                about = _counted_on(cluster, puzzle, folder, is_record=out is not None, **named)
            else:
                about = record(puzzle, **named) if out else {"distribution": puzzle.distribution(**named)}
        except ValueError as error:
            give_up(str(error))
        _write(about, out, as_json=as_json)


def _require_writable(path: str) -> None:
    """Raise the error with which writing a file would end, as far as it is known before."""
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if os.path.isfile(path) or not os.path.exists(path):
        try:
            tempfile.TemporaryFile(dir=os.path.dirname(os.path.realpath(path))).close()
        except OSError as error:
            error.filename = path
            raise


def _counted_on(
    address: str, puzzle: Puzzle, folder: str | None, *, is_record: bool, progress: Progress, **named: Value
) -> Record:
    with importing("cluster"):
        from distributed import Client  # noqa: PLC0415  # needs the optional extra cluster

        from cubesolve.counting import cluster  # noqa: PLC0415  # likewise
    try:
        client = Client(address, timeout=_CONNECTING)
    except (OSError, ValueError) as error:
        give_up(f"the cluster {quoted(address)} cannot be reached: {error}")
    with client:
        return cluster.record(
            client,
            puzzle,
            folder,
            lambda level: progress(level.depth, level.states, level.total),
            seconds=_SOLVING if is_record else 0,
            **named,
        )


def _write(about: Keywords, out: str | None, *, as_json: bool) -> None:
    document = save(out, json.dumps(about, indent=1) + "\n") if out else None
    if document is not None:
        click.echo(document)
    else:
        counts = about["distribution"]
        Answer((f"{depth} {states}" for depth, states in enumerate(counts)), lambda: {"distribution": counts}).print(
            as_json
        )
    sys.stdout.flush()  # a checkpoint may be removed then
