"""`Puzzle` documents every question, and its keywords; solvers answer it."""

from __future__ import annotations

import inspect
import itertools
import pydoc
from pathlib import Path
from typing import Any

import pytest

from cubesolve import Puzzle, SearchLimitError, TooLargeError, lookup, puzzle
from cubesolve.catalog.rolling import solver as trays
from cubesolve.catalog.rolling.searching import to_count
from cubesolve.catalog.rolling.tray import Tray
from cubesolve.catalog.rubik.solver import RubikSolver
from cubesolve.definition.definition import Definition, Orbit
from cubesolve.definition.notation import parse_alg
from cubesolve.definition.piece_view import PieceView
from cubesolve.embedding.embedded import embedded, without_table
from cubesolve.group.moves import Effect
from cubesolve.runtime import machine
from cubesolve.runtime.deadline import Deadline, running
from cubesolve.search import limits
from cubesolve.search.limits import SearchOptions
from cubesolve.solvers import derived
from cubesolve.solvers.answers import Solution
from cubesolve.solvers.derived import DerivedSolver
from cubesolve.solvers.goals import GoalSolver
from cubesolve.solvers.nearest import NearestSolver
from cubesolve.solvers.questions import Accepted, Asked, Kept
from cubesolve.solvers.solver import Solver
from cubesolve.solvers.table import TableSolver
from cubesolve.spaces.defined import DerivedRules
from cubesolve.store.tables import Tables
from tests.commands import invoke
from tests.patience import PATIENCE
from tests.processes import run_python

SOLVERS = (TableSolver, DerivedSolver, GoalSolver, NearestSolver, RubikSolver, trays.TraySolver)


def _public(cls: type) -> list[str]:
    members = inspect.getmembers(cls, lambda member: inspect.isfunction(member) or isinstance(member, property))
    return [name for name, _ in members if not name.startswith("_")]


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_solver_repeats_no_documentation(solver: type[Solver]) -> None:
    own = vars(solver).keys() & set(_public(solver)) & set(_public(Puzzle))
    assert own
    assert [name for name in own if vars(solver)[name].__doc__] == []


def test_a_question_about_one_puzzle_loads_no_other() -> None:
    code = (
        "import sys\n"
        "from cubesolve import puzzle\n"
        "puzzle('skewb').depth('R')\n"
        "others = 'cubesolve.catalog.rubik', 'cubesolve.catalog.rolling', 'cubesolve.solvers.goals'\n"
        "print(sorted(name for name in sys.modules if name.startswith(others)))\n"
    )
    result = run_python(code, fresh=True)
    assert result.stdout == "[]\n", result.stderr


@pytest.mark.parametrize("name", ["skewb", "pocket", "rubik", "rolling"])
def test_help_about_a_question_shows_its_arguments_and_errors(name: str) -> None:
    text = pydoc.plain(pydoc.render_doc(puzzle(name).depth))
    assert text.splitlines()[2].startswith("depth(state")
    assert "least number of moves" in text
    assert "goal: " in text
    assert "SearchLimitError: " in text


@pytest.mark.parametrize("name", ["depth", "solve", "random_state", "scramble"])
def test_a_model_of_rolling_cubes_that_is_none_is_the_usual_one(name: str) -> None:
    given: dict[str, Any] = {"state": (1, 1), "goal": "**E/***/***"} if name in {"depth", "solve"} else {"rng": 3}
    ask = getattr(puzzle("rolling"), name)
    assert ask(**given, model=None) == ask(**given)


@pytest.mark.parametrize(
    "said", [{"start": (2, 1)}, {"tray": (2, 2)}, {"start": (1, 1), "tray": (2, 2), "model": "face"}]
)
def test_distributions_of_rolling_cubes_are_found_by_their_keywords(said: dict[str, Any]) -> None:
    assert lookup.distribution(**said) == puzzle("rolling").distribution(**said) != lookup.distribution()


