"""The models of requests and answers, from which the OpenAPI description is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from cubesolve import catalog
from cubesolve.definition.options import Option, read_number, read_seconds
from cubesolve.practice.events import EVENTS
from cubesolve.spaces.rules import Rules

MOST_TEXT = 4_000  # the largest number of characters of a state, a goal or an alg
MOST_DEFINITION = 100_000  # the largest number of characters of a text that defines a puzzle
MOST_SECONDS = 3_600.0  # the largest time limit of a request, in seconds
MOST_SOLUTIONS = 1_000  # the largest number of solutions in an answer

_MOST_STEPS = 1_000_000
USUAL_PUZZLE = "pocket"  # the puzzle of requests that name none
MOST_CASES = 100  # the largest number of cases in an answer
MOST_ALGS = 20  # the largest number of algs of a case in an answer
MOST_SCRAMBLES = 20  # the largest number of scrambles in an answer

# Options that clients cannot set, because they concern the server's machine.
LEFT_OUT = frozenset({"workers", "memory"})

Text = Annotated[str, Field(max_length=MOST_TEXT)]
Name = Annotated[str, Field(max_length=200)]
_Number = Annotated[int, Field(ge=0, le=_MOST_STEPS)]
_Seed = Annotated[int, Field(ge=-(2**53), le=2**53)]
_Seconds = Annotated[float, Field(ge=0, le=MOST_SECONDS, allow_inf_nan=False)]
_TYPES: Mapping[Callable[[str], Any], Any] = {read_number: _Number, read_seconds: _Seconds}


class StrictModel(BaseModel):
    """A model without additional fields."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class Asked(StrictModel):
    """The puzzle of a request."""

    puzzle: Name = Field(USUAL_PUZZLE, description="A listed puzzle, or one that was added.", examples=["skewb"])


class Chosen(Asked):
    """The puzzle of a request, and its changes."""

    moves: Text | None = Field(None, description='Allow only these moves: "R U".')
    cost: Text | None = Field(None, description='Cost of moves, if not 1: "U2=2".')
    goal: Text | None = Field(
        None, description='Goal to reach instead of the solved state: "cross", or a state with * for don\'t-cares.'
    )


class _State(Chosen):
    state: Text = Field(description="The state.", examples=["UUUUBBRRRRFFDDDDFFLLLLBB"])
    form: Name | None = Field(None, alias="format", description="Format of the state, one of the puzzle's formats.")

    @model_validator(mode="after")
    def _recognize(self) -> Self:
        if "puzzle" not in self.model_fields_set and catalog.rules_named("rubik").view.claims(self.state):
            self.puzzle = "rubik"
        return self


def _of(question: str, base: type[StrictModel], name: str, **more: Any) -> type[Any]:
    asked = (option for named in catalog.RECOGNIZED for option in options(catalog.rules_named(named), question))
    fields = {option.name: _field(option) for option in asked}
    return create_model(name, __base__=base, **{**fields, **more})


def options(rules: Rules, question: str) -> Iterator[Option]:
    """Return the options of a puzzle that a request can have."""
    return (option for option in rules.options if question in option.questions and option.name not in LEFT_OUT)


def _field(option: Option) -> Any:
    """Return a field; the puzzle of a request checks which of its choices it has."""
    value = Name if option.choices else _TYPES.get(option.read, Text)
    return value | None, Field(None, description=option.help, examples=list(option.choices) or None)


_ALL = (bool, Field(False, description="Return every optimal solution."))
_COUNT = (bool, Field(False, description="Return only the number of optimal solutions."))
_SLACK = (
    Annotated[int, Field(ge=0, le=20)] | None,
    Field(None, description="With all: also return solutions up to N moves longer."),
)
_SEED = (_Seed | None, Field(None, description="Random seed."))
_DEPTH = (_Number | None, Field(None, description="Depth of the state."))
_LENGTH = (_Number | None, Field(None, description="Number of moves of the scramble."))
_ALG = (Text, Field("", description="Moves to apply.", examples=["R U"]))
_TO = (Name, Field(description="Format to write.", examples=["net"]))

