"""Scrambles for events: their form, their states, and sheets of them."""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import random
import re
from collections import Counter
from collections.abc import Iterable
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from cubesolve import lookup
from cubesolve.catalog import rules_named
from cubesolve.catalog.nxnxn import CubeView
from cubesolve.catalog.pocket import PocketRules
from cubesolve.practice import events
from cubesolve.practice.events import EVENTS, is_scrambled, scrambles
from tests.chance import agrees
from tests.commands import printed
from tests.facts import DIGESTS, SCRAMBLES

FORMS: dict[str, str] = SCRAMBLES["forms"]
PINNED: dict[str, str] = DIGESTS["states after three scrambles"]
FIRST: dict[str, str] = DIGESTS["state after the first"]
"""Digests of states, for events of which each scramble takes a moment; algs of the 3x3x3 follow from its search."""


def state_text(event: str, alg: str) -> str:
    """Return the state after a scramble, in the form of the data."""
    view: Any = rules_named(EVENTS[event].puzzle).view
    state = functools.reduce(view.after, view.split(alg), view.solved(None))
    return view.facelets(state) if isinstance(view, CubeView) else str(state)


def test_another_program_reads_scrambles_alike() -> None:
    assert {each["event"] for each in SCRAMBLES["scrambles"]} <= set(EVENTS)
    for each in SCRAMBLES["scrambles"]:
        assert state_text(each["event"], each["scramble"]) == each["state"], each["event"]


LONG = {"444", "444bf", "clock"}
"""Events with scrambles that take a second or more, or sums that do; see also `test_clock`."""


def require_form_and_seed(events: Iterable[str], number: int = 3) -> None:
    digests = {}
    for event in events:
        algs = [scramble.alg for scramble in scrambles(event, number, rng=7)]
        assert all(re.fullmatch(FORMS[event], alg) for alg in algs), algs
        assert len(set(algs)) == len(algs)
        states = "\n".join(state_text(event, alg) for alg in algs)
        digests[event, number] = hashlib.sha256(states.encode()).hexdigest()[:16]
        if EVENTS[event].puzzle in {"pocket", "5x5x5", "megaminx"}:
            assert [scramble.alg for scramble in scrambles(event, 1, seed=7)] == algs[:1]
    assert digests == {(event, number): (PINNED if number == 3 else FIRST)[event] for event, number in digests}


@pytest.mark.exhaustive
def test_form_and_seed_of_the_longest() -> None:
    require_form_and_seed(LONG | FIRST.keys())


def test_form_and_seed() -> None:
    require_form_and_seed(EVENTS.keys() - LONG - FIRST.keys())
    require_form_and_seed(FIRST, 1)
    # No move cancels with an orientation or with the moves before and after.
    for event in ("333bf", "333fm"):
        for scramble in scrambles(event, 6, rng=1):
            axes = [next(axis for axis in ("UD", "RL", "FB") if move[0] in axis) for move in scramble.alg.split()]
            joints = (2, -4) if event == "333fm" else [len(axes) - len(re.findall("w", scramble.alg)) - 1]
            assert all(axes[joint] != axes[joint + 1] for joint in joints if joint != len(axes) - 1), scramble.alg


@pytest.mark.parametrize("size", [5, 6, 7])
def test_random_moves_never_cancel(size: int) -> None:
    axis = {face: axis for axis in ("UD", "RL", "FB") for face in axis}
    for number in range(2_000):
        ending = [f"3{'RUF'[number % 3]}w"] * (number % 4 > 0)
        alg = events._walk(events._moves(size), 5, ending, random.Random(number))
        layers = [move.rstrip("'2") for move in [*alg, *ending]]
        runs = [list(run) for _, run in itertools.groupby(layers, lambda move: axis[move.lstrip("3")[0]])]
        assert all(len(set(run)) == len(run) for run in runs), alg
        assert not ending or len(runs[-1]) == 1, alg


def test_wide_moves_are_on_one_side() -> None:
    shown, source = lookup.puzzle("4x4x4"), random.Random(7)
    for _ in range(3):
        moves = [source.choice("URFDLB") + source.choice(("", "w", "w2", "w'")) for _ in range(12)]
        alg = events._on_one_side(" ".join(moves))
        assert re.fullmatch(FORMS["444"], alg)
        held = {str(shown.parse(f"{' '.join(moves)} {end}")) for end in events._orientations("y", "x", "z")}
        assert str(shown.parse(alg)) in held


