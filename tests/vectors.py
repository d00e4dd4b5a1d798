"""Where vendor vectors are, and what `harness truth` reads in them, for tests that judge by it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from harness.model.source_events import RowEvent
from harness.truth import read
from harness.truth.result import Vector
from harness.truth.ticdc_config import raw_changes, settings_of, sink_of
from harness.truth.ticdc_rows import mount_rows

__all__ = [
    "SUBSET",
    "Vector",
    "full_truth",
    "lines",
    "mounted_rows",
    "raw_changes",
    "row_vectors",
    "settings_of",
    "sink_of",
]

SUBSET = Path(__file__).parents[1] / "golden" / "truth" / "ticdc"


def mounted_rows(vector: Vector) -> list[RowEvent]:
    """Return the row events that the encoder was given, in order, each to its partition."""
    mounted = mount_rows(vector)
    if mounted.differences:
        raise AssertionError(f"{vector['id']}: {mounted.differences[0]}")
    return list(mounted.rows)


def full_truth() -> Path | None:
    """Return the directory of all TiCDC vectors, None when `CDC_TRUTH_DIR` does not name it."""
    root = os.environ.get("CDC_TRUTH_DIR")
    return Path(root) / "ticdc" if root else None


@cache
def lines(path: Path) -> tuple[Vector, ...]:
    """Return the vectors of a file."""
    return tuple(vector for _, vector in read.vectors(path))


def row_vectors(path: Path) -> Iterator[Vector]:
    """Yield the lines of a file that hold row changes and their messages."""
    for vector in lines(path):
        if vector.get("kind") == "dml" and vector.get("dispatch"):
            yield vector
