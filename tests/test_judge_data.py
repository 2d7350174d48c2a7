from __future__ import annotations

import functools
import hashlib
import json
import os
from pathlib import Path

import pytest

from cubesolve.judge import PROBLEMS
from cubesolve.judge.generating import generate, write
from cubesolve.runtime.files import write_atomically
from tests.facts import DATA, DIGESTS

NUMBER = 30
made = functools.cache(generate)


# -- What is in it ---------------------------------------------------------------------------------------------------


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
