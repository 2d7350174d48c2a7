"""Solutions that say what is proved about them (pure Python)."""

from __future__ import annotations


class Solution(str):
    """An alg that may not be one of the shortest.

    Attributes:
        at_least: so many moves are proved to be needed.

    >>> alg = Solution("R U R'", 2)
    >>> alg.split(), alg.at_least
    (['R', 'U', "R'"], 2)
    """

    at_least: int

    def __new__(cls, alg: str, at_least: int) -> Solution:
        """Take an alg, and what is proved."""
        solution = super().__new__(cls, alg)
        solution.at_least = at_least
        return solution

    def __reduce__(self) -> tuple[type[Solution], tuple[str, int]]:
        """What a copy is made of."""
        return Solution, (str(self), self.at_least)
