from __future__ import annotations

import functools
import hashlib
import json
import os
import random
import re
from pathlib import Path

import pytest

from cubesolve import lookup
from cubesolve.catalog.pocket.cube import PocketCube
from cubesolve.catalog.pocket.forms import arrange, parse_cubies, parse_uva
from cubesolve.definition.facelets import require_no_mirror
from cubesolve.errors import UnsolvableStateError
from cubesolve.judge import PROBLEMS, judge
from cubesolve.judge.cases import Case
from cubesolve.judge.cubes import mirrored
from cubesolve.judge.generating import DataFile, generate, write
from cubesolve.runtime.files import write_atomically
from tests import oracle
from tests.facts import DATA, POCKET, ROLLING
from tests.strategies import QTM
from tests.subsets import later, only

NUMBER = 30
SAMPLES = ["hdu-2691", "hdu-2953", "hdu-4801", "poj-3131", "uva-11007"]
QUARTER_TURNS = ["uva-11007", "hdu-2953", "mipt-041", "hdu-2691", "corners-24"]

made = functools.cache(generate)


def parts(name: str, kind: str, number: int = NUMBER) -> list[DataFile]:
    return [part for part in made(name, number, 7).parts if part.name.endswith(f"-{kind}")]


def answers(name: str, kind: str, number: int = NUMBER) -> list[str]:
    return [line for part in parts(name, kind, number) for line in part.output.splitlines()]


def cases(name: str, kind: str, number: int = NUMBER) -> list[Case]:
    (found,) = (each for each in PROBLEMS[name].groups if each.name == kind)
    return found.cases(random.Random(7), number)


# -- What is in it ---------------------------------------------------------------------------------------------------

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


@pytest.mark.parametrize("name", only({"cubies-14", "poj-3131", "rubik-5"}, sorted(PROBLEMS)))
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


@pytest.mark.parametrize("name", [*QUARTER_TURNS, "cubies-14"])
def test_every_depth_of_a_cube_is_there_equally_often(name: str) -> None:
    depths = POCKET["htm" if name == "cubies-14" else "qtm"]
    number = 3 * len(depths)
    found = [part.answers for part in parts(name, "depths", number)]
    counts = [sum(answers.get(str(depth), 0) for answers in found) for depth in range(len(depths))]
    assert counts == [3] * len(depths)
    assert [*parts(name, "antipodes")[0].answers] == [str(len(depths) - 1)]


@pytest.mark.exhaustive
def test_antipodes_are_all_there_are_if_there_is_room() -> None:
    quarter = {parse_uva("".join(case)).rank for case in cases("uva-11007", "antipodes", 10**6)}
    half = {parse_cubies(" ".join(case)).rank for case in cases("cubies-14", "antipodes", 10**6)}
    for ranks, metric in ((quarter, "qtm"), (half, "htm")):
        assert len(ranks) == POCKET[metric][-1]
        assert ranks == {cube.rank for cube in lookup.antipodes(metric=metric)}


def test_random_states_are_at_the_usual_depths() -> None:
    depths = [lookup.depth(parse_uva("".join(case)), metric="qtm") for case in cases("uva-11007", "random", 1000)]
    assert abs(sum(depths) / 1000 - POCKET["mean_depth"]["qtm"]) < 0.15


@pytest.mark.parametrize("kind", ["solved", "holdings"])
def test_all_holdings(kind: str) -> None:
    cubes = [parse_uva("".join(case)) for case in cases("uva-11007", kind)]
    assert len(set(cubes)) == len(cubes) == 24
    assert len({cube.rank for cube in cubes}) == 1
    for name in ("hdu-2953", "mipt-041", "hdu-2691"):
        assert len(answers(name, kind)) == 24
        assert len(set(answers(name, kind))) == 1


@pytest.mark.parametrize("name", ["hdu-2953", "hdu-2691", "mipt-041", "corners-24"])
def test_turns_are_each_there_is(name: str) -> None:
    found = sorted(answers(name, "turns"))
    if name == "corners-24":
        assert [len(answer.split()) for answer in sorted(found, key=len)] == [1] * 6 + [2] * 3
        assert {"u", "U", "f", "F", "r", "R"} <= set(found)
    else:
        assert found == ["1"] * 12 + ["2"] * 6


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


