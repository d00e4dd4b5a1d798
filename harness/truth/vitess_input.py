"""What a Vitess vector gives the connector: properties, surroundings and VStream responses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, cast

from harness.codecs.debezium_vitess.tasks import VitessCluster
from harness.model.vstream import (
    Begin,
    Cells,
    Commit,
    CopyCompleted,
    Ddl,
    FieldEvent,
    FieldInfo,
    Heartbeat,
    Other,
    Passed,
    PassedType,
    RowChange,
    ShardGtid,
    StreamError,
    TablePk,
    VEvent,
    Vgtid,
    VRowEvent,
    VStreamResponse,
)
from harness.truth.result import Vector, section

# The JVM's zone stands only in the vector's note.
_ZONE = re.compile(r"-Duser\.timezone=(\S+)")


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the connector: its properties and responses, and the record of what came of it."""

    name: str
    properties: Mapping[str, str]
    responses: tuple[VStreamResponse, ...]
    expected: Vector


def zone_of(vector: Vector) -> str:
    """Return the zone of the JVM that made the vector."""
    match = _ZONE.search(str(vector.get("note") or ""))
    return match[1] if match else "UTC"


def cluster_of(vector: Vector) -> VitessCluster:
    """Return what the fake VTGate answered to the connector's questions."""
    given = vector["vstream_input"]
    return VitessCluster(tuple(given.get("shards") or ()), tuple(given.get("tables") or ()))


def runs_of(vector: Vector) -> Iterator[Run]:
    """Yield the runs of a vector; most have one, which is the vector itself."""
    given: Vector = vector["vstream_input"]
    properties: dict[str, str] = dict(vector["connector_config"])
    if "runs" not in given:
        yield Run("", properties, tuple(map(response, given["responses"])), vector)
        return
    for number, (run, expected) in enumerate(zip(given["runs"], vector["runs"], strict=True)):
        changed: dict[str, str] = {**properties, **section(run, "config")}
        yield Run(f"runs[{number}].", changed, tuple(map(response, run["responses"])), expected)


def response(given: Any) -> VStreamResponse:  # noqa: ANN401 a vector's JSON
    """Read one response: a list of events, or an object with events or an error."""
    if isinstance(given, list):
        return VStreamResponse(tuple(map(_event, cast("list[Vector]", given))))
    error = None
    if "error" in given:
        error = StreamError(given["error"], given.get("description") or "")
    events = tuple(map(_event, given.get("events") or ()))
    return VStreamResponse(events, given.get("only_shard"), error)


def _event(given: Mapping[str, Any]) -> VEvent:
    build = _EVENTS.get(given["type"])
    return build(given) if build else _passed(given)


def _place(given: Mapping[str, Any]) -> tuple[int, str, str]:
    return given.get("ts") or 0, given.get("keyspace") or "", given.get("shard") or ""


def _passed(given: Mapping[str, Any]) -> VEvent:
    known = given["type"] in PassedType.__members__
    kind = PassedType(given["type"]) if known else PassedType.UNKNOWN
    return Passed(kind, *_place(given), given.get("statement") or "")


def _fields(given: Mapping[str, Any]) -> VEvent:
    texts = bool(given.get("enum_set_string_values"))
    return FieldEvent(given["table"], tuple(map(_field, given["fields"])), *_place(given), texts)


def _field(given: Mapping[str, Any]) -> FieldInfo:
    return FieldInfo(
        given["name"],
        given["type"],
        given.get("column_type") or "",
        given.get("flags") or 0,
        given.get("decimals") or 0,
        given.get("charset") or 0,
    )


def _row(given: Mapping[str, Any]) -> VEvent:
    changes = tuple(
        RowChange(_cells(change.get("before")), _cells(change.get("after")))
        for change in given["changes"]
    )
    return VRowEvent(given["table"], changes, *_place(given))


def _cells(given: Sequence[Any] | None) -> Cells | None:
    return None if given is None else tuple(map(_cell, given))


def _cell(given: Any) -> bytes | None:  # noqa: ANN401 a vector's JSON
    if isinstance(given, Mapping):
        return bytes.fromhex(cast("Vector", given)["hex"])
    return None if given is None else str(given).encode("utf-8", "surrogatepass")


def _vgtid(given: Mapping[str, Any]) -> VEvent:
    return Vgtid(tuple(map(_shard, given["shard_gtids"])), *_place(given))


def _shard(given: Sequence[Any]) -> ShardGtid:
    tables = given[3] if len(given) > 3 else ()
    pks = tuple(
        TablePk(
            table["table"],
            tuple(map(_field, table["fields"])),
            tuple(tuple(map(_cell, row)) for row in table["rows"]),
        )
        for table in tables
    )
    return ShardGtid(given[0], given[1], given[2], pks)


_EVENTS: Mapping[str, Callable[[Mapping[str, Any]], VEvent]] = MappingProxyType(
    {
        "BEGIN": lambda given: Begin(*_place(given)),
        "COMMIT": lambda given: Commit(*_place(given)),
        "OTHER": lambda given: Other(*_place(given)),
        "HEARTBEAT": lambda given: Heartbeat(*_place(given)),
        "COPY_COMPLETED": lambda given: CopyCompleted(*_place(given)),
        "DDL": lambda given: Ddl(given.get("statement") or "", *_place(given)),
        "FIELD": _fields,
        "ROW": _row,
        "VGTID": _vgtid,
    }
)