Depth = _of("depth", _State, "DepthQuestion")
Solve = _of("solve", _State, "SolveQuestion", all=_ALL, count=_COUNT, slack=_SLACK)
Improve = _of("solve", _State, "ImproveQuestion")
Moves = _of("solve", _State, "MovesQuestion")
Play = _of("solve", _State, "PlayQuestion", alg=_ALG)
Motions = _of("solve", _State, "MotionsQuestion")
Scramble = _of("scramble", Chosen, "ScrambleQuestion", depth=_DEPTH, length=_LENGTH, seed=_SEED)
Random = _of("random", Chosen, "RandomQuestion", depth=_DEPTH, seed=_SEED)
Show = _of("show", _State, "ShowQuestion")
Convert = _of("convert", _State, "ConvertQuestion", to=_TO)


class _Practised(Asked):
    puzzle: Name = Field("rubik", description="A listed puzzle, or one that was added.", examples=["pyraminx"])


class Analyse(_Practised):
    """A scramble and a solution to analyse; without a solution, steps to solve."""

    scramble: Text = Field(description="Moves from the solved state.", examples=["R U R' F2"])
    solution: Text = Field("", description="Moves that solve it; empty to find a solution.", examples=["F2 R U' R'"])
    steps: Text = Field("", description="Steps in their order, separated by commas.", examples=["first-layer,solved"])
    inverse: bool = Field(False, description="Analyse the inverse of the solution for the inverse of the scramble.")
    niss: bool = Field(False, description="Moves in parentheses are on the inverse; steps may be on either side.")
    slack: Annotated[int, Field(ge=0, le=2)] = Field(0, description="Without a solution: also steps so much longer.")
    share: Annotated[float, Field(ge=0.01, le=60)] | None = Field(
        None, description="Seconds for each number without a table; by default a fixed number of moves is searched."
    )
    timeout: _Seconds | None = Field(None, description="Time limit in seconds.")


class Train(Asked):
    """A step or cases to practise."""

    step: Name | None = Field(None, description="The named goal to practise.", examples=["first-layer"])
    depth: _Number | None = Field(None, description="The number of moves that the step needs.")
    solved: Name | None = Field(None, description="A named goal that is solved already.")
    case: Name | None = Field(None, description="A set of cases, or one case: pll, oll:27.")
    seed: _Seed | None = Field(None, description="Random seed.")
    timeout: _Seconds | None = Field(None, description="Time limit in seconds.")


class Cases(_Practised):
    """A set of cases, a part of which is listed."""

    set: Name = Field(description="The set, one of the puzzle's `case_sets`.", examples=["cll"])
    offset: _Number = Field(0, description="The number of cases to leave out.")
    limit: Annotated[int, Field(ge=1, le=MOST_CASES)] = Field(MOST_CASES, description="The largest number of cases.")
    timeout: _Seconds | None = Field(None, description="Time limit in seconds.")


class Algs(_Practised):
    """A case, and what its algs are to be like."""

    case: Name = Field(description="A case of a set.", examples=["cll:22"])
    moves: Name | None = Field(None, description='Moves of the algs: "R U F". By default those of the set.')
    cost: Literal["length", "ergonomic"] = Field("length", description="What algs are compared by.")
    number: Annotated[int, Field(ge=1, le=MOST_ALGS)] = Field(1, description="The largest number of algs.")
    slack: Annotated[int, Field(ge=0, le=2)] = Field(0, description="Moves more than the shortest alg has.")
    max_length: Annotated[int, Field(ge=0, le=16)] = Field(16, description="Most moves of an alg.")
    timeout: _Seconds | None = Field(None, description="Time limit in seconds.")


class Sheet(StrictModel):
    """An event, and how many attempts a sheet has."""

    event: Name = Field(description="The event.", json_schema_extra={"enum": [*EVENTS]})
    number: Annotated[int, Field(ge=1, le=MOST_SCRAMBLES)] | None = Field(
        None, description="The number of attempts; by default those of a round."
    )
    seed: _Seed | None = Field(None, description="Random seed.")


class Scrambles(Sheet):
    """An event, and how many scrambles to draw."""

    number: Annotated[int, Field(ge=1, le=MOST_SCRAMBLES)] = Field(1, description="The number of scrambles.")
    timeout: _Seconds | None = Field(None, description="Time limit in seconds.")


