"""``python -m cubesolve`` is the command ``cubesolve``."""

import os

_INTERRUPTED = 130


def main() -> None:
    """Run the command line; Ctrl-C ends it quietly, also while it is still loaded, and when it is done."""
    try:
        import signal  # noqa: PLC0415  # which takes a moment, too

        if signal.getsignal(signal.SIGINT) == signal.default_int_handler:
            signal.signal(signal.SIGINT, lambda *_: os._exit(_INTERRUPTED))
    except KeyboardInterrupt:
        os._exit(_INTERRUPTED)
    from cubesolve.cli import main as command  # noqa: PLC0415

    command(prog_name="cubesolve")


if __name__ == "__main__":
    main()
