"""Every two options of a question combined, on puzzles of every kind, compared with a dictionary search."""

from __future__ import annotations

import functools
import itertools
import json
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from cubesolve import Puzzle, puzzle
from cubesolve.definition.definition import Definition
from cubesolve.errors import SearchLimitError, UnsolvableStateError
from tests.commands import invoke
from tests.matrix_oracle import Effect, Graph, Labels, Pattern, Sources, Step, joined, order, power

Options = Mapping[str, Any]

EXAMPLES = 2
"""The number of states and values of options for each combination."""

SECONDS = 60
"""The time limit of each question."""

_DOCS = Path(__file__).parents[1] / "docs"

# -- Puzzles -----------------------------------------------------------------------------------------------------------


class Goal(NamedTuple):
    """A goal: what some moves make of the solved state, with don't-cares.

    Attributes:
        points: the points that matter.
        alg: the moves.
        name: the name of a goal that is not one of labels on points.
    """

    points: Sequence[int]
    alg: str = ""
    name: str = ""


class Kind(NamedTuple):
    """A puzzle, and what is drawn for its options.

    Attributes:
        name: its name, or the text of its file.
        moves: the generators of its moves.
        walk: the number of moves between a state and one that is solved, or the goal, or the target.
        chosen: sets of moves.
        costs: costs of moves.
        goals: goals, each with its alternatives.
        metrics: its metrics.
        always: options that it always has.
        small: whether all of its states can be listed.
        left_out: options whose tables or searches take too long here.
        other: two points whose labels are exchanged to make states that no moves solve, but that lead to each other.
    """

    name: str
    moves: str
    walk: int
    chosen: tuple[str, ...]
    costs: tuple[Mapping[str, int], ...]
    goals: tuple[tuple[Goal, ...], ...]
    metrics: tuple[str, ...] = ()
    always: Options = MappingProxyType({})
    small: bool = False
    left_out: tuple[str, ...] = ()
    other: tuple[int, ...] = ()


def _points(text: str) -> tuple[int, ...]:
    """Return the places of a pattern of facelets that are not ``*``."""
    return tuple(place for place, symbol in enumerate(text.replace(" ", "")) if symbol != "*")


_RUBIK_CROSS = "****U**** ****R**R* ****F**F* *D*DDD*D* ****L**L* ****B**B*"
_RUBIK_BLOCK = "****U**** ****R**** ***FF*FF* DD*DD**** ****LL*LL ****B****"
_POCKET_FACE = "**** **** **** DDDD **** ****"
_POCKET_LAYER = "**** **RR **FF DDDD **LL **BB"

_SLOW = ("cost", "one-way")
"""Options of large puzzles that need pattern databases of their own."""

