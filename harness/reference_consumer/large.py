"""What messages only point to, read from the directory that stands beside the topics."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

from harness.model.large import Identity, Rows, identity
from harness.model.values import Value

ROWS = "rows.jsonl"


def claims(directory: Path) -> Callable[[str], bytes]:
    """Return what reads a claim check by its name."""
    return lambda name: (directory / name).read_bytes()


def left_out(directory: Path) -> Rows:
    """Return the rows of which messages have the handle key only; none without their file."""
    try:
        lines = (directory / ROWS).read_bytes().splitlines()
    except FileNotFoundError:
        return {}
    return dict(map(_row, lines))


def _row(line: bytes) -> tuple[Identity, dict[str, Value]]:
    found: dict[str, Any] = orjson.loads(line)
    where = identity(found["schema"], found["table"], found["commit_ts"], found["key"])
    return where, found["row"]
