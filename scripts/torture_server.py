"""Try to stop a server, and print the response times of its health endpoint meanwhile.

A server is started here, on 127.0.0.1, and no other host is contacted. Each attempt is bounded in number and time. Run
it as `python scripts/torture_server.py --seconds 600`, with another `--seed` for other attempts. The status is 1 if a
guarantee of docs/security.md was broken: an answer that is not JSON or reports an internal error, a question of another
site that was answered, a health request that was not answered, or a search that was not answered afterwards.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import multiprocessing
import random
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

ADDRESS = "127.0.0.1"
OPTIONS = ("--timeout", "2", "--searches", "2", "--waiting", "4")
WAIT = 30.0  # seconds for an answer
LATE = 0.2  # seconds for a health request
EVERY = 0.02  # seconds between two health requests
AT_ONCE = 16
HANG_UPS = 2_000
FAR = {"puzzle": "tiles-3x4", "state": "11 10 9 8 7 6 5 4 2 3 1 0"}  # 44 moves, which are in no table
SUPERFLIP = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"
EASY = {"puzzle": "rubik", "format": "alg", "state": "R U F"}
RUBIK = {"puzzle": "rubik", "format": "alg"}

Head = Mapping[str, str]


def expect(promise: bool, what: str) -> None:
    """Report a broken guarantee."""
    if not promise:
        raise AssertionError(what)


class Client:
    """A client that sends valid and invalid requests."""

    def __init__(self, port: int) -> None:
        self.port = port

    def connect(self) -> socket.socket:
        """Open a connection."""
        return socket.create_connection((ADDRESS, self.port), WAIT)

    def send(self, method: str, path: str, body: bytes = b"", **head: str) -> tuple[int, Any]:
        """Return the status and the content of an answer, which must be JSON and not an internal error."""
        connection = http.client.HTTPConnection(ADDRESS, self.port, timeout=WAIT)
        with contextlib.closing(connection):
            named = {name.replace("_", "-"): value for name, value in head.items()}
            connection.request(method, path, body or None, {"content-type": "application/json", **named})
            response = connection.getresponse()
            content = json.loads(response.read())
        expect(response.status != 500, f"{path} {body[:100]!r}: 500")
        expect(response.status in {200, 201} or "error" in content, f"{path}: {content}")
        return response.status, content

    def ask(self, kind: str, said: Mapping[str, Any]) -> int:
        """Return the status of the answer to a question."""
        return self.send("POST", f"/api/{kind}", json.dumps(said).encode())[0]

    def raw(self, parts: Iterable[bytes], pause: float = 0.0) -> bytes:
        """Return the response to parts that are sent one by one, until the connection ends."""
        got = b""
        with self.connect() as connection, contextlib.suppress(OSError):
            for part in parts:
                connection.sendall(part)
                time.sleep(pause)
            connection.shutdown(socket.SHUT_WR)
            while piece := connection.recv(1 << 16):
                got += piece
        return got


def at_once(tasks: Iterable[Callable[[], Any]]) -> list[Any]:
    """Return the results of tasks in several threads."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return [each.result() for each in [pool.submit(task) for task in tasks]]


def head(method: str, path: str, **more: object) -> bytes:
    """Return the head of a request."""
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", "Content-Type: application/json"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in more.items()]
    return "\r\n".join([*lines, "", ""]).encode()


# -- Attempts ----------------------------------------------------------------------------------------------------------


def algs(rng: random.Random, client: Client) -> int:
    """Short texts that stand for very many moves, in every field."""
    count = rng.choice([9, 99, 999, 99_999])
    long = rng.choice([f"((R U){count}){count}", "(" * 900 + f"R){count}" * 900, "[" * 600 + "R" + ",U]" * 600])
    cases = [
        (kind, {"puzzle": name, "format": form, "state": "R"} | {field: long})
        for kind in ("depth", "solve", "moves", "play", "show")
        for name, form in (("skewb", "alg"), ("skewb", "any"), ("pocket", "alg"), ("rubik", "alg"))
        for field in (("state", "target") if kind in {"depth", "solve", "moves"} else ("state",))
    ]
    cases += [("depth", {"puzzle": "skewb", "state": "R", field: long}) for field in ("moves", "cost", "goal")]
    at_once(lambda case=case: client.ask(*case) for case in rng.sample(cases, 20))  # type: ignore[misc]
    return 20


