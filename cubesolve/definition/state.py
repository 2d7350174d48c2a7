"""States of puzzles that are given by a definition: immutable, hashable (pure Python)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cubesolve.group.permutations import Arrangement
from cubesolve.picture.immutable import Drawn

if TYPE_CHECKING:
    from typing import Protocol, Self

    from typing_extensions import TypeVar  # the type for type checkers; before Python 3.13, typing has no defaults

    from cubesolve.definition.labelling import Labelling
    from cubesolve.picture.pictures import Picture

    class Movable(Protocol):
        """A state of any puzzle."""

        def apply(self, alg: str) -> Self:
            """Return the state after an alg."""

    StateT = TypeVar("StateT", bound=Movable, default=Any)
else:
    from typing import TypeVar

    StateT = TypeVar("StateT")


class State(Drawn):
    """A state of a puzzle that is given by a definition.

    `cubesolve.puzzle` makes them: ``puzzle("skewb").parse("R U'")``.
    """

    __slots__ = ("_arrangement", "_labelling")
    _labelling: Labelling
    _arrangement: Arrangement

    def __init__(self, labelling: Labelling, arrangement: Arrangement) -> None:
        """Take a labelling, and the labels on the points."""
        object.__setattr__(self, "_labelling", labelling)
        object.__setattr__(self, "_arrangement", arrangement)

    @property
    def labelling(self) -> Labelling:
        """The meaning of the labels: that of the puzzle, or of the goal of a masked state."""
        return self._labelling

    @property
    def arrangement(self) -> Arrangement:
        """The label on each point; see `definitions.definition`."""
        return self._arrangement

    @property
    def pattern(self) -> dict[str, dict[str, list[int]]]:
        """The state as a KPuzzle pattern: for each orbit the pieces and their orientations.

        Pieces are counted from 0 in the order of their homes, so the gap of sliding tiles is the last here.

        Raises:
            CubesolveError: the puzzle has no pieces.
        """
        from cubesolve.definition.formats import format_kpuzzle_pattern  # noqa: PLC0415  # heavy: all formats of files

        return format_kpuzzle_pattern(self._labelling.definition, self._arrangement)

    @property
    def is_solved(self) -> bool:
        """Whether it is solved, in any orientation of the puzzle."""
        return self._labelling.is_solved(self._arrangement)

    def apply(self, alg: str) -> Self:
        """Return the state after an alg."""
        steps = self._labelling.alg_reader(alg)
        return type(self)(self._labelling, self._labelling.definition.apply(self._arrangement, steps, alg))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self._arrangement == other._arrangement and self._labelling == other._labelling

    def __hash__(self) -> int:
        return hash(self._arrangement)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self._labelling, self._arrangement)

    def __str__(self) -> str:
        return self._labelling.write(self._arrangement)

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __repr__(self) -> str:
        return f"<{self._labelling.name}: {self}>"

    def _drawn(self) -> Picture | None:
        return self._labelling.picture(self)


class MaskedState(State):
    """A state of which only the labels that a goal distinguishes are known; its labelling is that of the goal."""

    __slots__ = ()
