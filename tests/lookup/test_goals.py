"""Goals with don't-cares; the matrix and random puzzles have their depths and solutions."""

from __future__ import annotations

import functools
import gc
import itertools
import json
import math
import random
import weakref
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from cubesolve import PocketCube, RubikCube, puzzle
from cubesolve.ask import Puzzle
from cubesolve.catalog import rules_named
from cubesolve.definition.facelet_view import FaceletView
from cubesolve.definition.formats import parse_kpuzzle_pattern, parse_tws
from cubesolve.definition.goal_texts import goals_of
from cubesolve.definition.piece_view import PieceView
from cubesolve.definition.rotations import images_of
from cubesolve.errors import MissingTableError, NoMemoryError, SearchLimitError, TooLargeError
from cubesolve.lookup import open_tablebase
from cubesolve.runtime.deadline import EndedError, current
from cubesolve.solvers import beginnings, counts, derived, goals, nearest, searched
from cubesolve.solvers.beginnings import included_steps
from cubesolve.solvers.goals import GoalSolver
from cubesolve.solvers.nearest import NearestSolver
from cubesolve.solvers.questions import Answers, Asked
from cubesolve.spaces import variants
from cubesolve.spaces.defined import derived as derived_rules
from cubesolve.spaces.rules import Rules
from cubesolve.store.tables import Tables
from tests.definitions.samples import Writable, disks, write_tws
from tests.patience import PATIENCE

DF_PATTERN = "".join(["****U****", "****R****", "****F**F*", "*D**D****", "****L****", "****B****"])


@functools.cache
def _cross() -> Puzzle:
    return puzzle("rubik").towards("cross")


# -- All states --------------------------------------------------------------------------------------------------------


def test_goals_of_cubes_as_kpuzzle_patterns() -> None:
    open_places = [None] * 4
    view = puzzle("rubik").rules.view
    assert isinstance(view, FaceletView)
    [cross] = goals_of(view, {"EDGES": {"pieces": [*open_places, 4, 5, 6, 7, *open_places]}})
    assert cross == {point: labels for point, labels in goals_of(view, "cross")[0].items() if point % 9 != 4}
    face = {"pieces": [*open_places, 4, 4, 4, 4], "orientation": [*open_places, 0, 0, 0, 0]}
    pocket = puzzle("pocket")
    given = pocket.towards(json.dumps({"CORNERS": face}))
    assert given.distribution() == pocket.towards("**** **** **** DDDD **** ****").distribution()
    database = pocket.pdb({"CORNERS": {"pieces": [0, *[None] * 7]}})
    assert database(["R", "D"]).tolist() == pocket.pdb("URF")(["R", "D"]).tolist() == [1, 0]


def test_states_that_a_goal_leaves_in_any_orientation() -> None:
    """Other puzzles are in `tests/test_among.py`."""
    # No moves turn the tower by a quarter, so the edges of each arrangement lie in one of two ways.
    tower = puzzle("tower").distribution(from_goal="URF UFL ULB UBR * * * *; * * * *")
    assert sum(tower) == 2 * math.factorial(4) ** 2
    pocket = puzzle("pocket").distribution(from_goal="**** **RR **FF DDDD **LL **BB")
    assert (sum(pocket), *pocket[:3]) == (math.factorial(4) * 3**3, 1, 3, 0)


def test_states_of_several_goals_that_are_too_many_to_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variants, "_is_small", lambda *_: False)
    for module, name in ((variants, "MOST_LISTED"), (counts, "FEW_LISTED")):
        monkeypatch.setattr(module, name, 3)
    apart = puzzle("pyraminx-duo").towards("U L * *; * * * *|* * R B; * * * *")
    with pytest.raises(TooLargeError, match=r"states of the other goal or more, .*, or of several goals one alone"):
        apart.distribution(from_goal="U * * *; * * * *")