def test_too_easy_states_are_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    algs = iter([["Rw"], ["Rw", "3Lw'"], ["Rw", "U"], ["F", "Uw"]])
    monkeypatch.setattr(events, "_walk", lambda *_: next(algs))
    assert [scramble.alg for scramble in scrambles("555", 2, rng=7)] == ["Rw U", "F Uw"]
    minx = rules_named("megaminx")
    assert [is_scrambled(minx, alg) for alg in ("", "R++", "R++ D++", "L R++", "Uv F2")] == [
        False, False, True, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("event", "where", "name", "fewest", "most"),
    [
        ("222", PocketRules, "scramble_depth", 4, 10),
        ("skewb", lookup.puzzle("skewb").rules, "scramble_depth", 7, 9),
        ("pyram", events, "_FEWEST_MOVES", 6, 11),
    ],
)
def test_states_of_too_few_moves_are_drawn_again(
    event: str, where: Any, name: str, fewest: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table or a search proves the moves that the Regulations require; if more were required, as many would be."""
    assert getattr(where, name) == fewest
    monkeypatch.setattr(where, name, most)
    puzzle = lookup.puzzle(EVENTS[event].puzzle)
    assert all(puzzle.depth(scramble.state) >= most for scramble in scrambles(event, 8, rng=3))


@pytest.mark.parametrize(
    ("name", "near", "far"),
    [("fto", ["Uv", "BL'", "Fv R"], "U R"), ("square1", ["(1,0) / (3,3) / (-1,0)"], "843B2FHG 75ECA6D1 /")],
)
def test_states_near_solved_are_no_scrambles(
    name: str, near: list[str], far: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    puzzle = lookup.puzzle(name)
    states = [*map(puzzle.parse, [*near, far])]
    monkeypatch.setattr(type(puzzle.solver), "random_state", lambda *_, **__: states.pop(0))
    assert puzzle.parse(far).apply(puzzle.rules.view.invert(puzzle.scramble(1))).is_solved
    assert not states


def test_states_of_the_clock_need_two_moves() -> None:
    hours = iter([*[0] * 14, *[0] * 8, 5, *[0] * 5, *range(12), 1, 2])

    class Drawn(random.Random):
        def randrange(self, *_: Any) -> int:
            return int(next(hours))

    (scramble,) = scrambles("clock", 1, rng=Drawn())
    assert scramble.alg.startswith("UR0+ DR1+ DL2+")


def test_states_of_the_4x4x4_need_two_moves() -> None:
    solver: Any = lookup.puzzle("4x4x4").solver
    assert [solver._is_near(alg) for alg in ("", "Rw", "x U2", "Rw Lw'", "Rw U")] == [True, True, True, True, False]


@pytest.mark.parametrize(
    ("event", "name", "orbits"),
    [
        ("pyram", "pyraminx-tips", {"EDGES": (6, 2, 6), "CENTRES": (1, 3, 4), "TIPS": (1, 3, 4)}),
        ("skewb", "skewb", {"CENTRES": (6, 1, 6), "CORNERS": (1, 3, 7)}),
    ],
)
def test_scrambled_states_are_uniform(event: str, name: str, orbits: dict[str, tuple[int, int, int]]) -> None:
    """Pieces and free orientations are uniform in all places except that of the Skewb's fixed corner."""
    puzzle = lookup.puzzle(name)
    states = [puzzle.parse(scramble.alg).pattern for scramble in scrambles(event, 100, rng=5)]
    for orbit, (pieces, orientations, places) in orbits.items():
        shares = dict.fromkeys(itertools.product(range(pieces), range(orientations)), 1 / (pieces * orientations))
        for place in list(range(len(states[0][orbit]["pieces"])))[-places:]:
            seen = Counter(
                (state[orbit]["pieces"][place] if pieces > 1 else 0, state[orbit]["orientation"][place])
                for state in states
            )
            assert agrees(seen, shares), (orbit, place)


def test_command(tmp_path: Path) -> None:
    drawn = {name: [scramble.alg for scramble in scrambles(name, 3, rng=7)] for name in ("minx", "555", "666")}
    lines = printed("scramble", "--event", "minx", "-n", "2", "--seed", "7").split("\n\n")
    assert lines == [*drawn["minx"][:2], ""]
    (line,) = printed("scramble", "--event", "555", "--json", "--seed", "7").splitlines()
    answer = json.loads(line)
    assert (answer["event"], answer["attempt"], answer["scramble"]) == ("555", "1", drawn["555"][0])
    assert (answer["method"], answer["state"]) == ("random moves", str(next(iter(scrambles("555", 1, rng=7))).state))
    path = tmp_path / "sheet.html"
    shown = printed("scramble", "--event", "666", "--sheet", str(path), "--seed", "7").splitlines()
    assert shown[:3] == drawn["666"]
    sheet = path.read_text()
    assert sheet.count("<svg") == len(shown) == 5
    assert re.findall(r'<th scope="row">(.*?)</th>', sheet) == ["1", "2", "3", "extra 1", "extra 2"]
    assert unescape(re.sub("<.*?>", "", sheet.split('class="alg">')[1].split("</td>")[0])) == shown[0]