def test_asking_whether_a_target_is_answered_at_once_enumerates_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rings, end = puzzle("docs/rings.tws"), "1 1 1 1 2 1 2 1 2 2"
    depth = rings.depth("L R", end)
    monkeypatch.setattr(rings.solver, "_distances_to", lambda *_: pytest.fail("all states are enumerated"))
    assert not rings.answers_at_once("L R", end)
    monkeypatch.undo()
    rings.forget()
    assert rings.depth("L R", end) == depth


def test_what_a_limited_question_proves_and_finds_is_kept_for_the_next() -> None:
    asked, other = (puzzle("skewb").solver._asked(state, {}) for state in ("R", "R U"))
    kept, found = Kept(), Solution("R' U R' R U'", 3, asked.rules, "R")

    def end(about: Asked, timeout: float | None = PATIENCE) -> tuple[int, Solution | None]:
        with pytest.raises(SearchLimitError) as limit, running(Deadline(timeout=timeout)), kept.of(about):
            raise SearchLimitError(2, "after 1 s")
        return limit.value.at_least, limit.value.solution

    with running(Deadline(timeout=PATIENCE)) as deadline, kept.of(asked):
        deadline.prove(4)
        deadline.find(found)
        assert end(asked) == (4, found)  # the caller no longer waits for the first question
    assert end(asked) == (4, found)
    near, limited = asked._replace(accepted=Accepted(within=2)), asked._replace(search=SearchOptions(max_depth=9))
    assert [end(each) for each in (near, limited, other)] == [(2, None)] * 3
    assert end(asked, None) == (2, None)  # which has no limit, and does not depend on others


# -- Scrambles of an exact length --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("puzzle", "depth", "lengths"),
    [("floppy", 3, [3, 5]), ("tiles-2x3", 9, [9, 11]), ("pancake-5", 4, range(4, 12)), ("skewb", None, [500])],
)
def test_a_scramble_has_just_so_many_moves(puzzle: str, depth: int | None, lengths: list[int]) -> None:
    asked = lookup.puzzle(puzzle)
    for length in lengths:
        alg = asked.scramble(length, depth=depth, length=length)
        assert len(asked.rules.view.split(alg)) == length
        assert depth is None or asked.depth(alg) == depth


@pytest.mark.parametrize("name", ["tower", "topspin-8-4"])
def test_no_two_moves_of_a_scramble_cancel_or_join_after_others_are_exchanged(name: str) -> None:
    asked = lookup.puzzle(name)
    for seed in range(20):
        moves = asked.scramble(seed, length=12).split()
        assert all(asked.depth(" ".join(three)) == 3 for three in zip(moves, moves[1:], moves[2:], strict=False))


@pytest.mark.parametrize(("length", "metric"), [(20, "htm"), (21, "htm"), (40, "htm"), (30, "qtm")])
def test_a_scramble_of_the_3x3x3_has_just_so_many_moves(length: int, metric: str) -> None:
    for seed in range(3):
        turns = parse_alg(lookup.scramble(seed, "rubik", length=length, metric=metric))
        assert len(turns) == length
        for _, group in itertools.groupby(turns, lambda turn: "URFDLB".index(turn.letter) % 3):  # about one axis
            about = sorted(group)
            assert all(
                metric == "qtm" and one == two for one, two in itertools.pairwise(about) if one.letter == two.letter
            )
            assert len(about) <= (4 if metric == "qtm" else 2)


def test_what_is_proved_of_cubes_that_are_drawn_is_no_bound_of_a_scramble() -> None:
    with pytest.raises(SearchLimitError, match=r"^not answered") as caught:
        lookup.scramble(1, "rubik", length=17, timeout=0.2)
    assert caught.value.at_least == 0


def test_rare_scrambles_are_found() -> None:
    for seed in range(3):
        alg = lookup.scramble(seed, "tiles-3x3", length=2)
        assert len(alg.split()) == lookup.puzzle("tiles-3x3").depth(alg) == 2


# -- More than half of the memory is used only with consent ------------------------------------------------------------


