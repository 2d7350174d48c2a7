"""KPuzzle patterns of cubes that are given by their facelets (pure Python)."""

from __future__ import annotations

import json
from typing import NamedTuple

from cubesolve.definition.definition import Definition
from cubesolve.definition.facelet_pieces import CubePieces
from cubesolve.definition.formats import format_kpuzzle_pattern, parse_kpuzzle_pattern
from cubesolve.definition.texts import read_json
from cubesolve.group.permutations import Arrangement


class CubePatterns(NamedTuple):
    """Reads and writes the patterns of a cube; a state is given by the home of the sticker on each facelet."""

    definition: Definition  # the cube by pieces
    pieces: CubePieces

    def write(self, homes: Arrangement) -> dict[str, dict[str, list[int]]]:
        """Return the pattern of a state."""
        return format_kpuzzle_pattern(self.definition, self.pieces.to_points(homes))

    def read(self, pattern: object) -> Arrangement:
        """Return the state of a pattern."""
        return self.pieces.to_facelets(parse_kpuzzle_pattern(self.definition, pattern))

    def dumps(self, homes: Arrangement) -> str:
        """Return the pattern of a state in JSON."""
        return json.dumps(self.write(homes))

    def loads(self, text: str) -> Arrangement:
        """Return the state of a pattern in JSON; see `read`."""
        return self.read(read_json(text))
