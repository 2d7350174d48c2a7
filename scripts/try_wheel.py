"""Try a wheel in empty environments, one for each given Python, and print the output of each.

    make wheel
    python scripts/try_wheel.py dist/cubesolve-*.whl python3.11 python3.12 python3.13 python3.14

It needs only the standard library; pip installs the dependencies of the wheel.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

QUESTIONS = {
    "cubesolve depth --format alg 'R U'": "2",
    'cubesolve solve --puzzle skewb "R U\' L"': "L' U R'",
    "cubesolve solve --puzzle rubik --format alg 'R U2 L D2'": "D2 L' U2 R'",
    "cubesolve solve --puzzle rolling --start 2,1 RBW/RWW/EWW": "RUU",
}
# This needs no table, and no compiler where the wheel has machine code for the processor.
CLOCK = "import sys; from cubesolve import puzzle; puzzle('clock').solve('UR3+ y2 DL2-'); print('numba' in sys.modules)"
ARRAYS = "from cubesolve import lookup; print(lookup.depths(lookup.sample(100_000, rng=1)).max())"


def main(wheel: str, *pythons: str) -> None:
    """Try each Python, and stop at the first error."""
    for python in pythons or (sys.executable,):
        with tempfile.TemporaryDirectory() as folder:
            print(_try(Path(wheel).resolve(), python, Path(folder)), flush=True)


def _try(wheel: Path, python: str, folder: Path) -> str:
    """Return the versions of Python and of the packages, the tables of the wheel, and whether it needs a compiler."""
    env = {name: os.environ[name] for name in os.environ if name == "PATH" or name.startswith("PIP_")}
    env["HOME"] = str(folder)

    def say(*command: str) -> str:
        done = subprocess.run(command, cwd=folder, env=env, check=True, stdout=subprocess.PIPE, text=True)
        return done.stdout.strip()

    say(python, "-m", "venv", "empty")
    own = str(folder / "empty" / "bin" / "python")
    say(own, "-m", "pip", "install", "--quiet", str(wheel))
    for question, answer in QUESTIONS.items():
        said = say(own, "-m", *shlex.split(question))
        if said != answer:
            raise SystemExit(f"{python}: {question} said {said!r}, not {answer!r}")
    compiles = say(own, "-c", CLOCK) == "True"
    say(own, "-m", "cubesolve", "tables", "build")  # the one that is not in the wheel
    proved = say(own, "-m", "cubesolve", "tables", "verify").count(" proved right: ")
    most = say(own, "-c", ARRAYS)
    packages = say(own, "-m", "pip", "freeze", "--exclude", "cubesolve").split()
    about = f"{proved} tables proved right, depths to {most}, {'a compiler' if compiles else 'no compiler'} for a Clock"
    return f"{say(own, '--version')}: {about}; {' '.join(packages)}"


if __name__ == "__main__":
    main(*sys.argv[1:])
