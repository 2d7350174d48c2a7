"""The Square-1, compared with a search over strings, published numbers, and another program."""

from __future__ import annotations

import itertools
import json
import math
import pickle
import random
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cubesolve
from cubesolve import catalog
from cubesolve.ask import Puzzle
from cubesolve.catalog.square1 import search
from cubesolve.catalog.square1.coordinates import TargetCoordinates
from cubesolve.catalog.square1.definition import Turns, exact, square1
from cubesolve.catalog.square1.search import HashedOnDemand
from cubesolve.definition.formats import read_definition
from cubesolve.definition.state import State
from cubesolve.errors import InvalidStateError, SearchLimitError
from cubesolve.picture.render import picture_svg
from tests.chance import agrees
from tests.commands import invoke
from tests.distances import distances, levels
from tests.facts import DATA
from tests.patience import PATIENCE
from tests.processes import ROOT
from tests.strategies import examples
from tests.subsets import later

FACTS = json.loads((DATA / "square1.json").read_text())

# -- The oracle: a layer is a string of twelve symbols, a corner a large letter and a small one ------------------------

Layers = tuple[str, str]
SOLVED: Layers = ("Aa1Bb2Cc3Dd4", "5Ee6Ff7Gg8Hh")


def turned(layer: str, turn: int) -> str:
    return layer[-turn % 12 :] + layer[: -turn % 12]


def is_cut(layer: str) -> bool:
    return not (layer[0].islower() or layer[6].islower())


def twisted(layers: Layers) -> Layers:
    (top, bottom) = layers
    return top[:6] + bottom[:6], top[6:] + bottom[6:]


def up_to_turns(layers: Layers) -> Layers:
    return min(turned(layers[0], by) for by in range(12)), min(turned(layers[1], by) for by in range(12))


def neighbours(layers: Layers) -> set[Layers]:
    tops, bottoms = ([each for by in range(12) if is_cut(each := turned(layer, by))] for layer in layers)
    return {up_to_turns(twisted(each)) for each in itertools.product(tops, bottoms)}


def twisted_from(start: Layers, most: int) -> list[list[tuple[Layers, int]]]:
    """Return the states up to turns by number of twists, whose parity gives the middle layer."""

    def around(state: tuple[Layers, int]) -> Iterator[tuple[Layers, int]]:
        return ((there, 1 - state[1]) for there in neighbours(state[0]))

    return levels([(up_to_turns(start), 0)], around, most)


def applied(layers: Layers, alg: str) -> Layers:
    for word in alg.split():
        if word == "/":
            assert is_cut(layers[0])
            assert is_cut(layers[1])
            layers = twisted(layers)
        else:
            top, bottom = map(int, word.strip("()").split(","))
            layers = turned(layers[0], top), turned(layers[1], bottom)
    return layers


def layers_of(state: State) -> Layers:
    top, bottom, _ = str(state).split()
    first, second = ("".join(each + each.lower() * each.isalpha() for each in layer) for layer in (top, bottom))
    return first, second


def text_of(layers: Layers, middle: int) -> str:
    """The text of a state whose layers are turned so that no corner lies across the cut."""
    cut = [next(each for by in range(12) if is_cut(each := turned(layer, by))) for layer in layers]
    return " ".join("".join(each for each in layer if not each.islower()) for layer in cut) + " -/"[1 + middle]


@pytest.fixture(scope="module")
def puzzle() -> Puzzle[State]:
    return cubesolve.puzzle("square1")


# -- Notation ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("alg", "wedges", "equator"), FACTS["cubing"]["algs"])
def test_algs_are_applied_as_by_another_program(
    puzzle: Puzzle[State], alg: str, wedges: list[int], equator: int
) -> None:
    state = puzzle.parse(alg)
    assert list(state.arrangement[:24]) == wedges
    assert (state.arrangement[24] != 24) == (equator != 0)
    assert layers_of(state) == applied(SOLVED, alg)


