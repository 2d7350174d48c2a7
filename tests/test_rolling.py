from __future__ import annotations

import copy
import functools
import hashlib
import itertools
import pickle
import random
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cubesolve import Tablebase, catalog, lookup
from cubesolve.catalog.rolling import _BY_NAME, _PREFIXES, RollingRules, TrayGraph, searching
from cubesolve.catalog.rolling import solver as answers
from cubesolve.catalog.rolling.goal import Goal, unrank_pattern
from cubesolve.catalog.rolling.model import MODELS, Shape, fixing, symmetries
from cubesolve.catalog.rolling.spaces import TrayRanks, rolling_space
from cubesolve.catalog.rolling.tray import Tray, invert_rolls
from cubesolve.encodings.enumeration import distribution, enumerate_depths, enumerate_levels
from cubesolve.encodings.mod3_proof import find_mod3_fault
from cubesolve.errors import CorruptTableError, InvalidMoveError, InvalidStateError, UnsolvableStateError
from cubesolve.lookup import building, open_tablebase
from cubesolve.spaces.space import StateSpace
from cubesolve.spaces.tables import MOD3, UNREACHABLE, TableEntry, TableHeader
from cubesolve.store import tablefile
from cubesolve.store.build import build, verify
from cubesolve.store.folders import find_table
from tests import rolling_oracle as oracle
from tests.distances import levels
from tests.facts import ROLLING
from tests.subsets import later
from tests.trays import enumerated

AXIS = ROLLING["axis_3x3"]
HARRIS = ROLLING["harris_3x3"]
STARTS = [(x, y) for y in (1, 2, 3) for x in (1, 2, 3)]
CLASS = {tuple(map(int, start.split())): name for name, starts in AXIS["start_classes"].items() for start in starts}
FIRST = {"corner": (1, 1), "edge": (2, 1), "centre": (2, 2)}

shapes = st.sampled_from([Shape(r, c, m) for r, c in [(2, 2), (2, 3), (3, 3), (1, 4), (3, 1)] for m in MODELS])


def wandered(start: Tray, rng: random.Random, rolls: int) -> Tray:
    for _ in range(rolls):
        start = rng.choice(list(start.rolls()))[1]
    return start


def in_order(alg: str) -> list[int]:
    return ["UDLR".index(direction) for direction in alg]


@st.composite
def trays(draw: st.DrawFn) -> Tray:
    shape = draw(shapes)
    cells = draw(st.lists(st.integers(0, len(shape.model.names) - 1), min_size=shape.cells, max_size=shape.cells))
    names = [shape.model.names[i] for i in cells]
    names[draw(st.integers(0, shape.cells - 1))] = "."
    text = "/".join(" ".join(names[i : i + shape.cols]) for i in range(0, shape.cells, shape.cols))
    return Tray(text, shape.model_name)


# -- The model ---------------------------------------------------------------------------------------------------------


@given(trays())
def test_round_trips(tray: Tray) -> None:
    assert Tray(str(tray), tray.shape.model_name) == tray
    assert Tray.unrank(tray.rank, tray.plus, tray.shape) == tray
    assert 0 <= tray.rank < tray.shape.states(tray.plus)
    assert pickle.loads(pickle.dumps(tray)) == copy.deepcopy(tray) == tray
    assert len({tray, Tray(str(tray), tray.shape.model_name)}) == 1
    assert eval(repr(tray)) == tray
    assert Goal.only(tray).matches(tray)
    assert Goal.parse(str(tray), tray.shape.model_name).matches(tray)
    assert list(Goal.only(tray).ranks(tray.plus)) == [tray.rank]


@given(trays())
def test_every_roll_is_undone_and_changes_no_class(tray: Tray) -> None:
    if tray.shape.states(tray.plus) < 10**7:
        space = rolling_space(tray.shape, tray.plus)
        neighbours = space.neighbours_of(np.array([tray.rank]))[0].tolist()
        assert [rank for rank in neighbours if rank >= 0] == [rolled.rank for _, rolled in tray.rolls()]
    for direction, rolled in tray.rolls():
        assert rolled == tray.roll(direction)
        assert rolled.plus == tray.plus
        assert rolled.roll(invert_rolls(direction)) == tray
        assert rolled.pattern != tray.pattern
        for symmetry in symmetries(tray.shape):
            assert tray.image_under(symmetry).roll(symmetry.directions[direction]) == rolled.image_under(symmetry)


