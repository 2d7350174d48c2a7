"""Rubik's Clock: its notation, and the number of its states (pure Python)."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

from cubesolve.catalog.clock.dials import AROUND, DIALS, HOURS, ClockState, drawn, parse
from cubesolve.catalog.clock.scene import of_move, of_state
from cubesolve.definition.options import LIMITS, TARGET
from cubesolve.definition.view import Form, View
from cubesolve.errors import InvalidStateError
from cubesolve.picture.pictures import Picture
from cubesolve.picture.scenes import Motion, Scene
from cubesolve.spaces.rules import Rules
from cubesolve.spaces.tables import TableEntry

STATES: int = HOURS**DIALS
"""The number of states."""

DISTRIBUTION = (
    *(1, 330, 51_651, 4_947_912, 317_141_342, 14_054_473_232, 428_862_722_294, 8_621_633_953_202),
    *(101_600_180_118_726, 528_107_928_328_516, 613_251_601_892_918, 31_893_880_879_492, 39_248),
)
"""The number of states at each depth; Jakob Kogler and Tomas Rokicki, cube20.com/clock, 2014."""


class ClockView(View[ClockState]):
    """The notation and pictures of Rubik's Clock."""

    name = "clock"
    title = "Rubik's Clock"
    free_moves = (AROUND,)

    @functools.cached_property
    def forms(self) -> Mapping[str, Form[ClockState]]:
        """The notations of states: any, hours, algs."""
        return {
            "any": Form(self.read, str, "an alg or hours, detected by its form", empty=True),
            "hours": Form(ClockState.of, str, "the hours of the front, then of the back, row by row"),
            "alg": Form(ClockState().apply, None, "moves from the solved puzzle", empty=True),
        }

    def read(self, given: object) -> ClockState:
        """Return a state that is given as one, as its hours, or as an alg."""
        if isinstance(given, ClockState):
            return given
        if not isinstance(given, str):
            raise InvalidStateError(f"expected a state or text, not {type(given).__name__}", "type")
        is_state = any(word.isdigit() for word in given.split()) or ";" in given
        return ClockState.of(given) if is_state else ClockState().apply(given)

    def solved(self, like: ClockState | None) -> ClockState:  # noqa: ARG002  # there is only one
        """Return the solved state."""
        return ClockState()

    def invert(self, alg: str) -> str:
        """Return the inverse of an alg."""
        return " ".join(str(turn.undone()) for turn in reversed(parse(alg)))

    def split(self, alg: str) -> list[str]:
        """Return the moves of an alg, each as it is written by itself."""
        return [str(turn) for turn in parse(alg)]

    def is_free(self, move: str) -> bool:
        """Return whether a move turns the puzzle around, or nothing."""
        return all(turn.name == AROUND or not turn.hours for turn in parse(move))

    def draw(self, state: ClockState) -> Picture:
        """Return the picture of a state."""
        return drawn(state)

    def build(self, state: ClockState) -> Scene:
        """Return the scene of a state."""
        return of_state(state)

    def motion(self, state: ClockState, move: str) -> Motion:  # noqa: ARG002
        """Return the motion of a move in the scene of a state."""
        (turn,) = parse(move)
        return of_move(turn)


class ClockRules(Rules[ClockState]):
    """Rubik's Clock."""

    view: ClockView
    options = (TARGET, *LIMITS)
    searches = True
    uncounted: Mapping[str, str] = {
        "levels": "the numbers at all depths are known; leave it out",
        "from": "only the numbers of all states are known; leave it out",
    }

    def __init__(self) -> None:
        """Take the view of the Clock."""
        super().__init__(ClockView())

    def tables(self) -> Sequence[TableEntry]:
        """Return no tables: none is needed."""
        return ()

    @property
    def number_of_states(self) -> int:
        """The number of states: each of 14 dials has 12 positions."""
        return STATES

    @property
    def order(self) -> int:
        """The order of the group of its moves, which is the number of states."""
        return STATES

    @property
    def gods_number(self) -> int:
        """The largest depth of a state."""
        return len(DISTRIBUTION) - 1
