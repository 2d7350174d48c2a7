"""The Square-1: its definition, algs with turns before each twist, and targets of a search (pure Python)."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from cubesolve.definition.definition import Definition, Orbit, Power
from cubesolve.definition.goals import Allowed, mask_of
from cubesolve.definition.notation import expand_alg
from cubesolve.errors import InvalidMoveError, InvalidStateError
from cubesolve.group.moves import Effect, Move
from cubesolve.group.permutations import Arrangement, after, arrangement, identity

LAYER = 12  # number of places in a layer

HALF = LAYER // 2

WEDGES = 2 * LAYER  # number of wedges, and the first of the two points of the middle layer
TOP, BOTTOM, TWIST = "U", "D", "/"  # generators: turns of the two layers, and the twist of the right half

PIECES = (*("UFL", "UL", "UBL", "UB", "UBR", "UR", "UFR", "UF"), *("DF", "DFR", "DR", "DBR", "DB", "DBL", "DL", "DFL"))
"""The names of the pieces, in the order of their homes; corners have three letters."""

FIRST = tuple(sum(len(name) - 1 for name in PIECES[:number]) for number in range(len(PIECES)))
"""The first wedge of each piece, which is its home."""

CORNER_WEDGES, EDGE_WEDGES = (
    [first for first, piece in zip(FIRST, PIECES, strict=True) if len(piece) == letters] for letters in (3, 2)
)
"""The first wedge of each corner, and the wedge of each edge."""

SECOND_WEDGES = frozenset(first + 1 for first in CORNER_WEDGES)  # second wedge of each corner

_BARE = r"\s*([+-]?\d{1,2})\s*,\s*([+-]?\d{1,2})"
_TURN = re.compile(rf"\({_BARE}\s*\)", re.ASCII)
_BARE_TURN = re.compile(rf"(?<![\d)\]]){_BARE}(?!\s*,|\d)", re.ASCII)  # a number after a group is its repetitions
_EXPECTED = "is not a move: expected / or the turns of both layers, such as (3,-1)"

_Placed = tuple[Power, int]  # and where in an alg it is written


class Square1Definition(Definition):
    """A definition whose algs are written as the World Cube Association writes them: ``(1,0) / (-1,3) /``.

    The brackets may be omitted where no other comma follows, as in ``1,0 / -1,3 /``.
    """

    __slots__ = ()

    def reader(self) -> Callable[[str], list[Power]]:
        """Return a reader of algs, which combines turns in a row, as corners may block the cut in between."""
        return lambda alg: [step for step, _ in _combined(self.placed(alg))]

    def positions(self, alg: str) -> list[int]:
        """Return where in an alg each of its steps is written; of turns that are combined, the first one."""
        return [position for _, position in _combined(self.placed(alg))]

    def placed(self, alg: str) -> list[_Placed]:
        """Return the steps of an alg, of which none are combined, and where each is written."""
        # Brackets around turns are no groups.
        shown = _TURN.sub(lambda turn: "<" + turn[0][1:-1] + ">", alg) if isinstance(alg, str) else alg

        def read(_: str, position: int) -> tuple[list[_Placed], int]:
            if alg[position] == TWIST:
                return [(Power(TWIST), position)], position + 1
            turn = _TURN.match(alg, position) or _BARE_TURN.match(alg, position)
            if turn is None:
                raise InvalidMoveError(alg[position:].split(maxsplit=1)[0], position, _EXPECTED)
            turns = zip((TOP, BOTTOM), map(int, turn.groups()), strict=True)
            return [(Power(layer, amount % LAYER), position) for layer, amount in turns], turn.end()

        return expand_alg(shown, read, lambda placed: (self.undo(placed[0]), placed[1]))

    def written(self, steps: Iterable[Power]) -> str:
        """Return steps as an alg, with turns from -5 to 6."""
        words = []
        for is_twist, run in groupby(steps, key=lambda step: step.name == TWIST):
            if is_twist:
                words += [TWIST for step in run if step.amount % 2]
                continue
            turns = _turns(run)
            if any(turns):
                words.append(f"({_signed(turns[0])},{_signed(turns[1])})")
        return " ".join(words)


def _combined(placed: Iterable[_Placed]) -> Iterator[_Placed]:
    for is_twist, run in groupby(placed, key=lambda each: each[0].name == TWIST):
        if is_twist:
            yield from run
            continue
        steps, positions = zip(*run, strict=True)
        turns = zip((TOP, BOTTOM), _turns(steps), strict=True)
        yield from ((Power(layer, turn), positions[0]) for layer, turn in turns if turn)


def _turns(steps: Iterable[Power]) -> tuple[int, int]:
    """Return the turn of each layer that steps without twists make together."""
    turns = {TOP: 0, BOTTOM: 0}
    for step in steps:
        turns[step.name] += step.amount
    return turns[TOP] % LAYER, turns[BOTTOM] % LAYER


def _signed(turn: int) -> int:
    return turn - LAYER if turn > HALF else turn


def with_free_turns() -> Square1Definition:
    """Return the definition of the Square-1 with layers that turn freely."""
    definition = square1()
    return definition._replace(costs={move.name: 0 for move in definition.moves() if move.name != TWIST})


def combined_moves(turn_cost: int) -> tuple[Move, ...]:
    """Return the turns of both layers at once, from -5 to 6, and the twist."""
    definition = square1()
    solved, twist = definition.solved[0], next(move for move in definition.moves() if move.name == TWIST)
    turns = (Move(f"({top},{bottom})", (Effect(turned(solved, (top, bottom))),), turn_cost) for top, bottom in TURNS)
    return *turns, twist


@functools.cache
def square1() -> Square1Definition:
    """Return the definition of the Square-1."""
    solved = identity(WEDGES + 2)
    moved = {TOP: turned(solved, (1, 0)), BOTTOM: turned(solved, (0, 1)), TWIST: twisted(solved)}
    blocking = ((0, SECOND_WEDGES), (HALF - 1, CORNER_WEDGES))  # after the cut, and before it
    illegal = {(place, wedge) for first, kind in blocking for place in range(first, WEDGES, HALF) for wedge in kind}
    names = [f"{piece}{number}" if len(piece) > 2 else piece for piece in PIECES for number in range(1, len(piece))]
    return Square1Definition(
        "square1",
        (Orbit("WEDGES", WEDGES, 1, tuple(names)), Orbit("MIDDLE", 1, 2, ("MIDDLE",))),
        (solved,),
        {name: (Effect(sources),) for name, sources in moved.items()},
        illegal=frozenset(illegal),
    )


# -- Turns of the layers -----------------------------------------------------------------------------------------------

Turns = tuple[int, int]  # turns of both layers, 0 to 11

TURNS = [(top, bottom) for top in range(1 - HALF, HALF + 1) for bottom in range(1 - HALF, HALF + 1) if top or bottom]
"""The turns of both layers that are a move, from -5 to 6."""

_BY_SIZE = sorted(range(LAYER), key=lambda turn: min(turn, LAYER - turn))


def written(turns: Sequence[Turns]) -> str:
    """Return the alg with turns before each twist and after the last one."""
    steps = list[Power]()
    for number, (top, bottom) in enumerate(turns):
        steps += [Power(TWIST)] * (number > 0) + [Power(TOP, top), Power(BOTTOM, bottom)]
    return square1().written(steps)


def turned(state: Arrangement, turns: Turns) -> Arrangement:
    """Return a state after turns of the layers."""
    top, bottom = -turns[0] % LAYER, -turns[1] % LAYER
    layers = state[:LAYER], state[LAYER:WEDGES]
    placed = (*layers[0][top:], *layers[0][:top], *layers[1][bottom:], *layers[1][:bottom])
    return arrangement((*placed, *state[WEDGES:]))


def twisted(state: Arrangement) -> Arrangement:
    """Return a state after a twist, which no corner blocks."""
    parts = [state[begin : begin + HALF] for begin in range(0, WEDGES, HALF)]
    return arrangement((*parts[0], *parts[2], *parts[1], *parts[3], state[WEDGES + 1], state[WEDGES]))


def exchanged(state: Arrangement) -> Arrangement:
    """Return a state after turning the whole puzzle, without its middle, so that its layers change places."""
    top, bottom = state[:LAYER], state[LAYER:WEDGES]
    return arrangement((*bottom[HALF:], *bottom[:HALF], *top[HALF:], *top[:HALF], *state[WEDGES:]))


def turns_between(state: Arrangement, other: Arrangement) -> list[Turns]:
    """Return all turns that lead from a state to another, whatever their middle layers; the smallest come first."""
    by_layer = list[list[int]]()
    for layer in (slice(0, LAYER), slice(LAYER, WEDGES)):
        here, target = list(state[layer]), list(other[layer])
        by_layer.append([turn for turn in _BY_SIZE if here == target[turn:] + target[:turn]])
    return [(top, bottom) for top in by_layer[0] for bottom in by_layer[1]]


# -- Targets of a search: a state, or all states in which some pieces change places ------------------------------------


class Target(NamedTuple):
    """A target."""

    state: Arrangement  # one of its states
    looks: Arrangement  # for each label the first one that looks alike: these may change places

    @property
    def ignores_middle(self) -> bool:
        """Whether the middle layer does not matter."""
        return self.looks[WEDGES] == self.looks[WEDGES + 1]

    def seen(self, state: Arrangement) -> Arrangement:
        """Return a state with the labels as they look."""
        return after(self.looks, state)

    def parity(self, state: Arrangement) -> int:
        """Return the parity of the number of twists that lead from a state to the target, if the middle matters."""
        return int(self.seen(state)[WEDGES] != self.seen(self.state)[WEDGES])

    def aligning(self, state: Arrangement) -> list[Turns]:
        """Return the turns that lead from a state to the target, the smallest first; none if twists are needed."""
        return [] if self.parity(state) else turns_between(self.seen(state), self.seen(self.state))


def exact(state: Arrangement) -> Target:
    """Return a state as a target."""
    return Target(state, identity(WEDGES + 2))


def target_of(goal: Allowed) -> Target:
    """Return the target of a goal."""
    definition = square1()
    start = definition.solved[0]
    mask = mask_of(start, [move.effects[0].sources for move in definition.moves()], [goal])
    seen = mask.fulfilled()
    seconds = {mask.looks[wedge]: mask.looks[wedge - 1] for wedge in SECOND_WEDGES}
    firsts, edges = ({mask.looks[wedge] for wedge in wedges} for wedges in (CORNER_WEDGES, EDGE_WEDGES))
    kinds = len(set(seconds.values())), len(firsts), len(firsts | edges | seconds.keys()) - len(edges)
    if len(seen) != 1 or kinds != (len(seconds), len(seconds), 2 * len(firsts)):
        raise InvalidStateError(
            "a goal of the Square-1 must have one place for each piece, or for several that are alike"
        )
    return Target(mask.completed(seen[0]), arrangement(mask.looks[label] for label in range(WEDGES + 2)))
