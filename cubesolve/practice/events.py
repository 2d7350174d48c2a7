"""Scrambles for the events of the World Cube Association, in the form of its Regulations (4b3) and of TNoodle.

`EVENTS` describes each event. States are uniformly random among those that the Regulations allow, or else the event
says that its scrambles are random moves, as many as those of TNoodle (thewca/tnoodle-lib). Official competitions must
use the association's own program.

>>> [scramble.alg for scramble in scrambles("pyram", 2, rng=7)]
["B R' L B' U R B L R B L r b'", "B L' R' B' U L B' R' L R' B' r b u'"]
"""

from __future__ import annotations

import functools
import itertools
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from cubesolve import lookup
from cubesolve.definition.facelets import turn
from cubesolve.definition.notation import FACES, FaceTurn
from cubesolve.picture.render import framed, picture_svg
from cubesolve.runtime.arguments import integer, meant, one_of, plain
from cubesolve.solvers.sources import random_source, seeded
from cubesolve.spaces.defined import DerivedRules, derived
from cubesolve.spaces.rules import Rules

if TYPE_CHECKING:
    from cubesolve.ask import Puzzle
    from cubesolve.picture.pictures import Picture
    from cubesolve.solvers.solver import Source

__all__ = ["EVENTS", "Event", "Scramble", "scrambles"]

RANDOM_STATES, RANDOM_MOVES = "random states", "random moves"  # kinds of scrambles


class Event(NamedTuple):
    """An event.

    Attributes:
        name: its name, as the World Cube Association has it.
        title: its name in words.
        puzzle: the name of its puzzle.
        attempts: the number of attempts in a round.
        draw: yields a number of scrambles.
        method: `RANDOM_STATES` or `RANDOM_MOVES`.
    """

    name: str
    title: str
    puzzle: str
    attempts: int
    draw: Callable[[random.Random, int], Iterator[str]]
    method: str = RANDOM_STATES


class Scramble(NamedTuple):
    """A scramble.

    Attributes:
        event: the event.
        alg: the moves; lines are separated by line breaks.
    """

    event: Event
    alg: str

    @property
    def puzzle(self) -> Puzzle:
        """The puzzle of the event."""
        return lookup.puzzle(self.event.puzzle)

    @property
    def state(self) -> Any:
        """The state after the scramble."""
        return self.puzzle.rules.view.scrambled(self.alg)

    @property
    def picture(self) -> Picture | None:
        """The net of the state."""
        return self.puzzle.rules.view.picture(self.state)


def scrambles(event: str, number: int = 1, rng: Source = None, *, seed: int | None = None) -> Iterator[Scramble]:
    """Yield scrambles for an event.

    Args:
        event: the name of the event, one of `EVENTS`.
        number: the number of scrambles.
        rng: a source of random numbers, or a seed for one; by default the system's randomness.
        seed: a seed, instead of `rng`.

    Raises:
        ValueError: there is no such event, or `rng` and `seed` are both given.
        TableError: a table is missing or damaged.

    >>> [scramble.alg for scramble in scrambles("222", 2, rng=7)]
    ["R F U' F U' R' F R2 F' U2 F", "R U F R' F' R F2 U2 R2 U' F'"]
    """
    drawn = EVENTS[event_named(event)]
    algs = drawn.draw(random_source(seeded(rng, seed)), integer("number", number, 0))
    return (Scramble(drawn, alg) for alg in algs)


def event_named(text: str) -> str:
    """Return the name of the event that a text means.

    >>> event_named("3x3"), event_named("4x4x4 BF"), event_named("5BLD"), event_named("Pyraminx")
    ('333', '444bf', '555bf', 'pyram')
    """
    if isinstance(text, str):
        ended = re.sub("(bld|blind|blindfolded)$", "bf", plain(text))
        spelled = re.sub(r"^(\d)(x\1){0,2}(?![\dx])", r"\1\1\1", ended)
        text = meant(_SPELLINGS.get(spelled, spelled), EVENTS) or text
    return one_of("event", text, tuple(EVENTS))


