"""States that fulfil a goal, counted with all states instead of from a list."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from cubesolve import puzzle
from cubesolve.ask import Puzzle
from cubesolve.catalog import rules_named
from cubesolve.catalog.rubik import batches
from cubesolve.catalog.rubik import solver as rubik
from cubesolve.catalog.rubik.cube import Cubies, RubikCube
from cubesolve.counting.records import record
from cubesolve.definition.goals import Allowed, fulfils
from cubesolve.definition.notation import metric_moves
from cubesolve.errors import TooLargeError
from cubesolve.group.permutations import Arrangement
from cubesolve.solvers import counts, nearest
from cubesolve.spaces import variants
from cubesolve.spaces.defined import DerivedRules, derived
from cubesolve.spaces.defined_graph import DerivedGraph
from cubesolve.spaces.derived import derived_space, make_ready
from cubesolve.spaces.members import StatesOfEntries, members
from cubesolve.spaces.variants import GoalRules, NearestRules
from tests.definitions.samples import disks
from tests.distances import depths_to
from tests.subsets import later

ONE, TWO = "U ? * *; * * ? *", "U L * *; * * * *"


def _searched(asked: Puzzle[Any], other: Any) -> tuple[tuple[int, ...], int]:
    """Return the number of states at each depth that fulfil another goal, by a search of the whole puzzle."""
    rules = asked.rules
    assert isinstance(rules, DerivedRules)
    whole = rules.whole if isinstance(rules, GoalRules) else rules
    definition, given = whole.definition, variants._goals_of(whole, other)

    def around(place: Arrangement) -> Iterator[tuple[int, Arrangement]]:
        for move in definition.moves():
            moved = move.apply(place)
            if moved is not None and definition.is_legal(moved):
                yield move.cost, moved

    whole_state = {point: frozenset([label]) for point, label in enumerate(definition.solved[0])}
    goals: Sequence[Allowed] = rules.goals if isinstance(rules, GoalRules) else [whole_state]
    found = depths_to(definition.solved[:1], around, lambda place: fulfils(place, goals))
    depths = {place: depth for place, depth in found.items() if fulfils(place, given)}
    if isinstance(rules, GoalRules):
        mask = rules.together if isinstance(rules, NearestRules) else rules.mask
        depths = {mask.masked(place): depth for place, depth in depths.items()}
    counts = Counter(depths.values())
    return tuple(counts[depth] for depth in range(1 + max(counts))), counts[max(counts)]


@pytest.fixture
def unlisted(monkeypatch: pytest.MonkeyPatch) -> None:
    """No states are listed."""
    monkeypatch.setattr(variants, "MOST_LISTED", 0)


_DUO, _TILES, _IVY = puzzle("pyraminx-duo"), puzzle("tiles-2x3"), puzzle("ivy")


@pytest.mark.parametrize("least", [0, 1 << 60], ids=["symmetric", "plain"])
@pytest.mark.parametrize(
    ("asked", "other"),
    [
        (_DUO, ONE),
        later(_DUO.towards(TWO), ONE),
        (_DUO.towards(f"{TWO}|* * R B; * * * *"), ONE),
        (puzzle("docs/rings.tws"), "1 1 * * * * * * * *"),  # identical pieces
        (puzzle("docs/glued-ring.tws"), "1 2 * * 3 * * * * *"),  # linked ones
        (_TILES, "1 * * * * *"),  # moves that are not always possible
        (_TILES.towards("1 2 * * * *"), "1 * * * * *"),
        (_DUO.restrict("U L R B", inverses=False), TWO),
        later(_DUO.restrict(cost="U=2"), ONE),
        (puzzle("pancake-5").restrict(cost="f2=4").towards("* 2 3 4 5"), "* * * 4 5"),
        later(_IVY, "* * * *; U R * * * *"),
    ],
    ids=repr,
)
@pytest.mark.usefixtures("unlisted")
def test_kinds_of_puzzles(asked: Puzzle[Any], other: str, least: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts, "_MANY", least)
    found = asked.solver.count(from_goal=other)
    known, farthest = _searched(asked, other)
    assert found.distribution == known
    assert found.farthest is not None
    assert len(found.farthest) == farthest
    assert {asked.depth(state) for state, _ in found.farthest} == {len(known) - 1}


@pytest.mark.parametrize(("name", "other"), [("pyraminx", "v-any"), ("skewb", "layer-any")])
@pytest.mark.exhaustive
def test_states_up_to_rotation(name: str, other: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A state is counted if it fulfils the goal in any orientation of the puzzle."""
    listed = record(puzzle(name), from_goal=other, seconds=0)
    monkeypatch.setattr(variants, "MOST_LISTED", 0)
    found = record(puzzle(name), from_goal=other, seconds=0)
    assert found["bits"] < 8
    assert found["distribution"] == listed["distribution"]
    assert found["farthest"]
    assert listed["farthest"]
    assert {each["state"] for each in found["farthest"]} == {each["state"] for each in listed["farthest"]}


