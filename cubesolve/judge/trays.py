"""The problem about rolling cubes: answers and test data."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from cubesolve import lookup
from cubesolve.catalog.rolling.goal import pattern_under, unrank_pattern
from cubesolve.catalog.rolling.model import Shape, symmetries
from cubesolve.errors import InvalidStateError, quoted
from cubesolve.judge.cases import Case, CaseGroup, Problem, sample

if TYPE_CHECKING:
    import random

MOST_ROLLS = 30  # largest number of rolls that poj-3131 answers

_SHAPE = Shape(3, 3)
_STARTS = [(x, y) for y in (1, 2, 3) for x in (1, 2, 3)]
_TABLES = {"rolling-corner-patterns": 0, "rolling-edge-patterns": 1, "rolling-centre-patterns": 4}  # the vacant cells


def _poj_3131(symbols: Case) -> str:
    x, y, *tops = symbols
    if not (x in "123" and y in "123"):
        raise InvalidStateError(f"the vacancy {quoted(x)}, {quoted(y)} is not in columns and rows 1 to 3")
    unknown = next((top for top in tops if top not in "WBRE"), None)
    if unknown is not None:
        raise InvalidStateError(f"{quoted(unknown)} is not one of W B R E")
    rolls = lookup.depth((int(x), int(y)), "/".join("".join(tops[i : i + 3]) for i in (0, 3, 6)))
    return str(rolls if rolls <= MOST_ROLLS else -1)


# -- Test data -------------------------------------------------------------------------------------------------------


def _case(start: tuple[int, int], pattern: str) -> Case:
    return [*map(str, start), *pattern.replace("/", "")]


def _random_pattern(rng: random.Random) -> str:
    return unrank_pattern(rng.randrange(_SHAPE.cells * _SHAPE.row), _SHAPE)


@functools.cache
def _ranks_by_depth(table: str) -> dict[int, list[int]]:
    ranks: dict[int, list[int]] = {}
    for rank, depth in enumerate(lookup.table(table).body):
        ranks.setdefault(depth, []).append(rank)
    return ranks


def _case_at(rng: random.Random, depth: int) -> Case:
    table = rng.choice([name for name in _TABLES if depth in _ranks_by_depth(name)])
    pattern = unrank_pattern(rng.choice(_ranks_by_depth(table)[depth]), _SHAPE)
    symmetry = rng.choice(symmetries(_SHAPE))
    image = unrank_pattern(pattern_under(symmetry, pattern), _SHAPE)
    return _case(_STARTS[symmetry.cells[_TABLES[table]]], image)


def _solved(_rng: random.Random, _number: int) -> list[Case]:
    patterns = [unrank_pattern(cell * _SHAPE.row, _SHAPE) for cell in range(_SHAPE.cells)]
    return [_case(start, pattern) for start, pattern in zip(_STARTS, patterns, strict=True)]


def _every_start(rng: random.Random, _number: int) -> list[Case]:
    pattern = _random_pattern(rng)
    return [_case(start, pattern) for start in _STARTS]


def _limit(rng: random.Random, _number: int) -> list[Case]:
    return [_case_at(rng, rolls) for _ in _STARTS for rolls in (MOST_ROLLS, MOST_ROLLS + 1)]


def _every_depth(rng: random.Random, number: int) -> list[Case]:
    depths = sorted({depth for table in _TABLES for depth in _ranks_by_depth(table)})
    return [_case_at(rng, depth) for depth in depths for _ in range(max(1, number // len(depths)))]


def _hardest(_rng: random.Random, _number: int) -> list[Case]:
    return [_case(start, pattern) for start in _STARTS for pattern in lookup.hardest(start)]


def _random(rng: random.Random, number: int) -> list[Case]:
    return [_case(rng.choice(_STARTS), _random_pattern(rng)) for _ in range(number)]


_POJ_3131 = Problem(
    "Cubic Eight-Puzzle: rolls to a pattern, -1 if over 30",
    _poj_3131,
    ". .\n" + ". . .\n" * 3,
    (
        sample(
            "12 WWWEWWWWW",
            "21 RBWRWWEWW",
            "33 WBWBRERBR",
            "33 BWRBWRBER",
            "21 BBBBRBBRE",
            "11 RRRWWWRRE",
            "21 RRRBWBRRE",
            "32 RRRWEWRRR",
        ),
        CaseGroup("solved", "the start itself, with the vacancy in each cell", _solved),
        CaseGroup("starts", "one pattern from all nine starts", _every_start),
        CaseGroup("limit", f"{MOST_ROLLS} rolls, the limit, and {MOST_ROLLS + 1}", _limit),
        CaseGroup("depths", "the same number of patterns at each depth", _every_depth),
        CaseGroup("hardest", "the hardest patterns from each start", _hardest),
        CaseGroup("random", "uniformly random patterns and starts", _random),
    ),
    letters=True,
    ends_with="00",
)

PROBLEMS = {"poj-3131": _POJ_3131}
"""The problem about rolling cubes by name."""
