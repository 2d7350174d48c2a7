"""The 3x3x3 Rubik's cube."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from cubesolve.catalog.pins import pinned_entry
from cubesolve.catalog.rubik.cube import RubikCube, named_by_centres
from cubesolve.definition.facelet_view import FaceletView
from cubesolve.definition.facelets import is_no_facelets, singmaster
from cubesolve.definition.metrics import FACE_RULES
from cubesolve.definition.notation import FACES, LETTERS, ROTATIONS, metric_moves
from cubesolve.definition.options import (
    FROM_GOAL,
    LEVELS,
    LIMITS,
    MAX_LENGTH,
    OF_FACELETS,
    TARGET,
    WITHIN,
    metric_option,
)
from cubesolve.definition.view import Form
from cubesolve.spaces.rules import Rules
from cubesolve.spaces.tables import ARRAYS, PACKED, TableEntry

if TYPE_CHECKING:
    from cubesolve.definition.named_steps import NamedSteps
    from cubesolve.spaces.space import RefinedSpace

NAMES = ("rubik",)
ALIASES = dict.fromkeys(["3x3x3", "3x3", "333", "333bf", "333fm", "333oh"], "rubik")


def rules(name: str) -> RubikRules | None:
    """Return the rules of a puzzle of this module, by name; None for other names."""
    return RubikRules() if name in NAMES else None


STATES = 43_252_003_274_489_856_000  # number of states of the 3x3x3: 8! * 3^7 * 12! * 2^11 / 2
LONGEST_TWO_PHASE = 30  # largest number of moves of a solution by the two-phase search, whose first one has about 22


def _table(metric: str, size: str) -> TableEntry:
    rows, label = _DATABASES[size]
    return pinned_entry(
        f"rubik-{metric}-{size}",
        "rubik",
        f"2187 * {rows} + twist",
        PACKED,
        source="found here, and proved; the last level has all that is so deep or deeper",
        label=label,
    )


FACELET_SHAPES = ((54,), (6, 9), (6, 3, 3))  # shapes of the facelets of a cube in arrays
FACELETS = 54

_DATABASES = {
    "small": ("flip-slice class", "none"),
    "medium": ("(6 * flip-slice class + slice order)", "order"),
    "1gb": ("(35 * flip-slice class + corner tetrad sets)", "sets"),
    "2gb": ("(70 * flip-slice class + corner tetrad sets and parity)", "parity"),
    "huge": ("(210 * flip-slice class + corner tetrads)", "tetrads"),
}
"""The pattern databases by size: the rows, and the label of a row."""

_TABLES = tuple(
    _table(metric, size) for metric in ("htm", "qtm") for size in _DATABASES if (metric, size) != ("qtm", "huge")
)


class RubikMetric(NamedTuple):
    """The facts about a metric of the 3x3x3."""

    worth_building: str  # the table that gives answers within seconds, and is built within seconds
    gods_number: int  # the largest depth of any cube
    branching: float  # the factor by which the number of canonical algs grows with each move


METRICS = {"htm": RubikMetric("rubik-htm-medium", 20, 13.35), "qtm": RubikMetric("rubik-qtm-medium", 26, 9.37)}
"""The metrics with pattern databases; God's numbers: Rokicki, Kociemba, Davidson and Dethridge, 2010 and 2014."""


class RubikView(FaceletView[RubikCube]):
    """The notation and pictures of 3x3x3 cubes."""

    name = "rubik"
    title = "3x3x3 Rubik's cube"
    cube_type = RubikCube
    letters = tuple(letter for letter in LETTERS if letter not in ROTATIONS)

    @functools.cached_property
    def named_steps(self) -> NamedSteps:
        """The named steps of a solution, and the named sets of cases."""
        from cubesolve.catalog.rubik.goals import NAMED_STEPS  # noqa: PLC0415  # delays the start

        return NAMED_STEPS

    @functools.cached_property
    def forms(self) -> Mapping[str, Form[RubikCube]]:
        """The notations of states: facelets, the net, the pieces in each place, algs."""
        alg = Form(RubikCube.from_alg, None, "moves from the solved cube", empty=True)
        pieces = Form(RubikCube, lambda cube: singmaster(named_by_centres(cube.facelets)), "pieces: UF UR ... DBR")
        return {**self.facelet_forms(), "singmaster": pieces, "alg": alg}

    def claims(self, given: object) -> bool:
        """Return whether a value is a 3x3x3, or its 54 facelets."""
        return super().claims(given) and not (isinstance(given, str) and is_no_facelets(given))

    def claims_batch(self, given: object, **question: object) -> bool:  # noqa: ARG002
        """Return whether a batch is a list of 3x3x3 cubes, or an array of facelets or of text."""
        is_text = getattr(getattr(given, "dtype", None), "kind", "") in {"U", "S"}
        shape = getattr(given, "shape", ())
        if isinstance(given, (list, tuple)) or (is_text and len(shape) == 1 and isinstance(given, Iterable)):
            return any(isinstance(cube, (RubikCube, str, bytes)) and self.claims(cube) for cube in given)
        return isinstance(shape, tuple) and shape[1:] in FACELET_SHAPES


_OF_PHASES = "the fields of two_phase.tables.PruningTables"
TWO_PHASE = pinned_entry("rubik-two-phase", "rubik", _OF_PHASES, ARRAYS, metric="htm", entries=27_807_054)


class RubikRules(Rules[RubikCube]):
    """The 3x3x3."""

    view: RubikView
    metrics = tuple(METRICS)
    options = (metric_option(FACE_RULES), TARGET, *OF_FACELETS, *LIMITS, WITHIN, MAX_LENGTH, LEVELS, FROM_GOAL)
    searches = True
    usual_length = 21
    number_of_states = order = STATES
    gods_number = METRICS["htm"].gods_number

    def __init__(self) -> None:
        super().__init__(RubikView())

    def tables(self) -> Sequence[TableEntry]:
        """Return the pruning tables of the two-phase algorithm, and the pattern databases."""
        return (TWO_PHASE, *_TABLES)

    def arrays(self, entry: TableEntry, *, anew: bool = False) -> bytes:
        """Return the pruning tables of the two-phase algorithm."""
        from cubesolve.catalog.rubik.two_phase.tables import make  # noqa: PLC0415  # needs numpy

        return make() if entry == TWO_PHASE else super().arrays(entry, anew=anew)

    def refined_space(self, entry: TableEntry) -> RefinedSpace:
        """Return the space of a pattern database."""
        from cubesolve.catalog.rubik.projections import projection  # noqa: PLC0415  # needs numpy

        if entry.label is None:
            return super().refined_space(entry)
        return projection(entry.label).space(metric_moves(entry.header.metric, FACES))

    def usual_tables(self, metric: str | None = None) -> Sequence[TableEntry]:
        """Return the pattern database that is worth building first."""
        return [entry for entry in _TABLES if entry.name == METRICS[self.require_metric(metric)].worth_building]
