"""Import every module that defines kernels, so that it registers them."""

import importlib
import pathlib
import re

import cubesolve

_ROOT = pathlib.Path(cubesolve.__file__).parent

for _path in sorted(_ROOT.rglob("*.py")):
    if re.search(r"^@\w*kernel\(", _path.read_text("utf-8"), re.MULTILINE):
        importlib.import_module(".".join(["cubesolve", *_path.relative_to(_ROOT).with_suffix("").parts]))
