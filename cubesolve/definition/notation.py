"""Moves, algs and metrics in the notation of the World Cube Association.

A *move* is a letter and an amount: ``U`` is a quarter turn clockwise as one looks at the face, ``U'`` the same
anticlockwise, ``U2`` a half turn. ``Uw`` turns the face and the layer behind it, ``M E S`` turn the layer between two
faces as ``L D F`` would, ``x y z`` the whole cube as ``R U F`` would. An *alg* is a sequence of moves.

Common variants are accepted: ``r`` for ``Rw``, ``3Rw`` for ``x``, ``2R`` for ``M'``, ``Ri`` and ``R3`` for
``R'``; ``(R U)3`` and ``(R U)x3`` three times, ``[R, U]`` the commutator ``R U R' U'``, ``[R: U]`` the conjugate
``R U R'``; ``.`` a pause; ``R, U`` moves in a list; ``// a comment`` up to the end of its line, and ``/* another */``.
"""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar
from typing import Any, Generic, NamedTuple, TypeVar

from cubesolve.definition.metrics import powers
from cubesolve.errors import InvalidMoveError
from cubesolve.runtime.deadline import check

Item = TypeVar("Item")

FACES = "URFDLB"
"""The six faces, in the order in which facelets are listed."""

ROTATIONS = "xyz"
"""The letters of whole-cube rotations."""

SLICES = "MES"
"""The letters of turns of the layer between L and R, D and U, F and B."""

LETTERS = (*(face + "w" for face in FACES), *FACES, *SLICES, *ROTATIONS)
"""The letters with which a move of a 3x3x3 cube can begin."""

MOST_MOVES = 100_000
"""The limit of the moves in the expanded groups of an alg, unless `limited` sets another."""

_SUFFIXES = {1: "", 2: "2", 3: "'"}
PRIMES = "'\u2019\u2018\u2032\u00b4`"
"""The signs of an inverse: a typewriter's apostrophe, and its replacements in word processors and phones."""

TIMES = "x\u00d7*^"
"""The signs of a repetition, between a group and its number."""

REPEAT = rf"(?:[{TIMES}](?=\d))?(\d{{0,6}})([{PRIMES}]?)(\d{{0,6}})"
"""The number after a group, and an inverse, as a pattern."""

_AROUND = {"R": ("x", 1), "L": ("x", 3), "U": ("y", 1), "D": ("y", 3), "F": ("z", 1), "B": ("z", 3)}
_BETWEEN = {"L": ("M", 1), "R": ("M", 3), "D": ("E", 1), "U": ("E", 3), "F": ("S", 1), "B": ("S", 3)}


class FaceTurn(NamedTuple):
    """A letter and a number of quarter turns clockwise (1 to 3).

    >>> FaceTurn("R", 3), str(FaceTurn("R", 3)), str(FaceTurn("R", 3).inverse())
    (FaceTurn(letter='R', turns=3), "R'", 'R')
    """

    letter: str
    turns: int

    def __str__(self) -> str:
        return self.letter + _SUFFIXES[self.turns]

    def inverse(self) -> FaceTurn:
        """Return the inverse of this move."""
        return FaceTurn(self.letter, 4 - self.turns)


_LIMIT: ContextVar[int | None] = ContextVar("limit", default=None)  # of all moves; None limits those in groups alone


@contextlib.contextmanager
def limited(most: int) -> Iterator[None]:
    """Limit the moves of all algs that this thread or task reads within a `with` block, also those outside of groups.

    >>> with limited(5):
    ...     parse_alg("(R U)3")
    Traceback (most recent call last):
        ...
    cubesolve.errors.InvalidMoveError: '(' (character 1) exceeds the limit of 5 moves
    """
    token = _LIMIT.set(most)
    try:
        yield
    finally:
        _LIMIT.reset(token)


# -- Reading algs ------------------------------------------------------------------------------------------------------