class Definition(StrictModel):
    """The text of a file that defines a puzzle."""

    name: Name = Field("", description="Name of the file, if any.", examples=["ring.gap"])
    text: Annotated[str, Field(max_length=MOST_DEFINITION)] = Field(
        description="tws, KPuzzle, permutations in cycles, or a graph of CayleyPy.", examples=["T := (1,2,3);"]
    )


# -- Answers -----------------------------------------------------------------------------------------------------------


def _answer(name: str, about: str, **types: Any) -> type[BaseModel]:
    fields: dict[str, Any] = {field: (kind, ...) for field, kind in types.items()}
    return create_model(name, __doc__=about, **fields)


Place = Annotated[list[float], Field(min_length=2, max_length=2)]
Vector = Annotated[list[float], Field(min_length=3, max_length=3)]


class SolveAnswer(BaseModel):
    """A solution, all optimal solutions, or their number."""

    solution: str | None = None
    solutions: list[str] | None = None
    count: int | None = None
    at_least: int | None = Field(None, description="With within or max_length: a lower bound of the solution length.")


class Improvement(BaseModel):
    """A solution, and the proved lower bound of its length."""

    solution: str
    at_least: int = Field(description="A lower bound of the solution length.")
    proved: bool = Field(description="Whether the solution is proved optimal.")


class Cell(BaseModel):
    """A sticker, a tile or a cube of a picture."""

    column: int
    row: int
    text: str
    colour: str
    outline: list[Place] = Field(description="Its corners, as distances from the left and from the top.")
    mark: str


class Shown(BaseModel):
    """A state as text, and the cells of its picture, if any."""

    state: str
    solved: bool | None = Field(description="Whether the state is solved; null if that depends on a goal.")
    cells: list[Cell] | None


class Side(BaseModel):
    """A side of a part in 3D."""

    corners: list[Vector]
    colour: str | None


class Scene(BaseModel):
    """A state in 3D, as `player.js` draws it."""

    parts: list[list[Side]]
    planes: list[list[float]]
    up: Vector
    front: Vector
    floor: list[Side]


class Motion(BaseModel):
    """The motion of a move in 3D."""

    move: str
    axis: Vector
    through: Vector
    degrees: int
    parts: list[int]
    also: list[Motion] = Field(
        [], description="Motions of other parts at the same time, about axes of the same direction."
    )
    out: Vector | None = Field(None, description="How far its parts come out while it lasts.")


class Step(Shown):
    """A state along an alg, and the move that leads to it."""

    move: str | None
    motion: Motion | None


class PlayAnswer(BaseModel):
    """The states along an alg, including the first."""

    scene: Scene | None = Field(description="The first state in 3D; null if the puzzle has no 3D model.")
    steps: list[Step]


DepthAnswer = _answer("DepthAnswer", "The depth of a state.", depth=int)
MovesAnswer = _answer(
    "MovesAnswer", "The moves that begin an optimal solution; none for a solved state.", moves=list[str]
)
ScrambleAnswer = _answer("ScrambleAnswer", "An alg that leads to a random state.", scramble=str)
StateAnswer = _answer("StateAnswer", "A state as text.", state=str)
MotionsAnswer = _answer(
    "MotionsAnswer", "A state in 3D, and the motions of the possible moves.", scene=Scene, motions=list[Motion]
)
ConvertAnswer = _answer("ConvertAnswer", "A state in another format.", format=str, written=str)


class Left(BaseModel):
    """A position of a solution."""

    move: str = Field(description="The move that leads here; empty for the start.")
    at_least: int = Field(description="A lower bound of the moves that are left.")
    at_most: int = Field(description="An upper bound; equal to the lower one if the number is known.")
    lost: bool | None = Field(description="Whether the move was lost; null if that is not known.")
    state: str


class Part(BaseModel):
    """A step of a solution."""

    name: str
    alg: str
    length: int
    at_least: int = Field(description="A lower bound of the moves of the step.")
    optimal: str | None = Field(description="A shortest alg for the step; null if none is known.")


