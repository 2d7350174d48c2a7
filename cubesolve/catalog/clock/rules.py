"""Rubik's Clock and what is known of it (pure Python)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cubesolve.catalog.clock.dials import DIALS, HOURS, ClockState
from cubesolve.catalog.clock.view import ClockView
from cubesolve.definition.options import LIMITS, TARGET
from cubesolve.spaces.rules import Rules
from cubesolve.spaces.tables import TableEntry

STATES: int = HOURS**DIALS
"""The number of states."""

DISTRIBUTION = (
    *(1, 330, 51_651, 4_947_912, 317_141_342, 14_054_473_232, 428_862_722_294, 8_621_633_953_202),
    *(101_600_180_118_726, 528_107_928_328_516, 613_251_601_892_918, 31_893_880_879_492, 39_248),
)
"""The number of states at each depth; Jakob Kogler and Tomas Rokicki, cube20.com/clock, 2014."""


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
