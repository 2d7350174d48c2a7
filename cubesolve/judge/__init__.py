"""Problems of online judges, by name: answers to an input, test data with exact answers, and judgements of an output.

Everything that is known of a problem is in its entry in `PROBLEMS`; `generating` makes test data of it, and `checking`
judges an output.
"""

from __future__ import annotations

from collections.abc import Iterator

from cubesolve.judge import cubes, rubiks, trays
from cubesolve.judge.cases import Verdict, verdicts
from cubesolve.judge.problem import Problem

__all__ = ["PROBLEMS", "Verdict", "judge"]

PROBLEMS: dict[str, Problem] = {**cubes.PROBLEMS, **trays.PROBLEMS, **rubiks.PROBLEMS}
"""Every problem by name."""


def judge(name: str, text: str) -> Iterator[Verdict]:
    """Answer the cases of a problem's input, in order.

    Args:
        name: a name in `PROBLEMS`.
        text: the input, whole.

    Raises:
        KeyError: no such format.
        TableError: a table is missing or damaged.

    >>> [verdict.answer for verdict in judge("mipt-041", "1 1 5 5 2 2 2 2 4 4 6 6 3 3 3 3 5 6 5 6 1 4 1 4")]
    ['1']
    """
    return (verdict for _, verdict in verdicts(PROBLEMS[name], text))
