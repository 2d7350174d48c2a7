"""Problems of online judges: answers, test data with exact answers, and checks of an output.

`PROBLEMS` describes each problem completely, from `cubes`, `trays` and `rubiks`; `cases` has the parts of each.
`generating` makes test data, and `checking` judges an output.
"""

from __future__ import annotations

from collections.abc import Iterator

from cubesolve.judge import cubes, rubiks, trays
from cubesolve.judge.cases import Problem, Verdict, verdicts

__all__ = ["PROBLEMS", "Verdict", "judge"]

PROBLEMS: dict[str, Problem] = {**cubes.PROBLEMS, **trays.PROBLEMS, **rubiks.PROBLEMS}
"""Every problem by name."""


def judge(name: str, text: str) -> Iterator[Verdict]:
    """Answer the cases of a problem's input, in order.

    Args:
        name: a name in `PROBLEMS`.
        text: the whole input.

    Raises:
        KeyError: there is no such problem.
        TableError: a table is missing or damaged.

    >>> [verdict.answer for verdict in judge("mipt-041", "1 1 5 5 2 2 2 2 4 4 6 6 3 3 3 3 5 6 5 6 1 4 1 4")]
    ['1']
    """
    return (verdict for _, verdict in verdicts(PROBLEMS[name], text))
