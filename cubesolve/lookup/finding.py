"""Which puzzle a question is about: by name, from a file, or by a state."""

from __future__ import annotations

import functools
import os
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Self, Unpack, overload

from cubesolve import catalog
from cubesolve.ask import Puzzle
from cubesolve.definition.facelets import is_no_facelets, length_hint
from cubesolve.definition.state import Labelling, State
from cubesolve.definition.view import DefinedView
from cubesolve.errors import CubesolveWarning, InvalidStateError, UnknownPuzzleError, quoted
from cubesolve.search.limits import limited
from cubesolve.spaces.rules import Rules
from cubesolve.spaces.tables import TableEntry
from cubesolve.store.folders import Folder
from cubesolve.store.tables import Tables

if TYPE_CHECKING:
    from cubesolve.catalog.pocket.cube import PocketCube
    from cubesolve.catalog.rolling.tray import Tray
    from cubesolve.catalog.rubik.cube import RubikCube
    from cubesolve.search.limits import Limits
    from cubesolve.solvers.arrays import GraphArrays

    PocketName = Literal["pocket", "2x2x2", "2x2", "222"]
    RubikName = Literal["rubik", "3x3x3", "3x3", "333"]

_FEWEST = 24  # facelets of a cube


def rules_named(name: str | os.PathLike[str]) -> Rules:
    """A puzzle that ships, by its name, or one that a file describes, by its path."""
    try:
        text = str(name) if isinstance(name, int) else os.fsdecode(name)
    except TypeError:
        raise UnknownPuzzleError(str(name), [*catalog.names(), *catalog.aliases()]) from None
    if is_path(text):
        return _defined_by(text)
    try:
        return catalog.rules_named(text)
    except UnknownPuzzleError:
        if not os.path.lexists(text):
            raise
    return _defined_by(text)


def is_path(name: str) -> bool:
    """Return whether a name can only be that of a file, so that modules of the catalog need not be loaded."""
    return os.sep in name or bool(os.path.splitext(name)[1])


def is_short_alg(state: object) -> bool:
    """Return whether a state is given as an alg with fewer characters than the facelets of any cube.

    >>> is_short_alg("R U"), is_short_alg("RURU"), is_short_alg(7)
    (True, False, False)
    """
    return isinstance(state, str) and len(state) < _FEWEST and is_no_facelets(state)


@functools.cache
def warn_of_alg() -> None:
    """Warn, once in a process, that an alg is taken for one of the pocket cube."""
    about = 'an alg is taken for one of the 2x2x2, as no puzzle is named; cubesolve.puzzle("333") is the 3x3x3'
    warnings.warn(CubesolveWarning(about), stacklevel=4)


def claiming(state: object) -> Rules:
    """Return the puzzle of a state, judging by its type and text; an alg is one of the pocket cube.

    >>> claiming((2, 1)).name, claiming("U" * 54).name, claiming("R U").name
    ('rolling', 'rubik', 'pocket')
    """
    if isinstance(state, State):
        return _rules_of(state.labelling)
    if hasattr(state, "__array__"):
        return claiming_batch(state.__array__().reshape(1, -1), {})
    for name in catalog.RECOGNIZED:
        rules = catalog.rules_named(name)
        if rules.view.claims(state):
            return rules
    if isinstance(state, str) and is_no_facelets(state):
        warn_of_alg()
        return catalog.rules_named(catalog.RECOGNIZED[0])
    if isinstance(state, (str, bytes)):
        raise _no_facelets(state if isinstance(state, str) else state.decode("latin-1"))
    raise InvalidStateError(f"expected a cube, its facelets, its rank or a tray, not {type(state).__name__}", "type")


def _defined_by(about: str | DefinedView) -> Rules:
    """Return the puzzle of a file, given by its path, or of a view, which may be pinned."""
    import shlex  # noqa: PLC0415  # most questions need no definition

    from cubesolve.definition.formats import read_definition  # noqa: PLC0415  # likewise
    from cubesolve.definition.piece_view import PieceView  # noqa: PLC0415  # likewise
    from cubesolve.spaces.defined import DerivedRules  # noqa: PLC0415  # likewise

    if isinstance(about, str):
        return DerivedRules(PieceView(read_definition(about), spoken=shlex.quote(about)))
    try:
        rules = catalog.rules_named(about.name)
    except UnknownPuzzleError:
        return DerivedRules(about)
    return rules if rules.view == about else DerivedRules(about)


@functools.lru_cache(maxsize=64)
def _rules_of(labelling: Labelling) -> Rules:
    """Return the puzzle with a goal that a masked state belongs to, or the puzzle of a view, which may be pinned."""
    if isinstance(labelling, Rules):
        return labelling
    assert isinstance(labelling, DefinedView)
    return _defined_by(labelling)


