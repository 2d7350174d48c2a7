"""Distributions with a notebook representation (pure Python)."""

from __future__ import annotations

COUNTING = frozenset({"count", "progress", "resume", "memory"})
"""The keywords that say how states are counted, not which."""


class Distribution(tuple[int, ...]):
    """The number of states at each depth, from 0: a tuple, which a notebook shows as bars.

    >>> from cubesolve import puzzle
    >>> puzzle("ivy").distribution()
    (1, 8, 48, 288, 1640, 7582, 15262, 4221, 110)
    """

    __slots__ = ()

    def _repr_svg_(self) -> str:
        from cubesolve.render import distribution_svg  # noqa: PLC0415  # few distributions are shown

        return distribution_svg(self)
