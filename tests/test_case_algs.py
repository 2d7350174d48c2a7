"""Algs of cases: compared with a second search, applied, and printed by the command line."""

from __future__ import annotations

import contextlib
import csv
import functools
import itertools
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import cubesolve
from cubesolve import Puzzle
from cubesolve.errors import SearchLimitError
from cubesolve.group.permutations import Arrangement
from cubesolve.practice.ergonomics import USUAL, read_hands
from cubesolve.solvers import case_search
from cubesolve.solvers.case_algs import CaseAlgs
from tests.commands import invoke, printed, refused
from tests.subsets import later

ADJUSTMENTS = ("", "U", "U2", "U'")


CLL = (0, 17, 22)
"""The numbers of some cases, of the fewest moves."""


@pytest.fixture(scope="module")
def cll() -> list[CaseAlgs]:
    pocket = cubesolve.puzzle("pocket")
    return [pocket.algs("cll", str(number), number=3, slack=1)[0] for number in CLL]


def solves(puzzle: Puzzle[Any], set_name: str, best: CaseAlgs) -> bool:
    cases = puzzle.cases(set_name)
    ends = (best.case.state.apply(f"{alg.before} {alg.alg} {alg.after}") for alg in best.algs)
    return all(cases.find(end).number == 0 for end in ends)


def test_shortest(cll: list[CaseAlgs]) -> None:
    require_shortest(cll)


@pytest.mark.exhaustive
def test_shortest_of_all() -> None:
    every = cubesolve.puzzle("pocket").algs("cll", number=3, slack=1)
    require_shortest(every)
    assert Counter(best.optimal for best in every) == {0: 1, 5: 1, 6: 1, 7: 9, 8: 4, 9: 20, 10: 6, 11: 1}


def require_shortest(cll: list[CaseAlgs]) -> None:
    """Algs of a case are compared with the table of all states."""
    pocket = cubesolve.puzzle("pocket")
    for best in cll:
        states = (
            pocket.rules.view.solved(None).apply(after).apply(pocket.rules.view.invert(best.algs[0].alg)).apply(before)
            for before, after in itertools.product(ADJUSTMENTS, repeat=2)
        )
        assert best.optimal == min(map(pocket.depth, states)) == best.algs[0].length
        assert solves(pocket, "cll", best)
        assert all(alg.length <= best.optimal + 1 for alg in best.algs)
        assert len({alg.alg for alg in best.algs}) == len(best.algs)


@pytest.mark.exhaustive
def test_every_alg_is_found() -> None:
    """Words of at most five moves that solve cases, found by trying all; two cases have two algs each."""
    pyraminx = cubesolve.puzzle("pyraminx")
    cases = pyraminx.cases("l4e")
    solved = pyraminx.parse("")
    moves = [f"{letter}{prime}" for letter in "LRB" for prime in ("", "'")]
    algs = dict[int, list[str]]()
    for length in range(6):
        for word in itertools.product(moves, repeat=length):
            if all(a[0] != b[0] for a, b in itertools.pairwise(word)):
                state = solved.apply(pyraminx.rules.view.invert(" ".join(word)))
                with contextlib.suppress(cubesolve.InvalidStateError):  # it is of no case
                    algs.setdefault(cases.find(state).number, []).append(" ".join(word))
    found = pyraminx.algs("l4e", moves="L R B", number=10**6, most=5)
    assert [len(best.algs) for best in found if best.optimal] == [1, 2, 1, 2]
    for best in found:
        expected = algs.get(best.case.number, [])
        shortest = min((len(alg.split()) for alg in expected), default=None)
        assert best.optimal == shortest
        assert {alg.alg for alg in best.algs} == {alg for alg in expected if len(alg.split()) == shortest}


@pytest.mark.exhaustive
def test_usual_algs() -> None:
    rubik = cubesolve.puzzle("rubik")
    [best] = rubik.algs("pll", "H", moves="R U M", number=2, most=8)
    assert (best.optimal, best.algs[0].alg) == (7, "M2 U M2 U2 M2 U M2")
    [best] = rubik.algs("pll", "Aa", moves="R U D Lw", number=9, most=9)
    assert "Lw' U R' D2 R U' R' D2 R2" in {alg.alg for alg in best.algs}
    assert all("x" in alg.after for alg in best.algs)
    assert solves(rubik, "pll", best)


