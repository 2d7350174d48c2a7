"""Which puzzle a question is about."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from cubesolve import catalog
from cubesolve.errors import InvalidStateError, UnknownPuzzleError, quoted
from cubesolve.facelets import is_no_facelets, length_hint
from cubesolve.spaces.rules import Rules


def rules_named(name: str | os.PathLike[str]) -> Rules:
    """A puzzle that ships, by its name, or one that a file describes, by its path.

    Raises:
        UnknownPuzzleError: it is neither.
        InvalidDefinitionError: the file describes no puzzle.

    >>> rules_named("skewb").title
    'Skewb'
    """
    try:
        text = os.fsdecode(name)
    except TypeError:
        raise UnknownPuzzleError(str(name), [*catalog.names(), *catalog.aliases()]) from None
    try:
        return catalog.rules_named(text)
    except UnknownPuzzleError:
        if os.sep not in text and not os.path.splitext(text)[1] and not os.path.lexists(text):
            raise
    return _defined_by(text)


def _defined_by(path: str) -> Rules:
    import shlex  # noqa: PLC0415  # most puzzles ship

    from cubesolve.puzzles.readers import read_definition  # noqa: PLC0415
    from cubesolve.spaces.defined import DefinedRules  # noqa: PLC0415

    return DefinedRules(read_definition(path), spoken=shlex.quote(path))


def claiming(state: Any) -> Rules:
    """The puzzle that a state is of, where that was not said; an alg is one of the pocket cube.

    Raises:
        InvalidStateError: no puzzle claims it.

    >>> claiming((2, 1)).name, claiming("U" * 54).name, claiming("R U").name
    ('rolling', 'rubik', 'pocket')
    """
    own = getattr(state, "rules", None)
    if own is not None and isinstance(own, Rules):  # the second alone takes a tenth of a question
        return own
    for name in catalog.TOLD_APART:
        rules = catalog.rules_named(name)
        if rules.claims(state):
            return rules
    if isinstance(state, str) and is_no_facelets(state):
        return catalog.rules_named(catalog.TOLD_APART[0])
    if isinstance(state, (str, bytes)):
        raise _no_facelets(state if isinstance(state, str) else state.decode("latin-1"))
    raise InvalidStateError(f"expected a cube, its facelets, its rank or a tray, not {type(state).__name__}", "type")


def _no_facelets(text: str) -> InvalidStateError:
    symbols = "".join(text.split())
    hint = length_hint(symbols) or (f", as {quoted(text)} has" if symbols else "")
    message = f"a 3x3x3 cube has 54 facelets and a pocket cube 24 facelets, not {len(symbols)}{hint}"
    return InvalidStateError(message, "length")


def claiming_batch(batch: Any, question: Mapping[str, Any]) -> Rules:
    """The puzzle that many states are of."""
    own = getattr(batch[0], "rules", None) if isinstance(batch, (list, tuple)) and batch else None
    if isinstance(own, Rules):
        return own
    rules = (catalog.rules_named(name) for name in reversed(catalog.TOLD_APART))
    return next(each for each in rules if each.claims_batch(batch, **question))
