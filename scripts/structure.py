"""Print indicators of the structure of the package, for the working tree or for any commits.

Run it as ``python scripts/structure.py``, or with commits, as ``python scripts/structure.py HEAD~20 HEAD``. The rows of
questions count the files and functions of the package that a question passes through when it is repeated; they need
the default tables. The last rows are the lines of each package of the house, from the ground up.
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
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).parents[1]
ENCODINGS = {"BYTE_DEPTHS", "MOD3", "MODULO", "PACKED", "LINES", "ARRAYS", "CHECKPOINT", "ONE_BIT"}
HEAVY = {"numpy", "numba"}
GROUND = "(top level)"
HOUSE = (
    GROUND, "runtime", "group", "picture", "definition", "spaces", "encodings", "store", "search", "solvers",
    "catalog", "lookup", "counting", "practice", "learn", "judge", "web", "cli",
)  # fmt: skip
SCHEMA = "models.py"  # its classes are named after what they describe
BELOW_CATALOG = frozenset(HOUSE[1:10])
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
    """Return the nodes of a type below a node."""
    return (node for node in ast.walk(tree) if isinstance(node, kind))


def names(tree: ast.AST) -> Iterator[str]:
    """Yield the names below a node."""
    yield from (node.id for node in nodes(tree, ast.Name))
    yield from (node.attr for node in nodes(tree, ast.Attribute))


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    """Return the functions and methods of a module."""
    return nodes(tree, ast.FunctionDef)


def is_public(function: ast.FunctionDef) -> bool:
    """Return whether a function is public."""
    return not function.name.startswith("_") or (function.name.startswith("__") and function.name.endswith("__"))


def anys(function: ast.FunctionDef) -> int:
    """Return the number of ``Any`` in the signature of a function."""
    signature = [function.returns, *(each.annotation for each in nodes(function.args, ast.arg))]
    return sum(name == "Any" for part in signature if part is not None for name in names(part))


def branches_on_encodings(tree: ast.AST) -> int:
    """Return the number of conditions that name an encoding."""
    conditions: list[ast.expr] = [*nodes(tree, ast.Compare), *nodes(tree, ast.Subscript)]
    conditions += [node.test for node in nodes(tree, ast.If)] + [node.test for node in nodes(tree, ast.IfExp)]
    named = {id(node): node for node in conditions if ENCODINGS & {*names(node)}}
    inner = {id(below) for node in named.values() for below in ast.walk(node) if below is not node}
    return len(named.keys() - inner)


def imports_inside(tree: ast.AST, lines: Sequence[str]) -> list[tuple[str, bool]]:
    """Return the modules that functions import, and whether a comment after ``noqa`` gives the reason."""
    found = []
    for function in functions(tree):
        for node in ast.walk(function):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                modules = [each.name for each in node.names] if isinstance(node, ast.Import) else [node.module or ""]
                comments = " ".join(lines[node.lineno - 1 : node.end_lineno]).split("# ")[1:]
                found += [(module, any(not each.startswith("noqa") for each in comments)) for module in modules]
    return found


def imports_of_catalog(path: Path, tree: ast.AST) -> int:
    """Return the number of imports of the catalog in a module of a package below it, except those for types only."""
    if path.parts[0] not in BELOW_CATALOG:
        return 0
    typing_only = {id(below) for node in nodes(tree, ast.If) if "TYPE_CHECKING" in [*names(node.test)]
                   for below in ast.walk(node)}  # fmt: skip
    imports = [node.module or "" for node in nodes(tree, ast.ImportFrom) if id(node) not in typing_only]
    imports += [each.name for node in nodes(tree, ast.Import) if id(node) not in typing_only for each in node.names]
    imports += ["cubesolve.catalog" for node in nodes(tree, ast.ImportFrom)
                if node.module == "cubesolve" and "catalog" in [each.name for each in node.names]]  # fmt: skip
    return sum(module.startswith("cubesolve.catalog") for module in imports)


def lines_of_packages(package: Path) -> dict[str, str]:
    """Return the number of lines of each package of the house; a dash for one that does not exist."""
    counts = Counter[str]()
    for path in package.rglob("*.py"):
        place = path.relative_to(package).parts
        counts[place[0] if len(place) > 1 else GROUND] += len(path.read_text().splitlines())
    others = sum(number for name, number in counts.items() if name not in HOUSE)
    rows = {f"lines of `{name}`": f"{counts[name]:,}" if counts[name] else "-" for name in HOUSE}
    return {**rows, "lines of other packages": f"{others:,}" if others else "-"}


def indicators(package: Path) -> dict[str, str]:
    """Return the indicators of the sources of the package."""
    paths = sorted(package.rglob("*.py"))
    trees = {path: ast.parse(path.read_text()) for path in paths}
    public = [each for tree in trees.values() for each in functions(tree) if is_public(each)]
    inside = [each for path, tree in trees.items() for each in imports_inside(tree, path.read_text().splitlines())]
    light = [module for module, _ in inside if module.split(".")[0] not in HEAVY]
    unexplained = [module for module, has_reason in inside if not has_reason]
    branches = {path: number for path, tree in trees.items() if (number := branches_on_encodings(tree))}
    kernels = [each for tree in trees.values() for each in functions(tree) if _is_kernel(each)]
    classes = Counter(
        node.name for path, tree in trees.items() if path.name != SCHEMA for node in nodes(tree, ast.ClassDef)
    )
    shared = [name for name, number in classes.items() if number > 1 and not name.startswith("_")]
    return {
        "files": f"{len(paths):,}",
        "lines": f"{sum(len(path.read_text().splitlines()) for path in paths):,}",
        "public functions and methods": f"{len(public):,}",
        "`Any` in their signatures": f"{sum(map(anys, public)):,}",
        "imports inside functions, except numpy and numba": f"{len(light):,}",
        "imports inside functions without a reason": f"{len(unexplained):,}",
        "imports of the catalog below it": str(
            sum(imports_of_catalog(path.relative_to(package), tree) for path, tree in trees.items())
        ),
        "public classes that share a name": str(len(shared)),
        "imports of modules named in strings": str(sum(_imports_by_name(tree) for tree in trees.values())),
        "branches on encodings": f"{sum(branches.values())} in {len(branches)} files",
        "largest number of parameters of a kernel": str(
            max((len([*nodes(each.args, ast.arg)]) for each in kernels), default=0)
        ),
    }


def _is_kernel(function: ast.FunctionDef) -> bool:
    return any("kernel" in [*names(decorator)] for decorator in function.decorator_list)


def _imports_by_name(tree: ast.AST) -> int:
    called = [node.func for node in nodes(tree, ast.Call)]
    return sum("import_module" in [*names(each)] for each in called)


def paths_of_questions(checkout: Path) -> Mapping[str, str]:
    """Return the number of files and functions that each question passes through when it is repeated."""
    with tempfile.TemporaryDirectory() as tables:  # questions may add tables
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
    """Return the files of a commit, or of the working tree by default."""
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
    parser.add_argument("commits", nargs="*", metavar="COMMIT", help="commits to compare; the working tree by default")
    columns: dict[str, dict[str, str]] = {}
    for commit in parser.parse_args().commits or [None]:
        with checked_out(commit) as checkout:
            package = checkout / "cubesolve"
            counted = indicators(package) | dict(paths_of_questions(checkout)) | lines_of_packages(package)
            columns[commit or "working tree"] = counted
    print(f"| | {' | '.join(columns)} |")
    print(f"|---|{'--:|' * len(columns)}")
    for row in next(iter(columns.values())):
        print(f"| {row} | {' | '.join(column[row] for column in columns.values())} |")


if __name__ == "__main__":
    main()
