"""The puzzles that ship: a module or a package for each family, the only one that contains its name.

A family is found because it is in this folder, so a new puzzle is one file. `Family` lists what the file must have.
`catalog.solvers` has the table of solvers.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol, cast

from cubesolve.encodings import encoding_of
from cubesolve.errors import UnknownPuzzleError, quoted
from cubesolve.spaces.rules import Rules
from cubesolve.spaces.tables import TableEntry

RECOGNIZED = ("pocket", "rolling", "rubik")
"""The puzzles whose states need no name of the puzzle beside them, in the order in which these are tried."""


class Family(Protocol):
    """What a module of this package has if it describes puzzles; `ALIASES`, other names of them by name, is optional.

    Attributes:
        NAMES: the puzzles that it lists.
    """

    NAMES: Sequence[str]

    def rules(self, name: str) -> Rules | None:
        """Return a puzzle by name: one of `NAMES`, or another one of the family; None for all other names."""


def names() -> list[str]:
    """The puzzles that ship.

    >>> "skewb" in names()
    True
    """
    return [name for family in _families() for name in family.NAMES]


@functools.cache
def aliases() -> Mapping[str, str]:
    """Other names of puzzles, and the name that each stands for.

    >>> aliases()["2x2x2"]
    'pocket'
    """
    return {alias: name for family in _families() for alias, name in _aliases_of(family).items()}


def _aliases_of(family: Family) -> Mapping[str, str]:
    found: Mapping[str, str] = getattr(family, "ALIASES", {})
    return found


@functools.cache
def rules_named(name: str) -> Rules:
    """What a puzzle is, given its name or another one of its names.

    Raises:
        UnknownPuzzleError: no puzzle that ships has this name.

    >>> rules_named("pocket").title
    '2x2x2 pocket cube'
    """
    for family in _families_of(name):
        named = _aliases_of(family).get(name)
        rules = rules_named(named) if named else family.rules(name)
        if rules is not None:
            return rules
    raise UnknownPuzzleError(name, [*names(), *aliases()])


def _families_of(name: str) -> Iterator[Family]:
    """The families that may have a name, the likeliest first: only these are loaded then."""
    words = name.split("-") if name.replace("-", "").isalnum() else []
    for number in range(len(words), 0, -1):
        family = _family("_".join(words[:number]))
        if family is not None:
            yield family
    yield from _families()


@functools.cache
def _families() -> tuple[Family, ...]:
    import pkgutil  # noqa: PLC0415  # the names of most puzzles begin with that of their family

    found = [family for module in pkgutil.iter_modules(__path__) if (family := _family(module.name)) is not None]
    order = {name: number for number, name in enumerate(RECOGNIZED)}
    return tuple(sorted(found, key=lambda family: (order.get(family.NAMES[0], len(order)), family.NAMES[0])))


def _family(name: str) -> Family | None:
    """The family in a module of this package; None if there is none."""
    module = f"{__name__}.{name}"
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        return None
    return cast("Family", found) if hasattr(found, "NAMES") else None


@functools.cache
def entry_named(name: str) -> tuple[Rules, TableEntry]:
    """A table by name, and the puzzle that it is of; the name of a puzzle stands for its first table of distances.

    Raises:
        ValueError: no puzzle that ships has such a table.

    >>> entry_named("pocket-qtm")[1].header.entries, entry_named("pocket")[1].name
    (3674160, 'pocket-htm')
    """
    for family in _families_of(name):
        for puzzle in family.NAMES:
            for entry in rules_named(puzzle).tables():
                if name == entry.name or (name == puzzle and encoding_of(entry.header).has_depths):
                    return rules_named(puzzle), entry
    if name in aliases():
        return entry_named(aliases()[name])
    raise ValueError(
        f"unknown table {quoted(name)}: expected a puzzle or one of its tables, such as pocket or pocket-htm"
    )


def tables() -> dict[str, TableEntry]:
    """Every table of the puzzles that ship, in the order in which they are built."""
    return {entry.name: entry for name in names() for entry in rules_named(name).tables()}


def groups() -> dict[str, tuple[str, ...]]:
    """Names that stand for several tables."""
    return {group: members for name in names() for group, members in rules_named(name).groups.items()}


def tables_named(chosen: Iterable[str] = ()) -> list[str]:
    """The tables that names of tables and groups stand for; without any, those that are built by default.

    >>> tables_named(["rolling-face"])
    ['rolling-face-corner', 'rolling-face-edge', 'rolling-face-centre']
    """
    known = groups()
    found = [table for name in chosen for table in known.get(name, (name,))]
    return found or [name for name, entry in tables().items() if entry.by_default]
