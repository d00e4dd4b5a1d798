"""Which YAML file is a scenario, and which directory its id counts from.

A YAML file that is no scenario is left alone, but a scenario with a mistake in it never goes
unnoticed. So what lies under a root that keeps recorded changes is one whatever it says, and
elsewhere the first lines or the top-level keys decide, not whether the file is valid.
"""

from __future__ import annotations

import re
from pathlib import Path

HEAD_BYTES = 1 << 16
SCENARIOS, GOLDEN, LOCK = "scenarios", "golden", "changes.jsonl"
# The line that editors read, as `harness new scenario` writes it.
SCHEMA = re.compile(
    rb"^#\s*yaml-language-server:.*(harness/scenario/grammar|scenario\.schema)\.json", re.MULTILINE
)
KEY = re.compile(rb"^([a-z]+):", re.MULTILINE)
KEYS = frozenset({b"id", b"upstream", b"expect"})
ID = re.compile(rb"^id:\s*[\"']?([A-Za-z0-9_.-]+)", re.MULTILINE)


def root_of(path: Path) -> Path | None:
    """Return the root of the scenario in a file; None when the file is none."""
    above = next((one for one in path.parents if one.name == SCENARIOS), None)
    if above is not None and _keeps_changes(above.parent / GOLDEN):
        return above
    try:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
    except OSError:
        return None
    if not SCHEMA.search(head) and not set(KEY.findall(head)) >= KEYS:
        return None
    return above or _by_id(path, head) or path.parent


def _keeps_changes(golden: Path) -> bool:
    """Return whether a directory holds the recorded changes of at least one scenario."""
    return golden.is_dir() and next(golden.rglob(LOCK), None) is not None


def _by_id(path: Path, head: bytes) -> Path | None:
    """Return the directory from which the file's path equals its id."""
    found = ID.search(head)
    parts = found[1].decode().split(".") if found else []
    if not parts or tuple(parts) != (*path.parts[-len(parts) : -1], path.stem):
        return None
    return path.parents[len(parts) - 1]