def test_goals_without_a_common_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """All combinations of placements of pieces are counted, since each goal distinguishes few of them."""
    monkeypatch.setattr(variants, "_is_small", lambda *_: False)
    for goals, other in ((f"{TWO}|* * R B; * * * *", ONE), ("U * * *; -U * * *|* L * *; * -L * *", ONE)):
        asked = _DUO.towards(goals)
        monkeypatch.setattr(nearest, "MOST_LISTED", 1 << 20)
        listed = asked.solver.count(from_goal=other)
        monkeypatch.setattr(nearest, "MOST_LISTED", 26)
        found = asked.solver.count(from_goal=other)
        assert listed.farthest is not None
        assert found.farthest is None
        assert found.entries == sum(found.distribution) > 26
        assert found.distribution == listed.distribution == _searched(asked, other)[0]


def test_goals_that_some_pieces_cannot_fulfil_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Corners and edges of the floppy cube have one parity, so half of their combinations are not reachable."""
    monkeypatch.setattr(variants, "_is_small", lambda *_: False)
    asked, other = puzzle("floppy").towards("RF FL LB BR; * * * *|* * * *; R F L B"), "RF * * *; * * * *"
    assert asked.distribution(from_goal=other) == _searched(asked, other)[0]
    monkeypatch.setattr(nearest, "MOST_LISTED", 0)  # a list is the only way
    assert asked.distribution(from_goal=other) == _searched(asked, other)[0]


@pytest.mark.exhaustive
def test_thousands_of_conditions() -> None:
    rules, labels = puzzle("pancake-5").rules, range(5)
    assert isinstance(rules, DerivedRules)
    make_ready(graph := DerivedGraph(rules, "htm"))
    space = derived_space(graph)
    sets = [frozenset(some) for size in labels for some in itertools.combinations(labels, size) if some]
    chosen = itertools.product([each for each in sets if 4 not in each], sets, sets[:13])
    conditions = [{0: first, 1: second, 2: third, 3: frozenset([0])} for first, second, third in chosen]
    assert len(conditions) > 1 << 12
    found = members(StatesOfEntries.plain(space.arrangements, space.ways), conditions, lambda _: None)
    places = {found.states.image(0, row, place) for row in found.rows.tolist() for place in found.places.tolist()}
    assert (len(found.ends), len(places)) == (1, 18)  # of the 24 arrangements with label 0 on point 3
    assert all(place[3] == 0 and place[0] != 4 for place in places)


@pytest.mark.usefixtures("unlisted")
def test_too_little_memory() -> None:
    """The first error names what was needed until it occurred, the second one all."""
    memory = 5000
    for _ in range(2):
        with pytest.raises(TooLargeError, match="counting them takes about") as error:
            _DUO.distribution(from_goal=ONE, memory=memory)
        memory = int(error.value.advice.split(" bytes")[0].rpartition(" ")[2].replace(",", ""))
    assert sum(_DUO.distribution(from_goal=ONE, memory=memory)) == 108
    with pytest.raises(TooLargeError, match=f"{memory:,} bytes"):
        _DUO.distribution(from_goal=ONE, memory=memory - 1)


def test_states_that_are_too_many_are_not_listed_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cubesolve.definition.goals._MOST_TRIED", 10_000)
    with pytest.raises(TooLargeError) as caught:
        variants.fulfilling(rules_named("rubik"), "cross")
    assert (caught.value.states, caught.value.most) == (variants.MOST_LISTED + 1, variants.MOST_LISTED)
    assert len(variants.fulfilling(rules_named("pyraminx"), "v-any")) == 860


def test_no_more_are_listed_than_show_that_there_are_too_many() -> None:
    """The edges of `fc` can lie in 120 ways, its centres in 369,600, and together in 44,352,000."""
    with pytest.raises(TooLargeError) as caught:
        variants.fulfilling(variants.towards(rules_named("fto"), "f2t"), "fc", 400_000)
    assert caught.value.states == 120 * 3334


def test_cubes_are_counted_up_to_symmetry(monkeypatch: pytest.MonkeyPatch) -> None:
    """The permutations of the edges of a layer, by a table that is built for many of them."""
    asked, built = puzzle("rubik"), list[dict[str, Any]]()
    solver = asked.solver
    assert isinstance(solver, rubik.RubikSolver)
    cubes = variants.fulfilling(asked.rules, "UUUUUUUUUR*RRRRRRRF*FFFFFFFDDDDDDDDDL*LLLLLLLB*BBBBBBB")
    classes = dict(solver.listed_classes(cubes, {})[0])
    keys = [min([*cube.symmetric_facelets(), *cube.inverse().symmetric_facelets()]) for cube in cubes]
    assert sorted(classes.values()) == sorted(Counter(keys).values()) == [1, 1, 2, 8]

    monkeypatch.setattr(solver, "depth", lambda *_, **__: 8)
    monkeypatch.setattr(solver, "_largest", lambda *_: None)
    monkeypatch.setattr(solver, "_for_many", built.append)
    monkeypatch.setattr(batches, "depths_of", lambda some, _: [9] * len(some))
    assert [*solver.depths_from([*classes], {"metric": "htm"})] == [8, 8, 8, 8]
    monkeypatch.setattr(rubik, "_MANY", 4)
    assert [*solver.depths_from([*classes], {"metric": "htm"})] == [9, 9, 9, 9]
    assert len(solver.listed_classes(cubes, {"metric": "qtm"})[0]) == 4
    assert built == [{"metric": "htm"}, {"metric": "qtm"}]


@pytest.mark.parametrize("metric", ["htm", "qtm"])
def test_depths_of_cubes_beside_one_another(metric: str) -> None:
    """No length is searched for that follows from other cubes."""
    names, searched = [*map(str, metric_moves(metric, "RU"))], Counter[int]()
    depths, last = {RubikCube.solved(): 0}, [RubikCube.solved()]
    for depth in range(1, 4):
        last = [there for there in dict.fromkeys(cube.apply(m) for cube in last for m in names) if there not in depths]
        depths |= dict.fromkeys(last, depth)
    by_cubies = {cube.cubies: depth for cube, depth in depths.items()}

    class Search:
        def __init__(self, cubies: Cubies) -> None:
            self.depth = by_cubies[cubies]

        def lengths(self, _: int) -> range:
            return range(self.depth % 2, 9, 2) if metric == "qtm" else range(9)

        def algs(self, length: int, _: object) -> bool:
            searched[length] += 1
            return length == self.depth

    classes = batches.classes_of([*depths])
    solver = cast("Any", SimpleNamespace(metric=metric, deepening=Search))
    found = batches.depths_of([cube for cube, _ in classes], solver)
    assert found == [depths[cube] for cube, _ in classes]
    assert sum(number for _, number in classes) == len(depths)
    step = 2 if metric == "qtm" else 1
    deeper = {length: sum(d > length and not (d - length) % step for d in found) for length in range(4)}
    assert searched == Counter(deeper) + Counter([0])  # others are beside cubes of one move less


@pytest.mark.parametrize("is_listed", [True, False])
def test_rotations_may_keep_the_costs_of_one_metric_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_listed: bool
) -> None:
    """Half turns of one face cost more than those of the other, so states differ by a rotation where these count."""
    moves = {"A": "2 3 4 1 5 6", "B": "1 2 4 5 6 3", "x": "5 6 3 4 1 2"}
    (path := tmp_path / "faces.tws").write_text(disks(moves))
    if not is_listed:
        monkeypatch.setattr(counts, "FEW_LISTED", -1)
        monkeypatch.setattr(counts, "_MOVES_A_LOOKUP", 1 << 40)
    usual = puzzle(str(path))
    dearer = usual.restrict(cost="A2=2")
    assert dearer.distribution(metric="qtm") == usual.distribution(metric="qtm")
    assert usual.states < dearer.states
    for goal in ("* * * 4 * *", "* 2 * * * *"):
        expected = _from(usual, goal)
        assert usual.distribution(metric="qtm", from_goal=goal) == expected
        assert dearer.distribution(metric="qtm", from_goal=goal) == expected


def _from(asked: Puzzle, goal: str) -> tuple[int, ...]:
    """Count the states up to rotation that fulfil a goal in some orientation."""
    arrays, graph, fulfilled = asked.state_arrays(metric="qtm"), derived(asked.rules).graph(metric="qtm"), {}
    for rank in range(asked.states):
        state = graph.unrank(rank)
        turned = [state, asked.rules.view.after(state, "x")]
        pieces = [str(each).split() for each in turned]
        if any(all(one in {"*", other} for one, other in zip(goal.split(), each, strict=True)) for each in pieces):
            fulfilled[bytes(arrays.canonical(arrays.read([state]))[0])] = asked.depth(state, metric="qtm")
    counts = Counter(fulfilled.values())
    return tuple(counts[depth] for depth in range(max(counts) + 1))