def searches(rng: random.Random, client: Client) -> int:
    """More long searches at once than are answered; then an easy one."""
    asked = [FAR, {**RUBIK, "state": SUPERFLIP}, {**RUBIK, "state": SUPERFLIP, "moves": "U R F D L B"}]
    found = at_once(lambda: client.ask("solve", rng.choice(asked)) for _ in range(AT_ONCE))
    expect(set(found) <= {503, 504}, f"searches that do not end: {set(found)}")
    return AT_ONCE


def practice(rng: random.Random, client: Client) -> int:
    """Analyses, trainers and algs that take long, are meaningless, or stand for many moves; and sheets."""
    many = rng.choice(["((R U)99)99", "R " * 900, "(" * 900 + "R"])
    cases: list[tuple[str, dict[str, Any]]] = [
        ("analyse", {"puzzle": "rubik", "scramble": SUPERFLIP, "solution": SUPERFLIP, "steps": "cross,f2l,oll,pll"}),
        ("analyse", {"puzzle": "rubik", "scramble": SUPERFLIP, "steps": "eo,dr,htr,solved", "slack": 2}),
        ("analyse", {"puzzle": "fto", "scramble": "R U L D", "steps": "f2t,solved", "share": 60}),
        ("analyse", {"puzzle": "pocket", "scramble": many, "solution": many, "steps": "first-layer," * 300}),
        ("analyse", {"puzzle": "7x7x7", "scramble": "3Rw U2 F' 2B", "solution": "R" * 100}),
        ("train", {"puzzle": "rubik", "step": "x-cross", "depth": rng.randrange(12)}),
        ("train", {"puzzle": "rubik", "step": "roux-blocks", "solved": "cross", "depth": 1}),
        ("train", {"puzzle": "fto", "solved": rng.choice(["fc", "f2t", "edges"])}),
        ("train", {"puzzle": "rubik", "step": "|".join(["cross"] * 200), "depth": 1}),
        ("train", {"puzzle": "rubik", "case": f"ll:{rng.randrange(5_000)}"}),
        ("cases", {"puzzle": "rubik", "set": "ll", "offset": rng.randrange(5_000)}),
        ("algs", {"puzzle": "rubik", "case": "zbll:7", "moves": "U D L R F B Uw Rw Fw M E S", "slack": 2}),
        ("algs", {"puzzle": "pyraminx", "case": "l3e:5", "number": 20, "slack": 2}),
        ("event", {"event": rng.choice(["777", "sq1", "fto", "333fm"]), "number": 20}),
    ]
    at_once(lambda case=case: client.ask(*case) for case in cases)  # type: ignore[misc]
    with client.connect() as connection:
        connection.sendall(head("GET", "/api/sheet?event=777&number=20"))
    for query in ("event=333x", "event=333&seed=" + "9" * 900, "event=333&number=-1", "event[]=333", "%ff=%00"):
        expect(client.send("GET", f"/api/sheet?{query}")[0] == 422, f"{query[:50]!r} was answered")
    return len(cases) + 6


def gone(rng: random.Random, client: Client) -> int:
    """Clients that disconnect during a search."""
    body = json.dumps({**RUBIK, "state": SUPERFLIP}).encode()
    for _ in range(10):
        with client.connect() as connection:
            connection.sendall(head("POST", "/api/solve", Content_Length=len(body)) + body)
            time.sleep(0.1 * rng.random())
    return 10


