"""Puzzles with phases: long solutions are found at once, optimal ones by other searches (pure Python)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from cubesolve.definition.definition import Definition
from cubesolve.definition.options import MAX_LENGTH, Option
from cubesolve.definition.phases import Phase, Reduction
from cubesolve.definition.view import DefinedView
from cubesolve.group.canonical import canonical
from cubesolve.spaces.defined import DerivedRules
from cubesolve.spaces.tables import ARRAYS, TableEntry, TableHeader


def phases_entry(puzzle: str, size: int = 0, sha256: str = "", effort: str = "") -> TableEntry:
    """Return the table of the phases of a puzzle; the catalog pins its size in bytes and its digest."""
    scheme = "the fields of search.phases.PhaseProblem"
    header = TableHeader(f"{puzzle}-phases", puzzle, "htm", scheme, size, (), sha256, ARRAYS)
    return TableEntry(header, source="follows from the moves", by_default=False, effort=effort)


class PhasedRules(DerivedRules):
    """A puzzle whose states are solved through a chain of subgroups; see `search.phases`.

    Attributes:
        phases_entry: the table of the phases; it has the arrays that `search.phases.opened` takes, or with a reduction
            `search.stages.opened_reduced`.
        scramble_nodes: the number of nodes of the search that makes a scramble short.
        rotations: algs of rotations that take the groups of the phases to others, and the solved puzzle to others than
            those in which the last phase may end; by default all rotations are tried.
        reduction: a function that returns the stages before the phases, whose moves never turn the whole puzzle.
    """

    kind = "phased"
    usual_length: int

    def __init__(
        self,
        view: DefinedView,
        phases: Callable[[Definition], Sequence[Phase]],
        phases_entry: TableEntry,
        *,
        usual_length: int,
        scramble_depth: int = 2,  # World Cube Association, Regulations, 4b3: for puzzles without a rule of their own
        scramble_nodes: int = 1 << 21,
        rotations: Sequence[str] = (),
        reduction: Callable[[Definition], Reduction] | None = None,
    ) -> None:
        """Take a view, functions of a module that return the phases and the stages before them, and other facts."""
        super().__init__(view, scramble_depth=scramble_depth)
        self._make_phases, self.phases_entry, self.usual_length = phases, phases_entry, usual_length
        self.scramble_nodes, self.rotations, self.reduction = scramble_nodes, rotations, reduction

    @functools.cached_property
    def phases(self) -> Sequence[Phase]:
        """The phases."""
        return self._make_phases(self.definition)

    def tables(self) -> Sequence[TableEntry]:
        """Return the tables of distances whose digests are known, and that of the phases."""
        return [*super().tables(), self.phases_entry]

    def arrays(self, entry: TableEntry, *, anew: bool = False) -> bytes:
        """Return the coordinates of the states of a table, or the arrays of the phases."""
        if entry != self.phases_entry:
            return super().arrays(entry, anew=anew)
        from cubesolve.search.phases import packed, prepare  # noqa: PLC0415  # needs numpy

        moves, solved = self.graph().definition_moves, self.definition.solved[0]
        sources = [move.effects[0].sources for move in moves]
        phases = packed(prepare(sources, solved, canonical(moves, solved).following, self.phases))
        if self.reduction is None:
            return phases
        from cubesolve.search.stage_tables import prepare_stages  # noqa: PLC0415  # needs numpy

        return packed(prepare_stages(sources, solved, self.reduction(self.definition), self.phases[0].moves)) + phases

    @property
    def options(self) -> Sequence[Option]:
        """The options of questions about it on the command line."""
        text = f"Accept any solution of at most N moves; one of {self.usual_length} is found at once."
        return [option._replace(help=text) if option.name == MAX_LENGTH.name else option for option in super().options]

    def __reduce__(self) -> tuple[object, ...]:
        names = ("usual_length", "scramble_depth", "scramble_nodes", "rotations", "reduction")
        builder = functools.partial(type(self), **{name: getattr(self, name) for name in names})
        return builder, (self.view, self._make_phases, self.phases_entry)
