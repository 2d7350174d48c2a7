"""``python -m cubesolve`` is the command ``cubesolve``."""

from cubesolve.cli import main

if __name__ == "__main__":
    main(prog_name="cubesolve")