def test_spellings_of_an_alg(puzzle: Puzzle[State]) -> None:
    state = puzzle.parse("(1,0) / (3,0) / (-1,-1) /")
    for alg in ("(1,0)/(3,0)/(-1,-1)/", "( 1 , 0)/ (3, 0)/(2,-1)(-3,0) /", "(-11,12)/(3,0)/(11,11)/ // a comment"):
        assert puzzle.parse(alg) == state
    assert puzzle.parse("1,0 / 3 , 0/-1,-1 /") == puzzle.parse("1,0/3,0/(2,-1) -3,0/") == state
    assert puzzle.parse("(/ (3,0))2") == puzzle.parse("/ (3,0) / (3,0)")
    assert puzzle.parse("[/: (3,3)]") == puzzle.parse("/ (3,3) /")
    view = puzzle.rules.view
    assert view.split("(1,0)/(2,0)(1,3)//") == ["(1,0)", "/", "(3,3)"]  # the rest is a comment
    assert view.invert("(1,0) / (6,-2) /") == "/ (6,2) / (-1,0)"
    assert view.count("(1,0) / (6,-2) /") == 2
    assert view.split("(/ 3,0 /)2 3,0") == ["/", "(3,0)", "/", "/", "(3,0)", "/", "(3,0)"]
    assert view.split("[3,0: /] [/, 3,0]") == view.split("(3,0) / (-3,0) / (3,0) / (-3,0)")
    assert puzzle.parse("(2,0) (1,0) /") == puzzle.parse("(3,0) /")  # whose first turn alone would block the twist


@examples(30)
@given(st.randoms(use_true_random=False))
def test_states_are_written_and_read(rng: random.Random) -> None:
    puzzle = cubesolve.puzzle("square1")
    state = puzzle.random_state(rng)
    assert puzzle.parse(str(state)) == puzzle.parse(str(state).replace(" ", "").lower()) == state
    assert puzzle.parse(puzzle.write(state, "kpuzzle")) == state
    names = square1().orbits[0].names
    wedges = " ".join(names[wedge] for wedge in state.arrangement[:24])
    assert puzzle.parse(f"{wedges} ; MIDDLE{'+1' if state.arrangement[24] > 24 else ''}") == state
    picture = puzzle.rules.view.picture(state)
    assert picture
    assert picture.text().replace(" ", "").replace("\n", "")[-1] == str(state)[-1]
    assert (picture_svg(picture) or "").count("<path") >= 6


def test_the_file_has_the_same_definition() -> None:
    read, made = read_definition(str(ROOT / "docs" / "square1.tws")), square1()
    assert (read.solved, read.generators, read.illegal) == (made.solved, made.generators, made.illegal)


# -- Answers -----------------------------------------------------------------------------------------------------------


@pytest.mark.exhaustive
def test_depths_are_those_of_strings_and_published(puzzle: Puzzle[State]) -> None:
    found = twisted_from(SOLVED, 3)
    assert [len(level) for level in found] == FACTS["twists"]["distribution"][:4]
    assert list(puzzle.distribution(levels=3)) == FACTS["twists"]["distribution"][:4]
    rng = random.Random(1)
    for depth, level in enumerate(found):
        for layers, middle in rng.sample(sorted(level), min(len(level), 12)):
            state = puzzle.parse(text_of(layers, middle))
            alg = puzzle.solve(state)
            assert (puzzle.depth(state), alg.count("/"), alg.at_least) == (depth, depth, depth)
            assert applied(layers_of(state), alg) == SOLVED
            assert state.apply(alg) == puzzle.parse("")


