"""Which solutions are accepted (pure Python)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from cubesolve.arguments import integer

if TYPE_CHECKING:
    from cubesolve.solvers.keywords import SolveBatchQuestion, SolveQuestion
    from cubesolve.solvers.solution import Solution


class Accepted(NamedTuple):
    """Which solutions are accepted: optimal ones, or others by one of two keywords.

    Attributes:
        within: the largest number of moves beyond the proved lower bound.
        max_length: the largest number of moves.
    """

    within: int | None = None
    max_length: int | None = None

    @classmethod
    def of(cls, question: SolveQuestion | SolveBatchQuestion) -> Accepted:
        """Take both keywords from a question.

        Raises:
            ValueError: one is invalid, or both are given.

        >>> Accepted.of({"within": 2})
        Accepted(within=2, max_length=None)
        """
        named = {name: question.pop(name, None) for name in cls._fields}  # type: ignore[misc]  # optional keys
        given = {name: integer(name, value, least=0) for name, value in named.items() if value is not None}
        if len(given) > 1:
            raise ValueError("within and max_length cannot be combined")
        return cls(**given)

    @property
    def is_optimal(self) -> bool:
        """Whether only optimal solutions are accepted."""
        return self == Accepted()

    def accepts(self, solution: Solution) -> bool:
        """Return whether a solution is accepted."""
        most = solution.at_least + (self.within or 0) if self.max_length is None else self.max_length
        return solution.length <= most

    @property
    def named(self) -> dict[str, int]:
        """The keyword that was given."""
        return {name: value for name, value in self._asdict().items() if value is not None}
