"""Views of puzzles that are given by a definition: states as pieces, algs and patterns (pure Python)."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cubesolve.definition.definition import Definition
from cubesolve.definition.named_steps import NamedSteps
from cubesolve.definition.state import State
from cubesolve.definition.texts import ORBITS_END, PieceTexts
from cubesolve.definition.view import DefinedView, Form
from cubesolve.errors import InvalidMoveError, InvalidStateError, quoted
from cubesolve.group.permutations import Arrangement, Permutation

if TYPE_CHECKING:
    from cubesolve.definition.geometry import Solid
    from cubesolve.definition.shapes import SolidShape
    from cubesolve.picture.pictures import Picture
    from cubesolve.picture.scenes import Motion, Scene


class PieceView(DefinedView[State]):
    """A puzzle that is given by a definition; its states are of the type `State`."""

    named_steps = NamedSteps()

    def __init__(
        self,
        definition: Definition,
        title: str | None = None,
        *,
        spoken: str | None = None,
        solid: Solid | None = None,
        named_steps: NamedSteps = named_steps,
        rotations: Sequence[Permutation] = (),
    ) -> None:
        """Take a definition; optionally a title, its name on the command line, and its other attributes."""
        self.definition, self.solid = definition, solid
        self.named_steps, self.rotations = named_steps, rotations
        self.name, self.title, self.spoken = definition.name, title or definition.name, spoken or definition.name

    @functools.cached_property
    def texts(self) -> PieceTexts:
        """The reader and writer of its states."""
        return PieceTexts(self.definition)

    @functools.cached_property
    def forms(self) -> Mapping[str, Form[State]]:
        """The notations of states: any, pieces, algs, and KPuzzle patterns."""
        return {
            "any": Form(self.read, str, "an alg, pieces, or a pattern, detected by its form"),
            "pieces": Form(self._from_pieces, str, "the name of the piece in each place"),
            "alg": Form(self._from_alg, None, "moves from the solved puzzle", empty=True),
            "kpuzzle": Form(self.of_pattern, self.to_pattern, "a KPuzzle pattern in JSON"),
        }

    def read(self, given: object) -> State:
        """Return a state that is given as one, as text in any form, or as a pattern."""
        if isinstance(given, State):
            if given.labelling != self:
                raise InvalidStateError(
                    f"this is a state of the {given.labelling.title}, not of the {self.title}", "type"
                )
            return given
        if isinstance(given, Mapping):
            return self.of_pattern(given)
        if not isinstance(given, str):
            if isinstance(given, (list, tuple)):
                return self._from_pieces(" ".join(map(str, given)))
            raise InvalidStateError(f"expected a state, text or a pattern, not {type(given).__name__}", "type")
        if given.lstrip().startswith("{"):
            return self.of_pattern(given)
        return self._from_text(given)

    def _from_text(self, text: str) -> State:
        if ORBITS_END in text and "//" not in text and ORBITS_END not in "".join(self.definition.generators):
            return self._from_pieces(text)  # no alg has it, except in a comment or a name
        pieces = None
        if self.texts.has_all(text):
            with contextlib.suppress(InvalidStateError):
                pieces = self._from_pieces(text)
        try:
            state = self._from_alg(text)
        except InvalidMoveError as error:
            begins_with_move = text[: error.position].endswith(" ")
            if pieces is None and not self.texts.looks_like_one(text, begins_with_move=begins_with_move):
                raise
        else:
            if pieces is not None and pieces != state:
                raise InvalidStateError(f"{quoted(text)} can be read as an alg and as pieces: name its format", "type")
            return state
        return self._from_pieces(text) if pieces is None else pieces

    def _from_pieces(self, text: str) -> State:
        return self.state(self.texts.read(text))

    def _from_alg(self, alg: str) -> State:
        definition = self.definition
        return self.state(definition.apply(definition.solved[0], self.alg_reader(alg), alg))

    def solved(self, like: State | None) -> State:  # noqa: ARG002  # there is only one
        """Return the solved state with which algs begin."""
        return self.state(self.definition.solved[0])

    def arrangement(self, state: State) -> Arrangement:
        """Return the arrangement of a state."""
        return state.arrangement

    def state(self, place: Arrangement) -> State:
        """Return the state that an arrangement represents."""
        return State(self, place)

    def write(self, place: Arrangement) -> str:
        """Return the pieces of an arrangement."""
        return self.texts.write(place)

    def write_some(self, labels: Sequence[frozenset[int]]) -> str:
        """Return the pieces of a state of which only the possible labels on each point are known."""
        return self.texts.write_some(labels)

    def invert(self, alg: str) -> str:
        """Return the inverse of an alg."""
        definition = self.definition
        return definition.written(definition.undo(step) for step in reversed(self.alg_reader(alg)))

    def split(self, alg: str) -> list[str]:
        """Return the moves of an alg, each as it is written by itself."""
        return [self.definition.written([step]) for step in self.alg_reader(alg)]

    def is_free(self, move: str) -> bool:
        """Return whether a move rotates the whole puzzle."""
        return any(step.name in self.definition.rotations for step in self.alg_reader(move))

    def draw(self, state: State) -> Picture | None:
        """Return the net of a state, if the puzzle has a shape."""
        scene = self.scene(state)
        if self.solid and self.solid.body and self.solid.body.outline:
            from cubesolve.definition.shapes import outlined  # noqa: PLC0415  # heavy: geometry

            scene = outlined(self.solid, self.solid.body, state.arrangement)
        return None if scene is None else self.laid_flat(scene, str(state))

    def laid_flat(self, scene: Scene, title: str) -> Picture | None:
        """Return the net of a scene."""
        from cubesolve.picture.nets import net_of  # noqa: PLC0415  # heavy: geometry

        return net_of(scene, title)

    def draw_some(self, labels: Sequence[frozenset[int]], *, above: bool = False) -> Picture | None:  # noqa: ARG002
        """Return the net of a state of which only the possible labels on each point are known; the rest is grey."""
        if self._shape is None:
            return None
        certain = [next(iter(options)) if len(options) == 1 else None for options in labels]
        return self.laid_flat(self._shape.scene(certain, self.definition.solved[0]), self.write_some(labels))

    def build(self, state: State) -> Scene | None:
        """Return the stickers of a state in space, if the puzzle has a shape."""
        return self._shape.scene(state.arrangement, self.definition.solved[0]) if self._shape else None

    def motion(self, state: State, move: str) -> Motion:  # noqa: ARG002
        """Return the motion of a move in the scene of a state."""
        assert self._shape is not None  # callers have a scene
        (step,) = self.alg_reader(move)
        return self._shape.motion(step)

    @functools.cached_property
    def _shape(self) -> SolidShape | None:
        if self.solid is None or self.solid.body is None or self.solid.body.outline:
            return None
        from cubesolve.definition.shapes import PaintedShape, SolidShape  # noqa: PLC0415  # heavy: geometry

        return (PaintedShape if self.solid.body.is_painted else SolidShape)(self.solid, self.solid.body)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PieceView):
            return NotImplemented
        return self is other or self.definition == other.definition

    def __hash__(self) -> int:
        return hash((self.name, self.definition.solved))

    def __reduce__(self) -> tuple[object, ...]:
        kept = ("title", "spoken", "solid", "named_steps", "rotations")
        return functools.partial(type(self), **{name: getattr(self, name) for name in kept}), (self.definition,)