def test_one_quarter_turn_or_not() -> None:
    for part in made("cf-887c", NUMBER, 7).parts:
        facelets = "".join(arrange(part.input.split(), "cf-887c"))
        solvable = any(oracle.is_solved(oracle.turn(facelets, move)) for move in QTM) and not oracle.is_solved(facelets)
        assert part.output == ("YES\n" if solvable else "NO\n")
    assert answers("cf-887c", "near").count("YES") == NUMBER // 2
    assert set(answers("cf-887c", "no-cubes")) == {"NO"}
    assert set(answers("cf-887c", "holdings")) == set(answers("cf-887c", "schemes")) == {"YES"}
    for case in cases("cf-887c", "no-cubes"):
        assert sorted(case) == sorted("123456" * 4)
        with pytest.raises(ValueError, match=r"corner|piece|twist"):
            PocketCube(arrange(case, "cf-887c"))


def test_just_within_the_number_of_turns() -> None:
    limits = answers("hdu-4801", "limit")
    assert limits[::2] == ["6"] * 8
    assert "6" not in limits[1::2]
    assert [case[0] for case in cases("hdu-4801", "limit")] == [str(turns) for turns in range(8) for _ in range(2)]
    assert {case[0] for case in cases("hdu-4801", "longest")} == {"7"}
    assert {case[0] for case in cases("hdu-4801", "random", 200)} == set("01234567")


def test_cubes_that_no_turns_connect() -> None:
    assert answers("corners-24", "apart") == ["no solution"] * 14
    for case in cases("corners-24", "unsolvable"):
        for symbols in (case[:24], case[24:]):
            with pytest.raises(UnsolvableStateError):
                PocketCube(arrange(symbols, "corners").translate(str.maketrans("URFDLB", "urfdlb")))
    assert "no solution" not in answers("corners-24", "unsolvable")
    assert answers("corners-24", "solved") == [""]


def test_patterns_of_every_depth_and_at_the_limit() -> None:
    starts = {key.replace(" ", ""): facts for key, facts in ROLLING["axis_3x3"]["starts"].items()}
    deepest = max(facts["pattern_max"] for facts in starts.values())
    rolls = [lookup.depth((int(x), int(y)), by_rows(tops)) for x, y, *tops in cases("poj-3131", "depths", 2 * 38)]
    assert rolls == [depth for depth in range(deepest + 1) for _ in range(2)]
    assert answers("poj-3131", "limit") == ["30", "-1"] * 9
    assert {lookup.depth((int(x), int(y)), by_rows(t)) for x, y, *t in cases("poj-3131", "limit")} == {30, 31}
    assert answers("poj-3131", "solved") == ["0"] * 9
    cells = {x + y for x in "123" for y in "123"}
    assert {x + y for x, y, *_ in cases("poj-3131", "starts")} == cells
    assert {x + y for x, y, *_ in cases("poj-3131", "depths", 400)} == cells
    hardest = cases("poj-3131", "hardest")
    assert {x + y for x, y, *_ in hardest} == cells
    for start, facts in starts.items():
        assert sorted("".join(tops) for x, y, *tops in hardest if x + y == start) == sorted(facts["pattern_hardest"])


def by_rows(tops: list[str]) -> str:
    return "/".join("".join(tops[i : i + 3]) for i in (0, 3, 6))


def test_3x3x3_cubes_of_every_depth_and_at_the_limit() -> None:
    (part,) = parts("rubik-5", "depths", 21)
    assert part.answers == {**{str(turns): 3 for turns in range(6)}, "-1": 3}
    (part,) = parts("rubik-5", "limit")
    assert part.answers == {"5": 12, "-1": 12}
    assert parts("rubik-5", "turns")[0].answers == {"1": 12, "2": 6}
    assert parts("rubik-5", "ties")[0].answers == {"2": 12, "3": 12, "4": 3}
    assert parts("rubik-5", "far")[0].answers == {"-1": NUMBER}
    assert set(parts("rubik-5", "random")[0].answers) >= {"1", "2", "3", "4"}


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
