"""What the Debezium connectors for MariaDB and MySQL send."""

from __future__ import annotations

from importlib.resources import files

from harness.codecs.debezium_mysql.codec import MYSQL as CODEC
from harness.codecs.debezium_mysql.reference import SETTINGS, TYPES
from harness.model.columns import ColumnKind
from harness.projections.mysql import projection, shows_truncate
from harness.protocols.cells import mysql_clause
from harness.protocols.description import read_description
from harness.protocols.protocol import FuzzSettings, ProtocolSpec, always
from harness.sources.mysql.source import mysql_source
from harness.spec import layer
from harness.stream_rules.mysql import RULES

_AVRO = "io.confluent.connect.avro.AvroConverter"
MYSQL = ProtocolSpec(
    name="debezium-mysql",
    description=read_description(files("harness.protocols") / "mysql.toml"),
    codec=CODEC,
    source=mysql_source(),
    types=TYPES,
    type_clauses={kind: f"debezium-mysql.type.{kind.value}" for kind in ColumnKind},
    cell_clause=mysql_clause,
    clauses=(layer("mysql"),),
    settings=SETTINGS,
    projection=projection,
    shows_truncate=shows_truncate,
    fuzz=FuzzSettings(
        clauses=("debezium-mysql.key.primary-key",),
        groups=(
            ({"provide.transaction.metadata": True},),
            ({"tombstones.on.delete": False},),
            (
                {"time.precision.mode": "connect"},
                {"time.precision.mode": "microseconds"},
            ),
            ({"bigint.unsigned.handling.mode": "precise"},),
            ({"decimal.handling.mode": "string"},),
            (
                {"binary.handling.mode": "base64"},
                {"binary.handling.mode": "hex"},
            ),
            # Not JSON without schemas: a DECIMAL is base64 there, and stays it.
            (
                {
                    "key.converter": _AVRO,
                    "value.converter": _AVRO,
                    "schema.name.adjustment.mode": "avro",
                    "field.name.adjustment.mode": "avro",
                },
            ),
            ({"skip.messages.without.change": True},),
        ),
        keyless={},
        dates_rows=always,
        spreads_keyless=True,
    ),
    stream_rules=RULES,
    scaffold_parts=("json", "debezium"),
)
