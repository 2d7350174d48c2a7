"""Independent rolling cubes: cubes of six sides."""

from __future__ import annotations

# A cube is what is on its top, bottom, north, south, west and east side; None is the vacancy.
Cube = tuple[str, str, str, str, str, str]
State = tuple[Cube | None, ...]

STARTS: dict[str, Cube] = {
    "axis": ("W", "W", "R", "R", "B", "B"),
    "face": ("X", "", "", "", "", ""),
    "full": ("U", "D", "B", "F", "L", "R"),
}


def rolled(cube: Cube, direction: str) -> Cube:
    top, bottom, north, south, west, east = cube
    return {
        "R": (west, east, north, south, bottom, top),
        "L": (east, west, north, south, top, bottom),
        "U": (south, north, top, bottom, west, east),
        "D": (north, south, bottom, top, west, east),
    }[direction]


def start(rows: int, cols: int, vacancy: tuple[int, int], model: str) -> State:
    empty = (vacancy[1] - 1) * cols + vacancy[0] - 1
    return tuple(None if cell == empty else STARTS[model] for cell in range(rows * cols))


def roll(state: State, rows: int, cols: int, direction: str) -> State:
    return dict(rolls(state, rows, cols))[direction]


def rolls(state: State, rows: int, cols: int) -> list[tuple[str, State]]:
    empty = state.index(None)
    row, col = divmod(empty, cols)
    found = []
    for direction, r, c in (("U", row + 1, col), ("D", row - 1, col), ("L", row, col + 1), ("R", row, col - 1)):
        if 0 <= r < rows and 0 <= c < cols:
            cube = state[r * cols + c]
            assert cube is not None
            cells = list(state)
            cells[empty], cells[r * cols + c] = rolled(cube, direction), None
            found.append((direction, tuple(cells)))
    return found


def tops(state: State, cols: int) -> str:
    letters = ["E" if cube is None else cube[0] for cube in state]
    return "/".join("".join(letters[i : i + cols]) for i in range(0, len(letters), cols))


def written(state: State, cols: int, model: str) -> str:
    def name(cube: Cube | None) -> str:
        if cube is None:
            return "." if model == "face" else "E"
        return "UDNSWE"[cube.index("X")] if model == "face" else cube[0] + cube[5]

    cells = [name(cube) for cube in state]
    between = "" if model == "face" else " "
    return "/".join(between.join(cells[i : i + cols]) for i in range(0, len(cells), cols))
