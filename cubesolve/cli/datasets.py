"""The command `dataset` (needs numpy)."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

import click

from cubesolve.cli.options import Variant, seconds_option, usage_errors, variant_options
from cubesolve.cli.running import Value
from cubesolve.errors import InvalidDefinitionError, quoted
from cubesolve.learn.dataset import Dataset
from cubesolve.runtime.notices import following
from cubesolve.search.limits import within_limits

_DIGITS = 8  # more than any length has


def _whole_number(_context: click.Context, _option: click.Parameter, text: str) -> int:
    """Read a number such as 1000000, 1_000_000 or 1e6."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("nan")
    if not number.is_finite() or not 1 <= number < Decimal(10) ** 12 or number % 1:
        raise click.BadParameter(f"{quoted(text)} is not a positive whole number such as 1000000 or 1e6")
    return int(number)


def _range(_context: click.Context, option: click.Parameter, text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    low, _, high = text.partition("-")
    if not all(number.isascii() and number.isdigit() and len(number) < _DIGITS for number in (low, high or low)):
        what = "depth" if option.name == "depths" else "length"
        raise click.BadParameter(f"{quoted(text)} is not a {what} or a range such as 8-16")
    return int(low), int(high or low)


@click.command()
@click.argument("name", metavar="NAME")
@click.option("--size", required=True, metavar="N", callback=_whole_number, help="Number of rows, such as 1e6.")
@click.option("--out", required=True, type=click.Path(file_okay=False), metavar="DIR", help="Folder to write to.")
@variant_options
@click.option(
    "--columns",
    metavar="NAME,...",
    help="Columns: rank, facelets (cells, state), depth, optimal_moves, solution; of walks also walk, walk_moves, "
    "bound, and no rank.",
)
@click.option(
    "--by-depth",
    type=click.Choice(["natural", "uniform"]),
    default="natural",
    help="All states equally likely, or the same number at each depth.",
)
@click.option("--depths", metavar="A-B", callback=_range, help="Only states at these depths.")
@click.option(
    "--walk",
    metavar="A-B",
    callback=_range,
    help="The ends of random walks of A to B moves instead, labelled with their length; for puzzles without a table.",
)
@click.option(
    "--split",
    default="1",
    metavar="A/B",
    help="Split into train and test (0.9/0.1), or train, validation and test (0.8/0.1/0.1).",
)
@click.option(
    "--seed",
    default=0,
    type=click.IntRange(0, (1 << 64) - 1),
    metavar="N",
    help="Random seed; the same seed gives the same files.",
)
@seconds_option("--timeout", "Stop after this time; repeating the command continues with the next shard.")
@click.option("--format", "form", type=click.Choice(["parquet", "npz"]), default="parquet", help="Format of the files.")
def dataset(name: str, size: int, out: str, variant: Variant, timeout: float | None, **how: Value) -> None:
    """Write a data set: states with exact labels, in shards.

    A dataset card describes it. NAME is a table of all states, a puzzle, or a file that defines one. Repeating an
    interrupted command continues it.

    \b
    Examples:
      cubesolve dataset tiles-2x3 --size 300 --split 0.9/0.1 --out tiles
      cubesolve dataset pocket --size 1e4 --by-depth uniform --format npz --out pocket
      cubesolve dataset rubik --size 10 --walk 1-7 --columns facelets,depth --out rubik
      cubesolve dataset rubik --metric qtm --walk 1-30 --size 1e6 --out walks
      cubesolve dataset skewb --moves "R U" --size 100 --out skewb
    """
    with usage_errors(keep=InvalidDefinitionError):
        data = Dataset(variant.of(name), size, metric=variant.metric, **how)
    with following(name, size) as advance:
        within_limits(data.write, out, advance, timeout=timeout)
