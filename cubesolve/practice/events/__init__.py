"""Scrambles for the events of the World Cube Association, in the form of its Regulations (4b3) and of TNoodle.

`EVENTS` describes each event. States are uniformly random among those that the Regulations allow, or else the event
says that its scrambles are random moves. Official competitions must use the association's own program.

>>> [scramble.alg for scramble in scrambles("pyram", 2, rng=7)]
["B R' L B' U R B L R B L r b'", "B L' R' B' U L B' R' L R' B' r b u'"]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from cubesolve import lookup
from cubesolve.practice.events import corners, cubes, layers, whole
from cubesolve.practice.events.event import Event
from cubesolve.runtime.arguments import integer, one_of
from cubesolve.solvers.sources import random_source

if TYPE_CHECKING:
    from cubesolve.ask import Puzzle
    from cubesolve.picture.pictures import Picture
    from cubesolve.solvers.solver import Source

__all__ = ["EVENTS", "Event", "Scramble", "scrambles"]

EVENTS: Mapping[str, Event] = {
    event.name: event for event in (*cubes.EVENTS, *corners.EVENTS, *layers.EVENTS, *whole.EVENTS)
}
"""The events by name."""


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


def scrambles(event: str, number: int = 1, rng: Source = None) -> Iterator[Scramble]:
    """Yield scrambles for an event.

    Args:
        event: the name of the event, one of `EVENTS`.
        number: the number of scrambles.
        rng: a source of random numbers, or a seed for one; by default the system's randomness.

    Raises:
        ValueError: there is no such event.
        TableError: a table is missing or damaged.

    >>> [scramble.alg for scramble in scrambles("222", 2, rng=7)]
    ["R F U' F U' R' F R2 F' U2 F", "R U F R' F' R F2 U2 R2 U' F'"]
    """
    drawn = EVENTS[one_of("event", event, tuple(EVENTS))]
    algs = drawn.draw(random_source(rng), integer("number", number, 0))
    return (Scramble(drawn, alg) for alg in algs)
