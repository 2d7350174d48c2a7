from __future__ import annotations

import json
import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cubesolve import lookup, puzzle
from cubesolve.catalog.pocket import PocketGraph
from cubesolve.catalog.pocket.cube import PocketCube
from cubesolve.catalog.pocket.forms import LAYOUTS, format_cubies
from cubesolve.judge import PROBLEMS, judge
from cubesolve.judge.cases import written
from cubesolve.judge.cubes import complete_faces, most_complete_faces
from tests import oracle, rubik_oracle
from tests.distances import distances
from tests.facts import DATA
from tests.strategies import QTM, cubes, examples, recoloured


def answers(name: str, text: str) -> list[str | None]:
    return [verdict.answer for verdict in judge(name, text)]


@pytest.mark.parametrize(("name", "text", "expected"), json.loads((DATA / "judge" / "verdicts.json").read_text()))
def test_cases_that_are_wrong_or_unsolvable(name: str, text: str, expected: list[str]) -> None:
    verdicts = judge(name, text)
    assert [v.answer if v.error is None else f"{v.case} (line {v.line}): {v.error}" for v in verdicts] == expected


@pytest.mark.parametrize("name", ["uva-11007", "hdu-2953", "hdu-2691"])
def test_counts_that_are_wrong_or_missing(name: str) -> None:
    text = (DATA / "judge" / f"{name}.in").read_text()
    count, rest = text.split("\n", 1)
    expected = answers(name, text)
    assert len(expected) == int(count)
    for other in ("", "0\n", "1\n", "99\n"):
        assert answers(name, other + rest) == expected


# Facelets of a layout, printed as the problem prints them.
PRINTED = (
    {"uva-11007": (4,) * 6}
    | dict.fromkeys(["hdu-2953", "hdu-2691"], (2, 2, 8, 8, 2, 2))
    | dict.fromkeys(["mipt-041", "cf-887c", "hdu-4801", "corners-24"], (24,))
)


def printed(name: str, facelets: str, blanks: bool = False) -> str:
    layout = {"uva-11007": "uva", "corners-24": "corners"}.get(name, name)
    symbols = iter(facelets[i] for i in LAYOUTS[layout])
    return "\n".join((" " if blanks else "").join(next(symbols) for _ in range(n)) for n in PRINTED[name]) + "\n"


