"""Puzzles that are given by a definition: those of files, and those of states."""

from __future__ import annotations

import shlex

from cubesolve import catalog
from cubesolve.definition.formats import read_definition
from cubesolve.definition.piece_view import PieceView
from cubesolve.definition.state import StateT
from cubesolve.definition.view import DefinedView
from cubesolve.errors import UnknownPuzzleError
from cubesolve.spaces.defined import DerivedRules
from cubesolve.spaces.rules import Rules


def rules_of_file(path: str) -> Rules:
    """Return the puzzle that a file describes.

    Raises:
        InvalidDefinitionError: the file describes no puzzle.
    """
    return DerivedRules(PieceView(read_definition(path), spoken=shlex.quote(path)))


def rules_of_view(view: DefinedView[StateT]) -> Rules[StateT]:
    """Return the puzzle of a view, which may be pinned."""
    try:
        rules = catalog.rules_named(view.name)
    except UnknownPuzzleError:
        return DerivedRules(view)
    return rules if rules.view == view else DerivedRules(view)
