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
from cubesolve.errors import CorruptTableError, MissingTableError
from cubesolve.lookup import building
from cubesolve.spaces.space import StateSpace
from cubesolve.store import tablefile
from tests import oracle, strategies
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
    moves = strategies.HTM if metric == "htm" else strategies.QTM
    for facelets, depth in oracle.ball(moves, 4).items():
        assert depths[PocketCube(facelets).rank] == depth


@pytest.mark.parametrize("metric", ["htm", "qtm"])
def test_two_faces(metric: str) -> None:
    depths = enumerate_depths(pocket_space(metric_moves(metric, "UR")))
    assert sum(distribution(depths)) == SETS["<U,R>"]["size"]
    assert len(distribution(depths)) - 1 == SETS["<U,R>"][f"{metric}_diameter"]
    assert depths[PocketCube.from_alg("F").rank] == 255


@pytest.mark.exhaustive
def test_another_start_and_any_number_of_workers() -> None:
    space = pocket_space(metric_moves("htm", "URF"))
    start = PocketCube.from_alg("R U F2").rank
    depths = [enumerate_depths(space, start, workers=workers) for workers in (1, 2, 5)]
    assert all(np.array_equal(depths[0], other) for other in depths)
    assert distribution(depths[0]) == tuple(POCKET["htm"])
    assert depths[0][0] == 3
    assert find_fault(space, depths[0], start, workers=3) is None
    assert find_fault(space, depths[0]) is not None


@pytest.mark.parametrize("metric", ["htm", later("qtm")])
def test_any_wrong_entry_is_named(metric: str) -> None:
    space = pocket_space(metric_moves(metric, "URF"))
    depths = enumerate_depths(space)
    rng = np.random.default_rng(2)
    deepest = np.flatnonzero(depths == depths.max())
    ranks = [0, next(space.neighbours(0)), int(deepest[0]), space.states - 1]
    ranks += rng.integers(0, space.states, 2).tolist()
    for rank in ranks:
        right = int(depths[rank])
        for wrong in (right + 1, (right - 1) % 256):
            depths[rank] = wrong
            fault = find_fault(space, depths)
            assert fault is not None
            assert fault[:3] == (rank, wrong, right)
        depths[rank] = right
    assert find_fault(space, depths) is None


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


@pytest.mark.exhaustive
def test_kernels_stay_inside_their_arrays(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cubesolve.spaces.space.SMALL_SPACE", 0)  # and restore it, which the code sets
    code = (
        "import numpy as np\n"
        "from cubesolve.encodings.enumeration import enumerate_depths, distribution\n"
        "from cubesolve.encodings.proof import find_fault\n"
        "from cubesolve.spaces import space as spaces\n"
        "from cubesolve.spaces.space import StateSpace\n"
        "spaces.SMALL_SPACE = 0\n"
        "base = np.array([[1, 2, 0], [2, 0, 1], [-1, 0, -1]])\n"
        "action = np.array([[0, 1, 0], [0, 0, 1], [0, 1, 0]], np.int32)\n"
        "fibre = np.array([[1, 2, 3, 0], [3, 2, 1, 0]], np.uint32)\n"
        "space = StateSpace(base, action, fibre)\n"
        "for start in range(12):\n"
        "    depths = enumerate_depths(space, start, workers=2)\n"
        "    assert find_fault(space, depths, start) is None\n"
        "    print(distribution(depths))\n"
    )
    plain = run_python(code, {"NUMBA_DISABLE_JIT": "1"}, fresh=True)
    assert plain.returncode == 0, plain.stderr
    exec(code, {})
    assert capsys.readouterr().out == plain.stdout != ""


@pytest.mark.parametrize("trouble", ["damaged", *(later(each) for each in ("missing", "full"))])
def test_a_useless_cache_folder_breaks_nothing(trouble: str, tmp_path: Path) -> None:
    # Numba would fall back on other folders; these settings leave it only the useless one.
    folder = "/dev/full/cache" if trouble == "missing" else str(tmp_path)
    env = {"NUMBA_CACHE_DIR": folder, "NUMBA_CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator"}
    module = tmp_path / "module"
    module.mkdir()
    (module / "one.py").write_text(
        "from cubesolve.runtime.kernels import kernel\n@kernel()\ndef one():\n    return 1\n"
    )
    env["PYTHONPATH"] = f"{module}{os.pathsep}{ROOT}"
    code = "import one; print(one.one())"
    if trouble == "damaged":
        assert run_python(code, env).returncode == 0
        damaged = [path for path in tmp_path.rglob("*.o") if path.is_file()]
        assert damaged
        for path in damaged:
            path.write_bytes(b"\x80nonsense")
    if trouble == "full":
        limit = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        code = f"{limit}resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n{code}"
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


def test_verify_wants_the_very_table(tmp_path: Path) -> None:
    os.rename(building.build_table("pocket-htm", str(tmp_path)), tmp_path / "pocket-qtm.zst")
    with pytest.raises(CorruptTableError, match="this is the table pocket-htm, not pocket-qtm"):
        building.verify_table("pocket-qtm", str(tmp_path))
    with pytest.raises(MissingTableError):
        building.verify_table("pocket-htm", str(tmp_path))
    with pytest.raises(ValueError, match="unknown table 'cube'"):
        building.verify_table("cube", str(tmp_path))
