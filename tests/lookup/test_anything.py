"""Solutions that need not be optimal, for puzzles with a definition, also by beams and loops; every one is applied."""

from __future__ import annotations

import itertools
import random
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from numpy.typing import NDArray

from cubesolve import CubesolveError, SearchLimitError, UnsolvableStateError, puzzle
from cubesolve.ask import Puzzle
from cubesolve.definition.formats import parse_cycles
from cubesolve.group.elements import Balance, change_between
from cubesolve.group.group import Group
from cubesolve.group.permutations import Arrangement, after, inverse
from cubesolve.search import commutators, short, three_cycles
from cubesolve.search.annealing import LONGEST_WINDOW, Residues, Work, anneal
from cubesolve.search.chain import complete_chain
from cubesolve.search.cycles import NONE, alg_by_number, inverted, joined, of_three
from cubesolve.search.insertions import insert
from cubesolve.search.near import ShortestPaths, between
from cubesolve.search.slots import Slots
from cubesolve.search.three_cycles import find_cycles
from cubesolve.solvers import anything, beams
from cubesolve.solvers import derived as derived_solver
from cubesolve.solvers import searched as searched_solver
from cubesolve.solvers.anything import Anything
from cubesolve.solvers.beams import Beams, tunnelled
from cubesolve.solvers.derived import DerivedSolver
from cubesolve.solvers.loops import Loops
from cubesolve.solvers.searched import Searched
from cubesolve.spaces.defined import derived
from cubesolve.spaces.defined_graph import DerivedGraph
from tests.definitions.samples import disks
from tests.patience import PATIENCE
from tests.subsets import later

_RINGS = disks(
    {"L": "2 3 4 5 6 7 8 1 9 10 11 12 13 14", "R": "9 2 3 4 5 12 7 8 10 11 6 13 14 1"}, "1 2 2 2 2 1 2 2 3 3 3 3 3 3"
)
# Two rings of nine that share two places: 16 pieces, some of which look alike.
_WREATH = disks(
    {"L": "2 3 4 5 6 7 8 9 1 10 11 12 13 14 15 16", "R": "1 2 3 4 5 6 7 9 10 11 12 13 14 15 16 8"},
    "1 1 1 1 2 2 2 3 3 3 3 4 4 4 4 5",
)
_TWISTED = disks(
    {
        "A": "2 3 4 1 5 6 7 8 9; 1 0 2 0 0 0 0 0 0",
        "B": "1 2 3 5 6 7 4 8 9; 0 0 0 2 0 1 0 0 0",
        "C": "8 2 3 4 5 6 1 9 7; 0 0 0 0 0 0 0 0 1",
    },
    orientations=3,
)


