from __future__ import annotations

import re

import pytest
from hypothesis import given

from cubesolve import puzzle
from cubesolve.definition.definition import Definition, Orbit, Power
from cubesolve.definition.notation import (
    LETTERS,
    MOST_MOVES,
    FaceTurn,
    expand_alg,
    format_alg,
    invert_alg,
    limited,
    moves_of,
    parse_alg,
)
from cubesolve.errors import InvalidMoveError
from cubesolve.group.moves import Effect
from cubesolve.runtime.deadline import Deadline, EndedError, running
from tests.strategies import algs


@given(algs)
def test_alg_round_trip(alg: str) -> None:
    assert format_alg(parse_alg(alg)) == alg
    assert invert_alg(invert_alg(alg)) == alg
    assert parse_alg("".join(alg.split())) == parse_alg(alg)


@pytest.mark.parametrize(
    "marked",
    [
        "R >Q2< U", "R >U4<", "R >U0'<", ">R2'2<", "  >r<", "R >Uw<", ">3Rw<", ">4Rw<", ">2M<", ">'<", "R >@!< U",
        "R >(<U R", "R U>)<", "[R, U>)<", "R >[<U]", "[R: U>:< F]", "R>,<U", "R >/*< U",
    ],
)  # fmt: skip
def test_what_is_no_move_is_named(marked: str) -> None:
    begin, token, end = re.split("[<>]", marked)
    alg, position = begin + token + end, len(begin)
    with pytest.raises(InvalidMoveError) as caught:
        parse_alg(alg)
    assert (caught.value.token, caught.value.position) == (token, position)
    assert f"(character {position + 1})" in str(caught.value)


def test_what_to_write_instead_of_a_wide_turn() -> None:
    for alg, turned in (("r", "x"), ("Lw2", "x'"), ("3Bw", "z'")):
        with pytest.raises(InvalidMoveError, match=f"as {turned} does: expected U R F D L B x y z"):
            parse_alg(alg)
    for alg, layers in (("M", " of a cube without middle layers"), ("2R", " of .*"), ("R4", ""), ("-", "")):
        with pytest.raises(InvalidMoveError, match=f"is not a move{layers}: expected U R F D L B x y z"):
            parse_alg(alg)
    with pytest.raises(InvalidMoveError, match="expected U R F D L B M E S x y z, wide turns Uw or u, each also with"):
        parse_alg("q", LETTERS)


@pytest.mark.parametrize(
    ("alg", "moves"),
    [
        ("Ri U3 F3' D'2 L`", "R' U' F D2 L'"),
        ("r u2 f' Rw", "Rw Uw2 Fw' Rw"),
        ("1R 2Rw 3Rw 3Lw2 3Dw' 3fw", "R Rw x x2 y z"),
        ("2R 2L 2U' 2D 2F2 2B", "M' M E E S2 S'"),
        ("(R U)3 (R U2)' ()5 (F)0", "R U R U R U U2 R'"),
        ("[R, U] [r: U2] [F: [R', D]]'", "R U R' U' Rw U2 Rw' F D R' D' R F'"),
        ("(R U')2' [R, U]'2", "U R' U R' U R U' R' U R U' R'"),
        ("(R U)x3 (F)*2' [R, U]^2 (U)\u00d72 (D)x (L) x'", "R U R U R U F' F' R U R' U' R U R' U' U U D x L x'"),
        ("// F2L\n R U // U2\n/* R2\nD2 */ R'", "R U R'"),
        ("R//", "R"),
        (" R\u2019\tU2'\nR ", "R' U2 R"),
        ("", ""),
    ],
)
def test_algs_as_people_write_them(alg: str, moves: str) -> None:
    assert format_alg(parse_alg(alg, LETTERS)) == moves


