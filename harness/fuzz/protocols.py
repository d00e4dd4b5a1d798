"""What is drawn of each protocol: dialects, settings, and the clauses that a scenario cites anyway.

Each row of settings is an alternative; what goes together stands in one row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.fuzz.pick import Draw, pick

Settings = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Drawn:
    """What is drawn of one protocol.

    At most one alternative of each group is chosen. `keyless` are the settings under which tables
    without a key are replicated, None where they never are; `keyed` the dialects in which they are
    not, because a deletion is its handle key alone.
    """

    clauses: tuple[str, ...]
    groups: Sequence[Sequence[Settings]]
    dialects: tuple[str, ...] = ("current",)
    keyless: Settings | None = None
    keyed: tuple[str, ...] = ()


def _routes(topic: Settings) -> tuple[Settings, ...]:
    return tuple(
        {"sink.dispatchers": [{"matcher": ["*.*"], "partition": rule, **topic}]}
        for rule in ("index-value", "table", "ts")
    )


def _converter(name: str, value: object) -> Settings:
    return {f"{part}.{name}": value for part in ("key", "value")}


_AVRO = _converter("converter", "io.confluent.connect.avro.AvroConverter")
_ORDERED = (
    "io.debezium.connector.vitess.pipeline.txmetadata.VitessOrderedTransactionMetadataFactory"
)

# The second is refused beside the first, or leaves of an update too little to find the old row of a
# table without a key.
EXCLUSIVE = tuple(
    ("force-replicate", name)
    for name in (
        "sink.delete-only-output-handle-key-columns",
        "sink.open.output-old-value",
        "only-output-updated-columns",
    )
)

DRAWN: Mapping[str, Drawn] = {
    "open": Drawn(
        clauses=("open.row.insert",),
        groups=(
            _routes({}),
            ({"max-batch-size": 1}, {"max-batch-size": 2}),
            (
                {"sink.open.output-old-value": False},
                {"only-output-updated-columns": True},
                {"sink.delete-only-output-handle-key-columns": True},
            ),
        ),
        dialects=("current", "newarch", "4.0.4"),
        keyless={"force-replicate": True},
        keyed=("4.0.4",),
    ),
    "avro": Drawn(
        clauses=("avro.key.columns",),
        groups=(
            _routes({}),
            (
                {"enable-tidb-extension": True},
                {"enable-tidb-extension": True, "avro-enable-watermark": True},
            ),
            ({"avro-decimal-handling-mode": "string"},),
            ({"avro-bigint-unsigned-handling-mode": "string"},),
        ),
        dialects=("current", "6"),
    ),
    "vitess": Drawn(
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
    ),
}


def tells_names(settings: Settings) -> bool:
    """Return whether rows and DDL call a column alike, however it is called.

    TiCDC Avro sends the DDL with the names themselves, and rows with what Avro takes of them.
    """
    return not settings.get("avro-enable-watermark", False)


def tells_ddl(protocol: str, settings: Settings) -> bool:
    """Return whether a stream has DDL beside its rows."""
    return protocol == "open" or bool(settings.get("avro-enable-watermark", False))


def drawn_settings(draw: Draw, protocol: str, *, keyless: bool) -> Settings:
    """Draw a protocol's settings: most often few of them."""
    drawn = DRAWN[protocol]
    found: dict[str, Any] = dict(drawn.keyless or {}) if keyless else {}
    for group in drawn.groups:
        if pick(draw, (False, False, True)):
            found |= pick(draw, group)
    for name, other in EXCLUSIVE:
        if name in found and other in found:
            del found[other]
    return found
