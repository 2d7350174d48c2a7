"""The puzzles that ship, a room for each family: what knows a puzzle's name is in its room, and nowhere else.

A room is a module or a package of this one with `NAMES`, the puzzles that it lists, and `rules`, which knows these and
perhaps others of their family by name. It may have `ALIASES`, other names of puzzles that `rules` knows.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterable, Iterator, Mapping
from types import ModuleType

from cubesolve.encodings import encoding_of
from cubesolve.errors import UnknownPuzzleError, quoted
from cubesolve.spaces.rules import Rules
from cubesolve.spaces.tables import TableEntry

TOLD_APART = ("pocket", "rolling", "rubik")
"""The puzzles whose states need no name of the puzzle beside them, in the order in which these are tried."""


def names() -> list[str]:
    """The puzzles that ship.

    >>> "skewb" in names()
    True
    """
    return [name for room in _all_rooms() for name in room.NAMES]


@functools.cache
def aliases() -> Mapping[str, str]:
    """Other names of puzzles, and the name that each stands for.

    >>> aliases()["2x2x2"]
    'pocket'
    """
    return {alias: name for room in _all_rooms() for alias, name in _aliases_of(room).items()}


def _aliases_of(room: ModuleType) -> Mapping[str, str]:
    found: Mapping[str, str] = getattr(room, "ALIASES", {})
    return found


@functools.cache
def rules_named(name: str) -> Rules:
    """What a puzzle is, given its name or another one of its names.

    Raises:
        UnknownPuzzleError: no puzzle that ships has this name.

    >>> rules_named("pocket").title
    '2x2x2 pocket cube'
    """
    for room in _rooms(name):
        named = _aliases_of(room).get(name)
        rules: Rules | None = rules_named(named) if named else room.rules(name)
        if rules is not None:
            return rules
    raise UnknownPuzzleError(name, [*names(), *aliases()])


def _rooms(name: str) -> Iterator[ModuleType]:
    """The rooms in which something with a name can be, the likeliest first."""
    yield from _rooms_named_like(name)
    yield from _all_rooms()


def _rooms_named_like(name: str) -> Iterator[ModuleType]:
    """The room of which a name is, more often than not: its first words are that of the room."""
    words = name.split("-") if name.replace("-", "").isalnum() else []
    for number in range(len(words), 0, -1):
        room = f"{__name__}.{'_'.join(words[:number])}"
        try:
            yield importlib.import_module(room)
        except ModuleNotFoundError as error:
            if error.name != room:
                raise


@functools.cache
def _all_rooms() -> tuple[ModuleType, ...]:
    import pkgutil  # noqa: PLC0415  # most questions are answered without

    found = [importlib.import_module(f"{__name__}.{room.name}") for room in pkgutil.iter_modules(__path__)]
    order = {name: number for number, name in enumerate(TOLD_APART)}
    return tuple(sorted(found, key=lambda room: (order.get(room.NAMES[0], len(order)), room.NAMES[0])))


@functools.cache
def entry_named(name: str) -> tuple[Rules, TableEntry]:
    """A table by name, and the puzzle that it is of; the name of a puzzle stands for its first table of distances.

    Raises:
        ValueError: no puzzle that ships has such a table.

    >>> entry_named("pocket-qtm")[1].header.entries, entry_named("pocket")[1].name
    (3674160, 'pocket-htm')
    """
    for room in _rooms(name):
        for puzzle in room.NAMES:
            for entry in rules_named(puzzle).tables():
                if name == entry.name or (name == puzzle and encoding_of(entry.header).has_depths):
                    return rules_named(puzzle), entry
    if name in aliases():
        return entry_named(aliases()[name])
    raise ValueError(f"unknown table {quoted(name)}: expected a puzzle or one of its tables, as pocket or pocket-htm")


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
