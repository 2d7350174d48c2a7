"""The command line: data on stdout, everything else on stderr.

Exit status: 0 all answered, 1 some input invalid, 2 usage, 3 table missing or corrupt.
"""

from __future__ import annotations

import click

from cubesolve.cli.running import AllCommands

_LAZILY = {
    "depth": "cubesolve.cli.questions",
    "solve": "cubesolve.cli.solving",
    "scramble": "cubesolve.cli.scrambles",
    "cases": "cubesolve.cli.cases",
    "algs": "cubesolve.cli.algs",
    "analyse": "cubesolve.cli.analysing",
    "show": "cubesolve.cli.states",
    "play": "cubesolve.cli.playing",
    "convert": "cubesolve.cli.states",
    "puzzles": "cubesolve.cli.listing",
    "judge": "cubesolve.cli.judging",
    "export": "cubesolve.cli.exporting",
    "dataset": "cubesolve.cli.datasets",
    "serve": "cubesolve.cli.serving",
    "tables": "cubesolve.cli.tables",
    "warm": "cubesolve.cli.warming",
    "completion": "cubesolve.cli.completing",
}


@click.group(
    cls=AllCommands,
    lazily=_LAZILY,
    invoke_without_command=True,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option("--version", is_flag=True, help="Print the version and exit.")
@click.option("--verbose", is_flag=True, help="With --version: also list packages, tables and their digests.")
@click.pass_context
def main(ctx: click.Context, version: bool, verbose: bool) -> None:
    """Exact distances and optimal solutions for permutation puzzles.

    \b
    A STATE of the 2x2x2 cube is 24 facelets, of the 3x3x3 (--puzzle rubik) 54:
    faces U R F D L B, each row by row as seen from outside, in any six symbols
    and any orientation of the cube. For most other puzzles it is an alg, or the
    pieces in their places. A single - reads states from stdin, one per line.

    \b
    Examples:
      cubesolve depth UUUUBBRRRRFFDDDDFFLLLLBB
      cubesolve solve --format alg "R U2 F'"
      cubesolve scramble -n 5 | cubesolve depth --format alg -
      cubesolve solve --puzzle rubik --format alg "R U2 F'"
      cubesolve solve --puzzle skewb "R U' L B"
      cubesolve solve --puzzle rolling --start 2,1 "RBW/RWW/EWW"
      cubesolve puzzles

    Exit status: 0 all answered, 1 some input invalid, 2 usage error, 3 table
    missing or damaged.
    """
    if version:
        from cubesolve.cli.version import print_version  # noqa: PLC0415  # a lazily loaded command

        print_version(verbose)
        ctx.exit()
    if verbose:
        raise click.UsageError("--verbose requires --version")
    if ctx.invoked_subcommand is None:
        raise click.UsageError("Missing command.")
