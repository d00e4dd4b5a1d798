"""The value of a row's event: its fields, its schemas, its source block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, Final

from harness.codecs.connect.schema import ConnectRecord, Schema, SchemaType
from harness.codecs.debezium import schemas
from harness.codecs.debezium.adjustment import SCHEMA_NAMES
from harness.codecs.debezium_mysql.schemas import source_schema
from harness.model.binlog import LogRow
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.mysql.edits import (
    CONNECTOR,
    GTID_FORMS,
    each,
    moved,
    renamed,
    row,
    typed,
    unprefixed,
    value_schema,
    valued,
    values,
    without,
)
from harness.mutants.producers.patch import patch
from harness.mutants.producers.records import CHANGE, Records, SchemaChange, Values, at, dropped, op

FIELDS: Final = schemas.ENVELOPE.fields
SOURCE: Final = tuple(field.name for field in source_schema(SCHEMA_NAMES["none"], "mariadb").fields)
IMAGES: Final = ("before", "after")


def _fields() -> Iterator[WrongProducer]:
    for path, clause, names in (
        ("", "envelope.fields", FIELDS),
        ("source.", "source.order", SOURCE),
    ):
        for name in names:
            word = f"{path}{name}".replace(".", "-").replace("_", "-")
            yield row(
                f"without-{word}", clause, f"It leaves `{name}` out.", without(CHANGE, path + name)
            )
            yield row(
                f"{word}-renamed",
                clause,
                f"It calls `{name}` `{name}_`.",
                renamed(CHANGE, path + name, f"{name}_"),
            )
        for first, second in pairwise(names):
            yield row(
                f"{path}{second}-ahead".replace(".", "-").replace("_", "-"),
                clause,
                f"It writes `{second}` before `{first}`.",
                moved(CHANGE, path + second, first),
            )


def _named(end: str, schema: Schema) -> Schema:
    return replace(schema, name=f"{(schema.name or '').rpartition('.')[0]}{end}")


def _rows(change: SchemaChange, schema: Schema) -> Schema:
    """Return the schema of an envelope with another schema of both rows."""
    for path in IMAGES:
        schema = at((path,), change)(schema)
    return schema


def _without_image(letter: str, image: str, record: ConnectRecord) -> Records:
    schema = record.value_schema
    if op(record) != letter or schema is None:
        return (record,)
    return (replace(record, value_schema=dropped(image, schema)),)


def _turned(schema: Schema) -> Schema:
    return replace(schema, fields=schema.fields[::-1])


def _swapped_place(value: Values) -> None:
    source = value["source"]
    source["db"], source["table"] = source["table"], source["db"]


# What a source says wrongly: its field, the clause, what it does, how.
_SAID: Final = (
    ("connector", "constants", "calls itself mysql in `connector`", lambda _: "mysql"),
    ("name", "constants", "writes the connector for the prefix in `name`", lambda _: "mariadb"),
    ("sequence", "constants", "writes an empty `sequence`", lambda _: "[]"),
    ("db", "place", "leaves the database out of the source", lambda _: ""),
    ("table", "place", "leaves the table out of the source", lambda _: None),
    ("ts_ms", "ts", "writes the source's time in seconds", lambda ms: ms // 1000),
    ("ts_us", "ts", "writes `ts_us` of the source in milliseconds", lambda us: us // 1000),
    ("ts_ns", "ts", "writes a source's time that is finer than seconds", lambda ns: ns + 1000),
    ("snapshot", "snapshot", "says of streamed rows that they were copied", lambda _: "true"),
    ("snapshot", "snapshot", "writes the default itself", lambda _: "false"),
    ("gtid", "gtid", "leaves the GTID out", lambda _: None),
    ("gtid", "gtid", "writes the GTID's number alone", lambda gtid: gtid.rpartition("-")[2]),
    ("row", "row", "counts the rows of an event from 1", lambda number: number + 1),
    ("row", "row", "writes row 0 for each row of an event", lambda _: 0),
    ("server_id", "server", "writes 0 for the server", lambda _: 0),
    ("file", "log", "leaves the name of the log out", lambda _: ""),
    ("query", "query", "writes an empty query", lambda _: ""),
)


def _said() -> Iterator[WrongProducer]:
    for number, (field, clause, words, change) in enumerate(_SAID, 1):
        name = f"source-{field.replace('_', '-')}-wrong-{number}"
        yield row(
            name, f"source.{clause}", f"It {words}.", valued(CHANGE, f"source.{field}", change)
        )


def _when_handled(value: Values) -> None:
    value["source"].update({name: value[name] for name in ("ts_ms", "ts_us", "ts_ns")})


def _own_gtid(value: Values) -> None:
    source = value["source"]
    domain, _, number = source["gtid"].rpartition("-")
    source["gtid"] = f"{domain}-{int(number) * 1000 + source['row']}"


def _if_known(change: Callable[[str], str], gtid: str | None) -> str | None:
    return None if gtid is None else change(gtid)


def _source_time(value: Values) -> None:
    value.update({name: value["source"][name] for name in ("ts_ms", "ts_us", "ts_ns")})


def _over_events(original: Callable[[Any, LogRow], None]) -> Callable[[Any, LogRow], None]:
    """Let the rows of a transaction be numbered, whatever the events of the log they are in."""
    counted: dict[Any, tuple[str, int]] = {}

    def handle(self: Any, event: LogRow) -> None:  # noqa: ANN401 - the connector's own
        gtid, last = counted.get(self, ("", -1))
        number = last + 1 if gtid == event.gtid else 0
        counted[self] = event.gtid, number
        original(self, replace(event, row=number))

    return handle


ROWS: Final = (
    *_fields(),
    *_said(),
    row(
        "source-by-the-connectors-clock",
        "source.ts",
        "It writes when it handles the event for when the row was changed.",
        values(CHANGE, _when_handled),
    ),
    *(
        row(
            f"source-{field.replace('_', '-')}-finer-than-seconds",
            "source.ts",
            f"It writes `{field}` of a source finer than seconds.",
            valued(CHANGE, f"source.{field}", lambda moment: moment + 1),
        )
        for field in ("ts_ms", "ts_us")
    ),
    row(
        "source-ts-ns-in-microseconds",
        "source.ts",
        "It writes `ts_ns` of a source in microseconds.",
        valued(CHANGE, "source.ts_ns", lambda ns: ns // 1000),
    ),
    row(
        "one-gtid-for-all",
        "source.gtid",
        "It writes one GTID for all transactions.",
        valued(CHANGE, "source.gtid", lambda _: "0-1-1"),
    ),
    row(
        "gtid-of-each-row",
        "source.gtid",
        "It gives each row of a transaction a GTID of its own.",
        values(CHANGE, _own_gtid),
    ),
    *(
        row(
            f"source-gtid-{end}",
            "source.gtid",
            f"It {words} of a source.",
            valued(CHANGE, "source.gtid", partial(_if_known, change)),
        )
        for end, words, change in GTID_FORMS
    ),
    row(
        "snapshot-as-a-boolean",
        "source.snapshot",
        "It writes a boolean for `snapshot`, as the page has it.",
        replace(
            typed(CHANGE, "source.snapshot", lambda _: Schema(SchemaType.BOOLEAN)),
            then=valued(CHANGE, "source.snapshot", lambda held: held not in {None, "false"}),
        ),
    ),
    row(
        "rows-counted-over-events",
        "source.row",
        "It counts rows on over the events of a transaction.",
        patch(f"{CONNECTOR}._row", _over_events),
    ),
    row(
        "database-for-table",
        "source.place",
        "It puts the database in the table's place, and the other way round.",
        values(CHANGE, _swapped_place),
    ),
    row(
        "source-of-version-2",
        "source.schema",
        "It gives the schema of the source version 2.",
        typed(CHANGE, "source", lambda schema: replace(schema, version=2)),
    ),
    row(
        "source-without-a-name",
        "source.schema",
        "It leaves the name out of the schema of the source.",
        typed(CHANGE, "source", lambda schema: replace(schema, name=None)),
    ),
    row(
        "envelope-version-1",
        "envelope.version",
        "It gives the schema of the envelope version 1.",
        value_schema(CHANGE, lambda schema: replace(schema, version=1)),
    ),
    row(
        "envelope-by-another-name",
        "envelope.names",
        "It ends the envelope's name otherwise.",
        value_schema(CHANGE, partial(_named, ".Change")),
    ),
    row(
        "rows-by-another-name",
        "envelope.names",
        "It ends the names of both rows otherwise.",
        value_schema(CHANGE, partial(_rows, partial(_named, ".Row"))),
    ),
    row(
        "envelope-named-without-the-prefix",
        "envelope.names",
        "It names the envelope after the database and the table, without the prefix.",
        value_schema(CHANGE, unprefixed),
    ),
    row(
        "rows-named-without-the-prefix",
        "envelope.names",
        "It names both rows after the database and the table, without the prefix.",
        value_schema(CHANGE, partial(_rows, unprefixed)),
    ),
    row(
        "columns-turned",
        "event.column-order",
        "It writes the columns of a row from the last to the first.",
        value_schema(CHANGE, partial(_rows, _turned)),
    ),
    *(
        row(
            f"{word}s-of-another-schema",
            "envelope.same-schema",
            f"It has no `{image}` in the schema of {article} {word}.",
            each(partial(_without_image, letter, image)),
        )
        for letter, article, word, image in (
            ("c", "a", "create", "before"),
            ("u", "an", "update", "before"),
            ("d", "a", "delete", "after"),
        )
    ),
    row(
        "event-in-milliseconds-throughout",
        "event.ts",
        "It writes `ts_us` of an event in milliseconds.",
        valued(CHANGE, "ts_us", lambda us: us // 1000),
    ),
    row(
        "event-in-microseconds-at-most",
        "event.ts",
        "It writes `ts_ns` of an event in microseconds.",
        valued(CHANGE, "ts_ns", lambda ns: ns // 1000),
    ),
    row(
        "event-when-changed",
        "event.ts",
        "It writes when the row was changed for when it handles the event.",
        values(CHANGE, _source_time),
    ),
)
