from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from cubesolve import Puzzle, puzzle
from cubesolve.definition.formats import (
    format_kpuzzle_pattern,
    parse_cycles,
    parse_definition,
    parse_graph,
    parse_kpuzzle,
    parse_kpuzzle_pattern,
    parse_kpuzzle_transformation,
    parse_tws,
    read_definition,
)
from cubesolve.definition.selection import costs_of
from cubesolve.errors import CubesolveWarning, InvalidDefinitionError, InvalidStateError
from tests.definitions.samples import HALF_TURNS_CYCLES, POCKET_KPUZZLE, POCKET_TWS, RING, RINGS, rules_of
from tests.encodings.rings import counts_of
from tests.facts import DATA, POCKET


def test_published_distribution_of_half_turns() -> None:
    definition = parse_cycles(HALF_TURNS_CYCLES, "file")
    assert [*counts_of(rules_of(definition).graph())] == POCKET["move_sets"]["<U2,R2,F2>"]["distribution"]
    assert (definition.name, definition.points) == ("file", 8)


ACCEPTED: dict[str, Any] = json.loads((DATA / "accepted_definitions.json").read_text())
TWO_DISKS = "Set DISKS 2 1\nSolved\nEnd\nMove S\nDISKS\n2 1\nEnd\n"


def _kpuzzle(**changes: Any) -> str:
    """A ring of three disks with some changed keys at the top level; None removes a key."""
    return json.dumps({key: value for key, value in (RING | changes).items() if value is not None})


def test_names_comments_and_ends_of_lines() -> None:
    assert parse_tws("Name 3x3x3 <M, U>\n" + TWO_DISKS, "file").name == "3x3x3 <M, U>"
    assert [parse_kpuzzle(_kpuzzle(name=name), "file").name for name in (None, "ring")] == ["file", "ring"]
    expected = parse_tws(TWO_DISKS, "file")
    assert expected.name == "file"
    for text in (
        TWO_DISKS.replace("\n", "\r\n"),
        TWO_DISKS.replace("\n", "\r"),
        TWO_DISKS.strip(),
        "\n\n# Set\n" + TWO_DISKS.replace("\n", "  \n\n\t# Move\n "),
    ):
        assert parse_tws(text, "file") == expected


def test_orientations_modulo_a_number() -> None:
    spin = {"permutation": [0, 1], "orientationDelta": [1, 5]}
    text = {
        "orbits": [{"orbitName": "HANDS", "numPieces": 2, "numOrientations": 12}],
        "defaultPattern": {"HANDS": {"pieces": [0, 1], "orientation": [0, 0], "orientationMod": [3, 4]}},
        "moves": {"SPIN": {"HANDS": spin}},
    }
    definition = parse_kpuzzle(json.dumps(text), "file")
    state = definition.apply(definition.solved[0], definition.parse("SPIN2"))
    assert format_kpuzzle_pattern(definition, state) == {
        "HANDS": {"pieces": [0, 1], "orientation": [2, 2], "orientationMod": [3, 4]}
    }
    assert counts_of(rules_of(definition).graph()) == (1, 11)


@pytest.mark.parametrize(("text", "moves"), [row for rows in ACCEPTED.values() for row in rows])
def test_ways_to_write_moves(text: str | dict[str, Any], moves: dict[str, str] | list[str]) -> None:
    """Moves have these permutations or names, in this order; rotations are the last."""
    definition = parse_definition(text if isinstance(text, str) else json.dumps(text), "file")
    generators = {name: effects[0].sources for name, effects in definition.generators.items()}
    found = {name: " ".join(map(str, sources)) for name, sources in {**generators, **definition.rotations}.items()}
    assert list(found) == list(moves)
    assert isinstance(moves, list) or found == moves


