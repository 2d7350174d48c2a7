"""Questions about one state of a table, and messages, in an installation without numpy and numba."""

from __future__ import annotations

import json

from tests.processes import run_python
from tests.without_numpy import answers

PUZZLES = ["pocket", "rolling", "pyraminx", "skewb"]  # those whose tables ship
NEEDED = "is not installed; searches, arrays of states and building tables need it: pip install numba"
COMMANDS = {
    "depth|-p|222|--format|alg|R U2 F'": [0, "3\n", ""],
    "solve|--puzzle|skewb|R U' L": [0, "L' U R'\n", ""],
    "solve|--puzzle|rolling|--start|2,1|RBW/RWW/EWW": [0, "RUU\n", ""],
    "depth|--puzzle|rubik|--format|alg|R U F D L B R U F D|R U": [1, "2\n", f"cubesolve: argument 1: numpy {NEEDED}\n"],
    "tables|build|ivy": [1, "", f"cubesolve: numpy {NEEDED}\n"],
}
ASK = f"""
from tests.without_numpy import answers, hide
hide()
import json, sys
from cubesolve import MissingPackageError, lookup, puzzle
found = {{name: answers(name) for name in {PUZZLES}}}
assert "click" not in sys.modules
needs = [
    lambda: lookup.depths([0]),
    lambda: puzzle("rubik").solve("R U2 F D L B R U F D L B"),
    lambda: list(puzzle("dino").solutions(puzzle("dino").random_state(1))),
    lambda: puzzle("skewb").distribution(count=True),
    lambda: puzzle("pancake-11").usual_tables(),
]
for ask in needs:
    try:
        raise AssertionError(f"{{ask()}}")
    except MissingPackageError as error:
        assert isinstance(error, ImportError) and str(error) == "numpy {NEEDED}"
try:
    import cubesolve.lookup.building
    raise AssertionError
except MissingPackageError as error:
    assert error.name == "numpy"
from click.testing import CliRunner
from cubesolve.cli import main
for line in {list(COMMANDS)}:
    result = CliRunner().invoke(main, line.split("|"))
    found[line] = [result.exit_code, result.stdout, result.stderr]
print(json.dumps(found))
"""


def test_questions_about_one_state_need_neither_numpy_nor_numba() -> None:
    result = run_python(ASK, fresh=True)
    assert result.stderr == ""
    assert json.loads(result.stdout) == {name: answers(name) for name in PUZZLES} | COMMANDS
