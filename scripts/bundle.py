"""Compile the kernels of first questions for a wheel, so that they need no compiler after an installation.

    python scripts/bundle.py cubesolve/bundle

`make wheel` runs it.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from cubesolve.runtime.stored_code import BUNDLED_FOR, with_digest


def main(folder: Path) -> None:
    """Replace the content of the folder."""
    os.environ.update(NUMBA_CPU_NAME=BUNDLED_FOR, NUMBA_CPU_FEATURES="")
    from cubesolve.cli.about import import_kernels  # noqa: PLC0415  # compiling reads these variables
    from cubesolve.runtime.kernels import KERNELS  # noqa: PLC0415  # likewise

    import_kernels()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for kernel in KERNELS:
        if kernel.at_start:
            (folder / f"{kernel.key}.o").write_bytes(with_digest(kernel.compiled()))
    files = [*folder.iterdir()]
    print(f"{len(files)} kernels for {BUNDLED_FOR}, {sum(path.stat().st_size for path in files):,} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
