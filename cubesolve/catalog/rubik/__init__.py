"""The 3x3x3 Rubik's cube."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from cubesolve.catalog.rubik.cube import CORNERS, EDGES, RubikCube, named_by_centres
from cubesolve.definition.facelet_view import FaceletView, cube_of
from cubesolve.definition.facelets import FaceletCube, facelet_text, is_no_facelets, singmaster
from cubesolve.definition.metrics import rules_of_faces
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
from cubesolve.errors import InvalidStateError
from cubesolve.spaces.facelet_rules import FaceletRules
from cubesolve.spaces.tables import ARRAYS, PACKED, TableEntry, TableHeader

if TYPE_CHECKING:
    from cubesolve.definition.named_steps import NamedSteps
    from cubesolve.spaces.space import RefinedSpace

NAMES = ("rubik",)
"""The puzzles of this module."""

ALIASES = dict.fromkeys(["3x3x3", "3x3", "333", "333bf", "333fm", "333oh"], "rubik")
"""Other names of these puzzles."""


def rules(name: str) -> RubikRules | None:
    """Return the rules of a puzzle of this module, by name; None for other names."""
    return RubikRules() if name in NAMES else None


STATES = 43_252_003_274_489_856_000
"""The number of states of the 3x3x3: 8! * 3^7 * 12! * 2^11 / 2."""

LONGEST_TWO_PHASE = 30
"""The largest number of moves of a solution by the two-phase search, whose first one has about 22."""

SCRAMBLE_DEPTH = 2
"""The least depth of a scrambled 3x3x3: World Cube Association, Regulations, 4b3."""


def _table(
    name: str, *, rows: str, label: str, distribution: str, sha256: str, effort: str = "", built_by: str = ""
) -> TableEntry:
    counts = tuple(map(int, distribution.split()))
    metric = name.split("-")[1]
    return TableEntry(
        TableHeader(name, "rubik", metric, f"2187 * {rows} + twist", sum(counts), counts, sha256, PACKED),
        source="found here, and proved; the last level has all that is so deep or deeper",
        by_default=False,
        label=label,
        effort=effort,
        built_by=built_by,
    )


FACELET_SHAPES = ((54,), (6, 9), (6, 3, 3))
"""The shapes of the facelets of a cube in arrays."""

FACELETS = 54
"""The number of facelets of a cube."""

_TABLES = (
    _table(
        "rubik-htm-small",
        rows="flip-slice class",
        label="none",
        distribution="1 1 5 44 487 5841 68364 776568 7950748 52098876 76236234 3771241",
        sha256="5996d71cfc84b10f0030256389a06480ddfab1360525242f5d772ff589efa14a",
        effort="2 s, 220 MB of memory",
    ),
    _table(
        "rubik-htm-medium",
        rows="(6 * flip-slice class + slice order)",
        label="order",
        distribution="1 4 14 104 1098 13159 157222 1838167 20153554 170795318 529326626 123165193",
        sha256="b1cf422e5d0ab40fe239623899a18ccb241e64942a0c6ca7fc00305b3b57eeb3",
        effort="10 s, 400 MB of memory",
    ),
    _table(
        "rubik-htm-1gb",
        rows="(35 * flip-slice class + corner tetrad sets)",
        label="sets",
        distribution="""
        1 2 9 61 614 7236 88430 1080705 13060756 148848171 1273799925 3149266584 345641856
        """,
        sha256="ee04a975e96fa922ca701d578cb2aac97a868e7d81d46ce2db928a6a16e61171",
        effort="1 minute, 1.5 GB of memory",
    ),
    _table(
        "rubik-htm-2gb",
        rows="(70 * flip-slice class + corner tetrad sets and parity)",
        label="parity",
        distribution="""
        1 2 9 61 614 7239 88571 1085516 13235436 155668651 1526148633 6200356594 1966997373
        """,
        sha256="ccfc9b10c2a2071aa6d983885ee7a554416bdaa3d030b57228e1822ae5a6f301",
        effort="2 minutes, 2.7 GB of memory",
    ),
    _table(
        "rubik-htm-large",
        rows="(70 * flip-slice class + U corners)",
        label="layer",
        distribution="""
        1 6 29 164 1433 16772 205033 2513871 30329976 342440769 2815191126 6147967200 524922320
        """,
        sha256="86d91e567fc7fac5eb2b5d7e90f12ec398a61b23b1e307c2932193400201692d",
        built_by="rubik-htm-2gb",
    ),
    _table(
        "rubik-htm-huge",
        rows="(210 * flip-slice class + corner tetrads)",
        label="tetrads",
        distribution="""
        1 2 9 61 614 7267 88975 1094844 13464278 162814201 1800940907 12583579033 15028775908
        """,
        sha256="02b0583f2e0046c51e9c32464c18b127ac084202d72aeaa99c2e12c02c798bf5",
        effort="15 minutes, 8 GB of memory",
    ),
    _table(
        "rubik-qtm-small",
        rows="flip-slice class",
        label="none",
        distribution="1 1 3 24 185 1633 14708 130032 1124165 8868078 48182278 75087495 7499807",
        sha256="a3e630228cfb5857280ef2d46353a7f82a4a6ae8714de4e6801f64d7d980ce97",
        effort="2 s, 220 MB of memory",
    ),
    _table(
        "rubik-qtm-medium",
        rows="(6 * flip-slice class + slice order)",
        label="order",
        distribution="1 2 8 52 395 3493 31610 283094 2503230 21128622 147155160 477715468 196629325",
        sha256="17108652217ae11ada65496810fdcba05b9edca7ed1266b70ff92c48364e4492",
        effort="10 s, 400 MB of memory",
    ),
    _table(
        "rubik-qtm-1gb",
        rows="(35 * flip-slice class + corner tetrad sets)",
        label="sets",
        distribution="""
        1 2 5 32 245 2110 19196 174662 1579893 14143334 121303611 862288783 2838923283 1093359193
        """,
        sha256="d562066f5b1498bfe30c6ce825a6b429d8626e61e58ea94a1ed55aed77707dc4",
        effort="1 minute, 1.5 GB of memory",
    ),
    _table(
        "rubik-qtm-2gb",
        rows="(70 * flip-slice class + corner tetrad sets and parity)",
        label="parity",
        distribution="""
        1 2 5 32 245 2110 19196 174706 1581623 14191349 122724255 905188746 3584174618 5235531812
        """,
        sha256="1a2cb1f2fb81d15e22e5376df164be8027de1df7598481bfb68d95c41d73d74c",
        effort="2 minutes, 2.7 GB of memory",
    ),
    _table(
        "rubik-qtm-large",
        rows="(70 * flip-slice class + U corners)",
        label="layer",
        distribution="""
        1 2 12 68 443 3854 34920 317640 2891255 26081926 226707676 1655997427 5681816836 2269736640
        """,
        sha256="2eb951bfa9b0bb57f0badc78d327def56afd53db8c60448ff2832883016d2610",
        built_by="rubik-qtm-2gb",
    ),
)


class RubikMetric(NamedTuple):
    """The facts about a metric of the 3x3x3.

    Attributes:
        worth_building: the table that gives answers within seconds, and is built within seconds.
        gods_number: the largest depth of any cube.
        reach: the depth up to which the table that is made in memory gives answers within a second or two.
        branching: the factor by which the number of canonical algs grows with each move.
    """

    worth_building: str
    gods_number: int
    reach: int
    branching: float


METRICS = {
    "htm": RubikMetric("rubik-htm-medium", 20, 10, 13.35),
    "qtm": RubikMetric("rubik-qtm-medium", 26, 13, 9.37),
}
"""The metrics with pattern databases; God's numbers: Rokicki, Kociemba, Davidson and Dethridge, 2010 and 2014."""


