"""The JSON interface: answers, errors, limits, and who may ask."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error, positive_data_acceptance

import cubesolve
from cubesolve import catalog, lookup
from cubesolve.cli import main
from cubesolve.errors import MissingTableError
from cubesolve.practice.analysis import analyse
from cubesolve.practice.events import EVENTS, scrambles, sheet_of
from cubesolve.practice.trainers import case_scrambles, step_scrambles
from cubesolve.web import answers, guard, models, problems, serving
from cubesolve.web.served import ChosenPuzzle, Served
from tests.facts import DATA
from tests.subsets import later
from tests.web.conftest import RING, Client, asking, received, running

# A random state, for which every search takes hours.
FAR = {"puzzle": "24-puzzle", "state": "11 21 5 22 24 6 23 14 17 10 12 18 1 8 2 7 13 20 0 15 4 9 3 19 16"}
WRONG = "UUUU DRRR FFFF RDDD LLLL BBBB"


@pytest.mark.parametrize("name", ["pocket", "floppy", later("skewb"), later("pyraminx")])
def test_questions_of_a_table_are_answered_as_by_lookup(client: Client, name: str) -> None:
    puzzle, rng = cubesolve.puzzle(name), random.Random(7)
    for _ in range(5):
        state = puzzle.random_state(rng)
        said = {"puzzle": name, "state": str(state)}
        depth, alg = puzzle.depth(state), puzzle.solve(state)
        about = {"metric": "htm"}
        assert client.ask("depth", **said).content == about | {"depth": depth}
        assert client.ask("solve", **said).content == about | {"moves": depth, "solution": alg}
        assert client.ask("moves", **said).content == about | {"moves": puzzle.optimal_moves(state)}
        assert client.ask("solve", **said, count=True).content == about | {"count": puzzle.count_solutions(state)}
        assert client.ask("solve", **said, all=True).content["solutions"] == list(puzzle.solutions(state))
        steps = client.ask("play", **said, alg=alg).content["steps"]
        assert [step["move"] for step in steps] == [None, *alg.split()]
        assert [step["solved"] for step in steps] == [False] * depth + [True]
        left = [client.ask("depth", puzzle=name, state=step["state"]).content["depth"] for step in steps]
        assert left == list(range(depth, -1, -1))


@pytest.mark.parametrize("most", [20_000, later(4_200_000)])
def test_every_puzzle_is_described_and_its_solved_state_needs_no_move(client: Client, most: int) -> None:
    listed = client.get("/api/puzzles").content
    assert [each["name"] for each in listed] == [*cubesolve.puzzles(), "ring.gap"]
    for each in listed:
        about = client.get(f"/api/puzzles/{each['name']}").content
        assert about | each == about | {"gods_number": each["gods_number"]}
        if (about["states"] or 0) > most and about["name"] != "rubik":
            continue
        start = {"start": about["solved"]} if about["needs_start"] else {}
        found = client.ask("depth", puzzle=each["name"], state=about["solved"], **start)
        assert (found.status, found.content["depth"]) == (200, 0), each
        moves = [
            client.ask("play", puzzle=each["name"], state=about["solved"], alg=move, **start) for move in about["moves"]
        ]
        assert {len(made.content["steps"]) for made in moves if made.status == 200} == {2}, each


def requests_of(file: str) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield the endpoints and the requests of a file, with what it says of the answers."""
    for line in (DATA / file).read_text().splitlines():
        request, _, answer = line.partition(" => ")
        kind, _, said = request.partition(" ")
        yield kind, json.loads(said), answer


@pytest.mark.parametrize(("kind", "said", "answer"), list(requests_of("answered_requests.txt")))
def test_answers_have_fields(client: Client, kind: str, said: dict[str, Any], answer: str) -> None:
    found, expected = client.ask(kind, **said), json.loads(answer)
    assert found.status == (422 if expected.keys() & {"error", "fault"} else 201 if kind == "puzzles" else 200)
    assert found.content.items() >= expected.items()


def test_random_states_and_scrambles_have_the_depth_asked_for(client: Client) -> None:
    state = client.ask("random", puzzle="rubik", seed=3).content["state"]
    assert cubesolve.puzzle("rubik").random_state(3) == cubesolve.RubikCube(state)
    for name, depth in (("pocket", 9), ("skewb", 3), ("rolling", 30)):
        state = client.ask("random", puzzle=name, depth=depth).content["state"]
        start = {"start": "1,1"} if name == "rolling" else {}
        assert client.ask("depth", puzzle=name, state=state, **start).content["depth"] == depth
    scramble = client.ask("scramble", puzzle="skewb", depth=5, seed=1).content["scramble"]
    assert scramble == cubesolve.puzzle("skewb").scramble(random.Random(1), depth=5)


