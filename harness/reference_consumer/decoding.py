"""Level decode: the records of a file, and what each of them says, in order.

Not every wire distinguishes text from bytes; the DDL seen so far does.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from harness.contracts import BoundCodec
from harness.ddl import Catalogue, DdlError
from harness.errors import DecodingError, HarnessError, SchemaRefused
from harness.model.decoded import DecodedEvent, EventKind
from harness.model.large import Rows, whole
from harness.reference_consumer.answer import bound, json_row, unknown, write_lines
from harness.reference_consumer.large import left_out
from harness.reference_consumer.tables import Tables, with_schema

ROWS = frozenset({EventKind.INSERT, EventKind.UPDATE, EventKind.UPSERT, EventKind.DELETE})


def decode(feed: Mapping[str, Any], directory: Path) -> None:
    """Write one changefeed's answer, `status.json` last."""
    status: dict[str, Any] = {"status": "done"}
    needs = unknown(feed, "decode")
    if needs:
        status = {"status": "not-applicable", "needs": needs}
    else:
        try:
            write_lines(directory / "events.jsonl", _lines(feed))
        except _UnreadableError as error:
            text, place = error.args
            status = {"status": "error", "error": text, "messages": [place]}
    (directory / "status.json").write_bytes(orjson.dumps(status))


class FileSchemas:
    """The schemas of a changefeed, from the file that the job names."""

    def __init__(self, path: str | None) -> None:
        """Read the file; without one there are no schemas."""
        self._texts: Mapping[str, str] = orjson.loads(Path(path).read_bytes()) if path else {}

    def register(self, subject: str, schema: str) -> int:
        """Refuse: a consumer registers nothing."""
        raise SchemaRefused(f"a consumer has no schema to post under {subject}: {schema[:80]}")

    def schema(self, schema_id: int) -> str:
        """Return a schema's text; DecodingError for an id that is not in the file."""
        found = self._texts.get(str(schema_id))
        if found is None:
            raise DecodingError(f"unknown schema id {schema_id}")
        return found


class _UnreadableError(Exception):
    """A record that cannot be read: what is wrong, in words, and its place."""


class _Shapes:
    """The tables as the stream described them, by commit ts."""

    def __init__(self) -> None:
        self._versions = [(0, Catalogue.empty())]
        self._seen: set[tuple[int, str, str]] = set()

    def settle(self, event: DecodedEvent) -> DecodedEvent:
        """Return a row event with the values of its columns; learn from a statement.

        Debezium's rows say themselves what they hold, and its statements come on another topic.
        """
        if event.place is not None:
            return event
        if event.kind is EventKind.DDL:
            self._learn(event)
            return event
        catalogue = next(c for ts, c in reversed(self._versions) if ts <= event.commit_ts)
        return Tables(catalogue).settle(event) if event.kind in ROWS else event

    def _learn(self, event: DecodedEvent) -> None:
        name = (event.commit_ts, event.schema, event.query)
        if name in self._seen:
            return
        self._seen.add(name)
        catalogue = with_schema(self._versions[-1][1], event)
        try:
            catalogue = catalogue.apply(event.query, event.schema).catalogue
        except DdlError:
            return  # about a table that is not in the stream
        self._versions.append((event.commit_ts, catalogue))
        self._versions.sort(key=lambda version: version[0])


def _lines(feed: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    wire = bound(feed, FileSchemas(feed["schemas"]))
    large = feed.get("large_messages")
    left: Rows = {} if large is None else left_out(Path(large))
    shapes = _Shapes()
    with Path(feed["records"]).open("rb") as lines:
        for line in lines:
            record: dict[str, Any] = orjson.loads(line)
            yield from _events(wire, record, shapes, left)


def _events(
    wire: BoundCodec, record: Mapping[str, Any], shapes: _Shapes, left: Rows
) -> Iterator[dict[str, Any]]:
    pair = [_bytes(record["key"]), _bytes(record["value"])]
    if not any(pair):
        return
    place = {name: record[name] for name in ("topic", "partition", "offset")}
    try:
        for event in wire.decode(*pair):
            yield _line(whole(shapes.settle(event), left)) | place
    except (HarnessError, ValueError, KeyError) as error:
        where = f"{record['topic']}/{record['partition']}@{record['offset']}"
        raise _UnreadableError(f"{where}: {error}", place) from error


def _line(event: DecodedEvent) -> dict[str, Any]:
    before = event.key if event.kind is EventKind.DELETE and not event.before else event.before
    return {
        "op": event.kind.value,
        "schema": event.schema,
        "table": event.table,
        "before": None if before is None else json_row(before),
        "after": None if event.after is None else json_row(event.after),
        "commit_ts": str(event.commit_ts) if event.commit_ts else None,
        "query": event.query or None,
        "type": event.type,
    }


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)