class _Group(Generic[Item]):
    """The part of a group of an alg that has been read."""

    def __init__(self, opening: str, position: int) -> None:
        self.opening, self.position = opening, position  # the bracket; empty for the alg as a whole
        self.first: list[Item] = []  # in ``[A, B]`` and ``[A: B]``, the moves of A
        self.joint = ""  # the comma or colon, once it has been read
        self.items: list[Item] = []  # the moves read since then


_CLOSING = {"(": ")", "[": "]"}
_BLANKS = 20  # after a group, in which a number of times may follow
_AT_ONCE = 1_000  # words, or characters, that are read without a check of the deadline
_MOST_WORDS = 1_000  # that are kept; input can spell a move in any number of ways


def expand_alg(
    alg: str,
    read: Callable[[str, int], tuple[Iterable[Item], int]],
    undo: Callable[[Item], Item],
    bracketed: re.Pattern[str] | None = None,
) -> list[Item]:
    """Read an alg with its groups, commutators, conjugates and comments, for any kind of moves.

    Args:
        read: reads one move: takes the alg and a position in it, and returns the moves and the end position.
        undo: returns the inverse of a move.
        bracketed: matches moves that begin with a bracket, which `read` reads; by default brackets are those of groups.

    >>> expand_alg("[a: b] (ab)'2", lambda alg, i: (alg[i], i + 1), str.upper)
    ['a', 'b', 'A', 'B', 'A', 'B', 'A']
    """
    if not isinstance(alg, str):
        raise InvalidMoveError(str(alg), 0, f"is of the type {type(alg).__name__}: an alg is text")
    skipped = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/|(?<!\S)\.(?!\S))*", re.DOTALL)
    repeated = re.compile(REPEAT)
    limit = _LIMIT.get()
    most_moves = MOST_MOVES if limit is None else limit
    groups: list[_Group[Item]] = [_Group("", 0)]
    position = skipped.match(alg).end()  # type: ignore[union-attr]  # it matches nothing, too
    checked = -1
    while position < len(alg):
        if position > checked:
            check()
            checked = position + _AT_ONCE
        symbol, group = alg[position], groups[-1]
        if symbol in _CLOSING and not (bracketed and bracketed.match(alg, position)):
            groups.append(_Group(symbol, position))
            position += 1
        elif symbol in ",:" and group.opening == "[" and not group.joint:
            group.first, group.joint, group.items = group.items, symbol, []
            position += 1
        elif symbol == _CLOSING.get(group.opening):
            amount = repeated.match(alg, position + 1)
            assert amount is not None  # as above
            groups.pop()
            number = int(amount[1] or 1) * int(amount[3] or 1)
            groups[-1].items += _expanded(group, number, bool(amount[2]), len(groups[-1].items), undo, most_moves)
            position = amount.end()
        elif len(groups) == 1 and position and alg[position : position + 2].strip() == ",":
            position += 1  # a comma and a blank between moves
        elif symbol in ")],:":
            raise InvalidMoveError(symbol, position, "has no opening bracket before it")
        else:
            moves, end = read(alg, position)
            group.items.extend(moves)
            if limit is not None and len(group.items) > limit:
                raise _too_many(alg[position:end], position, limit)
            position = end
        position = skipped.match(alg, position).end()  # type: ignore[union-attr]
    if len(groups) > 1:
        raise InvalidMoveError(groups[-1].opening, groups[-1].position, "is not closed")
    return groups[0].items


def require_rotation(token: str, alg: str, position: int) -> None:
    """Reject ``x2`` and ``x3`` after a group and a blank, which may mean a rotation or a repetition.

    >>> require_rotation("x2", "(R U) x2", 6)
    Traceback (most recent call last):
        ...
    cubesolve.errors.InvalidMoveError: 'x2' (character 7) is ambiguous after a group: write (R U)2 or (R U) x x
    """
    if (
        token[0] == "x"
        and re.fullmatch(r"x\d+", token)
        and re.search(r"[)\]]\s+$", alg[max(0, position - _BLANKS) : position])
    ):
        number = int(token[1:])
        turns = "x'" if number == 3 else "x x"
        raise InvalidMoveError(token, position, f"is ambiguous after a group: write (R U){number} or (R U) {turns}")


