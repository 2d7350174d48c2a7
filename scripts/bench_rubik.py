"""Measure the pattern databases of the 3x3x3 and the search with them, for the tables that are built.

Run it as `make bench-rubik`, or with names of tables as arguments; see ``--help``. If the package RubikOptimal is
installed and its tables are in the current folder, it solves one cube as well.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import importlib
import itertools
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
from bench import machine, machine_text, row
from bench_build import run
from figures import document
from matplotlib import pyplot as plt
from numpy.typing import NDArray

from cubesolve import catalog
from cubesolve.catalog.rubik.arrays import read_cubes
from cubesolve.catalog.rubik.cube import RubikCube, random_cube
from cubesolve.catalog.rubik.optimal import OptimalSolver, open_solver
from cubesolve.definition.notation import FACES, format_alg, metric_moves
from cubesolve.encodings import body_bytes
from cubesolve.errors import MissingTableError, SearchLimitError
from cubesolve.lookup import open_tablebase
from cubesolve.runtime.deadline import Deadline
from cubesolve.runtime.instructions import prefetch
from cubesolve.runtime.kernel_arrays import Array1, Read1
from cubesolve.runtime.kernels import kernel
from cubesolve.store.folders import find_table
from cubesolve.store.unpacked import HUGE_PAGES_VARIABLE, map_body

Key = TypeVar("Key")

SEED = 3
CUBES = 300_000  # in an array
STATES = json.loads((Path(__file__).parents[1] / "benchmarks" / "rubik" / "states.json").read_text())
WEIGHTS = {int(depth): count for depth, count in STATES["depths_of_random_states"].items()}
LINES = 1 << 24  # that each thread reads at random
BATCH = 512  # lines that are prefetched together; the search does so with as many entries
CUBE48OPT_SIZES = {1: 30, 2: 121, 3: 243, 4: 486, 5: 972, 6: 1945, 7: 3891, 8: 7782}  # MB of the tables of cube48optN
CUBE48OPT = r"""
import fs from "node:fs";
import os from "node:os";
import readline from "node:readline";
globalThis.navigator ??= {hardwareConcurrency: os.cpus().length};
const file = process.argv[2].replace(/mjs$/, "table"), threads = Number(process.argv[3]);
const peer = await (await import(process.argv[2])).default({
    print: line => {
        const found = /finished in (\d+), .* tt=([0-9.]+) ms/.exec(line);
        if (found) console.log(found[1], Number(found[2]) / 1e3);
    },
});
const size = Number(peer.get_table_size()), step = 2 ** 26;
if (fs.existsSync(file)) {
    const table = fs.openSync(file), start = Number(peer._get_mem_ptr()), part = Buffer.alloc(step);
    for (let at = 0; at < size; at += step) peer.HEAPU8.set(part.subarray(0, fs.readSync(table, part)), start + at);
    if (peer.init(0, threads)) throw new Error(`${file} has another table`);
} else {
    peer.init(threads, threads);
    const table = fs.openSync(`${file}.part`, "w"), start = Number(peer._get_mem_ptr()), end = start + size;
    for (let at = start; at < end; at += step) fs.writeSync(table, peer.HEAPU8.slice(at, Math.min(at + step, end)));
    fs.renameSync(`${file}.part`, file);
}
console.log("ready");
for await (const line of readline.createInterface({input: process.stdin})) peer.solve_scramble(line, threads, 1, 1);
process.exit(0);
"""
H48 = r"""
import sys
import time
sys.path.append(sys.argv[1])
import nissy
path, threads = sys.argv[2], int(sys.argv[3])
solver = path.rsplit("/", 1)[-1]
data = bytearray(nissy.solverinfo(solver)[0])
with open(path, "rb") as file:
    file.readinto(data)
print("ready", flush=True)
for line in sys.stdin:
    cube = nissy.applymoves(nissy.solved_cube, line.strip())
    started = time.perf_counter()
    solution, *_ = nissy.solve(cube, solver, nissy.nissflag_normal, 0, 20, 1, 0, threads, data)
    print(len(solution.split()), time.perf_counter() - started, flush=True)
