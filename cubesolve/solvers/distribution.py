"""Distributions with a notebook representation (pure Python)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cubesolve.errors import counted
from cubesolve.runtime.arguments import integer

COUNTING = frozenset({"count", "progress", "resume", "memory"})
"""The keywords that say how states are counted, not which."""

OTHER_GOAL = "states of another goal"
"""What is counted from another goal, in messages."""


def chosen(question: Mapping[str, object]) -> dict[str, Any]:
    """Return the keywords of a question about all states, without those that leave a count at its default.

    >>> chosen({"count": True, "levels": None, "from_goal": None, "resume": False})
    {'count': True}
    """
    names = COUNTING | {"levels", "from_goal"}
    return {
        name: value for name, value in question.items() if name not in names or not (value is None or value is False)
    }


class Distribution(tuple[int, ...]):
    """The number of states at each depth, from 0: a tuple, which a notebook shows as bars.

    >>> from cubesolve import puzzle
    >>> puzzle("ivy").distribution()
    (1, 8, 48, 288, 1640, 7582, 15262, 4221, 110)
    """

    __slots__ = ()

    def _repr_svg_(self) -> str:
        from cubesolve.picture.render import distribution_svg  # noqa: PLC0415  # few distributions are shown

        return distribution_svg(self)


def existing_depth(depth: int, counts: Sequence[int]) -> int:
    """Return a depth that some state has.

    Raises:
        ValueError: no state has this depth.

    >>> existing_depth(2, [1, 3, 2])
    2
    """
    depth = integer("depth", depth)
    if not 0 <= depth < len(counts) or not counts[depth]:
        raise ValueError(f"no state has depth {counted(depth)}: depths are 0..{len(counts) - 1}")
    return depth
