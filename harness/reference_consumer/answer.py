"""One changefeed from first event to result directory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import orjson

from harness.contracts import BoundCodec, SchemaRegistry, StoresOutside
from harness.ddl import Catalogue
from harness.errors import HarnessError
from harness.model.decoded import DecodedEvent, EventKind
from harness.model.large import Rows, whole
from harness.model.values import Value
from harness.protocols import PROTOCOLS
from harness.reference_consumer.arrive import Arrivals
from harness.reference_consumer.hold import Hold, Ready
from harness.reference_consumer.large import claims, left_out
from harness.reference_consumer.tables import Tables
from harness.runner.contract import names

# The longest file name that every common file system takes, in bytes.
FILE_NAME_MAX = 255
MODES = ("bounded", "decode")
_OPS = {EventKind.UPSERT: "insert"}


class Changefeed:
    """The state of one changefeed; an error ends it and leaves others untouched.

    Events wait in `room` and make `tables`; `events` and `ddl` are lines of the answer.
    """

    def __init__(
        self,
        job: Mapping[str, Any],
        mode: str = "bounded",
        registry: SchemaRegistry | None = None,
        wire: BoundCodec | None = None,
    ) -> None:
        """Take the changefeed's part of job.json, the job's mode, and where schemas are read.

        `wire` is one that is bound already, to the same settings.
        """
        self._needs = unknown(job, mode)
        self.wire: BoundCodec | None = wire
        if wire is None and not self._needs:
            self.wire = bound(job, registry)
        large = job.get("large_messages")
        self._left_out: Rows = {} if large is None else left_out(Path(large))
        partitions = {(t["name"], p) for t in job["topics"] for p in range(t["partitions"])}
        self.room: Hold | Arrivals = Arrivals(dated=_is_dated(job["protocol"]))
        if job["complete"] is not None:
            self.room = Hold(partitions, job["complete"])
        self.tables = Tables(Catalogue.empty())
        self.events: list[dict[str, Any]] = []
        self.ddl: list[dict[str, Any]] = []
        self.error = ""
        self.stopped_at = ("", 0, 0)

    def take(self, topic: str, partition: int, offset: int, pair: tuple[Any, Any]) -> None:
        """Take one message, as (key, value); one without either is no event of anybody's."""
        if self.error or self.wire is None or not any(pair):
            return
        try:
            for event in self.wire.decode(*pair):
                for ready in self.room.take(event, (topic, partition, offset)):
                    self.apply(ready)
        except (HarnessError, ValueError, KeyError) as error:
            self.give_up(topic, partition, offset, str(error))

    def give_up(self, topic: str, partition: int, offset: int, why: str) -> None:
        """End this changefeed for what is wrong at a place."""
        if not self.error:
            self.error = f"{topic}/{partition}@{offset}: {why}"
            self.stopped_at = (topic, partition, offset)

    def apply(self, ready: Ready) -> None:
        """Apply an event whose time has come, and remember it for the answer."""
        event = ready.event
        if event.empties:
            self.tables.empty(event)
        elif event.kind is EventKind.DDL:
            self.tables.apply_ddl(event)
            self.ddl.append(
                {
                    "query": event.query,
                    "type": event.type,
                    "schema": event.schema,
                    "table": event.table,
                    "commit_ts": str(event.commit_ts),
                }
            )
        else:
            event = whole(self.tables.settle(event), self._left_out)
            self.tables.apply_row(event)
            self.events.append(_event_json(event, ready.place))

    def answer(self, directory: Path, between: Callable[[], None] = lambda: None) -> None:
        """Write the result files, `status.json` last; `between` is called between two of them."""
        tables = directory / "tables"
        tables.mkdir(parents=True, exist_ok=True)
        index: dict[str, dict[str, str]] = {}
        for number, (table, rows) in enumerate(self.tables.all().items()):
            name = names.encode(table)
            if len(name) > FILE_NAME_MAX:
                name = f"{number}{names.SUFFIX}"
                index[name] = {"schema": table.schema, "name": table.name}
            write_lines(tables / name, map(json_row, rows))
            between()
        if index:
            (directory / "tables.json").write_bytes(orjson.dumps(index))
        write_lines(directory / "events.jsonl", self.events)
        between()
        write_lines(directory / "ddl.jsonl", self.ddl)
        between()
        (directory / "status.json").write_bytes(orjson.dumps(self._status()))

    def _status(self) -> dict[str, Any]:
        if self._needs:
            return {"status": "not-applicable", "needs": self._needs}
        if self.error:
            place = dict(zip(("topic", "partition", "offset"), self.stopped_at, strict=True))
            return {"status": "error", "error": self.error, "messages": [place]}
        return {"status": "done"}


def bound(job: Mapping[str, Any], registry: SchemaRegistry | None) -> BoundCodec:
    """Return the decoder of a changefeed whose protocol and dialect are known."""
    codec = PROTOCOLS[job["protocol"]].codec
    wire = codec.bind(job["settings"], job["dialect"], registry)
    large = job.get("large_messages")
    if large is None or not isinstance(wire, StoresOutside):
        return wire
    return wire.reading(claims(Path(large)))


def unknown(job: Mapping[str, Any], mode: str) -> str:
    """Return what the job asks for and we do not know, in the contract's words, or nothing."""
    if mode not in MODES:
        return f"mode:{mode}"
    if job["protocol"] not in PROTOCOLS:
        return f"protocol:{job['protocol']}"
    dialects = PROTOCOLS[job["protocol"]].codec.dialects
    return "" if job["dialect"] in dialects else f"dialect:{job['dialect']}"


def _is_dated(protocol: str) -> bool:
    return protocol in PROTOCOLS and PROTOCOLS[protocol].dated


def _event_json(event: DecodedEvent, place: tuple[str, int, int]) -> dict[str, Any]:
    topic, partition, offset = place
    before = event.key if event.kind is EventKind.DELETE and not event.before else event.before
    return {
        "op": _OPS.get(event.kind, event.kind.value),
        "schema": event.schema,
        "table": event.table,
        "before": None if before is None else json_row(before),
        "after": None if event.after is None else json_row(event.after),
        # What carries no commit ts (Avro's tombstone) is reported without one.
        "commit_ts": str(event.commit_ts) if event.commit_ts else None,
        "topic": topic,
        "partition": partition,
        "offset": offset,
    }


def json_row(row: Mapping[str, Value]) -> dict[str, Any]:
    """Return a row in the contract's values."""
    return {name: value.hex() if isinstance(value, bytes) else value for name, value in row.items()}


def write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write a file of JSON lines; what `rows` raises is raised here."""
    with path.open("wb") as file:
        for row in rows:
            file.write(orjson.dumps(row) + b"\n")
