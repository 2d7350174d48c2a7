from __future__ import annotations

import functools
import hashlib
import json
import os
import random
from pathlib import Path

import pytest
from click.testing import Result
from hypothesis import given, settings
from hypothesis import strategies as st

from cubesolve import lookup, puzzle
from cubesolve.catalog.pocket.cube import PocketCube
from cubesolve.catalog.pocket.forms import format_cubies
from cubesolve.definition.notation import invert_alg
from cubesolve.judge import PROBLEMS, judge
from cubesolve.judge.checking import check
from cubesolve.judge.generating import generate, write
from cubesolve.runtime.files import write_atomically
from tests.commands import invoke
from tests.facts import DATA, DIGESTS
from tests.processes import run
from tests.subsets import only
from tests.test_judge import rubik_case

NUMBER = 30
DIGEST = hashlib.sha256(b"mine").hexdigest()
made = functools.cache(generate)

SAMPLE = (DATA / "judge" / "uva-11007.in").read_text()  # whose answers are 2 and 6
format_corners = functools.partial(puzzle("pocket").write, form="corners")


@functools.cache
def joined(name: str) -> tuple[str, str]:
    """Many cases, and their correct answers."""
    problem, chosen = PROBLEMS[name], made(name, 8, 7).parts
    first, last = int(problem.counted), -1 if problem.ends_with else None
    bodies = ("\n".join(part.input.splitlines()[first:last]) + "\n" for part in chosen)
    return "".join(bodies), "".join(part.output for part in chosen)


def faults(name: str, text: str, output: str) -> list[str]:
    return [str(fault) for fault in check(name, text, output.split("\n")).mistakes]


# -- Right answers ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(PROBLEMS))
def test_our_own_answers_are_right(name: str) -> None:
    text, output = joined(name)
    for printed in (output, output.replace("\n", " \t\r\n") + "\n \n\n"):
        report = check(name, text, printed.split("\n"))
        assert report.is_right
        assert report.right == report.cases == sum(part.cases for part in made(name, 8, 7).parts)


def as_corners(alg: str) -> str:
    return "".join(move[0].lower() if move.endswith("'") else move for move in alg.split())


@settings(max_examples=25)
@given(st.randoms(use_true_random=False))
def test_any_shortest_turns_from_one_cube_to_another_are_right(rng: random.Random) -> None:
    start, target = lookup.random_state(rng), lookup.random_state(rng)
    text = f"{format_corners(start)}\n{format_corners(target)}\n"
    ways = list(lookup.solutions(start.relative_to(target), metric="qtm"))
    for alg in rng.sample(ways, min(5, len(ways))):
        assert faults("corners-24", text, as_corners(alg)) == []
        assert faults("corners-24", text, " ".join(as_corners(alg))) == []


@settings(max_examples=25)
@given(st.randoms(use_true_random=False))
def test_any_shuffle_and_any_shortest_solution_are_right(rng: random.Random) -> None:
    state = lookup.random_state(rng)
    ways = list(lookup.solutions(state))
    for alg in rng.sample(ways, min(5, len(ways))):
        shuffle = invert_alg(lookup.solve(state.apply("R U2 F'"))) + " F U2 R'"
        assert faults("cubies-14", format_cubies(state), f"{shuffle}\n{len(alg.split())}\n{alg}") == []


def test_any_shortest_turns_of_a_3x3x3_are_right() -> None:
    text = rubik_case("U D R R")
    for alg in ("R R D' U'", "R' R' U' D'", "R R U' D'", "R' R' D' U'"):
        pairs = [f"{'LFRBUD'.index(move[0])} {-1 if move.endswith(chr(39)) else 1}" for move in alg.split()]
        assert faults("rubik-5", text, f"{len(pairs)}\n{' '.join(pairs)}\n") == []
    assert faults("rubik-5", rubik_case("") + rubik_case("R"), "0\n\n1\n2 -1") == []


# -- Wrong answers ---------------------------------------------------------------------------------------------------

SOLVED = format_corners(PocketCube.solved())
INPUTS = {
    "sample": SAMPLE,
    "invalid sample": SAMPLE.replace("GGGG", "GGGW"),
    "alike": f"{SOLVED}\n{SOLVED}\n",
    "corners": f"{format_corners(PocketCube.from_alg('R U'))}\n{SOLVED}\n",
    "twisted": f"FLU RFU LFD DFR LBU UBR DLB RBD\n{SOLVED}\n",
    "cubies": "1 2 3 0 4 5 6 0 0 0 0 0 0 0",  # after U
    "solved": rubik_case(""),
    "turned": rubik_case("R U"),
    "far": rubik_case("R U F D L B"),
    "far twice": rubik_case("R U F D L B") * 2,
}


@pytest.mark.parametrize(("name", "given", "output", "fault"), json.loads((DATA / "judge" / "wrong.json").read_text()))
def test_what_is_wrong_is_said(name: str, given: str, output: str, fault: str) -> None:
    found = faults(name, INPUTS[given], output)
    assert found[0].startswith(fault)
    assert len(found) == 1 + (output in {"2 6\n", "\nur"})
    assert all(len(each) < 200 for each in found)