def every_alg(start: Layers, twists: int) -> Iterator[list[tuple[int, int]]]:
    """Yield the turns before each twist and after the last one, of all algs that solve the layers."""
    found = twisted_from(SOLVED, max(twists - 1, 0))
    reached: list[tuple[list[tuple[int, int]], Layers]] = [([], start)]
    amounts = [(top, bottom) for top in range(-5, 7) for bottom in range(-5, 7)]
    for left in reversed(range(twists)):
        near = {layers for level in found[: left + 1] for layers, _ in level}
        reached = [
            ([*turns, amount], after)
            for turns, here in reached
            for amount in amounts
            if all(map(is_cut, there := tuple(map(turned, here, amount))))
            if up_to_turns(after := twisted((there[0], there[1]))) in near
        ]
    for turns, here in reached:
        yield from ([*turns, amount] for amount in amounts if tuple(map(turned, here, amount)) == SOLVED)


def ends_where_it_solves(start: Layers, middle: int, turns: list[tuple[int, int]], metric: str) -> bool:
    """Whether an alg never twists twice in a row, and solves a state only with its last move (or turns after it)."""
    place, *words = start, *alg_of(turns).split()
    solved = [start == SOLVED and not middle]
    twists = [up_to_turns(start) == up_to_turns(SOLVED) and not middle]
    for word in words:
        place = applied(place, word)
        middle ^= word == "/"
        solved.append(place == SOLVED and not middle)
        if word == "/":
            twists.append(up_to_turns(place) == up_to_turns(SOLVED) and not middle)
    return "/ /" not in alg_of(turns) and not any(twists[:-1] if metric == "twist" else solved[:-1])


def alg_of(turns: list[tuple[int, int]]) -> str:
    words = " / ".join("" if turn == (0, 0) else "({},{})".format(*turn) for turn in turns)
    return " ".join(words.split())


@pytest.mark.parametrize(
    ("scramble", "metric", "slack"),
    [
        ("/ (3,3) /", "wca", 3),
        later("(0,-1) / (-3,0) / (1,1) /", "wca", 0),
        later("/ (6,6) /", "twist", 0),
        later("(1,0)", "twist", 3),
    ],
)
def test_longer_solutions_are_listed(puzzle: Puzzle[State], scramble: str, metric: str, slack: int) -> None:
    state = puzzle.parse(scramble)
    middle, listed = scramble.count("/") % 2, list(puzzle.solutions(state, slack=slack, metric=metric))
    optimal = list(puzzle.solutions(state, metric=metric))
    assert (optimal[0], len(optimal)) == (
        puzzle.solve(state, metric=metric),
        puzzle.count_solutions(state, metric=metric),
    )
    assert set(puzzle.optimal_moves(state, metric=metric)) == {alg.split()[0] for alg in optimal}

    def cost(alg: str) -> int:
        return alg.count("/") if metric == "twist" else len(alg.split())

    longest = cost(optimal[0]) + slack
    most = longest if metric == "twist" else (longest + 1) // 2
    expected = {
        alg_of(turns)
        for twists in range(middle, most + 1, 2)
        for turns in every_alg(layers_of(state), twists)
        if cost(alg_of(turns)) <= longest and ends_where_it_solves(layers_of(state), middle, turns, metric)
    }
    assert listed[: len(optimal)] == optimal
    assert [cost(alg) for alg in listed] == sorted(map(cost, listed))
    assert len(listed) == len(set(listed))
    assert set(listed) == expected
    assert list(puzzle.solutions(state, slack=slack, metric=metric, max_depth=cost(optimal[0]))) == optimal


def test_the_turns_after_the_last_twist_lead_to_any_state_of_a_goal(puzzle: Puzzle[State]) -> None:
    shape = puzzle.towards("cubeshape")
    state = "A1B26F7G C3D48H5E /"
    assert (shape.depth(state, metric="wca"), list(shape.solutions(state, metric="wca"))) == (1, ["/"])
    assert shape.solve(state) == "/"
    # Four turns of each layer make a square of a square; or one twist is enough after turns of both layers.
    for state, twists, number in [("3D4A8H5E 1B2C6F7G /", 0, 16), ("2C8HD4A6 5E1BF7G3 -", 1, 17)]:
        listed = list(shape.solutions(state, metric="wca"))
        assert len(set(listed)) == len(listed) == shape.count_solutions(state, metric="wca") == number
        assert {alg.count("/") for alg in listed} == {twists}
        assert all(shape.depth(" ".join([*shape.alg(state).split(), alg])) == 0 for alg in listed)
        assert listed[0] == shape.solve(state, metric="wca")


