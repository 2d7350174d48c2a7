"""Try to break the guarantees of docs/security.md, and print the number of attempts.

Run it as `python scripts/torture.py --seconds 600`, with another `--seed` for other attempts; it needs the default
tables. The status is 1 if a guarantee was broken, and the line about it has the seed.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path

from click.testing import CliRunner

from cubesolve import catalog, lookup
from cubesolve.catalog.pocket import cube as pocket
from cubesolve.catalog.pocket.cube import PocketCube
from cubesolve.catalog.pocket.forms import FORMS
from cubesolve.cli import main as command_line
from cubesolve.encodings import body_bytes
from cubesolve.errors import CubesolveError, CubesolveWarning, TableError
from cubesolve.judge import PROBLEMS
from cubesolve.runtime.files import CACHE_VARIABLE
from cubesolve.spaces.tables import PACKED, TableHeader
from cubesolve.store import tablefile, unpacked
from cubesolve.store.folders import find_table

LINE_COUNT = 50_000
BODY = random.Random(1).randbytes(64 * LINE_COUNT)
HEADER = TableHeader(
    "t", "rubik", "htm", "s", 243 * LINE_COUNT, (0, 0, 0, 0, 243 * LINE_COUNT), hashlib.sha256(BODY).hexdigest(), PACKED
)
COPY = f"t-{HEADER.sha256[:16]}"
SMALL = "rolling-corner-patterns"
NOBODY = 65534


def expect(promise: bool, what: str) -> None:
    """Report a broken guarantee."""
    if not promise:
        raise AssertionError(what)


def refused(read: Callable[[], object]) -> bool:
    """Return whether a table is rejected, as all damaged ones must be."""
    try:
        read()
    except TableError:
        return True
    return False


# -- Table files -------------------------------------------------------------------------------------------------------


def flips(rng: random.Random, folder: Path) -> int:
    """Bits of a table file are changed."""
    data = Path(find_table(SMALL)).read_bytes()
    path = folder / "t.zst"
    for _ in range(50):
        damaged = bytearray(data)
        for place in rng.sample(range(len(data)), rng.choice([1, 1, 1, 2, 10])):
            damaged[place] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        expect(refused(lambda: tablefile.read(str(path), catalog.tables()[SMALL].header)), "a changed file was read")
        expect(refused(lambda: unpack(path, catalog.tables()[SMALL].header)), "a changed file was unpacked")
    return 50


def cuts(rng: random.Random, folder: Path) -> int:
    """Table files are cut, extended, and joined from parts of two."""
    data, other = (Path(find_table(name)).read_bytes() for name in (SMALL, "rolling-edge-patterns"))
    path = folder / "t.zst"
    for _ in range(50):
        place, more = rng.randrange(len(data)), rng.randbytes(rng.choice([1, 4, 1000]))
        path.write_bytes(rng.choice([data[:place], data[place:], data + more, data[:place] + other[place:]]))
        if path.read_bytes() != data:
            expect(refused(lambda: tablefile.read(str(path), catalog.tables()[SMALL].header)), "a cut file was read")
            expect(refused(lambda: unpack(path, catalog.tables()[SMALL].header)), "a cut file was unpacked")
    return 50


def unpack(path: Path, header: TableHeader) -> bytes:
    """Read a table's body, which must never grow beyond the size in its header, even if it is rejected in the end."""
    pieces: list[bytes] = []

    def take(piece: bytes) -> None:
        pieces.append(piece)
        expect(sum(map(len, pieces)) <= body_bytes(header), "more was unpacked than the header says")

    tablefile.unpack(str(path), header, take)
    return b"".join(pieces)


def read_body(path: Path, header: TableHeader) -> bytes:
    """Read a table's body at once."""
    return tablefile.read(str(path), header)[1]


