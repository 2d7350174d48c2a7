"""The Square-1, whose shape decides which moves are possible."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence

from cubesolve.catalog.pins import pinned_entry
from cubesolve.catalog.square1.definition import combined_moves, exact, square1, target_of
from cubesolve.catalog.square1.view import NAMED_STEPS, WCA, Square1View
from cubesolve.definition.goal_texts import OR, goals_of
from cubesolve.definition.goals import without_alternatives
from cubesolve.definition.options import LEVELS, LIMITS, MAX_LENGTH, TARGET, WITHIN, Option, metric_option
from cubesolve.definition.state import State
from cubesolve.errors import InvalidStateError
from cubesolve.group.moves import Move
from cubesolve.spaces.rules import Rules
from cubesolve.spaces.tables import ARRAYS, TableEntry

NAMES = ("square1",)
ALIASES = dict.fromkeys(["sq1", "square-1"], "square1")


def rules(name: str) -> Square1Rules | None:
    """Return the rules of the puzzle."""
    return Square1Rules() if name in NAMES else None


TWIST = "twist"
"""The metric in which a twist counts one; in `WCA`, the turns of the layers between two twists do, too."""

SHAPES = 3_678  # number of shapes in which a twist is possible

STATES = SHAPES * math.factorial(8) ** 2 * 2
"""The number of states: shapes, permutations of corners, permutations of edges, and the middle layer."""

GODS_NUMBER = 13
"""The largest number of twists that a state needs; M. Masonjones, "Square One God's Algorithm Computed", 2005."""

EVERY_STATE = 12  # twists with which every state has a solution if the number is even; one more if it is odd

_BY_KIND = "lower bounds by corners, then by edges"
BOUNDS = pinned_entry("square1-bounds", "square1", _BY_KIND, ARRAYS, metric=TWIST, entries=2 * 170 * math.factorial(8))
"""The lower bounds of the number of twists that solve a state."""


_WHOLE = (
    TARGET,
    LEVELS._replace(help="Count the states up to N twists; those that turns of the layers connect are one."),
)
"""The options of the puzzle that it does not have with a goal."""


class Square1Rules(Rules[State]):
    """The Square-1, perhaps with a goal, which leaves parts of the state open; its bounds are computed in a second."""

    view: Square1View
    metrics = (TWIST, WCA)
    options: Sequence[Option] = (
        metric_option({TWIST: "a twist counts one", WCA: "turns of the layers between twists do, too"}),
        *LIMITS,
        WITHIN,
        MAX_LENGTH._replace(help="Accept any solution of at most N moves; one of 15 twists is found at once."),
        *_WHOLE,
    )
    searches = True
    usual_length = 15
    number_of_states = STATES
    gods_number: int | None = GODS_NUMBER
    uncounted: Mapping[str, str] = {"from": "only all of its states are counted; leave it out"}

    def __init__(self, goal: str | Mapping[str, object] | None = None) -> None:
        super().__init__(Square1View(square1(), "Square-1", named_steps=NAMED_STEPS))
        self._goal, self.has_goal, self.target = goal, goal is not None, exact(self.view.definition.solved[0])
        if goal is not None:
            named = goal if isinstance(goal, str) else "a pattern"
            self.title = f"{self.title}, towards {named}"
            self.spoken = f"{self.spoken} --goal {shlex.quote(named)}"
            self.target = target_of(without_alternatives(goals_of(self.view, goal), named))
            self.options, self.gods_number = [option for option in self.options if option not in _WHOLE], None
            self.uncounted = {
                **self.uncounted,
                "levels": "the states of a goal are counted at all depths; leave it out",
            }

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self._goal,)

    def towards(self, goal: object) -> Square1Rules:
        """Return the Square-1 with a goal."""
        if not isinstance(goal, (str, Mapping)):
            raise InvalidStateError(f"a goal is text or a pattern, not of the type {type(goal).__name__}", "type")
        if isinstance(goal, str) and OR in goal:
            raise InvalidStateError(f"several goals are not supported for the {self.view.title}: choose one", "other")
        return Square1Rules(goal)

    def tables(self) -> Sequence[TableEntry]:
        """Return the table of lower bounds."""
        return (BOUNDS,)

    def arrays(self, entry: TableEntry, *, anew: bool = False) -> bytes:
        """Return the lower bounds."""
        from cubesolve.catalog.square1.coordinates import made_bounds  # noqa: PLC0415  # needs numpy

        return made_bounds() if entry.name == BOUNDS.name else super().arrays(entry, anew=anew)

    def array_moves(self, metric: str | None) -> tuple[Move, ...]:
        """Return the turns of both layers, and the twist."""
        return combined_moves(int(self.require_metric(metric) == WCA))
