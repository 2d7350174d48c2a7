"""States of puzzles that are only defined: immutable, hashable (pure Python)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cubesolve.immutable import Immutable
from cubesolve.permutations import Arrangement

if TYPE_CHECKING:
    from cubesolve.spaces.defined import DefinedRules


class State(Immutable):
    """A state of a puzzle that is only defined by its moves.

    `cubesolve.puzzle` makes them: ``puzzle("skewb").parse("R U'")``.
    """

    __slots__ = ("_arrangement", "_rules")
    _rules: DefinedRules
    _arrangement: Arrangement

    def __init__(self, rules: DefinedRules, arrangement: Arrangement) -> None:
        """Take what lies on the points of a puzzle."""
        object.__setattr__(self, "_rules", rules)
        object.__setattr__(self, "_arrangement", arrangement)

    @property
    def rules(self) -> DefinedRules:
        """The puzzle that it is a state of."""
        return self._rules

    @property
    def arrangement(self) -> Arrangement:
        """The label on each point; see `puzzles.definition`."""
        return self._arrangement

    @property
    def pattern(self) -> dict[str, dict[str, list[int]]]:
        """The same as KPuzzle has it: for each orbit the pieces and their orientations.

        Pieces are counted from 0 in the order of their homes, so the gap of sliding tiles is the last here.

        Raises:
            CubesolveError: the puzzle has no pieces.
        """
        from cubesolve.puzzles.readers import format_kpuzzle_pattern  # noqa: PLC0415  # few states are written so

        return format_kpuzzle_pattern(self._rules.definition, self._arrangement)

    @property
    def is_solved(self) -> bool:
        """Whether it is solved, however it is held."""
        return self._rules.is_solved(self._arrangement)

    def apply(self, alg: str) -> State:
        """The state after an alg.

        Raises:
            InvalidMoveError: it has something that is no move, or is not possible where it comes.
        """
        definition = self._rules.definition
        return State(self._rules, definition.apply(self._arrangement, definition.parse(alg)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self._arrangement == other._arrangement and self._rules == other._rules

    def __hash__(self) -> int:
        return hash(self._arrangement)

    def __reduce__(self) -> tuple[Any, ...]:
        return State, (self._rules, self._arrangement)

    def __str__(self) -> str:
        return self._rules.texts.write(self._arrangement)

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __repr__(self) -> str:
        return f"<{self._rules.name}: {self}>"

    def _repr_svg_(self) -> str | None:
        """What a notebook shows; None for text, where the puzzle has no picture."""
        from cubesolve.render import picture_svg  # noqa: PLC0415  # few states are shown

        return picture_svg(self._rules.picture(self))
