"""The description of a problem of an online judge."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from cubesolve.judge.output import WORD, Output

if TYPE_CHECKING:
    import random

Case = list[str]
"""The symbols of a case, in the order of the input."""

SYMBOL = "."
"""The placeholder of a symbol on a page."""


class CaseGroup(NamedTuple):
    """A group of cases in test data.

    Attributes:
        name: its name, which is part of the names of files.
        about: a description.
        cases: returns its cases, from a random number generator and the number of cases for groups of any size.
    """

    name: str
    about: str
    cases: Callable[[random.Random, int], list[Case]]


class Problem(NamedTuple):
    """A problem.

    Attributes:
        about: a description, in a line.
        answer: answers a case.
        page: the layout of a case, with a `SYMBOL` for each symbol.
        groups: the groups of its test data.
        output: how an output is judged.
        letters: whether every letter of an input is a symbol, even without blanks between them.
        counted: whether an input begins with the number of cases.
        single: whether an input is a single case.
        ends_with: the symbols that mark the end of an input.
    """

    about: str
    answer: Callable[[Case], str]
    page: str
    groups: tuple[CaseGroup, ...]
    output: Output = WORD
    letters: bool = False
    counted: bool = False
    single: bool = False
    ends_with: str = ""

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of symbols on each line of a case."""
        return tuple(line.count(SYMBOL) for line in self.page.split("\n") if line)


def sample(*texts: str) -> CaseGroup:
    """Return the group of the cases that are published with a problem.

    >>> sample("1 2", "34").cases(None, 1)
    [['1', '2'], ['3', '4']]
    """
    return CaseGroup(
        "sample", "the samples of the problem", lambda _rng, _number: [[*"".join(t.split())] for t in texts]
    )