def test_powers_of_names_that_end_in_digits() -> None:
    definition = parse_cycles("g1 := (1,2,3,4); g12 := (1,3);", "file")
    assert [move.name for move in definition.moves()] == ["g1", "(g1)2", "g1'", "g12"]
    for turn in definition.moves():
        steps = definition.parse(turn.name)
        assert definition.apply(definition.solved[0], steps) == turn.apply(definition.solved[0])
        assert len(steps) == 1
    assert (
        definition.written(definition.parse("[(g1)2: (g12 g1)2] (g1) ((g1)'2)")) == "(g1)2 g12 g1 g12 g1 (g1)2 g1 (g1)2"
    )
    assert definition.positions("(g1 g12)2 (g1)2 g1") == [1, 4, 1, 4, 10, 16]


def opened(folder: Path, text: str) -> Puzzle:
    path = folder / "made.txt"
    path.write_text(text)
    return puzzle(str(path))


def test_a_power_of_a_name_that_ends_in_a_digit_is_chosen(tmp_path: Path) -> None:
    chosen = opened(tmp_path, "g1 := (1,2,3,4,5,6); A := (1,2);").restrict("(g1)2 A", cost="(g1)2=3")
    assert chosen.moves == ("(g1)2", "(g1)2'", "A")
    assert (chosen.depth("(g1)2'"), chosen.solve("(g1)2'"), chosen.solve("(g1)2")) == (2, "(g1)2' (g1)2'", "(g1)2'")
    assert chosen.rules.spoken.endswith("--moves '(g1)2 A' --cost '(g1)2=3'")


def test_powers_of_generators_are_no_moves_where_inverses_are_listed(tmp_path: Path) -> None:
    generators = '{"L": [1, 2, 3, 4, 0], "-L": [4, 0, 1, 2, 3], "X": [1, 0, 2, 3, 4]}'
    graph = opened(tmp_path, f'{{"central_state": [0, 1, 2, 3, 4], "generators": {generators}}}')
    assert tuple(graph.distribution()) == (1, 3, 6, 10, 16, 24, 29, 21, 6, 3, 1)
    assert (graph.solve("L L X"), graph.moves) == ("X -L -L", ("L", "-L", "X"))
    assert graph.scramble(rng=1, depth=10)
    assert graph.restrict("L X").moves == ("L", "-L", "X")
    assert "-L" in graph.scramble(rng=2, depth=10).split()
    assert "inverses" not in graph.restrict(cost="X=2").title


def test_moves_of_orbits_that_are_not_there_are_ignored_with_a_warning() -> None:
    swapped = {"permutation": [1, 0, 2], "orientationDelta": [0, 0, 0]}
    moves = {"T": {"DISKS": swapped, "EDGES": swapped}}
    with pytest.warns(CubesolveWarning, match="ring: no orbit is called 'EDGES': ignored in moves"):
        swap = parse_kpuzzle(_kpuzzle(moves=moves), "swap")
    assert list(swap.apply(swap.solved[0], swap.parse("T . T . T ."))) == [*range(4, 8), *range(4), *range(8, 12)]
    assert swap.parse(".") == []
    with pytest.raises(InvalidStateError, match="EDGES: is not understood"):
        parse_kpuzzle_transformation(swap, moves["T"])
    with pytest.raises(InvalidDefinitionError, match=r"'\.' is not a valid name of a move"):
        parse_kpuzzle(_kpuzzle(moves={".": {"DISKS": swapped}}), "swap")


def test_states_of_graphs_are_their_labels(tmp_path: Path) -> None:
    generators = '{"L": [1, 2, 3, 0], "-L": [3, 0, 1, 2], "X": [1, 0, 2, 3]}'
    graph = opened(tmp_path, f'{{"central_state": [0, 0, 1, 1], "generators": {generators}}}')
    for state in ("0 1 0 1", "0,1,0,1", "[0, 1, 0, 1]", [0, 1, 0, 1], (0, 1, 0, 1)):
        assert (graph.depth(state), graph.solve(state)) == (2, "X L")
    with pytest.raises(InvalidStateError, match="'2' at 3 is not one of the POINTS: expected 0 1"):
        graph.depth("0 1 1 2")


