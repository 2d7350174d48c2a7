"""The command line: data on stdout, everything else on stderr.

Exit status: 0 all answered, 1 some input invalid, 2 usage, 3 table missing or corrupt.
"""

from __future__ import annotations

import click

from cubesolve import __version__
from cubesolve.cli.running import AllCommands

_LAZILY = {
    "depth": "cubesolve.cli.asking",
    "solve": "cubesolve.cli.asking",
    "scramble": "cubesolve.cli.making",
    "show": "cubesolve.cli.writing",
    "play": "cubesolve.cli.playing",
    "convert": "cubesolve.cli.writing",
    "puzzles": "cubesolve.cli.listing",
    "judge": "cubesolve.cli.judging",
    "export": "cubesolve.cli.exporting",
    "tables": "cubesolve.cli.tables",
}


@click.group(cls=AllCommands, lazily=_LAZILY, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="cubesolve %(version)s")
def main() -> None:
    """Exact distances and shortest solutions of puzzles that have moves.

    \b
    A STATE of the 2x2x2 cube is 24 facelets, of the 3x3x3 (--puzzle rubik) 54:
    U R F D L B, each face row by row as seen from outside; any six symbols are
    colours, the cube is held in any way. A state of most other puzzles is an
    alg, or the pieces in their places. A single - stands for standard input,
    one state a line.

    \b
    Examples:
      cubesolve depth UUUUBBRRRRFFDDDDFFLLLLBB
      cubesolve solve --format alg "R U2 F'"
      cubesolve scramble -n 5 | cubesolve depth --format alg -
      cubesolve solve --puzzle rubik --format alg "R U2 F'"
      cubesolve solve --puzzle skewb "R U' L B"
      cubesolve solve --puzzle rolling --start 2,1 "RBW/RWW/EWW"
      cubesolve puzzles

    Exit status: 0 all answered, 1 some input invalid, 2 usage, 3 table missing
    or corrupt.
    """
