from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import shlex
import signal
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import click
import pytest

from cubesolve import Tray, catalog, lookup
from cubesolve.catalog.pocket.cube import PocketCube
from cubesolve.catalog.rubik.cube import RubikCube
from cubesolve.cli import main
from cubesolve.cli.running import Later
from cubesolve.cli.tables import tables
from cubesolve.judge import PROBLEMS
from cubesolve.picture.render import distribution_svg
from tests.commands import commands_in, invoke, printed, refused
from tests.facts import DATA, RUBIK
from tests.patience import PATIENCE
from tests.processes import COMMAND, ROOT, TAKEN, run, run_python, typed, watched
from tests.subsets import only

SOLVED = "UUUURRRRFFFFDDDDLLLLBBBB"
TURNED = "UUUUBBRRRRFFDDDDFFLLLLBB"  # by U


def commands(group: click.Group = main, prefix: tuple[str, ...] = ()) -> dict[tuple[str, ...], click.Command]:
    found: dict[tuple[str, ...], click.Command] = {}
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        command = command.imported if isinstance(command, Later) else command
        found[*prefix, name] = command
        if isinstance(command, click.Group):
            found.update(commands(command, (*prefix, name)))
    return found


def test_an_empty_line_may_part_the_faces_of_a_net() -> None:
    for puzzle, size in (("pocket", 2), ("rubik", 3)):
        rows = printed("show", "--puzzle", puzzle, "--format", "alg", "R U").splitlines()
        top, parted = rows[:size], [*rows[:size], "", *rows[size : 2 * size], "", *rows[2 * size :]]
        ask = "depth", "--puzzle", puzzle, "--format", "net"
        assert printed(*ask, "-", stdin="\n".join([*parted, *parted, *rows, "", *parted])) == "2\n" * 4
        assert printed(*ask, "\n".join(parted)) == printed(*ask[:3], "\n".join(parted)) == "2\n"
        asked = invoke(*ask, "-", "--keep-order", stdin="\n".join([*top, "", *parted, *top, "", "", *rows, *top]))
        assert asked.stdout == "?\n2\n?\n2\n?\n"
        wrong = [1, size + 2, 4 * size + 4, 5 * size + 6, 8 * size + 6]
        assert [line.split(":")[1] for line in asked.stderr.splitlines()] == [f" line {wrong[n]}" for n in (0, 2, 4)]


def test_the_list_of_commands_is_complete_and_imports_none() -> None:
    code = "import sys\nfrom cubesolve.cli import main\nmain(['--help'], standalone_mode=False)\n"
    code += "print([name for name in sys.modules if name.startswith('cubesolve.cli.')])"
    shown, imported = run_python(code, fresh=True).stdout.split("Puzzles:\n")[1].rsplit("\n", 2)[:2]
    assert imported == "['cubesolve.cli.running']"
    assert re.findall(r"^  (\w+)", shown, re.M) == main.list_commands(click.Context(main))
    assert "..." not in shown


def test_lists_describe_commands_as_their_help_does() -> None:
    for group in (main, tables):
        for name, listed in group.commands.items():
            if isinstance(listed, Later):
                assert (name, listed.help) == (name, (listed.imported.help or "").partition("\n\n")[0])
    assert "..." not in printed("tables", "--help").partition("Commands:")[2]


def test_every_command_has_help_with_an_example_and_is_documented() -> None:
    manual = (ROOT / "docs" / "cli.md").read_text()
    printed("--help")
    for path, command in commands().items():
        result = invoke(*path, "--help")
        assert result.exit_code == 0
        if not isinstance(command, click.Group):
            assert f"cubesolve {' '.join(path)}" in result.output
        assert f"`cubesolve {' '.join(path)}" in manual
        assert not re.search(r"--?[a-z-]+ (INTEGER|FLOAT|TEXT|PATH)", result.output)  # types, not what a value is
        for parameter in command.params:
            for option in parameter.opts:
                assert not option.startswith("--") or f"`{option}" in manual, option
            assert isinstance(parameter, click.Argument) or parameter.help


def test_options_are_shown_in_sections() -> None:
    shown = printed("solve", "--help").partition("\nOptions:")[2]
    sections = re.split(r"^(\w.*):$", shown, flags=re.M)
    assert sections[1::2] == ["Moves and notation", "Limits", "Input and output"]
    for section, option in zip(sections[::2], ["--puzzle", "--moves", "--timeout", "--json"], strict=True):
        assert re.search(rf"^  .*{option}\b", section, re.M)