@pytest.mark.exhaustive
def test_costs(cll: list[CaseAlgs]) -> None:
    assert USUAL.cost(["R", "U", "R'", "U'"]) == 4
    assert USUAL.cost(["R'", "R'", "R'"]) > USUAL.cost(["R'", "R", "R'"])  # the wrist takes another grip
    by_cost = cubesolve.puzzle("pocket").algs("cll", cll[1].case.name, cost=USUAL.cost, slack=1)[0]
    assert by_cost.algs[0].cost == USUAL.cost(by_cost.algs[0].alg.split())
    assert by_cost.algs[0].cost <= min(USUAL.cost(alg.alg.split()) for alg in cll[1].algs)
    for text in ("[", "{}", '{"moves": {}, "wrists": {}, "least": 0, "most": 1, "regrip": 1}'):
        with pytest.raises(ValueError, match=r"table of costs|moves are"):
            read_hands(text)


def test_moves_without_a_second_half_in_time() -> None:
    """All words of one face are first halves, so a search with a time limit has no work left."""
    (found,) = cubesolve.puzzle("pyraminx").algs("l4e", "3", moves="R", timeout=600)
    assert (found.optimal, found.algs) == (None, [])


def test_limits() -> None:
    pocket = cubesolve.puzzle("pocket")
    with pytest.raises(SearchLimitError):
        pocket.algs("cll", "9", timeout=0)
    with pytest.raises(ValueError, match="17 moves"):
        pocket.algs("cll", most=18)
    [best] = pocket.algs("cll", "9", most=4)
    assert (best.optimal, best.algs) == (None, [])
    pyraminx = cubesolve.puzzle("pyraminx")
    assert pyraminx.algs("l3e", memory=1000) == pyraminx.algs("l3e")


@pytest.mark.exhaustive
def test_rotations() -> None:
    """A rotation is a move of an alg, but not the last."""
    pocket = cubesolve.puzzle("pocket")
    [best] = pocket.algs("cll", "22", moves="R U y", number=10**6, slack=2, most=9)
    turned = [alg.alg.split() for alg in best.algs if "y" in alg.alg]
    assert turned
    assert all(alg[-1][0] != "y" for alg in turned)
    assert solves(pocket, "cll", best)


@pytest.mark.parametrize("ended", [KeyboardInterrupt, later(functools.partial(SearchLimitError, 0, "after 3 s"))])
def test_command_prints_what_was_found_before_it_ended(
    ended: Callable[[], BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    algs, sheet = case_search._Search._algs, tmp_path / "cll.csv"

    def found(search: Any, solver: Any, start: Arrangement, length: int) -> Any:
        if length == 8:
            raise ended()
        return algs(search, solver, start, length)

    command = ["algs", "--puzzle", "pocket", "--case", "cll", "-n", "2", "--slack", "1", "--csv", str(sheet)]
    whole = printed(*command, "--max-length", "7").splitlines()
    monkeypatch.setattr(case_search._Search, "_algs", found)
    result = invoke(*command)
    assert result.exit_code == (130 if ended is KeyboardInterrupt else 1)
    assert result.stdout.splitlines() == [line for line in whole if not line.endswith("no alg of at most 7 moves")]
    assert result.stdout.count("\n") == sheet.read_text().count("\n") - 1 > 0
    assert ("after 3 s" in result.stderr) == (ended is not KeyboardInterrupt)


def test_command(tmp_path: Path) -> None:
    rows, sheet, costs = tmp_path / "eg.csv", tmp_path / "eg.html", tmp_path / "costs.json"
    costs.write_text('{"moves": {"R2": 9, "*": 1}, "wrists": {}, "least": -1, "most": 1, "regrip": 0}')
    command = ("algs", "--puzzle", "pocket", "--case", "eg-1:5", "-n", "2")
    invoke(*command, "--csv", str(rows), "--html", str(sheet), "--cost", str(costs))
    with rows.open() as file:
        listed = list(csv.DictReader(file))
    assert len(listed) == 2
    assert float(listed[0]["cost"]) >= int(listed[0]["length"])
    assert sheet.read_text().count("<iframe") == 1
    record = json.loads(printed(*command, "--json"))
    assert record["optimal"] == record["algs"][0]["length"] == len(record["algs"][0]["alg"].split())
    assert "no alg of at most 3 moves" in printed(*command, "--max-length", "3")
    assert json.loads(printed(*command, "--max-length", "3", "--json"))["at_least"] == 4
    assert "not JSON" in refused(*command, "--cost", str(sheet))
