"""Which puzzles are served: those that ship, files that were given at the start, and texts that came in later."""

from __future__ import annotations

import hashlib
import os
import shlex
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import NamedTuple

from cubesolve import catalog, notation
from cubesolve.ask import Puzzle
from cubesolve.errors import InvalidDefinitionError, UnknownPuzzleError
from cubesolve.puzzles.piece_view import PieceView
from cubesolve.puzzles.readers import parse_definition, read_text
from cubesolve.spaces.defined import DerivedRules
from cubesolve.spaces.rules import Rules
from cubesolve.store.tables import Tables

MOST_VISITORS = 6
"""The most puzzles of visitors, and the most that they changed, that are kept."""

_MOST_OPEN = 2  # of these in each process, each with up to 130 MB of tables
_DIGITS = 16
_UNNAMED = "puzzle"


class Chosen(NamedTuple):
    """What names a puzzle in a question; see `Puzzle.restrict` and `Puzzle.towards`."""

    puzzle: str
    moves: str | None = None
    cost: str | None = None
    goal: str | None = None

    @property
    def is_plain(self) -> bool:
        """Whether nothing is changed."""
        return self == Chosen(self.puzzle)


class Given(NamedTuple):
    """The text of a file that describes a puzzle.

    Attributes:
        text: what is in it.
        name: what it is called; nothing if that was not said.
    """

    text: str
    name: str = ""

    @property
    def shown(self) -> str:
        """Its name without a folder."""
        return PurePath(self.name.replace("\\", "/")).name

    @property
    def made_name(self) -> str:
        """The name by which to ask about it, which is that of no other text."""
        digest = hashlib.sha256(f"{self.shown} {self.text}".encode(errors="surrogatepass")).hexdigest()
        return f"{digest[:_DIGITS]}-{self.shown or _UNNAMED}"

    def rules(self) -> DerivedRules:
        """The puzzle.

        Raises:
            InvalidDefinitionError: it describes none.
        """
        shown = self.shown or _UNNAMED
        try:
            with notation.limited(notation.MOST_MOVES):  # whatever the limit for algs in questions is
                definition = parse_definition(self.text, shown)
        except InvalidDefinitionError as error:
            raise InvalidDefinitionError(self.shown, error.where, error.reason) from None
        return DerivedRules(PieceView(definition, spoken=shlex.quote(shown)))


def read_files(paths: Sequence[str]) -> dict[str, str]:
    """The texts of files that describe puzzles, by name without a folder.

    Raises:
        InvalidDefinitionError: one cannot be read, describes none, or is called like another puzzle.
    """
    texts: dict[str, str] = {}
    for path in paths:
        name = os.path.basename(path)
        if name in texts or name in catalog.names():
            raise InvalidDefinitionError(path, "", f"another puzzle is called {name}, too")
        texts[name] = read_text(path)
        parse_definition(texts[name], path)
    return texts


def folder_of(folder: str, chosen: Chosen) -> str:
    """The folder of the tables of a puzzle of visitors, within that of all these."""
    return os.path.join(folder, hashlib.sha256(repr(chosen).encode(errors="surrogatepass")).hexdigest()[:_DIGITS])


class Served:
    """The puzzles that one process answers questions about.

    What visitors make up, a text or moves that they chose, is kept for a while. The tables of these are in a folder of
    the server's, which all of its processes share: nobody fills the user's own.
    """

    def __init__(self, files: Mapping[str, str], folder: str, directory: str | None = None) -> None:
        """Take the puzzles.

        Args:
            files: the texts of files that describe puzzles, by name.
            folder: where tables of visitors' puzzles are kept.
            directory: where other tables are looked for; in the usual folders, if it is None.
        """
        self._tables, self._folder = Tables(directory), folder
        self.files = list(files)
        self._own = {name: Puzzle(Given(text, name).rules(), self._tables) for name, text in files.items()}
        self._listed = frozenset(catalog.names())
        self._visitors: OrderedDict[Chosen, Puzzle] = OrderedDict()

    @property
    def names(self) -> list[str]:
        """The puzzles that are listed."""
        return [*catalog.names(), *self.files]

    def called(self, name: str) -> str:
        """The name of a puzzle that may have been given another one of its names."""
        return name if name in self.files else catalog.aliases().get(name, name)

    def find(self, chosen: Chosen, given: Given | None = None) -> Puzzle:
        """A puzzle, which may have to be made.

        Args:
            chosen: what names it.
            given: the text that describes it, if it is one that came in later.

        Raises:
            UnknownPuzzleError: there is none of this name.
            ValueError: these moves, costs or goals mean nothing.
        """
        if chosen.is_plain and (chosen.puzzle in self._own or chosen.puzzle in self._listed):
            if chosen.puzzle not in self._own:
                self._own[chosen.puzzle] = Puzzle(catalog.rules_named(chosen.puzzle), self._tables)
            return self._own[chosen.puzzle]
        if chosen not in self._visitors:
            self._visitors[chosen] = self._make(chosen, given)
            while len(self._visitors) > _MOST_OPEN:
                self._visitors.popitem(last=False)
        self._visitors.move_to_end(chosen)
        return self._visitors[chosen]

    def _make(self, chosen: Chosen, given: Given | None) -> Puzzle:
        rules = self.rules(chosen.puzzle) if given is None else given.rules()
        folder = folder_of(self._folder, chosen)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        puzzle = Puzzle(rules, Tables(folder))
        if chosen.moves is not None or chosen.cost is not None:
            puzzle = puzzle.restrict(chosen.moves, chosen.cost)
        return puzzle if chosen.goal is None else puzzle.towards(chosen.goal)

    def rules(self, name: str) -> Rules:
        """A puzzle that is listed, without its tables.

        Raises:
            UnknownPuzzleError: there is none of this name.
        """
        if name in self._own:
            return self._own[name].rules
        try:
            return catalog.rules_named(name)
        except UnknownPuzzleError as error:
            raise UnknownPuzzleError(name, [*error.known, *self.files]) from None


class Visitors:
    """The texts that came in later, and the puzzles that visitors changed, as far as they are kept."""

    def __init__(self, folder: str) -> None:
        """Take the folder of their tables."""
        self._folder = folder
        self._texts: OrderedDict[str, Given] = OrderedDict()
        self._changed: OrderedDict[Chosen, None] = OrderedDict()

    def keep(self, given: Given) -> None:
        """Keep a text, and forget the oldest."""
        self._texts[given.made_name] = given
        self._texts.move_to_end(given.made_name)
        while len(self._texts) > MOST_VISITORS:
            self._texts.popitem(last=False)

    def text(self, name: str) -> Given | None:
        """A text by the name that it got."""
        return self._texts.get(name)

    def asked(self, chosen: Chosen) -> list[str]:
        """Remember that there can be tables, and return the folders of those that are to be removed."""
        self._changed[chosen] = None
        self._changed.move_to_end(chosen)
        over = range(len(self._changed) - MOST_VISITORS)
        return [folder_of(self._folder, self._changed.popitem(last=False)[0]) for _ in over]