"""
VCUBE_SIZES = {104: 20, 108: 325, 204: 488, 112: 2603, 208: 7809}  # MB of the tables of vcube
VCUBE = r"""
import subprocess
import sys
program, coordinate, workers = sys.argv[1], sys.argv[2], int(sys.argv[3])
subprocess.run([program, "-c", coordinate, "-w", str(workers), "--no-input"], check=True)
solver = subprocess.Popen(
    ["stdbuf", "-oL", program, "-c", coordinate, "-w", "1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
)
def solve(alg):
    solver.stdin.write(alg + "\n")
    solver.stdin.flush()
    _, seconds, length, _ = solver.stdout.readline().split(maxsplit=3)
    return int(length), float(seconds)
solve("U")
print("ready", flush=True)
for line in sys.stdin:
    length, seconds = solve(line.strip())
    print(length, seconds / workers, flush=True)
"""
PEER_TABLE = "phase1x24_prun"  # without it, that package computes for hours first
PEER_MOVES = 11


def tables(names: list[str]) -> list[str]:
    """Return the tables to measure: those named, or all pattern databases that are built."""
    built = []
    for name in names or [name for name, entry in catalog.tables().items() if entry.label is not None]:
        try:
            find_table(name)
        except MissingTableError as error:
            print(f"not measured: {error}\n")
        else:
            built.append(name)
    return built


def building(name: str) -> None:
    """Build a table in a process of its own, and verify it."""
    size = body_bytes(catalog.tables()[name].header) / 1e6
    for step in ("build", "verify"):
        took = run(step, [name])
        memory = f"{took.memory / 1e6:,.0f} MB of memory, table {size:,.0f} MB"
        row(f"cubesolve tables {step} {name}", f"{took.seconds:.1f} s", memory)


class Measured(NamedTuple):
    """The measurements of cubes of one depth.

    Attributes:
        level: the table, and its kind of memory.
        depth: the number of moves.
        seconds: the time of each cube.
        nodes: the number of cubes expanded for all of them.
        probes: the number of entries read for that.
    """

    level: str
    depth: int
    seconds: list[float]
    nodes: int
    probes: int

    @property
    def mean(self) -> float:
        """The mean of the seconds."""
        return statistics.mean(self.seconds)

    @property
    def error(self) -> float:
        """Its standard error."""
        return _standard_error(self.seconds)


def opening(name: str) -> OptimalSolver:
    """Open a table that has an unpacked copy."""
    entry = catalog.tables()[name]
    map_body(find_table(name), entry.header)
    started = time.perf_counter()
    solver = open_solver(entry, map_body(find_table(name), entry.header))
    row("opening, unpacked copy there", f"{(time.perf_counter() - started) * 1e3:.0f} ms")
    first_alg(solver, RubikCube.from_alg("R U"))
    return solver


def first_alg(
    solver: OptimalSolver, cube: RubikCube, deadline: Deadline | None = None, workers: int | None = None
) -> tuple[str, ...]:
    """Return the first optimal alg of a cube."""
    deepening, clock = solver.deepening(cube.cubies, workers=workers), deadline or Deadline()
    return next(algs[0] for length in deepening.lengths(0) if (algs := deepening.algs(length, clock)))


def solving(solver: OptimalSolver, level: str, options: argparse.Namespace) -> list[Measured]:
    """Solve cubes of each depth, one by one, with compiled kernels, and estimate the time of random ones.

    Deeper ones are left out after a depth that took more than `options.patience` seconds on average.
    """
    found: list[Measured] = []
    for depth in WEIGHTS:
        if found and found[-1].mean > options.patience:
            break
        nodes, probes = solver.nodes, solver.probes
        scrambles = STATES["states_by_depth"][str(depth)][: options.cubes]
        seconds = [_solve(solver, scramble, options.workers, depth)[1] for scramble in scrambles]
        found.append(Measured(level, depth, seconds, solver.nodes - nodes, solver.probes - probes))
        row(f"{len(seconds)} cubes of {depth} moves, mean", f"{found[-1].mean:.1f} s", f"+- {found[-1].error:.1f} s")
    row("random cubes, mean over these depths", *_of_random_cubes(found))
    workers = options.workers or os.cpu_count() or 1
    hourly = 3600 / _mean_of_random_cubes(found)[0] / workers
    row("random cubes an hour, on each processor", f"{hourly:,.0f}")
    total = math.fsum(second for each in found for second in each.seconds)
    _rates(sum(each.nodes for each in found), sum(each.probes for each in found), total)
    return found


def in_turns(names: list[str], options: argparse.Namespace) -> None:
    """Solve the same cubes with several tables by turns, in processor time, for a busy machine."""
    number = options.cubes
    solvers = {name: opening(name) for name in names}
    for depth in map(int, options.in_turns.split(",")):
        found = {name: Measured(name, depth, [], solver.nodes, solver.probes) for name, solver in solvers.items()}
        for turn, scramble in enumerate(STATES["states_by_depth"][str(depth)][:number]):
            for name in names[:: -1 if turn % 2 else 1]:
                before = time.process_time()
                _solve(solvers[name], scramble, options.workers, depth)
                found[name].seconds.append(time.process_time() - before)
        for name, each in found.items():
            nodes, probes = solvers[name].nodes - each.nodes, solvers[name].probes - each.probes
            looked = f"{nodes / number / 1e6:.1f} M cubes looked at, {probes / number / 1e6:.1f} M entries"
            row(
                f"{number} of {depth} moves, {name}, processor's time",
                f"{each.mean:.2f} s",
                f"+- {each.error:.2f} s; {looked}",
            )
        first = found[names[0]]
        for each in list(found.values())[1:]:
            row(f"{each.level}, of the time of {names[0]}", f"{each.mean / first.mean:.2f}")


class Peer:
    """A solver of another repository, which has its table in memory and solves the algs that it reads.

    Attributes:
        name: its name, and the size of its table.
    """

    def __init__(self, name: str, script: str, suffix: str, command: list[str]) -> None:
        """Start `command` with a file of `script` in place of ``SCRIPT``, and wait until its table is ready."""
        self.name = name
        started = time.perf_counter()
        self._folder = tempfile.TemporaryDirectory()  # node starts no threads from code on a command line
        path = Path(self._folder.name) / f"solve{suffix}"
        path.write_text(script)
        self._process = subprocess.Popen(
            [str(path) if word == "SCRIPT" else word for word in command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        while self._line() != "ready":
            pass
        row(f"{self.name}, table ready", f"{time.perf_counter() - started:.0f} s")

    def _line(self) -> str:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.name} ended")
        return line.strip()

    def solve(self, alg: str) -> tuple[int, float]:
        """Return the depth of a cube, and the seconds by the solver's own clock."""
        assert self._process.stdin
        self._process.stdin.write(f"{alg}\n")
        self._process.stdin.flush()
        length, seconds = self._line().split()
        return int(length), float(seconds)

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        self._folder.cleanup()


def _peers(folder: Path, memory: float, workers: int) -> list[Peer]:
    """Start the solvers in `folder` whose tables are nearest to `memory` MB.

    cube48opt, of cs0x7f/cubeopt-wasm, makes its table and keeps it in a file beside its module. vcube, of
    Voltara/vcube, needs its program, with all of `VCUBE_SIZES` compiled in. Each of its workers solves a cube of its
    own, so it solves with one worker, and its seconds are divided by `workers`, as if no worker ever waited for others
    or for memory. H48, of sebastianotronto/nissy-core, needs its Python module and a table (``./build.sh python``,
    ``./build.sh tool gendata h48h6``). Tables of vcube and H48 may have half to twice of `memory`.
    """
    peers = []
    if (folder / "cubeopt-wasm").is_dir():
        number = _nearest(CUBE48OPT_SIZES, memory)
        module = (folder / "cubeopt-wasm" / f"cube48opt{number}.mjs").resolve()
        name = f"cube48opt{number}, {CUBE48OPT_SIZES[number]:,} MB"
        peers.append(Peer(name, CUBE48OPT, ".mjs", ["node", "SCRIPT", str(module), str(workers)]))
    program = (folder / "vcube" / "vc-optimal").resolve()
    if program.exists() and 0.5 < VCUBE_SIZES[coordinate := _nearest(VCUBE_SIZES, memory)] / memory < 2:
        name = f"vcube{coordinate}, {VCUBE_SIZES[coordinate]:,} MB"
        peers.append(Peer(name, VCUBE, ".py", [sys.executable, "SCRIPT", str(program), str(coordinate), str(workers)]))
    sizes = {path: path.stat().st_size / 1e6 for path in (folder / "nissy-core" / "tables").glob("h48h*")}
    if sizes and 0.5 < sizes[table := _nearest(sizes, memory)] / memory < 2:
        name = f"H48 {table.name.removeprefix('h48')}, {sizes[table]:,.0f} MB"
        module = folder / "nissy-core" / "python"
        peers.append(Peer(name, H48, ".py", [sys.executable, "SCRIPT", str(module), str(table), str(workers)]))
    return peers


def _nearest(sizes: Mapping[Key, float], memory: float) -> Key:
    return min(sizes, key=lambda each: abs(math.log(sizes[each] / memory)))


def beside_peers(names: list[str], options: argparse.Namespace) -> None:
    """Solve cubes by turns with each table, and with the solvers of `options.peers` that have about as much memory."""
    workers = options.workers or os.cpu_count() or 1
    puzzle, rng, states = open_tablebase().puzzle("rubik"), random.Random(SEED), STATES["states_by_depth"]
    groups = {f"of {depth} moves": states[str(depth)][: options.cubes] for depth in (16, 17, 18)}
    groups["at random"] = [str(puzzle.scramble(rng)) for _ in range(options.random)]
    groups["of 19 moves"] = states["19"][: options.cubes]  # most of the time
    for name in names:
        memory = body_bytes(catalog.tables()[name].header) / 1e6
        print(f"{name}, {memory:,.0f} MB")
        solver, peers = opening(name), _peers(options.peers, memory, workers)
        turns: list[Callable[[str], tuple[int, float]]] = [functools.partial(_solve, solver, workers=workers)]
        turns += [peer.solve for peer in peers]
        for title, algs in groups.items():
            seconds: list[list[float]] = [[] for _ in turns]
            for turn, alg in enumerate(algs):
                depths = set()
                # The first one may find other things in the caches.
                for each in np.roll(range(len(turns)), turn).tolist():
                    depth, took = turns[each](alg)
                    depths.add(depth)
                    seconds[each].append(took)
                if len(depths) > 1:
                    raise SystemExit(f"the solvers find different depths of {alg}: {sorted(depths)}")
            ours = seconds[0]
            row(f"{len(algs)} cubes {title}", f"{statistics.mean(ours):.2f} s", f"+- {_standard_error(ours):.2f}")
            for peer, theirs in zip(peers, seconds[1:], strict=True):
                ratio = f"+- {_standard_error(theirs):.2f}; ours: {sum(ours) / sum(theirs):.2f} of its time"
                row(f"  {peer.name}", f"{statistics.mean(theirs):.2f} s", ratio)
            if statistics.mean(ours) > options.patience:
                break
        for peer in peers:
            peer.close()
        print()


def _mean_of_random_cubes(found: list[Measured]) -> tuple[float, float]:
    """Return the mean in the true mix of depths, as far as they were measured, and its uncertainty."""
    weights = [WEIGHTS[each.depth] for each in found]
    mean = sum(weight * each.mean for weight, each in zip(weights, found, strict=True)) / sum(weights)
    error = sum((weight * each.error) ** 2 for weight, each in zip(weights, found, strict=True)) ** 0.5 / sum(weights)
    return mean, error


def _of_random_cubes(found: list[Measured]) -> tuple[str, str]:
    """Return the same as text."""
    mean, error = _mean_of_random_cubes(found)
    share = 100 * sum(WEIGHTS[each.depth] for each in found) / sum(WEIGHTS.values())
    return f"{mean:.1f} s", f"+- {error:.1f} s; {share:.0f} % of random cubes have at most {found[-1].depth} moves"


def _standard_error(seconds: list[float]) -> float:
    return statistics.stdev(seconds) / math.sqrt(len(seconds))


def _solve(solver: OptimalSolver, scramble: str, workers: int | None, depth: int | None = None) -> tuple[int, float]:
    """Return the depth of a cube, which may be known, and the seconds that it takes."""
    cube = RubikCube.from_alg(scramble)
    started = time.perf_counter()
    alg = first_alg(solver, cube, workers=workers)
    seconds = time.perf_counter() - started
    if depth not in {None, len(alg)} or not cube.apply(alg).is_solved:
        raise SystemExit(f"{' '.join(alg)} is no solution of {scramble} in {depth} moves")
    return len(alg), seconds


def writing(found: list[Measured], folder: Path) -> None:
    """Write a table and a picture of all measurements."""
    lines = [
        "What `python scripts/bench_rubik.py --write` measured, with a thread for each processor.",
        "",
        "```text",
        machine_text(),
        "```",
        "",
        "| table | moves | cubes | seconds, mean | largest | cubes looked at, each | entries looked up, each |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    figure, axes = plt.subplots(figsize=(7.5, 3.6), layout="constrained")
    for level in dict.fromkeys(each.level for each in found):
        rows = [each for each in found if each.level == level]
        (line,) = axes.plot([each.depth for each in rows], [each.mean for each in rows], label=level)
        for each in rows:
            count = len(each.seconds)
            looked = " | ".join(f"{total / count / 1e6:.1f} M" for total in (each.nodes, each.probes))
            mean = f"{each.mean:.2f} +- {each.error:.2f}"
            lines.append(f"| {level} | {each.depth} | {count} | {mean} | {max(each.seconds):.2f} | {looked} |")
            axes.plot([each.depth] * count, each.seconds, ".", color=line.get_color(), alpha=0.4)
        lines.append(f"| {level} | random | | {' '.join(_of_random_cubes(rows))} | | | |")
    axes.set(yscale="log", xlabel="moves", ylabel="seconds", xticks=sorted({each.depth for each in found}))
    figure.legend(loc="outside right upper", frameon=False)
    (folder / "results.md").write_text("\n".join(lines) + "\n")
    (folder / "results.svg").write_text(document(figure))


def bounds(solver: OptimalSolver, facelets: NDArray[np.uint8]) -> None:
    """Measure arrays of random cubes, read and looked up, in one thread and in all."""
    for workers, how in ((1, "one thread"), (None, "all")):
        seconds = math.inf
        for _ in range(3):
            started = time.perf_counter()
            solver.bounds_of(read_cubes(facelets, workers).pairs, workers)
            seconds = min(seconds, time.perf_counter() - started)
        row(f"{len(facelets):,} cubes, bounds from facelets, {how}", f"{len(facelets) / seconds / 1e6:.1f} M/s")


@kernel()
def read_lines(table: Read1[np.uint8], seed: int, lines: int, batch: Array1[np.int64]) -> int:
    """Read a byte of each of some random cache lines, a batch of them together; return the sum."""
    state, total = np.uint64(2 * seed + 1), 0
    for _ in range(0, lines, len(batch)):
        for i in range(len(batch)):
            state ^= state << np.uint64(13)
            state ^= state >> np.uint64(7)
            state ^= state << np.uint64(17)
            batch[i] = (np.int64(state >> np.uint64(33)) * (len(table) >> 6) >> 31) << 6
            prefetch(table, batch[i])
        for i in range(len(batch)):
            total += table[batch[i]]
    return total


def reading(solver: OptimalSolver, options: argparse.Namespace) -> None:
    """Measure how fast the memory of a table is read, line by line at random, and by the search, in as many threads."""
    table, workers = solver.database.table, options.workers or os.cpu_count() or 1
    int(table[::4096].max())  # every page is there

    def read(seed: int) -> int:
        return read_lines(table, seed, LINES, np.empty(BATCH, np.int64))

    read(0)
    measured = list[tuple[float, float, float]]()
    for scramble in STATES["states_by_depth"]["17"][: options.cubes]:
        started = time.perf_counter()
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(read, range(workers)))
        lines = workers * LINES / (time.perf_counter() - started)
        nodes, probes = solver.nodes, solver.probes
        seconds = _solve(solver, scramble, options.workers, 17)[1]
        measured.append((lines, (solver.nodes - nodes) / seconds, (solver.probes - probes) / seconds))
    lines, cubes, entries = map(statistics.median, zip(*measured, strict=True))
    row("random cache lines read", f"{lines / 1e6:.1f} M/s")
    _rates(cubes, entries, 1)
    row("entries, of the lines", f"{entries / lines:.2f}")


def rates(solver: OptimalSolver, seconds: float) -> None:
    """Measure the nodes in a given time, if whole cubes would take too long."""
    nodes, probes = solver.nodes, solver.probes
    rng = random.Random(SEED)
    deadline = Deadline(seconds)
    with contextlib.suppress(SearchLimitError):
        while True:
            first_alg(solver, random_cube(rng), deadline)
    _rates(solver.nodes - nodes, solver.probes - probes, deadline.elapsed)


def _rates(nodes: float, probes: float, seconds: float) -> None:
    row("cubes looked at", f"{nodes / seconds / 1e6:.1f} M/s")
    row("entries looked up", f"{probes / seconds / 1e6:.1f} M/s")


def peer() -> None:
    """Measure RubikOptimal, if it can be run."""
    if not Path(PEER_TABLE).exists():
        print(f"RubikOptimal is not compared: no {PEER_TABLE} in this folder")
        return
    try:
        solve = importlib.import_module("optimal.solver").solve
    except ImportError as error:
        print(f"RubikOptimal is not compared: {error}")
        return
    rng = random.Random(SEED)
    cube = RubikCube.from_alg(format_alg(rng.choices(metric_moves("htm", FACES), k=PEER_MOVES)))
    times = []
    for ask in (open_tablebase().solve, solve):
        started = time.perf_counter()
        ask(cube.facelets)
        times.append(time.perf_counter() - started)
    row(f"{PEER_MOVES} random moves, RubikOptimal", f"{times[1]:.1f} s", f"{times[1] / times[0]:,.0f} times ours")


def main() -> None:
    """Measure according to the arguments."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="TABLE", help="tables to measure; by default all that are built")
    parser.add_argument("--cubes", type=int, default=10, help="how many cubes of each depth to solve, 2 to 20")
    parser.add_argument(
        "--patience", type=float, default=4, help="mean seconds of a depth after which deeper cubes are left out"
    )
    parser.add_argument("--workers", type=int, metavar="N", help="threads; by default one for each processor")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write results.md and results.svg there, too")
    parser.add_argument("--bounds", action="store_true", help="only arrays of bounds, and no searches")
    parser.add_argument(
        "--reads", action="store_true", help="only how fast the memory is read at random, and by searches for 17 moves"
    )
    parser.add_argument(
        "--in-turns", metavar="DEPTH...", help="only cubes of these depths, each with all tables: 17,18"
    )
    parser.add_argument(
        "--peers", type=Path, metavar="FOLDER", help="only compare by turns with the peers whose repositories are there"
    )
    parser.add_argument("--random", type=int, default=20, help="how many random cubes to solve beside peers, 2 or more")
    parser.add_argument("--no-build", action="store_true", help="do not build and verify the tables anew")
    options = parser.parse_args()
    machine()
    names = tables(options.names)
    if options.in_turns:
        in_turns(names, options)
        return
    if options.peers:
        beside_peers(names, options)
        return
    if not options.no_build:
        for name in names:  # before any is opened: the memory of a new process includes that of its parent
            building(name)
        print()
    rng = random.Random(SEED)
    facelets = np.array([list(random_cube(rng).facelets.encode()) for _ in range(CUBES)], np.uint8)
    measured: list[Measured] = []
    for name, huge in itertools.product(names, (False, True)):
        os.environ[HUGE_PAGES_VARIABLE] = str(int(huge))
        level = f"{name}, {body_bytes(catalog.tables()[name].header) / 1e6:,.0f} MB{', huge pages' if huge else ''}"
        level += f", threads: {options.workers}" if options.workers else ""
        print(level)
        solver = opening(name)
        if options.reads:
            reading(solver, options)
            continue
        bounds(solver, facelets)
        if options.bounds:
            continue
        if catalog.tables()[name].header.metric == "htm":
            measured += solving(solver, level, options)
        else:
            rates(solver, 20)
        if options.write and measured:
            writing(measured, options.write)
        print()
    peer()


if __name__ == "__main__":
    main()
