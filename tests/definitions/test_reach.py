"""Numbers of states: published ones, and plain enumeration where moves can be blocked; pieces that stay together."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cubesolve import RubikCube, puzzle
from cubesolve.ask import Puzzle
from cubesolve.definition.formats import parse_tws
from cubesolve.definition.reach import reach as reach_of
from cubesolve.errors import InvalidMoveError
from cubesolve.group.permutations import Arrangement, arrangement
from cubesolve.solvers.defined_arrays import may_have
from cubesolve.store.tables import Tables
from tests.definitions.samples import disks, rules_of
from tests.distances import distances
from tests.subsets import later


def test_the_helicopter_cube_has_the_published_number_of_states() -> None:
    """As it is listed by jaapsch.net, and without rotations, in 24 orientations."""
    rules = rules_of("helicopter.gap")
    published, alone = 493_694_233_804_800_000, rules_of(rules.definition._replace(rotations={}))  # 7! * 3^6 * 6!^4 / 2
    assert (rules.number_of_states, rules.order) == (published, published * 24)
    assert (alone.number_of_states, alone.order) == (published * 24, published * 24)


@pytest.mark.parametrize("ring", [later("1 2 3 4 5 6 7 8"), "1 2 3 4 5 5 5 8", "1 1 2 2 3 3 4 4"])
@pytest.mark.parametrize("illegal", ["2 4", "5 1; 3 4", "5 1 2; 6 4; 8 1", "8 2 3"])
def test_blocked_moves_are_counted_as_enumeration_does(ring: str, illegal: str, tmp_path: Path) -> None:
    moves = {"A": "2 3 4 1 5 6 7 8", "B": "1 2 3 5 6 7 8 4", "C": "5 2 3 4 1 6 7 8"}
    rules = rules_of(parse_tws(disks(moves, ring, "Illegal DISKS " + illegal.replace(";", "\nIllegal DISKS")), "test"))
    graph = rules.graph()

    def around(state: Arrangement) -> Iterator[Arrangement]:
        return filter(None, (graph.moved(state, turn) for turn in graph.definition_moves))

    states = distances([rules.definition.solved[0]], around)
    assert graph.number_of_states == len(states)
    assert graph.reach is not None
    assert all(graph.reach.may_have(state) for state in itertools.islice(states, 100))
    assert graph.most_states >= len(states)
    source = random.Random(1)
    for _ in range(50):
        assert graph.reach.random_state(source) in states
        shuffled = bytes(source.sample(sorted(rules.definition.solved[0]), 8))
        assert graph.reach.may_have(shuffled) == (shuffled in states)
    asked = Puzzle(rules, Tables(tmp_path)).towards("* * * 4 * * * *")  # merges labels that may be illegal
    assert asked.distribution() == asked.distribution(levels=99)


@pytest.mark.parametrize(
    "name",
    ["tiles-2x3", "skewb", "pyraminx-tips", "docs/rings.tws", "docs/glued-ring.tws", later("4x4x4"), later("fto")],
)
def test_many_arrangements_are_checked_as_each_is(name: str) -> None:
    rules: Any = puzzle(name).rules
    reach, source = rules.graph().reach, random.Random(7)
    rows = [list(reach.random_state(source)) for _ in range(40)]
    for row in rows[10:]:  # mostly with other twists or parities, or in pieces
        kind = source.choice(reach.loops.kinds)
        one, other = source.sample([*kind.along.values()], 2)
        for a, b in zip(one, other, strict=True):
            row[a], row[b] = row[b], row[a]
    expected = [reach.may_have(arrangement(row)) for row in rows]
    assert len({*expected}) == 2 or name in {"docs/rings.tws", "4x4x4"}  # where pieces are exchanged at will
    assert may_have(reach, np.array(rows, np.uint8)).tolist() == expected


# -- Pieces that stay together -----------------------------------------------------------------------------------------


def test_the_bandaged_cube_turns_where_the_glued_pieces_stay_together() -> None:
    bandaged, rng = puzzle("docs/bandaged.tws"), random.Random(1)
    assert bandaged.states == 43_252_003_274_489_856_000 // 24
    for _ in range(10):
        state, alg = bandaged.parse(""), list[str]()
        for _ in range(12):
            move = rng.choice("URFDLB") + rng.choice(["", "2", "'"])
            torn = is_torn(" ".join(alg), move[0])
            try:
                state = state.apply(move)
            except InvalidMoveError:
                assert torn
                continue
            assert not torn
            alg.append(move)
        homes = [int(word) - 1 for word in str(state).split(";")[0].split()]
        assert "".join("URFDLB"[home // 9] for home in homes) == RubikCube.from_alg(" ".join(alg)).facelets


def is_torn(alg: str, face: str) -> bool:
    """Whether a turn of a face after an alg would separate the corner UFR from the edge UR."""
    definition = puzzle("rubik").rules.view.definition  # type: ignore[attr-defined]
    place = definition.apply(bytes(range(54)), definition.parse(alg)) if alg else bytes(range(54))
    turned = definition.apply(place, definition.parse(face))
    return len({place.index(sticker) != turned.index(sticker) for sticker in (8, 5)}) > 1


def test_blocks_turn_with_the_puzzle() -> None:
    """A rotation leads from one position of a block to another; a centre that turns in its place is turned."""
    sets = "Set DISKS 4 1\nSet MIDDLE 1 4\nSolved\nMIDDLE\n1\n?\nEnd\n"
    moves = {"A": "2 3 4 1\nMIDDLE\n1\n1", "x": "3 4 1 2\nMIDDLE\n1\n2", "C": "2 1 3 4"}
    moved = "".join(f"Move {name}\nDISKS\n{places}\nEnd\n" for name, places in moves.items())
    definition = parse_tws(f"{sets}{moved}Block\nDISKS\n1\nMIDDLE\n1\nEnd", "disks")
    for alg, is_blocked in {"C": 1, "A C": 0, "A2 C": 0, "A' C": 1, "x C": 0, "x A C": 1}.items():
        with pytest.raises(InvalidMoveError) if is_blocked else nullcontext():
            definition.apply(definition.solved[0], definition.parse(alg), alg)


@pytest.mark.parametrize(("name", "shapes"), [("square1", 3678), ("bandaged", 24), ("glued-ring", 2)])
def test_shapes_are_counted_first(name: str, shapes: int) -> None:
    definition = puzzle(f"docs/{name}.tws").rules.definition  # type: ignore[attr-defined]
    found = reach_of(definition.solved[0], definition.moves(), definition.illegal)
    assert len(found.ways) == shapes
    state = found.random_state(random.Random(1))
    assert (definition.is_legal(state), found.may_have(state)) == (True, True)
