from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest

import cubesolve
from cubesolve import catalog, lookup
from cubesolve.cli import main
from cubesolve.errors import MissingTableError
from cubesolve.web import answers, guard, models, problems, serving
from tests.patience import PATIENCE
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


def test_a_long_way_is_shown_and_a_longer_one_refused(client: Client) -> None:
    said = {"state": str(cubesolve.PocketCube.solved())}
    steps = client.ask("play", **said, alg="R U " * 100).content["steps"]
    assert steps[-1]["state"] == str(cubesolve.PocketCube.from_alg("R U " * 100))
    assert {len(step["motion"]["parts"]) for step in steps[1:]} == {4}
    assert client.ask("play", **said, alg="R " * 201)[:2] == (
        422,
        {"error": "alg has 201 moves; at most 200 can be shown"},
    )


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


def test_a_solution_need_not_be_optimal(client: Client) -> None:
    for about in ({"puzzle": "skewb"}, {"puzzle": "tiles-4x4", "format": "alg"}):
        answer = client.ask("solve", state="R D" if "format" in about else "R U", max_length=9, **about)
        assert (answer.status, answer.content["moves"]) == (200, 2)


def test_the_3x3x3_is_searched_for(client: Client) -> None:
    said = {"puzzle": "rubik", "format": "alg", "state": "R U F"}
    assert client.ask("depth", **said).content["depth"] == 3
    assert client.ask("solve", **said, metric="qtm").content["solution"] == "F' U' R'"
    assert client.ask("solve", **said, within=2).content == {
        "metric": "htm",
        "moves": 3,
        "solution": "F' U' R'",
        "at_least": 3,
    }
    assert client.ask("depth", **said, goal="cross").content["depth"] == 2
    assert client.ask("depth", **said, moves="R U F").content["depth"] == 3
    assert client.ask("depth", **said, max_depth=2)[:2] == (
        422,
        {"error": "not solved in 2 moves: at least 3 moves are needed", "at_least": 3},
    )
    state = client.ask("random", puzzle="rubik", seed=3).content["state"]
    assert cubesolve.puzzle("rubik").random_state(3) == cubesolve.RubikCube(state)


def test_rolling_cubes_are_rolled(client: Client) -> None:
    said = {"puzzle": "rolling", "start": "2,1", "state": "RBW/RWW/EWW"}
    assert client.ask("depth", **said).content == {"start": "2,1", "model": "axis", "depth": 3}
    assert client.ask("solve", **said).content["solution"] == "RUU"
    steps = client.ask("play", **said, alg="RUU").content["steps"]
    assert cubesolve.Tray(steps[-1]["state"]).pattern == "RBW/RWW/EWW"
    assert [cell["text"] for cell in steps[0]["cells"][:3]] == ["WB", ".", "WB"]
    wrong = client.ask("depth", puzzle="rolling", start="2,1", state="RBW/RXW/EWW")
    assert (wrong.status, wrong.content["fault"], wrong.content["cells"]) == (422, "cell", [[2, 2]])


def test_random_states_and_scrambles_have_the_depth_asked_for(client: Client) -> None:
    for name, depth in (("pocket", 9), ("skewb", 3), ("rolling", 30)):
        state = client.ask("random", puzzle=name, depth=depth).content["state"]
        start = {"start": "1,1"} if name == "rolling" else {}
        assert client.ask("depth", puzzle=name, state=state, **start).content["depth"] == depth
    scramble = client.ask("scramble", puzzle="skewb", depth=5, seed=1).content["scramble"]
    assert scramble == cubesolve.puzzle("skewb").scramble(random.Random(1), depth=5)


def test_motions_of_a_puzzle(client: Client) -> None:
    answer = client.ask("motions", puzzle="rolling", start="1,1", state="***/***/***").content
    assert [(motion["move"], motion["parts"]) for motion in answer["motions"]] == [("U", [2]), ("L", [0])]
    assert len(answer["scene"]["parts"]) == 8