class RubikView(FaceletView[RubikCube]):
    """The notation and pictures of 3x3x3 cubes."""

    name = "rubik"
    title = "3x3x3 Rubik's cube"
    cube_type = RubikCube
    size = 3
    pieces = (*CORNERS, *EDGES, *FACES)
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

    def read(self, given: object) -> RubikCube:
        """Return a cube that is given as one, as its facelets, as a KPuzzle pattern, or as an alg."""
        given = self.described(given)
        return cube_of(RubikCube, given) if isinstance(given, str) else self.read_row(given)

    def read_row(self, given: object) -> RubikCube:
        """Return a cube of a batch: like `read`, but an alg is invalid, so that damaged rows are detected."""
        if isinstance(given, RubikCube):
            return given
        if isinstance(given, (str, bytes, bytearray, list, tuple, FaceletCube)):
            return RubikCube(given)
        raise InvalidStateError(f"expected a cube or its facelets, not {type(given).__name__}", "type")

    def claims(self, given: object) -> bool:
        """Return whether a value is a 3x3x3, or its 54 facelets."""
        if isinstance(given, (str, bytes, bytearray, list)):
            is_as_long = len(given) == FACELETS or len(facelet_text(given, 3)) == FACELETS
            return is_as_long and not (isinstance(given, str) and is_no_facelets(given))
        return isinstance(given, RubikCube)

    def claims_batch(self, given: object, **question: object) -> bool:  # noqa: ARG002
        """Return whether a batch is a list of 3x3x3 cubes, or an array of facelets or of text."""
        is_text = getattr(getattr(given, "dtype", None), "kind", "") in {"U", "S"}
        shape = getattr(given, "shape", ())
        if isinstance(given, (list, tuple)) or (is_text and len(shape) == 1 and isinstance(given, Iterable)):
            return any(isinstance(each, (RubikCube, str, bytes)) and self.claims(each) for each in given)
        return isinstance(shape, tuple) and shape[1:] in FACELET_SHAPES


TWO_PHASE = TableEntry(
    TableHeader(
        "rubik-two-phase",
        "rubik",
        "htm",
        "the fields of two_phase.tables.PruningTables",
        27_807_054,
        (),
        "88d357314f00d1d082d23eb05ffd38cbf3bfa4a7aa898d9b53e46a6b59b8557d",
        ARRAYS,
    ),
    source="Herbert Kociemba, 'The Two-Phase Algorithm', kociemba.org/cube.htm",
    effort="3 s, 300 MB of memory",
)
"""The pruning tables of the two-phase algorithm."""


class RubikRules(FaceletRules[RubikCube]):
    """The 3x3x3."""

    view: RubikView
    metrics = tuple(METRICS)
    options = (
        metric_option(rules_of_faces(METRICS)),
        TARGET,
        *OF_FACELETS,
        *LIMITS,
        WITHIN,
        MAX_LENGTH,
        LEVELS,
        FROM_GOAL,
    )
    searches = True
    usual_length = 21

    def __init__(self) -> None:
        """Take the view of the 3x3x3."""
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

    @property
    def number_of_states(self) -> int:
        """The number of states: 8! * 3^7 * 12! * 2^11 / 2."""
        return STATES

    @property
    def gods_number(self) -> int:
        """The largest depth of a state in the usual metric."""
        return METRICS[self.metrics[0]].gods_number

    def usual_tables(self, metric: str | None = None) -> Sequence[TableEntry]:
        """Return the pattern database that is worth building first."""
        return [entry for entry in _TABLES if entry.name == METRICS[self.require_metric(metric)].worth_building]
