"""What is asked in JSON, and what is answered: the OpenAPI description is made of these."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from cubesolve import catalog
from cubesolve.puzzles.options import Option, read_number, read_seconds
from cubesolve.spaces.rules import Rules

MOST_TEXT = 4_000
"""The most characters of a state, a goal or an alg."""

MOST_DEFINITION = 100_000
"""The most characters of a text that describes a puzzle."""

MOST_SECONDS = 3_600.0
"""The most seconds that can be given to a question."""

MOST_SOLUTIONS = 1_000
"""The most solutions that are listed."""

_MOST_STEPS = 1_000_000
LEFT_OUT = frozenset({"workers", "memory"})
"""Options that are for the user who starts the server."""


Text = Annotated[str, Field(max_length=MOST_TEXT)]
Name = Annotated[str, Field(max_length=200)]
_Number = Annotated[int, Field(ge=0, le=_MOST_STEPS)]
_Seconds = Annotated[float, Field(ge=0, le=MOST_SECONDS, allow_inf_nan=False)]
_KINDS: Mapping[Callable[[str], Any], Any] = {read_number: _Number, read_seconds: _Seconds}


class Model(BaseModel):
    """What all of them have in common: nothing but what they say is in them."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class Chosen(Model):
    """Which puzzle a question is about."""

    puzzle: Name = Field("pocket", description="One that is listed, or that was posted before.", examples=["skewb"])
    moves: Text | None = Field(None, description='Make these moves alone, as "R U".')
    cost: Text | None = Field(None, description='What moves count, where not 1, as "U2=2".')
    goal: Text | None = Field(None, description='Solved is what this is: "cross", or a state with *.')


class _State(Chosen):
    state: Text = Field(description="The state.", examples=["UUUUBBRRRRFFDDDDFFLLLLBB"])
    form: Name | None = Field(None, alias="format", description="How it is written; see the puzzle's formats.")


def _of(question: str, base: type[Model], name: str, **more: Any) -> type[Any]:
    """What can be asked: what is common to all puzzles, and the options that some puzzle has."""
    known = (option for named in catalog.TOLD_APART for option in options(catalog.rules_named(named), question))
    fields = {option.name: _field(option) for option in known}
    return create_model(name, __base__=base, **{**fields, **more})


def options(rules: Rules, question: str) -> Iterator[Option]:
    """What can be said beside a state in a question about a puzzle.

    >>> [option.name for option in options(catalog.rules_named("pyramorphix"), "depth")]
    ['metric', 'target', 'max_depth', 'timeout']
    """
    return (each for each in rules.options if question in each.questions and each.name not in LEFT_OUT)


def _field(option: Option) -> Any:
    kind = Literal[option.choices] if option.choices else _KINDS.get(option.read, Text)
    return kind | None, Field(None, description=option.help)


_ALL = (bool, Field(False, description="List every shortest solution."))
_COUNT = (bool, Field(False, description="Say only how many shortest solutions there are."))
_SLACK = (Annotated[int, Field(ge=0, le=20)] | None, Field(None, description="With all: also those up to N longer."))
_SEED = (
    Annotated[int, Field(ge=-(2**53), le=2**53)] | None,
    Field(None, description="Make the same random choices as every time with this number."),
)
_DEPTH = (_Number | None, Field(None, description="Only states that need so many moves."))
_LENGTH = (_Number | None, Field(None, description="Algs of so many moves."))
_ALG = (Text, Field("", description="Moves to be made, one after the other.", examples=["R U"]))
_TO = (Name, Field(description="The format to write it in.", examples=["net"]))

Depth = _of("depth", _State, "DepthQuestion")
Solve = _of("solve", _State, "SolveQuestion", all=_ALL, count=_COUNT, slack=_SLACK)
Moves = _of("solve", _State, "MovesQuestion")
Play = _of("solve", _State, "PlayQuestion", alg=_ALG)
Motions = _of("solve", _State, "MotionsQuestion")
Scramble = _of("scramble", Chosen, "ScrambleQuestion", depth=_DEPTH, length=_LENGTH, seed=_SEED)
Random = _of("random", Chosen, "RandomQuestion", depth=_DEPTH, seed=_SEED)
Show = _of("show", _State, "ShowQuestion")
Convert = _of("convert", _State, "ConvertQuestion", to=_TO)


