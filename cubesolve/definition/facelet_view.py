"""Cubes that are given by their facelets (pure Python).

The points are the facelets, and the label on a facelet is the home facelet of the sticker there. Colours are not
assigned to faces on a cube: its labels can be named in as many ways as there are orientations of the cube.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from cubesolve.definition.facelet_cube import Cube, FaceletCube, drawn
from cubesolve.definition.facelets import facelet_text, is_no_facelets, piece_facelets, places_by_looks, solved_facelets
from cubesolve.definition.metrics import METRICS
from cubesolve.definition.notation import FACES, LETTERS, ROTATIONS, FaceTurn, invert_alg, moves_of, parse_alg
from cubesolve.definition.options import OF_FACELETS
from cubesolve.definition.view import DefinedView, Form
from cubesolve.errors import InvalidMoveError, InvalidStateError
from cubesolve.group.permutations import Arrangement

if TYPE_CHECKING:
    from cubesolve.definition.definition import Definition, Power
    from cubesolve.definition.facelet_pieces import CubePieces
    from cubesolve.definition.goals import Allowed, NamedGoal
    from cubesolve.definition.texts import Vocabulary
    from cubesolve.picture.pictures import Picture
    from cubesolve.picture.scenes import Motion, Scene

ANYTHING = "*"
"""The symbol of a facelet that is ignored."""

_FEW_WORDS = 10  # more letters that stand apart are probably facelets
_KINDS = {3: "corners", 2: "edges", 1: "centres"}  # by the number of facelets of a piece


def cube_of(kind: type[Cube], text: str) -> Cube:
    """Return the cube with given facelets, or after an alg that cannot be meant as facelets.

    >>> from cubesolve import PocketCube
    >>> cube_of(PocketCube, "R U2") == PocketCube.from_alg("R U2")
    True
    """
    if len(text) >= len(FACES) * kind.size**2 or not is_no_facelets(text):  # facelets can be any symbols
        try:
            return kind(text)
        except InvalidStateError:
            if not is_no_facelets(text):
                if _has_moves(kind, text):
                    kind.from_alg(text)  # raises the error of a wrong move
                raise
    try:
        return kind.from_alg(text)
    except InvalidMoveError as error:
        if text[: error.position].strip() or _has_moves(kind, text):
            raise
    return kind(text)  # the error of facelets, as no move comes first


def _has_moves(kind: type[Cube], text: str) -> bool:
    """Return whether an invalid text has several words, one of which can only be meant as a move."""
    words = text.split(maxsplit=_FEW_WORDS)
    if len(words) > 1 and (len(words) <= _FEW_WORDS or is_no_facelets(text)):
        for word in filter(is_no_facelets, words[:_FEW_WORDS]):
            with contextlib.suppress(InvalidMoveError):
                return kind.from_alg(word) is not None
    return False


class FaceletView(DefinedView[Cube]):
    """A cube that is given by its facelets."""

    cube_type: type[Cube]  # the type of its states
    letters: Sequence[str]  # the letters of moves that can be selected
    has_ranks = False  # whether a state may be given as its rank
    options = OF_FACELETS
    numbering = "where each facelet is at home, facelets counted from 0 in the order of the faces U R F D L B"

    @property
    def size(self) -> int:
        """The number of layers."""
        return self.cube_type.size

    @property
    def pieces(self) -> Sequence[str]:
        """The names of all pieces."""
        return self.cube_type.pieces

    @property
    def _centres(self) -> list[str]:
        return [name for name in self.pieces if len(name) == 1]

    def points_of(self, name: str) -> Sequence[int]:
        """Return the facelets of a piece, in the order of the letters of its name, or one by its own name."""
        return super().points_of(name) if name[-1].isdigit() else piece_facelets(self.size, name)

    def allowed(self, goal: NamedGoal) -> Allowed:
        """Return the labels on the points of a goal, and on the centres, which determine where pieces are at home."""
        return super().allowed(goal._replace(pieces=" ".join([goal.pieces, *self._centres])))

    @functools.cached_property
    def alg_reader(self) -> Callable[[str], list[Power]]:
        """The reader of algs, which also reads rotations."""
        return lambda alg: _steps(parse_alg(alg, (*self.letters, *ROTATIONS)))

    @functools.cached_property
    def definition(self) -> Definition:
        """The definition: the facelets, and the selected turns."""
        from cubesolve.definition.facelet_pieces import definition_of  # noqa: PLC0415  # delays the start

        return definition_of(self.name, self.size, self.letters)

    @property
    def vocabularies(self) -> list[Vocabulary]:
        """The letters of all pieces in each orientation: corners, edges and centres, as far as there are any."""
        from cubesolve.definition.texts import Vocabulary  # noqa: PLC0415  # delays the start

        vocabularies, solved = [], solved_facelets(self.size, FACES)
        for length in sorted({len(name) for name in self.pieces}, reverse=True):
            homes = tuple(name for name in self.pieces if len(name) == length)
            words = {"".join(looks): at for looks, at in places_by_looks(self.size, homes, solved).items()}
            places = tuple(piece_facelets(self.size, name) for name in homes)
            vocabularies.append(Vocabulary(_KINDS[length], homes, places, words))
        return vocabularies

    def facelet_forms(self) -> Mapping[str, Form[Cube]]:
        """Return the notations that all cubes have: facelets, and the net."""
        about = f"{self._facelets} facelets, U R F D L B, each row by row; or an alg"
        return {
            "urfdlb": Form(self.read, str, about, layers=self.size),
            "net": Form(self.cube_type, self.net, "the net, as show prints it", lines=3 * self.size),
            "kpuzzle": Form(self.of_pattern, self.to_pattern, "a KPuzzle pattern in JSON"),
        }

    @functools.cached_property
    def _pieces(self) -> CubePieces:
        from cubesolve.definition.facelet_pieces import cube_pieces  # noqa: PLC0415  # delays the start

        return cube_pieces(self.size, self.pieces)

    def in_pieces(self, definition: Definition) -> Definition:
        """Return a definition of this cube by edges, corners and centres instead of facelets."""
        return self._pieces.definition(definition)

    def on_own_points(self, goal: Allowed) -> Allowed:
        """Return a goal about edges, corners and centres (`in_pieces`) as one about facelets."""
        facelets = self._pieces.facelets
        return {facelets[point]: frozenset(facelets[label] for label in labels) for point, labels in goal.items()}

    def read(self, given: object) -> Cube:
        """Return a cube that is given as one, as its facelets, as a KPuzzle pattern, or as an alg."""
        if isinstance(given, Mapping):
            return self.of_pattern(given)
        if isinstance(given, str):
            if given.lstrip().startswith("{") and len({*"".join(given.split())}) > len(FACES):
                return self.of_pattern(given)  # with fewer symbols, "{" is the colour of a facelet
            return cube_of(self.cube_type, given)
        if isinstance(given, self.cube_type):
            return given
        if isinstance(given, (bytes, bytearray, list, tuple, FaceletCube)):
            return self.cube_type(given)
        raise InvalidStateError(f"expected a cube or its facelets, not {type(given).__name__}", "type")

    def claims(self, given: object) -> bool:
        """Return whether a value is certainly a cube, as many facelets as it has, or a rank if it has these."""
        number = self._facelets
        if isinstance(given, (str, bytes, bytearray, list)):
            return len(given) == number or len(facelet_text(given, self.size)) == number
        if isinstance(given, self.cube_type) or (isinstance(given, tuple) and len(given) == number):
            return True
        return self.has_ranks and hasattr(given, "__index__") and not getattr(given, "ndim", 0)

    @functools.cached_property
    def _facelets(self) -> int:
        """The number of facelets."""
        return 6 * self.size**2

    def reader(
        self, form: str, *, colours: str | None = None, faces: str | None = None, **_options: str | None
    ) -> Callable[[str], Cube]:
        """Return the function that reads cubes in a notation, given an order of faces and the solved cube's colours."""
        if faces is not None and form == "urfdlb":
            read = self.reader(form, colours=colours)
            return lambda text: read(self._in_order(text, faces))
        if form == "urfdlb" and colours is None:
            return self.read  # other notations need not be loaded
        if form not in {"urfdlb", "net"} or colours is None:
            return self.forms[form].read
        return functools.partial(self.cube_type.from_facelets, colours=colours)

    def _in_order(self, text: str, faces: str) -> str:
        """Return facelets, given in an order of the faces, in the usual order; anything else as it is given."""
        symbols, size = "".join(text.split()), self.size**2
        if len(symbols) != 6 * size or is_no_facelets(text) or "\n" in text.strip():
            return text
        return "".join(symbols[faces.index(face) * size :][:size] for face in FACES)

    def solved(self, like: Cube | None) -> Cube:
        """Return the solved cube, in the colours of another cube if one is given."""
        scheme = FACES if like is None else self.scheme(like)
        return self.cube_type(solved_facelets(self.size, scheme))

    def scheme(self, state: Cube) -> str:
        """Return the colours of U R F D L B at home."""
        return str(state.colours)

    def arrangement(self, state: Cube) -> Arrangement:
        """Return the home of every facelet, as the scheme of a cube names the colours."""
        return self._homes(state, self.scheme(state))

    def oriented(self, state: Cube) -> Arrangement:
        """Return the home of every facelet, as the centres name the colours; without centres, face letters do."""
        if not self._centres and self.scheme(state) != FACES:
            raise InvalidStateError(
                "a goal needs face letters, or the colours of U R F D L B on the solved cube", "colours"
            )
        centres = "".join(state.facelets[piece_facelets(self.size, name)[0]] for name in self._centres)
        return self._homes(state, centres or FACES)

    def _homes(self, state: Cube, scheme: str) -> Arrangement:
        homes = places_by_looks(self.size, tuple(self.pieces), solved_facelets(self.size, scheme))
        labels = [0] * self._facelets
        for name in self.pieces:
            here = piece_facelets(self.size, name)
            for facelet, home in zip(here, homes[tuple([state.facelets[i] for i in here])], strict=True):
                labels[facelet] = home
        return bytes(labels)

    def state(self, place: Arrangement) -> Cube:
        """Return the cube whose facelets come from given homes."""
        return self.cube_type(self.write(place))

    def write(self, place: Arrangement) -> str:
        """Return the face letters of an arrangement."""
        return "".join(FACES[look] for look in map(self.looks.__getitem__, place))

    def write_some(self, labels: Sequence[frozenset[int]]) -> str:
        """Return face letters, with ``*`` on the points whose labels may be of several faces."""
        faces = [{FACES[self.looks[label]] for label in piece} for piece in labels]
        return "".join(face.pop() if len(face) == 1 else ANYTHING for face in faces)

    def draw_some(self, labels: Sequence[frozenset[int]], *, above: bool = False) -> Picture:
        """Return the picture of a cube of which only the possible labels on each point are known."""
        return drawn(self.write_some(labels), FACES, above=above)

    @functools.cached_property
    def looks(self) -> Mapping[int, int]:
        """The look of each label: the facelets of a face look alike."""
        return {label: label // self.size**2 for label in range(self._facelets)}

    def looking(self, numbers: Sequence[int]) -> Cube:
        """Return the cube with a face on each facelet, given by number."""
        return self.read("".join(FACES[number] for number in numbers))

    def parse(self, moves: str) -> list[Power]:
        """Return the moves of a selection that is given as an alg."""
        return _steps(moves_of(moves, self.letters))

    def invert(self, alg: str) -> str:
        """Return the inverse of an alg."""
        return invert_alg(alg)

    def split(self, alg: str) -> list[str]:
        """Return the moves of an alg, each as it is written by itself."""
        return list(map(str, parse_alg(alg, (*self.letters, *ROTATIONS))))

    def is_free(self, move: str) -> bool:
        """Return whether a move rotates the whole cube."""
        return move[0] in ROTATIONS

    def relative(self, start: object, target: object) -> tuple[Cube, Callable[[str], str]]:
        """Return the state whose solutions lead from one state to another, and a function that extends a solution."""
        if isinstance(target, str) and target in METRICS:
            raise ValueError(f"{target} is a metric, not a goal: write metric={target!r}")
        state = self.read(start).relative_to(self.read(target))
        # An extended solution ends in the orientation of the target.
        return state, lambda alg: f"{alg} {state.apply(alg).homing_rotation()}".strip()

    def draw(self, state: Cube) -> Picture:
        """Return the net of a cube."""
        return drawn(state.facelets, self.scheme(state))

    def build(self, state: Cube) -> Scene:
        """Return the stickers of a cube in space."""
        from cubesolve.definition.shapes import cube_scene  # noqa: PLC0415  # heavy: geometry
        from cubesolve.picture.pictures import paints_of  # noqa: PLC0415  # needed for pictures only

        paints = paints_of(self.scheme(state))
        return cube_scene(self.size, [paints[symbol] for symbol in state.facelets])

    def motion(self, state: Cube, move: str) -> Motion:  # noqa: ARG002
        """Return the motion of a move in the scene of a cube."""
        from cubesolve.definition.shapes import cube_motion  # noqa: PLC0415  # heavy: geometry

        (turn,) = parse_alg(move, LETTERS)
        return cube_motion(self.size, turn)

    def net(self, state: Cube) -> str:
        """Return the net of a cube as lines of text."""
        return self.draw(state).text()

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(self.name)


def _steps(moves: Iterable[FaceTurn]) -> list[Power]:
    from cubesolve.definition.definition import Power  # noqa: PLC0415  # delays the start

    return [Power(move.letter, move.turns) for move in moves]