def test_a_graph_has_many_generators() -> None:
    def swapped(pair: tuple[int, int]) -> list[int]:
        return [pair[::-1][pair.index(point)] if point in pair else point for point in range(33)]

    names = {str(list(pair)): swapped(pair) for pair in itertools.combinations(range(33), 2)}
    assert len(names) == 528
    graph = parse_graph(json.dumps({"central_state": [*range(33)], "generators": names}), "swaps")
    assert [move.name for move in graph.moves()][:2] == ["[0,1]", "[0,2]"]
    more = {f"{name}{mark}": swap for name, swap in names.items() for mark in "_=~+!@$;"}
    with pytest.raises(InvalidDefinitionError, match="there are too many moves: at most 4096, and"):
        parse_graph(json.dumps({"central_state": [*range(33)], "generators": more}), "swaps")


def test_names_of_generators_with_brackets(tmp_path: Path) -> None:
    names = {"(0,1,2,3)": [1, 2, 3, 0], "(0 1)": [1, 0, 2, 3], "R[1..3]": [0, 3, 2, 1], "I": [0, 1, 2, 3]}
    assert opened(tmp_path, json.dumps({"central_state": [0, 1], "generators": {"L;": [1, 0]}})).depth("L;") == 1
    graph = opened(tmp_path, json.dumps({"central_state": [0, 1, 2, 3], "generators": names}))
    assert graph.moves == ("(0,1,2,3)", "(0,1,2,3)2", "(0,1,2,3)'", "(0,1)", "R[1..3]")
    assert graph.solve("((0,1) R[1..3])2") == graph.solve("(0,1) R[1..3] (0,1) R[1..3]") == "(0,1) R[1..3]"
    assert graph.solve("(0,1,2,3)2'") == "(0,1,2,3)2"
    assert list(json.loads(graph.definition("kpuzzle"))["moves"]) == ["0_1_2_3_", "0_1_", "R_1..3_"]
    assert opened(tmp_path, graph.definition("cayleypy")).distribution() == graph.distribution()
    with pytest.raises(InvalidDefinitionError, match="is not a valid name of a move"):
        parse_graph('{"central_state": [0, 1], "generators": {"(0,1": [1, 0]}}', "swap")


def test_costs_of_names_with_the_marks_of_costs() -> None:
    ring = parse_graph('{"central_state": [0, 1, 2], "generators": {"A*": [1, 2, 0], "A=": [1, 0, 2]}}', "ring")
    assert [move.name for move in ring.moves()] == ["A*", "A*'", "A="]
    assert costs_of(ring, {"A*": 2}) == {"A*": 2}
    assert costs_of(ring, "A*'=2 A==3") == {"A*'": 2, "A=": 3}
    assert costs_of(ring, "A?=2") == {"A*": 2, "A=": 2}
    edges = parse_graph('{"central_state": [0, 1, 2], "generators": {"R[1]": [1, 0, 2], "R[2,3]": [0, 2, 1]}}', "edges")
    assert costs_of(edges, "R[1]=2, R[2,*]=3") == {"R[1]": 2, "R[2,3]": 3}


# -- Patterns ----------------------------------------------------------------------------------------------------------


def test_target_patterns() -> None:
    """All beads look alike, and of two disks neither the places nor the orientations matter."""
    rings = parse_tws(RINGS, "file")
    beads, disks = {"pieces": [0] * 4, "orientation": [0] * 4}, {"pieces": [0, 0, 2], "orientation": [0, 0, 1]}
    data = {"BEADS": beads, "DISKS": disks | {"orientationMod": [1, 1, 0]}}
    target = parse_kpuzzle_pattern(rings, data, target=True)
    assert list(target) == [0, 0, 0, 0, 4, 4, 4, 4, 9, 8]
    assert format_kpuzzle_pattern(rings, target) == data
    with pytest.raises(InvalidStateError, match=r"BEADS\.pieces: piece 0 occurs 4 times, not 2"):
        parse_kpuzzle_pattern(rings, data)


