"""One changefeed from first event to result directory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import orjson

from harness.consumers.contract import names
from harness.consumers.reference.hold import Hold, Ready
from harness.consumers.reference.tables import Tables
from harness.ddl import Catalogue
from harness.errors import HarnessError
from harness.model.decoded import DecodedEvent, EventKind
from harness.model.values import Value
from harness.protocols import PROTOCOLS

_OPS = {EventKind.UPSERT: "insert"}


class Changefeed:
    """The state of one changefeed; an error ends it and leaves others untouched."""

    def __init__(self, job: Mapping[str, Any]) -> None:
        """Take the changefeed's part of job.json."""
        self._wire = PROTOCOLS[job["protocol"]].bind(job["settings"], job["dialect"])
        partitions = {(t["name"], p) for t in job["topics"] for p in range(t["partitions"])}
        self._hold = Hold(partitions, job["complete"])
        self._tables = Tables(Catalogue.empty())
        self._events: list[dict[str, Any]] = []
        self._ddl: list[dict[str, Any]] = []
        self._error = ""

    def take(self, topic: str, partition: int, offset: int, pair: tuple[Any, Any]) -> None:
        """Take one message, as (key, value)."""
        if self._error:
            return
        try:
            for event in self._wire.decode(*pair):
                for ready in self._hold.take(event, (topic, partition, offset)):
                    self._apply(ready)
        except (HarnessError, ValueError, KeyError) as error:
            self._error = f"{topic}/{partition}@{offset}: {error}"

    def _apply(self, ready: Ready) -> None:
        event = ready.event
        if event.kind is EventKind.DDL:
            self._tables.apply_ddl(event)
            self._ddl.append(
                {
                    "query": event.query,
                    "type": event.type,
                    "schema": event.schema,
                    "table": event.table,
                    "commit_ts": str(event.commit_ts),
                }
            )
        else:
            self._tables.apply_row(event)
            self._events.append(_event_json(event, ready.place))

    def answer(self, directory: Path) -> None:
        """Write the result files, `status.json` last."""
        tables = directory / "tables"
        tables.mkdir(parents=True, exist_ok=True)
        for table, rows in self._tables.all().items():
            _write_lines(tables / names.encode(table), map(_json_row, rows))
        _write_lines(directory / "events.jsonl", self._events)
        _write_lines(directory / "ddl.jsonl", self._ddl)
        status = {"status": "error", "error": self._error} if self._error else {"status": "done"}
        (directory / "status.json").write_bytes(orjson.dumps(status))


def _event_json(event: DecodedEvent, place: tuple[str, int, int]) -> dict[str, Any]:
    topic, partition, offset = place
    return {
        "op": _OPS.get(event.kind, event.kind.value),
        "schema": event.schema,
        "table": event.table,
        "before": None if event.before is None else _json_row(event.before),
        "after": None if event.after is None else _json_row(event.after),
        "commit_ts": str(event.commit_ts),
        "topic": topic,
        "partition": partition,
        "offset": offset,
    }


def _json_row(row: Mapping[str, Value]) -> dict[str, Any]:
    return {name: value.hex() if isinstance(value, bytes) else value for name, value in row.items()}


def _write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    with path.open("wb") as file:
        for row in rows:
            file.write(orjson.dumps(row) + b"\n")
