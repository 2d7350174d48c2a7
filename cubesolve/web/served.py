"""The puzzles of a server: those that ship, files from the command line, and texts that clients upload."""

from __future__ import annotations

import hashlib
import os
import shlex
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import NamedTuple, TypeVar

from cubesolve import catalog
from cubesolve.ask import Puzzle
from cubesolve.definition import notation
from cubesolve.definition.formats import parse_definition, read_text
from cubesolve.definition.piece_view import PieceView
from cubesolve.errors import InvalidDefinitionError, UnknownPuzzleError
from cubesolve.spaces.defined import DerivedRules
from cubesolve.spaces.rules import Rules
from cubesolve.store.tables import Tables

MOST_VISITORS = 6  # the largest number of uploaded puzzles, and of changed puzzles, that the server keeps
_MOST_OPEN = 2  # of these are open in each process, each with up to 130 MB of tables
_DIGITS = 16
_UNNAMED = "puzzle"

Key = TypeVar("Key")
Kept = TypeVar("Kept")


class ChosenPuzzle(NamedTuple):
    """The puzzle of a request, and its changes; see `Puzzle.restrict` and `Puzzle.towards`."""

    puzzle: str
    moves: str | None = None
    cost: str | None = None
    goal: str | None = None

    @property
    def is_plain(self) -> bool:
        return self == ChosenPuzzle(self.puzzle)


class UploadedText(NamedTuple):
    """The uploaded text of a file that defines a puzzle."""

    text: str  # the text
    name: str = ""  # the name of the file; empty if it has none

    @property
    def shown(self) -> str:
        """The name without a folder."""
        return PurePath(self.name.replace("\\", "/")).name

    @property
    def made_name(self) -> str:
        """The unique name for requests about the puzzle."""
        digest = hashlib.sha256(f"{self.shown} {self.text}".encode(errors="surrogatepass")).hexdigest()
        return f"{digest[:_DIGITS]}-{self.shown or _UNNAMED}"

    def rules(self) -> DerivedRules:
        shown = self.shown or _UNNAMED
        try:
            with notation.limited(notation.MOST_MOVES):  # the limit for algs in requests does not apply
                definition = parse_definition(self.text, shown)
        except InvalidDefinitionError as error:
            raise InvalidDefinitionError(self.shown, error.where, error.reason) from None
        return DerivedRules(PieceView(definition, spoken=shlex.quote(shown)))


def read_files(paths: Sequence[str]) -> dict[str, str]:
    """Return the texts of files that define puzzles, by name without a folder."""
    texts: dict[str, str] = {}
    for path in paths:
        name = os.path.basename(path)
        if name in texts or name in catalog.names():
            raise InvalidDefinitionError(path, "", f"the name {name} is used by another puzzle")
        texts[name] = read_text(path)
        parse_definition(texts[name], path)
    return texts


def folder_of(folder: str, chosen: ChosenPuzzle) -> str:
    """Return the folder for the tables of a visitor's puzzle, within the folder for all of them."""
    return os.path.join(folder, hashlib.sha256(repr(chosen).encode(errors="surrogatepass")).hexdigest()[:_DIGITS])


class Recent(OrderedDict[Key, Kept]):
    """The entries that were used last."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def use(self, key: Key, kept: Kept) -> list[Key]:
        """Keep an entry, and return the keys of those that are dropped for it."""
        self[key] = kept
        self.move_to_end(key)
        return [self.popitem(last=False)[0] for _ in range(len(self) - self._most)]


class ListedPuzzle(Puzzle):
    """A listed puzzle; it changes into puzzles of visitors, which are kept for a while."""

    def __init__(self, rules: Rules, tables: Tables, find: Callable[..., Puzzle]) -> None:
        super().__init__(rules, tables)
        self._find = find

    def restrict(self, moves: str | None = None, cost: object = None, **_options: object) -> Puzzle:
        return self._find(moves=moves, cost=cost)

    def towards(self, goal: object, **_options: object) -> Puzzle:
        return self._find(goal=goal)


class Served:
    """The puzzles of one process; those of visitors have tables in a folder of the server, and not in the user's."""

    def __init__(self, files: Mapping[str, str], folder: str) -> None:
        self._tables, self._folder = Tables(None), folder
        self.files = list(files)
        self._own: dict[str, Puzzle] = {
            name: self._listed_puzzle(name, UploadedText(text, name).rules()) for name, text in files.items()
        }
        self._listed = frozenset(catalog.names())
        self._visitors = Recent[ChosenPuzzle, Puzzle](_MOST_OPEN)

    @property
    def names(self) -> list[str]:
        return [*catalog.names(), *self.files]

    def called(self, name: str) -> str:
        """Return the main name of a puzzle from any of its names."""
        return name if name in self.files else catalog.aliases().get(name, name)

    def find(self, chosen: ChosenPuzzle, given: UploadedText | None = None) -> Puzzle:
        """Return a puzzle, from its text if it was uploaded; create it if necessary."""
        if chosen.is_plain and (chosen.puzzle in self._own or chosen.puzzle in self._listed):
            if chosen.puzzle not in self._own:
                self._own[chosen.puzzle] = self._listed_puzzle(chosen.puzzle, catalog.rules_named(chosen.puzzle))
            return self._own[chosen.puzzle]
        puzzle = self._visitors[chosen] if chosen in self._visitors else self._make(chosen, given)
        self._visitors.use(chosen, puzzle)
        return puzzle

    def _listed_puzzle(self, name: str, rules: Rules) -> Puzzle:
        return ListedPuzzle(rules, self._tables, lambda **changes: self.find(ChosenPuzzle(name, **changes)))

    def _make(self, chosen: ChosenPuzzle, given: UploadedText | None) -> Puzzle:
        rules = self.rules(chosen.puzzle) if given is None else given.rules()
        folder = folder_of(self._folder, chosen)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        puzzle = Puzzle(rules, Tables(folder))
        if chosen.moves is not None or chosen.cost is not None:
            puzzle = puzzle.restrict(chosen.moves, chosen.cost)
        return puzzle if chosen.goal is None else puzzle.towards(chosen.goal)

    def rules(self, name: str) -> Rules:
        """Return a listed puzzle, without its tables."""
        if name in self._own:
            return self._own[name].rules
        try:
            return catalog.rules_named(name)
        except UnknownPuzzleError as error:
            raise UnknownPuzzleError(name, [*error.known, *self.files]) from None
