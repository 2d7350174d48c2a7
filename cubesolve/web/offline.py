"""The page as files that need no server: the same page, with solvers, drawings and tables in scripts.

The files can be opened from a folder, or served by anything that serves files.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import os
import random
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any, NamedTuple
from urllib.parse import quote

import numpy as np

from cubesolve import lookup
from cubesolve.ask import Puzzle
from cubesolve.catalog.rolling import RollingRules
from cubesolve.catalog.rolling.model import NONE, rolls_from
from cubesolve.catalog.rolling.tray import Tray
from cubesolve.catalog.rubik import RubikRules
from cubesolve.catalog.rubik.goals import REDUCED
from cubesolve.definition.definition import Power
from cubesolve.definition.facelets import piece_facelets
from cubesolve.definition.goals import NamedGoal
from cubesolve.embedding import compact, source
from cubesolve.embedding.embedded import Embedded, embedded, vocabularies, without_table
from cubesolve.errors import InvalidMoveError, quoted
from cubesolve.group.permutations import orbits, support
from cubesolve.picture import player
from cubesolve.picture.scenes import Scene, middle
from cubesolve.runtime.files import write_atomically
from cubesolve.spaces.defined import DerivedRules, derived
from cubesolve.spaces.rules import Rules
from cubesolve.spaces.tables import AT_ONCE
from cubesolve.spaces.variants import NearestRules
from cubesolve.store.tables import Tables
from cubesolve.web import answers

# The puzzles that the page has by default.
PUZZLES = (
    "pocket", "rubik", "rolling", "pyraminx-tips", "pyraminx", "skewb", "ivy", "pyraminx-duo", "skewb-diamond", "tower",
    "floppy", "tiles-2x3", "tiles-3x3", "topspin-8-4", "topspin-9-4", "pancake-5", "pancake-7",
)  # fmt: skip

_FEW = 2_000  # states at a depth, which are not found by drawing until one is there
_MOST = 1 << 22  # states of a goal of the 3x3x3
_SEPARATOR = "@"  # in names of files, before a metric and a goal
_SAMPLES = 300  # states from which is learnt what each sticker shows
_MOVES = 9  # between two of them
_DRAWN = 30  # of them that are drawn in any case; others if they bring a label to a point for the first time

_OWN = ("facelets.js", "two_phase.js", "pieces.js", "trays.js", "offline.js")
_SCRIPTS = '<script src="player.js"></script>\n'
_NOTE = (
    '<p class="note" id="limits">This page solves the listed puzzles without a server. '
    "For all puzzles, files, chosen moves, training, cases, events and analyses, run "
    "<code>cubesolve serve</code>.</p>\n"
)


def write_page(folder: str | os.PathLike[str], names: Iterable[str] = PUZZLES) -> None:
    """Write the page and its puzzles to a folder, which may be new; `index.html` opens in a browser."""
    listed, written = list[Any](), dict[str, str]()
    for name in names:
        if os.path.basename(name) != name:
            raise ValueError(f"a puzzle from a file needs the name of a file in the current folder, not {quoted(name)}")
        puzzle = lookup.puzzle(name)
        listed.append(answers.listed(puzzle.rules, name))
        variants = _variants(puzzle)
        contents = {"": _content(puzzle, name, list(variants))}
        contents |= {_SEPARATOR.join(["", *variant]): {"parts": parts} for variant, parts in variants.items()}
        for suffix, content in contents.items():
            called = name + suffix
            written[f"puzzles/{called}.js"] = f"cubesolve.offline.add({json.dumps(called)}, {compact(content)});\n"
    written["solver.js"] = (
        f'"use strict";\n(() => {{\n{source()}\n'
        "Object.assign(cubesolve, { makeSolver, unpack, secureRandom });\n})();\n"
    )
    written["puzzles.js"] = f"cubesolve.offline.puzzles = {compact(listed)};\n"
    for page in ("page.css", "page.js", "modes.js", *_OWN):
        written[page] = _source(page)
    written["player.js"] = files(player).joinpath("player.js").read_text("utf-8")
    own = "".join(f'<script src="{script}"></script>\n' for script in ("solver.js", *_OWN, "puzzles.js"))
    written["index.html"] = _source("index.html").replace(_SCRIPTS, _NOTE + _SCRIPTS + own)
    digest = hashlib.sha256(compact(written).encode()).hexdigest()
    constants = f'"use strict";\nconst DIGEST = {compact(digest)}, FILES = {compact([*map(quote, written)])};\n'
    written["service_worker.js"] = constants + _source("service_worker.js")
    os.makedirs(os.path.join(folder, "puzzles"), exist_ok=True)
    for path, text in written.items():
        write_atomically(os.path.join(folder, path), text.encode())


def _source(page: str) -> str:
    return files(__package__).joinpath("page", page).read_text("utf-8")


def _variants(puzzle: Puzzle) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Return the tables of a puzzle in other metrics and to named goals, by metric and goal; "" is the solved state."""
    rules, solvers = puzzle.rules, dict[tuple[str, str], list[dict[str, Any]]]()
    if isinstance(rules, RollingRules):
        return solvers
    goals = {"": puzzle} | {goal: puzzle.towards(goal) for goal in rules.view.named_steps.goals}
    is_large = puzzle.states > AT_ONCE
    sought = _pieces(rules)
    for metric, (goal, towards) in itertools.product(rules.metrics, goals.items()):
        is_usual, is_sought = metric == rules.metrics[0], goal in sought or (is_large and not goal)
        if (goal or not is_usual) and (is_usual or not is_sought) and (parts := _parts(towards, is_large)):
            solvers[metric, goal] = [_solver(embedded(part, metric)) for part in parts]
    return solvers