def test_states_are_shown_and_converted(client: Client) -> None:
    shown = client.ask("show", state="UUUU RRRR FFFF DDDD LLLL BBBB").content
    assert (shown["state"], shown["solved"]) == ("UUUURRRRFFFFDDDDLLLLBBBB", True)
    outline = [[2.3, 0], [3.3, 0], [3.3, 1], [2.3, 1]]
    expected = {"column": 2, "row": 0, "text": "U", "colour": "#ffffff", "outline": outline, "mark": ""}
    assert shown["cells"][0] == expected
    assert client.ask("show", puzzle="skewb", state="R").content["solved"] is False
    written = client.ask("convert", state="R U R' U'", format="alg", to="alg").content
    assert written == {"format": "alg", "written": "R U R' U'"}
    assert client.ask("convert", puzzle="skewb", state="R", to="kpuzzle").content["written"].startswith("{")


def test_a_puzzle_of_ones_own(client: Client) -> None:
    assert client.ask("depth", puzzle="ring.gap", state="T").content["depth"] == 1
    assert client.get("/api/puzzles/ring.gap").content["gods_number"] == 1
    posted = client.ask("puzzles", name="/home/me/my.gap", text="A := (1,2,3); B := (3,4,5);")
    assert (posted.status, posted.content["states"], posted.content["title"]) == (201, 60, "my")
    name = posted.content["name"]
    assert client.get(f"/api/puzzles/{name}").content == posted.content
    assert client.ask("depth", puzzle=name, state="A B A'").content["depth"] == 3
    assert client.ask("depth", puzzle=name, state="A B", moves="A").content["fault"] == "unreachable"
    refused = client.ask("puzzles", name="../my.tws", text="Name x\nSet A 3 1\nSolved\nEnd\nMove T\nB\n1\nEnd")
    assert refused[:2] == (422, {"error": "my.tws: line 6: there is no set B"}) or refused.status == 422
    assert ".." not in refused.content["error"]
    for number in range(8):  # the oldest are forgotten
        assert client.ask("puzzles", name=f"{number}.gap", text=RING).status == 201
    assert client.ask("depth", puzzle=name, state="A").status == 404
    assert client.ask("depth", puzzle="ring.gap", state="T").content["depth"] == 1


# -- What is wrong -----------------------------------------------------------------------------------------------------


def test_errors_have_the_words_of_the_command_line(client: Client, capsys: pytest.CaptureFixture[str]) -> None:
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


def test_errors_say_which_facelets(client: Client) -> None:
    answer = client.ask("depth", state=WRONG)
    assert answer.content["facelets"] == ["U4", "R1", "F2"]
    assert answer.content["fault"] == "piece"
    names = client.get("/api/puzzles/pocket").content["facelets"]
    assert set(answer.content["facelets"]) < set(names)


