"""The command line: data on stdout, everything else on stderr.

Exit status: 0 all answered, 1 some input invalid, 2 usage, 3 table missing or corrupt.

In reading order: `running` loads commands, reports errors and answers states one by one; `options` has the options
that puzzles declare, `output` what is written beside an answer. `questions` (`depth`), `solving`, `states` and
`scrambles` are about states; `cases`, `algs` and `analysing` about practice; `tables`, `building`, `exporting` and
`datasets` about tables; `judging`, `serving` and `about` are the rest.
"""

from __future__ import annotations

import click

from cubesolve.cli.running import AllCommands, Later, exit_on_signals

_COMMANDS = {
    "Puzzles": [
        Later("depth", "cubesolve.cli.questions", "Print the least number of moves that solve each STATE."),
        Later("solve", "cubesolve.cli.solving", "Print an optimal solution of each STATE."),
        Later("scramble", "cubesolve.cli.scrambles", "Print scrambles: moves to a uniformly random state."),
        Later("cases", "cubesolve.cli.cases", "List the cases of a set or step, or the sets and steps."),
        Later("algs", "cubesolve.cli.algs", "Print the best algs of each case of a set."),
        Later("analyse", "cubesolve.cli.analysing", "Print how many moves are left after each move of a solution."),
        Later("show", "cubesolve.cli.states", "Print a picture of a STATE, such as the net of a cube."),
        Later("play", "cubesolve.cli.states", "Write a page that plays an ALG from the solved state."),
        Later("convert", "cubesolve.cli.states", "Write each STATE in another format."),
        Later("puzzles", "cubesolve.cli.about", "List the puzzles that ship: states, God's number, tables."),
    ],
    "Tables, data and services": [
        Later("judge", "cubesolve.cli.judging", "Answer the cases of an online judge, or make and check some."),
        Later("export", "cubesolve.cli.exporting", "Write a whole table to a file, one row per state."),
        Later("dataset", "cubesolve.cli.datasets", "Write a data set: states with exact labels, in shards."),
        Later("serve", "cubesolve.cli.serving", "Serve a web page and a JSON interface on this machine."),
        Later("tables", "cubesolve.cli.tables", "Build, verify and describe tables."),
        Later("warm", "cubesolve.cli.about", "Compile all kernels now."),
        Later("completion", "cubesolve.cli.about", "Print the completion script of a SHELL."),
    ],
}


@click.group(
    cls=AllCommands,
    sections=_COMMANDS,
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
    A STATE of the 2x2x2 cube is 24 facelets, of the 3x3x3 54: faces U R F D L B,
    each row by row as seen from outside, in any six symbols and any orientation
    of the cube. It may also be an alg: of the 2x2x2, if no --puzzle is named. For
    most other puzzles it is an alg, or the pieces in their places. A single -
    reads states from stdin, one per line. The moves U D L R of sliding tiles and
    of rolling cubes name the direction in which a tile or a cube moves, not the
    gap.

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
        from cubesolve.cli.about import print_version  # noqa: PLC0415  # a lazily loaded command

        print_version(verbose)
        ctx.exit()
    if verbose:
        raise click.UsageError("--verbose requires --version")
    if ctx.invoked_subcommand is None:
        raise click.UsageError("Missing command.")
    if ctx.invoked_subcommand != "serve":  # a server ends by itself
        exit_on_signals()  # any other command may write a file: a table, a copy, a checkpoint, a picture
