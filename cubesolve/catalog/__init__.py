"""The puzzles of the catalog: a module or a package for each family, the only one that contains its names.

A family is found because its module is in this folder, so a new puzzle is one file. `Family` lists what the module must
have. `catalog.solvers` has the table of solvers.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol, cast

from cubesolve.encodings import encoding_of
from cubesolve.errors import UnknownPuzzleError, quoted
from cubesolve.runtime.arguments import meant
from cubesolve.spaces.rules import Rules
from cubesolve.spaces.tables import TableEntry

RECOGNIZED = ("pocket", "rolling", "rubik")
"""The puzzles whose states are recognized without the name of the puzzle, in the order in which they are tried."""


class Family(Protocol):
    """The contents of a module of puzzles.

    It may also have `ALIASES`, other names of them by name; `UNLISTED`, other puzzles whose tables are kept; and
    `OTHERS`, a regular expression of the names of further puzzles of the family, with `SERIES`, a name and a title for
    all of them.
    """

    NAMES: Sequence[str]  # of the puzzles that it lists

    def rules(self, name: str) -> Rules | None:
        """Return a puzzle of the family by name; None if the family has no puzzle of this name."""


def names() -> list[str]:
    """Return the names of the puzzles of the catalog."""
    return [name for family in _families() for name in family.NAMES]


@functools.cache
def aliases() -> Mapping[str, str]:
    """Return other names of puzzles, and the names that they stand for."""
    return {alias: name for family in _families() for alias, name in _aliases_of(family).items()}


def series() -> list[tuple[str, str, Sequence[str], Sequence[str]]]:
    """Return the families of puzzles of any size: a name and a title for all, names that are listed, other names."""
    families = (family for family in _families() if hasattr(family, "SERIES"))
    return [(*family.SERIES, family.NAMES, [*_aliases_of(family)]) for family in families]


def _aliases_of(family: Family) -> Mapping[str, str]:
    by_alias: Mapping[str, str] = getattr(family, "ALIASES", {})
    return by_alias


def _with_tables(family: Family) -> Sequence[str]:
    return (*family.NAMES, *getattr(family, "UNLISTED", ()))


_rules: dict[str, Rules] = {}


def rules_named(name: str) -> Rules:
    """Return a puzzle by name, or by another of its names: always the same object, in all threads."""
    rules = _rules.get(name) or _made_rules(name)
    return rules_named(_spelled(name)) if rules is None else _rules.setdefault(name, rules)


def _spelled(name: str) -> str:
    """Return the name of a puzzle as this package spells it; case, spaces, hyphens and underscores do not matter."""
    all_names = [*names(), *aliases()]
    spelled = re.sub(r"(?<=[a-z])-?(?=\d)", "-", _hyphenated(name), count=1)
    others = (getattr(family, "OTHERS", "(?!)") for family in _families())
    puzzle = meant(name, all_names) or (spelled if any(re.fullmatch(pattern, spelled) for pattern in others) else name)
    if puzzle == name:
        raise UnknownPuzzleError(name, all_names)
    return puzzle


def _hyphenated(name: str) -> str:
    return "-".join(re.findall(r"[^\s_-]+", name.lower()))


def _made_rules(name: str) -> Rules | None:
    for family in _families_of(name):
        if name in _aliases_of(family):
            return rules_named(_aliases_of(family)[name])
        is_known = name in _with_tables(family) or re.fullmatch(getattr(family, "OTHERS", "(?!)"), name)
        rules = family.rules(name) if is_known else None
        if rules is not None:
            return rules
    return None


def _families_of(name: str) -> Iterator[Family]:
    """Return the families that may have a name, the likeliest first: only these are imported then."""
    words = name.split("-") if name.replace("-", "").isalnum() else []
    for number in range(len(words), 0, -1):
        family = _family("_".join(words[:number]))
        if family is not None:
            yield family
    yield from _each_family()


@functools.cache
def _families() -> tuple[Family, ...]:
    order = {name: number for number, name in enumerate(RECOGNIZED)}
    return tuple(sorted(_each_family(), key=lambda family: (order.get(family.NAMES[0], len(order)), family.NAMES[0])))


def _each_family() -> Iterator[Family]:
    import pkgutil  # noqa: PLC0415  # the names of most puzzles begin with that of their family

    return filter(None, (_family(module.name) for module in pkgutil.iter_modules(__path__)))


def _family(name: str) -> Family | None:
    """Return the family of a module of this package; None without such a module or family."""
    module = f"{__name__}.{name}"
    try:
        family = importlib.import_module(module)  # by its name, so that a puzzle is one file, and only it is loaded
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        return None
    return cast("Family", family) if hasattr(family, "NAMES") else None


@functools.cache
def entry_named(name: str) -> tuple[Rules, TableEntry]:
    """Return a table by name, and its puzzle; the name of a puzzle stands for its first table of distances."""
    for family in _families_of(name):
        for puzzle in _with_tables(family):
            for entry in rules_named(puzzle).tables():
                if name == entry.name or (name == puzzle and encoding_of(entry.header).has_depths):
                    return rules_named(puzzle), entry
    spelled = aliases().get(name) or _hyphenated(name)
    if spelled != name:
        with contextlib.suppress(ValueError):
            return entry_named(spelled)
    raise ValueError(
        f"unknown table {quoted(name)}: expected a puzzle or one of its tables, such as pocket or pocket-htm"
    )


def tables() -> dict[str, TableEntry]:
    """Return every table of the puzzles of the catalog, in the order in which they are built."""
    puzzles = [puzzle for family in _families() for puzzle in _with_tables(family)]
    return {entry.name: entry for puzzle in puzzles for entry in rules_named(puzzle).tables()}


def groups() -> dict[str, tuple[str, ...]]:
    """Return the names of groups of tables."""
    return {group: members for name in names() for group, members in rules_named(name).groups.items()}


def tables_named(chosen: Iterable[str] = ()) -> list[str]:
    """Return the tables of some names and groups; without names, those that are built by default."""
    by_group = groups()
    members = [table for name in chosen for table in by_group.get(name, (name,))]
    return members or [name for name, entry in tables().items() if entry.by_default]
