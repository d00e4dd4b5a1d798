"""What the Debezium connector for Vitess sends."""

from __future__ import annotations

from importlib.resources import files

from harness.codecs.debezium_vitess.codec import VITESS as CODEC
from harness.codecs.debezium_vitess.reference import SETTINGS, TYPES
from harness.model.columns import ColumnKind
from harness.model.settings import Settings
from harness.projections.vitess import projection
from harness.protocols.cells import vitess_clause
from harness.protocols.description import read_description
from harness.protocols.protocol import FuzzSettings, ProtocolSpec, always
from harness.sources.vitess.source import vitess_source
from harness.spec import layer
from harness.stream_rules.vitess import RULES


def _converter(name: str, value: str) -> Settings:
    return {f"{part}.{name}": value for part in ("key", "value")}


_AVRO = _converter("converter", "io.confluent.connect.avro.AvroConverter")
_ORDERED = (
    "io.debezium.connector.vitess.pipeline.txmetadata.VitessOrderedTransactionMetadataFactory"
)


VITESS = ProtocolSpec(
    name="vitess",
    description=read_description(files("harness.protocols") / "vitess.toml"),
    codec=CODEC,
    source=vitess_source(),
    types=TYPES,
    type_clauses={kind: f"vitess.type.{kind.value}" for kind in ColumnKind},
    cell_clause=vitess_clause,
    clauses=(layer("vitess"),),
    settings=SETTINGS,
    projection=projection,
    fuzz=FuzzSettings(
        clauses=("vitess.key.primary-key",),
        groups=(
            (
                {"provide.transaction.metadata": True},
                {"provide.transaction.metadata": True, "transaction.metadata.factory": _ORDERED},
            ),
            ({"tombstones.on.delete": False},),
            (
                {"time.precision.mode": "connect"},
                {"time.precision.mode": "isostring"},
                {"time.precision.mode": "adaptive"},
            ),
            (
                {"bigint.unsigned.handling.mode": "long"},
                {"bigint.unsigned.handling.mode": "precise"},
            ),
            (
                {"binary.handling.mode": "base64"},
                {"binary.handling.mode": "hex"},
            ),
            # Not JSON without schemas, which has no types: a TIME is a number there, and stays one.
            (
                _converter("converter.decimal.format", "NUMERIC"),
                {**_AVRO, "schema.name.adjustment.mode": "avro"},
            ),
            ({"include.unknown.datatypes": True},),
            ({"skip.messages.without.change": True},),
        ),
        keyless={},
        dates_rows=always,
        spreads_keyless=True,
    ),
    # A connector that starts with a workload finds no rows to copy.
    load_settings={"snapshot.mode": "never"},
    stream_rules=RULES,
    scaffold_parts=("json", "debezium"),
)