def test_random_states_are_solved(puzzle: Puzzle[State]) -> None:
    state = puzzle.random_state(random.Random(5))
    alg = puzzle.solve(state)
    assert applied(layers_of(state), alg) == SOLVED
    words = alg.split()
    place = state
    for at, word in enumerate(words):  # on an optimal path every twist leads nearer
        place = place.apply(word)
        assert at % 4 or puzzle.depth(place) == words[at + 1 :].count("/")
    assert puzzle.parse(puzzle.alg(state)) == state
    short = puzzle.solve(state, max_length=15)
    assert applied(layers_of(state), short) == SOLVED
    assert short.at_least <= alg.at_least <= short.count("/") <= 15
    assert 8 <= alg.at_least < len(FACTS["twists"]["distribution"])
    assert puzzle.solve("(1,0) / (3,0) /", max_length=31).length == 2


def test_limited_time_leaves_some_solution(puzzle: Puzzle[State], monkeypatch: pytest.MonkeyPatch) -> None:
    cubeshape, state = puzzle.towards("cubeshape"), puzzle.random_state(3)

    def ended(*_: object) -> None:
        raise SearchLimitError(3, "after 600 s")

    monkeypatch.setattr(cubeshape.solver, "found", ended)
    with pytest.raises(SearchLimitError) as caught:
        cubeshape.solve(state, timeout=PATIENCE)
    monkeypatch.undo()
    assert cubeshape.depth(state.apply(caught.value.solution)) == 0


