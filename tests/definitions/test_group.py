"""Groups against published orders, closed formulas, and plain enumeration."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cubesolve import puzzle
from cubesolve.catalog import names, rules_named
from cubesolve.definition.formats import parse_cycles, parse_tws
from cubesolve.definition.reach import group_of
from cubesolve.errors import CubesolveError, TooLargeError
from cubesolve.group import group as groups
from cubesolve.group.group import Group, TooLargeGroupError
from cubesolve.group.permutations import Permutation, after, arrangement, identity
from cubesolve.spaces.defined import DerivedRules
from cubesolve.spaces.derived import make_ready
from tests.definitions.samples import disks, rules_of
from tests.distances import distances
from tests.strategies import examples

F = math.factorial


@pytest.mark.parametrize(
    ("puzzle", "moves", "order"),
    [
        # Edges have 7 places and never flip; corners have 6, and are arranged in 120 ways (PGL(2, 5)).
        ("rubik", "R U", 120 * 3**5 * F(7) // 2),
        ("rubik", "U R F", F(7) * 3**6 * F(9) * 2**8 // 2),
        ("rubik", "R U F D L", F(8) * 3**7 * F(12) * 2**10),
        ("rubik", "U2 R2 F2 D2 L2 B2", 663_552),  # OEIS A080627
        ("pocket", "U R F D L B", F(8) * 3**7),
    ],
)
def test_chosen_moves_make_a_group_of_known_order(puzzle: str, moves: str, order: int) -> None:
    assert rules_of(puzzle, moves).order == order


def _enumerated(points: int, changes: list[Permutation], most: int = 1 << 20) -> set[Permutation]:
    """Return all members of a group."""
    found = {identity(points)}
    newest = found
    while newest and len(found) <= most:
        newest = {after(change, member) for member in newest for change in changes} - found
        found |= newest
    return found


@pytest.mark.parametrize("points", [1, 2, 256, 257])
def test_all_permutations_of_so_many_points(points: int) -> None:
    swap = arrangement([*reversed(range(min(points, 2))), *range(2, points)])
    everything = Group(points, [swap, arrangement([*range(1, points), 0])])
    assert everything.order == F(points)
    assert everything.arrangements(arrangement(range(points))) == F(points)
    assert everything.arrangements(arrangement(point % 2 for point in range(points))) == math.comb(points, points // 2)


def test_a_permutation_of_a_large_order() -> None:
    """A permutation of 100 points with a cycle for each prime up to 23: its powers are not listed."""
    sources: list[int] = []
    for prime in (2, 3, 5, 7, 11, 13, 17, 19, 23):
        sources += [len(sources) + (i + 1) % prime for i in range(prime)]
    assert Group(100, [arrangement(sources)]).order == 223_092_870


class _Kind(NamedTuple):
    """Pieces of a random puzzle: their number, orientations, and the kind that moves with them, if any."""

    pieces: int
    orientations: int = 1
    along: int | None = None
    same_twist: bool = False


def _change(kinds: Sequence[_Kind], source: random.Random) -> Permutation:
    """A random permutation of the orientations of all pieces."""
    sources: list[int] = []
    orders: list[list[int]] = []
    for kind in kinds:
        order = source.sample(range(kind.pieces), kind.pieces) if kind.along is None else orders[kind.along]
        orders.append(order)
        twists = [source.randrange(kind.orientations) for _ in order]
        first = len(sources)
        sources += [
            first
            + origin * kind.orientations
            + (turned + (twists[0] if kind.same_twist else twist)) % kind.orientations
            for origin, twist in zip(order, twists, strict=True)
            for turned in range(kind.orientations)
        ]
    return arrangement(sources)


@examples(150)
@given(
    st.integers(2, 12).flatmap(lambda n: st.permutations(range(n))),
    st.integers(1, 3),
    st.lists(st.integers(0, 3), min_size=12, max_size=12),
    st.randoms(use_true_random=False),
)
def test_any_group_is_what_enumeration_finds(
    renamed: list[int], number: int, labels: list[int], source: random.Random
) -> None:
    """Pieces with orientations, of any number for each move, in any order of points."""
    points, changes = len(renamed), list[Permutation]()
    for _ in range(number):
        orientations = source.choice([each for each in range(1, points + 1) if points % each == 0])
        move = _change([_Kind(points // orientations, orientations)], source)
        sources = {renamed[to]: renamed[origin] for to, origin in enumerate(move)}
        changes.append(arrangement(sources[point] for point in range(points)))
    members = _enumerated(points, changes, 5000)
    assume(len(members) <= 5000)
    found = Group(points, changes)
    assert found.order == len(members)
    assert all(member in found for member in itertools.islice(members, 100))
    assert found.random_member(source) in members
    other = arrangement(source.sample(range(points), points))
    assert (other in found) == (other in members)
    state = arrangement(labels[:points])
    images = {after(state, member) for member in members}
    assert found.arrangements(state) in {None, len(images)}
    shuffled = after(state, other)
    assert found.made(state, [shuffled, after(state, found.random_member(source))]) in (
        None,
        [shuffled in images, True],
    )


def test_every_member_is_as_likely() -> None:
    turns = Group(4, [b"\1\2\3\0", b"\1\0\2\3"])
    drawn = Counter(map(turns.random_member, itertools.repeat(random.Random(1), 4800)))
    assert len(drawn) == turns.order == 24
    assert max(abs(number - 200) for number in drawn.values()) < 60  # four times the standard deviation


# -- Groups that are recognized as full, and the same by their stabilizer chains ---------------------------------------


PUZZLES = {
    "one kind": [_Kind(9)],
    "few pieces": [_Kind(5), _Kind(6, 2), _Kind(7, 3)],
    "fewer pieces": [_Kind(4, 3), _Kind(8)],
    "three kinds with orientations": [_Kind(8, 3), _Kind(12, 2), _Kind(1, 4)],
    "orientations that are no prime number": [_Kind(8, 4), _Kind(6, 6)],
    "a kind that goes along": [_Kind(8, 3), _Kind(8, 2, along=0), _Kind(9)],
    "one that goes along without orientation": [_Kind(8, 3), _Kind(8, 1, along=0)],
    "pieces that all turn the same way": [_Kind(8, 3, same_twist=True), _Kind(10, 2)],
    "large and small": [_Kind(20, 3), _Kind(24), _Kind(24), _Kind(5, 2)],
}


@pytest.mark.parametrize("name", PUZZLES)
@pytest.mark.parametrize("seed", range(3))
def test_proved_orders_are_those_of_levels(name: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    source = random.Random(f"{name} {seed}")
    changes = [_change(PUZZLES[name], source) for _ in range(2 + seed)]
    points = len(changes[0])
    found = Group(points, changes)
    monkeypatch.setattr(groups, "is_full", lambda *_: False)
    levels = Group(points, changes)
    assert found.order == levels.order
    for _ in range(10):
        assert found.random_member(source) in levels
        assert levels.random_member(source) in found
        other = _change(PUZZLES[name], source)
        assert (other in found) == (other in levels)
        shuffled = arrangement(source.sample(range(points), points))
        assert (shuffled in found) == (shuffled in levels)


def test_six_pieces_can_be_arranged_as_other_six_by_the_outer_automorphism() -> None:
    """Six points, and the six ways to join them in pairs fifteen times: the same group acts on both (Sylvester)."""
    duads = [(a, b) for a in range(6) for b in range(a + 1, 6)]
    synthemes = [
        frozenset((x, y, z)) for x in duads for y in duads for z in duads if x < y < z and len({*x, *y, *z}) == 6
    ]

    six = [
        total
        for total in map(frozenset, itertools.combinations(synthemes, 5))
        if len(frozenset[tuple[int, int]]().union(*total)) == len(duads)
    ]
    assert len(six) == 6

    def both(change: Sequence[int]) -> Permutation:
        def moved(duad: tuple[int, int]) -> tuple[int, int]:
            a, b = sorted(change[point] for point in duad)
            return a, b

        there = [frozenset(frozenset(map(moved, syntheme)) for syntheme in total) for total in six]
        return arrangement([*change, *(6 + six.index(total) for total in there)])

    group = Group(12, [both([1, 2, 3, 4, 5, 0]), both([1, 0, 2, 3, 4, 5])])
    assert group.order == F(6)
    other = Group(12, [both([1, 2, 3, 4, 5, 0]), arrangement([1, 0, *range(2, 12)])])
    assert other.order == F(6) * 6  # beside all of the one, the powers of the first move on the other


def test_a_hundred_kinds_take_a_moment() -> None:
    source = random.Random(1)
    kinds = [_Kind(24)] * 100
    group = Group(2400, [_change(kinds, source) for _ in range(5)])
    assert group.order == F(24) ** 100 // 2 ** (100 - 5)
    assert group.random_member(source) in group


# -- Arrangements of puzzles -------------------------------------------------------------------------------------------


def test_puzzles_of_few_arrangements_and_none() -> None:
    """Pieces that cannot be exchanged at will are counted; moves that are not always possible make no group."""
    five = {"A": "2 3 4 5 1", "B": "1 3 5 2 4"}
    rules, illegal = (
        rules_of(parse_tws(disks(five, *more), "five")) for more in (("1 1 1 2 2",), ("", "Illegal DISKS 1 2"))
    )
    assert (rules.order, rules.number_of_states) == (20, 10)
    assert (illegal.order, rules_of("tiles-3x3").order) == (None, None)


@pytest.mark.parametrize(
    "name", [name for name in names() if isinstance(rules := rules_named(name), DerivedRules) and rules.pinned]
)
def test_states_of_puzzles_that_ship_are_those_of_their_tables(name: str) -> None:
    assert rules_of(name).graph().number_of_states == sum(rules_of(name).pinned["htm"].distribution)


_FIVES = ["".join(f"({','.join(str(i + 5 * j) for j in range(n))})" for i in range(1, 6)) for n in (8, 2)]
BLOCKS = f"a := (1,2,3,4,5); b := (1,2); c := {_FIVES[0]}; d := {_FIVES[1]};"


def test_what_is_too_large_is_not_known_but_bounded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Blocks of five that change places."""
    rules = rules_of(parse_cycles(BLOCKS, "blocks"))
    assert rules.order == rules.number_of_states == F(5) ** 8 * F(8)
    monkeypatch.setattr(groups, "MOST_KEPT", 1 << 10)
    group_of.cache_clear()  # of the loops, of which there are too many to be kept
    file = tmp_path / "blocks.gap"
    file.write_text(BLOCKS)
    found = puzzle(str(file))
    assert (found.rules.order, found.rules.number_of_states) == (None, None)
    with pytest.raises(CubesolveError, match=r"^the number of states of blocks is not known: at most 8\.1 \* 10\^47$"):
        _ = found.states
    group = "the order of the group that the moves of blocks make"
    with pytest.raises(CubesolveError, match=rf"^{group} is not known: at most 8\.1 \* 10\^47$"):
        _ = found.group_order
    monkeypatch.setattr(groups, "MOST_LABOUR", 1 << 8)
    with pytest.raises(TooLargeGroupError):
        _ = Group(294, [effects[0].sources for effects in rules_of("cube7.gap").definition.generators.values()]).order


