from __future__ import annotations

import hashlib
import os
from pathlib import Path

import numpy as np
import pytest

from cubesolve import catalog
from cubesolve.catalog.pocket.cube import PocketCube
from cubesolve.catalog.pocket.spaces import pocket_space
from cubesolve.definition.notation import metric_moves
from cubesolve.encodings.entries import Fault
from cubesolve.encodings.enumeration import distribution, enumerate_depths
from cubesolve.encodings.proof import find_fault
from cubesolve.errors import CorruptTableError
from cubesolve.lookup import building
from cubesolve.spaces.space import StateSpace
from cubesolve.store import tablefile
from tests.facts import POCKET
from tests.processes import ROOT, run_python
from tests.subsets import later

SETS = POCKET["move_sets"]


@pytest.mark.parametrize("metric", ["htm", later("qtm")])
def test_whole_space(metric: str) -> None:
    space = pocket_space(metric_moves(metric, "URF"))
    levels: list[tuple[int, int, int]] = []
    depths = enumerate_depths(space, progress=lambda *level: levels.append(level))
    assert distribution(depths) == tuple(POCKET[metric])
    assert depths.mean() == pytest.approx(POCKET["mean_depth"][metric], abs=1e-6)
    assert levels == [(d, n, sum(POCKET[metric][: d + 1])) for d, n in enumerate(POCKET[metric])]
    assert find_fault(space, depths) is None
    assert hashlib.sha256(depths.tobytes()).hexdigest() == catalog.tables()[f"pocket-{metric}"].header.sha256


@pytest.mark.parametrize("metric", ["htm", "qtm"])
def test_two_faces(metric: str) -> None:
    depths = enumerate_depths(pocket_space(metric_moves(metric, "UR")))
    assert sum(distribution(depths)) == SETS["<U,R>"]["size"]
    assert len(distribution(depths)) - 1 == SETS["<U,R>"][f"{metric}_diameter"]
    assert depths[PocketCube.from_alg("F").rank] == 255


def ring(length: int) -> StateSpace:
    """One move in a circle: the depth of a state is the number of remaining steps."""
    base = np.roll(np.arange(length), -1)[None]
    return StateSpace(base, np.zeros((1, length), np.int32), np.zeros((1, 1), np.uint32))


@pytest.mark.usefixtures("way")
def test_small_spaces() -> None:
    assert enumerate_depths(ring(1)).tolist() == [0]
    assert enumerate_depths(ring(4), starts=2).tolist() == [2, 1, 0, 3]
    assert find_fault(ring(4), np.array([0, 3, 2, 1], np.uint8)) is None
    assert find_fault(ring(4), np.array([0, 0, 2, 1], np.uint8)) == Fault(1, 0, 3, 1)


@pytest.mark.usefixtures("way")
def test_depths_that_a_byte_cannot_hold() -> None:
    for length in (254, 255):
        depths = enumerate_depths(ring(length))
        assert depths.max() == length - 1
        assert find_fault(ring(length), depths) is None
    for length in (256, 300):
        with pytest.raises(ValueError, match="deeper than 254"):
            enumerate_depths(ring(length))
    depths = np.array([0, *range(255, 0, -1)], np.uint8)  # the state at 255 would pass for unreachable
    assert find_fault(ring(256), depths) == Fault(1, 255, 256, 1)


def test_arguments_are_checked() -> None:
    with pytest.raises(ValueError, match=r"start 4 is not in 0\.\.3"):
        enumerate_depths(ring(4), starts=4)
    with pytest.raises(ValueError, match="workers must be at least 1"):
        enumerate_depths(ring(4), workers=0)
    with pytest.raises(ValueError, match=r"depths must be uint8 \(4,\), not int64 \(3,\)"):
        find_fault(ring(4), np.zeros(3, np.int64))


def test_a_cache_folder_without_room_breaks_nothing(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(
        "from cubesolve.runtime.kernels import kernel\n@kernel()\ndef one():\n    return 1\n"
    )
    env = {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    code = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    code += "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\nimport one; print(one.one())"
    result = run_python(code, env)
    assert (result.returncode, result.stdout) == (0, "1\n"), result.stderr


def test_a_wrong_table_is_not_proved(tmp_path: Path) -> None:
    header, body = tablefile.read(building.build_table("pocket-htm", str(tmp_path)))
    changed = bytearray(body)
    changed[1234567] += 1
    digest = hashlib.sha256(changed).hexdigest()
    counts = distribution(np.frombuffer(bytes(changed), np.uint8))
    path = str(tmp_path / "pocket-htm.zst")
    tablefile.write(path, header._replace(sha256=digest, distribution=counts), bytes(changed))
    facelets = str(PocketCube.unrank(1234567))
    with pytest.raises(CorruptTableError, match=rf"state 1234567 \({facelets}\) has depth {changed[1234567]}, but"):
        building.verify_table("pocket-htm", str(tmp_path))