def test_states_moves_and_algs_are_drawn(client: Client) -> None:
    outline = [[2.3, 0], [3.3, 0], [3.3, 1], [2.3, 1]]
    expected = {"column": 2, "row": 0, "text": "U", "colour": "#ffffff", "outline": outline, "mark": ""}
    assert client.ask("show", state="UUUU RRRR FFFF DDDD LLLL BBBB").content["cells"][0] == expected
    answer = client.ask("motions", puzzle="rolling", start="1,1", state="***/***/***").content
    assert [(motion["move"], motion["parts"]) for motion in answer["motions"]] == [("U", [2]), ("L", [0])]
    assert len(answer["scene"]["parts"]) == 8
    steps = client.ask("play", puzzle="rolling", start="2,1", state="RBW/RWW/EWW", alg="RUU").content["steps"]
    assert cubesolve.Tray(steps[-1]["state"]).pattern == "RBW/RWW/EWW"
    assert [cell["text"] for cell in steps[0]["cells"][:3]] == ["WB", ".", "WB"]
    steps = client.ask("play", state=str(cubesolve.PocketCube.solved()), alg="R U " * 100).content["steps"]
    assert steps[-1]["state"] == str(cubesolve.PocketCube.from_alg("R U " * 100))
    assert {len(step["motion"]["parts"]) for step in steps[1:]} == {4}


def test_a_puzzle_of_ones_own(client: Client) -> None:
    assert client.get("/api/puzzles/ring.gap").content["gods_number"] == 1
    posted = client.ask("puzzles", name="/home/me/my.gap", text="A := (1,2,3); B := (3,4,5);")
    assert (posted.status, posted.content["states"], posted.content["title"]) == (201, 60, "my")
    name = posted.content["name"]
    assert client.get(f"/api/puzzles/{name}").content == posted.content
    assert client.ask("depth", puzzle=name, state="A B A'").content["depth"] == 3
    assert client.ask("depth", puzzle=name, state="A B", moves="A").content["fault"] == "unreachable"
    for number in range(8):  # the oldest are forgotten
        assert client.ask("puzzles", name=f"{number}.gap", text=RING).status == 201
    assert client.ask("depth", puzzle=name, state="A").status == 404
    assert client.ask("depth", puzzle="ring.gap", state="T").content["depth"] == 1


# -- What is wrong -----------------------------------------------------------------------------------------------------