def _has_memory(monkeypatch: pytest.MonkeyPatch, half: int) -> None:
    for module in (derived, limits, machine, trays):
        monkeypatch.setattr(module, "half_of_memory", lambda: half)


def test_distances_of_a_tray(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle, start = lookup.puzzle("rolling"), Tray.start((1, 1), 2, 2)
    space = to_count(start).space
    least = space.nbytes + -(-space.states // 4)  # states in a byte
    _has_memory(monkeypatch, least)
    assert sum(puzzle.distribution(tray=(2, 2))) == 36
    # One byte less, and so few that nobody has to look which states are alike: the 324 states would take 41 bytes.
    for half, most in ((least - 1, space.counted * (least - 1) // least), (5, 324 * 5 // 41)):
        _has_memory(monkeypatch, half)
        with pytest.raises(TooLargeError) as caught:
            puzzle.distribution(tray=(2, 2))
        assert (caught.value.most, caught.value.exact) == (most, True)


def test_distances_to_another_goal(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = lookup.puzzle("tiles-2x3")
    solved, other = puzzle.parse(""), puzzle.antipodes()[0]
    _has_memory(monkeypatch, 100)
    with pytest.raises(TooLargeError, match="there are 360 states, more than can be enumerated: at most 50"):
        puzzle.depth(solved, other)
    _has_memory(monkeypatch, 1000)
    assert puzzle.depth(solved, other) == 21


def test_searches_of_trays(monkeypatch: pytest.MonkeyPatch) -> None:
    rolling, goal = lookup.puzzle("rolling"), "WWWW/WWWW/BBBE"
    _has_memory(monkeypatch, 100_000)
    with pytest.raises(SearchLimitError, match="within 100,000 bytes of memory"):
        rolling.depth((1, 1), goal)
    assert rolling.depth((1, 1), goal, memory=1 << 31) == 17


# -- Puzzles some moves of which cost 0; the matrix has more of their answers ------------------------------------------


def test_questions_where_some_moves_cost_0() -> None:
    asked = puzzle("floppy").restrict(cost="R2=0")
    assert asked.distribution() == asked.distribution(count=True) == asked.distribution(levels=99)
    ranks = range(asked.states)
    for each in (asked, puzzle("floppy").restrict(cost="R2=3")):
        assert each.solution_counts().tolist() == [each.count_solutions(rank) for rank in ranks]
    moves, lengths = asked.solve_batch(ranks)
    assert moves.shape == (asked.states, max(lengths))
    assert asked.restrict(cost="R2=1").depth("R2") == 1
    state = asked.parse("F2 R2 L2")
    assert asked.depths([state, asked.parse("R2")]).tolist() == [asked.depth(state), 0] == [2, 0]
    alg = asked.solve(state, "R2")
    assert (str(alg), alg.at_least, alg.is_proved) == ("L2 R2 F2 R2", 2, True)
    assert asked.depth(asked.random_state(1, depth=3)) == 3
    scramble = asked.scramble(1, length=5)
    assert len(scramble.split()) == 5
    for refused in (embedded, without_table):
        with pytest.raises(ValueError, match="cost 0"):
            refused(asked)
    result = invoke("tables", "build", "floppy", "--cost", "R2=0", "--bits", "2")
    assert "require moves with inverses and cost 1" in result.output


def test_free_moves_follow_moves_of_every_cost(tmp_path: Path) -> None:
    """States that moves of one cost lead to are followed by free moves, also before moves of another cost."""
    turn, swap = (Effect(bytes([0, 2, 3, 1])),), (Effect(bytes([0, 2, 1, 3])),)
    definition = Definition("three", (Orbit("DISKS", 4),), (bytes([0, 0, 0, 1]),), {"S": swap, "T": turn})
    rules = DerivedRules(PieceView(definition._replace(costs={"S": 0, "T": 2})))
    asked = Puzzle(rules, Tables(tmp_path))
    assert asked.distribution() == asked.distribution(levels=9) == (1, 2)
