"""The target of a search of the Square-1: a state, or all states in which some pieces change places (pure Python)."""

from __future__ import annotations

from typing import NamedTuple

from cubesolve.catalog.square1.definition import CORNER_WEDGES, EDGE_WEDGES, SECOND_WEDGES, WEDGES, square1
from cubesolve.catalog.square1.turns import Turns, turns_between
from cubesolve.definition.goals import Allowed, mask_of
from cubesolve.errors import InvalidStateError
from cubesolve.group.permutations import Arrangement, arrangement, identity


class Target(NamedTuple):
    """A target.

    Attributes:
        state: one of its states.
        looks: for each label the first one that looks alike: these may change places.
    """

    state: Arrangement
    looks: Arrangement

    @property
    def ignores_middle(self) -> bool:
        """Whether the middle layer does not matter."""
        return self.looks[WEDGES] == self.looks[WEDGES + 1]

    def seen(self, state: Arrangement) -> Arrangement:
        """Return a state with the labels as they look."""
        return arrangement(self.looks[label] for label in state)

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
    definition = square1("square1")
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
    left: dict[int, list[int]] = {}
    for wedge in (*CORNER_WEDGES, *EDGE_WEDGES):
        left.setdefault(mask.looks[wedge], []).append(wedge)
    state = list[int]()
    for look in seen[0][:WEDGES]:
        state.append(state[-1] + 1 if state and look in seconds else left[look].pop(0))
    is_square = seen[0][WEDGES] == mask.looks[WEDGES]
    middle = (WEDGES, WEDGES + 1) if is_square else (WEDGES + 1, WEDGES)
    return Target(arrangement((*state, *middle)), arrangement(mask.looks[label] for label in range(WEDGES + 2)))