def _parts(towards: Puzzle, is_large: bool) -> list[Puzzle]:
    """Return a puzzle for each of the goals of one; none if those of a large puzzle have too many states."""
    rules, parts = towards.rules, [towards]
    if isinstance(rules, NearestRules):
        parts = [Puzzle(part, Tables(None)) for part in rules.alone()]
    return [] if is_large and parts[0].states > _MOST else parts


def _pieces(rules: Rules) -> dict[str, list[list[int] | int]]:
    """Return the goals of the 3x3x3 that are searched for, each as a list of which any item will do."""
    if not isinstance(rules, RubikRules):
        return {}
    reduced = [NamedGoal(alike=facelets) for facelets in REDUCED.values()]

    # A point of each piece that is solved; or the number of the axis of a subgroup as <U, D, R2, L2, F2, B2>.
    def sought(goal: NamedGoal) -> list[int] | int | None:
        if goal in reduced:
            return reduced.index(goal)
        if goal.alike or goal.setup or goal.points:
            return None
        return [piece_facelets(rules.view.size, piece)[0] for piece in goal.pieces.split()]

    patterns = {name: [sought(goal) for goal in goals] for name, goals in rules.view.named_steps.goals.items()}
    return {name: [goal for goal in goals if goal is not None] for name, goals in patterns.items() if None not in goals}


def _tips(rules: DerivedRules) -> list[dict[str, Any]]:
    """Return the points and the moves of pieces that turn alone, and otherwise with another: the tips of a Pyraminx."""
    definition, places = rules.view.definition, [place for kind in vocabularies(rules) for place in kind.places]
    changes = {name: effects[0].sources for name, effects in definition.generators.items()}
    tips = list[dict[str, Any]]()
    for name, change in changes.items():
        turned = support(change)
        others = [sources for other, sources in changes.items() if other != name]
        for place in places:
            own = _turns(place, others)
            is_fixed = turned == {*place} and all(-1 not in turn for turn in own)
            if is_fixed and any(other != place and _turns(other, others) == own for other in places):
                amounts = range(1, definition.order(name))
                moves = [definition.written([Power(name, amount)]) for amount in amounts]
                tips.append({"points": list(place), "moves": moves})
    return tips


def _turns(place: Sequence[int], changes: Iterable[Sequence[int]]) -> list[list[int]]:
    """Return where the labels on each of the points of a place come from, in each change; -1 if from elsewhere."""
    numbers = {point: number for number, point in enumerate(place)}
    return [[numbers.get(change[point], -1) for point in place] for change in changes]


def _solver(found: Embedded) -> dict[str, Any]:
    """Return a puzzle and its table for `makeSolver`, with the ranks of all states at depths of few."""
    few = [depth for depth, number in enumerate(found.description["distribution"]) if 0 < number <= _FEW]
    rare = {depth: np.flatnonzero(found.depths == depth).tolist() for depth in few}
    return {"embedded": found.description | {"rare": rare}, "packed": found.packed()}


