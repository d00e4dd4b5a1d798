"""The connector's transforms: what each drops, takes out, rewrites and leaves alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Final

from harness.codecs.connect.schema import (
    ConnectRecord,
    Field,
    Schema,
    SchemaType,
    with_value,
)
from harness.codecs.connect.transforms import Options, Transform
from harness.codecs.debezium_vitess.transforms import TRANSFORMS
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, entry, patch, result
from harness.mutants.producers.records import (
    BOUNDARY,
    CHANGE,
    HEARTBEAT,
    SCHEMA_CHANGE,
    TOMBSTONE,
    kind,
)

TABLE: Final = "harness.codecs.debezium_vitess.transforms:TRANSFORMS"
FIELDS: Final = "harness.codecs.debezium_vitess.transform_fields"
LOCAL: Final = "harness.codecs.debezium_vitess.transforms:local_vgtid"
_PACKAGE: Final = "io.debezium.connector.vitess.transforms"
FILTER: Final = f"{_PACKAGE}.FilterTransactionTopicRecords"
REMOVE: Final = f"{_PACKAGE}.RemoveField"
REPLACE: Final = f"{_PACKAGE}.ReplaceFieldValue"
LOCAL_VGTID: Final = f"{_PACKAGE}.UseLocalVgtid"
# What a wrong transform makes of a record, given what the right one would.
Apply = Callable[[Transform, ConnectRecord], ConnectRecord | None]


def _applying(name: str, apply: Apply) -> Patch:
    """Return the patch that changes what one transform makes of each record."""

    def made(original: Callable[[Options], Transform], options: Options) -> Transform:
        return partial(apply, original(options))

    return entry(TABLE, name, lambda original: partial(made, original))


def _given(name: str, change: Callable[[Options], Options]) -> Patch:
    """Return the patch by which one transform is given other options."""
    return entry(TABLE, name, lambda original: lambda options: original(change(options)))


def _without_headers(right: Transform, record: ConnectRecord) -> ConnectRecord | None:
    found = right(record)
    return None if found is None else replace(found, headers=())


def _nothing_dropped(right: Transform, record: ConnectRecord) -> ConnectRecord:
    return right(record) or record


def _begin_kept(right: Transform, record: ConnectRecord) -> ConnectRecord | None:
    begin = kind(record) == BOUNDARY and record.value["status"] == "BEGIN"
    return record if begin else right(record)


def _end_kept(right: Transform, record: ConnectRecord) -> ConnectRecord | None:
    end = kind(record) == BOUNDARY and record.value["status"] == "END"
    return record if end else right(record)


def _kind_dropped(of: str, right: Transform, record: ConnectRecord) -> ConnectRecord | None:
    return None if kind(record) == of else right(record)


def _deletes_dropped(right: Transform, record: ConnectRecord) -> ConnectRecord | None:
    dropped = kind(record) == CHANGE and record.value["op"] == "d"
    return None if dropped else right(record)


def _keyless_passed(right: Transform, record: ConnectRecord) -> ConnectRecord | None:
    return record if record.key_schema is None else right(record)


def _keyless_dropped(right: Transform, record: ConnectRecord) -> ConnectRecord | None:
    return None if record.key_schema is None else right(record)


def _tombstone_passed(right: Transform, record: ConnectRecord) -> ConnectRecord | None:
    return record if kind(record) == TOMBSTONE else right(record)


def _tombstone_dropped(right: Transform, record: ConnectRecord) -> ConnectRecord | None:
    return None if kind(record) == TOMBSTONE else right(record)


def _old_schema(right: Transform, record: ConnectRecord) -> ConnectRecord | None:
    """Leave what is taken out of a value in its schema, optional where it was not."""
    found = right(record)
    if found is None or found.value_schema is None or record.value_schema is None:
        return found
    schema = _with_removed(record.value_schema, found.value_schema)
    return with_value(found, schema, found.value)


def _with_removed(before: Schema, left: Schema) -> Schema:
    fields: list[Field] = []
    for field in before.fields:
        now = next((one for one in left.fields if one.name == field.name), None)
        if now is None:
            fields.append(replace(field, schema=replace(field.schema, optional=True)))
        elif field.schema.kind is SchemaType.STRUCT:
            fields.append(replace(now, schema=_with_removed(field.schema, now.schema)))
        else:
            fields.append(now)
    return replace(left, fields=tuple(fields))


def _structs_too(original: Callable[..., Schema]) -> Callable[..., Schema]:
    """Return what takes out the structs too that are named."""

    def less(schema: Schema, removed: frozenset[str], path: str) -> Schema:
        found = original(schema, removed, path)
        kept = (
            field
            for field in found.fields
            if (f"{path}.{field.name}" if path else field.name) not in removed
        )
        return replace(found, fields=tuple(kept))

    return less


def _first_of(options: Options) -> Options:
    return {name: text.partition(",")[0] for name, text in options.items()}


def _id_too(right: Transform, record: ConnectRecord) -> ConnectRecord | None:
    """Localise the id of the transaction as well."""
    found = right(record)
    block = found.value.get("transaction") if found is not None and kind(found) == CHANGE else None
    if found is None or block is None:
        return found
    local = {**block, "id": found.value["source"]["vgtid"]}
    return replace(found, value={**found.value, "transaction": local})


def _optional(right: Transform, record: ConnectRecord) -> ConnectRecord | None:
    """Change the schema of what is replaced."""
    found = right(record)
    if found is None or found.value_schema is None:
        return found
    fields = tuple(
        replace(field, schema=_all_optional(field.schema)) if field.name == "source" else field
        for field in found.value_schema.fields
    )
    return replace(found, value_schema=replace(found.value_schema, fields=fields))


def _all_optional(schema: Schema) -> Schema:
    return replace(
        schema,
        fields=tuple(
            replace(field, schema=replace(field.schema, optional=True))
            if field.schema.kind is SchemaType.STRING
            else field
            for field in schema.fields
        ),
    )


def _of_another(vgtid: str, shard: str) -> str:
    entries: list[dict[str, Any]] = json.loads(vgtid)
    found = next((entry for entry in entries if entry["shard"] != shard), entries[0])
    return json.dumps([found], separators=(",", ":"))


def _headers() -> Iterator[WrongProducer]:
    for name in TRANSFORMS:
        word = name.rpartition(".")[2]
        yield WrongProducer(
            f"vitess-{word.lower()}-drops-headers",
            "vitess.smt.headers",
            f"It drops the headers of what {word} passes.",
            _applying(name, _without_headers),
        )


def _row(what: str, clause: str, difference: str, change: Patch) -> WrongProducer:
    return WrongProducer(f"vitess-smt-{what}", f"vitess.smt.{clause}", difference, change)


ROWS: tuple[WrongProducer, ...] = (
    *_headers(),
    _row(
        "filter-drops-nothing",
        "filter",
        "It passes the boundaries that FilterTransactionTopicRecords has to drop.",
        _applying(FILTER, _nothing_dropped),
    ),
    _row(
        "filter-passes-begin",
        "filter",
        "It passes BEGIN through FilterTransactionTopicRecords.",
        _applying(FILTER, _begin_kept),
    ),
    _row(
        "filter-passes-end",
        "filter",
        "It passes END through FilterTransactionTopicRecords.",
        _applying(FILTER, _end_kept),
    ),
    *(
        _row(
            f"filter-drops-{what.replace(' ', '-')}",
            "filter",
            f"It drops {what} with FilterTransactionTopicRecords.",
            _applying(FILTER, partial(_kind_dropped, of)),
        )
        for what, of in (("heartbeats", HEARTBEAT), ("schema changes", SCHEMA_CHANGE))
    ),
    _row(
        "filter-drops-deletes",
        "filter",
        "It drops deletes with FilterTransactionTopicRecords.",
        _applying(FILTER, _deletes_dropped),
    ),
    _row(
        "filter-drops-tombstones",
        "filter",
        "It drops tombstones with FilterTransactionTopicRecords.",
        _applying(FILTER, _tombstone_dropped),
    ),
    _row(
        "filter-passes-keyless",
        "filter-keyless",
        "It passes records without a key through FilterTransactionTopicRecords.",
        _applying(FILTER, _keyless_passed),
    ),
    _row(
        "filter-drops-keyless",
        "filter-keyless",
        "It drops records without a key with FilterTransactionTopicRecords.",
        _applying(FILTER, _keyless_dropped),
    ),
    _row(
        "remove-first-only",
        "remove",
        "It takes out the first field alone that RemoveField lists.",
        _given(REMOVE, _first_of),
    ),
    _row(
        "remove-keeps-the-schema",
        "remove",
        "It leaves the fields in the schema that RemoveField takes out of values.",
        _applying(REMOVE, _old_schema),
    ),
    _row(
        "remove-takes-structs",
        "remove-leaf",
        "It takes out the structs that RemoveField names.",
        patch(f"{FIELDS}:_less", _structs_too),
    ),
    _row(
        "remove-passes-tombstones",
        "remove-tombstone",
        "It passes tombstones through RemoveField.",
        _applying(REMOVE, _tombstone_passed),
    ),
    _row(
        "remove-drops-tombstones",
        "remove-tombstone",
        "It drops tombstones with RemoveField.",
        _applying(REMOVE, _tombstone_dropped),
    ),
    _row(
        "local-keeps-all",
        "local",
        "It leaves the VGTID of all shards with UseLocalVgtid.",
        patch(LOCAL, lambda _: lambda vgtid, _shard: vgtid),
    ),
    _row(
        "local-an-object",
        "local",
        "It writes the object of the shard alone with UseLocalVgtid.",
        result(LOCAL, lambda text: text[1:-1]),
    ),
    _row(
        "local-of-another-shard",
        "local",
        "It keeps the entry of another shard with UseLocalVgtid.",
        patch(LOCAL, lambda _: _of_another),
    ),
    _row(
        "local-id-too",
        "local-keeps-id",
        "It takes the other shards out of the transaction's id with UseLocalVgtid.",
        _applying(LOCAL_VGTID, _id_too),
    ),
    _row(
        "replace-first-only",
        "replace",
        "It replaces the first field alone that ReplaceFieldValue lists.",
        _given(REPLACE, _first_of),
    ),
    _row(
        "replace-in-vain",
        "replace",
        "It leaves the fields as they are that ReplaceFieldValue lists.",
        _applying(REPLACE, lambda _, record: record),
    ),
    _row(
        "replace-by-nothing",
        "replace",
        "It empties the fields that ReplaceFieldValue lists.",
        _given(REPLACE, lambda options: {**options, "field_value": ""}),
    ),
    _row(
        "replace-makes-optional",
        "replace",
        "It makes fields optional that ReplaceFieldValue replaces.",
        _applying(REPLACE, _optional),
    ),
)
