"""TiCDC Avro vectors: bytes of every message, schemas as posted, their ids, and every refusal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from harness.codecs.avro.encode import AvroEncoder
from harness.codecs.avro.settings import AvroSettings, settings
from harness.codecs.ticdc.settings import RECORD_OVERHEAD
from harness.contracts import SchemaRegistry
from harness.errors import SourceStopped, plural
from harness.model.record import Origin, Record
from harness.model.source_events import ResolvedEvent, RowEvent
from harness.sources.tidb.refusal import ChangefeedError
from harness.sources.tidb.topic import check_topic
from harness.truth.avro_history import History, Posts
from harness.truth.avro_reading import readings, zone_of
from harness.truth.result import Difference, Parts, Result, Vector, section
from harness.truth.ticdc_config import default_topic, partitions, settings_of, sink_of
from harness.truth.ticdc_ddl import mount_ddl
from harness.truth.ticdc_rows import mount_rows
from harness.wire.registry_http import ACCEPT, CONTENT_TYPE, register_body, versions_path

DIALECT = "current"


def compare(vector: Vector) -> Result:
    """Compare one vector of TiCDC Avro, whatever kind of event it holds."""
    if "config_error" in vector:
        return Result(vector["id"], tuple(_refusal(vector)))
    kind = str(vector.get("kind"))
    if kind not in _KINDS:
        return Result(vector["id"], (Difference("kind", f"one of {', '.join(_KINDS)}", kind),))
    differences, excused = _KINDS[kind](vector)
    return Result(vector["id"], tuple(differences), excused)


def _refusal(vector: Vector) -> Iterator[Difference]:
    """Yield a difference when settings that TiCDC refuses are taken, or refused for another."""
    theirs = vector["config_error"]
    try:
        _settings(vector)
        for rule in sink_of(vector).get("dispatchers") or ():
            check_topic(rule.get("topic") or "", avro=True)
    except ChangefeedError as refusal:
        if f"[CDC:{refusal.code}]" not in theirs:
            yield Difference("config_error", f"[CDC:{refusal.code}]", theirs)
        return
    except SourceStopped as stop:
        if f"[CDC:{stop.code}]{stop.what}" not in theirs:
            yield Difference("config_error", f"[CDC:{stop.code}]{stop.what}", theirs)
        return
    yield Difference("config_error", "taken", theirs)


def _settings(vector: Vector) -> AvroSettings:
    found = settings(settings_of(vector), DIALECT)
    zone = str(section(vector, "config").get("cdc_tz") or "UTC")
    found = replace(found, zone=zone_of(zone))
    # A vector does not say the changefeed's namespace otherwise than in what was registered.
    for text in section(vector, "schema_ids").values():
        space = str(text).partition('"namespace":"')[2].partition('"')[0]
        return replace(found, namespace=space.partition(".")[0])
    return found


def _encoder(vector: Vector, registry: SchemaRegistry) -> AvroEncoder:
    return AvroEncoder(_settings(vector), registry)


def _compare_rows(vector: Vector) -> Parts:
    if not vector["rows"] or not vector.get("dispatch"):
        return list(_messages([], vector["events"])), ()
    mounted = mount_rows(vector)
    if mounted.differences:
        return list(mounted.differences), mounted.excused
    posts = Posts()
    encoder = _encoder(vector, posts)
    topics = {(r.table.table.id.schema, r.table.table.id.name): r.topic for r in mounted.rows}
    history = History(vector, topics)
    history.replay(encoder)
    posts.posted.clear()
    posts.refused = {
        number: post["status"]
        for number, post in enumerate(vector["registered"])
        if "status" in post
    }
    rows = [replace(row, table=history.zoned(row.table)) for row in mounted.rows]
    ours = [_message(encoder, row) for row in rows]
    differences = list(_messages(ours, vector["events"]))
    differences += _registry(posts, vector)
    if not differences:
        differences += readings(vector, rows, _settings(vector), posts)
    return differences, mounted.excused


def _message(encoder: AvroEncoder, row: RowEvent) -> Mapping[str, Any]:
    try:
        return _described(encoder.row(row))
    except SourceStopped as stop:
        return {"topic": row.topic, "encode_error": f"[CDC:{stop.code}]{stop.what}"}


def _described(record: Record) -> dict[str, Any]:
    found: dict[str, Any] = {
        "topic": record.topic,
        "partition": record.partition,
        "key_hex": _hex(record.key),
        "value_hex": _hex(record.value),
        "headers": list(record.headers),
        "producer_length": len(record.key or b"") + len(record.value or b"") + RECORD_OVERHEAD,
    }
    for part, use in (("key", record.key_schema), ("value", record.value_schema)):
        if use is not None:
            found[f"{part}_schema_id"] = use.id
    return found


def _hex(raw: bytes | None) -> str | None:
    return None if raw is None else raw.hex()


# What is written beside the bytes for a reader, or says how the partition was chosen.
_READING = frozenset({"key_json", "value_json", "value_text_after_type_byte", "partition_rule"})


def _messages(ours: Sequence[Mapping[str, Any]], theirs: Sequence[Vector]) -> Iterator[Difference]:
    if len(ours) != len(theirs):
        yield Difference(
            "events", f"{plural(len(ours), 'message')}", f"{plural(len(theirs), 'message')}"
        )
    for number, (our, their) in enumerate(zip(ours, theirs, strict=False)):
        for name in sorted(our.keys() | their.keys() - _READING):
            if name == "encode_error" and _same_stop(str(our.get(name)), str(their.get(name))):
                continue
            if our.get(name) != their.get(name):
                where = f"events[{number}].{name}"
                yield Difference(where, str(our.get(name)), str(their.get(name)))


def _same_stop(ours: str, theirs: str) -> bool:
    """Return whether both stop with one code, and for the cause that theirs gives, if any."""
    code, _, what = ours.partition("]")
    their_code, _, their_what = theirs.partition("]")
    cause = their_what.partition(": ")[2]
    return code == their_code and (not cause or cause.startswith(what))


def _registry(posts: Posts, vector: Vector) -> Iterator[Difference]:
    ours = [
        {
            "subject": subject,
            "path": versions_path(subject),
            "content_type": CONTENT_TYPE,
            "accept": ACCEPT,
            "body": register_body(schema),
            "id": schema_id,
        }
        for subject, schema, schema_id in posts.posted
    ]
    registered: Sequence[Vector] = vector["registered"]
    for number, (our, their) in enumerate(zip_longest(ours, registered)):
        where = f"registered[{number}]"
        if our is None or their is None:
            yield Difference(where, str(our), str(their))
            continue
        for name, value in our.items():
            if value != their.get(name):
                yield Difference(f"{where}.{name}", str(value), str(their.get(name)))
    for subject, text in section(vector, "schemas").items():
        if posts.latest.get(subject) != text:
            yield Difference(f"schemas.{subject}", str(posts.latest.get(subject)), text)
    for schema_id, text in section(vector, "schema_ids").items():
        if posts.known.schema(int(schema_id)) != text:
            yield Difference(f"schema_ids.{schema_id}", posts.known.schema(int(schema_id)), text)


def _compare_ddl(vector: Vector) -> Parts:
    mounted = mount_ddl(vector)
    encoder = _encoder(vector, Posts())
    ours = [one for event in mounted.events for one in _broadcast(encoder.encode([event]))]
    return [*mounted.differences, *_messages(ours, vector["events"])], ()


def _compare_checkpoint(vector: Vector) -> Parts:
    places = range(partitions(vector))
    topic, ts = default_topic(vector), vector["checkpoint_ts"]
    marks = [ResolvedEvent(ts, topic, n, Origin(1, 0, 0, "resolved")) for n in places]
    sent = _broadcast(_encoder(vector, Posts()).encode(marks))
    # The vendor's encoder knows neither topic nor partition of a checkpoint; its sink does.
    ours = [{**one, "topic": None, "partition": None} for one in sent]
    return list(_messages(ours, vector["events"])), ()


def _broadcast(records: Iterable[Record]) -> list[Mapping[str, Any]]:
    """Return what all partitions are sent alike, as the vectors do: once, the partition `all`."""
    found: list[Mapping[str, Any]] = []
    for number, record in enumerate(records):
        assert record.partition == number
        described = {**_described(record), "partition": "all"}
        if described not in found:
            found.append(described)
    return found


_KINDS: Mapping[str, Callable[[Vector], Parts]] = {
    "dml": _compare_rows,
    "ddl": _compare_ddl,
    "checkpoint": _compare_checkpoint,
}
