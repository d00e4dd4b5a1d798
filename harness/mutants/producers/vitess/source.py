"""The source block of a change: its schema, its fields and their order, what each holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Final

from harness.codecs.connect.schema import (
    UNSET,
    ConnectRecord,
    Schema,
    SchemaCache,
    SchemaType,
)
from harness.codecs.debezium import schemas
from harness.codecs.debezium_vitess.schemas import SOURCE
from harness.model.vstream import Begin, Commit, VStreamResponse
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch
from harness.mutants.producers.records import CHANGE, at
from harness.mutants.producers.vitess.edits import (
    moved,
    one,
    renamed,
    responses,
    typed,
    value_schema,
    valued,
    without,
)

FIELDS: Final = tuple(field.name for field in SOURCE.fields)
PLACE: Final = ("keyspace", "table", "shard")
# A field -> the clause of what it holds; of the others only the order says something.
CLAUSES: Final = MappingProxyType(
    {
        **dict.fromkeys(("connector", "name", "db", "sequence"), "vitess.source.constants"),
        **dict.fromkeys(PLACE, "vitess.source.place"),
        "snapshot": "vitess.source.snapshot-false",
        "ts_ms": "vitess.source.ts-commit",
        "vgtid": "vitess.source.vgtid",
    }
)
# When a connector may have handled a copied row.
HANDLED: Final = 1_559_033_904_863
ALLOWED: Final = dict(schemas.SNAPSHOT.parameters)["allowed"]


def _each_field() -> Iterator[WrongProducer]:
    for name in FIELDS:
        word, clause = name.replace("_", "-"), CLAUSES.get(name, "vitess.source.order")
        yield WrongProducer(
            f"vitess-source-without-{word}",
            clause,
            f"It leaves `{name}` out of the source.",
            without(CHANGE, f"source.{name}"),
        )
        yield WrongProducer(
            f"vitess-source-{word}-renamed",
            clause,
            f"It calls `{name}` of the source otherwise.",
            renamed(CHANGE, f"source.{name}", f"{name}_"),
        )


def _order() -> Iterator[WrongProducer]:
    """Yield, for each two neighbours, one that has them the other way round."""
    for first, second in pairwise(FIELDS):
        yield WrongProducer(
            f"vitess-source-{second}-before-{first}".replace("_", "-"),
            "vitess.source.order",
            f"It puts `{second}` of the source before `{first}`.",
            moved(CHANGE, f"source.{second}", first),
        )


# A field of the source, what it holds where that is wrong, in words and as a function.
_HELD: tuple[tuple[str, str, str, Callable[[Any], Any]], ...] = (
    ("connector", "of-mysql", "names the connector mysql", lambda _: "mysql"),
    ("name", "in-capitals", "writes the topic prefix in capitals", str.upper),
    ("db", "of-the-keyspace", "has a database's name in `db`", lambda _: "shop"),
    ("sequence", "counted", "has a sequence", lambda _: '["0","1"]'),
    ("snapshot", "true", "has `snapshot` true", lambda _: "true"),
    ("snapshot", "last", "has `snapshot` last", lambda _: "last"),
    ("ts_ms", "of-now", "has the time of processing in `ts_ms`", lambda ms: ms + 863),
    ("ts_ms", "in-seconds", "has seconds in `ts_ms`", lambda ms: ms // 1000),
    ("keyspace", "in-capitals", "writes the keyspace in capitals", str.upper),
    ("table", "qualified", "writes the table with a keyspace", lambda name: f"ks.{name}"),
    ("shard", "always-0", "writes another shard", lambda name: f"{name}0"),
    ("vgtid", "null", "leaves `vgtid` null", lambda _: None),
)


def _values() -> Iterator[WrongProducer]:
    for name, what, words, change in _HELD:
        yield WrongProducer(
            f"vitess-source-{name.replace('_', '-')}-{what}",
            CLAUSES[name],
            f"It {words}.",
            valued(CHANGE, f"source.{name}", change),
        )


def _schema(change: Callable[[Schema], Schema]) -> Patch:
    return typed(CHANGE, "source", change)


def _field(name: str, change: Callable[[Schema], Schema]) -> Patch:
    return typed(CHANGE, f"source.{name}", change)


def _vgtid_as(
    kind: SchemaType, change: Callable[[str], object], *, optional: bool = False
) -> Patch:
    """Return the patch that changes the type of `vgtid`, and its value to one of that type."""
    typing = at(("source", "vgtid"), lambda schema: replace(schema, kind=kind, optional=optional))
    made = SchemaCache(typing)

    def changed(record: ConnectRecord) -> ConnectRecord:
        assert record.value_schema is not None
        source = record.value["source"]
        return replace(
            record,
            value={**record.value, "source": {**source, "vgtid": change(source["vgtid"])}},
            value_schema=made.of(record.value_schema),
        )

    return one(CHANGE, changed)


def _without_source(schema: Schema) -> Schema:
    return replace(schema, fields=tuple(f for f in schema.fields if f.name != "source"))


def _allowing(allowed: str) -> Patch:
    return _field("snapshot", lambda schema: replace(schema, parameters=(("allowed", allowed),)))


def committed_at_begin(response: VStreamResponse) -> VStreamResponse:
    """Return a transaction whose COMMIT has the time of its BEGIN."""
    begun = [event.timestamp for event in response.events if isinstance(event, Begin)]
    events = (
        replace(event, timestamp=begun[0]) if begun and isinstance(event, Commit) else event
        for event in response.events
    )
    return replace(response, events=tuple(events))


def _begun_at_commit(response: VStreamResponse) -> VStreamResponse:
    """Return a transaction whose BEGIN has the time of its COMMIT."""
    committed = [event.timestamp for event in response.events if isinstance(event, Commit)]
    events = (
        replace(event, timestamp=committed[0]) if committed and isinstance(event, Begin) else event
        for event in response.events
    )
    return replace(response, events=tuple(events))


ROWS: tuple[WrongProducer, ...] = (
    *_each_field(),
    *_order(),
    *_values(),
    WrongProducer(
        "vitess-source-missing",
        "vitess.source.present",
        "It sends events without a source.",
        value_schema(CHANGE, _without_source),
    ),
    WrongProducer(
        "vitess-source-without-a-name",
        "vitess.source.present",
        "It leaves the name out of the schema of the source.",
        _schema(lambda schema: replace(schema, name=None)),
    ),
    WrongProducer(
        "vitess-source-of-mysql",
        "vitess.source.present",
        "It names the schema of the source as that of MySQL.",
        _schema(lambda schema: replace(schema, name="io.debezium.connector.mysql.Source")),
    ),
    WrongProducer(
        "vitess-source-of-version-2",
        "vitess.source.present",
        "It gives the schema of the source version 2.",
        _schema(lambda schema: replace(schema, version=2)),
    ),
    WrongProducer(
        "vitess-source-snapshot-allows-four",
        "vitess.source.snapshot-allowed",
        "It allows the four values of `snapshot` that the page lists.",
        _allowing("true,last,false,incremental"),
    ),
    *(
        WrongProducer(
            f"vitess-source-snapshot-allows-no-{value}".replace("_", "-"),
            "vitess.source.snapshot-allowed",
            f"It does not allow `snapshot` to be {value}.",
            _allowing(",".join(other for other in ALLOWED.split(",") if other != value)),
        )
        for value in ALLOWED.split(",")
    ),
    WrongProducer(
        "vitess-commit-at-the-time-of-begin",
        "vitess.source.ts-commit",
        "It takes the time of BEGIN for that of COMMIT.",
        responses(partial(map, committed_at_begin)),
        also="vitess.txn.ts",
    ),
    WrongProducer(
        "vitess-begin-at-the-time-of-commit",
        "vitess.txn.ts",
        "It takes the time of COMMIT for that of BEGIN.",
        responses(partial(map, _begun_at_commit)),
    ),
    WrongProducer(
        "vitess-source-ts-ms-of-a-copy",
        "vitess.source.ts-commit",
        "It has the time of processing in `ts_ms` of a copied row.",
        valued(CHANGE, "source.ts_ms", lambda ms: ms or HANDLED),
    ),
    WrongProducer(
        "vitess-source-snapshot-without-a-default",
        "vitess.source.snapshot-false",
        "It leaves the default of `snapshot` out.",
        _field("snapshot", lambda schema: replace(schema, default=UNSET)),
    ),
    WrongProducer(
        "vitess-source-snapshot-a-boolean",
        "vitess.source.snapshot-false",
        "It makes `snapshot` of the source a boolean that is false by default.",
        _field("snapshot", lambda _: replace(schemas.OPTIONAL_BOOLEAN, default=False)),
    ),
    WrongProducer(
        "vitess-source-snapshot-written",
        "vitess.source.snapshot-false",
        "It writes false as `snapshot` itself, so that no converter finds it null.",
        valued(CHANGE, "source.snapshot", lambda held: held or "false"),
    ),
    WrongProducer(
        "vitess-source-vgtid-optional",
        "vitess.source.vgtid",
        "It lets `vgtid` of the source be null.",
        _field("vgtid", lambda schema: replace(schema, optional=True)),
    ),
    WrongProducer(
        "vitess-source-vgtid-as-number",
        "vitess.source.vgtid",
        "It sends the number 1 as `vgtid` of the source, an optional int64 as the page says.",
        _vgtid_as(SchemaType.INT64, lambda _: 1, optional=True),
    ),
    WrongProducer(
        "vitess-source-vgtid-in-bytes",
        "vitess.source.vgtid",
        "It sends `vgtid` of the source as bytes.",
        _vgtid_as(SchemaType.BYTES, str.encode),
    ),
    *(
        WrongProducer(
            f"vitess-source-{name.replace('_', '-')}-required",
            "vitess.source.ts-finer",
            f"It declares `{name}` of the source as never null.",
            _field(name, lambda schema: replace(schema, optional=False)),
        )
        for name in ("ts_us", "ts_ns")
    ),
)