def forgeries(rng: random.Random, folder: Path) -> int:
    """Table files are forged with valid checksums: headers and bodies that do not match."""
    path = folder / "t.zst"
    lines = 1 << 14
    header = HEADER._replace(entries=243 * lines, distribution=(0, 0, 0, 0, 243 * lines))
    for _ in range(20):
        content = rng.choice([bytes(64 * lines), rng.randbytes(64 * lines)])
        claimed = header._replace(sha256=hashlib.sha256(content).hexdigest())
        tablefile.write(str(path), claimed, content)
        body = path.read_bytes()[len(tablefile._encode_header(claimed, 0, 0)) :]
        kind = rng.randrange(4)
        if kind == 0:  # blocks of one repeated byte: four bytes for 128 KiB
            size, number = rng.choice([0, 1, 1 << 10, 1 << 17, 1 << 20]), rng.choice([1, 10, 10_000])
            block, last = ((size << 3 | 2 | is_last).to_bytes(3, "little") + b"\0" for is_last in (0, 1))
            body = b"\x28\xb5\x2f\xfd\xc0\x38" + len(content).to_bytes(8, "little") + block * (number - 1) + last
        elif kind == 1:
            body = body[: rng.randrange(len(body))] + rng.randbytes(rng.randrange(30))
        elif kind == 2:
            damaged = bytearray(body)
            damaged[rng.randrange(len(body))] ^= 1 << rng.randrange(8)
            body = bytes(damaged)
        forged = bytearray(tablefile._encode_header(claimed, len(body), zlib.crc32(body)))
        if kind == 3:
            forged[rng.randrange(8, len(forged) - 4)] = rng.randrange(256)
            forged[-4:] = zlib.crc32(forged[8:-4]).to_bytes(4, "little")
        path.write_bytes(forged + body)
        for read in (unpack, read_body):
            with contextlib.suppress(TableError):
                expect(read(path, claimed) == content, "a forged file was taken for another")
    return 20


# -- Unpacked copies ---------------------------------------------------------------------------------------------------


def copies(rng: random.Random, folder: Path) -> int:
    """Files in the cache are changed, replaced, linked elsewhere, made writable, and given to other users."""
    path, cache, victim = table_file(folder), cache_in(folder), folder / "victim"
    victim.write_bytes(BODY)
    for _ in range(20):
        target, tamper = cache / rng.choice([COPY, f"{COPY}.stamp", "lock"]), rng.choice(TAMPERINGS)
        tamper(rng, cache, target, victim)
        expect(unpacked.map_body(path, HEADER)[:] == BODY, f"a wrong copy was used: {tamper.__name__} {target.name}")
        expect(victim.read_bytes() == BODY, "a file elsewhere was changed")
        if tamper in FORGERIES or rng.random() < 0.3:
            shutil.rmtree(cache)
    return 20


def table_file(folder: Path) -> str:
    """Return a table's file without a copy of it."""
    path = folder / "t.zst"
    tablefile.write(str(path), HEADER, BODY)
    return str(path)


def cache_in(folder: Path) -> Path:
    """Return the path of a new cache folder."""
    cache = folder / "cache"
    os.environ[CACHE_VARIABLE] = str(cache)
    return cache