class AlgReader(Generic[Item]):
    """Reads algs of one kind of moves, and keeps the moves of words: most algs are words that were read before.

    >>> reader = AlgReader(lambda alg, i: ([alg[i]], i + 1), str.upper)
    >>> reader("a b a"), reader("(a b)'")
    (['a', 'b', 'a'], ['B', 'A'])
    """

    def __init__(
        self,
        read: Callable[[str, int], tuple[list[Item], int]],
        undo: Callable[[Item], Item],
        bracketed: re.Pattern[str] | None = None,
    ) -> None:
        self._read, self._undo, self._bracketed = read, undo, bracketed
        self._known: dict[str, list[Item]] = {}

    def __call__(self, alg: str) -> list[Item]:
        """Return the moves of an alg."""
        if not isinstance(alg, str) or _LIMIT.get() is not None:
            return expand_alg(alg, self._read, self._undo, self._bracketed)
        words, cached, moves = alg.split(), self._known, list[Item]()
        with contextlib.suppress(KeyError):
            for first in range(0, len(words), _AT_ONCE):
                check()
                few = words[first : first + _AT_ONCE]
                for word in {*few} - cached.keys():
                    self._learn(word)
                moves += [move for word in few for move in cached[word]]
            return moves
        return expand_alg(alg, self._read, self._undo, self._bracketed)

    def positions(self, alg: str) -> list[int]:
        """Return where in an alg each of its moves is written; those of a group repeat.

        >>> AlgReader(lambda alg, i: ([alg[i]], i + 1), str.upper).positions("a (b c)2")
        [0, 3, 5, 3, 5]
        """

        def read(alg: str, position: int) -> tuple[list[int], int]:
            moves, end = self._read(alg, position)
            return [position] * len(moves), end

        return expand_alg(alg, read, lambda position: position, self._bracketed)

    def _learn(self, word: str) -> None:
        """Keep the moves of a word that is one move, if there is room."""
        with contextlib.suppress(InvalidMoveError):
            if len(self._known) >= _MOST_WORDS:
                return
            moves, end = self._read(word, 0)
            if end == len(word):
                self._known[word] = moves


def _too_many(token: str, position: int, most: int) -> InvalidMoveError:
    return InvalidMoveError(token, position, f"exceeds the limit of {most:,} moves")


def _expanded(
    group: _Group[Item], number: int, backwards: bool, others: int, undo: Callable[[Item], Item], most: int
) -> list[Item]:
    """The moves of a group that is repeated a number of times, after `others` moves."""
    first, second = group.first, group.items
    if group.opening == "[" and not group.joint:
        raise InvalidMoveError("[", group.position, "must begin [A, B] or [A: B]; the comma or colon is missing")

    def undone(items: list[Item]) -> list[Item]:
        return [undo(item) for item in reversed(items)]

    # Only a group that is not too long is expanded.
    length = len(first) * (2 if group.joint else 1) + len(second) * (2 if group.joint == "," else 1)
    if length * number + others > most:
        raise _too_many(group.opening, group.position, most)
    moves = first + second + (undone(first) if group.joint else [])
    if group.joint == ",":
        moves += undone(second)
    return (undone(moves) if backwards else moves) * number


def parse_alg(alg: str, letters: Sequence[str] = FACES + ROTATIONS) -> list[FaceTurn]:
    """Read an alg of a cube with some letters, in WCA notation or the variants that this module lists.

    >>> [str(move) for move in parse_alg("R U2 R'x")]
    ['R', 'U2', "R'", 'x']
    >>> [str(move) for move in parse_alg("r2 [M': U] // and no more", LETTERS)]
    ['Rw2', "M'", 'U', 'M']
    """
    return _reader(tuple(letters))(alg)


