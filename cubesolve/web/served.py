"""Which puzzles are served: those that ship, files that were given at the start, and texts that came in later."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import PurePath
from typing import NamedTuple

from cubesolve import catalog
from cubesolve.errors import InvalidDefinitionError, UnknownPuzzleError
from cubesolve.lookup.questions import Puzzle, with_tables
from cubesolve.lookup.tables import Tables
from cubesolve.rules.defined import DefinedRules
from cubesolve.rules.readers import parse_definition, read_definition

_MOST_KEPT = 6  # puzzles of visitors, each with up to 130 MB of tables
_DIGITS = 16


class Chosen(NamedTuple):
    """What names a puzzle in a question; see `Puzzle.restrict` and `Puzzle.towards`."""

    puzzle: str
    moves: str | None = None
    cost: str | None = None
    goal: str | None = None


class Served:
    """The puzzles that questions can be about.

    What visitors make up, a text or moves that they chose, is kept for a while, and its tables in a folder that is
    removed at the end: nobody fills the user's own.
    """

    def __init__(self, files: Sequence[str] = (), directory: str | None = None) -> None:
        """Take the files that describe puzzles.

        Raises:
            InvalidDefinitionError: one describes none, or is called like another.
        """
        self._tables = Tables(directory)
        self._own: dict[str, Puzzle] = {}
        self.files = [os.path.basename(path) for path in files]
        for path, name in zip(files, self.files, strict=True):
            if name in self._own or name in catalog.names():
                raise InvalidDefinitionError(path, "", f"another puzzle is called {name}, too")
            rules = DefinedRules(read_definition(path), spoken=name)
            self._own[name] = with_tables(rules, self._tables)
        self._listed = frozenset(catalog.names())
        self._texts: OrderedDict[str, DefinedRules] = OrderedDict()
        self._kept: OrderedDict[Chosen, tuple[Puzzle, str]] = OrderedDict()
        self._folder = tempfile.mkdtemp(prefix="cubesolve-")
        self._changing = threading.Lock()

    def close(self) -> None:
        """Remove what was kept."""
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def names(self) -> list[str]:
        """The puzzles that are listed."""
        return [*catalog.names(), *self.files]

    def known(self, chosen: Chosen) -> Puzzle | None:
        """A puzzle that has been asked about before."""
        chosen = self._by_its_name(chosen)
        own = self._own.get(chosen.puzzle) if chosen == Chosen(chosen.puzzle) else None
        kept = self._kept.get(chosen)
        return own or (kept[0] if kept else None)

    def find(self, chosen: Chosen) -> Puzzle:
        """A puzzle, which may have to be made.

        Raises:
            UnknownPuzzleError: there is none of this name.
            ValueError: these moves, costs or goals mean nothing.
        """
        found = self.known(chosen)
        if found is not None:
            return found
        with self._changing:
            return self.known(chosen) or self._make(self._by_its_name(chosen))

    def called(self, name: str) -> str:
        """The name of a puzzle that may have been given another one of its names."""
        return name if name in self.files else catalog.aliases().get(name, name)

    def _by_its_name(self, chosen: Chosen) -> Chosen:
        return chosen._replace(puzzle=self.called(chosen.puzzle))

    def add(self, name: str, text: str) -> str:
        """Take the text of a file that describes a puzzle, and give it a name.

        Raises:
            InvalidDefinitionError: it describes none.
        """
        shown = PurePath(name.replace("\\", "/")).name or "puzzle"
        made = f"{hashlib.sha256(f'{shown} {text}'.encode()).hexdigest()[:_DIGITS]}-{shown}"
        rules = DefinedRules(parse_definition(text, shown), spoken=shown)
        with self._changing:
            self._texts[made] = rules
            self._texts.move_to_end(made)
            while len(self._texts) > _MOST_KEPT:
                self._texts.popitem(last=False)
        return made

    def _make(self, chosen: Chosen) -> Puzzle:
        plain = chosen == Chosen(chosen.puzzle)
        if chosen.puzzle in self._own:
            rules = self._own[chosen.puzzle].rules
        elif chosen.puzzle in self._texts:
            rules = self._texts[chosen.puzzle]
        else:
            try:
                rules = catalog.rules_named(chosen.puzzle)
            except UnknownPuzzleError as error:
                raise UnknownPuzzleError(chosen.puzzle, [*error.known, *self.files]) from None
        if plain and chosen.puzzle in self._listed:
            found = self._own[chosen.puzzle] = with_tables(rules, self._tables)
            return found
        folder = tempfile.mkdtemp(dir=self._folder)
        puzzle = with_tables(rules, Tables(folder))
        if chosen.moves is not None or chosen.cost is not None:
            puzzle = puzzle.restrict(chosen.moves, chosen.cost)
        if chosen.goal is not None:
            puzzle = puzzle.towards(chosen.goal)
        self._kept[chosen] = puzzle, folder
        while len(self._kept) > _MOST_KEPT:
            _, (_, oldest) = self._kept.popitem(last=False)
            shutil.rmtree(oldest, ignore_errors=True)
        return puzzle
