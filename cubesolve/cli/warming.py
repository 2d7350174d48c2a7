"""The command `warm`."""

from __future__ import annotations

import click

from cubesolve.cli.running import TABLE_TROUBLE, leave_when_told_to


@click.command()
def warm() -> None:
    """Compile all kernels now.

    Otherwise each kernel is compiled when it is first needed, which takes
    seconds. Compiled kernels are kept in the cache folder until an update.

    \b
    Example:
      cubesolve warm
    """
    # Kernels are known by the modules that have them; importing these loads Numba.
    from cubesolve import kernels  # noqa: PLC0415
    from cubesolve.engine import (  # noqa: PLC0415
        batch,  # noqa: F401
        breadth_first,  # noqa: F401
        lines,  # noqa: F401
        modulo,  # noqa: F401
        modulo_batch,  # noqa: F401
        modulo_proof,  # noqa: F401
        parity,  # noqa: F401
        proof,  # noqa: F401
        shares,  # noqa: F401
    )
    from cubesolve.engine.search import bounds, deepening, projected  # noqa: F401, PLC0415
    from cubesolve.spaces import derive, facelets  # noqa: F401, PLC0415

    leave_when_told_to()
    number = kernels.compile_all()
    folder = kernels.kept_in()
    if folder is None:  # a warning has said why
        click.get_current_context().exit(TABLE_TROUBLE)
    click.echo(f"{number} kernels are compiled: {folder}")