def test_a_pattern_need_not_say_what_is_known() -> None:
    pattern = {"pieces": [0, 1, 2], "orientation": [0, 0, 0], "orientationMod": [0, 1, 0]}
    definition = parse_kpuzzle(_kpuzzle(defaultPattern={"DISKS": pattern}), "file")
    state = parse_kpuzzle_pattern(definition, {"DISKS": {"pieces": [1, 0, 2], "orientation": [1, 0, 1]}})
    assert format_kpuzzle_pattern(definition, state) == {
        "DISKS": {"pieces": [1, 0, 2], "orientation": [0, 0, 1], "orientationMod": [1, 0, 0]}
    }


# -- Files -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *((name, POCKET_TWS) for name in ("a.TWS", "a.ksolve", "a.def")),
        ("a", "# comment\n\n" + POCKET_TWS),
        *((name, POCKET_KPUZZLE) for name in ("a.kpuzzle.json", "a.txt")),
        *((name, HALF_TURNS_CYCLES) for name in ("a.gap", "a.g", "a.txt")),
        *(("a.txt", text) for text in ("(1,2)", "[(1,2)]", "Group((1,2))")),
    ],
)
def test_formats_of_files(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    for content in (text.encode(), b"\xef\xbb\xbf" + text.encode(), text.replace("\n", "\r\n").encode()):
        path.write_bytes(content)
        definition = read_definition(path)
        assert definition == read_definition(str(path))
        assert definition.generators
    assert definition.name in {"Pocket", "a"}


def test_pieces_without_names_are_called_as_in_the_file() -> None:
    """Also pieces that look alike, and pieces that the solved state has elsewhere or twisted."""
    text = "Set A 4 3\nSolved\nA\n3 3 1 4\n1 0 ? 2\nEnd\nMove M\nA\n2 3 4 1\n0 1 0 0\nEnd"
    rules = rules_of(parse_tws(text, "file"))
    assert str(rules.read("")) == "3+1 3 1 4+2"
    assert rules.read("3+1 3 1 4+2") == rules.read("")
    assert str(rules.read("M")) == "3+1 1 4+2 3+1"
    for alg in ("M", "M2 M", "M2"):
        state = rules.read(alg)
        assert rules.read(str(state)) == state
    with pytest.raises(InvalidStateError, match=r"'3' at 2: 3 such pieces of the A, where there should be 2"):
        rules.read("1 3 3 3")


def test_numbers_of_two_digits_are_not_turned_by_their_digits() -> None:
    exchange = f"2 1 {' '.join(map(str, range(3, 13)))}"
    rules = rules_of(parse_tws(f"Set A 12 2\nSolved\nEnd\nMove M\nA\n{exchange}\nEnd", "file"))
    solved = rules.read("")
    flipped = rules.read(str(solved).replace(" 11 12", " 11+1 12+1"))
    assert str(flipped).endswith("9 10 11+1 12+1")
    assert rules.read(str(solved)) == solved != flipped == rules.read(str(flipped))


def test_pieces_that_a_list_says_look_alike() -> None:
    """As PuzzleGeometry writes them."""
    moves = "M_A:=(1,4)(2,5)(3,6);\nM_B:=(1,7,8)(2,9,10)(3,11,12);\nGen:=[\nM_A,M_B\n];\n"
    definition = parse_cycles(f"# PuzzleGeometry\n{moves}ip:=[[1,4],[7],[8]];\n# Size(Group(Gen));\n", "file")
    assert list(definition.solved[0]) == [0, 1, 2, 0, 1, 2, 6, 7, 8, 9, 10, 11]
    # Four pieces with three stickers each, all of which can be exchanged, and of which two look alike.
    assert rules_of(definition).number_of_states == 12