@pytest.mark.parametrize(
    ("goal", "relabellings"),
    [("", 32), ("1E4A53FD 8HG7C2B6 -", 2), ("E83F6H4C 2BD71AG5 /", 2), ("GHDA54C 3826F1BE7 -", 1)],
)
def test_a_search_finds_the_same_with_the_table(
    puzzle: Puzzle[State], goal: str, relabellings: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There are no lower bounds, and the table is of the states two twists before the goal, and used at once."""
    for name, number in (("_HASHED_TWISTS", 2), ("_FEW", 0), ("_WORTH", 0)):
        monkeypatch.setattr(search, name, number)
    numbered = TargetCoordinates(exact(puzzle.parse(goal).arrangement), bytes(2 * 170 * 40_320))
    table = numbered.hashed.after(0)
    assert (table.twists, len(table.edges)) == (2, relabellings)
    (layers, _), *_ = sorted(twisted_from(layers_of(puzzle.parse(goal)), 2)[2])
    start = puzzle.parse(text_of(layers, 0)).arrangement
    found, nodes = list[list[list[Turns]]](), [[0], [0]]
    for hashed, searched in zip((numbered.hashed, HashedOnDemand(None)), nodes, strict=True):
        numbered.hashed = hashed
        found.append([[move.turns for move in path.moves] for path in numbered.paths(start, 4, searched)])
    assert found[0] == found[1] != []
    assert 2 * nodes[0][0] < nodes[1][0]


# -- Goals -------------------------------------------------------------------------------------------------------------

LOOKS = {
    "cubeshape": "Cc1Cc1Cc1Cc11Cc1Cc1Cc1Cc",
    "co": "Aa1Aa1Aa1Aa11Bb1Bb1Bb1Bb",
    "eo": "Aa1Aa1Aa1Aa12Bb2Bb2Bb2Bb",
    "cp": "Aa1Bb1Cc1Dd12Ee2Ff2Gg2Hh",
}
"""The solved puzzle, with the same letter for pieces that look alike."""


def seen(layers: Layers, name: str) -> Layers:
    """Return the labels of layers for a goal, up to turns."""
    looks = str.maketrans("".join(SOLVED), LOOKS[name])
    return up_to_turns((layers[0].translate(looks), layers[1].translate(looks)))


@pytest.mark.parametrize(("name", "most"), [("cubeshape", 9), ("co", 3), later("eo", 3)])
def test_goals_have_exact_distributions(puzzle: Puzzle[State], name: str, most: int) -> None:
    found = [*map(len, levels([seen(SOLVED, name)], neighbours, most))]
    counted = puzzle.towards(name).distribution()
    assert list(counted[: len(found)]) == found
    if name == "cubeshape":
        assert (len(counted) - 1, sum(counted)) == (FACTS["shapes"]["most_twists"], 170)
        assert len(found) == len(counted)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("name", "number", "states"), [("co", 8, 70), later("eo", 8, 70), later("cp", 9, 576), later("ep", 100, 9216)]
)
def test_cases_are_listed_up_to_turns(puzzle: Puzzle[State], name: str, number: int, states: int) -> None:
    """Three ways to place the corners of each layer up to turns: solved, neighbours exchanged, or opposite ones."""
    found = puzzle.cases(name)
    assert (len(found), sum(case.states for case in found), sum(case.probability for case in found)) == (
        number,
        states,
        1,
    )
    for case in found:
        state = found.random_state(random.Random(case.number), case.name)
        assert found.find(state).number == case.number
        assert name == "ep" or (puzzle.towards(name).depth(state) == 0) == (case.number == 0)


def test_scrambles_of_a_case(puzzle: Puzzle[State]) -> None:
    result = invoke("scramble", "--puzzle", "square1", "--case", "cp:2", "--seed", "1")
    assert puzzle.cases("cp").find(result.stdout.strip()).number == 2


@pytest.mark.exhaustive
def test_algs_of_cases(puzzle: Puzzle[State]) -> None:
    """Algs have as few twists as dictionaries find, and longer ones solve the case with their last twist only."""
    goal = seen(SOLVED, "co")
    twists_to = distances([goal], neighbours, 3)
    for best in puzzle.algs("co", number=5, slack=1):
        start, lengths = layers_of(best.case.state), {alg.length for alg in best.algs}
        assert best.optimal is not None
        assert twists_to[seen(start, "co")] == best.optimal
        assert best.optimal in lengths <= {best.optimal, best.optimal + 1}
        assert len({alg.alg for alg in best.algs}) == len(best.algs)
        for alg in best.algs:
            twists = [number for number, move in enumerate(alg.alg.split(), 1) if move == "/"]
            here = [seen(applied(start, " ".join(alg.alg.split()[:number])), "co") for number in [0, *twists]]
            assert (len(twists), here.index(goal)) == (alg.length, alg.length)
    (best,) = puzzle.algs("co", "1", cost=len, number=3)
    assert [alg.cost for alg in best.algs] == sorted(len(alg.alg.split()) for alg in best.algs)
    assert puzzle.algs("cp", "1", most=5)[0].optimal is None


def test_limits(puzzle: Puzzle[State]) -> None:
    state = puzzle.random_state(3)
    with pytest.raises(SearchLimitError) as caught:
        puzzle.solve(state, max_depth=5)
    assert caught.value.at_least > 5
    with pytest.raises(SearchLimitError):
        puzzle.solve(state, max_length=3)
    with pytest.raises(SearchLimitError):
        puzzle.depth(state, timeout=0)
    with pytest.raises(InvalidStateError, match="type int"):
        puzzle.towards(3)  # type: ignore[arg-type]
    seen = list[int]()
    puzzle.solve(state, progress=lambda depth, _nodes, _seconds: seen.append(depth))
    assert seen == sorted(set(seen))
    assert seen[-1] == puzzle.depth(state)


# -- Shapes and scrambles ----------------------------------------------------------------------------------------------


HALVES = [
    half
    for pieces in range(3, 7)
    for words in itertools.product(("1", "Cc"), repeat=pieces)
    if len(half := "".join(words)) == 6
]
ALIGNED = [
    (top, bottom)
    for top, bottom in itertools.product(map("".join, itertools.product(HALVES, repeat=2)), repeat=2)
    if (top + bottom).count("C") == 8
]
"""The layers of alike corners and alike edges that have no corner across the cut."""


def test_shapes_are_as_many_as_published() -> None:
    assert len(ALIGNED) == FACTS["shapes"]["aligned"]
    states = catalog.rules_named("square1").number_of_states
    assert states == len(ALIGNED) * math.factorial(8) ** 2 * 2 == 11_958_666_854_400
    found = {up_to_turns(pair) for pair in ALIGNED}
    orders = (math.prod(sum(turned(layer, by) == layer for by in range(12)) for layer in pair) for pair in found)
    up_to = sum(2 * math.factorial(8) ** 2 // order for order in orders)
    assert up_to == FACTS["twists"]["states"] == sum(FACTS["twists"]["distribution"])

    depths = distances([seen(SOLVED, "cubeshape")], neighbours)
    assert depths.keys() == found
    assert (len(depths), max(depths.values())) == (170, FACTS["shapes"]["most_twists"])


def test_random_states_are_uniform(puzzle: Puzzle[State]) -> None:
    rng, number = random.Random(28), 2000
    drawn = [layers_of(puzzle.random_state(rng)) for _ in range(number)]
    kinds = Counter(len("".join(filter(str.isdigit, top))) for top, _ in drawn)  # edges in the top layer
    expected = Counter(top.count("1") for top, _ in ALIGNED)
    assert agrees(kinds, {each: share / expected.total() for each, share in expected.items()})
    for is_kind, symbol, wedges in ((str.isdigit, "1", 1), (str.isalpha, "A", 2)):
        places = Counter("".join(filter(is_kind, top + bottom)).index(symbol) // wedges for top, bottom in drawn)
        assert agrees(places, dict.fromkeys(range(8), 1 / 8))
    middles = Counter(str(puzzle.random_state(rng))[-1] for _ in range(1000))
    assert agrees(middles, {"-": 1 / 2, "/": 1 / 2})


@pytest.mark.parametrize(
    ("text", "moves"), [("6FB27GC3 A1D48H5E /", 9), ("FB257GC4 EA863DH1 /", 10), ("843B2FHG 75ECA6D1 /", 11)]
)
def test_states_of_scrambles_need_eleven_moves(puzzle: Puzzle[State], text: str, moves: int) -> None:
    state = puzzle.parse(text)
    assert (puzzle.depth(state), puzzle.depth(state, metric="wca")) == (5, moves)
    assert puzzle.solver._is_official(state) == (moves >= 11)  # type: ignore[attr-defined]


def test_longer_solutions_are_no_longer_than_accepted(puzzle: Puzzle[State]) -> None:
    """The solution of 14 twists that is found at once is accepted only where it is short enough."""
    assert puzzle.towards("co").solve("1C7G8E4A F2B3D5H6 /", within=1).length == 1
    state = puzzle.random_state(4)
    optimal = puzzle.solve(state, metric="WCA")
    assert optimal.length == optimal.at_least == puzzle.depth(state, metric="wca") > optimal.count("/")
    assert puzzle.solve(state, metric="wca", within=2).length <= optimal.length + 2
    for most in (optimal.length, 24, 31):
        short = puzzle.solve(state, metric="wca", max_length=most)
        assert short.length == len(short.moves) <= most
        assert short.is_proved == (short.length == optimal.length)
    assert pickle.loads(pickle.dumps(optimal)).length == optimal.length == optimal.left()[0]


def test_chosen_turns_in_a_row_are_moves_of_their_own(puzzle: Puzzle[State]) -> None:
    some = puzzle.restrict("/ (1,0) (2,0) (0,0) (0,3)")
    assert some.title == "Square-1, / (1,0) (2,0) (0,3) alone"
    assert (some.solve("(1,0) /"), some.depth("(1,3) /")) == ("/ (-1,0)", 3)
