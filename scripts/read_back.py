"""Apply scrambles of each event with another implementation of the notation, and compare the states.

The package `cubing` (npm install cubing) applies them, under node. Both programs turn points of the puzzle: places of
pieces in each orientation. The points of one are matched with those of the other by the effects of single moves; after
a whole scramble, each label must then be on the point that matches the one where the other program has it.

    npm install --prefix /tmp/cubing cubing@0.56.0
    python scripts/read_back.py /tmp/cubing -n 20
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from cubesolve import lookup
from cubesolve.group.permutations import identity
from cubesolve.practice.events import EVENTS, scrambles
from cubesolve.spaces.rules import Rules

NAMES = {
    "pocket": "2x2x2", "rubik": "3x3x3", "pyraminx-tips": "pyraminx", "square1": "square1", "clock": "clock",
}  # fmt: skip
"""The names of puzzles there, where they differ."""

PROGRAM = """
import { readFileSync } from "node:fs";
import { puzzles } from "cubing/puzzles";
const asked = JSON.parse(readFileSync(0, "utf8"));
const answers = {};
for (const [puzzle, algs] of Object.entries(asked)) {
  const kpuzzle = await puzzles[puzzle].kpuzzle();
  const orbits = kpuzzle.definition.orbits;
  const answer = algs.map((alg) => {
    const all = kpuzzle.algToTransformation(alg).transformationData;
    return orbits.map((o) => [o.numOrientations, all[o.orbitName].permutation, all[o.orbitName].orientationDelta]);
  });
  answers[puzzle] = answer;
}
console.log(JSON.stringify(answers));
"""

Sources = Sequence[int]
"""For each point, the point that its label comes from."""


def main() -> int:
    """Compare, and print a line for each event; return 1 if a state differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", help="the folder that contains node_modules")
    parser.add_argument("-n", type=int, default=5, help="the number of scrambles of each event")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    drawn = {event: [each.alg for each in scrambles(event, options.n, options.seed)] for event in EVENTS}
    moves = {event: sorted({move for alg in algs for move in _split(event, alg)}) for event, algs in drawn.items()}
    asked: dict[str, list[str]] = {}
    for event, algs in drawn.items():
        name = EVENTS[event].puzzle
        asked.setdefault(NAMES.get(name, name), []).extend([*moves[event], *algs])
    command = ["node", "--input-type=module", "--eval", PROGRAM]
    done = subprocess.run(
        command, input=json.dumps(asked), text=True, capture_output=True, check=False, cwd=options.folder
    )
    if done.returncode:
        sys.exit(done.stderr)
    answers = {name: iter(each) for name, each in json.loads(done.stdout).items()}
    wrong = 0
    for event, algs in drawn.items():
        name = EVENTS[event].puzzle
        there = answers[NAMES.get(name, name)]
        theirs = {alg: _points(next(there)) for alg in (*moves[event], *algs)}
        same = _agreeing(lookup.puzzle(name).rules, moves[event], algs, theirs)
        print(f"{event:7} {same} of {len(algs)} scrambles lead to the same state")
        wrong += len(algs) - same
    return int(wrong > 0)


def _split(event: str, alg: str) -> list[str]:
    return lookup.puzzle(EVENTS[event].puzzle).rules.view.split(alg)


def _points(orbits: Sequence[tuple[int, Sequence[int], Sequence[int]]]) -> list[int]:
    """Return the sources of all points after an alg of the other program."""
    found = list[int]()
    for orientations, pieces, turned in orbits:
        first = len(found)
        for piece, turn in zip(pieces, turned, strict=True):
            found += [first + piece * orientations + (each - turn) % orientations for each in range(orientations)]
    return found


def _ours(rules: Rules, alg: str) -> Sources:
    """Return the sources of all points after an alg, whether or not its moves are blocked."""
    view: Any = rules.view
    if rules.name == "clock":
        return _dials(rules, alg)
    definition = view.definition._replace(illegal=frozenset())
    return tuple(definition.apply(identity(definition.points), definition.parse(alg)))


def _dials(rules: Rules, alg: str) -> Sources:
    """Return the same for Rubik's Clock, whose points are the hours of all dials."""
    view: Any = rules.view
    state = view.read(alg)
    hours = [*state.hours[: len(state.back)], *state.back]  # turning around exchanges the two halves
    half = len(hours) // 2
    behind = alg.split().count("y2") % 2
    return [
        12 * ((dial + half * behind) % (2 * half)) + (hour - turned) % 12
        for dial, turned in enumerate(hours)
        for hour in range(12)
    ]


def _agreeing(rules: Rules, moves: Sequence[str], algs: Sequence[str], theirs: Mapping[str, Sources]) -> int:
    """Return the number of algs after which matching points have matching labels."""
    ours = {alg: _ours(rules, alg) for alg in (*moves, *algs)}
    pairs = [(ours[move], theirs[move]) for move in moves]
    matches, seen = list[dict[int, int]](), set[int]()
    for point in range(len(ours[algs[0]])):
        if point not in seen:
            found = (_matched(other, point, pairs) for other in range(len(theirs[algs[0]])))
            matches.append(next((each for each in found if each), {}))
            seen.update(matches[-1].values())
            if point not in seen:
                sys.exit(f"{rules.name}: the moves of the other program have other effects")
    both = [(there, match) for match in matches for there in match]
    return sum(all(ours[alg][match[there]] == match[theirs[alg][there]] for there, match in both) for alg in algs)


def _matched(other: int, point: int, pairs: Sequence[tuple[Sources, Sources]]) -> dict[int, int]:
    """Return our point for each one of an orbit there, if two points match; none if moves have other effects.

    Several points there may match one of ours, as those of a centre whose orientation is not shown.
    """
    match = {other: point}
    for there in (reached := [other]):
        for ours, theirs in pairs:
            if theirs[there] not in match:
                match[theirs[there]] = ours[match[there]]
                reached.append(theirs[there])
            elif match[theirs[there]] != ours[match[there]]:
                return {}
    return match


if __name__ == "__main__":
    sys.exit(main())
