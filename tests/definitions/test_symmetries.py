"""Symmetries preserve moves and distances; whole-puzzle rotations, and files with too many of them."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from cubesolve import puzzle
from cubesolve.catalog import rules_named
from cubesolve.definition import rotations as holding
from cubesolve.definition.definition import Definition, Orbit
from cubesolve.definition.formats import parse_cycles, parse_tws
from cubesolve.definition.rotations import RotationReduction, reduce_by_rotations
from cubesolve.encodings.enumeration import distribution, enumerate_depths
from cubesolve.errors import CubesolveError
from cubesolve.group import symmetries as finding
from cubesolve.group.moves import Effect, Move
from cubesolve.group.permutations import Arrangement, Permutation, after, identity, power
from cubesolve.group.symmetries import MOST_SYMMETRIES, symmetries
from cubesolve.search.packed import PackedPuzzle
from cubesolve.spaces.defined import derived
from cubesolve.spaces.derive import derive
from cubesolve.spaces.rules import Rules
from tests.definitions.samples import disks, rules_of


@pytest.mark.parametrize(
    ("name", "number"),
    [("rubik", 48), ("pyraminx", 24), ("ivy", 24), ("fto", 48), ("megaminx", 120), ("tiles-3x3", 2), ("pancake-5", 1)],
)
def test_number(name: str, number: int) -> None:
    """Rotations and mirror images of the solids, as far as they leave the solved state as it is."""
    rules = rules_of(name)
    found = symmetries(rules.definition.solved, rules.definition.moves(), rules.definition.illegal)
    assert len(found) == number
    assert found[0].points == identity(rules.definition.points)
    assert len({each.points for each in found}) == number


def moves_of(*changes: bytes) -> list[Move]:
    return [Move(str(number), (Effect(each),)) for number, each in enumerate(changes)]


def exchanged(first: int, second: int) -> bytes:
    return bytes({first: second, second: first}.get(place, place) for place in range(8))


def test_one_move_may_not_determine_the_others() -> None:
    """Rotations of a ring of eight by odd numbers of places, and four swaps, which a half turn exchanges."""
    rotations = [bytes((place + shift) % 8 for place in range(8)) for shift in (1, 3, 5, 7)]
    moves = moves_of(*rotations, *(exchanged(*pair) for pair in [(0, 1), (1, 4), (4, 5), (5, 0)]))
    found = {each.moves for each in symmetries([bytes(range(8))], moves)}
    assert len(found) == 8
    assert {tuple(other[move] for move in each) for each in found for other in found} == found


def test_costs_solved_states_and_illegal_labels_count() -> None:
    """Labels that do not occur are on no point, as those of a goal on points that stay."""
    start, (one, other) = bytes(range(8)), moves_of(exchanged(0, 1), exchanged(4, 5))
    alike = symmetries([start], [one, other])
    assert len(alike) == 2
    assert symmetries([start], [one, other], frozenset({(0, 9)})) == alike
    assert len(symmetries([start], [one, other], frozenset({(0, 5)}))) == 1
    assert len(symmetries([start], [one._replace(cost=2), other])) == 1
    assert len(symmetries([start, after(start, exchanged(0, 1))], [one, other])) == 1


def test_too_many_symmetries_or_combinations_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six independent exchanges of pairs can be permuted in 720 ways; the symmetries form a group, at least of one."""
    pairs = [bytes(point ^ (point // 2 == pair) for point in range(12)) for pair in range(6)]
    assert MOST_SYMMETRIES < 720
    assert len(symmetries([identity(12)], moves_of(*pairs))) == 1
    monkeypatch.setattr(finding, "_MOST_CHOICES", 0)
    assert [each.moves for each in symmetries([identity(4)], moves_of(bytes([1, 0, 3, 2])))] == [(0,)]


def test_symmetric_states_have_the_same_key() -> None:
    """In a hashed table: <R, U, F> has 6 symmetries, and algs up to symmetry begin with R or R2."""
    graph = derived(puzzle("rubik").restrict("R U F").rules).graph()
    assert graph.reach
    moves, solved = graph.reduction.moves, [*filter(graph.reach.may_have, graph.reduction.solved)]
    found = symmetries(solved, moves)
    sources = [move.effects[0].sources for move in moves]
    packed = PackedPuzzle(sources, solved, graph.canonical.following, found)
    begins = [move for move, there in enumerate(packed.least[len(graph.canonical.following)]) if there >= 0]
    assert (packed.symmetries, len(begins)) == (6, 2)
    source, keys = random.Random(1), set[int]()
    for _ in range(20):
        alg = source.choices(range(len(moves)), k=12)
        for symmetry in found:
            state, image = solved[0], solved[0]
            for move in alg:
                state, image = after(state, sources[move]), after(image, sources[symmetry.moves[move]])
            key = packed.key(packed.pack(state))
            assert packed.key(packed.pack(image)) == key
            keys.add(int(key))
    assert len(keys) == 20


def packed_of(rules: Rules) -> tuple[PackedPuzzle, list[Permutation], Arrangement]:
    """Return what packs states, the moves, and the solved state."""
    moves, solved = derived(rules).definition.moves(), derived(rules).definition.solved[:1]
    sources = [move.effects[0].sources for move in moves]
    return PackedPuzzle(sources, solved, [[0] * len(moves)], symmetries(solved, moves)), sources, solved[0]


def test_other_states_rarely_have_the_same_key() -> None:
    """With all 48 symmetries of an FTO, random states would have some 200,000 keys; half of them separate states."""
    packed, sources, state = packed_of(rules_named("fto"))
    assert packed.symmetries == 24
    source, keys = random.Random(1), set[int]()
    for number in range(20_000):
        state = after(state, source.choice(sources))
        if number % 8 == 7:
            keys.add(int(packed.key(packed.pack(state))))
    assert len(keys) > 2495


def test_keys_of_one_kind_of_pieces_are_few_only_if_those_of_others_are_many() -> None:
    """With 12 or more of the 48 symmetries of half turns, edges of three labels would have so few keys that some of
    16,384 states share theirs."""
    packed, sources, solved = packed_of(puzzle("rubik").towards("htr").rules)
    states = packed._places.random_states(sources, solved, np.random.default_rng(1))
    assert 1 < packed.symmetries < 12
    assert len(np.unique(packed._keys.ravel()[states].sum(axis=1))) > len(states) - 2


def test_moves_that_list_the_same_effects_in_another_order_are_one() -> None:
    there, back = (Effect(bytes([1, 0, 2]), ((point, 0),)) for point in (0, 1))
    generators = {"A": (there, back), "B": (back, there)}
    moves = Definition("gap", (Orbit("TILES", 3),), (bytes(range(3)),), generators, {"A": "A", "B": "B"}).moves()
    assert [move.name for move in moves] == ["A"]
    assert symmetries([bytes(range(3))], moves)[0].moves == (0,)


# -- Whole-puzzle rotations --------------------------------------------------------------------------------------------


def test_too_many_holdings() -> None:
    rotations = "x := (1,2,3,4); y := (5,6,7,8,9); z := (10,11,12); Uv := (13,14,15,16,17,18,19); Rv := (22,23,24);"
    definition = parse_cycles(f"{rotations} M := (20,21);", "many")
    with pytest.raises(CubesolveError, match="the rotations of many make more than 1,000 orientations"):
        reduce_by_rotations(definition, definition.moves())


def test_a_rotation_that_others_make_is_none_more() -> None:
    """Many rotations are read once."""
    many = "".join(f"{chr(65 + i)}v := x^{i % 4} * y^{i // 4 + 1};" for i in range(16) if chr(65 + i) != "M")
    few = parse_cycles("x := (1,2,3,4); y := (5,6,7,8,9); A := (10,11);", "few")
    more = parse_cycles(f"x := (1,2,3,4); y := (5,6,7,8,9); {many} A := (10,11);", "more")
    assert len(more.rotations) > 10
    found = [reduce_by_rotations(definition, definition.moves()).reference for definition in (few, more)]
    assert [reference and len(reference.rotations) for reference in found] == [20, 20]


def test_reference_pieces_are_not_sought_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """States and distances are the same without rotations."""
    rules = rules_of("tower")
    halves = {name: power(change, 2) if name == "y" else change for name, change in rules.definition.rotations.items()}
    definition, turns = rules.definition._replace(rotations=halves), rules.definition.moves()
    known = _depths(reduce_by_rotations(definition, turns))
    monkeypatch.setattr(holding, "_candidates", lambda *_: itertools.repeat(((0,), (0,))))
    monkeypatch.setattr(holding, "_moved", lambda *_: ())
    reduction = reduce_by_rotations(definition, turns)
    assert (reduction.reference, len(reduction.solved)) == (None, 4)
    assert reduction.rotated
    assert len(reduction.rotated.rotations) == 4
    assert _depths(reduction) == known


def _depths(reduction: RotationReduction) -> tuple[int, ...]:
    rotations = reduction.rotated.rotations if reduction.rotated else ()
    space = derive(reduction.solved[0], reduction.moves, rotations=rotations)
    return distribution(enumerate_depths(space.arrays, 0))


def test_moves_that_only_turn_the_puzzle_leave_one_state() -> None:
    definition = parse_tws(disks({"x": "2 3 1", "M": "2 3 1"}), "still")
    reduction = reduce_by_rotations(definition, definition.moves())
    assert [move.name for move in reduction.moves] == ["M"]
    assert _depths(reduction) == (1,)
