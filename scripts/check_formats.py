"""Compare the formats of other packages with the packages, as far as they are installed: docs/definitions.md.

``python scripts/check_formats.py`` names each comparison. cubing.js is looked for in the folder that CUBING names, as
``npm pack cubing`` unpacks it. With ``--samples`` it prints tests/data/formats.json, which needs all packages.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from cubesolve import puzzle
from cubesolve.learn.dataset import Dataset

ALGS = ("R U F", "x y R' D2", "L B' z2 D", "F2 U' x L2 D B R")


def cayleypy() -> None:
    """Graphs in both directions: layers of a small one that it made, and walks through ours."""
    from cayleypy import CayleyGraph, CayleyGraphDef, Puzzles  # noqa: PLC0415

    graph = Puzzles.mini_pyramorphix()
    info = {"central_state": graph.central_state, "generators": _named(graph)}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(info, file)
        file.flush()
        ours = puzzle(file.name)
    assert list(ours.distribution()) == CayleyGraph(graph).bfs().layer_sizes
    for name, metric in (("rubik", "qtm"), ("skewb", None), ("megaminx", None), ("pancake-8", None)):
        asked = puzzle(name)
        written = json.loads(asked.definition("cayleypy", metric=metric))
        made = CayleyGraphDef.create(
            list(written["generators"].values()), list(written["generators"]), written["central_state"], written["name"]
        )
        assert made.generators_inverse_closed
        arrays = asked.state_arrays(metric=metric)
        walks = arrays.walks(20, 9, rng=1)
        theirs = [
            CayleyGraph(made).apply_path(arrays.solved.tolist(), path)[0].tolist() for path in walks.moves.tolist()
        ]
        assert theirs == walks.states.tolist(), name


def _named(graph: Any) -> dict[str, list[int]]:
    return dict(zip(graph.generator_names, graph.generators, strict=True))


def huggingface_hub() -> None:
    """The card of a data set, with its parser and validator."""
    from huggingface_hub import DatasetCard  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        Dataset("tiles-2x3", 100, split="0.8/0.2").write(folder)
        data = DatasetCard.load(f"{folder}/README.md").data.to_dict()
    assert data["license"] == "mit"
    assert data["size_categories"] == ["n<1K"]
    assert [each["split"] for each in data["configs"][0]["data_files"]] == ["train", "test"]


def datasets() -> None:
    """The files and the card of a data set, as it loads them."""
    from datasets import load_dataset  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        Dataset("tiles-2x3", 100, split="0.8/0.2").write(f"{folder}/set")
        loaded = load_dataset(f"{folder}/set", cache_dir=f"{folder}/cache")
        assert {name: len(rows) for name, rows in loaded.items()} == {"train": 80, "test": 20}
        tiles = puzzle("tiles-2x3")
        assert tiles.depths(np.array(loaded["test"]["state"])).tolist() == list(loaded["test"]["depth"])


def cubing() -> None:
    """Patterns and definitions of KPuzzle, with cubing.js."""
    module = Path(os.environ["CUBING"], "dist", "lib", "cubing").absolute().as_uri()
    with tempfile.TemporaryDirectory() as folder:
        for name, theirs in (("rubik", "3x3x3"), ("pocket", "2x2x2")):
            asked = puzzle(name)
            for source in (f"await puzzles[{theirs!r}].kpuzzle()", f"new KPuzzle({asked.definition('kpuzzle')})"):
                for alg in ALGS:
                    made = _run(folder, module, source, alg)
                    assert made["pattern"] == json.loads(asked.write(asked.parse(alg, "alg"), "kpuzzle")), (name, alg)
        for name in ("skewb", "megaminx", "4x4x4", "pyraminx"):
            asked = puzzle(name)
            alg = " ".join(list(asked.moves)[:: max(1, len(asked.moves) // 7)])
            made = _run(folder, module, f"new KPuzzle({asked.definition('kpuzzle')})", alg)
            assert asked.parse(json.dumps(made["pattern"]), "kpuzzle") == asked.parse(alg, "alg"), name


def _run(folder: str, module: str, source: str, alg: str) -> Any:
    """Return the pattern of an alg, as cubing.js computes it."""
    script = Path(folder, "pattern.mjs")
    script.write_text(
        f'import {{ KPuzzle }} from "{module}/kpuzzle/index.js";\n'
        f'import {{ puzzles }} from "{module}/puzzles/index.js";\n'
        f"const kpuzzle = {source};\nconst pattern = kpuzzle.defaultPattern().applyAlg({alg!r});\n"
        f"const transformation = kpuzzle.algToTransformation({alg!r}).transformationData;\n"
        "console.log(JSON.stringify({pattern: pattern.patternData, transformation}));\n"
    )
    return json.loads(subprocess.run(["node", str(script)], check=True, capture_output=True, text=True).stdout)


def samples() -> dict[str, Any]:
    """Return what the packages make."""
    from cayleypy import CayleyGraph, Puzzles  # noqa: PLC0415

    graph = Puzzles.mini_pyramorphix()
    info = {"central_state": graph.central_state, "generators": _named(graph)}
    module = Path(os.environ["CUBING"], "dist", "lib", "cubing").absolute().as_uri()
    with tempfile.TemporaryDirectory() as folder:
        patterns = {
            name: {alg: _run(folder, module, f"await puzzles[{theirs!r}].kpuzzle()", alg)["pattern"] for alg in ALGS}
            for name, theirs in (("rubik", "3x3x3"), ("pocket", "2x2x2"))
        }
        moved = _run(folder, module, "await puzzles['3x3x3'].kpuzzle()", "R")["transformation"]
    return {
        "cayleypy": {"graph": info, "layers": CayleyGraph(graph).bfs().layer_sizes},
        "cubing": {"patterns": patterns, "R": moved},
    }


def main() -> int:
    """Make all comparisons; return the number of those that fail."""
    checks: dict[Callable[[], None], bool] = {
        check: importlib.util.find_spec(check.__name__) is not None for check in (cayleypy, huggingface_hub, datasets)
    }
    checks[cubing] = "CUBING" in os.environ and shutil.which("node") is not None
    if "--samples" in sys.argv[1:]:
        print(json.dumps(samples()))
        return 0
    failed = 0
    for check, there in checks.items():
        outcome = "not installed"
        if there:
            try:
                check()
                outcome = "agrees"
            except AssertionError as error:
                outcome, failed = f"differs: {error}", failed + 1
        print(f"{check.__name__}: {outcome}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
