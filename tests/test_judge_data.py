from __future__ import annotations

import functools
import hashlib
import json
import os
import random
import re
from pathlib import Path

import pytest

from cubesolve.catalog.pocket.forms import arrange
from cubesolve.definition.facelets import require_no_mirror
from cubesolve.judge import PROBLEMS, judge
from cubesolve.judge.cases import Case
from cubesolve.judge.cubes import mirrored
from cubesolve.judge.generating import DataFile, generate, write
from cubesolve.runtime.files import write_atomically
from tests.facts import DATA
from tests.subsets import later

NUMBER = 30
SAMPLES = ["hdu-2691", "hdu-2953", "hdu-4801", "poj-3131", "uva-11007"]

made = functools.cache(generate)


def parts(name: str, kind: str, number: int = NUMBER) -> list[DataFile]:
    return [part for part in made(name, number, 7).parts if part.name.endswith(f"-{kind}")]


def answers(name: str, kind: str, number: int = NUMBER) -> list[str]:
    return [line for part in parts(name, kind, number) for line in part.output.splitlines()]


def cases(name: str, kind: str, number: int = NUMBER) -> list[Case]:
    (found,) = (each for each in PROBLEMS[name].groups if each.name == kind)
    return found.cases(random.Random(7), number)


# -- What is in it ---------------------------------------------------------------------------------------------------

# Digests of all files: another state, colour or number of turns in any group changes that of its problem.
DIGESTS = {
    "uva-11007": "0862ec02f6b61527",
    "hdu-2953": "d23b994e92aa6811",
    "corners-24": "59fdebc939624668",
    "cubies-14": "57f9bb5c340353e8",
    "hdu-2691": "4da0c6a8e1d335ab",
    "mipt-041": "94642d82af520497",
    "cf-887c": "866b90d77c6be75f",
    "hdu-4801": "b1eeaf4939056b0b",
    "poj-3131": "fe6705f3583d442e",
    "rubik-5": "135a8ff5b5225605",
}


@pytest.mark.parametrize("name", sorted(PROBLEMS))
def test_the_same_seed_makes_the_same_data(name: str) -> None:
    files = made(name, NUMBER, 7).files
    assert hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:16] == DIGESTS[name]
    others = generate(name, NUMBER, 8).files
    assert others.keys() == files.keys()
    assert others != files


@pytest.mark.parametrize("name", sorted(PROBLEMS))
@pytest.mark.parametrize("number", [1, *map(later, (7, NUMBER))])
def test_how_many_cases_there_are(name: str, number: int) -> None:
    data = made(name, number, 7)
    most = 1 if PROBLEMS[name].single else number
    assert all(1 <= part.cases <= most for part in data.parts)
    assert sum(part.cases for part in parts(name, "random", number)) == number
    places = [re.fullmatch(rf"{name}-(\d+)-[a-z-]+", part.name) for part in data.parts]
    assert [int(place[1]) for place in places if place] == list(range(1, len(data.parts) + 1))
    assert sorted(data.files) == sorted(f"{part.name}.{end}" for part in data.parts for end in ("in", "out"))
    assert len({len(part.name.split("-")[2]) for part in data.parts}) == 1


@pytest.mark.parametrize("name", sorted(PROBLEMS))
def test_answers_are_those_to_the_input(name: str) -> None:
    for part in made(name, NUMBER, 7).parts:
        verdicts = list(judge(name, part.input))
        assert part.output == "".join(f"{verdict.answer}\n" for verdict in verdicts)
        assert part.cases == len(verdicts)
        if PROBLEMS[name].counted:
            assert part.input.split("\n")[0] == str(part.cases)


def test_inputs_are_printed_as_the_problems_print_them() -> None:
    for name in SAMPLES:
        published = [(DATA / "judge" / f"{name}.{end}").read_text() for end in ("in", "out")]
        (part,) = parts(name, "sample")
        assert [part.input.rstrip(), part.output.rstrip()] == [text.rstrip() for text in published]
    assert [part.output for part in parts("mipt-041", "sample")] == ["1\n", "3\n"]
    assert [part.output for part in parts("cf-887c", "sample")] == ["NO\n", "YES\n"]
    (part,) = parts("cubies-14", "sample")
    assert (part.input, part.answers) == ("2 4 1 5 0 6 3 1 0 2 2 1 0 0\n", {"8": 1})
    assert re.fullmatch(r"(([A-Z]{3} ){7}[A-Z]{3}\n){2}", parts("corners-24", "random")[0].input)
    cube = r"([a-z]{3}\n){3}([a-z]{12}\n){3}([a-z]{3}\n){3}\n"
    assert re.fullmatch(rf"{NUMBER}\n({cube}){{{NUMBER}}}", parts("rubik-5", "random")[0].input)


def test_limits_have_an_answer_within_them_and_one_beyond() -> None:
    assert answers("poj-3131", "limit") == ["30", "-1"] * 9
    within = answers("hdu-4801", "limit")
    assert within[::2] == ["6"] * 8
    assert "6" not in within[1::2]


@pytest.mark.parametrize("name", ["hdu-2953", "mipt-041", "cf-887c"])
def test_schemes_come_with_their_mirror_images(name: str) -> None:
    found = ["".join(arrange(case, name)) for case in cases(name, "schemes")]
    assert len(set(found)) == len(found) == 24
    for one, other in zip(found[::2], found[1::2], strict=True):
        assert one != other
        assert sorted(one) == sorted(other)
    assert len(set(answers(name, "schemes"))) == 1
    with pytest.raises(ValueError, match="mirror scheme"):
        require_no_mirror(mirrored("URFDLB"))


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
        with pytest.raises(FileExistsError, match="has been changed since") as error:
            write(made("uva-11007", number, 8), str(tmp_path))
        assert error.value.filename == str(changed)
        assert contents(tmp_path) == before


DIGEST = hashlib.sha256(b"mine").hexdigest()


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
