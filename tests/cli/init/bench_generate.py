"""bench/generate.py is a script, not a package: loaded by its path."""

import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType


@cache
def generate() -> ModuleType:
    path = Path(__file__).parents[3] / "bench" / "generate.py"
    spec = importlib.util.spec_from_file_location("railyard_bench_generate", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
