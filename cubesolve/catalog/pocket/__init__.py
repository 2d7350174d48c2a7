"""The 2x2x2 pocket cube."""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cubesolve.catalog.pins import pinned_entry
from cubesolve.catalog.pocket import cube
from cubesolve.catalog.pocket.cube import PocketCube
from cubesolve.definition.facelet_cube import FaceletCube
from cubesolve.definition.facelet_view import FaceletView
from cubesolve.definition.metrics import FACE_RULES
from cubesolve.definition.notation import FACES, metric_moves
from cubesolve.definition.options import (
    FROM_GOAL,
    LEVELS,
    LIMITS,
    OF_FACELETS,
    SOLVED_WITHIN,
    TARGET,
    Option,
    metric_option,
)
from cubesolve.definition.view import Form
from cubesolve.errors import InvalidStateError
from cubesolve.runtime.arguments import one_of
from cubesolve.spaces.rules import Graph, GraphRules, InArrays
from cubesolve.spaces.tables import TableEntry

if TYPE_CHECKING:
    from cubesolve.definition.named_steps import NamedSteps

NAMES = ("pocket",)
ALIASES = {"2x2x2": "pocket", "2x2": "pocket", "222": "pocket"}


def rules(name: str) -> PocketRules | None:
    """Return the rules of a puzzle of this module, by name; None for other names."""
    return PocketRules() if name in NAMES else None


SCRAMBLE_LENGTH = 11
"""The number of moves of a scramble."""

SCRAMBLE_DEPTH = 4
"""The least depth of a scrambled cube: World Cube Association, Regulations, 4b3b."""

_TABLES = {
    metric: pinned_entry(f"pocket-{metric}", "pocket", "729 * corner permutation + twist, DBL fixed")
    for metric in ("htm", "qtm")
}
_CORNERS = pinned_entry("corners-htm", "rubik-corners", "2187 * corner permutation + twist")


class PocketGraph(Graph[PocketCube]):
    """Pocket cubes up to rotations of the whole cube."""

    states = cube.STATES

    def __init__(self, metric: str) -> None:
        """Take the turns of U, R and F that are one move in a metric."""
        self.metric = metric
        self.entry = _TABLES[metric]
        self.moves = [str(move) for move in metric_moves(metric, cube.TURNING_FACES)]

    def rank(self, given: object) -> int:
        """Return the rank of a cube in its orientation; see `cube.reference_rank`."""
        if isinstance(given, str) and len(given) >= _FACELETS:  # shorter text is an alg
            try:
                return cube.reference_rank(given)
            except InvalidStateError:
                pass  # it may be a KPuzzle pattern
        return given.reference_rank if isinstance(given, PocketCube) else _VIEW.read(given).reference_rank

    def unrank(self, rank: int) -> PocketCube:
        """Return the cube with a rank, the corner DBL at home."""
        return PocketCube.unrank(rank)

    def in_arrays(self) -> InArrays:
        """Return how the graph is given as arrays, which needs numpy."""
        from cubesolve.catalog.pocket.spaces import FaceletForm, pocket_space  # noqa: PLC0415  # needs numpy

        moves = metric_moves(self.metric, cube.TURNING_FACES)
        return InArrays(lambda: pocket_space(moves), lambda: FaceletForm(_VIEW.read))

    def neighbours(self, rank: int) -> list[int]:
        """Return the ranks one move away, in the order of `notation.metric_moves(metric, "URF")`."""
        permutations, twists = cube.neighbour_rows(self.metric)
        return list(map(operator.add, permutations[rank // cube.TWISTS], twists[rank % cube.TWISTS]))


_FACELETS = len(cube.FACELET_NAMES)
_ORIENTATION = Option(
    "orientation",
    "Whether the solved cube may be in any orientation (free), or each colour on its face (fixed; needs corners-htm).",
    frozenset({"depth", "solve", "scramble", "distribution"}),
    "free",
    ("free", "fixed"),
)


class PocketView(FaceletView[PocketCube]):
    """The notation and pictures of pocket cubes."""

    name = "pocket"
    title = "2x2x2 pocket cube"
    cube_type = PocketCube
    has_ranks = True
    letters = tuple(FACES)

    @functools.cached_property
    def named_steps(self) -> NamedSteps:
        """The named steps of a solution, and the named sets of cases."""
        from cubesolve.catalog.pocket.cases import NAMED_STEPS  # noqa: PLC0415  # delays the start

        return NAMED_STEPS

    @functools.cached_property
    def forms(self) -> Mapping[str, Form[PocketCube]]:
        """The notations of states: facelets, the net, and those of `catalog.pocket.forms`."""
        from cubesolve.catalog.pocket.forms import FORMS  # noqa: PLC0415  # facelets are read without these

        return {**self.facelet_forms(), **FORMS}

    def read(self, given: Any) -> PocketCube:
        """Return a cube that is given in any way that other cubes are, or as its rank."""
        if isinstance(given, (str, bytes, bytearray, list, tuple, Mapping, FaceletCube)):
            return super().read(given)
        return PocketCube.unrank(given)

    def claims_batch(self, given: object, **question: object) -> bool:  # noqa: ARG002
        """Return True: batches that no other puzzle claims are read as pocket cubes."""
        return True


_VIEW = PocketView()


class PocketRules(GraphRules[PocketCube]):
    """The pocket cube."""

    metrics = tuple(_TABLES)
    options = (
        metric_option(FACE_RULES),
        _ORIENTATION,
        TARGET,
        *OF_FACELETS,
        *LIMITS,
        *SOLVED_WITHIN,
        LEVELS,
        FROM_GOAL,
    )
    questions = ("metric", "orientation")
    order = cube.STATES
    scramble_depth = SCRAMBLE_DEPTH
    scramble_length = SCRAMBLE_LENGTH

    def __init__(self) -> None:
        super().__init__(_VIEW)

    def tables(self) -> Sequence[TableEntry]:
        """Return the tables of both metrics, and that of a fixed orientation."""
        return (*_TABLES.values(), _CORNERS)

    def graph(self, *, metric: str | None = None, orientation: str = "free", **_question: object) -> Graph[PocketCube]:
        """Return the states in a metric, in a free orientation or in a fixed one; a `ValueError` if there are none."""
        chosen = self.require_metric(metric)
        if one_of("orientation", orientation, ("free", "fixed")) == "free":
            return _graph(chosen)
        if chosen != "htm":
            raise ValueError("a fixed orientation is supported in the metric htm only")
        return _fixed_graph()

    def graph_of(self, entry: TableEntry) -> Graph[PocketCube]:
        """Return the states of a table of distances."""
        return self.graph(orientation="fixed") if entry is _CORNERS else self.graph(metric=entry.header.metric)


_graph = functools.cache(PocketGraph)


@functools.cache
def _fixed_graph() -> Graph[PocketCube]:
    from cubesolve.catalog.pocket.fixed import FixedGraph  # noqa: PLC0415  # delays the start

    return FixedGraph(_CORNERS)