REFUSED: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("depth", {"puzzle": "cubic", "state": ""}, "unknown puzzle 'cubic': did you mean rubik?"),
    ("depth", {"puzzle": "../../etc/passwd", "state": ""}, "unknown puzzle '../../etc/passwd'"),
    ("depth", {"state": "R", "format": "alk"}, "format: 'alk' is not one of urfdlb, net"),
    ("depth", {"puzzle": "skewb", "state": "R", "metric": "qtm"}, "metric is not supported for the Skewb"),
    ("depth", {"state": "R", "workers": 3}, "workers is not supported"),
    ("depth", {"state": "R" * 5_000}, "state is too long: at most 4,000 characters"),
    ("depth", {"state": 3}, "state must be text"),
    ("depth", {}, "state is missing"),
    ("depth", {"state": "", "target": "R", "format": "alg", "moves": "Q"}, "'Q' (character 1) is not a move"),
    ("depth", {"puzzle": "rolling", "state": "RBW/RWW/EWW"}, "start is missing: "),
    ("depth", {"puzzle": "rolling", "state": "WE", "start": "9"}, "start: a tray has at least two cells"),
    ("depth", {"state": "", "slack": 1}, "slack is not supported"),
    ("depth", {"state": "", "start": "1,1"}, "start is not supported for the 2x2x2 pocket cube: expected colours"),
    ("depth", {"state": "", "metric": "stm"}, "metric must be 'htm' or 'qtm'"),
    ("depth", {"puzzle": "rubik", "state": "", "max_depth": 1.5}, "max_depth must be a whole number"),
    ("depth", {"puzzle": "rubik", "state": "", "max_depth": 10**7}, "max_depth must be at most 1,000,000"),
    ("depth", {"puzzle": "rubik", "state": "", "timeout": "x"}, "timeout must be a number"),
    ("depth", {"puzzle": "rubik", "state": "", "timeout": -1}, "timeout must be at least 0"),
    ("depth", {"puzzle": "rubik", "format": "alg", "state": "(" * 2_000}, ""),
    ("depth", {"puzzle": "skewb", "state": "{" + '"a":[' * 1_900}, ""),
    ("depth", {"puzzle": None, "state": ""}, "puzzle must be text"),
    ("solve", {"state": "", "all": 3}, "all must be true or false"),
    ("solve", {"state": "R U F", "all": True, "count": True}, "all and count exclude each other"),
    ("solve", {"state": "R U F", "slack": 1}, "slack requires all"),
    ("solve", {"state": "R U F", "all": True, "slack": 99}, "slack must be at most 20"),
    ("solve", {"state": "R U F", "all": True, "slack": 9}, "there are too many solutions; at most 1,000 can be listed"),
    ("motions", {"puzzle": "ivy", "state": "R"}, "the Ivy cube has no 3D model"),
    ("random", {"depth": 99}, "no state has depth 99: depths are 0..11"),
    ("analyse", {"scramble": "R Q"}, "'Q' (character 3) is not a move"),
    ("analyse", {"scramble": "R U", "solution": "R"}, "the alg does not solve the state: it lacks R' U' R'"),
    ("analyse", {"scramble": "R U", "solution": "R", "niss": True, "inverse": True}, "exclude each other"),
    ("analyse", {"scramble": "R U"}, "without a solution, steps are needed"),
    ("analyse", {"scramble": "R", "solution": "R " * 201}, "solution has 201 moves; at most 200 can be analysed"),
    ("analyse", {"puzzle": "rolling", "scramble": "R", "solution": "L"}, "not supported for the rolling cubes"),
    ("train", {}, "step, solved or case is missing"),
    ("train", {"depth": 3}, "depth requires a step"),
    ("train", {"step": "U" * 24}, "is not a named goal of the 2x2x2 pocket cube: expected first-layer"),
    ("train", {"case": "cll", "step": "first-layer"}, "case excludes step"),
    ("train", {"case": "cll:99"}, "cll has no case '99'"),
    ("cases", {"set": "pll"}, "'pll' is not a set of cases of the 2x2x2 pocket cube"),
    ("cases", {"set": "cll", "limit": 101}, "limit must be at most 100"),
    ("algs", {"case": "cll"}, "case names a set: add one of its cases, as cll:42"),
    ("event", {"event": "333x"}, "unknown event '333x'"),
    ("event", {"event": "333", "puzzle": "rubik"}, "puzzle is not supported"),
)
"""Endpoints and requests that they refuse, with a part of the error."""


@pytest.mark.parametrize(("kind", "said", "error"), REFUSED)
def test_errors_speak_of_this_interface(client: Client, kind: str, said: dict[str, Any], error: str) -> None:
    answer = client.ask(kind, **said)
    assert answer.status == (404 if error.startswith("unknown puzzle") else 422)
    assert error in answer.content["error"]
    assert "--" not in answer.content["error"]


def test_options_of_the_command_line_are_named_as_fields() -> None:
    error = ValueError("a goal needs face letters: --colours says which colours are where at home")
    assert problems.message(error) == 'a goal needs face letters: "colours" says which colours are where at home'


def test_errors_are_json_wherever_they_come_from(client: Client) -> None:
    assert client.send("POST", "/api/depth", b"[]").content == {
        "error": "the request must be a JSON object, sent as application/json"
    }
    assert client.send("POST", "/api/depth", b"").content == {"error": "the request is missing"}
    assert client.get("/nosuch").content == {"error": "page not found"}
    assert client.get("/api/depth").content == {"error": "method not allowed"}
    with client.connect(b"GET\r\n\r\n") as connection:  # this is not valid HTTP
        assert received(connection).startswith(b"HTTP/1.1 400 ")


