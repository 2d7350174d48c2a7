"""The command `export` (needs numpy, even to list the formats)."""

from __future__ import annotations

import os

import click

from cubesolve import catalog
from cubesolve.cli.options import ListingCommand, Variant, usage_errors, variant_options
from cubesolve.embedding import SUFFIX, embed
from cubesolve.encodings import encoding_of
from cubesolve.errors import InvalidDefinitionError, TooLargeError, UnknownPuzzleError, did_you_mean, quoted
from cubesolve.learn.export import FORMATS, Export, puzzle_and_table
from cubesolve.runtime.notices import following


def _formats(_ctx: click.Context) -> list[tuple[str, str]]:
    program = "ES module that solves the puzzle, with TypeScript types beside it (.d.mts)"
    return [*((suffix, form.about) for suffix, form in FORMATS.items()), (f"esm: {SUFFIX}", program)]


def _path(name: str, out: str | None, form: str | None) -> str:
    suffixes = {**{suffix[1:]: suffix for suffix in FORMATS}, "esm": SUFFIX}
    if out is not None and form is None:
        if not out.endswith((*suffixes.values(),)):
            raise click.UsageError(f"the suffix of {quoted(out)} must be {' or '.join(suffixes.values())}")
        return out
    if form is None or out is not None:
        raise click.UsageError("expected either --out or --format")
    if form not in suffixes:
        raise click.BadParameter(
            f"unknown format {quoted(form)}: expected {', '.join(suffixes)}", param_hint="--format"
        )
    return os.path.splitext(os.path.basename(name))[0] + suffixes[form]


@click.command(cls=ListingCommand, listed=("Formats", _formats))
@click.argument("name", metavar="NAME")
@click.option(
    "--out",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="File to write; its suffix selects one of the formats below.",
)
@click.option(
    "--format",
    "form",
    metavar="FORMAT",
    help="Instead of --out: esm or another suffix; writes NAME with it into the current folder.",
)
@click.option("--columns", metavar="NAME,...", help="Columns: rank, facelets (cells, state, pattern), depth, moves.")
@click.option("--depth", type=int, metavar="N", help="Only the states at this depth.")
@variant_options
def export(
    name: str, out: str | None, form: str | None, columns: str | None, depth: int | None, variant: Variant
) -> None:
    """Write a whole table to a file, one row per state.

    An ES module solves the puzzle instead. NAME is a table that `cubesolve tables info` or `tables
    build --help` lists, a puzzle, or a file that defines one.

    \b
    Examples:
      cubesolve export pocket-htm --out pocket.npz
      cubesolve export ivy --out ivy.csv
      cubesolve export pocket-htm --out antipodes.csv --columns facelets,moves --depth 11
      cubesolve export ivy --format esm
      cubesolve export ivy --moves "R L" --out rl.mjs
    """
    out = _path(name, out, form)
    is_program = out.endswith(SUFFIX)
    if is_program and not (columns is None and depth is None):
        raise click.UsageError(f"--columns and --depth are not supported for {quoted(out)}, which has all states")
    chosen = variant.of(name)
    try:
        with usage_errors(keep=(InvalidDefinitionError, TooLargeError, UnknownPuzzleError)):
            if is_program:
                puzzle, entry = puzzle_and_table(chosen, variant.metric)
                embed(puzzle, out, entry.header.metric)
                return
            file = Export(chosen, out, columns, depth, variant.metric)
    except UnknownPuzzleError as error:
        tables = [name for name, entry in catalog.tables().items() if encoding_of(entry.header).has_bytes]
        expected = did_you_mean(name, [*tables, *error.known]) or f"expected {', '.join(tables)}"
        raise click.UsageError(f"unknown table or puzzle {quoted(name)}: {expected}") from None
    with following(name, file.steps) as advance:
        file.write(advance)