_SPELLINGS = {
    "bf": "333bf", "mbf": "333mbf", "multibf": "333mbf", "oh": "333oh", "fmc": "333fm", "333fmc": "333fm",
    "pyraminx": "pyram", "megaminx": "minx", "square1": "sq1",
}  # fmt: skip


# -- What several events share -----------------------------------------------------------------------------------------


def _whole(puzzle: str, rng: random.Random, number: int, length: int | None = None) -> Iterator[str]:
    return lookup.puzzle(puzzle).solver.scrambles(number, rng, length=length)


def is_scrambled(rules: Rules, alg: str) -> bool:
    """Return whether the state after an alg needs at least two moves: World Cube Association, Regulations, 4b3.

    >>> from cubesolve.catalog import rules_named
    >>> is_scrambled(rules_named("4x4x4"), "Rw y"), is_scrambled(rules_named("4x4x4"), "Rw U")
    (False, True)
    """
    assert isinstance(rules, DerivedRules)  # as the puzzles of these events
    definition, solved = rules.definition, rules.labelling.solved_arrangements
    state = definition.apply(definition.solved[0], definition.parse(alg))
    return state not in solved and all(move.apply(state) not in solved for move in definition.moves())


# -- Cubes -------------------------------------------------------------------------------------------------------------

_AXES = ("UD", "RL", "FB")
_LONGEST = 21  # moves of a scramble of the 3x3x3; one whose ends are chosen has two more
_PADDING = "R' U' F"  # around a scramble for fewest moves: it hides which edges are oriented


def _axis(move: str) -> str:
    letter = move.lstrip("3")[0].upper()
    return next(axis for axis, faces in zip("YXZ", _AXES, strict=True) if letter in faces + axis)


def _orientations(up: str, side: str, front: str) -> list[str]:
    """Return the 24 ways to orient a cube, by moves about the axes of U, R and F."""
    firsts = ["", side, f"{side}2", f"{side}'", front, f"{front}'"]
    seconds = ["", up, f"{up}2", f"{up}'"]
    return [f"{first} {second}".strip() for first in firsts for second in seconds]


# -- 3x3x3: random states ----------------------------------------------------------------------------------------------


def _blindfolded(rng: random.Random, number: int) -> Iterator[str]:
    orientations, others = _orientations("Uw", "Rw", "Fw"), random.Random(rng.getrandbits(64))
    for alg in _whole("rubik", rng, number):
        ending = others.choice(orientations)
        yield f"{_fitting(alg, '', ending)} {ending}".strip()


def _fewest(rng: random.Random, number: int) -> Iterator[str]:
    for alg in _whole("rubik", rng, number):
        yield f"{_PADDING} {_fitting(alg, _PADDING, _PADDING)} {_PADDING}"


def _fitting(alg: str, before: str, after: str) -> str:
    """Return an alg that leads to the same cube, and whose ends cancel with no move before or after it.

    If those of this one do, others are made from a first move, a last one, and a scramble between them.
    """
    if _is_joined(before, alg, after):
        return alg
    rubik = lookup.puzzle("rubik")
    view = rubik.rules.view
    for first, last in itertools.product(rubik.moves, repeat=2):
        if _is_joined(before, first) and _is_joined(last, after):
            between = rubik.parse(f"{view.invert(first)} {alg} {view.invert(last)}")
            middle = view.invert(str(rubik.solve(between, max_length=_LONGEST)))
            if _is_joined(first, middle, last):
                return f"{first} {middle} {last}"
    return alg


def _is_joined(*algs: str) -> bool:
    """Return whether no two neighbouring algs end and begin with turns about the same axis."""
    moves = [alg.split() for alg in algs if alg]
    return all(_axis(one[-1]) != _axis(other[0]) for one, other in itertools.pairwise(moves))


# -- 4x4x4: random states ----------------------------------------------------------------------------------------------


def _revenge(ending: Sequence[str], rng: random.Random, number: int) -> Iterator[str]:
    others = random.Random(rng.getrandbits(64))
    for alg in lookup.puzzle("4x4x4").solver.scrambles(number, rng):
        yield f"{_on_one_side(alg)} {others.choice(ending)}".strip()


