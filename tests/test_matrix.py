"""Every two options of a question combined, on puzzles of every kind, compared with a dictionary search."""

from __future__ import annotations

import functools
import itertools
import json
import random
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from cubesolve import Puzzle, puzzle
from cubesolve.definition.definition import Definition
from cubesolve.errors import SearchLimitError, UnsolvableStateError
from tests.commands import invoke
from tests.facts import DATA
from tests.matrix_oracle import Effect, Graph, Labels, Pattern, Sources, Step, joined, order, power
from tests.processes import ROOT

Options = Mapping[str, Any]

EXAMPLES = 2
"""The number of states and values of options for each combination."""

SECONDS = 60
"""The time limit of each question."""

MATRIX = tomllib.loads((DATA / "matrix.toml").read_text())
"""The puzzles and their options, and the combinations that are refused."""

# -- Puzzles -----------------------------------------------------------------------------------------------------------


class Goal(NamedTuple):
    """A goal: what some moves make of the solved state, with don't-cares."""

    points: tuple[int, ...]  # that matter
    alg: str
    name: str  # of a goal that is not one of labels on points


def _goal(text: str) -> Goal:
    points, _, alg = text.partition(" after ")
    if "*" in points:
        return Goal(tuple(place for place, symbol in enumerate(points.replace(" ", "")) if symbol != "*"), alg, "")
    if not points[0].isdigit():
        return Goal((), alg, points)
    ranges = (each.partition("-") for each in points.split(","))
    return Goal(tuple(n for first, _, last in ranges for n in range(int(first), int(last or first) + 1)), alg, "")


class Kind:
    """A puzzle, and what is drawn for its options; the file of data describes each."""

    def __init__(self, name: str, moves: str, walk: int, **drawn: Any) -> None:
        self.name, self.moves, self.walk = name, moves, walk
        self.chosen, self.costs = drawn["chosen"], drawn["costs"]
        self.goals = [tuple(map(_goal, alternatives)) for alternatives in drawn["goals"]]
        self.metrics, self.left_out, self.other = (drawn.get(each, []) for each in ("metrics", "left_out", "other"))
        self.always, self.small = drawn.get("always", {}), "small" in drawn

    @property
    def file(self) -> str:
        folder = {"tws": ROOT / "docs", "gap": DATA}.get(self.name.rpartition(".")[2])
        return str(folder / self.name) if folder else self.name


