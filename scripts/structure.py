"""Print indicators of the structure of the package, for the working tree or for any commits.

Run it as ``python scripts/structure.py``, or with commits, as ``python scripts/structure.py HEAD~20 HEAD``. The last
three rows count the files and functions of the package that a warm question passes through; they need default tables.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).parents[1]
ENCODINGS = {"BYTE_DEPTHS", "MODULO", "LINES", "ARRAYS", "CHECKPOINT", "ONE_BIT"}
LIGHT = {"numpy", "numba"}
QUESTIONS = {
    "depth of a pocket cube": 'puzzle("pocket").depth, "UUUUBBRRRRFFDDDDFFLLLLBB"',
    "solution of a puzzle from a file": 'puzzle("docs/rings.tws").solve, "L R L"',
    "solution of a near 3x3x3": 'puzzle("rubik").solve, RubikCube.from_alg("R U F")',
}
_TRACE = """
import json, sys
from cubesolve import RubikCube, puzzle
calls = set()
def seen(frame, event, argument):
    path = frame.f_code.co_filename
    if event == "call" and "/cubesolve/" in path:
        calls.add((path, frame.f_code.co_qualname))
found = {}
for name, question in json.loads(sys.argv[1]).items():
    try:
        ask, state = eval(question)
        ask(state)
        calls.clear()
        sys.setprofile(seen)
        ask(state)
        sys.setprofile(None)
        found[name] = f"{len({path for path, _ in calls})} files, {len(calls)} functions"
    except Exception as error:
        sys.setprofile(None)
        found[name] = type(error).__name__
print(json.dumps(found))
"""
Node = TypeVar("Node", bound=ast.AST)


def nodes(tree: ast.AST, kind: type[Node]) -> Iterator[Node]:
    """The nodes of a kind below a node."""
    return (node for node in ast.walk(tree) if isinstance(node, kind))


def names(tree: ast.AST) -> Iterator[str]:
    """The names that occur below a node."""
    yield from (node.id for node in nodes(tree, ast.Name))
    yield from (node.attr for node in nodes(tree, ast.Attribute))


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    """The functions and methods of a module."""
    return nodes(tree, ast.FunctionDef)


def is_public(function: ast.FunctionDef) -> bool:
    """Whether a function is for others to call."""
    return not function.name.startswith("_") or (function.name.startswith("__") and function.name.endswith("__"))


def anys(function: ast.FunctionDef) -> int:
    """How often ``Any`` stands in the signature of a function."""
    signature = [function.returns, *(each.annotation for each in nodes(function.args, ast.arg))]
    return sum(name == "Any" for part in signature if part is not None for name in names(part))


def branches_on_encodings(tree: ast.AST) -> int:
    """How many conditions name an encoding."""
    conditions: list[ast.expr] = [*nodes(tree, ast.Compare), *nodes(tree, ast.Subscript)]
    conditions += [node.test for node in nodes(tree, ast.If)] + [node.test for node in nodes(tree, ast.IfExp)]
    named = {id(node): node for node in conditions if ENCODINGS & {*names(node)}}
    inner = {id(below) for node in named.values() for below in ast.walk(node) if below is not node}
    return len(named.keys() - inner)


def imports_inside(tree: ast.AST) -> list[str]:
    """The modules that functions import."""
    found = []
    for function in functions(tree):
        for node in ast.walk(function):
            if isinstance(node, ast.Import):
                found += [each.name for each in node.names]
            elif isinstance(node, ast.ImportFrom):
                found.append(node.module or "")
    return found


def indicators(package: Path) -> dict[str, str]:
    """What is counted in the sources of the package."""
    paths = sorted(package.rglob("*.py"))
    trees = {path: ast.parse(path.read_text()) for path in paths}
    public = [each for tree in trees.values() for each in functions(tree) if is_public(each)]
    inside = [module for tree in trees.values() for module in imports_inside(tree)]
    light = [module for module in inside if module.split(".")[0] not in LIGHT]
    branches = {path: number for path, tree in trees.items() if (number := branches_on_encodings(tree))}
    kernels = [each for tree in trees.values() for each in functions(tree) if _is_kernel(each)]
    return {
        "files": f"{len(paths):,}",
        "lines": f"{sum(len(path.read_text().splitlines()) for path in paths):,}",
        "public functions and methods": f"{len(public):,}",
        "`Any` in their signatures": f"{sum(map(anys, public)):,}",
        "imports inside functions, but for numpy and numba": f"{len(light):,}",
        "modules named in strings to be imported": str(sum(_imports_by_name(tree) for tree in trees.values())),
        "branches on encodings": f"{sum(branches.values())} in {len(branches)} files",
        "most parameters of a kernel": str(max((len([*nodes(each.args, ast.arg)]) for each in kernels), default=0)),
    }


def _is_kernel(function: ast.FunctionDef) -> bool:
    return any("kernel" in [*names(decorator)] for decorator in function.decorator_list)


def _imports_by_name(tree: ast.AST) -> int:
    called = [node.func for node in nodes(tree, ast.Call)]
    return sum("import_module" in [*names(each)] for each in called)


def paths_of_questions(checkout: Path) -> Mapping[str, str]:
    """How many files and functions each question passes through when it is asked again."""
    with tempfile.TemporaryDirectory() as tables:  # tables of its own, which questions may add to
        for path in (ROOT / "tables").glob("*.zst"):
            Path(tables, path.name).symlink_to(path)
        environment = {**os.environ, "PYTHONPATH": str(checkout), "CUBESOLVE_TABLES": tables}
        command = [sys.executable, "-c", _TRACE, json.dumps(QUESTIONS)]
        done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        return dict.fromkeys(QUESTIONS, "not answered")
    found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return found


@contextlib.contextmanager
def checked_out(commit: str | None) -> Iterator[Path]:
    """The files of a commit; those of the working tree, if none is named."""
    if commit is None:
        yield ROOT
        return
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True).stdout
    with tempfile.TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder, filter="data")
        yield Path(folder)


def main() -> None:
    """Print a table in Markdown, a column for each commit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commits", nargs="*", metavar="COMMIT", help="what to look at; the working tree by default")
    columns: dict[str, dict[str, str]] = {}
    for commit in parser.parse_args().commits or [None]:
        with checked_out(commit) as checkout:
            columns[commit or "working tree"] = {**indicators(checkout / "cubesolve"), **paths_of_questions(checkout)}
    print(f"| | {' | '.join(columns)} |")
    print(f"|---|{'--:|' * len(columns)}")
    for row in next(iter(columns.values())):
        print(f"| {row} | {' | '.join(column[row] for column in columns.values())} |")


if __name__ == "__main__":
    main()
