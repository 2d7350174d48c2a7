"""The option `--version`."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version

import click

from cubesolve import __version__, catalog
from cubesolve.cli.running import complain, with_hint
from cubesolve.errors import TableError, printable
from cubesolve.store import tablefile
from cubesolve.store.folders import SUFFIX, table_folders

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
