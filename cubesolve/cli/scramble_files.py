"""The states of a file of scrambles, for the commands `depth` and `solve`."""

from __future__ import annotations

import json

import click

from cubesolve.ask import Puzzle
from cubesolve.cli.running import whole_input
from cubesolve.definition.formats import format_kpuzzle_pattern, parse_scrambles, read_text
from cubesolve.definition.view import DefinedView
from cubesolve.errors import CubesolveError, InvalidDefinitionError, InvalidStateError


def states_of_file(puzzle: Puzzle, scrambles: str) -> tuple[list[str], dict[str, CubesolveError]]:
    """Return the states of a file of scrambles, or of stdin for ``-``, as KPuzzle patterns.

    Raises:
        UsageError: the puzzle has no definition.
    """
    view = puzzle.rules.view
    if not isinstance(view, DefinedView):
        raise click.UsageError(f"--scrambles is not supported for --puzzle {puzzle.rules.spoken}")
    text, name = (whole_input(), "stdin") if scrambles == "-" else (read_text(scrambles), scrambles)
    definition = view.in_pieces(view.definition)
    texts, faults = [], dict[str, CubesolveError]()
    for found in parse_scrambles(text, name, definition):
        if isinstance(found, InvalidDefinitionError):
            texts.append(str(found))
            faults[texts[-1]] = InvalidStateError(str(found))
        else:
            texts.append(json.dumps(format_kpuzzle_pattern(definition, found)))
    return texts, faults