class Definition(Model):
    """The text of a file that describes a puzzle."""

    name: Name = Field("", description="What the file is called, if it is one.", examples=["ring.gap"])
    text: Annotated[str, Field(max_length=MOST_DEFINITION)] = Field(
        description="tws, KPuzzle, or permutations in cycles.", examples=["T := (1,2,3);"]
    )


# -- Answers -----------------------------------------------------------------------------------------------------------


Place = Annotated[list[float], Field(min_length=2, max_length=2)]
Vector = Annotated[list[float], Field(min_length=3, max_length=3)]


class DepthAnswer(BaseModel):
    """How far a state is from solved."""

    depth: int


class SolveAnswer(BaseModel):
    """A solution, or all, or how many there are."""

    solution: str | None = None
    solutions: list[str] | None = None
    count: int | None = None
    at_least: int | None = Field(None, description="How many moves are proved to be needed, with within.")


class MovesAnswer(BaseModel):
    """The moves with which a shortest solution can begin; none if nothing is to be done."""

    moves: list[str]


class ScrambleAnswer(BaseModel):
    """An alg that leads to a random state."""

    scramble: str


class StateAnswer(BaseModel):
    """A state as text."""

    state: str


class Cell(BaseModel):
    """A sticker, a tile or a cube of a picture."""

    column: int
    row: int
    text: str
    colour: str
    outline: list[Place] = Field(description="Its corners, each so far to the right and so far down.")
    mark: str


class Shown(BaseModel):
    """A state as text, and as cells, if it has a picture."""

    state: str
    solved: bool | None = Field(description="Whether it is solved, where that needs no goal beside.")
    cells: list[Cell] | None


class Side(BaseModel):
    """A side of a part in space."""

    corners: list[Vector]
    colour: str | None


class Scene(BaseModel):
    """A state in space, as `player.js` draws it."""

    parts: list[list[Side]]
    planes: list[list[float]]
    up: Vector
    front: Vector
    floor: list[Side]


class Motion(BaseModel):
    """What a move does in space."""

    move: str
    axis: Vector
    through: Vector
    degrees: int
    parts: list[int]


class Step(Shown):
    """A state on a way, and the move that leads to it."""

    move: str | None
    motion: Motion | None


class PlayAnswer(BaseModel):
    """The states on a way, the first included."""

    scene: Scene | None = Field(description="The first in space, if it is there.")
    steps: list[Step]


class MotionsAnswer(BaseModel):
    """A state in space, and what each move that is possible turns there."""

    scene: Scene
    motions: list[Motion]


class ConvertAnswer(BaseModel):
    """A state in another format."""

    format: str
    written: str


class Listed(BaseModel):
    """A puzzle in the list."""

    name: str
    title: str
    states: int | None
    gods_number: int | None
    metric: str


class Described(Listed):
    """What there is to be known of a puzzle before one asks."""

    metrics: list[str]
    moves: list[str]
    unit: str
    formats: dict[str, str]
    format: str = Field(description="The format in which states are answered.")
    goals: list[str] = Field(description="Names of goals.")
    options: dict[str, list[str]] = Field(description="What can be said beside the state, question by question.")
    solved: str = Field(description="The solved state; of rolling cubes the start that is taken first.")
    facelets: list[str] | None = Field(description="The names of the facelets, in the order of the state's symbols.")
    searches: bool = Field(description="Whether some states are searched for.")
    needs_start: bool = Field(description="Whether a question has a start, and the state is where it leads.")


class Health(BaseModel):
    """Whether the server answers, and how much it has to do."""

    status: Literal["ok"]
    version: str
    searches: int = Field(description="How many searches are under way or wait.")
    running: int = Field(description="How many of these are under way.")
    waiting: int = Field(description="How many wait.")
    refused: int = Field(description="How many questions were not started because too many waited or for too long.")
    requests: int = Field(description="How many requests were answered since the start.")
    seconds: float = Field(description="How long these took together.")
    slowest: float = Field(description="How long the one took that took longest.")


class Problem(BaseModel):
    """Why there is no answer: the words of the command line, and what they are about."""

    error: str
    fault: str | None = Field(None, description="What is wrong with a state, in a word.")
    facelets: list[str] | None = Field(None, description="The facelets concerned.")
    cells: list[Annotated[list[int], Field(min_length=2, max_length=2)]] | None = Field(
        None, description="The columns and rows of the cells concerned."
    )
    at_least: int | None = Field(None, description="How many moves are needed at least.")
    file: str | None = Field(None, description="The name of the text that describes no puzzle; empty if it has none.")
