"""Command lines that are refused: the status, and the message that says what is wrong."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import invoke

TURNED = "UUUUBBRRRRFFDDDDFFLLLLBB"  # by U

REFUSED = {
    "": """
        2  depth => Missing argument 'STATE...'
        2  depth --metric stm R => 'stm' is not one of 'htm', 'qtm'
        2  fly => No such command 'fly'
        1  depth "R U2 Q" => 'Q' (character 6) is not a move
        1  solve "UUUU RRRR FFFF DDDD LLLL BBB" => 24 facelets, not 23
        2  depth --fly => No such option '--fly'
        2  depth -3,0 => No such option '-3'. Write -- before an argument that begins with -
        2  --verbose => --verbose requires --version
        2  --verbose puzzles => --verbose requires --version
        2  -- => Missing command
        2  convert U => Missing option '--to'
        2  judge uva-1 => 'uva-1' is not one of
        2  show - --svg cube.svg => --svg draws one state
        2  solve --puzzle rolling --format uva WE => --format is not supported
        2  depth --timeout x R => --timeout
        2  depth --puzzle rubik --timeout -1 x => --timeout
        2  depth --puzzle rubik --workers 0 x => workers must be at least 1, not 0
        2  depth --puzzle rubik --workers 1025 x => workers must be at most 1,024, not 1,025
        2  depth --puzzle rubik --format uva x => 'uva' is not one of 'urfdlb', 'net', 'kpuzzle', 'singmaster', 'alg'
        2  show --puzzle rubik --format cubies x => 'cubies' is not one of
        1  show --puzzle rubik --format alg q => argument 1: 'q' (character 1) is not a move
        2  show --puzzle rubik --model face x => --model is not supported for --puzzle rubik
        2  depth --puzzle rubik --start 1,1 x => --start is not supported for --puzzle rubik
        2  solve --start 1,1 R => --start is not supported for --puzzle pocket
        2  solve --faces ULFRBB R => 'ULFRBB' is not the faces U R F D L B in some order
        2  depth --puzzle tiles-2x3 --no-inverses "" => moves without inverses are not supported
        2  depth --puzzle rubik --goal nothing R => is not a goal of the 3x3x3
        2  depth --puzzle rubik --goal cross --target R U => --target is not supported for --puzzle rubik
    """,
    "depth --puzzle": """
        2  rubic R => did you mean rubik
        2  Skewbs R => did you mean skewb
        2  3x3x5 R => did you mean 3x3x
        2  poket R => did you mean pocket?
        2  pyramix R => did you mean pyraminx
    """,
    "solve": """
        2  --all --count R => --all and --count exclude each other
        2  --all -n 2 R => --all and -n exclude each other
        2  --count --starts R => --count prints a number
        2  -n 0 R => -n
        2  --slack 1 R => --slack requires --all, -n or --starts
        2  --puzzle rubik --goal cross --slack 1 U => --slack requires --all
        2  -n 2 --steps R => --steps prints one solution
        2  --all --steps R => --steps prints one solution
        2  --count --steps R => --steps prints one solution
        2  --json --steps R => --steps prints one solution
        2  --svg - --steps R => --steps prints one solution
        1  --max-depth 0 R => not solved in 0 moves: at least 1 move
        1  --target q UUUUBBRRRRFFDDDDFFLLLLBB => --target: a pocket cube has 24 facelets, not 1
        1  --target UUUURRRRFFFFDDDDLLLLBBBB WWWWRRRRGGGGYYYYOOOOBBBB => argument 1: not two states of one cube
        1  --puzzle skewb --max-depth 2 "R U' L" => not solved in 2 moves: at least 3 move
        2  --niss R => --niss requires --steps
        2  --puzzle skewb --steps layer,nosuch R => 'nosuch' is not a step
        2  --puzzle skewb --steps layer --all R => --all is not supported with --steps layer
        2  --puzzle rubik --max-length 21 --within 3 R => --within and --max-length exclude each other
        2  --puzzle rubik --max-length 21 --all R => finds one solution, and excludes --all, -n, --starts and --count
        2  --puzzle rubik --within 3 --all R => --within finds one solution, and excludes --all
        2  --json --svg - R => --json and --svg - cannot both be on standard output
        2  --html - --count R => --html plays a solution, and --count prints none
        2  --html - - => --html plays the solution of one state
        2  --html - --svg - R => cannot both be on standard output
        2  --puzzle pyramorphix --svg - R => --svg: the puzzle has no picture
        1  --puzzle 15-puzzle --all --slack 1 R => ; longer solutions need a table of all states where
        2  --puzzle rolling --start 2,2 --all --slack 1 "WWW/W W/WWW" => --slack is not supported for --puzzle rolling
    """,
    "play --html": """
        2  page.txt R => 'page.txt' does not end with .html, and is not -
        1  - "R Q" => ALG: 'Q' (character 3) is not a move
        1  - M => ALG: 'M' (character 1)
        1  - --puzzle rolling --start 1,1 RR => is not possible: no cube left of
        1  - --setup "R Q" => --setup: 'Q' (character 3) is not a move
        2  - --setup UUUUBBRRRRFFDDDDFFLLLLBB R => this is a state
        2  - => Missing argument 'ALG' or option '--setup'
        2  - UUUUBBRRRRFFDDDDFFLLLLBB => this is a state: cubesolve solve --html plays its solution
        1  - --puzzle rolling --start 9,9 R => start: column 9, row 9 is outside a tray
        2  - (R)20000 => a page plays at most 10,000 moves, not 20,000
    """,
    "play": """
        2  R => Missing option '--html'
    """,
    "scramble": """
        2  -n 0 => -n
        2  --puzzle rolled => Invalid value for --puzzle: unknown puzzle 'rolled'
        1  --puzzle rubik --depth 13 => depth must be at most 12, not 13
        2  --puzzle rubik --within 3 --max-length 21 => exclude each other
        1  --case cll:22 --depth 10 => no state of cll:22 needs 10 moves
        2  --case eg-1 --length 3 => --length is not supported with --case
        1  --puzzle rubik --case ll:3917 --timeout 0 => not answered after 0 s
        2  --json --svg - => --json and --svg - cannot both be on standard output
        2  --event magic => unknown event 'magic': expected 222 or 333
        2  --event 333 --depth 5 => --depth is not supported with --event
        2  --event 333 --puzzle skewb => --puzzle is not supported with --event
        2  --event 333 --metric qtm => --metric is not supported with --event
        2  --sheet sheet.html => --sheet requires --event
        2  --event 333 --sheet sheet.pdf => does not end with .html
        2  --event 333 --sheet - --json => cannot both be on standard output
    """,
    "scramble --puzzle pyraminx-duo": """
        2  --random-rest => --random-rest requires --goal
        2  --solved "* * * * ; -U -L -R -B" --depth 2 => --depth requires --goal
        2  --solved "* * * * ; -U -L -R -B" --length 2 => --length is not supported with --random-rest and --solved
        2  --solved cross => 'cross' is not a goal of the Pyraminx Duo
        1  --goal "U L R B; * * * *" --depth 9 --random-rest => no state has depth 9
        1  --solved "* * * * ; -U -L -R -B" --timeout 0 => not answered after 0 s
        2  --solved "U L R B; * * * *" --goal "U L * * ; * * * *" --depth 2 => no state needs 2 moves for U L
    """,
    "cases --puzzle": """
        2  pyraminx l4e:99 => l4e has no case '99': expected 0 to 35
        2  pyraminx laye => did you mean layer?
        2  pyraminx nope => `cubesolve cases --puzzle pyraminx` lists them
        2  pyraminx v:3 => v is a step, not a set of cases: omit ':3'
        2  pyraminx v --depth 9 => at most 8 are needed
        2  pyraminx l4e --depth 9 => l4e is a set of cases
        2  dino => neither sets of cases nor steps
        2  pyraminx l4e --json --svg - => cannot both
        2  rubik cross --shortest => are for sets of cases
    """,
    "algs --puzzle": """
        2  pocket --case eg-1:5 --moves Q => is not a move
        2  pocket --case eg-1:5 --cost nowhere.json => is not one of
        1  rubik --case ll:3917 --timeout 0 => not answered after 0 s
        2  square1 --case co:1 --moves / => moves are not
        2  square1 --case co:1 --cost ergonomic => has no costs
    """,
    "analyse": """
        2  --puzzle skewb R => --steps names
        2  --puzzle skewb "R U L" --steps nosuch => not a step
        1  "R Q" R => is not a move
        1  R "U Q" --inverse => SOLUTION: 'Q' (character 3)
        1  R "R'" --timeout 0 => not answered after 0 s
        2  R "R'" --niss --inverse => exclude each other
    """,
    "judge uva-11007": """
        2  --generate 5 => --generate requires --out
        2  --generate 5 --out x --check y => excludes --check
        2  --out x => --out and --seed require --generate
        2  --seed 1 => --out and --seed require --generate
        2  --seed 1 --check y => --out and --seed require --generate
        2  --generate 0 --out x => 0 is not in the range
        2  --generate 100001 --out x => 100001 is not in the range
        2  --generate 5 --out /etc/passwd => is a file
    """,
    "export pocket-htm": """
        2  --out x.txt => the suffix of 'x.txt' must be .npz or .npy or .csv
        2  --out x.npy --depth 12 => no state has depth 12: depths are 0..11
        2  --out x.npy --depth -1 => no state has depth -1: depths are 0..11
        2  --out x.npy --columns rank,cells => no column 'cells': pocket-htm has rank,facelets,depth,moves
        2  --out x.npy --columns rank, => no column '': pocket-htm has
        2  --out x.npy --columns rank,rank => name each column once: pocket-htm has
        2  => expected either --out or --format
        2  --out x.npy --format npy => expected either --out or --format
        2  --format wasm => unknown format 'wasm': expected npz, npy, csv, esm
    """,
    "dataset ivy --size 10 --out out": """
        2  --metric qtm => unknown metric 'qtm'
        2  --walk 5-4 => walk 5-4 is not a range in 0..1048576
        2  --walk x => 'x' is not a length or a range such as 8-16
        2  --walk 1-9 --depths 1-2 => walk excludes depths and by_depth
        2  --moves Q => 'Q'
        2  --size 1.5 => '1.5' is not a positive whole number such as 1000000 or 1e6
        2  --size 0 => '0' is not a positive whole number
        2  --size nan => 'nan' is not a positive whole number
        2  --size 1e99 => '1e99' is not a positive whole number
        2  --size many => 'many' is not a positive whole number
        2  --size 29161 => train needs 29,161 rows, but has only 29,160 states
        2  --columns state,colour => no column 'colour': ivy-htm has rank,state,depth,solution,optimal_moves
        2  --columns depth,depth => name each column once
        2  --columns "" => no column ''
        2  --split 0.9 => split must be one to three positive numbers with sum 1, such as 0.9/0.1, not '0.9'
        2  --split 0.9/0.2 => such as 0.9/0.1, not '0.9/0.2'
        2  --split nan/1 => such as 0.9/0.1, not 'nan/1'
        2  --split 2/-1 => such as 0.9/0.1, not '2/-1'
        2  --split a/b => such as 0.9/0.1, not 'a/b'
        2  --split 0.99/0.01 --size 3 => split '0.99/0.01' of 3 rows leaves none for test
        2  --depths 8-9 => depths 8-9 are not in 0..8
        2  --depths 5-4 => depths 5-4 are not in 0..8
        2  --depths x => 'x' is not a depth or a range such as 8-16
        2  --seed -1 => -1 is not in the range
        2  --by-depth even => 'even' is not one of
        2  --format csv => 'csv' is not one of
    """,
    "dataset --size 10 --by-depth uniform --out out": """
        2  nothing => unknown puzzle 'nothing'
        2  corners-htm => a fixed orientation is not supported for arrays
        2  rolling-edge-patterns => rolling-edge-patterns is not a table of states
        2  clock => data sets of the Rubik's Clock are the ends of random walks: give walk, such as 1-9
        2  rubik --depths 8-9 => data sets of the 3x3x3 Rubik's cube are the ends of random walks
    """,
    "dataset --size 1 --out out": """
        2  4x4x4 => are the ends of random walks: give walk, such as 1-9
    """,
    "tables build": """
        2  skweb => Invalid value for NAME:
        2  skewb --metric qtm => Invalid value for --metric:
        2  rubik --goal cross|f2l => Invalid value for --goal:
        2  --metric qtm => require the NAME of a puzzle
        2  --moves "R U" => require the NAME of a puzzle
        2  --cost U=2 => require the NAME of a puzzle
        2  --goal cross => require the NAME of a puzzle
        2  --puzzle skewb => the puzzle is the argument NAME, as in main tables build skewb
        2  pocket-htm --memory "3 rooms" => '3 rooms' is not a number of bytes
    """,
    "tables info": """
        2  nonsense => nonsense
        2  pocket-htm --goal first-layer => is a table
        2  --plot p.svg => requires the NAME of one table
        2  pocket-htm pocket-qtm --plot p.svg => requires the NAME of one table
    """,
    "tables distribution": """
        2  --out x.json => --out requires --count, --levels or --from
        2  --resume => --resume requires --count
        2  --memory 1MB => --memory requires --count
        2  --cluster x => --cluster requires --count, --levels or --from
        2  --count --folder x => --folder requires --cluster
        2  --count --cluster x --resume => --resume requires --folder
    """,
    "tables distribution --puzzle": """
        2  rolling --levels 2 => --levels is not supported for --puzzle rolling: the states of a tray are counted
        2  rolling --from x => only all states are counted, from a start (--start)
        2  rolling --goal cross => goals are not supported
        2  skewb --metric qtm => --metric is not supported for --puzzle skewb: it has only one metric
        2  skewb --count --bits 2 => No such option '--bits': counts choose bits themselves
        2  pocket --goal first-layer --orientation fixed => a goal decides how the puzzle is held
        1  pocket --levels 2 --orientation fixed => the first levels in a fixed orientation; choose a free one
        1  pocket --goal first-layer-U --from first-layer-D => choose one whose pieces it distinguishes, too
        1  pocket --from first-layer --levels 2 => counted at all depths; leave levels (--levels) out
        1  rubik --count => choose levels (--levels)
        1  rubik --goal cross-any --count => choose one of them, or count the states that another goal leaves
        1  rubik --goal x-cross --levels 3 => for several goals that ignore different pieces; choose one of them
        1  rubik --goal x-cross --from cross --levels 3 => counted at all depths; leave levels (--levels) out
        2  clock --levels 2 => the numbers at all depths are known; leave it out
        2  clock --from x => only the numbers of all states are known; leave it out
        1  clock --count => a count of all states, whose numbers are known; leave count (--count) out
        2  square1 --from x => only all of its states are counted; leave it out
        1  square1 --metric wca => with turns counted; choose the metric twist
        2  square1 --goal cubeshape --levels 2 => the states of a goal are counted at all depths; leave it out
        1  square1 --goal cubeshape --count --out - => leave count (--count), levels (--levels) and out (--out) out
        1  pancake-20 --count => more than can be enumerated: at most 50,553,004,032; count the first levels
    """,
    "tables distribution --tray": """
        2  3by3 => '3by3' is not rows x columns
        2  2x2 --start 1 => '1' is not column,row
        1  2x2 --start 3,1 => column 3, row 1 is outside
        1  30x30 => more than can be enumerated
        1  1x1 => at least two cells
        1  9999x9999 => at most 1,000 cells, not 99,980,001
    """,
    "depth --puzzle rolling": """
        2  WW/WE => Missing option '--start'
        2  --start 1,1 --workers 0 WE => --workers
        2  --start 1,1 --metric qtm WE => --metric is not supported
        2  --start 2,1,1 WE => '2,1,1' is not column,row
        2  --start -1,1 WE => '-1,1' is not column,row
        1  --start x WE => start: a tray has at least two cells
        1  --start 4,1 WWW/WWW/WWE => start: column 4, row 1 is outside
        1  --start 1,1 BB/BE => no rolls lead to the goal
    """,
    "solve --puzzle rolling --start 1,1": """
        2  --target WE WE => --target is not supported
        2  --svg - WE WE => --svg draws the solution of one
        2  --svg - --count WE => --count prints none
    """,
}
"""The status, the rest of the command and a part of the message, by the begin of the command."""


def _refused() -> Iterator[tuple[str, int, str]]:
    for begin, listed in REFUSED.items():
        for line in listed.strip().splitlines():
            status, _, said = line.strip().partition(" ")
            rest, _, message = said.partition("=> ")
            yield f"{begin} {rest}".strip(), int(status), message
    for option in ("--moves Q", "--moves Q --no-inverses", "--cost Q=2", "--cost Q=2 --no-inverses", "--goal nosuch"):
        named = "--cost, --no-inverses" if option.endswith("2 --no-inverses") else option.split()[0]
        for command in ("tables build skewb", "tables verify skewb", "depth --puzzle skewb R"):
            yield f"{command} {option}", 2, f"Invalid value for {named}: "
    for command, colours in (
        (command, colours) for command in ("depth", "solve", "show") for colours in ("x", "UUUUUU", "URFDLBX", "''")
    ):
        yield f"{command} --colours {colours} {TURNED}", 2, "is not six different symbols"
    rows = "W" * 30 + "/"
    for tray, message in (
        ("W" * 2000 + "E", "at most 1,000 cells"),
        (rows * 30 + "E" * 30, "one vacancy, not 30"),
        (rows * 29 + "*" * 30, "can be enumerated"),
    ):
        yield f"depth --puzzle rolling --start 9,9 {tray}", 1, message


@pytest.mark.parametrize(
    ("command", "status", "message"), list(_refused()), ids=[command[:60] for command, *_ in _refused()]
)
def test_what_is_wrong_is_said(
    command: str, status: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refused command prints nothing on standard output, and writes no file."""
    monkeypatch.chdir(tmp_path)
    result = invoke(*shlex.split(command))
    assert (result.exit_code, result.stdout) == (status, "")
    assert message in " ".join(result.stderr.split())
    assert not list(tmp_path.iterdir())