@pytest.mark.parametrize("model", MODELS)
def test_rolls_are_those_of_a_real_cube(model: str) -> None:
    tray = Tray.start((2, 2), model=model)
    cells: oracle.State = oracle.start(3, 3, (2, 2), model)
    rng = random.Random(1)
    for _ in range(300):
        direction, tray = rng.choice(list(tray.rolls()))
        cells = oracle.roll(cells, 3, 3, direction)
        assert str(tray) == oracle.written(cells, 3, model)


@given(st.text(st.sampled_from("WBRE.*/ \nUDNSLF"), max_size=30), st.sampled_from(MODELS))
def test_any_text_is_a_tray_or_refused(text: str, model: str) -> None:
    for read in (Tray, Goal.parse):
        try:
            assert read(text, model).shape.model_name == model
        except InvalidStateError:
            continue


NO_TRAY, NO_ROLL, START = InvalidStateError, InvalidMoveError, Tray.start((2, 2))


@pytest.mark.parametrize(
    ("error", "make", "message"),
    [
        (NO_TRAY, lambda: Tray.start((1.5, 1)), r"two integers, not '\(1.5, 1\)'"),  # type: ignore[arg-type]
        (NO_TRAY, lambda: Tray.start((1, 1), 0, 3), "at least two cells"),
        (NO_TRAY, lambda: Tray("RBW/RWW/EWW", "axis"), "'RBW' at column 1, row 1 is not a cube"),
        (NO_TRAY, lambda: Tray("UU/U.", "cube"), "unknown model 'cube': expected axis, face, full"),
        (ValueError, lambda: Tray.unrank(324, 1, Shape(2, 2)), r"rank 324 is not in 0\.\.323"),
        (ValueError, lambda: Tray.unrank(0, 1, Shape(2, 2, "face")), r"1 cubes of the class '\+' are not in 0\.\.0"),
        (ValueError, lambda: Tray.unrank(0, 9, Shape(2, 2)), r"9 cubes of the class '\+' are not in 0\.\.3"),
        (NO_ROLL, lambda: START.apply("L L"), r"'L' \(character 3\) is not possible: no cube right of column 3, row 2"),
        (NO_ROLL, lambda: START.apply("Lx"), r"'x' \(character 2\) is not a roll: expected U D L R"),
        *((NO_ROLL, functools.partial(START.roll, roll), "is not a roll") for roll in ("LR", "", "x")),
        (AttributeError, lambda: setattr(START, "_shape", Shape(2, 2)), "_shape"),
    ],
)
def test_starts_ranks_and_rolls_that_are_none(error: type[Exception], make: Callable[[], object], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


def test_numbers_and_ranks_of_states() -> None:
    sizes = AXIS["component_sizes_by_k"]
    assert [Shape(3, 3).states(int(plus)) for plus in sizes] == [*sizes.values()]
    assert sum(sizes.values()) == AXIS["state_space"]
    for shape in (Shape(6, 6), Shape(30, 33, "full"), Shape(20, 20, "face")):
        tray = wandered(Tray.start((3, 2), shape.rows, shape.cols, shape.model_name), random.Random(3), 50)
        assert Tray.unrank(tray.rank, tray.plus, shape) == tray


# -- Enumeration -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "cols", "model"),
    [*((1, 2, "axis"), (1, 4, "full"), (2, 2, "axis"), (2, 2, "face"), (2, 2, "full")), later(3, 2, "face")],
)
def test_small_trays_in_full(rows: int, cols: int, model: str) -> None:
    for vacancy in itertools.product(range(1, cols + 1), range(1, rows + 1)):
        start = oracle.start(rows, cols, vacancy, model)
        expected = levels([start], lambda state: dict(oracle.rolls(state, rows, cols)).values())
        found = enumerated(Tray.start(vacancy, rows, cols, model))
        counted = lookup.puzzle("rolling").distribution(start=vacancy, tray=(rows, cols), model=model)
        assert found.distribution == counted
        assert found.distribution == tuple(map(len, expected))
        assert {str(tray) for tray in found.hardest()} == {oracle.written(s, cols, model) for s in expected[-1]}
        for depth, states in enumerate(expected):
            state = min(states, key=str)
            assert found.depth(Tray(oracle.written(state, cols, model), model)) == depth