@functools.lru_cache(maxsize=16)
def _reader(letters: tuple[str, ...]) -> AlgReader[FaceTurn]:
    token = re.compile(rf"(\d*)([A-Za-z]w?)(\d*)([{PRIMES}i]?)(\d*)")
    names = frozenset(letters)

    def read(alg: str, position: int) -> tuple[list[FaceTurn], int]:
        match = token.match(alg, position)
        if match is None:
            word = alg[position:].split(maxsplit=1)[0]
            raise InvalidMoveError(word, position, _not_a_move(letters))
        letter, turns = _in_letters(match[1], match[2])
        amount = match[3] + match[5] or "1"
        if letter not in names or amount not in {"1", "2", "3"} or (match[1] == "3" and "Uw" not in names):
            wrong = match[2] if match[1] == "3" else "" if letter in names else letter
            raise InvalidMoveError(match[0], position, _not_a_move(letters, wrong))
        require_rotation(match[0], alg, position)
        return [FaceTurn(letter, turns * int(amount) * (-1 if match[4] else 1) % 4)], match.end()

    return AlgReader(read, FaceTurn.inverse)


def _in_letters(layers: str, letter: str) -> tuple[str, int]:
    """The letter, from `LETTERS`, and the amount of a quarter turn of some layers; empty if there is none."""
    wide = letter[0] in FACES.lower() or letter.endswith("w")
    face = letter[0].upper()
    if face not in FACES:
        return (letter, 1) if not layers else ("", 1)
    by_layers = {"": (face + "w" * wide, 1), "1": (face, 1)}
    by_layers |= {"2": (face + "w", 1), "3": _AROUND[face]} if wide else {"2": _BETWEEN[face]}
    return by_layers.get(layers, ("", 1))


def _not_a_move(letters: Sequence[str], letter: str = "") -> str:
    """The reason why a token is not a move with some letters, and the expected moves."""
    expected = " ".join(letter for letter in letters if len(letter) == 1)
    if "Uw" in letters:
        return f"is not a move: expected {expected}, wide turns Uw or u, each also with ' or 2"
    if letter and letter[0].upper() in FACES:
        turned = str(FaceTurn(*_AROUND[letter[0].upper()]))
        return f"turns all layers of a cube that has two, as {turned} does: expected {expected}, each also with ' or 2"
    if letter and letter in SLICES:
        return f"is not a move of a cube without middle layers: expected {expected}, each also with ' or 2"
    return f"is not a move: expected {expected}, each also with ' or 2"


def moves_of(
    alg: str | FaceTurn | Iterable[str | FaceTurn], letters: Sequence[str] = FACES + ROTATIONS
) -> list[FaceTurn]:
    """Return the moves of an alg, of a `FaceTurn`, or of a list of these."""
    if isinstance(alg, str):
        return parse_alg(alg, letters)
    if isinstance(alg, FaceTurn):
        if alg.letter not in [*letters] or alg.turns not in _SUFFIXES:
            raise InvalidMoveError(f"{alg.letter} {alg.turns}", 0, _not_a_move(letters))
        return [alg]
    moves = []
    for item in _listed(alg):
        if not isinstance(item, (str, FaceTurn)):
            raise InvalidMoveError(str(item), 0, f"is of the type {type(item).__name__}, in a list of moves")
        moves += moves_of(item, letters)
    return moves


def _listed(alg: Any) -> list[Any]:
    if not isinstance(alg, (bytes, bytearray)):
        with contextlib.suppress(TypeError):
            return list(alg)
    raise InvalidMoveError(str(alg), 0, f"is of the type {type(alg).__name__}: an alg is text, or a list of moves")


def format_alg(moves: list[FaceTurn]) -> str:
    """Write moves as an alg, separated by blanks."""
    return " ".join(map(str, moves))


def invert_alg(alg: str) -> str:
    """Return the inverse of an alg, which may have any of the `LETTERS`.

    >>> invert_alg("R U2 F'")
    "F U2 R'"
    """
    return format_alg([move.inverse() for move in reversed(parse_alg(alg, LETTERS))])


def metric_moves(metric: str, letters: str) -> list[FaceTurn]:
    """Return the moves that count as one in a metric, in the order that breaks ties.

    >>> format_alg(metric_moves("htm", "UR")), format_alg(metric_moves("qtm", "UR"))
    ("U U2 U' R R2 R'", "U U' R R'")
    """
    return [FaceTurn(letter, turns) for letter in letters for turns in powers(metric, 1, 4)]