def test_a_large_group_with_rotations_is_given_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the middle layers of a 7x7x7, the centres have 24 of 720 arrangements, so that levels must be proved."""
    rules = rules_of("cube7.gap")
    assert rules.graph().reduction.reference is not None
    monkeypatch.setattr(groups, "MOST_LABOUR", 1 << 22)
    with monkeypatch.context() as patched:
        patched.setattr(rules.graph()._reaching, "_make", None)
        assert (rules.order, rules.number_of_states) == (None, None)
    assert rules.graph().most_states > 10**100
    assert 10**100 < rules.graph().least_states < rules.graph().most_states
    monkeypatch.setattr("cubesolve.spaces.derived.derive", None)  # refused before
    with pytest.raises(TooLargeError, match=r"^there are \d\.\d \* 10\^\d+ states or more, more than can be enum"):
        make_ready(rules.graph())


@given(st.lists(st.permutations(range(8)), min_size=1, max_size=3), st.text("abc", min_size=8, max_size=8))
@examples(100)
def test_a_lower_bound_of_the_number_of_arrangements(drawn: list[list[int]], text: str) -> None:
    changes, labels = [arrangement(change) for change in drawn], arrangement(text.encode())
    found = distances([labels], lambda here: (after(here, change) for change in changes))
    assert 1 <= Group(8, changes).least_arrangements(labels) <= len(found)


def test_what_is_listed_of_each_kind_bounds_the_number_from_below(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twelve pieces that M12 permutes, six of them alike: the order alone gives a bound of one."""
    shift, swap, turn = "(1,2,3,4,5,6,7,8,9,10,11)", "(3,7,11,8)(4,10,5,6)", "(1,12)(2,11)(3,6)(4,8)(5,9)(7,10)"
    group: Any = rules_of(parse_cycles(f"a := {shift}; b := {swap}; c := {turn};", "M12")).group
    assert group.order == 95040
    assert -(-group.order // (F(6) * F(6))) == 1
    assert group.least_arrangements(b"aaaaaabbbbbb") == 792  # all choices of 6 but the 132 hexads of S(5, 6, 12)
    assert group.arrangements(b"aaaaaabbbbbb") == 792
    monkeypatch.setattr(groups, "Group", mock.Mock(side_effect=TooLargeGroupError))
    assert group.arrangements(b"aaaaaabbbbbb") is None  # the order of a stabilizer would take too long