def test_errors_have_the_words_of_the_command_line_and_the_facelets(
    client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, state, form in (
        ("pocket", WRONG, "urfdlb"),
        ("pocket", "R Q", "alg"),
        ("rubik", "U" * 53, "urfdlb"),
        ("skewb", "R Q", "any"),
        ("skewb", "URF URF", "pieces"),
    ):
        main(["depth", "--puzzle", name, "--format", form, state], standalone_mode=False)
        said = capsys.readouterr().err.replace("from_alg, or --format alg", '"format": "alg"')
        answer = client.ask("depth", puzzle=name, format=form, state=state)
        assert (answer.status, f"cubesolve: argument 1: {answer.content['error']}\n") == (422, said)
    wrong = client.ask("depth", state=WRONG).content
    assert {*wrong["facelets"]} < {*client.get("/api/puzzles/pocket").content["facelets"]}


def refused() -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield endpoints and requests that they refuse, with parts of the errors."""
    yield from requests_of("refused_requests.txt")
    yield "depth", {"state": "R" * 5_000}, "state is too long: at most 4,000 characters"
    yield "depth", {"puzzle": "rubik", "format": "alg", "state": "(" * 2_000}, ""
    yield "depth", {"puzzle": "skewb", "state": "{" + '"a":[' * 1_900}, ""
    yield "play", {"state": "", "format": "alg", "alg": "R " * 201}, "alg has 201 moves; at most 200 can be shown"
    yield "analyse", {"scramble": "R", "solution": "R " * 201}, "solution has 201 moves; at most 200 can be analysed"


def test_a_solution_that_is_too_long_is_followed_by_the_error(client: Client) -> None:
    said = {"puzzle": "rubik", "state": "R U F D2 L B", "format": "alg", "max_length": 3}
    with client.connect() as connection:
        body = json.dumps(said)
        head = "POST /api/improve HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json"
        connection.sendall(f"{head}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
        text = b"".join(iter(lambda: connection.recv(1 << 16), b"")).decode()
    last = [line for line in text.splitlines() if line.startswith("{")][-1]
    assert json.loads(last) == {"error": "not solved in 3 moves: at least 6 moves are needed", "at_least": 6}


@pytest.mark.parametrize("puzzle", ["skewb", "pocket", "rubik"])
def test_a_proved_solution_is_one_line(client: Client, puzzle: str) -> None:
    answer = client.ask("improve", puzzle=puzzle, state="R U", format="alg")  # two lines would not be JSON
    assert (answer.content["moves"], answer.content["proved"]) == (2, True)


@pytest.mark.parametrize(("kind", "said", "error"), list(refused()))
def test_errors_speak_of_this_interface(client: Client, kind: str, said: dict[str, Any], error: str) -> None:
    answer = client.ask(kind, **said)
    assert answer.status == (404 if error.startswith("unknown puzzle") else 422)
    assert error in answer.content["error"]
    assert "--" not in answer.content["error"]


LONG = "((R U)999)50"


@pytest.mark.parametrize("name", ["skewb", "pocket", "rubik"])
@pytest.mark.parametrize(
    "said", [{"state": LONG}, {"state": "R " * 1_001}, {"state": "R", "target": LONG}, {"state": "R", "moves": LONG}]
)
def test_an_alg_is_judged_by_its_length_when_expanded(client: Client, name: str, said: dict[str, Any]) -> None:
    for kind in ("depth", "solve", *(("moves", "play", "show") if len(said) == 1 else ())):
        answer = client.ask(kind, puzzle=name, **({} if name == "skewb" else {"format": "alg"}), **said)
        assert answer.status == 422
        assert answer.content["error"].endswith("exceeds the limit of 1,000 moves")


def test_what_is_no_request(client: Client) -> None:
    many = json.dumps({"state": "", **{str(number): number for number in range(4_000)}}).encode()
    for body, status, error in (
        (b"{", 400, "the request is not JSON"),
        (b'{"state": "\xff"}', 400, ""),
        (b"[" * 10_000, 400, "malformed request"),
        (b"[" * 100_000, 413, ""),
        (b"", 422, "the request is missing"),
        (b"[]", 422, "the request must be a JSON object, sent as application/json"),
        (many, 422, "the request has too many values"),
        (b'{"state": "R", "format": "alg"}'.ljust(guard.MOST_BYTES), 200, ""),
        (b'{"state": "R", "format": "alg"}'.ljust(guard.MOST_BYTES + 1), 413, ""),
    ):
        answer = client.send("POST", "/api/depth", body)
        assert answer.status == status
        assert not error or answer.content == {"error": error}
    assert client.send("POST", "/api/depth", b"{}", transfer_encoding="chunked").status == 411
    assert client.send("POST", "/api/depth", b'{"state":"R"}', content_type="text/plain").status == 422
    assert client.send("POST", "/api/puzzles", json.dumps({"text": "x" * 100_001}).encode()).status == 422
    assert client.get("/api/depth")[:2] == (405, {"error": "method not allowed"})
    for path in ("/nosuch", "/api/", "/api/../../pyproject.toml"):
        assert client.get(path)[:2] == (404, {"error": "page not found"})
    assert client.get("/api/puzzles/cubic").status == 404
    assert client.get(f"/api/puzzles/{'a' * 201}")[:2] == (422, {"error": "name is too long: at most 200 characters"})
    with client.connect(b"GET\r\n\r\n") as connection:  # this is not valid HTTP
        assert received(connection).startswith(b"HTTP/1.1 400 ")


def test_the_page_is_there_and_loads_nothing_from_elsewhere(client: Client) -> None:
    document = client.get("/").content
    linked = re.findall(r'(?:src|href)="([^"]*)"', document)
    assert linked == ["data:,", "page.css", "player.js", "modes.js", "page.js"]
    for name, kind in [("page.css", "text/css"), *((name, "text/javascript") for name in linked[2:])]:
        answer = client.get(f"/{name}")
        assert (answer.status, answer.headers["content-type"]) == (200, f"{kind}; charset=utf-8")
        assert "://" not in answer.content.replace("http://www.w3.org/2000/svg", "")
        assert "innerHTML" not in answer.content
    assert "<script>" not in document
    assert "style=" not in document


def test_a_body_must_arrive_in_time(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "_SLOWEST", 0.05)
    head, body = asking(**FAR)
    with client.connect(head + body[:1]) as connection:
        answer = received(connection)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"the request did not arrive within 0.05 s" in answer


def test_requests_are_refused_while_too_many_connections_are_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "_MOST_CONNECTIONS", 3)
    with running() as client:
        with client.connect():
            assert client.get("/api/health").status == 200
            with client.connect():
                assert client.get("/api/health").status == 503
        client.until("requests", 1)


def test_requests_are_counted_and_timed(client: Client) -> None:
    before = client.get("/api/health").content
    client.get("/")
    after = client.get("/api/health").content
    assert after["requests"] == before["requests"] + 2
    assert after["seconds"] >= before["seconds"]
    assert after["slowest"] >= before["slowest"] >= 0
    assert after["refused"] == before["refused"]


def test_who_may_ask(client: Client) -> None:
    for host in ("localhost", f"localhost:{client.port}", "127.0.0.1", "[::1]:80", "LOCALHOST"):
        assert client.get("/api/health", host=host).status == 200
    for host in ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "", "[::1", "a b"):
        assert client.get("/api/health", host=host)[:2] == (400, {"error": "the host is not a name of this server"})
    two = b"GET /api/health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
    with client.connect(two) as connection:
        assert received(connection).startswith(b"HTTP/1.1 400 ")
    for origin in ("http://evil.example", "null", f"https://127.0.0.1:{client.port}", "http://127.0.0.1:1"):
        assert client.get("/api/health", origin=origin).status == 403
    assert client.get("/api/health", sec_fetch_site="cross-site").status == 403
    found = client.get("/api/health", origin=client.address.rstrip("/"), sec_fetch_site="same-origin")
    headers = found.headers
    assert found.status == 200
    assert headers["content-security-policy"].startswith("default-src 'self'")
    assert not headers.keys() & {"access-control-allow-origin", "server"}


def test_no_answer_has_a_path_of_the_machine_or_an_option_of_the_command_line() -> None:
    wrong = ValueError("a goal needs face letters: --colours says which colours are where at home")
    assert problems.message(wrong) == 'a goal needs face letters: "colours" says which colours are where at home'
    missing = MissingTableError("rubik-htm-medium", ["/home/me/tables"], build_in="/home/me/tables", effort="10 s")
    assert problems.message(missing) == "this server does not have the table rubik-htm-medium"
    assert problems.message(cubesolve.CorruptTableError("/home/me/a.zst", "is empty")) == "a.zst: is empty"
    assert problems.problem(missing)[0] == 503


# -- Searches ----------------------------------------------------------------------------------------------------------


def test_a_search_ends_in_time(client: Client) -> None:
    assert client.ask("depth", puzzle="rubik", state="R U", format="alg").status == 200  # one is ready
    answer = client.ask("depth", **FAR, timeout=0.5)
    assert answer.status == 504
    assert answer.content["error"].startswith(("not solved after", "not answered "))
    client.until("searches", 0)


def test_who_goes_away_is_not_searched_for(client: Client) -> None:
    with client.connect(b"".join(asking(**FAR))):
        client.until("searches", 1)
    client.until("searches", 0)


# -- What is asked of whom ---------------------------------------------------------------------------------------------


def test_every_option_of_every_puzzle_can_be_said() -> None:
    """Options of the command that start the server are excluded."""
    asked = {"depth": models.Depth, "solve": models.Solve, "scramble": models.Scramble, "show": models.Show}
    for name in catalog.names():
        for option in catalog.rules_named(name).options:
            for question in option.questions & asked.keys():
                assert (option.name in asked[question].model_fields) == (option.name not in {"workers", "memory"})


def test_the_openapi_description_names_every_question(client: Client) -> None:
    content = client.get("/api/openapi.json").content
    assert {f"/api/{kind.name}" for kind in answers.ENDPOINTS} < content["paths"].keys()
    depth = content["components"]["schemas"]["DepthQuestion"]["properties"]
    assert depth["metric"]["description"] == "Metric: every turn of a face counts one (htm), or quarter turns do (qtm)."
    assert set(content["paths"]["/api/depth"]["post"]["responses"]) >= {"200", "404", "413", "422", "503", "504"}
    assert lookup.puzzles() == catalog.names()


# -- Analyses, trainers, cases, algs and scrambles for events ----------------------------------------------------------


@pytest.mark.exhaustive
def test_a_solution_is_analysed(client: Client) -> None:
    pocket = cubesolve.puzzle("pocket")
    scramble, solution, steps = "R U2 F R'", "R U U' F' U U R'", ["first-layer", "solved"]
    said = {"puzzle": "pocket", "scramble": scramble, "solution": solution, "steps": ",".join(steps)}
    found = client.ask("analyse", **said).content
    expected = analyse(pocket, pocket.parse(scramble, "alg"), solution, steps)
    listed = [{**position._asdict(), "state": str(position.state)} for position in expected.positions]
    assert listed == found["positions"]
    assert found["steps"] == [part._asdict() for part in expected.parts]
    assert (found["lost"], found["solution"]) == (expected.lost, solution)
    depths = [pocket.depth(position["state"]) for position in found["positions"]]
    assert depths == [position["at_least"] for position in found["positions"]]
    turned = client.ask("analyse", **{**said, "steps": "", "inverse": True}).content
    assert [each["move"] for each in turned["positions"]][:2] == ["", "R"]
    assert turned["positions"][0]["at_least"] == found["positions"][0]["at_least"]
    switched = client.ask("analyse", puzzle="skewb", scramble="R U", solution="(R) U'", niss=True).content
    assert [(each["move"], each["at_least"]) for each in switched["positions"]] == [("", 2), ("(R)", 1), ("U'", 0)]


def test_a_solution_in_steps_is_found(client: Client) -> None:
    pocket = cubesolve.puzzle("pocket")
    said = {"puzzle": "pocket", "scramble": "R U2 F R' U F2", "steps": "first-layer, solved"}
    found = client.ask("analyse", **said).content
    state = pocket.parse(found["state"])
    assert state == pocket.parse(said["scramble"], "alg")
    assert state.apply(found["solution"]).is_solved
    assert found["solution"] == " ".join(step["alg"] for step in found["steps"] if step["alg"])
    assert found["steps"][0]["length"] == pocket.towards("first-layer").depth(state)


def test_a_step_and_a_case_are_trained(client: Client) -> None:
    pocket = cubesolve.puzzle("pocket")
    asked: tuple[dict[str, Any], ...] = ({"step": "first-layer", "depth": 3}, {"solved": "first-layer"})
    for question in asked:
        goal, depth, solved = (question.get(name) for name in ("step", "depth", "solved"))
        (alg,) = step_scrambles(pocket, 1, 7, goal=goal, depth=depth, solved=solved)
        found = client.ask("train", **question, seed=7).content
        assert (found["scramble"], pocket.parse(found["state"])) == (alg, pocket.parse(alg, "alg"))
    found = client.ask("train", case="cll:22", seed=7).content
    assert [found["scramble"]] == list(case_scrambles(pocket, pocket.cases("cll"), 1, 7, which="22"))
    assert pocket.cases("cll").find(found["state"]).name == "22"


def test_cases_and_their_algs_are_listed(client: Client) -> None:
    pocket = cubesolve.puzzle("pocket")
    cll = pocket.cases("cll")
    found = client.ask("cases", puzzle="pocket", set="cll", offset=20, limit=3).content
    assert (found["title"], found["total"]) == (cll.about.title, 43)
    for each, case in zip(found["cases"], cll[20:23], strict=True):
        assert (each["name"], each["probability"]) == (case.name, float(case.probability))
        assert cll.find(each["state"]) == case
        picture = cll.picture(case)
        assert picture
        assert len(each["cells"]) == len(picture.cells)
    assert len(client.ask("cases", puzzle="pocket", set="cll").content["cases"]) == 43
    best = client.ask("algs", puzzle="pocket", case="cll:22", number=2, cost="ergonomic", moves="R U F").content
    state = pocket.parse(best["state"])
    assert (cll.find(state).number, best["optimal"], len(best["algs"])) == (22, 7, 2)
    for alg in best["algs"]:
        assert state.apply(f"{alg['before']} {alg['alg']} {alg['after']}").is_solved
    assert client.get("/api/puzzles/pocket").content["case_sets"] == pocket.case_sets


def test_scrambles_for_events(client: Client) -> None:
    assert [each["name"] for each in client.get("/api/events").content] == list(EVENTS)
    found = client.ask("event", event="pyram", number=2, seed=7).content
    drawn = list(scrambles("pyram", 2, random.Random(7)))
    assert [each["scramble"] for each in found["scrambles"]] == [each.alg for each in drawn]
    assert [each["state"] for each in found["scrambles"]] == [str(each.state) for each in drawn]
    assert client.ask("show", puzzle=found["puzzle"], state=found["scrambles"][0]["state"]).status == 200


def test_a_sheet_is_a_page_whose_style_is_allowed(client: Client) -> None:
    sheet = client.get("/api/sheet?event=skewb&number=1&seed=7")
    captions = ("1", "extra 1", "extra 2")
    assert sheet.content == sheet_of(list(zip(captions, scrambles("skewb", 3, random.Random(7)), strict=True)))
    assert sheet.headers["content-type"].startswith("text/html")
    (style,) = re.findall("<style>(.*?)</style>", sheet.content, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert sheet.headers["content-security-policy"].startswith(f"default-src 'none'; style-src 'sha256-{digest}'")
    assert "style=" not in sheet.content
    wrong = client.get("/api/sheet?event=skewb&number=99&seed=x")
    assert wrong[:2] == (422, {"error": "number must be at most 20; seed must be a whole number"})
    assert client.get("/api/sheet?event=333x").content["error"].startswith("unknown event '333x'")


def test_tables_of_steps_are_not_kept_in_the_users_folder(tmp_path: Path) -> None:
    pocket = Served({}, str(tmp_path)).find(ChosenPuzzle("pocket"))
    for changed in (
        pocket.towards("first-layer"),
        pocket.restrict("R U"),
        pocket.restrict("R U").towards("first-layer"),
    ):
        assert changed.depth("R") == 1
        assert Path(str(changed._tables.directory)).parent == tmp_path
    assert list(tmp_path.rglob("*.zst"))


# -- Generated requests get the documented answers, and never an internal error ----------------------------------------

SMALL = ("pocket", "skewb", "floppy", "rolling", "tiles-2x3", "rubik", "pyraminx-duo")
_SETTINGS = settings(deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def api() -> Iterator[schemathesis.BaseSchema]:
    """The description of a server with a short time limit."""
    with running(seconds=0.5) as client:
        yield schemathesis.openapi.from_url(f"{client.address}api/openapi.json")


PATHS = [("POST", f"/api/{name}") for name in (*(kind.name for kind in answers.ENDPOINTS), "puzzles")]
PATHS += [("GET", f"/api/{path}") for path in ("puzzles", "puzzles/{name}", "health", "events", "sheet")]
FEW = [("POST", "/api/depth"), ("POST", "/api/solve"), ("GET", "/api/puzzles/{name}")]


_WORDS = st.lists(
    st.sampled_from(
        ["R", "U'", "F2", "x", "(", ")", "2", "W", "WB", "E", "*", "/", "URF", "{", "[]", "é", "\0", "9", ","]
    ),
    max_size=12,
).map(" ".join)
_TEXTS = [
    "alg", "net", "pieces", "kpuzzle", "any", "tray", "htm", "qtm", "1,1", "2,2", "9,9", "axis", "face", "full",
    "WRGYOB", "WWWWWW", "R U", "U2", "Q", "x", "U=2", "*=9", "=", "cross", "layer", "first-layer", "first-layer,solved",
    "solved", ",", "cll", "cll:22", "cll:99", "pll", "pll:T", ":", "x:1", "222", "minx", "length", "", "*" * 24,
]  # fmt: skip
_TEXT = st.sampled_from(_TEXTS) | _WORDS | st.text("URFDLB", min_size=24, max_size=24)


@pytest.mark.parametrize(
    ("method", "path", "examples"), [*((*path, 5) for path in FEW), *(later(*path, 1_000) for path in PATHS)]
)
def test_answers_are_as_described(api: schemathesis.BaseSchema, method: str, path: str, examples: int) -> None:
    @given(case=api[path][method].as_strategy(), data=st.data())
    @settings(_SETTINGS, max_examples=examples)
    def ask(case: Any, data: st.DataObject) -> None:
        if isinstance(case.body, dict) and data.draw(st.booleans()):
            for name in [name for name, value in case.body.items() if isinstance(value, str)]:
                case.body[name] = data.draw(st.sampled_from(SMALL) if name == "puzzle" else _TEXT)
        # Text may be no state, and a table may be missing: that is 503.
        assert case.call_and_validate(excluded_checks=[positive_data_acceptance, not_a_server_error]).status_code != 500

    ask()