def change(rng: random.Random, _cache: Path, target: Path, _victim: Path) -> None:
    """Change some bytes or the size, and hide it as well as a user can."""
    if target.is_file() and not target.is_symlink():
        before = target.stat()
        data = bytearray(target.read_bytes() or b"0")
        data[rng.randrange(len(data))] ^= 1 + rng.randrange(255)
        target.chmod(0o600)
        target.write_bytes(data[: rng.choice([len(data), len(data), len(data) // 2])] + b"x" * rng.choice([0, 0, 1]))
        target.chmod(before.st_mode)
        os.utime(target, ns=(before.st_atime_ns, before.st_mtime_ns))


def empty(rng: random.Random, cache: Path, _target: Path, _victim: Path) -> None:
    """Write a copy that is too short, and note it as checked."""
    forge(cache, rng.choice([0, 1, 4096, len(BODY) - 64]))


def link(_rng: random.Random, cache: Path, target: Path, victim: Path) -> None:
    """Replace the copy by a link to another file."""
    cache.mkdir(mode=0o700, exist_ok=True)
    target.unlink(missing_ok=True)
    target.symlink_to(victim)


def pipe(_rng: random.Random, cache: Path, target: Path, _victim: Path) -> None:
    """Replace the copy by a pipe without a writer."""
    cache.mkdir(mode=0o700, exist_ok=True)
    target.unlink(missing_ok=True)
    os.mkfifo(target)


def remove(_rng: random.Random, _cache: Path, target: Path, _victim: Path) -> None:
    """Remove the copy."""
    target.unlink(missing_ok=True)


def open_to_others(rng: random.Random, cache: Path, _target: Path, _victim: Path) -> None:
    """Write a wrong copy and note it as checked, in a folder or file that others can write."""
    forge(cache, len(BODY))
    rng.choice([cache, cache / COPY, cache / f"{COPY}.stamp"]).chmod(rng.choice([0o777, 0o775, 0o1777]))


def give_away(rng: random.Random, cache: Path, _target: Path, _victim: Path) -> None:
    """Write a wrong copy and note it as checked, in a folder or file of another user."""
    if os.geteuid() == 0:  # only root can give files away
        forge(cache, len(BODY))
        os.chown(rng.choice([cache, cache / COPY, cache / f"{COPY}.stamp"]), NOBODY, NOBODY)


def forge(cache: Path, size: int) -> None:
    """Return a wrong copy, with a stamp that notes it as checked."""
    cache.mkdir(mode=0o700, exist_ok=True)
    for name in (COPY, f"{COPY}.stamp"):
        (cache / name).unlink(missing_ok=True)
    (cache / COPY).write_bytes(bytes(size))
    time.sleep(0.02)
    (cache / f"{COPY}.stamp").write_bytes(unpacked._stamp((cache / COPY).stat()))


FORGERIES = (empty, open_to_others, give_away)
TAMPERINGS = (*FORGERIES, change, change, link, pipe, remove)


# -- Processes ---------------------------------------------------------------------------------------------------------

UNPACK = """
import hashlib, signal, sys
from cubesolve.store import tablefile, unpacked
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
header, _ = tablefile.read_header(sys.argv[1])
print(flush=True)
for _ in range(int(sys.argv[2])):
    assert hashlib.sha256(unpacked.map_body(sys.argv[1], header)).hexdigest() == header.sha256
"""

WRITE = """
import sys
from cubesolve.store import tablefile
header, body = tablefile.read(sys.argv[1])
print(flush=True)
while True:
    tablefile.write(sys.argv[1], header, body)
"""


def started(code: str, *arguments: str) -> subprocess.Popen[bytes]:
    """Start a process that has imported its modules."""
    process = subprocess.Popen([sys.executable, "-W", "ignore", "-c", code, *arguments], stdout=subprocess.PIPE)
    assert process.stdout is not None
    expect(process.stdout.readline() == b"\n", "a process could not begin")
    return process


def kills(rng: random.Random, folder: Path) -> int:
    """Processes are killed while they unpack or write a table; no partial file remains."""
    path, cache = table_file(folder), cache_in(folder)
    for _ in range(4):
        shutil.rmtree(cache, ignore_errors=True)
        code, arguments = rng.choice([(UNPACK, [path, "1"]), (WRITE, [path])])
        process = started(code, *arguments)
        time.sleep(rng.random() * 0.05)
        process.send_signal(rng.choice([signal.SIGKILL, signal.SIGTERM]))
        process.communicate()
        expect(tablefile.read(path) == (HEADER, BODY), "a table was left half written")
        before = set(os.listdir(cache)) if cache.is_dir() else set()
        expect(unpacked.map_body(path, HEADER)[:] == BODY, "a copy was left half made")
        after = set(os.listdir(cache))
        expect(after == {"lock", COPY, f"{COPY}.stamp"} or COPY in before, f"files were left behind: {after}")
    return 4


def races(rng: random.Random, folder: Path) -> int:
    """Processes unpack one table at once, while their copies are removed."""
    path, cache = table_file(folder), cache_in(folder)
    processes = [started(UNPACK, path, "10") for _ in range(3)]
    while any(process.poll() is None for process in processes):
        for name in (COPY, f"{COPY}.stamp", "lock"):
            if rng.random() < 0.3:
                (cache / name).unlink(missing_ok=True)
        time.sleep(rng.random() * 0.02)
    expect(not any(process.communicate() and process.returncode for process in processes), "a process failed")
    return 30


def forks(rng: random.Random, _folder: Path) -> int:
    """A process is forked while its threads load tables, and the child asks questions, too."""
    cube = PocketCube.unrank(rng.randrange(pocket.STATES))
    expected = [lookup.depth(cube, metric=metric) for metric in ("htm", "qtm")]
    for _ in range(10):
        with lookup.open_tablebase() as tables:
            threads = [
                threading.Thread(target=tables.depth, args=(cube,), kwargs={"metric": metric})
                for metric in ("htm", "qtm")
            ]
            for thread in threads:
                thread.start()
            time.sleep(rng.random() * 0.03)
            child = os.fork()
            if child == 0:
                signal.alarm(60)
                os._exit([tables.depth(cube, metric=metric) for metric in ("htm", "qtm")] != expected)
            for thread in threads:
                thread.join()
            expect(os.waitpid(child, 0)[1] == 0, "a child hung or had another answer")
    return 10


# -- Input -------------------------------------------------------------------------------------------------------------

SYMBOLS = "URFDLB" * 6 + "urfdlbMESxyzw2'3 \t/*.,-:WGOY0123456789" + "\0\x1b\r\u2019\u00e9\U0001f9ca\udcff\u202e"


def text(rng: random.Random) -> str:
    """Return input that a user might type, or a program might send."""
    kind = rng.randrange(5)
    if kind == 0:
        return "".join(rng.choices(SYMBOLS, k=rng.choice([0, 1, 5, 24, 54, 300])))
    if kind == 1:
        return " ".join(letter + rng.choice(["", "2", "'"]) for letter in rng.choices("URFDLBxyz", k=rng.randrange(12)))
    if kind == 2:
        return "/".join("".join(rng.choices("WBRE*", k=3)) for _ in range(3))
    facelets = list(str(PocketCube.unrank(rng.randrange(pocket.STATES))))
    for _ in range(rng.choice([0, 0, 1, 2])):
        facelets[rng.randrange(24)] = rng.choice(SYMBOLS)
    if kind == 3:
        rng.shuffle(facelets)
    return "".join(facelets)


def arguments(rng: random.Random) -> list[str]:
    """Return a command with its arguments."""
    states = ["-", *(text(rng) for _ in range(rng.randrange(3)))]
    form = ["--format", rng.choice(list(FORMS))]
    rubik = ["--puzzle", "rubik", "--max-depth", "4", "--format", rng.choice(["alg", "urfdlb"])]
    rolling = ["--puzzle", "rolling", "--start", rng.choice(["1,1", "2,2", "3,2", "0,9", text(rng)])]
    return rng.choice(
        [
            ["depth", *form, "--", *states],
            ["solve", *form, *rng.choice([[], ["--json"], ["--count"], ["--all"]]), "--", *states],
            ["depth", *rubik, "--", *states],
            ["solve", *rubik, "--", *states],
            ["depth", *rolling, "--", *states],
            ["show", "--", text(rng)],
            ["convert", "--from", rng.choice(list(FORMS)), "--to", rng.choice(list(FORMS)), "--", *states],
            ["judge", rng.choice(list(PROBLEMS))],
        ]
    )


def commands(rng: random.Random, _folder: Path) -> int:
    """The command line gets random input; it answers, or reports the error."""
    for _ in range(20):
        asked, lines = arguments(rng), "\n".join(text(rng) for _ in range(rng.randrange(5)))
        result = CliRunner().invoke(command_line, asked, input=lines.encode("utf-8", "surrogateescape"))
        expect(isinstance(result.exception, SystemExit | None), f"{asked} {lines!r}: {result.exception!r}")
        expect(result.exit_code in {0, 1, 2}, f"{asked} {lines!r}: status {result.exit_code}")
    return 20


def questions(rng: random.Random, _folder: Path) -> int:
    """Facelets are valid or invalid; solutions are applied to the states."""
    for _ in range(200):
        facelets, metric = text(rng), rng.choice(["htm", "qtm"])
        try:
            depth, alg = (
                lookup.depth(PocketCube(facelets), metric=metric),
                lookup.solve(PocketCube(facelets), metric=metric),
            )
        except CubesolveError:
            continue
        expect(len(alg.split()) == depth, f"{facelets!r}: the depth is {depth}, the alg {alg}")
        expect(PocketCube(facelets).apply(alg).is_solved, f"{facelets!r}: not solved by {alg}")
    return 200


WORDS = (
    "Set",
    "Move",
    "End",
    "Solved",
    "Illegal",
    "0",
    "1",
    "-1",
    "99",
    "9" * 30,
    "?",
    "(1,2,3)",
    "(1,1)",
    ";",
    "\x1b[2J",
)
FEW = 10_000  # states of a puzzle that are tested


def definitions(rng: random.Random, folder: Path) -> int:
    """Definition files are changed; they define a puzzle, or the error is reported."""
    for number in range(20):
        original = rng.choice(list((Path(__file__).parents[1] / "docs").glob("rings.*")))
        words = list(original.read_text())
        for _ in range(rng.choice([1, 1, 2, 5])):
            place = rng.randrange(len(words))
            words[place : place + rng.choice([0, 1, 1, 9])] = rng.choice(
                ["", "", f" {rng.choice(WORDS)} ", words[place]]
            )
        path = folder / f"{number}{original.suffix}"
        path.write_text("".join(words), encoding="utf-8")
        try:
            puzzle = lookup.open_tablebase(folder).puzzle(str(path))
            if puzzle.states > FEW:
                continue
            state = puzzle.random_state(rng)
            alg = puzzle.solve(state)
        except CubesolveError:
            continue
        expect(state.apply(alg).is_solved, f"{path}: {state} is not solved by {alg}")
    return 20


ATTEMPTS = (flips, cuts, forgeries, copies, kills, races, forks, commands, questions, definitions)


def main() -> int:
    """Run every attempt for its share of the time; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="which attempts to make")
    parser.add_argument("--seconds", type=float, default=60, help="how long to go on, in all")
    options = parser.parse_args()
    warnings.simplefilter("ignore", CubesolveWarning)
    warnings.simplefilter("ignore", DeprecationWarning)  # newer versions of Python warn about the `forks` attempt
    broken = 0
    print(f"{'attempt':<10} {'cases':>9}  {'broken':>6}  description", flush=True)
    for attempt in ATTEMPTS:
        until = time.monotonic() + options.seconds / len(ATTEMPTS)
        cases, faults, number = 0, list[str](), 0
        while number == 0 or (time.monotonic() < until and not faults):
            seed = f"{options.seed} {number}"
            with tempfile.TemporaryDirectory() as folder:
                try:
                    cases += attempt(random.Random(f"{attempt.__name__} {seed}"), Path(folder))
                except Exception as error:  # noqa: BLE001  # whatever it is, it should not have happened
                    faults.append(f"  seed {seed}: {type(error).__name__}: {error}")
            number += 1
        print(f"{attempt.__name__:<10} {cases:>9,}  {len(faults):>6}  {(attempt.__doc__ or '').splitlines()[0]}")
        print("\n".join(faults), end="\n" if faults else "", flush=True)
        broken += len(faults)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