@pytest.mark.parametrize(
    "start", [pytest.param(start, marks=[pytest.mark.exhaustive] * (start != (2, 1))) for start in STARTS]
)
def test_distributions_from_all_nine_starts(start: tuple[int, int]) -> None:
    facts = AXIS["starts"]["{} {}".format(*FIRST[CLASS[start]])]
    found = enumerated(Tray.start(start))
    assert found.distribution == lookup.distribution(start=start) == tuple(facts["states_per_depth"])
    assert lookup.distribution(start=start, patterns=True) == tuple(facts["pattern_histogram"])
    assert len(found.distribution) - 1 == facts["max_depth"]
    # Every pattern, by the states alone: the symmetries that lookup uses play no part here.
    nearest = found.depths.reshape(9, -1, 3**8).min(axis=1).reshape(-1)
    patterns = [unrank_pattern(rank, Shape(3, 3)) for rank in range(0, 9 * 3**8, 127)]
    assert [lookup.depth(start, pattern) for pattern in patterns] == nearest[::127].tolist()
    assert lookup.hardest(start) == [
        unrank_pattern(int(rank), Shape(3, 3)) for rank in np.flatnonzero(nearest == nearest.max())
    ]


@pytest.mark.parametrize("name", ["corner", "edge", "centre"])
def test_patterns_are_as_published(name: str) -> None:
    start = FIRST[name]
    facts = AXIS["starts"]["{} {}".format(*start)]
    hardest = lookup.hardest(start)
    assert sorted(pattern.replace("/", "") for pattern in hardest) == sorted(facts["pattern_hardest"])
    assert {lookup.depth(start, pattern) for pattern in hardest} == {facts["pattern_max"]}
    body = tablefile.read(find_table(f"rolling-{name}-patterns"))[1]
    assert len(body) == facts["pattern_count"]
    assert sum(depth > 30 for depth in body) == facts["pattern_over30"]
    by_cell = [body[cell * 6561 : (cell + 1) * 6561] for cell in range(9)]
    assert [max(depths) for depths in by_cell] == facts["pattern_max_by_goal_cell"]
    assert [sum(depth > 30 for depth in depths) for depths in by_cell] == facts["pattern_over30_by_goal_cell"]
    for colour, depths in facts["uniform_top_same_colour_by_goal_cell"].items():
        for cell, depth in enumerate(depths):
            tops = [colour] * 9
            tops[cell] = "E"
            assert lookup.depth(start, "/".join("".join(tops[i : i + 3]) for i in (0, 3, 6))) == depth


def test_tables_start_where_they_say() -> None:
    rules = catalog.rules_named("rolling")
    for entry in rules.tables():
        if entry.fold:
            with pytest.raises(ValueError, match="not a table of states"):
                rules.graph_of(entry)
            continue
        graph = rules.graph_of(entry)
        start = graph.unrank(entry.starts[0])
        assert start == Tray.start(start.vacancy, model=start.shape.model_name)
        assert (graph.states, [graph.rank(start)]) == (entry.header.entries, [*graph.starts])
        if start.shape.model_name == "full":  # too large for another test; tray by tray, without ranks or symmetries
            reached = levels([start], lambda tray: (after for _, after in tray.rolls()), 13)
            assert [*map(len, reached)] == [*entry.header.distribution[:14]]
            assert sum(entry.header.distribution) == start.shape.states(start.plus)


# -- Answers -----------------------------------------------------------------------------------------------------------