# -- Quotations in messages are short and have no control characters ---------------------------------------------------


EVIL = "\x1b]0;x\x07\x9b"
GIVEN = (
    ("depth",), ("depth", "--puzzle"), ("depth", "--puzzle", "skewb"), ("depth", "--puzzle", "rubik"),
    ("depth", "--format", "alg"), ("depth", "--format"), ("depth", "--metric"), ("depth", "--colours"),
    ("depth", "--puzzle", "rolling", "--start", "1,1"), ("depth", "--puzzle", "rolling", "--start"),
    ("depth", "--puzzle", "rubik", "--timeout"), ("depth", "--puzzle", "rubik", "--memory"),
    ("depth", "--moves"), ("depth", "--cost"), ("solve", "--format", "alg", "--target"), ("show",), ("show", TURNED),
    ("show", "--svg"), ("convert", "--to"), ("convert", "--to", "alg"), ("scramble", "--seed"), ("scramble",),
    ("judge",),
    ("judge", "poj-3131", "--check"), ("tables", "build"), ("tables", "info"), ("tables", "verify"),
    ("tables", "distribution"), ("tables", "distribution", "--tray"), ("export",), ("export", "pocket", "--out"),
    ("export", "pocket", "--out", "a.csv", "--columns"), ("puzzles",), (), ("--",),
)  # fmt: skip


@pytest.mark.parametrize("before", GIVEN, ids=" ".join)
def test_nothing_that_a_terminal_obeys_is_quoted(before: tuple[str, ...]) -> None:
    for text in (EVIL, f"--{EVIL}"):
        result = invoke(*before, text)
        assert result.exit_code in {1, 2, 3}
        assert isinstance(result.exception, SystemExit)
        assert all(line.isprintable() for line in result.output.split("\n"))
        assert result.output


@pytest.mark.parametrize("before", GIVEN, ids=" ".join)
def test_what_is_long_is_cut(before: tuple[str, ...]) -> None:
    result = invoke(*before, "q" * 200_000)
    assert result.exit_code in {1, 2, 3}
    assert isinstance(result.exception, SystemExit)
    assert len(result.output) < 6_000


def test_lines_of_input_are_quoted_likewise() -> None:
    for form in ("urfdlb", "net", "uva", "corners", "cubies", "alg"):
        result = invoke("depth", "--format", form, "-", stdin=f"{EVIL}\n{'x' * 20_000}\n")
        assert result.exit_code == 1
        assert all(line.isprintable() for line in result.output.split("\n"))
        assert len(result.output) < 2_000
