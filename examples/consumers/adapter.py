"""What every adapter here needs of the contract: the job, names of files, a status.

Nothing of the harness is imported: an adapter is a consumer's own code, and knows the contract
only. Python's standard library is enough.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

Json = dict[str, Any]
DEBEZIUM = frozenset({"vitess", "debezium-mysql"})  # the protocols of its connectors
JSON = "org.apache.kafka.connect.json.JsonConverter"  # theirs, unless they are told otherwise
HOME = Path.home() / ".cache" / "cdc-third-parties"  # where fetch.py puts what adapters run


def job() -> Json:
    """Return the job that HARNESS_JOB names."""
    found: Json = json.loads(Path(os.environ["HARNESS_JOB"]).read_text(encoding="utf-8"))
    return found


def out_dir(job: Json, feed: Json) -> Path:
    """Return a changefeed's result directory."""
    return Path(job["out_dir"], feed["dir"])


def say(job: Json, feed: Json, **status: Any) -> None:  # noqa: ANN401 - what the contract has
    """Write a changefeed's status, whole or not at all: `say(job, feed, status="done")`."""
    file = out_dir(job, feed) / "status.json"
    part = file.with_suffix(".part")
    part.write_text(json.dumps(status), encoding="utf-8")
    part.replace(file)


def file_name(schema: str, table: str) -> str:
    """Return the name of a table's file: every byte outside [A-Za-z0-9_-] as %XX."""
    return f"{_percent(schema)}.{_percent(table)}.jsonl"


def write_table(
    job: Json, feed: Json, table: tuple[str, str], rows: Iterable[Mapping[str, object]]
) -> None:
    """Write the rows of one table."""
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    if lines:
        place = out_dir(job, feed) / "tables" / file_name(*table)
        place.write_text(lines, encoding="utf-8")


def table_of(topic: Json) -> tuple[str, str] | None:
    """Return the table that a Debezium topic is named after; None for a topic of no table."""
    parts = topic["canonical"].split(".")
    is_named = topic["role"] == "data" and len(parts) > 2
    return (parts[-2], parts[-1]) if is_named else None


def installed(job: Json, adapter: str, *needed: str) -> bool:
    """Return whether fetch.py was run for an adapter; when not, every changefeed says so."""
    absent = [path for path in needed if not (HOME / adapter / path).exists()]
    for feed in job["changefeeds"] if absent else ():
        what = f"{HOME / adapter / absent[0]} is not there"
        todo = f"run: python examples/consumers/fetch.py {adapter}"
        say(job, feed, status="error", error=f"{what}; {todo}")
    return not absent


def _percent(name: str) -> str:
    encoded = name.encode()
    return "".join(
        chr(byte) if re.match(rb"[A-Za-z0-9_-]", bytes([byte])) else f"%{byte:02X}"
        for byte in encoded
    )