@settings(max_examples=25)
@given(st.lists(cubes, min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_quarter_turns(states: list[PocketCube], rng: random.Random) -> None:
    expected = [str(lookup.depth(cube, metric="qtm")) for cube in states]
    uva = f"{len(states)}\n\n" + "\n".join(
        puzzle("pocket").write(cube, "uva").replace(" ", "\n") + "\n" for cube in states
    )
    assert answers("uva-11007", uva) == expected
    symbols = ["".join(rng.sample("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghij", 6)) for _ in states]
    hdu = "\n".join(printed("hdu-2953", recoloured(c, s)) for c, s in zip(states, symbols, strict=True))
    assert answers("hdu-2953", f"{len(states)}\n{hdu}") == expected
    digits = "".join(rng.sample("123456", 6))
    mipt = "".join(printed("mipt-041", recoloured(cube, digits), blanks=True) for cube in states)
    assert answers("mipt-041", mipt) == expected
    one_turn = ["YES" if depth == "1" else "NO" for depth in expected]
    assert answers("cf-887c", "".join(printed("cf-887c", recoloured(c, digits), True) for c in states)) == one_turn


@pytest.mark.parametrize("name", sorted(PROBLEMS))
def test_lines_may_end_anywhere(name: str) -> None:
    rng, (count, right) = random.Random(name), cases(name)
    text = count + "".join(right)
    words = (
        text.split()
        if name in {"mipt-041", "cf-887c", "hdu-4801", "cubies-14", "poj-3131"}
        else [*([count.strip()] if count else []), *"".join("".join(right).split())]
    )
    wrapped = ["".join(word + rng.choice([" ", "\n", " \r\n", "\n\n", "\t"]) for word in words) for _ in range(2)]
    expected = answers(name, text)
    for other in (*wrapped, text.replace("\n", "  \r\n"), text.replace("\n", "\n\n"), " ".join(text.split())):
        assert answers(name, other) == expected


def test_one_quarter_turn() -> None:
    for move in [face + suffix for face in "URFDLB" for suffix in ("", "'", "2")]:
        facelets = oracle.turn(oracle.SOLVED, move).translate(str.maketrans("URFDLB", "314265"))
        expected = "NO" if move.endswith("2") else "YES"
        assert answers("cf-887c", printed("cf-887c", facelets, True)) == [expected]


@settings(max_examples=25)
@given(cubes, st.lists(st.sampled_from(QTM), max_size=16).map(" ".join))
def test_from_one_state_to_another(start: PocketCube, alg: str) -> None:
    target = start.apply(alg)
    both = printed("corners-24", str(start)) + printed("corners-24", str(target))
    (moves,) = answers("corners-24", both)
    assert moves is not None
    assert set(moves) <= set("UuFfRr ")
    turns = [move.upper() + "'" * move.islower() for move in moves.split()]
    assert oracle.apply(str(start), " ".join(turns)) == str(target)
    assert len(turns) == lookup.depth(start.relative_to(target), metric="qtm")
    hdu = "1\n" + printed("hdu-2691", str(start), True) + printed("hdu-2691", str(target.apply("x y")), True)
    assert answers("hdu-2691", hdu) == [str(len(turns))]


@given(cubes)
@settings(max_examples=30)
def test_cubies(cube: PocketCube) -> None:
    (answer,) = answers("cubies-14", format_cubies(cube))
    assert answer is not None
    shuffle, number, solution = answer.split("\n")
    assert int(number) == len(solution.split()) == lookup.depth(cube)
    assert oracle.apply(oracle.SOLVED, shuffle) == str(cube.normalized())
    assert oracle.is_solved(oracle.apply(str(cube.normalized()), solution))


def test_complete_faces_with_looking_ahead_and_without() -> None:
    complete = complete_faces()
    rng = random.Random(9)
    for turns in range(8):
        state = lookup.random_state(rng, depth=rng.randrange(12)).rank
        seen = reached = {state}
        for _ in range(turns):
            reached = {n for s in reached for n in PocketGraph("qtm").neighbours(s)} - seen
            seen = seen | reached
        expected = max(complete.get(s, 0) for s in seen)
        assert most_complete_faces(state, turns) == expected
    for rank, number in list(complete.items())[::50]:
        faces = zip(*[iter(str(PocketCube.unrank(rank)))] * 4, strict=True)
        assert sum(len(set(face)) == 1 for face in faces) == number
    assert most_complete_faces(0, 7) == 6


RUBIK_TURNS = [face + suffix for face in "LFRBUD" for suffix in ("", "'")]


def rubik_case(alg: str, symbols: str = "wrgyob") -> str:
    """Return a cube as rubik-5 prints it: U above F, in the middle rows L F R B."""
    at = dict(zip(rubik_oracle.NAMES, rubik_oracle.apply(rubik_oracle.SOLVED, alg), strict=True))
    rows = [
        [f"{face}{row + n}" for face in faces for n in range(3)] for faces in ("U", "LFRB", "D") for row in (1, 4, 7)
    ]
    lines = ("".join(at[name] for name in row).rjust(6 if len(row) == 3 else 12) for row in rows)
    return "\n".join(lines).translate(str.maketrans("URFDLB", symbols)) + "\n"


def rubik_solution(answer: str | None) -> list[str]:
    assert answer is not None
    number, *rest = answer.split("\n")
    numbers = " ".join(rest).split()
    assert len(numbers) == 2 * int(number)
    return [
        "LFRBUD"[int(face)] + {"1": "", "-1": "'"}[direction]
        for face, direction in zip(numbers[::2], numbers[1::2], strict=True)
    ]


@pytest.fixture(scope="module")
def rubik_ball() -> dict[str, int]:
    """The depths of all cubes up to three quarter turns from solved."""
    return distances([rubik_oracle.SOLVED], lambda state: (rubik_oracle.turn(state, move) for move in RUBIK_TURNS), 3)


def test_a_few_quarter_turns(rubik_ball: dict[str, int]) -> None:
    """The first of the shortest solutions is printed."""
    assert answers("rubik-5", rubik_case("F'")) == ["1\n1 1"]  # after F', the front face is turned clockwise
    rng = random.Random(5)
    algs = [" ".join(rng.choices(RUBIK_TURNS, k=length)) for length in (0, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 30)]
    algs += ["U2 D", "R2 L", "F B'", "U D U"]
    symbols = ["".join(rng.sample("abcdefghijklmnopqrstuvwxyz", 6)) for _ in algs]
    text = f"{len(algs)}\n" + "\n".join(map(rubik_case, algs, symbols))
    for alg, answer in zip(algs, answers("rubik-5", text), strict=True):
        level, least = {rubik_oracle.apply(rubik_oracle.SOLVED, alg): list[str]()}, 0
        while not level.keys() & rubik_ball.keys() and least < 3:
            level, least = nearer_first(level), least + 1
        if least == 3:
            assert answer == "-1"
            continue
        for left in reversed(range(min(rubik_ball[each] for each in level.keys() & rubik_ball.keys()))):
            level = {state: first for state, first in nearer_first(level).items() if rubik_ball.get(state) == left}
        assert rubik_solution(answer) == level[rubik_oracle.SOLVED]


def nearer_first(level: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the cubes one turn further, each with the first of the algs that lead there."""
    further = dict[str, list[str]]()
    for state, first in level.items():
        for move in RUBIK_TURNS:
            further.setdefault(rubik_oracle.turn(state, move), [*first, move])
    return further


# -- Cases that are wrong do not take others with them -----------------------------------------------------------------


def cases(name: str) -> tuple[str, list[str]]:
    """Return the line with the count, if there is one, and some valid cases."""
    problem = PROBLEMS[name]
    (group,) = (each for each in problem.groups if each.name == "random")
    each_alone = problem._replace(counted=False, ends_with="")
    return "4\n" * problem.counted, [written(each_alone, [case]) for case in group.cases(random.Random(7), 4)]


def without_line(case: str) -> str:
    lines = case.splitlines(keepends=True)
    return "".join(lines[:-3] + lines[-2:]) if len(lines) > 3 else "".join(lines[:-1])


DAMAGES: dict[str, Callable[[str], str]] = {
    "a symbol too few": lambda case: case.rstrip()[:-1].rstrip() + case[len(case.rstrip()) :],
    "a symbol too many": lambda case: case.rstrip() + (" 1" if " " in case else "1") + case[len(case.rstrip()) :],
    "a line missing": without_line,
    "a wrong symbol": lambda case: (
        case[: case.rstrip().rfind(case.split()[-1][-1])] + "?\n" + "\n" * case.endswith("\n\n")
    ),
}


# Only their order tells the two lines of a case of corners-24 apart: without one, all that follow are paired anew.
UNNOTICED = {("corners-24", "a line missing")}


@pytest.mark.parametrize(
    ("name", "damage"), [(n, d) for n in sorted(PROBLEMS) for d in sorted(DAMAGES) if (n, d) not in UNNOTICED]
)
@pytest.mark.parametrize("which", [0, 1, 3])
def test_one_wrong_case(name: str, damage: str, which: int) -> None:
    count, right = cases(name)
    expected = answers(name, count + "".join(right))
    assert len(expected) == 4
    assert None not in expected
    wrong = [DAMAGES[damage](case) if i == which else case for i, case in enumerate(right)]
    found = answers(name, count + "".join(wrong))
    assert [answer for answer in found if answer is not None] == [e for i, e in enumerate(expected) if i != which]
    if wrong[which].strip():
        assert found[which] is None
    if name == "poj-3131":
        assert answers(name, "".join(wrong) + "0 0\n1 1\n") == found


@pytest.mark.parametrize("name", sorted(PROBLEMS))
def test_nothing_to_answer(name: str) -> None:
    assert answers(name, "") == answers(name, "\r\n \n") == []


@pytest.mark.parametrize("name", sorted(PROBLEMS))
@given(st.text(st.sampled_from("0123456 \nWRGYOBx?\r\t\0"), max_size=400))
@examples(40)
def test_any_text_is_answered_or_refused(name: str, text: str) -> None:
    for verdict in judge(name, text):
        assert (verdict.answer is None) != (verdict.error is None)
