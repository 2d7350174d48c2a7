"""Measure the server: table queries of many clients at once, and their delay by four searches.

A server is started here; every answer is compared with that of `cubesolve.lookup`. The clients and the four searches
share the processors with the server, which answers faster without them. The searches need a pattern database of the
3x3x3; if there is none, the smallest is built in a temporary folder.

    python scripts/bench_serve.py --seconds 60
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

import aiohttp

from cubesolve import catalog, puzzle
from cubesolve.ask import Puzzle
from cubesolve.store.folders import FOLDER_VARIABLE
from cubesolve.store.tables import Tables

CLIENTS, RATE, SEARCHES = 50, 500, 4
PUZZLES = ("pocket", "skewb", "pyraminx")
SUPERFLIP = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"  # twenty moves, so that no search ends soon
CASES = 2_000

Case = tuple[str, dict[str, str], object]


def cases(rng: random.Random) -> list[Case]:
    """Return questions and their answers."""
    found: list[Case] = []
    for number in range(CASES):
        named = puzzle(PUZZLES[number % len(PUZZLES)])
        state = named.random_state(rng)
        asked = {"puzzle": named.name, "state": str(state)}
        found.append(_case(named, asked, state, ("depth", "solve", "moves")[number // len(PUZZLES) % 3]))
    return found


def _case(named: Puzzle, asked: dict[str, str], state: object, kind: str) -> Case:
    if kind == "depth":
        return kind, asked, named.depth(state)
    return kind, asked, named.solve(state) if kind == "solve" else named.optimal_moves(state)


@contextlib.contextmanager
def pattern_database() -> Iterator[dict[str, str]]:
    """Return an environment with a pattern database of the 3x3x3; a missing one is built."""
    databases = [entry for entry in catalog.rules_named("rubik").tables() if entry.label is not None]
    if any(map(Tables(None).has, databases)):
        yield {**os.environ}
        return
    name = databases[0].name
    with tempfile.TemporaryDirectory() as folder:
        print(f"no pattern database of the 3x3x3 found: {name} is built in a temporary folder", flush=True)
        environment = {**os.environ, FOLDER_VARIABLE: folder}
        command = [sys.executable, "-m", "cubesolve", "tables", "build", name]
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
        yield environment


@contextlib.contextmanager
def server(environment: dict[str, str] | None = None) -> Iterator[str]:
    """Return the address of a server."""
    command = [sys.executable, "-m", "cubesolve", "serve", "--port", "0", "--timeout", "600"]
    command += ["--searches", str(SEARCHES)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=environment)
    assert process.stderr is not None
    try:
        address = next(line.split()[1] for line in process.stderr if line.startswith("cubesolve: http"))
        drain = asyncio.get_running_loop().run_in_executor(None, process.stderr.read)
        yield address
    finally:
        process.terminate()
        process.wait()
        drain.cancel()


class Client:
    """A client that compares the answers."""

    def __init__(self, session: aiohttp.ClientSession, known: list[Case]) -> None:
        self.session, self.known = session, known
        self.times: list[float] = []
        self.wrong = 0

    async def ask(self, rng: random.Random) -> None:
        """Send one of the questions."""
        kind, asked, expected = rng.choice(self.known)
        began = time.perf_counter()
        async with self.session.post(f"/api/{kind}", json=asked) as answer:
            content = await answer.json()
        self.times.append(time.perf_counter() - began)
        field = "solution" if kind == "solve" else kind
        self.wrong += answer.status != 200 or content[field] != expected

    async def keep_asking(self, seconds: float, every: float, seed: int) -> None:
        """Send questions at a constant rate, even if answers are late."""
        rng = random.Random(seed)
        due = time.perf_counter() + every * rng.random()
        end = time.perf_counter() + seconds
        while max(due, time.perf_counter()) < end:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            await self.ask(rng)
            due += every

    def statistics(self) -> str:
        """Return statistics of the times in milliseconds."""
        times = sorted(self.times)
        shown = (f"{1000 * times[int(share * (len(times) - 1))]:7.1f}" for share in (0.5, 0.99, 1))
        return f"{len(times):>8,}  {self.wrong:>5}  {'  '.join(shown)}"


async def measure(seconds: float) -> None:
    """Print a table."""
    known = cases(random.Random(1))
    with pattern_database() as environment, server(environment) as address:
        async with aiohttp.ClientSession(address, connector=aiohttp.TCPConnector(limit=0)) as session:
            await Client(session, known).ask(random.Random(1))
            print(f"{'':44}  {'sent/s':>7}  {'answers':>8}  {'wrong':>5}  {'ms: 50%':>7}  {'99%':>7}  {'all':>7}")

            async def run(what: str, clients: int, rate: float) -> None:
                client, began = Client(session, known), time.perf_counter()
                await asyncio.gather(*(client.keep_asking(seconds, clients / rate, seed) for seed in range(clients)))
                shown = len(client.times) / (time.perf_counter() - began)
                print(f"{what:44}  {shown:7.0f}  {client.statistics()}", flush=True)

            await run(f"{CLIENTS} clients", CLIENTS, RATE)
            await run("one client", 1, 50)
            asked = {"puzzle": "rubik", "format": "alg", "state": SUPERFLIP}
            searches = [asyncio.ensure_future(session.post("/api/solve", json=asked)) for _ in range(SEARCHES)]
            while (await _health(session))["running"] < SEARCHES:
                await asyncio.sleep(0.1)
            await run(f"one client while {SEARCHES} 3x3x3 are solved", 1, 50)
            await run(f"{CLIENTS} clients while {SEARCHES} 3x3x3 are solved", CLIENTS, RATE)
            print(f"{(await _health(session))['running']} searches were under way all the time")
            for search in searches:
                search.cancel()
            await run(f"{CLIENTS} clients, as many as they can", CLIENTS, 1e6)


async def _health(session: aiohttp.ClientSession) -> dict[str, Any]:
    async with session.get("/api/health") as answer:
        found: dict[str, Any] = await answer.json()
        return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60, help="how long each row is measured")
    asyncio.run(measure(parser.parse_args().seconds))
