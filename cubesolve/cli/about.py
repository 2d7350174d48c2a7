"""What is installed: the option `--version`, and the commands `puzzles`, `warm` and `completion`."""

from __future__ import annotations

import importlib
import os
import pathlib
import platform
import re
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import click
from click.shell_completion import get_completion_class

import cubesolve
from cubesolve import __version__, catalog, lookup
from cubesolve.cli.options import json_option
from cubesolve.cli.running import TABLE_TROUBLE, complain, print_json, with_hint
from cubesolve.encodings import encoding_of
from cubesolve.errors import TableError, printable
from cubesolve.runtime.notices import following
from cubesolve.spaces.rules import Rules
from cubesolve.store import tablefile
from cubesolve.store.folders import SUFFIX, table_folders
from cubesolve.store.tables import Tables

# -- --version ---------------------------------------------------------------------------------------------------------

_PACKAGES = ["click", "filelock", "numba", "numpy", "platformdirs"] + ["backports.zstd"] * (sys.version_info < (3, 14))


def print_version(verbose: bool) -> None:
    """Print the version; if verbose, also Python, packages, and the tables found."""
    click.echo(f"cubesolve {__version__}")
    if not verbose:
        return
    packages = ", ".join(f"{name} {_version(name)}" for name in _PACKAGES)
    click.echo(f"Python {platform.python_version()} on {platform.platform()}; {packages}")
    seen = set[str]()
    for folder in table_folders():
        click.echo(printable(folder))
        for name in _names_in(folder):
            _print_table(folder, name, " (not used: found above)" if name in seen else "")
            seen.add(name)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"


def _names_in(folder: str) -> list[str]:
    try:
        content = os.listdir(folder)
    except FileNotFoundError:
        return []
    except OSError as error:
        complain(f"{folder}: {error.strerror}")
        return []
    files = [name for name in content if name.endswith(SUFFIX) and not name.startswith(".")]
    return sorted(name.removesuffix(SUFFIX) for name in files)


def _print_table(folder: str, name: str, remark: str) -> None:
    path = os.path.join(folder, name + SUFFIX)
    try:
        header, _ = tablefile.read_header(path)
        if name in catalog.tables():
            tablefile.require_same(header, catalog.tables()[name].header, path)
    except TableError as error:
        complain(with_hint(error))
    else:
        click.echo(f"  {name:32}  {header.sha256}{remark}")


# -- puzzles -----------------------------------------------------------------------------------------------------------

_LONGEST_NUMBER = 15  # digits


@click.command()
@json_option
def puzzles(as_json: bool) -> None:
    """List the puzzles that ship: states, God's number, tables.

    Other names of a puzzle are listed, too, and puzzles of any size in a line; --json lists each by itself. --puzzle
    also accepts a file that defines a puzzle: tws, KPuzzle, permutations in cycles, or a graph of CayleyPy.

    \b
    Examples:
      cubesolve puzzles
      cubesolve depth --puzzle skewb --help
    """
    listed = [_described(catalog.rules_named(name)) for name in lookup.puzzles()]
    if as_json:
        for about in listed:
            print_json(about)
        return
    click.echo(f"{'name':15}  {'states':>15}  {'most moves':>10}  {'table':8}  title")
    in_series = {name for _, _, names, _ in catalog.series() for name in names}
    for about in listed:
        if about["name"] in in_series:
            continue
        states = f"{about['states']:,}"
        shown = states if len(states) <= _LONGEST_NUMBER else f"{about['states']:.2e}"
        gods_number = "" if about["gods_number"] is None else about["gods_number"]
        built = "built" if about["built"] else "-"
        click.echo(
            f"{about['name']:15}  {shown:>15}  {gods_number:>10}  {built:8}  {about['title']}{_also(about['aliases'])}"
        )
    for name, title, _, aliases in catalog.series():
        click.echo(f"{name:15}{'':39}  {title}{_also(aliases)}")


def _also(aliases: Sequence[str]) -> str:
    return f"; also {', '.join(aliases)}" if aliases else ""


def _described(rules: Rules) -> dict[str, Any]:
    tables = [entry for entry in rules.usual_tables() if encoding_of(entry.header).has_depths]
    return {
        "name": rules.name,
        "title": rules.title,
        "aliases": [alias for alias, name in catalog.aliases().items() if name == rules.name],
        "states": rules.number_of_states,
        "gods_number": rules.gods_number,
        "metric": rules.metrics[0],
        "built": bool(tables) and all(map(Tables(None).has, tables)),
    }


# -- warm --------------------------------------------------------------------------------------------------------------


def import_kernels() -> None:
    """Import every module that defines kernels, so that it registers them (needs numpy)."""
    root = pathlib.Path(cubesolve.__file__).parent
    for path in sorted(root.rglob("*.py")):
        if re.search(r"^@\w*kernel\(", path.read_text("utf-8"), re.MULTILINE):
            importlib.import_module(".".join(["cubesolve", *path.relative_to(root).with_suffix("").parts]))


@click.command()
def warm() -> None:
    """Compile all kernels now.

    Otherwise each kernel is compiled when it is first needed, which takes seconds. Compiled kernels are kept in the
    cache folder until an update.

    \b
    Example:
      cubesolve warm
    """
    from cubesolve.runtime import stored_code  # noqa: PLC0415  # needs numpy
    from cubesolve.runtime.kernels import KERNELS, compile_meanwhile  # noqa: PLC0415  # likewise

    import_kernels()
    folder = stored_code.folder()
    compile_meanwhile(*reversed(KERNELS))  # both processes meet in the middle, and find the others stored
    with following("compiling", len(KERNELS)) as advance:
        for kernel in KERNELS:
            kernel.load(uses_bundle=False)
            advance(1)
    if folder is None:  # after a warning with the reason
        click.get_current_context().exit(TABLE_TROUBLE)
    click.echo(f"{len(KERNELS)} kernels are compiled: {folder}")


# -- completion --------------------------------------------------------------------------------------------------------


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script of a SHELL.

    It completes commands, options, puzzles and tables.

    \b
    Examples:
      eval "$(cubesolve completion bash)"        in ~/.bashrc
      eval "$(cubesolve completion zsh)"         in ~/.zshrc
      cubesolve completion fish
    """
    complete = get_completion_class(shell)
    assert complete is not None
    command = click.get_current_context().find_root().command
    click.echo(complete(command, {}, "cubesolve", "_CUBESOLVE_COMPLETE").source())
