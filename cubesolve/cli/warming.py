"""The command `warm`."""

from __future__ import annotations

import click

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
    # Importing a module registers its kernels.
    import cubesolve.catalog.pocket.facelets  # noqa: PLC0415
    import cubesolve.catalog.rubik.bounds  # noqa: PLC0415
    import cubesolve.encodings.byte.batch  # noqa: PLC0415
    import cubesolve.encodings.byte.proof  # noqa: PLC0415
    import cubesolve.encodings.mod3.proof  # noqa: PLC0415
    import cubesolve.encodings.mod3.shards  # noqa: PLC0415
    import cubesolve.encodings.packed.enumeration  # noqa: PLC0415
    import cubesolve.encodings.parity.enumeration  # noqa: PLC0415
    import cubesolve.encodings.parity.proof  # noqa: PLC0415
    import cubesolve.encodings.residue_batch  # noqa: PLC0415
    import cubesolve.search.ida_star  # noqa: PLC0415
    import cubesolve.spaces.derive  # noqa: F401, PLC0415
    from cubesolve import kernels  # noqa: PLC0415

    exit_on_signals()
    number = kernels.compile_all()
    folder = kernels.kept_in()
    if folder is None:  # a warning has said why
        click.get_current_context().exit(TABLE_TROUBLE)
    click.echo(f"{number} kernels are compiled: {folder}")