KINDS = {
    "pinned": Kind(
        "ivy",
        "R L D B",
        3,
        ("R L", "R L D"),
        ({"R": 2}, {"L": 3, "L'": 2}),
        ((Goal(range(12)),), (Goal((12, 13, 14), "R L"),), (Goal(range(6)), Goal(range(6), "R D"))),
    ),
    "searched": Kind(
        "pancake-12",
        "f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 f12",
        2,
        ("f3 f5 f8", "f2 f12 f11 f6"),
        ({"f12": 2}, {"f2": 3, "f5": 2}),
        ((Goal(range(8, 12)),), (Goal(range(2, 12), "f7"),), (Goal((0, 1)), Goal((10, 11), "f12 f3"))),
        left_out=_SLOW,
    ),
    "gap": Kind(
        "tiles-2x3",
        "U D L R",
        4,
        ("U L", "L"),
        ({"U": 2}, {"L": 3, "D": 2}),
        ((Goal((0, 1, 2)),), (Goal((5, 0), "R D"),), (Goal((0, 3)), Goal((1, 2), "R"))),
        small=True,
        other=(0, 1),
    ),
    "blocked": Kind(
        "glued-ring.tws",
        "L R",
        3,
        ("L R2", "L3 R"),
        ({"L": 2}, {"R2": 3, "L3": 0}),
        ((Goal((0, 1)),), (Goal(range(6, 10), "L'"),), (Goal((0, 4)), Goal((5, 6), "R"))),
        ("htm", "qtm"),
        small=True,
    ),
    "rotations": Kind(
        "tower",
        "U D R2 L2 F2 B2",
        3,
        ("U R2", "D", "U D R2 L2"),
        ({"U": 2}, {"R2": 2, "L2": 2, "F2": 2, "B2": 2}),
        ((Goal(range(4)),), (Goal(range(8, 16), "U R2"),), (Goal((0, 1)), Goal((4, 5, 8, 9), "R2"))),
        ("htm", "qtm"),
    ),
    "costs": Kind(
        "pyraminx-duo",
        "U R L B",
        3,
        ("U R", "U R L"),
        ({"U": 3}, {"R": 0, "R'": 0}),
        ((Goal(range(4)),), (Goal(range(12, 16), "U R"),), (Goal(range(3)), Goal((12, 13), "R"))),
        always={"cost": {"U": 2, "R'": 3}},
        small=True,
    ),
    "one-way": Kind(
        "L := (1,2,3,4,5,6); X := (1,2)(3,4); Monoid(L, X);",
        "L X",
        4,
        ("X L2", "L"),
        ({"L": 2}, {"X": 0}),
        ((Goal((0, 1, 2)),), (Goal((4, 5), "L X"),), (Goal((0, 3)), Goal((1, 2), "X"))),
        always={"one-way": True},
        small=True,
    ),
    "identical": Kind(
        "rings.tws",
        "L R",
        3,
        ("L2 R3", "L R3"),
        ({"L": 2}, {"R2": 3, "L3": 0}),
        ((Goal((0, 1, 2, 3)),), (Goal((6, 7, 8), "L R"),), (Goal((0, 9)), Goal((5, 6), "R"))),
        ("htm", "qtm"),
        small=True,
    ),
    "pocket": Kind(
        "pocket",
        "U R F D L B",
        2,
        ("R U", "R U2 F2"),
        ({"U": 2}, {"R2": 2, "F": 3}),
        (
            (Goal(_points(_POCKET_FACE)),),
            (Goal(_points(_POCKET_LAYER), "R U"),),
            (Goal(_points(_POCKET_FACE)), Goal(_points(_POCKET_LAYER), "F")),
        ),
        ("htm", "qtm"),
        left_out=("cost",),
    ),
    "rubik": Kind(
        "rubik",
        "U R F D L B",
        2,
        ("R U", "R2 U F2 D L2 B2", "R U M"),
        ({"U2": 2}, {"F": 3}),
        (
            (Goal(_points(_RUBIK_CROSS)), Goal(_points(_RUBIK_BLOCK), "F"), Goal(_points(_RUBIK_CROSS), "D")),
            (Goal(_points(_RUBIK_CROSS)),),
            (Goal(_points(_RUBIK_BLOCK), "R U"),),
        ),
        ("htm", "qtm"),
        left_out=_SLOW,
    ),
    "4x4x4": Kind(
        "4x4x4",
        "U R F D L B Uw Rw Fw Dw Lw Bw",
        2,
        ("R U", "Rw U2"),
        ({"U2": 2}, {"Rw": 3}),
        ((Goal(range(3)), Goal(range(3), "Rw")), (Goal(range(6)),), (Goal((24, 25), "R U"),)),
        ("htm", "qtm"),
        left_out=(*_SLOW, "slack"),
    ),
    "fto": Kind(
        "fto",
        "U R F L BL BR B D",
        2,
        ("R U", "R L B"),
        ({"U": 2}, {"F": 3}),
        ((Goal(range(8)), Goal(range(8), "R")), (Goal(range(24)),), (Goal(range(24, 28), "R U"),)),
        left_out=_SLOW,
    ),
    "square1": Kind(
        "square1",
        "U D /",
        1,
        ("(1,0) /", "(1,0) (0,3) /"),
        ({"/": 2}, {"(1,0)": 3}),
        ((Goal((), name="cubeshape"),), (Goal((), name="cp"),)),
        ("twist", "wca"),
        left_out=(*_SLOW, "slack"),
    ),
}


class Data(NamedTuple):
    """The definition of a puzzle as data, with the labels of stickers of one colour made equal."""

    definition: Definition
    solved: Labels
    colours: int

    def effects(self, name: str) -> tuple[Effect, ...]:
        """Return the effects of a generator or of a rotation."""
        if name in self.definition.rotations:
            return ((tuple(self.definition.rotations[name]), ()),)
        return tuple((tuple(each.sources), tuple(each.needs)) for each in self.definition.generators[name])