def hang_ups(rng: random.Random, client: Client) -> int:
    """Clients that begin searches and disconnect together, 2 to 8 at once."""
    body = json.dumps({**RUBIK, "state": SUPERFLIP}).encode()
    cases = 0
    while cases < HANG_UPS:
        connections = [client.connect() for _ in range(rng.randint(2, 8))]
        for connection in connections:
            path = rng.choice(["/api/improve", "/api/solve"])
            connection.sendall(head("POST", path, Content_Length=len(body)) + body)
        time.sleep(rng.choice([0.0, 0.002, 0.05]) * rng.random())
        for connection in connections:
            connection.close()
        cases += len(connections)
    deadline = time.monotonic() + WAIT
    while (health := client.send("GET", "/api/health")[1])["searches"] or health["busy"]:
        expect(time.monotonic() < deadline, f"searches that nobody waits for: {health}")
        time.sleep(0.05)
    expect((health["status"], health["lost"]) == ("ok", 0), f"lost worker processes: {health}")
    return cases


def values(rng: random.Random, client: Client) -> int:
    """JSON with many values, deeply nested, or meaningless."""
    bodies = [
        b"[" * 60_000,
        b"[" + b"[]," * 20_000 + b"1]",
        b'{"state":' * 5_000,
        json.dumps({f"{number}": number for number in range(4_000)}).encode(),
        json.dumps({"state": ["R"] * 9_000}).encode(),
        json.dumps({"state": "R", "timeout": 10**300}).encode(),
        json.dumps({"state": "\0\x1b[31m\ud800"}).encode(),
        b'{"state": NaN, "seed": 1' + b"0" * 5_000 + b"}",
        rng.randbytes(rng.randrange(1, 60_000)),
    ]
    for body in bodies:
        for path in ("/api/depth", "/api/puzzles"):
            expect(client.send("POST", path, body)[0] in {400, 404, 413, 422}, f"{body[:50]!r} was answered")
    return 2 * len(bodies)


def definitions(rng: random.Random, client: Client) -> int:
    """Definitions that are large or meaningless; and questions about valid ones."""
    size = rng.choice([5, 60, 250])
    ring = ",".join(map(str, range(1, size + 1)))
    texts = [
        f"A := ({ring}); B := (1,2);",
        f"A := ({ring}); " + " ".join(f"B{number} := (1,{number});" for number in range(2, size)),
        "A := (1,2,3);" * 7_000,
        "(" * 99_000,
        "Name x\nSet A 99999 99\nSolved\nEnd\n" + "Move T\nA 1\nEnd\n" * 5_000,
        '{"name":"x","orbits":[' + "[" * 50_000,
    ]
    for text in texts:
        said = {"name": rng.choice(["", "my.gap", "../../etc/passwd", "x.tws"]), "text": text[:99_999]}
        status, content = client.send("POST", "/api/puzzles", json.dumps(said).encode())
        expect(status in {201, 422, 503, 504}, f"{text[:50]!r}: {status}")
        if status == 201:
            client.ask("depth", {"puzzle": content["name"], "state": "(A B)400", "target": "(B A)400"})
    return len(texts)


def idle(rng: random.Random, client: Client) -> int:
    """Connections that send a part of a request, or no data."""
    parts = [b"", b"GET / HT", head("GET", "/")[:-2], head("POST", "/api/depth", Content_Length=9) + b"{"]
    with contextlib.ExitStack() as open_ones, contextlib.suppress(ConnectionError):
        for _ in range(300):
            open_ones.enter_context(client.connect()).sendall(rng.choice(parts))
    return 300