def _content(puzzle: Puzzle, name: str, variants: Sequence[tuple[str, str]]) -> dict[str, Any]:
    about = answers.described(puzzle, name)
    if isinstance(puzzle.rules, RollingRules):
        return {"about": about, "trays": _trays(puzzle)}
    searches, rules = isinstance(puzzle.rules, RubikRules), derived(puzzle.rules)
    tips = _tips(rules) if puzzle.states > AT_ONCE else []
    content = without_table(puzzle) if searches else embedded(puzzle.towards(_all_but(rules, tips)) if tips else puzzle)
    form, moves = about["format"], [move["name"] for move in content.description["moves"]]
    pieces = _pieces(puzzle.rules)
    goals = sorted({goal for _, goal in variants if goal} | {*pieces})
    limited = {
        "moves": moves,
        "formats": {name: about["formats"][name] for name in (form, "alg")},
        "goals": goals,
        "has_other_goals": len(goals) < len(about["goals"]),
        "searches": searches,
    }
    return {
        "about": about | limited,
        "drawing": _drawing(rules, moves),
        "turns": answers.turns(puzzle),
        "tips": tips,
        "pieces": pieces,
        "tables": [_SEPARATOR.join(variant) for variant in variants],
        **_solver(content._replace(description=content.description | {"title": rules.title})),
    }


def _all_but(rules: DerivedRules, tips: Sequence[dict[str, Any]]) -> str:
    solved, alone = rules.definition.solved[0], {point for tip in tips for point in tip["points"]}
    possible = [frozenset(solved) if point in alone else frozenset({label}) for point, label in enumerate(solved)]
    return rules.view.write_some(possible)


def _trays(puzzle: Puzzle) -> dict[str, Any]:
    """Return the rolls of cubes in the usual tray, and how each cell looks with each orientation."""
    view, usual = puzzle.rules.view, puzzle.rules.view.solved(None)
    shape, count = usual.shape, len(usual.shape.model.names)

    def tray(vacancy: int, orientation: int = 0) -> Tray:
        return Tray.of(shape, tuple(NONE if cell == vacancy else orientation for cell in range(shape.cells)))

    def scene(held: Tray) -> Scene:
        drawn = view.scene(held)
        assert drawn is not None  # all trays have one
        return drawn

    looks = []
    for cell in range(shape.cells):
        others = [tray(0 if cell else 1, number) for number in range(count)]
        pictures = map(view.picture, (tray(cell), *others))
        cells = [answers.drawn(picture.cells[cell]) for picture in pictures if picture]
        parts = [player.drawn(scene(other))["parts"][max(cell - 1, 0)] for other in others]
        looks.append({"cells": cells, "parts": parts})
    rolls, motions = [], []
    for vacancy in range(shape.cells):
        rolls.append([(move, source, list(after)) for move, source, after in rolls_from(shape, vacancy)])
        choices = player.choices(puzzle.rules, tray(vacancy), scene(tray(vacancy)), puzzle.moves)
        motions.append({choice.pop("move"): _without(choice, ["parts"]) for choice in choices})
    named = {"names": shape.model.names, "columns": shape.cols, "rolls": rolls}
    return {**named, "looks": looks, "motions": motions, "scene": _without(player.drawn(scene(usual)), ["parts"])}


# -- Drawings ----------------------------------------------------------------------------------------------------------


class _Sample(NamedTuple):
    place: Sequence[int]
    cells: list[dict[str, Any]]
    scene: dict[str, Any] | None


def _drawing(rules: DerivedRules, moves: Sequence[str]) -> dict[str, Any]:
    """Return the cells, the scene and the motions of a puzzle; each sticker has a point, and what labels there show."""
    samples = _samples(rules, moves)
    first, possible = samples[0], _possible(rules)
    cells = _cells(samples, possible) if first.cells else None
    scene = rules.view.scene(rules.view.solved(None))
    motions = _motions(rules, scene) if scene is not None else None
    shown = [_stickers(sample.scene or {"parts": []}) for sample in samples]
    stickers = shown[0]
    if first.scene is None or motions is None or any(there.keys() != stickers.keys() for there in shown):
        return {"cells": cells, "scene": None, "motions": {}}  # it has no shape, or changes it
    colours = [[{"colour": there[place]["colour"]} for place in stickers] for there in shown]
    for place, look in zip(stickers, _learnt(samples, colours, possible), strict=True):
        stickers[place].update(look)
    return {"cells": cells, "scene": first.scene, "motions": motions}