@pytest.mark.parametrize("name", only({"cubies-14", "poj-3131", "cf-887c", "uva-11007"}, sorted(PROBLEMS)))
@given(st.randoms(use_true_random=False))
@settings(max_examples=4)
def test_one_wrong_answer_is_found_among_right_ones(name: str, rng: random.Random) -> None:
    text, _ = joined(name)
    outputs = [verdict.answer or "" for verdict in judge(name, text)]
    which = rng.randrange(len(outputs))
    lines = outputs[which].split("\n")
    changed = rng.randrange(len(lines))
    lines[changed] = rng.choice(["x", "1e3", "\N{SNOWMAN}", *(["7 7"] if " " in lines[changed] else [])])
    output = "\n".join([*outputs[:which], *lines, *outputs[which + 1 :]])
    (fault,) = check(name, text, output.split("\n")).mistakes
    assert fault.case == which + 1
    assert fault.line == sum(len(answer.split("\n")) for answer in outputs[:which]) + 1


# -- The command line ------------------------------------------------------------------------------------------------


def judged(path: Path, stdin: str = SAMPLE) -> Result:
    return invoke("judge", "uva-11007", "--check", str(path), stdin=stdin)


def test_checking_at_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "answers.txt"
    for right in (b"2\n6\n", b"\xef\xbb\xbf2\r\n6\r\n", b"2  \n6"):
        path.write_bytes(right)
        result = judged(path)
        assert (result.exit_code, result.stdout, result.stderr) == (0, "2 of 2 cases right\n", "")
    path.write_text("3\n6\n7")
    result = judged(path)
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout == (
        "case 1 (line 1): '3' is wrong: expected 2\nline 3: follows the answer to the last case\n1 of 2 cases right\n"
    )
    path.write_text("6")
    result = judged(path, SAMPLE.replace("GGGG", "GGGW"))
    assert (result.exit_code, result.stdout) == (1, "1 of 1 cases right\n")
    assert result.stderr.startswith("cubesolve: case 1 (line 3) of the input is invalid: ")
    path.write_text("")
    result = judged(path, "")
    assert (result.exit_code, result.stdout) == (1, "0 of 0 cases right\n")
    assert result.stderr == "cubesolve: stdin contains no case\n"


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        (b"\xff\xfe2\x00\n\x006\x00\n\x00", "line 1 is not text in UTF-8"),
        (b"2\n\x80\n", "line 2 is not text in UTF-8"),
        (b"2\n" + b"6" * 1_000_001, "line 2 has more than 1,000,000 bytes"),
    ],
)
def test_a_file_that_is_no_output(tmp_path: Path, contents: bytes, message: str) -> None:
    path = tmp_path / "answers.txt"
    path.write_bytes(contents)
    result = judged(path)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"cubesolve: {path}: {message}\n"


def test_files_without_an_end_are_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in ("/dev/zero", str(tmp_path / "pipe")):
        waiting = run("judge", "uva-11007", "--check", path, stdin=SAMPLE)
        assert (waiting.returncode, waiting.stderr) == (1, f"cubesolve: {path}: Not a regular file\n")


def test_generating_at_the_command_line(tmp_path: Path) -> None:
    command = ("judge", "uva-11007", "--generate", "3", "--out")
    first = invoke(*command, tmp_path / "a")
    assert first.exit_code == 0
    cases = {line.split()[0]: int(line.split()[1]) for line in first.stdout.splitlines()}
    files = contents(tmp_path / "a")
    assert cases == {name[:-4]: text.count(b"\n") for name, text in files.items() if name.endswith(".out")}
    assert first.stderr.startswith("cubesolve: --seed ")
    again = invoke(*command, tmp_path / "b", "--seed", first.stderr.split()[2])
    assert (again.exit_code, again.stdout, again.stderr) == (0, first.stdout, "")
    assert contents(tmp_path / "b") == files


# -- Test data: what is in it ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(PROBLEMS))
def test_the_same_seed_makes_the_same_data(name: str) -> None:
    """Another state, colour or number of turns in any group changes the digest of all files of a problem."""
    files = made(name, NUMBER, 7).files
    assert hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:16] == DIGESTS["judge"][name]
    others = generate(name, NUMBER, 8).files
    assert others.keys() == files.keys()
    assert others != files


@pytest.mark.parametrize("name", sorted(PROBLEMS))
def test_a_file_has_as_many_cases_as_are_asked_for(name: str) -> None:
    data = made(name, 1, 7)
    assert {part.cases for part in data.parts} == {1}
    assert len([part for part in data.parts if part.name.endswith("-random")]) == 1
    assert sorted(data.files) == sorted(f"{part.name}.{end}" for part in data.parts for end in ("in", "out"))