class AnalyseAnswer(BaseModel):
    """The gain of each move of a solution and the cost of each step; or the steps of the solution that was found."""

    lost: int = Field(description="The number of moves that are known to be lost.")
    positions: list[Left] = Field(description="The positions, from the start on; none if no solution was given.")
    steps: list[Part]
    solution: str
    state: str = Field(description="The state at the start.")


class TrainAnswer(BaseModel):
    """An alg that leads to a random state, and the state."""

    scramble: str
    state: str


class Case(BaseModel):
    """A case."""

    number: int
    name: str
    states: int
    probability: float
    state: str = Field(description="One of its states.")
    pattern: str = Field(description="The state as text, with * for the pieces that the set ignores.")
    cells: list[Cell] | None


class CasesAnswer(BaseModel):
    """Cases of a set."""

    set: str
    title: str
    total: int = Field(description="The number of cases of the set.")
    cases: list[Case]


class Alg(BaseModel):
    """An alg of a case."""

    alg: str
    length: int
    cost: float
    before: str = Field(description="The adjustment of the case's state before the alg.")
    after: str = Field(description="The rotation and the adjustment after it.")


class AlgsAnswer(BaseModel):
    """The best algs of a case."""

    number: int
    name: str
    state: str
    optimal: int | None = Field(description="The least number of moves; null if none of them is long enough.")
    algs: list[Alg]


class Event(BaseModel):
    """An event of the World Cube Association."""

    name: str
    title: str
    puzzle: str
    attempts: int
    method: str


class ScramblesAnswer(BaseModel):
    """Scrambles of an event."""

    event: str
    puzzle: str
    scrambles: list[TrainAnswer]


class Listed(BaseModel):
    """A puzzle in the list."""

    name: str
    title: str
    states: int | None
    gods_number: int | None
    metric: str


class Described(Listed):
    """The description of a puzzle."""

    metrics: list[str]
    moves: list[str]
    buttons: dict[str, str] = Field(
        description="Moves, and others that are one of them up to a rotation of the puzzle, each with that move."
    )
    unit: str
    formats: dict[str, str]
    format: str = Field(description="The format of states in answers.")
    goals: list[str] = Field(description="Names of goals.")
    goal_titles: dict[str, str] = Field(description="What some goals are.")
    case_sets: dict[str, str] = Field(description="The sets of cases, and what each is about.")
    methods: dict[str, list[str]] = Field(description="The steps of usual methods of solving.")
    analyses: bool = Field(description="Whether solutions can be analysed.")
    options: dict[str, list[str]] = Field(description="The options of each endpoint.")
    solved: str = Field(description="The solved state; for rolling cubes, the first start.")
    facelets: list[str] | None = Field(description="The names of the facelets, in the order of the state's symbols.")
    searches: bool = Field(description="Whether some answers need a search.")
    needs_start: bool = Field(description="Whether requests have a start, and the state is the goal.")


class Health(BaseModel):
    """The status and the load of the server."""

    status: Literal["ok", "lost"] = Field(description="`lost` if a worker process gets no questions any more.")
    version: str
    searches: int = Field(description="Number of searches that are running or waiting.")
    running: int = Field(description="Number of running searches.")
    waiting: int = Field(description="Number of waiting searches.")
    idle: int = Field(description="Number of worker processes that wait for a search.")
    busy: int = Field(description="Number of worker processes that search, or end a search that nobody waits for.")
    lost: int = Field(description="Number of worker processes that get no searches; 0 unless the server has a defect.")
    refused: int = Field(description="Number of requests that were not started because too many searches were waiting.")
    requests: int = Field(description="Number of requests answered since the start.")
    seconds: float = Field(description="Total time of these requests.")
    slowest: float = Field(description="Longest time of a request.")


class Problem(BaseModel):
    """An error: the message of the command line, and its details."""

    error: str
    fault: str | None = Field(None, description="The kind of fault of a state, in a word.")
    facelets: list[str] | None = Field(None, description="The wrong facelets.")
    cells: list[Annotated[list[int], Field(min_length=2, max_length=2)]] | None = Field(
        None, description="The columns and rows of the wrong cells."
    )
    at_least: int | None = Field(None, description="A lower bound of the solution length.")
    solution: str | None = Field(None, description="The shortest solution found, which is not proved optimal.")
    file: str | None = Field(None, description="The name of an invalid file; empty if it has none.")