def _on_one_side(alg: str) -> str:
    """Return an alg whose wide moves turn U, R and F, and that leads to the same state of a 4x4x4 up to a rotation.

    A wide move is a rotation of the puzzle, followed by a wide move of the opposite face.

    >>> _on_one_side("Dw R Bw2 Uw Lw'")
    "Uw F Rw2 Uw Fw'"
    """
    held, written = FACES, list[str]()  # the face that is now at each face of the puzzle as it was held
    for move in alg.split():
        name = FACES[held.index(move[0])] + move[1:]
        if "w" in move and name[0] in FACES[3:]:
            side = FACES.index(name[0]) - 3
            # The rotation is left out, so later moves turn the faces that it would bring to their places.
            held = turn(1, held, [FaceTurn("yxz"[side], {"": 1, "2": 2, "'": 3}[name[2:]])])
            name = FACES[side] + name[1:]
        written.append(name)
    return " ".join(written)


# -- Larger cubes: random moves ----------------------------------------------------------------------------------------


def _large(puzzle: str, length: int, orientations: Sequence[str], rng: random.Random, number: int) -> Iterator[str]:
    rules, moves = lookup.puzzle(puzzle).rules, _moves(int(puzzle[0]))
    while number:
        ending = rng.choice(orientations)
        alg = " ".join(_walk(moves, length, ending.split()[:1], rng))
        if is_scrambled(rules, alg):
            yield f"{alg} {ending}".strip()
            number -= 1


def _moves(size: int) -> Sequence[str]:
    definition = derived(lookup.puzzle(f"{size}x{size}x{size}").rules).definition
    moves = [step.name for step in definition.chosen]
    return moves if size % 2 else moves[:-3]  # both sides of the middle cut are the same


def _walk(moves: Sequence[str], length: int, ending: Sequence[str], rng: random.Random) -> list[str]:
    """Return random moves, of which no two of the same layers are equal to one."""
    walk, run = list[str](), list[str]()
    forbidden = {_axis(move) for move in ending}
    while len(walk) < length:
        move = rng.choice(moves)
        along = run if run and _axis(move) == _axis(run[-1]) else []
        if move not in along and (len(walk) < length - 1 or _axis(move) not in forbidden):
            run = [*along, move]
            walk.append(move + rng.choice(("", "2", "'")))
    return walk


# -- Pyraminx and Skewb ------------------------------------------------------------------------------------------------

_CORNER_MOVES = 11  # moves, without those of tips; every state of both puzzles has such a scramble
_TIPS = "lrbu"
_FEWEST_MOVES = 6  # moves to solve a Pyraminx: World Cube Association, Regulations, 4b3f


def _pyraminx(rng: random.Random, number: int) -> Iterator[str]:
    """Yield scrambles with tips at the end; a state of the Pyraminx is one without tips, and one of its tips."""
    pyraminx = lookup.puzzle("pyraminx")
    for _ in range(number):
        depth, tips = 0, list[str]()
        while depth + len(tips) < _FEWEST_MOVES:
            turns = (rng.choice(("", tip, f"{tip}'")) for tip in _TIPS)
            depth, tips = pyraminx.depth(pyraminx.random_state(rng)), [turn for turn in turns if turn]
        yield " ".join([pyraminx.scramble(rng, depth=depth, length=_CORNER_MOVES), *tips])


# -- Megaminx ----------------------------------------------------------------------------------------------------------

_MEGAMINX_LINES, _MEGAMINX_PAIRS = 7, 5
_MEGAMINX_DIRECTIONS = ("++", "--")


def _megaminx(rng: random.Random, number: int) -> Iterator[str]:
    """Yield scrambles of seven lines, which end with U in the direction of the last move before it, as in TNoodle."""
    rules = lookup.puzzle("megaminx").rules
    while number:
        alg = "\n".join(_megaminx_line(rng) for _ in range(_MEGAMINX_LINES))
        if is_scrambled(rules, alg):
            yield alg
            number -= 1