@functools.cache
def _data(kind: str) -> Data:
    definition = puzzle(_file(KINDS[kind].name)).solver.derived_rules.definition
    colours = definition.points // 6 if KINDS[kind].name in {"pocket", "rubik"} else 0
    solved = tuple(label // colours if colours else label for label in definition.solved[0])
    return Data(definition, solved, colours)


_written: dict[str, str] = {}
"""The paths of files whose text is above."""


def _file(name: str) -> str:
    return _written.get(name) or (str(_DOCS / name) if name.endswith(".tws") else name)


@pytest.fixture(scope="module", autouse=True)
def _files(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("matrix") / "one-way.gap"
    path.write_text(KINDS["one-way"].name)
    _written[KINDS["one-way"].name] = str(path)


@pytest.fixture(scope="module", autouse=True)
def _corners(corners_table: str) -> Iterator[None]:
    """Pocket cubes in a fixed orientation need a table of 25 MB, and no other table is in its folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CUBESOLVE_TABLES", corners_table)
        yield


# -- Moves -------------------------------------------------------------------------------------------------------------


def _powers(data: Data, name: str, amounts: Sequence[int]) -> Iterator[tuple[str, Sources]]:
    [(sources, _)] = data.effects(name)
    times = order(sources)
    for amount in sorted({amount % times for amount in amounts} - {0}):
        back = 2 * amount > times
        number = times - amount if back else amount
        if data.definition.name == "square1" and name != "/":
            word = f"({-number if back else number},0)" if name == "U" else f"(0,{-number if back else number})"
        else:
            word = name + (str(number) if number > 1 else "") + ("'" if back else "")
        yield word, power(sources, amount)


def _chosen(data: Data, words: str) -> list[tuple[str, int]]:
    """Return generators and their powers."""
    found = []
    for word in words.split():
        turned = re.fullmatch(r"\((\d),(\d)\)", word)
        if turned:
            found.append(("U", int(turned[1])) if turned[1] != "0" else ("D", int(turned[2])))
        elif word in data.definition.generators:
            found.append((word, 1))
        else:
            found.append((word[:-1], int(word[-1])))
    return found


@functools.cache
def _steps(kind: str, metric: str | None, moves: str | None, costs: str | None, one_way: bool) -> tuple[Step, ...]:
    data = _data(kind)
    if kind == "square1" and not (moves or costs):
        return _square1_steps(data, metric)
    found: dict[object, Step] = {}
    cost = json.loads(costs or "{}")

    def add(name: str, effects: tuple[Effect, ...]) -> None:
        found.setdefault(frozenset(effects), Step(name, cost.get(name, 1), effects))

    for name, amount in _chosen(data, moves or KINDS[kind].moves):
        effects = data.effects(name)
        if len(effects) > 1 or effects[0][1]:
            add(name, effects)
            back = data.definition.inverses[name]
            add(back, data.effects(back))
        else:
            times = order(effects[0][0])
            amounts = (
                [amount] if one_way else [amount, -amount] if metric == "qtm" else range(0, amount * times, amount)
            )
            for word, sources in _powers(data, name, amounts):
                add(word, ((sources, ()),))
    return tuple(found.values())


def _square1_steps(data: Data, metric: str | None) -> tuple[Step, ...]:
    [(top, _)], [(bottom, _)], twist = data.effects("U"), data.effects("D"), data.effects("/")
    turns = [
        Step(f"({a},{b})", int(metric == "wca"), ((joined(power(top, a % 12), power(bottom, b % 12)), ()),))
        for a, b in itertools.product(range(-5, 7), repeat=2)
        if a or b
    ]
    return (*turns, Step("/", 1, twist))


@functools.cache
def _rotations(kind: str) -> Mapping[str, Sources]:
    data = _data(kind)
    return dict(item for name in data.definition.rotations for item in _powers(data, name, range(24)))


def _base(kind: str) -> Graph:
    """Return the puzzle with the options that it always has."""
    always = KINDS[kind].always
    return _graph(kind, (), json.dumps(always["cost"]) if "cost" in always else None, None, None, "one-way" in always)


@functools.cache
def _graph(
    kind: str,
    goals: tuple[Labels, ...] | tuple[tuple[Goal, ...]],
    costs: str | None,
    moves: str | None,
    metric: str | None,
    one_way: bool,
    fixed: bool = False,
) -> Graph:
    """Return the graph of a question; a goal is one of `KINDS`, or a whole state, by default the solved one."""
    data = _data(kind)
    patterns: list[Pattern] = []
    wanted: Iterable[Any] = goals or (data.solved,)
    for each in wanted:
        if each and isinstance(each[0], Goal):
            patterns += [_pattern(kind, goal) for goal in each]
        else:
            patterns.append({point: frozenset([label]) for point, label in enumerate(each)})
    free = not (fixed or (goals and isinstance(goals[0][0], Goal)))
    steps = _steps(kind, metric, moves, costs, one_way)
    axes = dict(zip("URFDLB", "yxzyxz", strict=True)) if kind == "rubik" else {}
    return Graph(
        steps,
        patterns,
        data.definition.illegal,
        _rotations(kind),
        free=free,
        axes=axes,
        one_end=kind == "square1" and bool(goals) and isinstance(goals[0][0], Goal),
    )


def _pattern(kind: str, goal: Goal) -> Pattern:
    data = _data(kind)
    if goal.name:
        return _named_pattern(data, goal.name)
    state = _base(kind).replay(data.solved, goal.alg.split())[0]
    centres = range(data.colours // 2, data.definition.points, 9) if data.colours == 9 else []
    return {point: frozenset([state[point]]) for point in sorted({*goal.points, *centres})}


def _named_pattern(data: Data, name: str) -> Pattern:
    """Return a goal of the Square-1: its wedges are the halves of corners and the edges."""
    names = data.definition.orbits[0].names
    kinds = [("edge" if len(each) == 2 else f"corner{each[-1]}") for each in names]

    def look(label: int) -> object:
        if name == "cp":
            return (kinds[label], label // 12) if kinds[label] == "edge" else label
        return kinds[label]

    return {point: frozenset(label for label in range(24) if look(label) == look(point)) for point in range(24)}


# -- Text --------------------------------------------------------------------------------------------------------------


def _text(kind: str, labels: Mapping[int, int]) -> str:
    """Return a state, or a goal if some points are missing: as facelets, or as a KPuzzle pattern."""
    data = _data(kind)
    if data.colours:
        return "".join("URFDLB"[labels[point]] if point in labels else "*" for point in range(len(data.solved)))
    found, first = {}, 0
    for orbit in data.definition.orbits:
        pieces, turned = list[int | None](), list[int | None]()
        for place in range(first, first + orbit.points, orbit.orientations):
            on = [labels.get(point) for point in range(place, place + orbit.orientations)]
            least = min((label for label in on if label is not None), default=None)
            pieces.append(None if least is None else (least - first) // orbit.orientations)
            turned.append(None if least is None else on.index(least))
        found[orbit.name] = {"pieces": pieces, "orientation": turned}
        first += orbit.points
    return json.dumps(found)


def _goal_text(kind: str, goals: Sequence[Goal]) -> str:
    patterns = ((goal, _pattern(kind, goal)) for goal in goals)
    return " | ".join(
        goal.name or _text(kind, {point: min(labels) for point, labels in pattern.items()})
        for goal, pattern in patterns
    )


def _labels(kind: str, state: Any) -> Labels:
    """Return a state of the package as labels."""
    if _data(kind).colours:
        return tuple(map("URFDLB".index, state.facelets))
    return tuple(state.arrangement)


# -- Questions ---------------------------------------------------------------------------------------------------------


@functools.lru_cache(64)
def _configured(kind: str, moves: str | None, costs: str | None, one_way: bool, goal: str | None) -> Puzzle:
    found = puzzle(_file(KINDS[kind].name))
    if moves or costs or one_way:
        cost = json.loads(costs) if costs else None
        found = found.restrict(moves, cost, inverses=not one_way)
    return found if goal is None else found.towards(goal)


class Asked:
    """A question: a state, and values of options."""

    def __init__(self, kind: str, options: Options, state: Labels, target: Labels | None) -> None:
        """Take the state and the options; those of limits are compared with the depth."""
        self.kind, self.options, self.state, self.target = kind, options, state, target
        self.graph = graph_of(kind, options, target)
        small = KINDS[kind].small
        walk = KINDS[kind].walk * max(step.cost for step in self.graph.steps)
        self.depth = self.graph.depth(state, 1 << 20 if small else walk)
        self.text = _text(kind, dict(enumerate(state)))
        self.limits = {
            name: max(0, (self.depth or 0) + options[name]) if name in {"max_depth", "max_length"} else options[name]
            for name in ("max_depth", "max_length", "within", "slack")
            if name in options
        }

    def __repr__(self) -> str:
        options = {name: value for name, value in self.options.items() if name not in self.limits}
        return (
            f"{options | self.limits} {self.text} -> {self.target and _text(self.kind, dict(enumerate(self.target)))}"
        )

    @property
    def puzzle(self) -> Puzzle:
        """The puzzle, with those of the options that change it."""
        goals, cost = self.options.get("goal"), self.options.get("cost")
        return _configured(
            self.kind,
            self.options.get("moves"),
            json.dumps(cost) if cost else None,
            "one-way" in self.options,
            _goal_text(self.kind, goals) if goals else None,
        )

    @property
    def moves(self) -> list[str]:
        """The moves of the metric, as arrays number them."""
        steps = {step.name for step in self.graph.steps}
        return [name for name in self.puzzle.moves if name in steps]

    @property
    def states(self) -> list[str]:
        """The state, and the target."""
        return [self.text] if self.target is None else [self.text, _text(self.kind, dict(enumerate(self.target)))]

    def keywords(self, *limits: str) -> dict[str, Any]:
        """Return the keywords of a question that has some limits."""
        names = {"metric", "orientation"} & self.options.keys()
        return {name: self.options[name] for name in names} | {
            name: self.limits[name] for name in limits if name in self.limits
        }

    @property
    def fault(self) -> type[Exception] | None:
        """The error that is the answer."""
        if self.depth is None:
            return UnsolvableStateError
        most = min(self.limits.get(name, self.depth) for name in ("max_depth", "max_length"))
        return SearchLimitError if most < self.depth else None

    def check(self, alg: str, at_least: int | None = None) -> None:
        """Check a solution: it ends where it should, and costs as much as it may."""
        end, cost = self.graph.replay(self.state, alg.split())
        assert end == self.target if self.target else self.graph.ends(end), f"{alg!r} leads elsewhere"
        assert self.depth is not None
        least = self.depth if at_least is None else at_least
        assert least <= self.depth, f"the bound {least} exceeds the depth {self.depth}"
        most = self.limits.get("max_length", least + self.limits.get("within", self.depth - least))
        assert cost <= most, f"{alg!r} costs {cost} instead of {most} at most"
        assert cost >= self.depth, f"{alg!r} costs {cost} instead of {self.depth}"


def graph_of(kind: str, options: Options, target: Labels | None) -> Graph:
    goals, cost = options.get("goal"), options.get("cost")
    return _graph(
        kind,
        (goals,) if goals else (target,) if target else (),
        json.dumps(cost) if cost else None,
        options.get("moves"),
        options.get("metric"),
        "one-way" in options,
        options.get("orientation") == "fixed",
    )


def _depth(asked: Asked) -> None:
    found = asked.puzzle.depth(*asked.states, **asked.keywords("max_depth"), timeout=SECONDS)
    assert found == asked.depth, f"{found} instead of {asked.depth}"


def _solve(asked: Asked, question: str = "solve") -> None:
    limits = asked.keywords("max_depth", "max_length", "within")
    found = getattr(asked.puzzle, question)(*asked.states, **limits, timeout=SECONDS)
    found = [*found][-1] if question == "improvements" else found
    asked.check(found, found.at_least if "within" in limits else None)


def _solutions(asked: Asked) -> None:
    found = list(asked.puzzle.solutions(*asked.states, **asked.keywords("max_depth", "slack"), timeout=SECONDS))
    slack, most = asked.limits.get("slack", 0), asked.limits.get("max_depth", 1 << 20)
    expected = asked.graph.solutions(asked.state, slack, most)
    keys = {asked.graph.key(alg.split()): alg for alg in found}
    known = {asked.graph.key(alg): " ".join(alg) for alg in expected}
    assert len(found) == len(keys), f"{found} have duplicates"
    missing, more = [known[key] for key in known.keys() - keys], [keys[key] for key in keys.keys() - known]
    assert not missing, f"{missing} are missing"
    assert not more, f"{more} are too many"
    costs = [asked.graph.replay(asked.state, alg.split())[1] for alg in found]
    assert costs == sorted(costs), f"{found} are not in the order of their costs"


def _count(asked: Asked) -> None:
    found = asked.puzzle.count_solutions(*asked.states, **asked.keywords("max_depth"), timeout=SECONDS)
    expected = len(asked.graph.solutions(asked.state))
    assert found == expected, f"{found} instead of {expected}"


def _optimal_moves(asked: Asked) -> None:
    found = asked.puzzle.optimal_moves(*asked.states, **asked.keywords("max_depth"), timeout=SECONDS)
    expected = {asked.graph.key(alg[:1]): alg[0] for alg in asked.graph.solutions(asked.state) if alg}
    keys = {asked.graph.key([word]) for word in found}
    assert len(keys) == len(found), f"{found} have duplicates"
    assert keys == expected.keys(), f"{found} instead of {list(expected.values())}"


def _depths(asked: Asked) -> None:
    found = asked.puzzle.depths([asked.text] * 2, **asked.keywords(), timeout=SECONDS).tolist()
    assert found == [asked.depth] * 2, f"{found} instead of {asked.depth}"


def _solve_batch(asked: Asked) -> None:
    keywords = asked.keywords("max_depth", "max_length", "within")
    found = asked.puzzle.solve_batch([asked.text] * 2, **keywords, timeout=SECONDS)
    if isinstance(found, list):
        if isinstance(found[0], Exception):
            raise found[0]
        algs = list(map(str, found))
    else:
        names = asked.moves
        algs = [
            " ".join(names[number] for number in row[:length])
            for row, length in zip(found.moves.tolist(), found.lengths.tolist(), strict=True)
        ]
    assert algs[0] == algs[1]
    asked.check(algs[0], asked.depth)
    single = asked.puzzle.solve(*asked.states, **keywords, timeout=SECONDS)
    assert asked.graph.key(algs[0].split()) == asked.graph.key(single.split()), f"{algs[0]!r} instead of {single!r}"


def _count_batch(asked: Asked) -> None:
    found = asked.puzzle.count_solutions_batch([asked.text] * 2, **asked.keywords(), timeout=SECONDS).tolist()
    expected = len(asked.graph.solutions(asked.state))
    assert found == [expected] * 2, f"{found} instead of {expected}"


def _optimal_moves_batch(asked: Asked) -> None:
    _, found = asked.puzzle.optimal_moves_batch([asked.text] * 2, **asked.keywords(), timeout=SECONDS).tolist()
    keys = {asked.graph.key([move]) for move, leads in zip(asked.moves, found, strict=True) if leads}
    expected = {asked.graph.key(alg[:1]) for alg in asked.graph.solutions(asked.state) if alg}
    assert keys == expected, f"{keys} instead of {expected}"


def _random_state(asked: Asked) -> None:
    state = asked.puzzle.random_state(7, depth=asked.depth, **asked.keywords(), timeout=SECONDS)
    found = asked.graph.depth(_labels(asked.kind, state), asked.depth or 0)
    assert found == asked.depth, f"{state} has not the depth {asked.depth}"


def _scramble(asked: Asked) -> None:
    alg = asked.puzzle.scramble(7, depth=asked.depth, **asked.keywords(), timeout=SECONDS)
    state, _ = asked.graph.replay(_data(asked.kind).solved, alg.split())
    found = asked.graph.depth(state, asked.depth or 0)
    assert found == asked.depth, f"{alg!r} leads to a state that has not the depth {asked.depth}"


def _words(asked: Asked, *limits: str) -> list[str]:
    """Return a question on the command line."""
    options = asked.options
    words = ["--puzzle", _file(KINDS[asked.kind].name), "--timeout", str(SECONDS)]
    if "goal" in options:
        words += ["--goal", _goal_text(asked.kind, options["goal"])]
    if "moves" in options:
        words += ["--moves", options["moves"]]
    if "cost" in options:
        words += ["--cost", " ".join(f"{name}={cost}" for name, cost in options["cost"].items())]
    if "one-way" in options:
        words += ["--no-inverses"]
    if asked.target:
        words += ["--target", asked.states[1]]
    for name, value in asked.keywords(*limits).items():
        words += [f"--{name.replace('_', '-')}", str(value)]
    return [*words, asked.text]


class _FailedError(Exception):
    """A command that says why it has no answer."""


def _told(*words: str) -> list[str]:
    """Return the lines that a command prints."""
    result = invoke(*words)
    if result.exit_code == 1:
        raise _FailedError(result.stderr)
    assert not result.exit_code, result.stderr
    return result.stdout.splitlines()


def _solve_command(asked: Asked) -> None:
    [alg] = _told("solve", *_words(asked, "max_depth", "max_length", "within"))
    asked.check(alg, asked.depth)


_CHANGING = ("goal", "moves", "cost", "one-way", "metric", "orientation")

QUESTIONS: Mapping[str, tuple[Callable[[Asked], None], set[str]]] = {
    "depth": (_depth, {*_CHANGING, "target", "max_depth"}),
    "solve": (_solve, {*_CHANGING, "target", "max_depth", "max_length", "within"}),
    "path": (functools.partial(_solve, question="path"), {*_CHANGING, "target", "max_depth", "max_length", "within"}),
    "improvements": (
        functools.partial(_solve, question="improvements"),
        {*_CHANGING, "target", "max_depth", "max_length", "within"},
    ),
    "solutions": (_solutions, {*_CHANGING, "target", "max_depth", "slack"}),
    "count_solutions": (_count, {*_CHANGING, "target", "max_depth"}),
    "optimal_moves": (_optimal_moves, {*_CHANGING, "target", "max_depth"}),
    "depths": (_depths, {*_CHANGING}),
    "solve_batch": (_solve_batch, {*_CHANGING, "max_depth", "max_length", "within"}),
    "count_solutions_batch": (_count_batch, {*_CHANGING}),
    "optimal_moves_batch": (_optimal_moves_batch, {*_CHANGING}),
    "random_state": (_random_state, {*_CHANGING}),
    "scramble": (_scramble, {*_CHANGING}),
    "solve command": (_solve_command, {*_CHANGING, "target", "max_depth", "max_length", "within"}),
}
"""The questions, and the options that each takes."""

_SOLVABLE = {"depths", "solve_batch", "count_solutions_batch", "optimal_moves_batch", "random_state", "scramble"}
"""Questions that are not about a state which no moves solve."""

# -- What is drawn -----------------------------------------------------------------------------------------------------


def _values(kind: Kind) -> dict[str, st.SearchStrategy[Any]]:
    """Return the values of the options that a puzzle has; limits are relative to the depth."""
    found: dict[str, st.SearchStrategy[Any]] = {
        "goal": st.sampled_from(kind.goals),
        "target": st.sampled_from(["of other labels", "near"] if kind.other else ["near"]),
        "moves": st.sampled_from(kind.chosen),
        "cost": st.sampled_from(kind.costs),
        "one-way": st.just(True),
        "max_depth": st.sampled_from([0, 1, -1]),
        "max_length": st.sampled_from([1, 0, 2, -1]),
        "within": st.sampled_from([0, 1, 2]),
        "slack": st.sampled_from([0, 1]),
    }
    if kind.metrics:
        found["metric"] = st.sampled_from(kind.metrics[::-1])
    if kind.name == "pocket":
        found["orientation"] = st.sampled_from(["fixed", "free"])
    return {name: values for name, values in found.items() if name not in kind.left_out}


@st.composite
def questions(draw: st.DrawFn, kind: str, names: tuple[str, ...]) -> Asked:
    about, values = KINDS[kind], _values(KINDS[kind])
    options = {**about.always, **{name: draw(values[name]) for name in names}}
    if "cost" in options:
        steps = {step.name for step in graph_of(kind, options, None).steps}
        options["cost"] = {name: cost for name, cost in options["cost"].items() if name in steps} or {min(steps): 2}
    rng = random.Random(f"{kind} {names} {draw(st.integers(0, 1 << 30))}")
    base, solved = _base(kind), _data(kind).solved
    end, target = solved, None
    if "target" in options:
        if options["target"] == "of other labels":
            end = tuple(dict(zip(about.other, about.other[::-1], strict=True)).get(label, label) for label in end)
        end = target = _walked(rng, base.after, end, rng.randint(1, 2))
    elif "goal" in options:
        end = base.replay(solved, rng.choice(options["goal"]).alg.split())[0]
    elif base.rotations and options.get("orientation") != "fixed":
        end = joined(solved, rng.choice([tuple(range(len(solved))), *base.rotations.values()]))
    if about.small and rng.random() < 1 / 4:
        return Asked(kind, options, _walked(rng, base.after, solved, 6), target)
    graph = graph_of(kind, options, target)
    return Asked(kind, options, _walked(rng, graph.before, end, rng.randint(1, about.walk)), target)


def _walked(
    rng: random.Random, steps: Callable[[Labels], Iterable[tuple[Step, Labels]]], state: Labels, number: int
) -> Labels:
    for _ in range(number):
        state = rng.choice([there for _, there in steps(state)])
    return state


# -- What is not answered ----------------------------------------------------------------------------------------------


class Exemption(NamedTuple):
    """Questions that are not answered, or not rightly.

    Attributes:
        kinds: the puzzles; all of them if it is empty.
        options: options that the question has.
        asked: the questions; all of them if it is empty.
        shown: a part of the message.
        reason: the reason.
    """

    kinds: str
    options: str
    asked: str
    shown: str
    reason: str

    def covers(self, kind: str, names: Iterable[str], question: str) -> bool:
        """Return whether it is about a question with some options."""
        return (
            (not self.kinds or kind in self.kinds.split())
            and {*self.options.split()} <= {*names, *KINDS[kind].always}
            and (not self.asked or question in self.asked.split(", "))
        )


REFUSALS = [
    Exemption("", "goal target", "", "", "both say where a solution ends"),
    Exemption("", "max_length within", "", "", "both say how long a solution may be"),
    Exemption("gap blocked", "one-way", "", "moves without inverses", "the way back may be blocked"),
    Exemption("", "one-way metric", "", "metric", "without powers, all metrics are the same"),
    Exemption("", "goal one-way", "random_state, scramble", "are not supported", "no way leads back from the goal"),
    Exemption("", "max_depth", "solve_batch", "supported", "a batch has no limits where a table answers it"),
    Exemption("", "max_length", "solve_batch", "supported", "a batch has no limits where a table answers it"),
    Exemption("", "within", "solve_batch", "supported", "a batch has no limits where a table answers it"),
    Exemption("searched rubik 4x4x4 fto square1", "", "", "not found", "a large table is built on command"),
    Exemption("rubik square1", "", "random_state, scramble", "depth is not supported", "nobody has counted the states"),
    Exemption(
        "searched rubik",
        "goal",
        "solve_batch, optimal_moves_batch, random_state, scramble",
        "towards",
        "goals without a table",
    ),
    Exemption(
        "square1",
        "goal",
        "solve_batch, optimal_moves_batch, random_state, scramble",
        "",
        "its goals have no arrays of states",
    ),
    Exemption("square1", "moves metric", "", "metric", "its own metrics count turns of both layers"),
    Exemption(
        "rotations", "goal moves", "random_state, scramble", "no state has", "the moves reach none of this depth"
    ),
    Exemption(
        "4x4x4 fto", "goal moves", "random_state, scramble", "no moves lead", "none lead there from the solved state"
    ),
    Exemption(
        "",
        "goal moves",
        "depths, solve_batch, count_solutions_batch, optimal_moves_batch",
        "no moves lead",
        "ranks are of states reached from the solved one",
    ),
    Exemption("identical", "moves metric", "", "metric", "moves that are all their powers have one metric"),
    Exemption("identical blocked one-way", "cost slack", "solutions", "longer", "free moves in a circle have no end"),
    Exemption("pocket", "orientation", "", "orientation", "the table of fixed cubes is that of all turns of faces"),
]
"""Combinations that are refused, with the reason."""

# -- The test ----------------------------------------------------------------------------------------------------------


def combinations_of(kind: str) -> list[tuple[str, ...]]:
    """Return every option of a puzzle, and every two, that a question takes together."""
    drawn = [name for name in _values(KINDS[kind]) if name not in KINDS[kind].always]
    found = [names for number in (0, 1, 2) for names in itertools.combinations(drawn, number)]
    return [names for names in found if any(takes.issuperset(names) for _, takes in QUESTIONS.values())]


def faults_of(kind: str, names: tuple[str, ...]) -> dict[str, str]:
    """Return what is wrong with the answers, by question."""
    faults: dict[str, str] = {}

    @settings(
        derandomize=True,
        database=None,
        max_examples=EXAMPLES,
        phases=[Phase.generate],
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(questions(kind, names))
    def ask(asked: Asked) -> None:
        for name, (question, takes) in QUESTIONS.items():
            if takes.issuperset(names) and not (
                (name == "path" and asked.target is None) or (name in _SOLVABLE and asked.depth is None)
            ):
                fault = _fault(asked, question)
                if fault:
                    faults.setdefault(name, f"{fault} ({asked})")

    ask()
    return faults


def _fault(asked: Asked, question: Callable[[Asked], None]) -> str:
    """Return what is wrong with the answer to a question; an error may be the right one."""
    try:
        question(asked)
    except Exception as error:  # noqa: BLE001  # any is reported with the question
        expected = asked.fault and isinstance(error, (asked.fault, _FailedError))
        return "" if expected else f"{type(error).__name__}: {error}"
    return f"no {asked.fault.__name__}" if asked.fault else ""


@pytest.mark.parametrize("kind", KINDS)
def test_options_combine(kind: str) -> None:
    """Each combination has the right answers but for those exempted, and each exemption is needed."""
    exemptions = dict.fromkeys(REFUSALS, 0)
    wrong = []
    for names in combinations_of(kind):
        for question, fault in faults_of(kind, names).items():
            found = [each for each in exemptions if each.covers(kind, names, question) and each.shown in fault]
            for each in found:
                exemptions[each] += 1
            if not found:
                wrong.append(f"{' '.join(names)}: {question}: {fault}")
    assert not wrong, "\n".join(wrong)
    unneeded = [each for each, number in exemptions.items() if not number and kind in each.kinds.split()]
    assert not unneeded


def test_chosen_moves_lead_to_a_target_that_they_do_not_lead_to_from_the_solved_state() -> None:
    state = "1 1 1 1 2 1 2 1 2 2"
    assert puzzle(_file("rings.tws")).restrict("L2 R3").depth(state, state) == 0


_OF_ALL = [each for each in REFUSALS if not each.kinds]


@pytest.mark.parametrize("exemption", _OF_ALL, ids=lambda each: each.options)
def test_exemptions_of_all_puzzles_are_needed(exemption: Exemption) -> None:
    """One of these small puzzles needs each of them."""
    assert any(
        exemption.shown in fault
        for kind in ("identical", "one-way", "pocket")
        if {*exemption.options.split()} <= _values(KINDS[kind]).keys()
        for fault in faults_of(kind, tuple(exemption.options.split())).values()
    )