def _no_facelets(text: str) -> InvalidStateError:
    symbols = "".join(text.split())
    hint = length_hint(symbols) or (f", as {quoted(text)} has" if symbols else "")
    message = f"a 3x3x3 cube has 54 facelets and a pocket cube 24 facelets, not {len(symbols)}{hint}"
    return InvalidStateError(message, "length")


def claiming_batch(batch: object, question: Mapping[str, object]) -> Rules:
    """Return the puzzle that many states are of; algs alone are those of the pocket cube."""
    if isinstance(batch, (list, tuple)) and batch and isinstance(batch[0], State):
        return _rules_of(batch[0].labelling)
    rules = (catalog.rules_named(name) for name in reversed(catalog.RECOGNIZED))
    return next(own for own in rules if own.view.claims_batch(batch, **question))


class Puzzles:
    """The puzzles whose tables are in one folder, or in the usual ones."""

    def __init__(self, directory: Folder | None = None) -> None:
        """Open the tables of a folder."""
        self._tables = Tables(directory)
        self._puzzles: dict[Rules, Puzzle] = {}

    def __repr__(self) -> str:
        return f"<tablebase of {self._tables.directory or 'the usual folders'}>"

    def __getstate__(self) -> dict[str, object]:
        return {"_tables": self._tables, "_puzzles": {}}

    @overload
    def puzzle(self, name: PocketName, *, inverses: bool = True, **_limits: Unpack[Limits]) -> Puzzle[PocketCube]: ...
    @overload
    def puzzle(self, name: RubikName, *, inverses: bool = True, **_limits: Unpack[Limits]) -> Puzzle[RubikCube]: ...
    @overload
    def puzzle(self, name: Literal["rolling"], *, inverses: bool = True, **_limits: Unpack[Limits]) -> Puzzle[Tray]: ...
    @overload
    def puzzle(self, name: str, *, inverses: bool = True, **_limits: Unpack[Limits]) -> Puzzle: ...
    @limited
    def puzzle(self, name: str, *, inverses: bool = True, **_limits: Unpack[Limits]) -> Puzzle:
        """Return a puzzle by name, or from a file that defines one.

        Args:
            name: one of `puzzles`, another name of one, as ``2x2x2``, or the path of a file: tws, KPuzzle, permutations
                in cycles, or a graph of CayleyPy.
            inverses: whether a move also stands for its inverse and its other powers; see `Puzzle.restrict`.
            **_limits: `timeout` and `cancel`, as in `SearchOptions`.

        Raises:
            UnknownPuzzleError: no puzzle that ships has this name, and there is no such file.
            InvalidDefinitionError: the file does not define a puzzle.

        >>> from cubesolve import puzzle
        >>> puzzle("skewb").depth("R U' L")
        3
        """
        puzzle = self._of(rules_named(name))
        return puzzle if inverses else puzzle.restrict(inverses=False)

    def _of(self, rules: Rules) -> Puzzle:
        puzzle = self._puzzles.get(rules)
        if puzzle is None:
            puzzle = self._puzzles[rules] = Puzzle(rules, self._tables)
        return puzzle

    def _about(self, state: object, name: str | None) -> Puzzle:
        if name is not None:
            return self.puzzle(name)
        first = self._first
        if first.rules.view.claims(state):
            return first
        if is_short_alg(state):  # without the puzzles that are tried next
            warn_of_alg()
            return first
        return self._of(claiming(state))

    @functools.cached_property
    def _first(self) -> Puzzle:
        """The puzzle that is tried first: nothing else needs to be looked up for its states."""
        return self.puzzle(catalog.RECOGNIZED[0])

    def _about_batch(
        self, batch: object, question: Mapping[str, Any], name: str | None
    ) -> tuple[Puzzle, dict[str, Any]]:
        """The puzzle that a batch is of, and the keywords that are not None."""
        named = {name: value for name, value in question.items() if value is not None}
        if name is not None:
            return self.puzzle(name), named
        puzzle = self._of(claiming_batch(batch, named))
        if puzzle is self._first and isinstance(batch, (list, tuple)) and batch and is_short_alg(batch[0]):
            warn_of_alg()
        return puzzle, named

    def found(self, name: str) -> tuple[Puzzle, TableEntry]:
        """A table by name, and its puzzle; the name of a puzzle stands for its usual table.

        Raises:
            ValueError: there is no such table.
        """
        rules, entry = catalog.entry_named(name if isinstance(name, str) else str(name))
        return self._of(rules), entry

    def _arrays_of(self, name: str) -> GraphArrays:
        puzzle, entry = self.found(name)
        return puzzle.arrays_of(entry)

    def close(self) -> None:
        """Release the memory; further queries of tables raise `ValueError`."""
        self._tables.close()
        for puzzle in self._puzzles.values():
            puzzle.forget()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