def _megaminx_line(rng: random.Random) -> str:
    moves = [side + rng.choice(_MEGAMINX_DIRECTIONS) for _ in range(_MEGAMINX_PAIRS) for side in "RD"]
    return " ".join([*moves, "U" if moves[-1] == "D++" else "U'"])


# -- The table of events -----------------------------------------------------------------------------------------------


def _larger(
    name: str, size: int, length: int, title: str = "", attempts: int = 5, ways: Sequence[str] = ("",)
) -> Event:
    puzzle = f"{size}x{size}x{size}"
    draw = functools.partial(_large, puzzle, length, ways)
    return Event(name, title or f"{puzzle} Cube", puzzle, attempts, draw, RANDOM_MOVES)


_EVENTS = (
    Event("222", "2x2x2 Cube", "pocket", 5, functools.partial(_whole, "pocket")),
    Event("333", "3x3x3 Cube", "rubik", 5, functools.partial(_whole, "rubik")),
    Event("333oh", "3x3x3 One-Handed", "rubik", 5, functools.partial(_whole, "rubik")),
    Event("333bf", "3x3x3 Blindfolded", "rubik", 5, _blindfolded),
    Event("333mbf", "3x3x3 Multi-Blind", "rubik", 3, _blindfolded),
    Event("333fm", "3x3x3 Fewest Moves", "rubik", 3, _fewest),
    Event("444", "4x4x4 Cube", "4x4x4", 5, functools.partial(_revenge, [""])),
    Event("444bf", "4x4x4 Blindfolded", "4x4x4", 5, functools.partial(_revenge, _orientations("y", "x", "z"))),
    _larger("555", 5, 60),
    _larger("555bf", 5, 60, "5x5x5 Blindfolded", 5, _orientations("3Uw", "3Rw", "3Fw")),
    _larger("666", 6, 80, attempts=3),
    _larger("777", 7, 100, attempts=3),
    Event("pyram", "Pyraminx", "pyraminx-tips", 5, _pyraminx),
    Event("skewb", "Skewb", "skewb", 5, functools.partial(_whole, "skewb", length=_CORNER_MOVES)),
    Event("minx", "Megaminx", "megaminx", 5, _megaminx, RANDOM_MOVES),
    Event("sq1", "Square-1", "square1", 5, functools.partial(_whole, "square1")),
    Event("clock", "Clock", "clock", 5, functools.partial(_whole, "clock")),
    Event("fto", "Face-Turning Octahedron", "fto", 5, functools.partial(_whole, "fto")),
)

EVENTS: Mapping[str, Event] = {event.name: event for event in _EVENTS}
"""The events by name."""


# -- Sheets: pages for printing, with a picture of each state ----------------------------------------------------------

EXTRA = ("extra 1", "extra 2")  # the captions of scrambles after the attempts

_MANY = 40  # moves of a scramble in smaller letters


def sheet_of(scrambles: Sequence[tuple[str, Scramble]]) -> str:
    """Return a page for printing.

    >>> sheet_of([("1", scramble) for scramble in scrambles("222", 1, rng=7)]).count("<svg")
    1
    """
    event = scrambles[0][1].event
    kind = "long" if len(scrambles[0][1].alg.split()) >= _MANY else "short"
    rows = "\n".join(_row(caption, scramble) for caption, scramble in scrambles)
    note = f'<p class="note">{escape(f"Scrambles: {event.method}.")}</p>'
    return framed(event.title, f'{note}\n<table class="{kind}">\n{rows}\n</table>')


def _row(caption: str, scramble: Scramble) -> str:
    lines = (" ".join(f"<span>{escape(move)}</span>" for move in line.split()) for line in scramble.alg.split("\n"))
    alg = "\n".join(lines)
    picture = picture_svg(scramble.picture) or ""
    return (
        f'<tr><th scope="row">{escape(caption)}</th><td class="alg">{alg}</td><td class="picture">{picture}</td></tr>'
    )