def _cells(samples: Sequence[_Sample], possible: Sequence[set[int]]) -> list[dict[str, Any]]:
    """Return the cells of a picture, and what each shows for each label of a point; some show the same always."""
    outlines = [[sorted(cell["outline"]) for cell in sample.cells] for sample in samples]
    kept = ["column", "row", *(["outline"] if all(outline == outlines[0] for outline in outlines) else [])]
    looks = [[_without(cell, kept) for cell in sample.cells] for sample in samples]
    shown = _learnt(samples, looks, possible)
    return [{name: cell[name] for name in kept} | look for cell, look in zip(samples[0].cells, shown, strict=True)]


def _stickers(scene: dict[str, Any]) -> dict[tuple[tuple[float, ...], ...], dict[str, Any]]:
    """Return the sides with stickers by their corners; the sides of a part that has moved are in another order."""
    sides = (side for part in scene["parts"] for side in part if side["colour"])
    return {tuple(sorted(map(tuple, side["corners"]))): side for side in sides}


def _without(cell: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: value for name, value in cell.items() if name not in names}


def _samples(rules: DerivedRules, moves: Sequence[str]) -> list[_Sample]:
    """Return the solved state, and others that are reached by random moves."""
    view, rng, samples, seen = rules.view, random.Random(1), list[_Sample](), set[tuple[int, int]]()
    state = view.solved(None)
    turns = [*moves, *view.definition.rotations]
    for _ in range(_SAMPLES):
        place = view.arrangement(state)
        labels = {*enumerate(place)}
        if len(samples) < _DRAWN or not labels <= seen:
            picture, scene = view.picture(state), view.scene(state)
            cells = [answers.drawn(cell) for cell in picture.cells] if picture else []
            samples.append(_Sample(place, cells, player.drawn(scene) if scene else None))
            seen |= labels
        for _ in range(_MOVES):
            with contextlib.suppress(InvalidMoveError):  # not possible here
                state = state.apply(rng.choice(turns))
    return samples


def _possible(rules: DerivedRules) -> list[set[int]]:
    """Return the labels that moves and rotations bring to each point."""
    definition, solved = rules.view.definition, rules.definition.solved[0]
    changes = [effect.sources for effects in definition.generators.values() for effect in effects]
    labels_at = [set[int]() for _ in solved]
    for points in orbits(len(solved), [*changes, *definition.rotations.values()]):
        for point in points:
            labels_at[point] = {solved[source] for source in points}
    return labels_at


def _learnt(
    samples: Sequence[_Sample], looks: Sequence[Sequence[dict[str, Any]]], possible: Sequence[set[int]]
) -> list[dict[str, Any]]:
    """Return for each sticker the point whose label decides what it shows, and what each label shows."""

    def learn(sticker: int) -> dict[str, object]:
        if all(look[sticker] == looks[0][sticker] for look in looks):
            return looks[0][sticker]
        for point, labels in enumerate(possible):
            pairs = [(sample.place[point], look[sticker]) for sample, look in zip(samples, looks, strict=True)]
            look_of = dict(pairs)
            if look_of.keys() == labels and all(look_of[label] == look for label, look in pairs):
                return {"point": point, "looks": look_of}
        raise ValueError("the look of a sticker does not follow from one label")

    return [learn(sticker) for sticker in range(len(looks[0]))]


def _motions(rules: DerivedRules, scene: Scene) -> dict[str, Any] | None:
    """Return the motion of each move and rotation, with the places of parts after it; None if one leaves all places."""
    definition, state = rules.view.definition, rules.view.solved(None)
    places = [middle(part) for part in scene.parts]
    motions = {}
    for name in (*definition.generators, *definition.rotations):
        for amount in range(1, definition.order(name) or 2):
            move = definition.written([Power(name, amount)])
            motion = rules.view.motion(state, move)
            (step,) = player.steps(rules, state, scene, [move])
            images = [motion.moved(places[part]) for part in step["parts"]]
            if not set(images) <= set(places):
                return None
            motions[move] = step | {"targets": [places.index(image) for image in images]}
    return motions