def test_a_text_without_a_name_is_not_given_one_by_its_error(client: Client) -> None:
    text = "Name x\nSet A 3 1\nSolved\nEnd\nMove T\nB\n1\nEnd"
    assert client.ask("puzzles", text=text).content == {"error": "line 6: there is no set 'B'", "file": ""}
    named = client.ask("puzzles", name="C:\\my files\\Bad.tws", text=text).content
    assert named == {"error": "Bad.tws: line 6: there is no set 'B'", "file": "Bad.tws"}
    assert client.ask("puzzles", text="T := (1,2,3);").content["title"] == "puzzle"


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


@pytest.mark.parametrize("form", ["any", "alg"])
def test_an_alg_of_a_thousand_moves_is_answered(client: Client, form: str) -> None:
    answer = client.ask("depth", puzzle="skewb", format=form, state="(R U)500", target="(R L)500")
    assert answer.content["depth"] == cubesolve.puzzle("skewb").depth("(R U)500", "(R L)500")


def test_what_is_no_request(client: Client) -> None:
    assert client.send("POST", "/api/depth", b"{").status == 400
    assert client.send("POST", "/api/depth", b"").status == 422
    assert client.send("POST", "/api/depth", b'{"state": "\xff"}').status == 400
    assert client.send("POST", "/api/depth", b"[" * 10_000)[:2] == (400, {"error": "malformed request"})
    assert client.send("POST", "/api/depth", b"[" * 100_000).status == 413
    many = json.dumps({"state": "", **{str(number): number for number in range(4_000)}}).encode()
    assert client.send("POST", "/api/depth", many)[:2] == (422, {"error": "the request has too many values"})
    assert client.send("POST", "/api/depth", b"{}", transfer_encoding="chunked").status == 411
    assert client.send("POST", "/api/depth", b'{"state":"R"}', content_type="text/plain").status == 422
    assert client.send("POST", "/api/depth", b" " * 600_000).status == 413
    assert client.send("POST", "/api/puzzles", json.dumps({"text": "x" * 100_001}).encode()).status == 422
    assert client.get("/api/depth").status == 405
    assert client.get("/api/").status == 404
    assert client.get("/api/../../pyproject.toml").status == 404
    assert client.get("/api/puzzles/cubic").status == 404


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
    with running(serving.Settings("127.0.0.1", 0, seconds=PATIENCE, searches=1, waiting=4), []) as port:
        client = Client(port)
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


def test_the_largest_request(client: Client) -> None:
    body = json.dumps({"puzzle": "pocket", "state": "R", "format": "alg"}).encode().ljust(guard.MOST_BYTES)
    answers = [client.send("POST", "/api/depth", body + more) for more in (b"", b" ")]
    assert [answer.status for answer in answers] == [200, 413]


def test_who_may_ask(client: Client) -> None:
    for host in ("localhost", f"localhost:{client.port}", "127.0.0.1", "[::1]:80", "LOCALHOST"):
        assert client.get("/api/health", host=host).status == 200
    for host in ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "", "[::1", "a b"):
        assert client.get("/api/health", host=host)[:2] == (400, {"error": "the host is not a name of this server"})
    two = b"GET /api/health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
    with client.connect(two) as connection:
        assert received(connection).startswith(b"HTTP/1.1 400 ")
    own = client.address.rstrip("/")
    assert client.get("/api/health", origin=own).status == 200
    for origin in ("http://evil.example", "null", f"https://127.0.0.1:{client.port}", "http://127.0.0.1:1"):
        assert client.get("/api/health", origin=origin).status == 403
    assert client.get("/api/health", sec_fetch_site="same-origin").status == 200
    assert client.get("/api/health", sec_fetch_site="cross-site").status == 403
    headers = client.get("/api/health").headers
    assert headers["content-security-policy"].startswith("default-src 'self'")
    assert not headers.keys() & {"access-control-allow-origin", "server"}


def test_no_answer_has_a_path_of_the_machine() -> None:
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
