"""The command `export`."""

from __future__ import annotations

from collections.abc import Sequence

import click

from cubesolve import catalog
from cubesolve.cli.running import exit_on_signals
from cubesolve.encodings import encoding_of
from cubesolve.errors import InvalidDefinitionError, UnknownPuzzleError, did_you_mean, quoted
from cubesolve.notices import following


def _tables() -> Sequence[str]:
    return [name for name, entry in catalog.tables().items() if encoding_of(entry.header).has_bytes]


class _ExportCommand(click.Command):
    """The command `export`, whose help lists the formats."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the suffixes of FILE."""
        from cubesolve.export import FORMATS  # noqa: PLC0415  # loads numpy

        with formatter.section("Formats"):
            formatter.write_dl([(suffix, each.about) for suffix, each in FORMATS.items()])


@click.command(cls=_ExportCommand)
@click.argument("name", metavar="NAME")
@click.option(
    "--out",
    required=True,
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="File to write; its suffix selects one of the formats below.",
)
@click.option("--columns", metavar="NAME,...", help="Columns: rank, facelets (cells, state, pattern), depth, moves.")
@click.option("--depth", type=int, help="Only the states at this depth.")
def export(name: str, out: str, columns: str | None, depth: int | None) -> None:
    """Write a whole table to a file, one row per state.

    NAME is a table that `cubesolve tables info` or `tables build --help` lists, a puzzle, or a file that defines one.

    \b
    Examples:
      cubesolve export pocket-htm --out pocket.npz
      cubesolve export ivy --out ivy.csv
      cubesolve export pocket-htm --out antipodes.csv --columns facelets,moves --depth 11
    """
    from cubesolve.export import Export  # noqa: PLC0415  # loads numpy

    try:
        file = Export(name, out, columns, depth)
    except UnknownPuzzleError as error:
        near = did_you_mean(name, [*_tables(), *error.known])
        expected = near or f"expected {', '.join(_tables())}"
        raise click.UsageError(f"unknown table or puzzle {quoted(name)}: {expected}") from None
    except InvalidDefinitionError:
        raise
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    exit_on_signals()
    with following(name, file.steps) as advance:
        file.write(advance)
