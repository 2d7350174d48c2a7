"""The store of compiled kernels: loading a kernel runs the code in its file, so others must not write it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType

import pytest
from click.testing import CliRunner

from cubesolve import cli
from cubesolve.cli import about
from cubesolve.runtime import kernels, stored_code
from tests.patience import PATIENCE
from tests.processes import ROOT, run_python
from tests.test_files import mode

NOBODY = 65534
MODULE = """
from cubesolve.runtime.kernels import kernel

@kernel()
def first():
    return 1

@kernel()
def second():
    return 2
"""
OPEN = 0o777  # without the sticky bit, so that others can rename what is in it


@pytest.fixture
def common() -> Iterator[Path]:
    """A folder that every user can open and write; pytest's own are private."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name).resolve()
        (path / "module").mkdir()
        (path / "module" / "two.py").write_text(MODULE)
        (path / "temporary").mkdir()
        path.chmod(OPEN)
        yield path


def env_of_two(common: Path, **env: str) -> dict[str, str]:
    """The environment of a process that can import the module, with its temporary files in the shared folder."""
    usual = {"NUMBA_CACHE_DIR": "", "CUBESOLVE_CACHE": "", "XDG_CACHE_HOME": str(common / "home")}
    temporary = {"TMPDIR": str(common / "temporary"), "PYTHONDONTWRITEBYTECODE": "1"}
    return {**usual, **temporary, "PYTHONPATH": f"{common / 'module'}{os.pathsep}{ROOT}", **env}


def run_two(common: Path, code: str, *, fresh: bool = False, **env: str) -> subprocess.CompletedProcess[str]:
    """A process that compiles two kernels."""
    return run_python(f"import two\n{code}", env_of_two(common, **env), fresh=fresh)