def test_no_shortest_way_is_left_out() -> None:
    for start, pattern in [((1, 1), "BWW/EWW/WWW"), ((2, 2), "WRB/WEW/WWW"), ((3, 2), "WWW/WWR/WEW")]:
        depth = lookup.depth(start, pattern)
        cells = oracle.start(3, 3, start, "axis")
        ways = Counter({cells: 1})
        for _ in range(depth):
            reached: Counter[oracle.State] = Counter()
            for state, count in ways.items():
                for _, rolled in oracle.rolls(state, 3, 3):
                    reached[rolled] += count
            ways = reached
        expected = sum(n for state, n in ways.items() if oracle.tops(state, 3) == pattern)
        assert lookup.count_solutions(start, pattern) == len(list(lookup.solutions(start, pattern))) == expected > 0


@pytest.mark.exhaustive
def test_the_face_table(tmp_path: Path) -> None:
    assert catalog.groups()["rolling-face"] == ("rolling-face-corner", "rolling-face-edge", "rolling-face-centre")
    building.build_table("rolling-face-centre", str(tmp_path))
    building.verify_table("rolling-face-centre", str(tmp_path))
    header = catalog.tables()["rolling-face-centre"].header
    assert header.distribution == tuple(HARRIS["starts"]["2 2"]["states_per_depth"])
    assert len(header.distribution) - 1 == HARRIS["starts"]["2 2"]["max_depth"] == 49
    with open_tablebase(str(tmp_path)) as tables:
        for asked in (tables, lookup):
            found = list(asked.solutions((2, 2), "DDD/D.D/DDD", model="face"))
            assert sorted(found) == sorted(HARRIS["all_shortest_solutions_cube_roll_direction"])
            assert len(found) == HARRIS["shortest_solutions_count"]
            assert asked.count_solutions((2, 2), "DDD/D.D/DDD", model="face") == len(found)
        assert tables.depth((2, 2), "U**/*U*/.**", model="face") == lookup.depth((2, 2), "U**/*U*/.**", model="face")
        assert tables.depth((1, 1), "WWW/WWW/WWE") == lookup.depth((1, 1), "WWW/WWW/WWE")  # its table is built
    published = Tray.start((2, 2), model="face").apply(HARRIS["published_36_solution"])
    assert published == Tray("DDD/D.D/DDD", "face")
    assert len(found[0]) == HARRIS["centre_to_centre_all_down"]


@pytest.mark.parametrize("shape", [Shape(3, 3), Shape(2, 3), Shape(2, 3, "face"), Shape(2, 2, "full"), Shape(3, 2)])
def test_from_any_start_to_any_goal(shape: Shape) -> None:
    rng = random.Random(11)
    for _ in range(4 if shape.cells < 9 else 1):
        start = wandered(Tray.start((2, 1), shape.rows, shape.cols, shape.model_name), rng, 120)
        there, depths = wandered(start, rng, rng.choice([0, 5, 120])), enumerated(start).depths
        names = shape.model.names
        cells = ["." if i < 0 else names[i] for i in there.orientations]
        loose = [rng.choice([cell, cell if cell == "." else cell[0] if len(cell) > 1 else cell, "*"]) for cell in cells]
        for goal in (there, " / ".join(" ".join(loose[i : i + shape.cols]) for i in range(0, shape.cells, shape.cols))):
            wanted = Goal.only(goal) if isinstance(goal, Tray) else Goal.parse(goal, shape.model_name)
            depth = lookup.depth(start, goal)
            assert depth == min(depths[rank] for rank in wanted.ranks(start.plus))
            alg = lookup.solve(start, goal)
            assert len(alg) == depth
            assert wanted.matches(start.apply(alg))
            if depth < 15:
                algs = list(lookup.solutions(start, goal))
                assert algs[0] == alg
                assert algs == sorted(algs, key=in_order)
                assert len(set(algs)) == len(algs) == lookup.count_solutions(start, goal)


def test_goals_that_no_rolls_reach() -> None:
    start = Tray.start((2, 2))
    other = Tray("WR WB WB/WB E WB/WB WB WB")
    for begin, goal, message in (
        (start, other, r"no rolls lead to the goal from .* of the class '\+', which is 4"),
        (other, start, "no rolls lead to the goal"),
        (Tray.start((1, 1), 2, 2), "BB/BE", "no rolls lead to the goal from E WB/WB WB$"),
        (start, "WW/WE", "start and goal differ: 3x3 cells of the model axis, and 2x2 cells"),
        (Tray.start((1, 1), 5, 5), Tray.start((5, 5), 5, 5), "more than can be enumerated"),
    ):
        error = UnsolvableStateError if "no rolls" in message else InvalidStateError
        with pytest.raises(error, match=message):
            lookup.depth(begin, goal)
    with pytest.raises(ValueError, match="patterns is not supported for the 2x2x2 pocket cube"):
        lookup.distribution(metric="htm", patterns=True)


def test_searching_needs_a_way_back() -> None:
    space = rolling_space(Shape(2, 3, "face"), 0)
    taken_apart = StateSpace(space.base, space.action, space.fibre, offsets=np.ones_like(space.base))
    with pytest.raises(ValueError, match="take a row apart"):
        taken_apart.reversed()


def test_a_wrong_pattern_is_not_proved(tmp_path: Path) -> None:
    name = "rolling-edge-patterns"
    header, body = tablefile.read(find_table(name))
    for change in (1, -1):
        changed = bytearray(body)
        changed[4321] += change
        counts = distribution(np.frombuffer(bytes(changed), np.uint8))
        wrong = header._replace(sha256=hashlib.sha256(changed).hexdigest(), distribution=counts)
        tablefile.write(str(tmp_path / f"{name}.zst"), wrong, bytes(changed))
        pattern = unrank_pattern(4321, Shape(3, 3))
        with pytest.raises(CorruptTableError, match=rf"pattern 4321 \({pattern}\) has depth {changed[4321]}, which"):
            building.verify_table(name, str(tmp_path))
        with pytest.raises(CorruptTableError, match="another distribution, sha256"):
            tablefile.read(str(tmp_path / f"{name}.zst"), header)
        assert open_tablebase(str(tmp_path)).depth((2, 1), "RBW/RWW/EWW") == 3  # it is built again
    shutil.copy(find_table("rolling-corner"), tmp_path / "rolling-edge.zst")
    for ask in (building.verify_table, lambda *_: open_tablebase(str(tmp_path)).solve((2, 1), "RBW/RWW/EWW")):
        with pytest.raises(CorruptTableError, match="this is the table rolling-corner, not rolling-edge"):
            ask("rolling-edge", str(tmp_path))