def test_samples_are_those_that_are_published() -> None:
    for name in ("hdu-2691", "hdu-2953", "hdu-4801", "poj-3131", "uva-11007"):
        published = [(DATA / "judge" / f"{name}.{end}").read_text() for end in ("in", "out")]
        (part,) = (part for part in made(name, NUMBER, 7).parts if part.name.endswith("-sample"))
        assert [part.input.rstrip(), part.output.rstrip()] == [text.rstrip() for text in published]


# -- Writing it ------------------------------------------------------------------------------------------------------


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.is_dir()}


def test_the_manifest_says_what_there_is(tmp_path: Path) -> None:
    data = made("hdu-4801", NUMBER, 7)
    write(data, str(tmp_path / "new" / "folder"))
    found = contents(tmp_path / "new" / "folder")
    manifest = json.loads(found.pop("hdu-4801.json"))
    assert found == data.files
    assert manifest["command"] == f"cubesolve judge hdu-4801 --generate {NUMBER} --seed 7"
    assert manifest["sha256"] == {name: hashlib.sha256(text).hexdigest() for name, text in found.items()}
    for entry, part in zip(manifest["inputs"], data.parts, strict=True):
        assert (entry["name"], entry["cases"], entry["answers"]) == (part.name, part.cases, part.answers)
        assert entry["cases"] == len(part.output.splitlines())
        assert entry["about"]


def test_what_was_written_before_is_replaced_and_nothing_else(tmp_path: Path) -> None:
    others = {"statement.txt": b"mine", "uva-11007-99-mine.in": b"mine", "uva-11007-01-sample.ans": b"mine"}
    for name, text in others.items():
        (tmp_path / name).write_bytes(text)
    write(made("hdu-4801", 20, 7), str(tmp_path))
    kept = contents(tmp_path)
    for number in (20, NUMBER, 20):
        data = made("uva-11007", number, 7)
        write(data, str(tmp_path))
        assert contents(tmp_path).keys() == kept.keys() | data.files.keys() | {"uva-11007.json"}
        assert contents(tmp_path).items() >= {**kept, **data.files}.items()


@pytest.mark.parametrize("change", ["edit", "link", "folder"])
def test_what_has_been_changed_is_not_replaced(tmp_path: Path, change: str) -> None:
    write(made("uva-11007", 20, 7), str(tmp_path))
    changed = tmp_path / "uva-11007-03-solved.out"
    text = changed.read_bytes()
    changed.unlink()
    if change == "edit":
        changed.write_bytes(text + b"\n")
    elif change == "link":
        (tmp_path / "mine").write_bytes(text)
        changed.symlink_to(tmp_path / "mine")
    else:
        changed.mkdir()
    before = contents(tmp_path)
    for number in (20, NUMBER):  # of which the second has no file of that name
        with pytest.raises(FileExistsError, match="by this command, or has been changed since") as error:
            write(made("uva-11007", number, 8), str(tmp_path))
        assert error.value.filename == str(changed)
        assert contents(tmp_path) == before


@pytest.mark.parametrize(
    "manifest",
    [
        "",
        "{",
        "[]",
        "[" * 100_000,
        '{"sha256": 1}',
        '{"sha256": [1]}',
        '{"sha256": "x"}',
        '{"sha256": ["uva-11007-01-sample.in"]}',
        json.dumps({"sha256": {"../mine": DIGEST}}),
        json.dumps({"sha256": {"mine": DIGEST}}),
        "\udcff",
    ],
)
def test_a_manifest_that_is_none_is_not_replaced(tmp_path: Path, manifest: str) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    for path in (tmp_path / "mine", folder / "mine"):
        path.write_text("mine")
    (folder / "uva-11007.json").write_bytes(manifest.encode("utf-8", "surrogateescape"))
    before = contents(folder)
    with pytest.raises(FileExistsError, match="was not written by this command"):
        write(made("uva-11007", 20, 7), str(folder))
    assert contents(folder) == before
    assert (tmp_path / "mine").read_text() == "mine"


def test_a_pipe_in_the_place_of_a_manifest_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "uva-11007.json")
    with pytest.raises(FileExistsError):
        write(made("uva-11007", 20, 7), str(tmp_path))


@pytest.mark.parametrize("step", [0, 1, 2, 9])
def test_what_is_interrupted_can_be_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    write(made("uva-11007", 20, 7), str(tmp_path))
    steps = iter(range(100))

    def full(path: str, data: bytes) -> None:
        if next(steps) == step:
            raise OSError(28, "No space left on device", path)
        write_atomically(path, data)

    monkeypatch.setattr("cubesolve.judge.generating.write_atomically", full)
    with pytest.raises(OSError, match="No space left"):
        write(made("uva-11007", NUMBER, 8), str(tmp_path))
    monkeypatch.undo()
    data = made("uva-11007", 20, 9)
    write(data, str(tmp_path))
    assert contents(tmp_path).keys() == data.files.keys() | {"uva-11007.json"}
