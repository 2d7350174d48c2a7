"""The command `warm`."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import click

from cubesolve.cli.running import TABLE_TROUBLE, exit_on_signals
from cubesolve.runtime import kernels
from cubesolve.runtime.kernels import started
from cubesolve.runtime.machine import processors

_BACKWARDS = "import cubesolve.cli.kernel_modules; cubesolve.runtime.kernels.compile_all(backwards=True)"


@click.command()
def warm() -> None:
    """Compile all kernels now.

    Otherwise each kernel is compiled when it is first needed, which takes seconds. Compiled kernels are kept in the
    cache folder until an update.

    \b
    Example:
      cubesolve warm
    """
    import cubesolve.cli.kernel_modules  # noqa: F401, PLC0415  # needs numpy

    exit_on_signals()
    with _another_process():
        number = kernels.compile_all()
    folder = _folder()
    if folder is None:  # after a warning with the reason
        click.get_current_context().exit(TABLE_TROUBLE)
    click.echo(f"{number} kernels are compiled: {folder}")


def _folder() -> str | None:
    from cubesolve.runtime.stored_code import folder  # noqa: PLC0415  # needs numpy

    return folder()


@contextlib.contextmanager
def _another_process() -> Iterator[None]:
    """Let a process compile the last kernels meanwhile, if there is a cache and more than one processor."""
    process = started(_BACKWARDS) if processors() > 1 and _folder() is not None else None
    try:
        yield
    finally:
        if process is not None:
            process.terminate()
            process.wait()
