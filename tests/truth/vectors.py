"""Vectors of the committed subset, and the ways to spoil one."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from harness.truth.kinds import COMPARISONS, kind_of
from harness.truth.read import vector_files, vectors
from harness.truth.result import Result, Vector
from harness.truth.run import guarded

SUBSET = Path(__file__).parents[2] / "golden" / "truth"
ROOT = os.environ.get("CDC_TRUTH_DIR")
ALL = Path(ROOT) if ROOT else None
FILES = vector_files(SUBSET)


def named(path: Path) -> str:
    """Return a file's directory and name, as test ids show it."""
    return f"{path.parent.name}/{path.name}"


def vector(name: str, vector_id: str = "") -> dict[str, Any]:
    """Return a copy of a subset file's vector by its id, the first without one."""
    for _, found in vectors(SUBSET / name):
        if vector_id in {"", found["id"]}:
            return copy.deepcopy(dict(found))
    raise KeyError(vector_id)


def written(path: Path, lines: Iterable[Vector]) -> Path:
    """Write a file of vectors, return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def judged(changed: dict[str, Any]) -> Result:
    """Return what the comparison of a vector's kind says."""
    return guarded(COMPARISONS[kind_of(changed)], changed)