def test_repetitions_are_never_rotations() -> None:
    by_definition = puzzle("4x4x4").parse
    for read in (lambda alg: parse_alg(alg, LETTERS), by_definition):
        for alg in ("(R U) x3", "[R, U]  x2", "(R U)\nx3"):
            with pytest.raises(InvalidMoveError, match=r"'x[23]' .* is ambiguous after a group"):
                read(alg)
        for alg in ("(R U)*", "(R U)^-1", "(R U) *3"):
            with pytest.raises(InvalidMoveError, match="is not a move"):
                read(alg)
        read("(R U)2 x2")
    assert by_definition("(R U)x3") == by_definition("R U R U R U")
    swap = Definition("swap", (Orbit("DISKS", 3),), (bytes(range(3)),), {"g1": (Effect(b"\1\2\0"),)})
    assert swap.parse("(g1)x2") == swap.parse("(g1)2") == swap.parse("(g1)^2") == [Power("g1", 2)]


def test_known_words_are_read_only_as_words() -> None:
    assert parse_alg("R // U R'") == parse_alg("/* U */ R") == [FaceTurn("R", 1)]
    assert parse_alg("RU R'U'") == parse_alg("[R, U]") == parse_alg("R U R' U'")


def test_groups_do_not_eat_the_memory() -> None:
    assert len(parse_alg(f"(R){MOST_MOVES}")) == MOST_MOVES
    nested = "R"
    for _ in range(40):
        nested = f"[{nested}, U]"
    for alg in (nested, "(R)999999", "((((R)99)99)99)99", "(R)49999" * 3):
        with pytest.raises(InvalidMoveError, match="exceeds the limit of 100,000 moves"):
            parse_alg(alg)
    assert parse_alg("(" * 5_000 + ")" * 5_000) == []
    with pytest.raises(InvalidMoveError, match="is not closed"):
        parse_alg("(" * 5_000)
    assert len(parse_alg("R" * (MOST_MOVES + 1))) == MOST_MOVES + 1  # no groups, no limit


def test_another_limit_counts_every_move() -> None:
    for alg in ("R U F R", "(R)4", "R (U)3", "[R, U]", "R [R: U]"):
        with pytest.raises(InvalidMoveError, match="exceeds the limit of 3 moves"), limited(3):
            parse_alg(alg)
    with limited(3):
        assert len(parse_alg("R (U F)1")) == len(parse_alg("[R: U]")) == 3
        assert parse_alg("(()999999)999999") == []
        with pytest.raises(InvalidMoveError, match="is not a move"):
            parse_alg("Q")
    assert len(parse_alg("R U F R")) == 4


def test_a_long_alg_is_rejected_before_it_is_expanded() -> None:
    undone = []

    def undo(move: str) -> str:
        undone.append(move)
        return move

    for alg in ("((ab)999')50", "[(ab)499, c]", "[(ab)499: cdef]"):
        with pytest.raises(InvalidMoveError, match="exceeds the limit"), limited(1_000):
            expand_alg(alg, lambda alg, position: (alg[position], position + 1), undo)
    assert undone == []


def test_moves_in_other_forms() -> None:
    assert moves_of(["R U", FaceTurn("U", 2), "(F)2"]) == parse_alg("R U U2 F F")
    for alg in (None, 3, b"R", ["R", None], [["R"]], ["R", 3]):
        with pytest.raises(InvalidMoveError, match="of the type"):
            moves_of(alg)  # type: ignore[arg-type]


def test_long_algs_are_read_by_words_within_the_deadline() -> None:
    words = ["R", "U2", "F'", "x"] * 5_000
    alg = " ".join(words)
    assert [str(move) for move in parse_alg(alg)] == words
    assert [str(move) for move in parse_alg(f"{alg} (U D)")] == [*words, "U", "D"]
    with pytest.raises(InvalidMoveError, match=rf"'Q' \(character {len(alg) + 2}\) is not a move"):
        parse_alg(f"{alg} Q")
    for read in (alg, f"{alg} (U D)"):
        with running(Deadline(timeout=0)), pytest.raises(EndedError):
            parse_alg(read)