_HELP = "\n".join(command.help or "" for command in [main, *commands().values()])
EXAMPLES = list(dict.fromkeys(re.findall(r"^ +(cubesolve (?!tables build|serve).*)$", _HELP, re.M)))


def test_help_has_examples_and_names_all_tables_and_problems() -> None:
    assert len(EXAMPLES) >= 30
    names = printed("tables", "build", "--help").partition("Names:")[2]
    assert "topspin-8-4-htm, " in names
    assert not re.search("-$", names, re.M)
    assert set(PROBLEMS) == set(re.findall(r"^ *([\w]+-\d+\w?) ", printed("judge", "--help"), re.M))


_LONG = (
    "algs --case|cll.csv|--case pll:T|cases (cmll|htr|pll)|rubik --metric qtm|pocket.npz|tiles-3x4 --count|verify|warm"
)
"""A pattern of the examples that take seconds."""


@pytest.mark.parametrize("example", only([each for each in EXAMPLES if not re.search(_LONG, each)], EXAMPLES))
def test_examples_in_help_work(tmp_path: Path, example: str) -> None:
    (tmp_path / "states.txt").write_text(f"{TURNED}\n")
    (tmp_path / "cubes.txt").write_text((DATA / "judge" / "uva-11007.in").read_text())
    (tmp_path / "answers.txt").write_text((DATA / "judge" / "uva-11007.out").read_text())
    status, printed, errors = typed(example, tmp_path, tmp_path)
    assert (status, errors.replace(TAKEN, "")) == (0, "")
    assert printed or re.search(r"--(svg|html|plot|out|format esm)\b", example)


@pytest.mark.parametrize(("command", "status", "said"), [*commands_in("answered.txt")])
def test_commands_that_are_answered(command: str, status: int, said: str) -> None:
    """The file has `...` for any text; what is on standard error, it has for some."""
    asked, _, stdin = command.replace("\\r", "\r").replace("\\n", "\n").partition("<<< ")
    result = invoke(*shlex.split(asked), stdin=stdin)
    assert result.exit_code == status, result.stderr
    answer, has_messages, messages = said.replace("\\n", "\n").replace("...", "\0").partition(" =>")
    assert re.fullmatch(re.escape(answer).replace("\0", ".*") + "\n", result.stdout, re.DOTALL), result.stdout
    if has_messages:
        assert re.fullmatch(re.escape(messages.strip()).replace("\0", ".*"), result.stderr.strip(), re.DOTALL)


def test_a_byte_order_mark_is_no_part_of_a_state() -> None:
    assert run("depth", "-", stdin=f"\ufeff{TURNED}\n", env={"PYTHONUTF8": "1"}, fresh=True).stdout == "1\n"
    text = (DATA / "judge" / "uva-11007.in").read_text()
    assert run("judge", "uva-11007", stdin=f"\ufeff{text}", env={"PYTHONUTF8": "1"}, fresh=True).stdout == "2\n6\n"


def drawn_cells(path: Path) -> list[str]:
    """The outlines in a drawing."""
    paths = ET.parse(path).iter("{http://www.w3.org/2000/svg}path")
    return [outline for each in paths for outline in each.get("d", "").split("z") if outline]


def test_show(tmp_path: Path) -> None:
    path = tmp_path / "cube.svg"
    printed("show", TURNED, "--svg", str(path))
    assert invoke("show", "oops", "--svg", str(path)).exit_code == 1
    assert path.read_text().startswith("<svg ")
    assert "No such file or directory" in refused("show", TURNED, "--svg", str(tmp_path / "no" / "cube.svg"), status=1)
    assert os.listdir(tmp_path) == ["cube.svg"]
    assert run("show", TURNED, "--svg", "-").stdout == path.read_text()
    convert = "convert", "--from", "urfdlb", "--to", "net", TURNED, "--svg"
    assert printed(*convert, "-") == path.read_text()
    (tmp_path / "other").mkdir()
    net = printed(*convert, str(tmp_path / "other" / "cube.svg"))
    assert (net, (tmp_path / "other" / "cube.svg").read_text()) == (printed("show", TURNED), path.read_text())
    strange = "\x01\udcff&<WR"
    facelets = "".join(strange["URFDLB".index(face)] for face in TURNED)
    printed("show", facelets, "--svg", str(path))
    assert len(drawn_cells(path)) == 24