@pytest.mark.parametrize("given", [("U L * *; * * * *", "* * R B; * * * *"), ("* * R B; * * * *", "U L * *; * * * *")])
def test_equally_near_goals_have_solutions_in_the_order_of_the_moves(
    given: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All are listed, goal by goal, and where there are tables the first move of all is the answer's."""
    together, first = puzzle("pyraminx-duo").towards("|".join(given)), puzzle("pyraminx-duo").towards(given[0])
    monkeypatch.setattr(variants, "_is_small", lambda *_: False)
    apart, algs = puzzle("pyraminx-duo").towards("|".join(given)), dict[Any, list[str]]()
    for state in map(together.random_state, range(40)):
        algs[state] = sorted(together.solutions(state), key=lambda alg: [*map(apart.moves.index, alg.split())])
        listed = [*apart.solutions(state)]
        assert sorted(listed) == sorted(algs[state])
        assert listed == sorted(listed, key=lambda alg: first.depth(state.apply(alg)) > 0)
        assert apart.solve(state) == algs[state][0]
    assert sum(len(each) > 1 for each in algs.values()) > 5
    monkeypatch.setattr(derived, "AT_ONCE", 0)
    monkeypatch.setattr(nearest, "_ALGS_AT_ONCE", 1)  # no goal is searched for farther than its lower bound
    searched_for = open_tablebase(tmp_path).puzzle("pyraminx-duo").towards("|".join(given))
    assert [searched_for.count_solutions(state) for state in algs] == [*map(len, algs.values())]


# -- Any state ---------------------------------------------------------------------------------------------------------


def test_what_is_held_otherwise_or_in_other_colours() -> None:
    turned = RubikCube.from_alg("U' R2 F x")
    below = puzzle("rubik").towards("cross-B")  # what comes to lie below by x
    assert _cross().depth(turned) == below.depth(RubikCube.from_alg("U' R2 F"))
    assert _cross().depth(turned.apply(_cross().solve(turned))) == 0
    western = "".join(dict(zip("URFDLB", "WRGYOB", strict=True))[each] for each in RubikCube.from_alg("R U F").facelets)
    assert _cross().solve(western) == "F' R'"
    corners = [puzzle("rubik").towards(f"{colour}***{colour}***{colour}" + "*" * 45) for colour in "WU"]
    assert [goal.depth("F2 U R") for goal in corners] == [2, 2]


def test_oriented_edges_are_what_half_turns_of_two_faces_keep() -> None:
    step = puzzle("rubik").towards("eo")
    assert step.rules.number_of_states == 2048
    assert [step.depth(RubikCube.from_alg(alg)) for alg in ("U R L D F2 B2 R' U2", "F", "B'")] == [0, 1, 1]


# -- Several goals -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("goal", "number", "different"), [("x-cross", 4, 1), ("xx-cross", 6, 2)])
def test_goals_that_rotations_make_of_one_another_share_a_solver(goal: str, number: int, different: int) -> None:
    """Slots beside each other are not those across."""
    solver = puzzle("rubik").towards(goal).solver
    assert isinstance(solver, NearestSolver)
    assert isinstance(puzzle("rubik").towards("htr").solver, GoalSolver)  # all of which distinguish the same pieces
    assert (len(solver.parts), len({part.solver for part in solver.parts})) == (number, different)


def test_rotations_that_change_the_moves_make_no_goal_of_another() -> None:
    """Of R, U and D alone, a half turn about R is the only rotation that makes moves of moves, unless U counts more."""
    for cost, number in ((None, 2), ("U=2", 1)):
        assert len(images_of(derived_rules(puzzle("rubik").restrict("R U D", cost=cost).rules).definition)) == number


def test_rotations_that_change_quarter_turns_make_no_goal_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each turn swaps a pair and cycles a triple. Its third power, the swap, is a generator of the last set alone."""
    moves = {
        "A": "1 2 3 4 5 6 7 8 9 10 12 11 13 14 15",
        "B": "2 1 4 5 3 6 7 8 9 10 11 12 13 14 15",
        "C": "1 2 3 4 5 7 6 9 10 8 11 12 13 14 15",
        "D": "1 2 3 4 5 6 7 8 9 10 12 11 14 15 13",
        "x": "6 7 8 9 10 11 12 13 14 15 1 2 3 4 5",
    }
    (path := tmp_path / "sets.tws").write_text(disks(moves))
    monkeypatch.setattr(variants, "AT_ONCE", 0)
    goals = f"1 2 3 4 5{' *' * 10} |{' *' * 5} 6 7 8 9 10{' *' * 5} |{' *' * 10} 11 12 13 14 15"
    nearest = puzzle(str(path)).towards(goals)
    assert isinstance(nearest.solver, NearestSolver)
    for metric in ("htm", "qtm"):
        assert nearest.depth("B3 C3 A", metric=metric) == 1
        found = nearest.solve("B3 C3 A", metric=metric)
        assert (found.at_least, str(found)) == (1, "A" if metric == "qtm" else found)
        assert nearest.count_solutions("B3 C3 A", metric=metric) == (1 if metric == "qtm" else 3)


class KnownAnswers(Answers):
    """Optimal solutions that are known."""

    def __init__(self, depth: int, algs: Sequence[str]) -> None:
        self._depth, self._algs = depth, algs

    @property
    def depth(self) -> int:
        return self._depth

    def algs(self) -> Iterator[str]:
        return iter(self._algs)


def test_goals_that_are_searched_for_share_the_memory_and_go_on_by_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long search for one goal proves nothing about the nearest."""
    asked = list[tuple[int | None, int]]()

    def optimal(_goal: GoalSolver, about: Asked, **_: Any) -> Answers:
        memory, most = about.search.get("memory"), about.search["max_depth"] or 0
        asked.append((memory, most))
        if memory is not None and memory < 300:
            raise NoMemoryError("300 bytes are enough")
        raise SearchLimitError(most + 1, f"in {most} moves")

    monkeypatch.setattr(GoalSolver, "_optimal", optimal)
    three, two, short = "f2l|f2l-U|roux-blocks", "f2l|f2l-U", [3] * 4
    for goal, memory, shares, depths in (
        (three, 800, [400] * 3, short[1:]),
        (three, 500, [250, 500, 500, 500], short),
        (three, None, [1 << 26] * 3, short[1:]),
        (two, 800, [800, 800], short[2:]),
        (two, None, [None] * 8, [8, 8, 9, 9, 10, 10, 11, 11]),
    ):
        asked.clear()
        with pytest.raises(SearchLimitError, match=f"at least {depths[-1] + 1}"):
            puzzle("rubik").towards(goal).depth("R U F", max_depth=depths[-1], memory=memory)
        assert asked == [*zip(shares, depths, strict=True)]


def test_only_longer_solutions_need_the_tables_of_several_goals() -> None:
    nearest, state = puzzle("rubik").towards("x-cross"), RubikCube.from_alg("R F")
    found = nearest.solve(state)
    assert (found.length, nearest.depth(state), nearest.depth(state.apply(found))) == (2, 2, 0)
    with pytest.raises(MissingTableError, match="cubesolve tables build rubik --goal x-cross"):
        nearest.solutions(state, slack=1)


def _not_found(*_: object, **__: object) -> Answers:
    raise SearchLimitError(1, "after 600 s")  # a new one each time, which gets the solution


def _with_other(nearest: Puzzle, optimal: Callable[..., Answers]) -> NearestSolver:
    """Return the solver of several goals, the second of which has its optimal solutions from a function."""
    assert isinstance(nearest.solver, NearestSolver)
    part = nearest.solver.parts[1]
    part.solver = type("Slow", (GoalSolver,), {"_optimal": optimal})(part.solver.rules, nearest._tables)
    return nearest.solver


def test_a_goal_whose_search_ended_early_is_not_passed_over() -> None:
    nearest, state = puzzle("rubik").towards("cross|cross-U"), RubikCube.from_alg("R U F2 L'")
    _with_other(nearest, Mock(side_effect=SearchLimitError(2, "after 1 s")))
    assert _cross().depth(state) > 2
    for ask, asked in ((nearest.depth, state), (nearest.count_solutions, RubikCube.from_alg("R F"))):
        with pytest.raises(SearchLimitError, match="at least 2"):
            ask(asked)
    assert nearest.depth(RubikCube.from_alg("R F"), max_depth=5) == 2  # no goal is nearer than that
    assert nearest.count_solutions(RubikCube.from_alg("R")) == 1


def test_a_time_limit_leaves_some_solution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Solutions of the whole puzzle follow the optimal search; the shortest that leads to the goal is in the error."""
    layer, state = open_tablebase(tmp_path).puzzle("skewb").towards("layer"), "R U L B R L"
    alg = layer.solve(state)
    monkeypatch.setattr(derived, "AT_ONCE", 1)
    monkeypatch.setattr(derived.DerivedSolver, "_is_small", lambda *_: False)
    monkeypatch.setattr(searched.Searched, "solve", Mock(side_effect=EndedError("after 600 s")))
    searching = open_tablebase(tmp_path / "none").puzzle("skewb").towards("layer")
    with pytest.raises(EndedError):
        searching.solve(state)
    monkeypatch.setattr(goals, "beginnings", lambda *_: iter([f"{alg} B B'"]))
    with pytest.raises(
        SearchLimitError, match=f"not proved optimal after 600 s: {alg.length + 2} moves found"
    ) as caught:
        searching.solve(state, timeout=PATIENCE)
    assert caught.value.solution == f"{alg} B B'"
    assert caught.value.at_least <= alg.length


class _Ended:
    """A solver of the whole puzzle that has some solutions, and proves what is not true of a goal."""

    def __init__(self, rules: Rules, *algs: str) -> None:
        self.rules, self.algs = rules, algs

    def solve_as_held(self, *_: object, **__: object) -> str:
        current().prove(10)
        return self.algs[0]

    def improvements_as_held(self, *_: object, **__: object) -> Iterator[str]:
        yield from self.algs
        raise SearchLimitError(20, "after 1 s")


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("goal", "algs", "solution"),
    [
        ("cross", ["L2 D2 R U"], "L2 D2 R"),
        ("cross", ["D D R U", "L L' L2 D2 R", "L2 D2 R U"], "D D R"),
        ("cross-any", ["F2 F2 L2 D2 R U", "L2 D2 R U", "L2 U D2"], "L2 D2 R"),
        ("cross", ["R D2"], None),
    ],
)
def test_solutions_of_the_whole_puzzle_are_cut_where_they_reach_a_goal(
    goal: str, algs: list[str], solution: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(derived.DerivedSolver, "has_table", lambda *_: False)
    monkeypatch.setattr(derived.DerivedSolver, "_optimal", _not_found)
    towards = puzzle("rubik").towards(goal)
    assert isinstance(towards.solver, (GoalSolver, NearestSolver))
    towards.solver._whole = functools.partial(_Ended, puzzle("rubik").rules, *algs)  # type: ignore[assignment]
    with pytest.raises(SearchLimitError) as caught:
        towards.solve(RubikCube.from_alg("U' R' D2 L2"), timeout=PATIENCE)
    assert (caught.value.solution, caught.value.at_least) == (solution, 1)


@pytest.mark.parametrize(
    ("name", "goal", "step", "alg", "detour"),
    [
        ("skewb", "layer", "* * * * * * * *; U * * * * *", "U R L B R", "B U' L R' U L' B' R"),
        ("rubik", "cross|cross-U", DF_PATTERN, "U R2 F B L' D", "B U' L R U2 B' D F"),
    ],
)
def test_algs_to_goals_are_shortened_by_steps_and_optimal_ends(
    name: str, goal: str, step: str, alg: str, detour: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = puzzle(name)
    asked, edge, start = whole.towards(goal), whole.towards(step), whole.parse(alg, "alg")
    solver, depth = asked.solver, asked.depth(start)
    assert isinstance(solver, (GoalSolver, NearestSolver))
    parts = solver.parts if isinstance(solver, NearestSolver) else [solver]
    known = f"{detour} {asked.solve(start.apply(detour))}"
    monkeypatch.setattr(goals, "beginnings", lambda *_: iter([known]))

    def lengths(*steps: object) -> list[int]:
        monkeypatch.setattr(goals, "included_steps", lambda _: steps)
        algs = [*goals.short_algs(solver, parts, solver._asked(start, {}))]
        assert algs[0] == known
        assert all(asked.depth(start.apply(each)) == 0 for each in algs)
        found = [len(each.split()) for each in algs]
        assert all(more > less for more, less in itertools.pairwise(found))
        return found

    assert lengths(edge.rules)[-1] == lengths()[-1] == depth
    assert len([*solver._short(solver._asked(start, {}), 0)][-1].split()) == depth
    with monkeypatch.context() as patched:
        patched.setattr(beginnings, "with_shorter_ends", lambda *_: iter(()))
        begin = edge.solve(start)
        assert lengths(edge.rules)[1] == begin.length + asked.depth(start.apply(begin))
        if isinstance(solver, NearestSolver):
            patched.setattr(solver.parts[0], "to_steps", lambda _: iter(()))
            assert len(lengths(edge.rules)) == 2


def test_searches_for_steps_take_little_memory_and_release_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[weakref.ref[GoalSolver[Any]]]()

    def algs_within(solver: GoalSolver[Any], question: dict[str, Any], *_: object) -> Iterator[str]:
        assert question["memory"] == 1 << 24
        asked.append(weakref.ref(solver))
        solver._searching(solver.graph_asked({}))
        yield from "UF"  # two algs

    monkeypatch.setattr("cubesolve.solvers.goals.algs_within", algs_within)
    steps = GoalSolver(variants.towards(rules_named("fto"), "sc"), Tables(None)).to_steps({"memory": 1 << 30})
    assert [next(step("", 1)) for step in steps] == ["U", "U"]
    gc.collect()
    assert [solver() for solver in asked] == [None, None]


def test_solutions_that_are_cut_end_as_the_puzzle_is_held() -> None:
    ring, source = puzzle("topspin-8-4"), random.Random(1)
    solver, solved = ring.towards("1 2 3 4 * * * *").solver, ring.parse("", "alg")
    assert isinstance(solver, GoalSolver)
    assert solver._whole is not None
    whole = solver._whole()
    states = [ring.parse(" ".join(source.choices(ring.moves, k=12)), "alg") for _ in range(5)]
    assert all(state.apply(whole.solve_as_held(state, max_length=99)) == solved for state in states)
    assert any(state.apply(ring.solve(state)) != solved for state in states)
    rubik, cross = puzzle("rubik"), puzzle("rubik").towards("cross").solver
    assert isinstance(cross, GoalSolver)
    assert cross._whole is not None
    assert type(cross._whole()) is type(rubik.solver)


@pytest.mark.exhaustive
def test_included_steps_are_fulfilled_wherever_a_goal_is() -> None:
    rules = variants.towards(puzzle("rubik").rules, "roux-blocks")
    assert [step.goal for step in included_steps(rules)] == ["roux-block", "roux-block-DR"]  # nor others that are equal
    halves = [step.goal for step in included_steps(variants.towards(puzzle("rubik").rules, "htr"))]
    assert [name.split("-")[0] for name in halves] == ["dr"] * 3 + ["eo"] * 3  # first those with half of the digits


@pytest.mark.parametrize(("goal", "has_table"), [("cross|cross-U", False), ("cross|x-cross-U", True)])
def test_a_goal_that_was_reached_is_found_if_a_nearer_one_may_exist(
    goal: str, has_table: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    nearest, state = puzzle("rubik").towards(goal), RubikCube.from_alg("U D R2 F")
    expected, solver = _cross().solve(state), _with_other(nearest, _not_found)
    if not has_table:
        monkeypatch.setattr(GoalSolver, "has_table", lambda *_: False)
    monkeypatch.setattr(solver, "_whole", None)
    with pytest.raises(SearchLimitError) as caught:
        nearest.solve(state, timeout=PATIENCE)
    assert (caught.value.solution, caught.value.at_least) == (expected, 1)


def test_lengths_do_not_prove_costs(monkeypatch: pytest.MonkeyPatch) -> None:
    nearest = puzzle("rubik").restrict("R U F", cost="R2=3 U2=3 F2=3").towards("f2l|f2l-U")
    state = RubikCube.from_alg("F2 R2")
    assert isinstance(nearest.solver, NearestSolver)

    def optimal(goal: GoalSolver, about: Asked, **_: object) -> Answers:
        if goal is first:
            return KnownAnswers(6, ["R2 F2"])
        raise SearchLimitError(min((about.search["max_depth"] or 0) + 1, 4), "after 1 s")

    first = nearest.solver.parts[0].solver
    other = nearest.solver.parts[1]
    other.solver = GoalSolver(other.solver.rules, nearest._tables)
    monkeypatch.setattr(GoalSolver, "_optimal", optimal)
    with pytest.raises(SearchLimitError, match="not proved optimal after 1 s: 2 moves found, at least 4") as caught:
        nearest.solve(state, timeout=PATIENCE)
    assert caught.value.solution == "R2 F2"


# -- Slack -------------------------------------------------------------------------------------------------------------


def test_longer_solutions_need_no_list_of_all() -> None:
    found = puzzle("pocket").solutions(PocketCube.from_alg("R U F'"), slack=20)
    assert len(list(itertools.islice(found, 1_000))) == 1_000


# -- Other puzzles -----------------------------------------------------------------------------------------------------


def test_numbers_of_a_pattern_are_those_of_pieces_that_look_alike(tmp_path: Path) -> None:
    orbit = {"orbitName": "BEADS", "numPieces": 4, "numOrientations": 2}
    beads = {"pieces": [1, 1, 0, 0], "orientation": [0, 1, 0, 0]}
    moves = {"T": {"BEADS": {"permutation": [3, 0, 1, 2], "orientationDelta": [0, 0, 0, 0]}}}
    written = {"name": "beads", "orbits": [orbit], "defaultPattern": {"BEADS": beads}, "moves": moves}
    (path := tmp_path / "beads.json").write_text(json.dumps(written))
    ring, free, algs = puzzle(str(path)), [None] * 3, ("", "T", "T2", "T'")

    def depths(pattern: dict[str, Any]) -> list[int]:
        return [ring.towards({"BEADS": pattern}).depth(alg) for alg in algs]

    assert depths({"pieces": [1, *free]}) == [0, 1, 1, 0]
    assert depths({"pieces": [0, *free]}) == [1, 0, 0, 1]
    assert depths({"pieces": [1, *free], "orientation": [1, *free]}) == [1, 1, 1, 0]
    assert depths(json.loads(ring.write("T", "kpuzzle"))["BEADS"]) == [1, 0, 1, 1]
    assert depths({"pieces": [0, 0, 0, None]}) == [0, 0, 0, 0]  # there are but two: pieces of both kinds belong there


# -- Orientations that a goal says -------------------------------------------------------------------------------------

_PIECES, _TURNS = 3, 6
_HANDS = Writable(
    "hands",
    {"HANDS": (_PIECES, _TURNS)},
    {"HANDS": (range(_PIECES), [0] * _PIECES, [0] * _PIECES)},
    {"A": {"HANDS": ([1, 0, 2], [1, 0, 0])}, "B": {"HANDS": ([0, 2, 1], [0, 2, 0])}},
)
_Hands = tuple[tuple[int, ...], tuple[int, ...]]
"""Which piece is in each place, and how far it is turned."""


def _is_said(state: _Hands, pieces: Sequence[int | None], turns: Sequence[int | None], moduli: Sequence[int]) -> bool:
    """Whether a state matches a pattern; with a modulus of 0, orientations must be equal."""
    return all(
        (wanted is None or wanted == piece) and (turn is None or (turned - turn) % (modulus or _TURNS) == 0)
        for piece, turned, wanted, turn, modulus in zip(*state, pieces, turns, moduli, strict=True)
    )


def test_orientations_are_as_a_goal_says_modulo_what_it_says() -> None:
    source, view = random.Random(7), PieceView(parse_tws(write_tws(_HANDS), "hands"))
    places, twists = itertools.permutations(range(_PIECES)), itertools.product(range(_TURNS), repeat=_PIECES)
    lying = {
        (pieces, turns): parse_kpuzzle_pattern(
            view.definition, {"HANDS": {"pieces": [*pieces], "orientation": [*turns]}}
        )
        for pieces, turns in source.sample([*itertools.product(places, twists)], 100)
    }
    tried = 0
    while tried < 50:
        pieces = [source.choice((piece, None)) for piece in source.sample(range(_PIECES), _PIECES)]
        turns = [source.choice((*range(_TURNS), None)) for _ in range(_PIECES)]
        moduli = [source.choice((0, 1, 2, 3, 6)) for _ in range(_PIECES)]
        said = {state: _is_said(state, pieces, turns, moduli) for state in lying}
        if not any(said.values()) or all(said.values()):
            continue
        tried += 1
        [goal] = goals_of(view, {"HANDS": {"pieces": pieces, "orientation": turns, "orientationMod": moduli}})
        fits = {state: all(place[point] in labels for point, labels in goal.items()) for state, place in lying.items()}
        assert fits == said, (pieces, turns, moduli)


# -- Orientations and kinds --------------------------------------------------------------------------------------------


def test_states_of_other_orientations_are_searched_for_beside_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three places in a ring; moves turn it, and only the rotation turns it over."""
    (tmp_path / "ring.tws").write_text(disks({"R": "2 3 1", "x": "1 3 2"}))

    def goal() -> Puzzle:
        return open_tablebase(tmp_path).puzzle(str(tmp_path / "ring.tws")).towards("1 * *")

    assert goal().solve("R") == "R'"
    monkeypatch.setattr(derived, "AT_ONCE", 1)
    assert goal().solve("R x") == "R"


@pytest.mark.parametrize(
    ("text", "goal", "counts"),
    [
        # The states are the places of the two named pieces.
        (disks({"L": "2 3 4 5 1", "C": "4 1 2 3 5"}, "1 2 3 4 5; 0 0 0 0 ?", orientations=6), (1, 2), (1, 5, 8, 6)),
        # The states are the place of the named piece, and those of the two kinds of others: never 2 or 3 in place 1.
        (disks({"L": "2 3 4 5 1", "C": "4 1 2 3 5"}, more="Illegal DISKS 1 2 3"), (4,), (3, 6, 2, 4, 1, 2)),
    ],
    ids=["a piece without orientation", "illegal in the same places"],
)
def test_pieces_that_are_don_t_cares_are_of_few_kinds(
    text: str, goal: Sequence[int], counts: tuple[int, ...], tmp_path: Path
) -> None:
    (path := tmp_path / "five.tws").write_text(text)
    pieces = [piece if piece in goal else None for piece in range(5)]
    assert puzzle(str(path)).towards({"DISKS": {"pieces": pieces}}).distribution() == counts


def test_a_metric_may_reach_fewer_states(tmp_path: Path) -> None:
    """A half turn passes over a state that is illegal, and quarter turns do not."""
    ring = "Name ring\nSet A 4 1\nSolved\nA\n1 2 3 2\nEnd\nMove T\nA\n2 3 4 1\nEnd\nIllegal A 2 1\nIllegal A 4 1\n"
    (path := tmp_path / "ring.tws").write_text(ring)
    goal = puzzle(str(path)).towards("* 2 * 2")
    assert [goal.depth("3 2 1 2", metric=metric) for metric in ("htm", "qtm")] == [0, 0]