def as_nobody(task: Callable[[], object]) -> None:
    """Run code as another user."""
    child = os.fork()
    if not child:
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            task()
        except BaseException:  # noqa: BLE001  # nothing of the parent's may go on here
            os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def test_nothing_is_loaded_from_where_another_user_can_write(common: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can do what another user would: run the tests as root, too")
    cache, known = common / "cache", common / "known"
    assert run_two(common, "two.first(), two.second()", CUBESOLVE_CACHE=str(known)).stderr == ""
    names = [str(path.relative_to(known)) for path in known.rglob("*second*.o")]
    assert len(names) == 1

    def attack() -> None:
        cache.rename(common / "old")
        (cache / names[0]).parent.mkdir(parents=True)
        (cache / names[0]).write_bytes(b"another code")

    code = "import sys\nprint(two.first(), flush=True)\nsys.stdin.readline()\nprint(two.second())"
    with subprocess.Popen(
        [sys.executable, "-c", f"import two\n{code}"],
        env={**os.environ, **env_of_two(common, CUBESOLVE_CACHE=str(cache))},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == "1\n"
        as_nobody(attack)
        out, err = process.communicate("\n", timeout=PATIENCE)
    assert out == "2\n"
    assert f"CubesolveWarning: {cache / 'kernels'} can be written by others: cubesolve-0 in it is used instead" in err
    (own,) = (cache / "kernels" / "cubesolve-0").iterdir()
    assert (own.name, mode(own), mode(own.parent)) == (Path(names[0]).name, 0o600, 0o700)


def test_without_a_cache_folder_one_among_the_temporary_ones_is_used(common: Path) -> None:
    (common / "cache").write_text("")
    result = run_two(common, "print(two.first())", CUBESOLVE_CACHE=str(common / "cache"))
    own = common / "temporary" / f"cubesolve-{os.geteuid()}" / "kernels"
    reason = f"{common / 'cache' / 'kernels'}: Not a directory"
    assert f"CubesolveWarning: compiled kernels are stored in {own} instead ({reason})" in result.stderr
    assert (result.stdout, len([*own.glob("*.o")]), mode(own.parent), mode(own)) == ("1\n", 1, 0o700, 0o700)


def test_without_any_folder_nothing_is_stored(common: Path) -> None:
    for name in ("cache", f"temporary/cubesolve-{os.geteuid()}"):
        (common / name).write_text("")
    result = run_two(common, "print(two.first())", CUBESOLVE_CACHE=str(common / "cache"))
    assert (result.stdout, [*common.rglob("*.o")]) == ("1\n", [])
    assert "compiled kernels cannot be stored" in result.stderr


def test_a_kernel_is_compiled_when_it_is_called_and_kept(common: Path) -> None:
    common.chmod(0o755)
    code = "import gc, sys\nbefore = gc.get_threshold()\n"
    code += "print('numba' in sys.modules, two.first(), 'numba' in sys.modules, gc.get_threshold() == before)"
    result = run_two(common, code, fresh=True, CUBESOLVE_CACHE=str(common / "cache"))
    assert (result.stdout, result.stderr) == ("False 1 True True\n", "")
    assert len(list((common / "cache" / "kernels").rglob("*.o"))) == 1


def test_all_kernels_are_compiled_beforehand(common: Path) -> None:
    """The command lists the kernels of all modules; this test compiles one and marks the others as compiled."""
    kernel = re.compile(r"^@(deepening_)?kernel\(", re.M)
    found = {path: len(kernel.findall(path.read_text())) for path in (ROOT / "cubesolve").rglob("*.py")}
    having, number = [path for path, kernels in found.items() if kernels], sum(found.values())
    assert number > 20
    code = (
        "from cubesolve.runtime import kernels\n"
        "from cubesolve.cli import about, main\n"
        "compiled = []\n"
        "kernels.Kernel.load = lambda kernel, **_: compiled.append(kernel.function.__module__)\n"
        "kernels.processors = lambda: 1\n"
        "main(['warm'], standalone_mode=False)\n"
        "print(len(compiled), *sorted({each.replace('.', '/') for each in compiled} - {'two'}))\n"
    )
    common.chmod(0o755)
    result = run_two(common, code, CUBESOLVE_CACHE=str(common / "cache"))
    modules = sorted(str(path.relative_to(ROOT).with_suffix("")) for path in having)
    said = f"{number + 2} kernels are compiled: {common / 'cache' / 'kernels'}"
    assert result.stdout.splitlines() == [said, " ".join([str(number + 2), *modules])]
    assert result.stderr == ""


@pytest.mark.parametrize(("processors", "order"), [(1, "abc"), (2, "dcbaabcd")])
def test_another_process_compiles_the_last_kernels_meanwhile(
    processors: int, order: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    about.import_kernels()
    done = list[str]()

    class Process:
        def __init__(self, command: list[str], **_: object) -> None:
            done.extend(re.findall(r"from m import (\w) as kernel; kernel.load\(\)", command[-1]))

        def poll(self) -> int:
            return 0

    functions = [FunctionType((lambda: 0).__code__, {"__name__": "m"}, name) for name in "abcd"[: 2 + processors]]
    monkeypatch.setattr(kernels, "KERNELS", [kernels.Kernel(function, at_start=False) for function in functions])
    monkeypatch.setattr(kernels, "_processes", {})
    monkeypatch.setattr(kernels, "_Compiler", Process)
    monkeypatch.setattr(kernels, "processors", lambda: processors)
    monkeypatch.setattr(kernels.Kernel, "is_ready", lambda _: False)
    monkeypatch.setattr(kernels.Kernel, "load", lambda kernel, **_: done.append(kernel.__name__))
    monkeypatch.setattr(stored_code, "folder", lambda: "kernels")
    assert CliRunner().invoke(cli.main, ["warm"]).output == f"{len(functions)} kernels are compiled: kernels\n"
    assert done == [*order]


def test_kernels_that_cannot_be_kept_are_not_said_to_be(common: Path) -> None:
    for name in ("cache", f"temporary/cubesolve-{os.geteuid()}"):
        (common / name).write_text("")
    code = "from cubesolve import cli\nfrom cubesolve.runtime import kernels\n"
    code += "kernels.Kernel.load = lambda *_, **__: None\ncli.main(['warm'])"
    result = run_two(common, code, CUBESOLVE_CACHE=str(common / "cache"))
    assert (result.returncode, result.stdout) == (3, "")
    assert "compiled kernels cannot be stored" in result.stderr


def test_a_cache_folder_without_room_breaks_nothing(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(
        "from cubesolve.runtime.kernels import kernel\n@kernel()\ndef one():\n    return 1\n"
    )
    env = {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    code = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    code += "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\nimport one; print(one.one())"
    result = run_python(code, env)
    assert (result.returncode, result.stdout) == (0, "1\n"), result.stderr


CHECKED = {
    "by Python": (
        {"NUMBA_DISABLE_JIT": "1"},
        "cubesolve/search/phases.py tests/encodings/test_proof.py tests/test_arrays.py tests/lookup/test_hashed.py",
        "phases or lead_down or accepts or damaged or swaps",
    ),
    "by compiled code": (  # that is not optimized, which is sooner compiled
        {"NUMBA_BOUNDSCHECK": "1", "NUMBA_OPT": "0"},
        "tests/test_packed.py tests/test_rubik_search.py",
        "entry or proved or near or labels_of_rows or above",
    ),
}
"""Variables of Numba with which every index is checked, and tests of kernels."""


@pytest.mark.exhaustive
@pytest.mark.parametrize("how", CHECKED)
def test_kernels_stay_inside_their_arrays(how: str, tmp_path: Path) -> None:
    variables, files, names = CHECKED[how]
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), **variables}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-k", names, *files.split()]
    result = subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout
