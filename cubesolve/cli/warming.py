"""The command `warm`."""

from __future__ import annotations

import click

from cubesolve import kernels
from cubesolve.cli.running import TABLE_TROUBLE, exit_on_signals


@click.command()
def warm() -> None:
    """Compile all kernels now.

    Otherwise each kernel is compiled when it is first needed, which takes
    seconds. Compiled kernels are kept in the cache folder until an update.

    \b
    Example:
      cubesolve warm
    """
    import cubesolve.cli.kernel_modules  # noqa: F401, PLC0415  # needs numba

    exit_on_signals()
    number = kernels.compile_all()
    folder = kernels.kept_in()
    if folder is None:  # after a warning with the reason
        click.get_current_context().exit(TABLE_TROUBLE)
    click.echo(f"{number} kernels are compiled: {folder}")