KINDS = {name: Kind(**kind) for name, kind in MATRIX["kinds"].items()}


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
    definition = puzzle(KINDS[kind].file).solver.derived_rules.definition
    colours = definition.points // 6 if KINDS[kind].name in {"pocket", "rubik"} else 0
    solved = tuple(label // colours if colours else label for label in definition.solved[0])
    return Data(definition, solved, colours)


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
    return graph_of(kind, KINDS[kind].always, None)


def graph_of(kind: str, options: Options, target: Labels | None) -> Graph:
    """Return the graph of a question."""
    choice = (options.get(name) for name in ("moves", "metric", "one-way"))
    fixed = options.get("orientation") == "fixed"
    return _graph(kind, options.get("goal", ()), target, _costs(options), *choice, fixed)


def _costs(options: Options) -> str:
    return json.dumps(options["cost"]) if "cost" in options else ""


@functools.cache
def _graph(kind: str, goals: tuple[Goal, ...], target: Labels | None, costs: str, *choice: Any) -> Graph:
    data, (moves, metric, one_way, fixed) = _data(kind), choice
    whole = {point: frozenset([label]) for point, label in enumerate(target or data.solved)}
    return Graph(
        _steps(kind, metric, moves, costs, one_way),
        [_pattern(kind, goal) for goal in goals] or [whole],
        data.definition.illegal,
        _rotations(kind),
        free=not (fixed or goals),
        axes=dict(zip("URFDLB", "yxzyxz", strict=True)) if kind == "rubik" else {},
        one_end=kind == "square1" and bool(goals),
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


# -- Questions ---------------------------------------------------------------------------------------------------------


@functools.lru_cache(4)
def _listed(graph: Graph, state: Labels, **limits: int) -> list[tuple[str, ...]]:
    """Return what several questions about a state are compared with."""
    return graph.solutions(state, **limits)


@functools.lru_cache(64)
def _configured(kind: str, moves: str | None, costs: str, one_way: bool, goal: str) -> Puzzle:
    found = puzzle(KINDS[kind].file)
    if moves or costs or one_way:
        found = found.restrict(moves, json.loads(costs) if costs else None, inverses=not one_way)
    return found.towards(goal) if goal else found


class Asked:
    """A question: a state, and values of options."""

    def __init__(self, kind: str, options: Options, state: Labels, target: Labels | None) -> None:
        """Take the state and the options; those of limits are compared with the depth."""
        self.kind, self.options, self.state, self.target = kind, options, state, target
        self.graph = graph_of(kind, options, target)
        walk = KINDS[kind].walk * max(step.cost for step in self.graph.steps)
        self.depth = self.graph.depth(state, 1 << 20 if KINDS[kind].small else walk)
        self.states = [_text(kind, dict(enumerate(each))) for each in (state, target) if each]
        relative = dict.fromkeys(["max_depth", "max_length"], self.depth or 0)
        limits = {name: options[name] for name in (*relative, "within", "slack") if name in options}
        self.limits = {name: max(0, relative.get(name, 0) + limit) for name, limit in limits.items()}

    def __repr__(self) -> str:
        return f"{ {**self.options, **self.limits} } {' -> '.join(self.states)}"

    @property
    def puzzle(self) -> Puzzle:
        """The puzzle, with those of the options that change it."""
        goal, one_way = _goal_text(self.kind, self.options.get("goal", ())), "one-way" in self.options
        return _configured(self.kind, self.options.get("moves"), _costs(self.options), one_way, goal)

    def keywords(self, question: str) -> dict[str, Any]:
        """Return the keywords of a question."""
        taken = {name: self.options[name] for name in ("metric", "orientation") if name in self.options}
        return taken | {name: limit for name, limit in self.limits.items() if name in QUESTIONS[question][1]}

    def answer(self, question: str) -> Any:
        """Return the answer to a question; the state is given twice to those about many."""
        keywords, given = self.keywords(question), self.states
        if question == "solve command":
            return self._printed(keywords)
        if question in {"random_state", "scramble"}:
            return getattr(self.puzzle, question)(7, depth=self.depth, **keywords, timeout=SECONDS)
        many = [[self.states[0]] * 2] if question == "depths" or question.endswith("batch") else given
        return getattr(self.puzzle, question)(*many, **keywords, timeout=SECONDS)

    def _printed(self, keywords: Mapping[str, Any]) -> str:
        """Return what the command prints."""
        options = self.options
        words = ["--puzzle", KINDS[self.kind].file, "--timeout", SECONDS]
        words += ["--goal", _goal_text(self.kind, options["goal"])] if "goal" in options else []
        words += ["--moves", options["moves"]] if "moves" in options else []
        costs = " ".join(f"{name}={cost}" for name, cost in options.get("cost", {}).items())
        words += ["--cost", costs] if costs else []
        words += ["--no-inverses"] if "one-way" in options else []
        words += ["--target", self.states[1]] if self.target else []
        for name, value in keywords.items():
            words += [f"--{name.replace('_', '-')}", value]
        result = invoke("solve", *words, self.states[0])
        if result.exit_code == 1:
            raise _FailedError(result.stderr)
        assert not result.exit_code, result.stderr
        [alg] = result.stdout.splitlines()
        return alg

    @property
    def fault(self) -> type[Exception] | None:
        """The error that is the answer."""
        if self.depth is None:
            return UnsolvableStateError
        most = min(self.limits.get(name, self.depth) for name in ("max_depth", "max_length"))
        return SearchLimitError if most < self.depth else None

    def check(self, alg: str, least: int | None) -> None:
        """Check a solution: it ends where it should, and costs as much as it may."""
        end, cost = self.graph.replay(self.state, alg.split())
        assert end == self.target if self.target else self.graph.ends(end), f"{alg!r} leads elsewhere"
        assert self.depth is not None
        assert least is not None
        assert least <= self.depth, f"the bound {least} exceeds the depth {self.depth}"
        most = self.limits.get("max_length", least + self.limits.get("within", self.depth - least))
        assert cost <= most, f"{alg!r} costs {cost} instead of {most} at most"
        assert cost >= self.depth, f"{alg!r} costs {cost} instead of {self.depth}"


class _FailedError(Exception):
    """A command that says why it has no answer."""


def _number(asked: Asked, question: str) -> None:
    expected = asked.depth if "depth" in question else len(_listed(asked.graph, asked.state))
    found = np.ravel(asked.answer(question)).tolist()
    assert found == [expected] * len(found), f"{found} instead of {expected}"
    assert len(found) == 1 + (question == "depths" or question.endswith("batch"))


def _solution(asked: Asked, question: str) -> None:
    found = asked.answer(question)
    alg = [*found][-1] if question == "improvements" else found
    bound = getattr(alg, "at_least", asked.depth)
    asked.check(alg, bound if "within" in asked.limits else asked.depth)


def _solutions(asked: Asked, question: str) -> None:
    found = list(asked.answer(question))
    limits = {
        new: asked.limits[name] for name, new in (("slack", "slack"), ("max_depth", "most")) if name in asked.limits
    }
    expected = _listed(asked.graph, asked.state, **limits)
    keys = {asked.graph.key(alg.split()): alg for alg in found}
    known = {asked.graph.key(alg): " ".join(alg) for alg in expected}
    assert len(found) == len(keys), f"{found} have duplicates"
    missing, more = [known[key] for key in known.keys() - keys], [keys[key] for key in keys.keys() - known]
    assert (missing, more) == ([], []), f"{missing} are missing, {more} are too many"
    costs = [asked.graph.replay(asked.state, alg.split())[1] for alg in found]
    assert costs == sorted(costs), f"{found} are not in the order of their costs"


def _optimal_moves(asked: Asked, question: str) -> None:
    found, steps = asked.answer(question), {step.name for step in asked.graph.steps}
    if question.endswith("batch"):
        names = [name for name in asked.puzzle.moves if name in steps]  # those of the metric
        found = [name for name, leads in zip(names, found.tolist()[1], strict=True) if leads]
    expected = {asked.graph.key(alg[:1]): alg[0] for alg in _listed(asked.graph, asked.state) if alg}
    keys = {asked.graph.key([word]) for word in found}
    assert question.endswith("batch") or len(keys) == len(found), f"{found} have duplicates"
    assert keys == expected.keys(), f"{found} instead of {list(expected.values())}"


def _solve_batch(asked: Asked, question: str) -> None:
    found = asked.answer(question)
    if isinstance(found, list):
        if isinstance(found[0], Exception):
            raise found[0]
        algs = list(map(str, found))
    else:
        steps = {step.name for step in asked.graph.steps}
        names = [name for name in asked.puzzle.moves if name in steps]
        rows = zip(found.moves.tolist(), found.lengths.tolist(), strict=True)
        algs = [" ".join(names[number] for number in row[:length]) for row, length in rows]
    assert algs[0] == algs[1]
    asked.check(algs[0], asked.depth)
    single = asked.answer("solve")
    assert asked.graph.key(algs[0].split()) == asked.graph.key(single.split()), f"{algs[0]!r} instead of {single!r}"


def _drawn(asked: Asked, question: str) -> None:
    found = asked.answer(question)
    if question == "scramble":
        state, _ = asked.graph.replay(_data(asked.kind).solved, found.split())
    else:
        state = tuple(map("URFDLB".index, found.facelets)) if _data(asked.kind).colours else tuple(found.arrangement)
    depth = asked.graph.depth(state, asked.depth or 0)
    assert depth == asked.depth, f"{found} has not the depth {asked.depth}"


_CHANGING = ("goal", "moves", "cost", "one-way", "metric", "orientation")

QUESTIONS: Mapping[str, tuple[Callable[[Asked], None], set[str]]] = {
    question: (functools.partial(check, question=question), {*_CHANGING, *limits.split()})
    for check, questions, limits in (
        (_number, "depth, count_solutions", "target max_depth"),
        (_solution, "solve, path, improvements, solve command", "target max_depth max_length within"),
        (_solutions, "solutions", "target max_depth slack"),
        (_optimal_moves, "optimal_moves", "target max_depth"),
        (_number, "depths, count_solutions_batch", ""),
        (_solve_batch, "solve_batch", "max_depth max_length within"),
        (_optimal_moves, "optimal_moves_batch", ""),
        (_drawn, "random_state, scramble", ""),
    )
    for question in questions.split(", ")
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
    """Questions that are not answered, or not rightly: all questions about all puzzles if nothing is said of them."""

    reason: str
    kinds: str = ""
    options: str = ""
    asked: str = ""
    shown: str = ""  # a part of the message

    def covers(self, kind: str, names: Iterable[str], question: str) -> bool:
        """Return whether it is about a question with some options."""
        return (
            (not self.kinds or kind in self.kinds.split())
            and {*self.options.split()} <= {*names, *KINDS[kind].always}
            and (not self.asked or question in self.asked.split(", "))
        )


REFUSALS = [Exemption(**each) for each in MATRIX["refused"]]
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
    assert not [each for each, number in exemptions.items() if not number and kind in each.kinds.split()]


def test_chosen_moves_lead_to_a_target_that_they_do_not_lead_to_from_the_solved_state() -> None:
    for name, alg, at in (KINDS["identical"].file, "L2 R3", "1 1 1 1 2 1 2 1 2 2"), ("pancake-5", "f4 f5", "2 1 3 4 5"):
        assert (few := puzzle(name).restrict(alg)).depth(at, at) == few.towards(at).depth(at) == 0


@pytest.mark.parametrize("exemption", [each for each in REFUSALS if not each.kinds], ids=lambda each: each.options)
def test_exemptions_of_all_puzzles_are_needed(exemption: Exemption) -> None:
    """One of these small puzzles needs each of them."""
    assert any(
        exemption.shown in fault
        for kind in ("identical", "one-way", "pocket")
        if {*exemption.options.split()} <= _values(KINDS[kind]).keys()
        for fault in faults_of(kind, tuple(exemption.options.split())).values()
    )