@pytest.mark.parametrize("vacancy", [(1, 1), (3, 2), (2, 2)])
def test_ways_to_a_uniform_tray_are_looked_up_backwards(
    vacancy: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(answers, "between")
    monkeypatch.delattr(searching, "meet_by_levels")
    puzzle, rng, uniform = lookup.puzzle("rolling"), random.Random(5), Tray.start(vacancy)
    for _ in range(5):
        tray = wandered(uniform, rng, 40)
        ways = list(puzzle.solutions(tray, uniform))
        assert {len(way) for way in ways} == {puzzle.depth(uniform, tray)}
        assert {tray.apply(way) for way in ways} == {uniform}
        assert ways == sorted(ways, key=in_order)
        assert (puzzle.solve(tray, uniform), puzzle.count_solutions(tray, uniform)) == (ways[0], len(ways))
        assert puzzle.optimal_moves(tray, uniform) == list(dict.fromkeys(way[0] for way in ways))
        assert puzzle.answers_at_once(tray, uniform)
    with pytest.raises(UnsolvableStateError, match=r"rolls preserve the number of cubes"):
        puzzle.solve(Tray(str(uniform).replace("WB", "WR", 1)), uniform)


# -- Trays up to symmetry have the distances, states and solutions that they have without symmetry ---------------------


TRAYS = [
    *((Shape(2, 2, "full"), 0), (Shape(2, 3, "axis"), 1), (Shape(3, 2, "face"), 2), (Shape(3, 3, "axis"), 1)),
    later(Shape(3, 3, "face"), 4),
    later(Shape(2, 3, "full"), 1),
]


def classes_at(shape: Shape, cell: int) -> tuple[Tray, TrayRanks]:
    vacancy = cell % shape.cols + 1, cell // shape.cols + 1
    start = Tray.start(vacancy, shape.rows, shape.cols, shape.model_name)
    return start, TrayRanks(shape, start.plus, cell)


@pytest.mark.parametrize(("shape", "cell"), TRAYS)
def test_distances_are_those_of_all_states(shape: Shape, cell: int) -> None:
    start, classes = classes_at(shape, cell)
    space = rolling_space(shape, start.plus, fixed=cell)
    assert (space.states, space.counted) == (classes.states, shape.states(start.plus))
    assert space.states < space.counted
    table, counts = enumerate_levels(space, classes.rank(start), bits=2)
    assert find_mod3_fault(space, table, classes.rank(start)) == (None, counts)
    depths = enumerate_depths(rolling_space(shape, start.plus), start.rank)
    assert counts == tuple(np.bincount(depths[depths < UNREACHABLE]).tolist())
    up_to_symmetry = enumerate_depths(space, classes.rank(start))
    rng = random.Random(3)
    for rank in rng.sample(range(shape.states(start.plus)), min(300, shape.states(start.plus))):
        tray = Tray.unrank(rank, start.plus, shape)
        assert up_to_symmetry[classes.rank(tray)] == depths[rank]


@pytest.mark.parametrize(("shape", "cell"), TRAYS[:4])
def test_what_is_alike_has_one_row(shape: Shape, cell: int) -> None:
    start, classes = classes_at(shape, cell)
    assert sum(classes.sizes) == shape.states(start.plus) // shape.row
    rng = random.Random(4)
    for rank in rng.sample(range(classes.states), 200):
        tray = classes.unrank(rank)
        assert classes.rank(tray) == rank
        likes = {tray.image_under(symmetry) for symmetry in fixing(shape, cell)}
        rows = {classes.rank(like) // shape.row for like in likes}
        assert rows == {rank // shape.row}
        assert len({like.orientations.index(-1) * 512 + like.subset for like in likes}) == classes.sizes[rows.pop()]


@pytest.mark.exhaustive
def test_a_table_answers_for_all_that_are_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tables of the model full are too large for a test; this one uses the model axis."""
    start = Tray.start((2, 2))
    classes = TrayRanks(start.shape, start.plus, 4)
    name = "rolling-up-to-symmetry-centre"
    header = TableHeader(name, "rolling-axis", "rolls", "row class x orientations", classes.states, (), "", MOD3)
    entry = TableEntry(header, (classes.rank(start),), by_default=False)
    assert TrayGraph(start, entry).rank(start) == entry.starts[0]
    build(RollingRules(), entry, tmp_path)
    verify(RollingRules(), entry, tmp_path)
    rng = random.Random(6)
    goals = [Tray.unrank(rng.randrange(start.shape.states(4)), 4, start.shape) for _ in range(12)]
    several_allowed = "WB * WB/WB E WB/* WB WR"
    with Tablebase() as usual:
        asked = usual.puzzle("rolling")
        expected = [(asked.depth((2, 2), goal), list(asked.solutions((2, 2), goal))) for goal in goals]
        several = list(asked.solutions((2, 2), several_allowed))
    monkeypatch.setitem(_PREFIXES, "axis", "rolling-up-to-symmetry-")
    monkeypatch.setitem(_BY_NAME, name, entry)
    with Tablebase(tmp_path) as tables:
        asked = tables.puzzle("rolling")
        found = [(asked.depth((2, 2), goal), list(asked.solutions((2, 2), goal))) for goal in goals]
        assert found == expected
        assert [len(asked.solve((2, 2), goal)) for goal in goals] == [depth for depth, _ in expected]
        assert list(asked.solutions((2, 2), several_allowed)) == several