def heads(rng: random.Random, client: Client) -> int:
    """Headers that are huge, many, or none."""
    many = [(f"X-{number}", "a") for number in range(2_000)]
    requests = [
        head("GET", "/api/health", X="a" * (1 << 20)),
        head("GET", "/" + "a" * (1 << 18)),
        head("GET", "/api/health", **dict(many)),
        b"\r\n" * 5_000 + head("GET", "/api/health"),
        rng.randbytes(5_000),
        head("POST", "/api/depth", Content_Length="-1"),
        head("POST", "/api/depth", Content_Length="1" * 50),
        head("GET", "/api/health", Upgrade="websocket", Connection="Upgrade"),
    ]
    for request in requests:
        got = client.raw([request])
        expect(got == b"" or got.startswith(b"HTTP/1.1 "), f"{request[:50]!r}: {got[:50]!r}")
        expect(b" 500 " not in got[:20], f"{request[:50]!r}: 500")
    return len(requests)


def bodies(rng: random.Random, client: Client) -> int:
    """Bodies that come slowly, in thousands of pieces, that end early, or are too large."""
    chunked = head("POST", "/api/depth", Transfer_Encoding="chunked")
    slow = [head("POST", "/api/depth", Content_Length=50), *[b" "] * 10]
    requests = [
        (slow, 0.05 * rng.random()),
        ([chunked, b"1\r\n \r\n" * 40_000], 0.0),
        ([head("POST", "/api/depth", Content_Length=1 << 40), b" " * (1 << 20)], 0.0),
        ([head("POST", "/api/depth", Content_Length=60_000), b" " * 100], 0.0),
        ([head("POST", "/api/depth", Content_Length=2, Expect="100-continue")], 0.0),
    ]
    at_once(lambda parts=parts, pause=pause: client.raw(parts, pause) for parts, pause in requests)  # type: ignore[misc]
    return len(requests)


def pipelines(rng: random.Random, client: Client) -> int:
    """Hundreds of requests in a packet, by clients that do not read the answers."""
    path = rng.choice(["/page.js", "/api/openapi.json", "/api/health"])
    with contextlib.ExitStack() as open_ones, contextlib.suppress(OSError):
        for _ in range(3):
            connection = open_ones.enter_context(client.connect())
            connection.settimeout(0.2)
            connection.sendall(head("GET", path) * 300)
    return 900


def names(rng: random.Random, client: Client) -> int:
    """Hosts and origins of other sites."""
    hosts = ["evil.example", f"localhost.{rng.random()}.example", "", "a b", "[::1", "127.0.0.1.evil.example", "\xe9"]
    origins = ["http://evil.example", "null", f"http://{ADDRESS}:1", f"https://{ADDRESS}:{client.port}", "file://"]
    for host in hosts:
        expect(client.send("GET", "/api/health", host=host)[0] == 400, f"Host {host!r} was answered")
    for origin in origins:
        expect(client.send("GET", "/api/health", origin=origin)[0] == 403, f"Origin {origin!r} was answered")
    for site in ("cross-site", "same-site"):
        expect(client.send("GET", "/api/health", sec_fetch_site=site)[0] == 403, f"{site} was answered")
    return len(hosts) + len(origins) + 2


ATTEMPTS = (algs, searches, practice, gone, hang_ups, values, definitions, idle, heads, bodies, pipelines, names)


# -- Health ------------------------------------------------------------------------------------------------------------


class Probe:
    """Requests the server's health repeatedly, in a process of its own."""

    def __init__(self, port: int) -> None:
        spawning = multiprocessing.get_context("spawn")
        self.times = spawning.Value("d", 0.0)
        self.late, self.missed, self.asked = (spawning.Value("i", 0) for _ in range(3))
        self._process = spawning.Process(
            target=probe, args=(port, self.times, self.late, self.missed, self.asked), daemon=True
        )
        self._process.start()
        while not self.asked.value:
            time.sleep(EVERY)

    def taken(self) -> tuple[float, int, int]:
        """Return the slowest answer since the last call, the number of late ones, and that of failed ones."""
        found = self.times.value, self.late.value, self.missed.value
        self.times.value, self.late.value, self.missed.value = 0.0, 0, 0
        return found

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()