@pytest.mark.parametrize("name", only(lookup.puzzles()[::4], lookup.puzzles()))
def test_every_puzzle_that_ships_is_shown_in_colour_and_drawn(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    state = ["WWW/WEW/WWW"] if name == "rolling" else ["--format", "alg", ""]
    shown, drawn = (printed("show", "--puzzle", name, *more, *state) for more in ([], ["--svg", "-"]))
    assert "\x1b[" in shown
    assert ET.fromstring(drawn).get("role") == "img"


def test_steps_of_a_solution() -> None:
    steps = printed("solve", "--steps", "--format", "alg", "R U2").split("\n\n")
    states = lookup.solve(PocketCube.from_alg("R U2")).states
    shown = [printed("show", str(state)).rstrip() for state in states]
    assert [each.rstrip() for each in steps] == [
        f"{c}\n{s}" for c, s in zip(["start", "1 U2", "2 R'"], shown, strict=True)
    ]
    assert invoke("solve", "--steps", TURNED, "oops", SOLVED).stdout.endswith("\nstart\n" + shown[-1] + "\n")


def test_scrambles_drawn(tmp_path: Path) -> None:
    path = tmp_path / "scrambles.svg"
    algs = printed("scramble", "-n", "3", "--seed", "1", "--svg", str(path))
    assert algs == printed("scramble", "-n", "3", "--seed", "1")
    assert len(drawn_cells(path)) == 3 * 24
    drawn = printed("scramble", "--seed", "1", "--svg", "-")
    scrambled = PocketCube.from_alg(algs.splitlines()[0])
    assert printed("show", str(scrambled), "--svg", "-") == drawn
    rolls = ["scramble", "--puzzle", "rolling", "--start", "2,1", "--seed", "1"]
    tray = Tray.start((2, 1)).apply(printed(*rolls).strip())
    assert json.loads(printed(*rolls, "--json"))["state"] == str(tray)
    assert f"<title>{tray}</title>" in printed(*rolls, "--svg", "-")


def test_distributions_drawn(tmp_path: Path) -> None:
    path = tmp_path / "skewb.svg"
    assert printed("tables", "info", "skewb", "--plot", str(path)) == ""
    assert path.read_text() == distribution_svg(lookup.puzzle("skewb").distribution())
    assert ">11+<" not in path.read_text()
    assert printed("tables", "info", "skewb-htm", "--plot", "-") == path.read_text()
    assert invoke("tables", "info", "rubik-qtm-2gb", "--plot", str(path)).exit_code == 3
    assert ET.parse(path).getroot()[0].text == "3,149,280 states by their depth"


def test_tables_with_errors_are_reported_and_the_others_described(tmp_path: Path) -> None:
    (no_definition := tmp_path / "notes.txt").write_text("none")
    for names, status in (([str(no_definition), "skewb-htm"], 1), (["rubik-qtm-2gb", "skewb-htm"], 3)):
        result = invoke("tables", "info", *names)
        assert (result.exit_code, result.stdout.count("sha256")) == (status, 1)
        assert names[0] in result.stderr.splitlines()[0]


def test_show_paints_on_a_terminal_only() -> None:
    for env, is_painted in (({"NO_COLOR": ""}, True), ({"NO_COLOR": "1"}, False)):
        assert ("\x1b[" in watched("show", TURNED, env=env, paints=True)) == is_painted
    assert "\x1b[" not in run("show", TURNED).stdout


def test_progress_of_a_search_is_for_terminals() -> None:
    asked, progress = ("depth", "--puzzle", "333", "R U"), r"depth  2  nodes +[\d,]+ +[\d.]+ s +[\d.]+ M/s"
    assert run(*asked).stderr == ""
    assert re.match(progress, invoke(*asked, "--progress").stderr.splitlines()[-1])
    lines = watched(*asked).split("\r")
    assert re.match(progress, lines[-2])
    assert lines[-1] == "\x1b[K"  # one line, which is rewritten, and erased before the answer


def test_ctrl_c_says_what_is_known(rubik_tables: str) -> None:
    """A search for minutes is interrupted as soon as a solution and a bound are known."""
    parent, child = pty.openpty()
    command = [*COMMAND, "solve", "-p", "333", str(RubikCube.from_alg(RUBIK["superflip"]["alg"]))]
    env = {**os.environ, "CUBESOLVE_TABLES": rubik_tables}
    assert "rubik-htm-small: " in run("tables", "info", "333", env=env).stdout
    with subprocess.Popen(command, stderr=child, stdout=subprocess.PIPE, env=env) as process:
        os.close(child)
        shown = ""
        while "moves found" not in shown or "depth 11" not in shown:
            shown += os.read(parent, 10000).decode()
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(OSError):  # the end of a terminal
            while piece := os.read(parent, 10000):
                shown += piece.decode()
    assert process.returncode == 130
    said = re.search(
        r"not proved optimal before it was interrupted: (\d+) moves found, at least (\d+) .*: (.*)\r", shown
    )
    assert said is not None
    assert 11 <= int(said[2]) < int(said[1]) == len(said[3].split())


def test_rolling_cubes(tmp_path: Path) -> None:
    rolling = ["--puzzle", "rolling", "--start", "2,1"]
    path = tmp_path / "rolls.svg"
    alg = printed("solve", *rolling, "RBW/RWW/EWW", "--svg", str(path)).strip()
    assert alg == lookup.solve((2, 1), "RBW/RWW/EWW")
    assert len(drawn_cells(path)) == 9 * 4
    printed("show", "--puzzle", "rolling", "--model", "face", "UD/.N", "--svg", str(path))
    assert len(drawn_cells(path)) == 4


def test_a_missing_table_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUBESOLVE_TABLES", str(tmp_path))
    monkeypatch.setattr("cubesolve.store.folders.table_folders", lambda _=None: iter([str(tmp_path)]))
    monkeypatch.setattr(lookup, "puzzle", lookup.open_tablebase().puzzle)
    assert printed("depth", "--metric", "qtm", "--format", "alg", "R2 U", "R") == "3\n1\n"
    assert (tmp_path / "pocket-qtm.zst").exists()


def test_more_than_half_of_the_memory_is_confirmed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUBESOLVE_TABLES", str(tmp_path))
    monkeypatch.setattr("cubesolve.cli.building.half_of_memory", lambda: 3_000_000)
    message = "cubesolve: pocket-htm takes 3.67 MB of memory, more than half of this machine's: allow it with --memory"
    assert refused("tables", "build", "pocket-htm", status=1) == message
    assert "more than the limit of 3 MB" in invoke("tables", "build", "--memory", "3MB", "pocket-htm").stderr
    assert not os.listdir(tmp_path)
    printed("tables", "build", "--memory", "4MB", "pocket-htm")


def test_damaged_tables_keep_nothing_else_from_being_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUBESOLVE_TABLES", str(tmp_path))
    (tmp_path / "pocket-htm.zst").write_bytes(b"rubbish")
    again = "rebuild it with: cubesolve tables build pocket-htm"
    damaged = f"cubesolve: {tmp_path}/pocket-htm.zst: not a cubesolve table; {again}\n"
    for command in ("verify", "info"):
        result = invoke("tables", command, "pocket-htm", "pocket-qtm")
        assert result.exit_code == 3
        assert result.stderr == damaged
        assert "pocket-qtm" in result.stdout
    started = run("depth", TURNED, env={"CUBESOLVE_TABLES": str(tmp_path)})
    assert (started.returncode, started.stdout) == (3, "")
    assert started.stderr == damaged
    blocked = run("tables", "build", env={"CUBESOLVE_TABLES": "/dev/null/tables"})
    assert (blocked.returncode, blocked.stdout) == (3, "")
    assert "/dev/null/tables/pocket-htm.zst: cannot be written: Not a directory" in blocked.stderr


def test_a_table_of_a_file_needs_no_puzzle_of_the_catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUBESOLVE_TABLES", str(tmp_path))
    monkeypatch.setattr(catalog, "rules_named", lambda name: pytest.fail(f"{name} was built"))
    printed("tables", "build", str(ROOT / "docs" / "rings.tws"))


def test_progress_and_bars_are_for_terminals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUBESOLVE_TABLES", str(tmp_path))
    assert invoke("tables", "build", "floppy-htm").stderr == ""
    shown = watched("tables", "build", "floppy-htm")
    assert [bar in shown for bar in ("proving", "writing", "100%")] == [True] * 3
    lines = [line for line in shown.splitlines() if line.startswith("floppy-htm ")]
    assert len(lines) == 9
    assert lines[8] == "floppy-htm  depth  8  states         1  total        192"


def test_strange_input_is_refused_in_words() -> None:
    lines = b"\xff\xfe\x00", b"\0" * 24, b"\x1b[31m", "\u2603".encode() * 24, b"x" * 3_000_000
    result = run("depth", "-", stdin=b"\n".join(lines), env={"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}, fresh=True)
    assert (result.returncode, result.stdout) == (1, "")
    for number, said in enumerate(result.stderr.splitlines(keepends=True), 1):
        assert re.fullmatch(rf"cubesolve: line {number}: [ -~]{{,300}}\n", said)
    assert result.stderr.count("\n") == len(lines)
    started = subprocess.run([*COMMAND, "depth", b"\xff" * 24, b"\x1b" * 24], capture_output=True, check=False)
    assert started.returncode == 1
    assert b"Traceback" not in started.stderr
    assert started.stderr.count(b"\n") == 2


def bash(line: str) -> subprocess.CompletedProcess[str]:
    """Run a line of bash, in which a command is a fresh process; its input is empty."""
    return subprocess.run(["/bin/bash", "-c", line], input="", capture_output=True, text=True, check=False)


def test_a_closed_pipe_ends_quietly() -> None:
    result = bash(f"{' '.join(COMMAND)} scramble -n 100000 | head -n 1; echo ${{PIPESTATUS[0]}}")
    scramble, status = result.stdout.splitlines()
    assert len(scramble.split()) == 11
    assert (status, result.stderr) == ("141", "")


def test_streams_that_the_caller_closed() -> None:
    for redirection, status in (("<&-", 0), (">&-", 1), ("2>&-", 0)):
        result = bash(f"{' '.join(COMMAND)} depth {TURNED} - {redirection}")
        assert result.returncode == status
        assert result.stderr == ("cubesolve: output: standard output is closed\n" if status else "")


def test_ctrl_c_ends_quietly() -> None:
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen([*COMMAND, "depth", "-"], **pipes, text=True) as process:
        assert process.stdin
        assert process.stdout
        print(TURNED, file=process.stdin, flush=True)
        assert process.stdout.readline() == "1\n"  # answered while the input is still open
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=PATIENCE)[1] == ""
    assert process.returncode == 130


_LIGHT = {
    f"depth {TURNED}": ("", "1\n", "cubesolve.cli.output filelock"),
    f"solve {TURNED}": ("", "U'\n", "cubesolve.picture.render"),
    "judge uva-11007": ((DATA / "judge" / "uva-11007.in").read_text(), "2\n6\n", "cubesolve.judge.checking"),
}
"""The input and the answer of commands, and modules that they do not load beside those below."""


@pytest.mark.parametrize("command", _LIGHT)
def test_a_light_entry_point_stays_light(command: str) -> None:
    stdin, answer, others = _LIGHT[command]
    heavy = "numpy numba json random dataclasses shlex cubesolve.spaces.defined cubesolve.definition.definition"
    code = (
        "import io, sys\n"
        "from cubesolve.cli import main\n"
        f"sys.stdin = io.StringIO({stdin!r})\n"
        f"main({command.split()}, standalone_mode=False)\n"
        f"print(sorted({{*{heavy.split()}, *{others.split()}}} & sys.modules.keys()))\n"
    )
    assert run_python(code, fresh=True).stdout == f"{answer}[]\n"


def test_the_end_of_a_process_looks_through_no_objects() -> None:
    code = "import atexit, gc, sys\natexit.register(lambda: print(gc.get_freeze_count() > 10_000))\n"
    code += f"sys.argv = ['cubesolve', 'depth', '{TURNED}']\nfrom cubesolve.__main__ import main\nmain()"
    assert run_python(code, fresh=True).stdout == "1\nTrue\n"


def test_twenty_thousand_states_stream() -> None:
    assert run("depth", "-", stdin=f"{TURNED}\n" * 20_000).stdout == "1\n" * 20_000


def test_reading_counts_for_the_time_limit() -> None:
    asked = invoke("depth", "--timeout", "0", "-", stdin="R' U " * 1_000)
    assert asked.exit_code == 1
    assert asked.stderr == "cubesolve: line 1: not answered after 0 s\n"


def test_singmaster_s_notation_is_read_and_written() -> None:
    cube = lookup.puzzle("rubik")
    for alg in ("R U F'", "R2 D' B L", "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"):
        state = cube.parse(alg, "alg")
        assert cube.parse(cube.write(state, "singmaster")) == state


def test_facelets_on_standard_input_are_of_the_puzzle_that_has_as_many() -> None:
    for cube in (str(RubikCube.from_alg("R U F")), printed("show", "--puzzle", "rubik", "R U F")):
        assert run("solve", "-", stdin=f"{cube}\n".encode() * 2).stdout == "F' U' R'\n" * 2


def test_a_path_as_long_as_facelets_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert printed("show", "--svg", f"{'a' * 50}.svg", TURNED) == ""
