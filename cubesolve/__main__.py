"""The entry point of ``cubesolve`` and ``python -m cubesolve``."""

import atexit
import gc
import os

from cubesolve import _RARE_COLLECTIONS

_INTERRUPTED = 130


def main() -> None:
    """Run the command line; Ctrl-C ends it quietly at any time, also during imports and at exit."""
    try:
        import signal  # noqa: PLC0415  # inside the try block, because Ctrl-C can interrupt this import, too

        if signal.getsignal(signal.SIGINT) == signal.default_int_handler:
            signal.signal(signal.SIGINT, lambda *_: os._exit(_INTERRUPTED))
    except KeyboardInterrupt:
        os._exit(_INTERRUPTED)
    # Modules stay loaded: collections while they are imported take a twentieth of a short command, a full one 60 ms.
    gc.set_threshold(*_RARE_COLLECTIONS)
    # Python looks twice for cycles among all objects before it ends, for a sixth of the time of a short command.
    atexit.register(gc.freeze)
    from cubesolve.cli import main as command  # noqa: PLC0415  # after the handler of Ctrl-C is installed

    command(prog_name="cubesolve")


if __name__ == "__main__":
    main()