def probe(port: int, slowest: Any, late: Any, missed: Any, asked: Any) -> None:
    """Send a request on a new connection each time."""
    while True:
        began = time.perf_counter()
        try:
            status = Client(port).send("GET", "/api/health")[0]
        except (OSError, http.client.HTTPException, ValueError, AssertionError):
            status = 0
        took = time.perf_counter() - began
        slowest.value = max(slowest.value, took)
        late.value += took > LATE
        missed.value += status != 200
        asked.value += 1
        time.sleep(EVERY)


class Row(NamedTuple):
    """The row of an attempt in the output."""

    cases: int = 0
    broken: int = 0
    slowest: float = 0.0
    late: int = 0


@contextlib.contextmanager
def server() -> Iterator[int]:
    """Return the port of a server."""
    command = [sys.executable, "-m", "cubesolve", "serve", "--port", "0", *OPTIONS]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert process.stderr is not None
    try:
        said = list[str]()
        for line in process.stderr:
            if line.startswith("cubesolve: http"):
                break
            said.append(line)
        else:
            raise SystemExit(f"the server did not start:\n{''.join(said)}".rstrip())
        address = line.split()[1]
        errors = list[str]()
        reading = threading.Thread(
            target=lambda: errors.extend(each for each in process.stderr or () if "Trace" in each)
        )
        reading.start()
        yield int(address.rstrip("/").rpartition(":")[2])
        expect(process.poll() is None, "the server ended")
    finally:
        process.terminate()
        process.wait(WAIT)
    reading.join()
    expect(not errors, f"{len(errors)} tracebacks in the server's log")


def attempt(tried: Callable[[random.Random, Client], int], rng: random.Random, client: Client, health: Probe) -> Row:
    """Run an attempt, and check that the server works as before."""
    health.taken()
    cases, broken = 0, 0
    try:
        cases = tried(rng, client)
        deadline = time.monotonic() + WAIT
        while (status := client.ask("depth", EASY)) in {503, 504} and time.monotonic() < deadline:
            time.sleep(0.2)
        expect(status == 200, f"an easy search got {status}")
        slowest, late, missed = health.taken()
        expect(not missed, f"{missed} times there was no health")
    except (AssertionError, OSError, http.client.HTTPException, ValueError) as error:
        print(f"{tried.__name__}: {type(error).__name__}: {error}", file=sys.stderr)
        broken, (slowest, late, _) = 1, health.taken()
    return Row(cases, broken, slowest, late)


def torture(seconds: float, seed: int) -> bool:
    """Run all attempts repeatedly, print a table, and return whether no guarantee was broken."""
    rows = {tried: Row() for tried in ATTEMPTS}
    end, rng = time.monotonic() + seconds, random.Random(seed)
    with server() as port:
        health = Probe(port)
        try:
            while True:
                for tried, row in rows.items():
                    new = attempt(tried, rng, Client(port), health)
                    rows[tried] = Row(
                        row.cases + new.cases,
                        row.broken + new.broken,
                        max(row.slowest, new.slowest),
                        row.late + new.late,
                    )
                if time.monotonic() > end:
                    break
        finally:
            health.close()
    print(f"{'attempt':<12} {'cases':>8}  {'broken':>6}  {'health: slowest':>15}  {'> 200 ms':>8}  description")
    for tried, row in rows.items():
        slowest = f"{1000 * row.slowest:.0f} ms"
        print(f"{tried.__name__:<12} {row.cases:>8,}  {row.broken:>6}  {slowest:>15}  {row.late:>8}  {tried.__doc__}")
    print(f"{health.asked.value:,} health requests; seed {seed}")
    return not any(row.broken for row in rows.values())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--seconds", type=float, default=60, help="attempts are repeated that long, and made once anyway"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the random choices")
    arguments = parser.parse_args()
    sys.exit(not torture(arguments.seconds, arguments.seed))