@pytest.fixture(autouse=True)
def _little_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few algs are combined to cycles, and few changes are tried."""
    monkeypatch.setattr(commutators, "_FIRST", 400)
    monkeypatch.setattr(commutators, "_SECOND", 200)
    monkeypatch.setattr(short, "_CHANGES", 1 << 13)
    for name in ("_QUICK", "_THOROUGH"):
        monkeypatch.setattr(anything, name, 0)  # no search from both ends


def _graph(text: str, folder: Path) -> DerivedGraph:
    path = folder / "made.tws"
    path.write_text(text)
    found: DerivedGraph = puzzle(str(path)).rules.graph()  # type: ignore[attr-defined]
    return found


def _row(slots: Slots, alg: Sequence[int]) -> NDArray[np.intp]:
    """Apply an alg, move by move, to the slots in order."""
    row = np.arange(slots.moves.sources.shape[1])
    for move in alg:
        row = row[slots.moves.sources[move]]
    return row


def _require_solved(finder: Anything, graph: DerivedGraph, state: Arrangement) -> None:
    """Apply the first solution of a state."""
    definition, alg = graph.rules.definition, next(finder.solutions(state))
    assert alg is not None
    assert definition.apply(state, definition.parse(" ".join(alg))) == definition.solved[0]


@pytest.mark.parametrize("text", [later(_WREATH), _TWISTED], ids=["alike", "orientations"])
def test_random_states_are_solved(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = _graph(text, tmp_path)
    anything, source = Anything(graph), random.Random(7)
    assert graph.reach is not None
    for _ in range(2):
        _require_solved(anything, graph, graph.reach.random_state(source))
    # A solution can be longer than the room of annealing, and is then not annealed.
    monkeypatch.setattr(short, "_LONGEST_PIECE", 0)
    monkeypatch.setattr(short, "_MORE", 1)
    state = graph.reach.random_state(random.Random(8))
    lengths = [len(alg) for alg in itertools.islice(anything.solutions(state), 4) if alg is not None]
    assert lengths[0] > 2 * LONGEST_WINDOW
    assert lengths == sorted(lengths, reverse=True)


def test_pieces_that_single_moves_solve_are_not_forgotten(tmp_path: Path) -> None:
    """A is a cycle of three pieces, and there is no longer alg of one."""
    (tmp_path / "made.gap").write_text("A := (1,2,3); B := (1,2)(4,5);")
    graph = puzzle(str(tmp_path / "made.gap")).rules.graph()  # type: ignore[attr-defined]
    definition = graph.rules.definition
    _require_solved(Anything(graph), graph, definition.apply(definition.solved[0], definition.parse("A B")))


@pytest.mark.parametrize("text", [_WREATH, _TWISTED], ids=["alike", "orientations"])
def test_an_insertion_does_what_it_says(text: str, tmp_path: Path) -> None:
    """Its alg is applied move by move; the pieces that it solves and its moves give its value."""
    graph = _graph(text, tmp_path)
    assert graph.reach is not None
    finder, state = Anything(graph), graph.reach.random_state(random.Random(7))
    search = short.ShortSearch(finder._problem(state, *finder._goal(state)), 7)
    moves, problem, work = search._moves, search._problem, search._work

    def unsolved(alg: Sequence[int]) -> int:
        end: NDArray[np.integer] = problem.state
        for move in alg:
            end = end[moves.sources[move]]
        return int((end != problem.target)[moves.firsts].sum())

    alg, worth = joined(moves, random.Random(7).choices(range(len(moves.sources)), k=9)), int(problem.cycles.worth[0])
    work.begin(alg)
    for number in itertools.count():
        if not insert(moves, problem.cycles, work, 1, 1 << 12):
            break
        made, value = work.now, int(work.insertion[0])
        gain = unsolved(alg) - unsolved(made)
        assert gain >= (2 if number == 0 else 1)  # some insertions solve so many, so others are not compared
        assert 0 <= value - (10 * (len(made) - len(alg)) - worth * gain) < 8
        alg = made
    assert unsolved(alg) <= 2  # what is left is a parity


def test_cycles_do_what_their_numbers_mean(tmp_path: Path) -> None:
    graph = _graph(_TWISTED, tmp_path)
    group = graph.rules.group
    assert group is not None
    slots = Slots(27, group.kinds, [move.effects[0].sources for move in graph.definition_moves])
    cycles, stages = find_cycles(slots, 7)
    assert stages == [[0]]
    of_all, cycles_of_three = (cycles.lengths != NONE).nonzero()[0], 9 * 8 * 7 // 3 * 9  # in all orientations
    assert len(of_all) == cycles_of_three + 9 * 8 // 2 * 2
    assert (of_three(cycles.lengths, 0, 9, 3) != NONE).sum() == cycles_of_three
    twist, is_of_three = (0 * 27 + 2) * 27 + 3, of_all // 27**2 != of_all // 27 % 27 // 3
    for number in [*of_all[is_of_three][::101].tolist(), twist]:
        alg = alg_by_number(slots.moves, cycles, int(number))
        assert len(alg) <= cycles.lengths[number]
        row = _row(slots, alg)
        if number == twist:
            assert row.tolist() == [1, 2, 0, 5, 3, 4, *range(6, 27)]  # the first place two turns, the second one
        else:
            a, b, c = number // 27**2 * 3, number // 27 % 27, number % 27
            assert (row[b], row[c], row[a]) == (a, b, c)
            assert (row != np.arange(27)).sum() == 9


# A ring of seven and one of five turn with each move, so cycles of one kind alone are longer than four moves.
_TWO_RINGS = bytes([1, 2, 3, 4, 0, 5, 6, 8, 9, 7, 10, 11]), bytes([0, 1, 2, 3, 5, 6, 4, 7, 8, 10, 11, 9])


def _slots(*changes: bytes) -> Slots:
    """Return the slots of moves and their inverses."""
    turns = [turn for change in changes for turn in (change, inverse(change))]
    return Slots(len(changes[0]), Group(len(changes[0]), turns).kinds, turns)


def test_powers_give_cycles_where_moves_exchange_pieces_of_two_kinds() -> None:
    # Rings of two sizes turn together, so the cycles that commutators make of one kind come with others.
    first, second = [1, 2, 3, 4, 5, 0, 6, 7, 9, 10, 11, 8, 12], [0, 1, 2, 3, 5, 6, 7, 4, 8, 9, 10, 12, 11]
    slots = _slots(bytes(first), bytes(second))
    cycles, stages = find_cycles(slots, 7)
    assert stages == [[*range(len(slots.kinds))]]
    for start, pieces, _ in cycles.starts.tolist():
        known = (cycles.lengths[start : start + pieces**3] != NONE).nonzero()[0] + start
        assert len(known) == pieces * (pieces - 1) * (pieces - 2) // 3
        for number in known[::9].tolist():
            alg = alg_by_number(slots.moves, cycles, number)
            assert len(alg) <= cycles.lengths[number]
            assert (_row(slots, alg) != np.arange(13)).sum() == 3


def test_algs_of_a_kind_may_change_other_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    slots = _slots(*_TWO_RINGS)
    starts = np.array([[0, 7, 1], [343, 5, 1]])
    ends, chance = [0, 343, 468], np.array([7], np.uint64)

    def shortest(algs: dict[int, list[int]]) -> tuple[int, int, int]:
        """Return the number of moves of the shortest alg, and how many pieces of each kind it moves."""
        alg = min(algs.values(), key=len)
        moved = _row(slots, alg) != np.arange(12)
        return len(alg), int(moved[:7].sum()), int(moved[7:].sum())

    assert shortest(commutators.find_algs(slots, [0], starts, ends, chance)) == (4, 3, 3)
    monkeypatch.setattr(commutators, "_FIRST", 200)
    monkeypatch.setattr(commutators, "_SECOND", 100)
    length, *moved = shortest(commutators.of_conjugates(slots, 0, starts, ends, chance))
    assert 4 < length <= 40
    assert moved in ([3, 0], [0, 3])


def test_kinds_with_long_cycles_are_solved_first(monkeypatch: pytest.MonkeyPatch) -> None:
    # The third move is a cycle of the second kind.
    slots = _slots(*_TWO_RINGS, bytes([0, 1, 2, 3, 4, 5, 6, 8, 9, 7, 10, 11]))
    for name, number in (("_FIRST", 100), ("_SECOND", 50), ("_MORE_ROUNDS", 0)):
        monkeypatch.setattr(commutators, name, number)
    cycles, stages = find_cycles(slots, 7)
    assert stages == [[0, 1]]
    assert 4 < cycles.lengths[:343].min() <= 40
    monkeypatch.setattr(three_cycles, "_LONG", 4)
    cycles, stages = find_cycles(slots, 7)
    assert stages == [[0], [0, 1]]
    assert cycles.lengths[:343].min() == 4
    monkeypatch.setattr(three_cycles, "_LONG", 0)  # of which all kinds have longer ones
    assert find_cycles(slots, 7)[1] == [[0, 1]]


def test_commutators_of_powers_move_pieces_of_one_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    # Every move turns a ring of seven, one of five and one of three pieces.
    first = bytes([1, 2, 3, 4, 0, 5, 6, 8, 9, 7, 10, 11, 13, 14, 12, 15])
    second = bytes([0, 1, 2, 3, 5, 6, 4, 7, 8, 10, 11, 9, 12, 13, 15, 14])
    slots = _slots(first, second)
    ends = [0, 7**3, 7**3 + 5**3, 7**3 + 5**3 + 4**3]
    starts = np.array([[0, 7, 1], [ends[1], 5, 1], [ends[2], 4, 1]])
    for name, number in {"_FIRST": 200, "_SECOND": 100, "_WORDS": 2_000}.items():
        monkeypatch.setattr(commutators, name, number)
    moved = set[tuple[int, int]]()
    for alg in commutators.of_powers(slots, [0, 1], starts, ends, np.array([7], np.uint64)).values():
        row = _row(slots, alg)
        moved |= {(int(slots.moves.kinds[slot, 2]), int((row != range(16)).sum())) for slot in row[row != range(16)]}
    assert {(0, 3), (1, 3)} <= moved <= {(0, 3), (1, 3), (2, 3)}


@pytest.mark.parametrize(
    ("made", "order"),
    [
        # Seven pieces move as PSL(2, 7), which has no cycles of three, and seven others in all even ways.
        ("A := (1,2,3,4,5,6,7)(8,9,10,11,12); B := (2,3)(4,7)(12,13,14);", 168 * 2520),
        # The corners of a Skewb: twists of two may leave all other pieces alone, but no alg is a cycle of three.
        ("skewb", 3_149_280),
    ],
    ids=["none", "twists"],
)
def test_pieces_without_cycles_are_solved_before_others(
    made: str, order: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "made.gap").write_text(made)
    for name, number in {"_FIRST": 100, "_SECOND": 50, "_WORDS": 200, "_LOOKED_AT": 1}.items():
        monkeypatch.setattr(commutators, name, number)
    monkeypatch.setattr(Anything, "_chain", lambda _: None)  # of all pieces
    asked = made if made == "skewb" else str(tmp_path / "made.gap")
    graph = puzzle(asked).rules.graph()  # type: ignore[attr-defined]
    assert graph.rules.group.order == order
    finder = Anything(graph)
    for seed in (1, 2):
        _require_solved(finder, graph, graph.rules.group.random_member(random.Random(seed)))


def test_annealing_counts_what_its_alg_costs_and_lets_any_number_of_moves_cancel(tmp_path: Path) -> None:
    graph = _graph(_TWISTED, tmp_path)
    group = graph.rules.group
    assert group is not None
    changes = [move.effects[0].sources for move in graph.definition_moves]
    slots, balance = Slots(27, group.kinds, changes), Balance(group, bytes(range(27)))
    added = np.array([balance.of(change) for change in changes])
    state, target = slots.rows([group.random_member(random.Random(7)), bytes(range(27))])
    totals = Residues(np.zeros(len(balance.moduli), np.int64), added, np.array(balance.moduli))
    work = Work.of(slots.moves, state, target, totals, 100, 7)

    def cost(alg: Sequence[int]) -> int:
        wrong = int((work.before[0][_row(slots, alg)] != work.target)[slots.moves.firsts].sum())
        unbalanced = int(np.count_nonzero(work.added[[*alg]].sum(axis=0) % work.moduli)) if alg else 0
        return 1_000 * len(alg) + int(work.weights[0]) * wrong + 6_000 * unbalanced

    work.weights[:] = 2_700  # of an unsolved piece
    work.begin([0, 1])
    assert anneal(slots.moves, work, 3_000, 1_800, 400) > 100
    assert work.numbers[3] == cost(work.found) < 1_000 * len(work.found) + 9 * 2_700
    work.weights[:] = 100
    source, there = random.Random(7), [0]
    while len(there) < 13:
        move = source.randrange(len(slots.moves.sources))
        there += [] if slots.moves.commute[there[-1], move] else [move]
    middle = there.pop()
    begin = [*there, middle, *inverted(slots.moves, there)]  # without its middle no move is left
    lengths = set[int]()
    for _ in range(500):
        work.begin(begin)
        anneal(slots.moves, work, 1, 1 << 20, 1 << 20)
        length, counted = work.numbers[:2].tolist()
        assert counted == cost(work.alg[:length].tolist())
        lengths.add(length)
    assert 0 in lengths


def test_a_chain_of_stabilizers_has_an_alg_for_every_member(monkeypatch: pytest.MonkeyPatch) -> None:
    # PSL(2, 7) has no cycles of three points, and looking for some takes seconds.
    monkeypatch.setattr(three_cycles, "find_algs", lambda *_: {})
    points, turns = 7, [bytes([1, 2, 3, 4, 5, 6, 0]), bytes([0, 2, 1, 6, 4, 5, 3])]
    group, moves = Group(points, turns), [*turns, *map(inverse, turns)]
    assert group.order == 168
    slots = Slots(points, group.kinds, moves)
    chain = complete_chain(slots, find_cycles(slots, 7)[0], group.order, 7)
    assert chain is not None
    source = random.Random(7)
    for _ in range(20):
        member = group.random_member(source)
        alg = chain.alg(member)
        assert alg is not None
        assert bytes(_row(slots, alg).tolist()) == member
    assert chain.alg(bytes([1, 0, *range(2, points)])) is None


def test_puzzles_with_few_states_are_solved_from_both_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = _graph(_RINGS, tmp_path)
    definition = graph.rules.definition
    (solved,) = definition.solved
    assert Anything(graph)._arrangements(solved) == 14 * 13 // 2 * 924  # 2 of 14 places, then 6 of 12
    assert graph.reach is not None
    state = graph.reach.random_state(random.Random(3))

    def neighbours(state: Arrangement) -> list[tuple[str, Arrangement]]:
        return [(move.name, after(state, move.effects[0].sources)) for move in graph.definition_moves]

    expected = between(state, [solved], neighbours, most=1 << 20)
    assert isinstance(expected, ShortestPaths)
    for begun, name in enumerate(("_THOROUGH", "_QUICK")):
        monkeypatch.setattr(anything, name, 1 << 22)
        *longer, alg = itertools.islice(filter(None, Anything(graph).solutions(state)), 2 - begun)
        assert all(len(each) > len(alg) for each in longer)
        assert len(alg) == expected.depth
        assert definition.apply(state, definition.parse(" ".join(alg))) == solved
    monkeypatch.setattr(anything, "_QUICK", 1 << 12)
    assert Anything(graph)._met(state, solved, 1 << 30, 1 << 12) is None


def test_balance_completes_parities() -> None:
    # Two rings of five: the first move is odd on one of them, the second even on both, the third odd on both.
    turns = [bytes([1, 0, *range(2, 10)]), bytes([1, 2, 3, 4, 0, 6, 7, 8, 9, 5]), bytes([1, 0, 2, 3, 4, 6, 5, 7, 8, 9])]
    group = Group(10, turns)
    balance = Balance(group, bytes(range(10)))
    vectors = [balance.of(turn) for turn in turns]
    assert vectors == [(0, 1, 0, 0), (0, 0, 0, 0), (0, 1, 0, 1)]
    assert balance.completed((0, 0, 0, 1), vectors) in ([0, 2], [2, 0])
    assert balance.completed((0, 0, 0, 0), vectors) == []
    assert Balance(group, b"aabcdefghi").of(turns[2]) == (0, 0, 0, 1)  # the parity of the first ring is invisible


@pytest.mark.parametrize(
    ("made", "order", "solved", "apart"),
    [
        # Both rings turn together, so names that fit on one need not fit on the other.
        ("(1,2,3,4,5)(6,7,8,9,10); (2,5)(3,4)(7,10)(8,9)", 10, b"aabbcddefe", (b"aabbcddefe", b"abbcaddefe")),
        # Even permutations of four pieces, and what they do to the three ways to pair them.
        ("(1,2,3)(4,5,6); (4,5)(6,7)", 12, b"abcddef", (b"abcddee", b"bcaddee")),
        # The last two points never move.
        ("(1,2,3,4,5)(6,7); (2,3,5,4)", 40, b"aabbcdexy", (b"aabbcdexy", b"abbcaedyx")),
    ],
    ids=["linked rings", "kinds that depend on each other", "fixed points"],
)
def test_members_between_arrangements(made: str, order: int, solved: bytes, apart: tuple[bytes, bytes]) -> None:
    made_of = parse_cycles("A := {}; B := {};".format(*made.split(";")), "made").generators.values()
    turns = [bytes([*(turn := effects[0].sources), *range(len(turn), len(solved))]) for effects in made_of]
    group, source = Group(len(solved), turns), random.Random(7)
    assert (group.order, group.is_full) == (order, False)
    for _ in range(5):
        now = after(solved, group.random_member(source))
        change = change_between(group, solved, now, source)
        assert change is not None
        assert change in group
        assert after(solved, change) == now
    assert change_between(group, *apart, source) is None


@pytest.fixture(scope="module")
def mini() -> Any:
    """The 3x3x3 with five of its faces: too large for a table, and prepared quickly."""
    return puzzle("rubik").restrict("U R F D L")


def test_some_solution_comes_before_the_search_for_an_optimal_one(mini: Any) -> None:
    state, cancel = mini.random_state(7), threading.Event()
    found = mini.improvements(state, cancel=cancel)
    first = next(found)
    assert state.apply(first).is_solved
    assert first.at_least < first.length
    cancel.set()
    with pytest.raises(SearchLimitError) as caught:
        list(found)
    assert caught.value.solution == first
    near = mini.parse("R U F2 D' L R2", "alg")
    *_, last = mini.improvements(near, timeout=PATIENCE)
    assert last.at_least == last.length == mini.depth(near)


def test_where_only_optimal_solutions_are_found_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Anything, "__init__", Mock(side_effect=CubesolveError("only optimal ones are supported")))
    whole, asked = Searched.near, []

    def near(self: Searched, home: Any, search: Any, every: bool) -> Any:
        asked.append(home)
        return whole(self, home, search, every) if len(asked) > 1 else 0

    monkeypatch.setattr(Searched, "near", near)
    four = puzzle("rubik").restrict("U R F D")
    assert list(four.improvements("R U2 F", timeout=PATIENCE)) == ["F' U2 R'"]


# -- Moves that are blocked or have no inverses ------------------------------------------------------------------------


def _beams(asked: Puzzle) -> Beams:
    solver = asked.solver
    assert isinstance(solver, DerivedSolver)
    return Beams(solver, solver.rules.graph())


@pytest.mark.parametrize(
    ("asked", "longest"),
    [
        (puzzle("docs/glued-ring.tws"), 8),
        (puzzle("tiles-2x3"), 1),  # beams end too early, and are followed by longer ones
        later(puzzle("ivy").restrict(inverses=False), 8),
    ],
    ids=["blocked", "sliding", "without inverses"],
)
def test_the_last_solution_of_a_small_puzzle_is_optimal(
    asked: Puzzle, longest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beams, "_LONGEST", longest)
    solver = _beams(asked)
    for seed in range(3):
        state = asked.random_state(seed)
        place = derived(asked.rules).labelling.arrangement(asked.rules.read(state))
        found = [alg for alg in solver.solutions(place) if alg is not None]
        assert all(len(one) > len(other) for one, other in itertools.pairwise(found))
        for alg in found:
            assert asked.depth(asked.rules.view.after(asked.rules.read(state), " ".join(alg))) == 0
        depth = asked.depth(state)
        assert len(found[-1]) == depth
        assert 0 <= solver.at_least(place) <= depth


@pytest.mark.parametrize("longest", [8, 1])
def test_what_no_moves_solve(longest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beams, "_LONGEST", longest)
    with pytest.raises(UnsolvableStateError, match="no moves of the sliding tiles"):
        next(_beams(puzzle("tiles-2x3")).solutions(bytes([1, 0, 2, 3, 4, 5])))


def test_any_solution_of_a_large_sliding_puzzle(monkeypatch: pytest.MonkeyPatch) -> None:
    tiles = puzzle("24-puzzle")
    assert tiles.parse(tiles.scramble(3), "alg") == tiles.random_state(3)
    state = tiles.random_state(1)
    solution = tiles.solve(state, max_length=250)
    assert tiles.rules.view.after(state, solution) == tiles.parse("", "alg")
    assert 60 < solution.at_least <= solution.length <= 250
    assert solution == tiles.solve(state, max_length=250)
    better = list(itertools.islice(tiles.improvements(state, within=0), 3))
    narrowed = [(solution.length, -solution.at_least) for solution in better]
    assert narrowed == sorted(set(narrowed), reverse=True)
    with pytest.raises(SearchLimitError, match="at least"):
        tiles.solve(state, max_length=60)
    monkeypatch.setattr(derived_solver, "_MOST_ROUNDS", 1)
    with pytest.raises(SearchLimitError, match="not solved in 90 moves within seconds"):
        tiles.solve(state, max_length=90)
    assert tiles.solver.moves_in_seconds is not None
    assert puzzle("15-puzzle").solver.moves_in_seconds is None


def test_databases_that_are_too_large_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cubesolve.solvers.beams._DATABASES", 1)
    ring = puzzle("docs/glued-ring.tws")
    place = derived(ring.rules).labelling.arrangement(ring.rules.read(ring.random_state(1)))
    with pytest.raises(CubesolveError, match=r"^only optimal solutions are supported for .*: 1 bytes are not enough"):
        next(_beams(ring).solutions(place))


def test_states_that_databases_do_not_distinguish_are_not_solved(tmp_path: Path) -> None:
    """Beads move along with disks, and look alike."""
    ring = "Set BEADS 4 1\nSet DISKS 4 1\nSolved\nBEADS\n1 1 1 1\nEnd\nMove A\nBEADS\n2 3 4 1\nDISKS\n2 3 4 1\nEnd\n"
    (path := tmp_path / "ring.tws").write_text(ring)
    asked = puzzle(str(path)).restrict(inverses=False)
    place = derived(asked.rules).labelling.arrangement(asked.rules.read("A"))
    with pytest.raises(CubesolveError, match="pattern databases do not distinguish all of its states"):
        next(_beams(asked).solutions(place))


def _require_possible(arrays: Any, row: NDArray[np.integer], alg: Sequence[int]) -> None:
    """Apply a solution, each move of which must be possible."""
    for move in alg:
        assert arrays.possible(row)[0, move]
        row = arrays.apply(row, move)
    assert arrays.is_solved(row).all()


def test_tunnels_cut_corners() -> None:
    arrays = puzzle("tiles-3x3").state_arrays()
    walk = arrays.walks(1, 60, rng=4)
    back = {"U": "D", "D": "U", "L": "R", "R": "L"}
    alg = arrays.numbers(" ".join(back[arrays.moves[move]] for move in walk.moves[0][::-1]))
    shorter = tunnelled(arrays, walk.states, alg, 500)
    assert shorter is not None
    assert len(shorter) < 60
    _require_possible(arrays, walk.states, shorter)


def test_moves_with_costs_have_only_optimal_solutions(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, number in (("AT_ONCE", 0), ("ALGS_IN_SECONDS", 1)):
        monkeypatch.setattr(derived_solver, name, number)
    monkeypatch.setattr(searched_solver, "_NEAR", 0)
    costly = puzzle("8-puzzle").restrict(cost="U=2")
    with pytest.raises(SearchLimitError, match=r"^not solved in 200 moves within seconds"):
        costly.solve(costly.random_state(1), max_length=200)


# -- Placements and loops ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["docs/glued-ring.tws", later("docs/square1.tws"), later("docs/bandaged.tws")])
def test_random_states_are_solved_by_loops(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()  # a search from both ends is tried, too
    monkeypatch.setattr(commutators, "_FIRST", 300)  # algs, and changes of algs: little work
    monkeypatch.setattr(short, "_CHANGES", 1 << 13)
    asked = puzzle(name)
    arrays = asked.state_arrays()
    loops = Loops(derived(asked.rules).graph(), arrays)
    for seed in range(2):
        state = asked.random_state(seed)
        found = [alg for alg in itertools.islice(loops.solutions(state.arrangement), 3) if alg is not None]
        assert all(len(one) > len(other) for one, other in itertools.pairwise(found))
        for alg in found:
            _require_possible(arrays, arrays.read([state]), arrays.numbers(" ".join(alg)))


def test_what_neither_moves_nor_loops_solve() -> None:
    asked = puzzle("docs/glued-ring.tws")
    place = bytearray(asked.parse("").arrangement)
    place[0], place[1] = place[1], place[0]  # the glued beads in the wrong order
    with pytest.raises(UnsolvableStateError, match="no moves of the glued-ring"):
        next(Loops(derived(asked.rules).graph(), asked.state_arrays()).solutions(bytes(place)))
