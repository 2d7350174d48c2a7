"""Break the code in one place after the other, and check that a test of that part fails.

Run it as `python scripts/mutants.py`, or with words of paths, as `python scripts/mutants.py store judge`, for some.
Each mutant is made in a copy of the checkout. The status is 1 if the tests of a part pass with one of its mutants, or
if the code to break is not there any more: then the list below needs another mutant.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]


class Mutant(NamedTuple):
    """A change of one line, and the tests that must notice it."""

    module: str  # below the package
    code: str  # which the module has once
    instead: str
    tests: str  # files of tests or with doctests, and words of names after a colon


MUTANTS = [
    # group
    Mutant(
        "group/permutations.py", "len(all_cycles)) % 2 == 1", "len(all_cycles)) % 2 == 0", "definitions/test_group.py"
    ),
    Mutant("group/canonical.py", "if other < alg:", "if other > alg:", "definitions/test_canonical.py"),
    Mutant(
        "group/full_group.py",
        "return self._is_alternating and self._modulus == 1",
        "return self._is_alternating",
        "definitions/test_group.py",
    ),
    Mutant(
        "group/isomorphism.py",
        "if len(chosen) == len(known):",
        "if len(chosen) == len(known) - 1:",
        "test_isomorphic.py",
    ),
    # definition
    Mutant(
        "definition/several.py",
        "for state in solved}) > 1:",
        "for state in solved}) > 9:",
        "catalog/test_random_puzzles.py:hashed",
    ),
    Mutant(
        "definition/facelets.py",
        'size - (4 if letter.endswith("w") else 2)',
        "size - 2",
        "test_notation.py test_rubik.py",
    ),
    Mutant(
        "definition/notation.py",
        "(undone(first) if group.joint else [])",
        '(undone(first) if group.joint == "," else [])',
        "test_notation.py",
    ),
    Mutant(
        "definition/formats/kpuzzle.py",
        "if modulus and orbit.orientations % modulus:",
        "if modulus > 9:",
        "definitions/test_readers.py definitions/test_bad_definitions.py",
    ),
    Mutant(
        "definition/reach.py",
        "if any(moved[point] == label",
        "if any(moved[point] != label",
        "definitions/test_reach.py",
    ),
    # spaces
    Mutant(
        "spaces/derive.py",
        "valid = (placement >= 0) & (arrangement >= 0)",
        "valid = placement >= 0",
        "spaces/test_derive.py",
    ),
    Mutant(
        "spaces/symmetric.py", "np.count_nonzero(ties > 1)", "np.count_nonzero(ties > 2)", "spaces/test_symmetric.py"
    ),
    Mutant("spaces/rows.py", "turn = (state >> 64 ^ state)", "turn = (state >> 63 ^ state)", "spaces/test_derive.py"),
    # encodings, store and counting
    Mutant(
        "encodings/proof.py",
        "if steps[m, 0] >= 0 and costs[m] == cost:",
        "if steps[m, 0] >= 0:",
        "encodings/test_proof.py",
    ),
    Mutant(
        "encodings/mod3_proof.py",
        "if _entry(words, to) != (depth + 1) % 3:",
        "if _entry(words, to) == depth % 3:",
        "encodings/test_mod3.py",
    ),
    Mutant(
        "encodings/descent.py",
        "nearer = there == here - costs",
        "nearer = there == here - 1",
        "encodings/test_proof.py",
    ),
    Mutant(
        "encodings/enumeration.py",
        "if cost <= depth], depth, 0)",
        "if cost < depth], depth, 0)",
        "encodings/test_encodings.py",
    ),
    Mutant(
        "encodings/shards.py",
        "clear = fibre.shape[1], sources.entries.words, np.uint64(3 ^ depth % 3)",
        "clear = fibre.shape[1], sources.entries.words, np.uint64(3)",
        "encodings/test_mod3.py",
    ),
    Mutant("store/tablefile.py", "if crc != expected_crc:", "if crc < 0:", "test_tablefile.py"),
    Mutant(
        "store/tablefile.py",
        "if sha256.hexdigest() != header.sha256:",
        "if not header.sha256:",
        "test_tablefile.py lookup/test_large_tables.py",
    ),
    Mutant("store/checkpoint.py", "or len(counts) <= self.kept_levels:", "or len(counts) <= 1:", "test_checkpoint.py"),
    Mutant("store/unpacked.py", "if free < body_bytes(header):", "if free < 0:", "test_tablefile.py"),
    Mutant("counting/records.py", "else states == found.known", "else states <= found.known", "test_cli.py:answered"),
    # runtime
    Mutant(
        "runtime/files.py",
        "and not status.st_mode & OTHERS_WRITE",
        "and status.st_mode >= 0",
        "test_files.py test_stored_code.py test_tablefile.py",
    ),
    Mutant(
        "runtime/deadline.py",
        "solution.length < best.solution.length",
        "solution.length > best.solution.length",
        "lookup/test_timeouts.py test_improving.py",
    ),
    Mutant(
        "runtime/stored_code.py",
        "if hashlib.sha256(code).digest() == content[:_DIGEST] else None",
        "if content else None",
        "test_stored_code.py",
    ),
    # search
    Mutant(
        "search/near.py",
        "if best is not None and best <= least:",
        "if best is not None:",
        "lookup/test_searched.py:cheapest",
    ),
    Mutant(
        "search/near.py",
        "if seen + growth * len(fewer.levels[-1]) > most:",
        "if seen > most:",
        "lookup/test_searched.py",
    ),
    Mutant(
        "search/gaps.py",
        "apart = moved[:, one] != moved[:, other]",
        "apart = moved[:, one]",
        "lookup/test_searched.py lookup/test_slips.py",
    ),
    Mutant("search/slides.py", "numbers[following], -1)", "numbers[following - 1], -1)", "lookup/test_sliding.py"),
    Mutant(
        "search/limits.py",
        "if limit is not None and depth > limit:",
        "if limit is not None and depth >= limit:",
        "lookup/test_searched.py test_rubik_search.py",
    ),
    Mutant("search/phases.py", "odd ^= own < other", "odd ^= own > 0", "test_phases.py"),
    Mutant(
        "search/stages.py",
        "order = order * (count - taken) + other - before",
        "order = order * (count - taken) + other",
        "test_stages.py",
    ),
    # solvers
    Mutant(
        "solvers/questions.py",
        "is_kept = deadline.is_limited and",
        "is_kept = not deadline.is_limited and",
        "lookup/test_timeouts.py test_improving.py lookup/test_questions.py",
    ),
    Mutant(
        "solvers/goals.py",
        "in itertools.chain([*self._otherwise.values()], self._restarted(given)):",
        "in ():",
        "lookup/test_goals.py",
    ),
    Mutant(
        "solvers/isomorphic.py",
        "if number == len(alg) and self.turns[frame] in ends:",
        "if number == len(alg):",
        "test_isomorphic.py",
    ),
    # catalog
    Mutant(
        "catalog/pocket/cube.py",
        "weight = 3 ** (5 - position) if position < 6",
        "weight = 3 ** (5 - position) if position < 5",
        "test_pocket.py",
    ),
    Mutant(
        "catalog/rubik/cube.py",
        "if is_odd(cubies.corners) != is_odd(cubies.edges):",
        "if is_odd(cubies.corners) and False:",
        "test_rubik.py",
    ),
    Mutant("catalog/clock/dials.py", "hours=-self.hours % HOURS", "hours=self.hours", "catalog/test_clock.py"),
    Mutant("catalog/square1/coordinates.py", "swapped ^= choice", "swapped |= choice", "catalog/test_square1.py"),
    Mutant("catalog/rolling/tray.py", "if len(vacancies) > 1:", "if len(vacancies) > 2:", "test_commands.py:rolling"),
    Mutant(
        "catalog/pancake.py",
        "for number in range(2, pancakes + 1)",
        "for number in range(2, pancakes)",
        "catalog/test_names.py catalog/test_distributions.py",
    ),
    # what people do with it
    Mutant(
        "practice/analysis.py",
        "if now[0] > before[1] - length:",
        "if now[0] >= before[1] - length:",
        "test_analysis.py",
    ),
    Mutant(
        "practice/ergonomics.py",
        "self.regrip * self._regrips(hand, moves)",
        "self._regrips(hand, moves)",
        "cubesolve/practice/ergonomics.py",
    ),
    Mutant(
        "practice/inverses.py",
        'what = "exchanged" if len(cycle) == 2',
        'what = "exchanged" if len(cycle) == 3',
        "test_cli.py:answered",
    ),
    Mutant("learn/envs/episodes.py", "self._known_distances() == 0)", "self._known_distances() <= 1)", "test_envs.py"),
    Mutant(
        "learn/dataset/splits.py",
        "while (outside := images >= size).any():",
        "while (outside := images > size).any():",
        "test_dataset.py",
    ),
    Mutant(
        "judge/rubiks.py", 'if least == "-1" or not number.isdecimal():', 'if least == "-1":', "test_judge_check.py"
    ),
    Mutant("picture/nets.py", "< face.distance + 1e-6", "< face.distance", "definitions/test_nets.py"),
    Mutant(
        "web/guard.py",
        "if any(origin != f\"{scope['scheme']}://{hosts[0]}\" for origin in origins):",
        "if False:",
        "web/test_api.py",
    ),
    Mutant(
        "embedding/embedded.py",
        "padded[: len(self.depths)] = self.depths % 3",
        "padded[: len(self.depths)] = self.depths % 4",
        "test_embedding.py",
    ),
    Mutant("cli/running.py", "if len(block) == lines:", "if len(block) >= lines - 1:", "test_cli.py"),
    Mutant(
        "lookup/finding.py",
        "return rules if rules.view == about else DerivedRules(about)",
        "return rules",
        "test_lookup.py",
    ),
]


def main() -> int:
    """Try the mutants that are asked for; return the status."""
    words = sys.argv[1:]
    chosen = [mutant for mutant in MUTANTS if not words or any(word in mutant.module for word in words)]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "checkout")
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv", ".cache", "site", ".hypothesis"))
        faults = [fault for mutant in chosen if (fault := _fault(mutant, copy)) is not None]
    print(*faults, f"{len(chosen) - len(faults)} of {len(chosen)} mutants were noticed", sep="\n")
    return 1 if faults else 0


def _fault(mutant: Mutant, copy: Path) -> str | None:
    """Return what is wrong if no test notices a mutant."""
    path = copy / "cubesolve" / mutant.module
    text = path.read_text()
    if text.count(mutant.code) != 1:
        return f"{mutant.module}: `{mutant.code}` is there {text.count(mutant.code)} times"
    path.write_text(text.replace(mutant.code, mutant.instead))
    try:
        passed = _pass(mutant.tests, copy)
    finally:
        path.write_text(text)
    print(f"{mutant.module}: {'not noticed' if passed else 'noticed'}", flush=True)
    return f"{mutant.module}: no test notices `{mutant.instead}`" if passed else None


def _pass(tests: str, copy: Path) -> bool:
    named, _, words = tests.partition(":")
    files = [file if file.startswith("cubesolve") else f"tests/{file}" for file in named.split()]
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", *files]
    if words:
        command += ["-k", words]
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    done = subprocess.run(command, check=False, cwd=copy, env=environment, capture_output=True)
    if done.returncode not in {0, 1}:
        raise SystemExit(f"pytest ended with {done.returncode}: {' '.join(command)}")
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
