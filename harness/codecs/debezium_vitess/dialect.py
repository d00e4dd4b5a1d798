"""The connector as it is, as other releases of it are, and as its documents describe it.

The releases differ in the headers that name connector and task, in their version, in what they
make of epochs, and in whether they cut bytes. Each was
asked about the whole catalogue: docs/reference/changes-by-version.md.

`documented` follows the published page where that differs from what 3.3.1 emits: the source block's
order, its three times required, a vgtid without table keys, a data collection without its shard,
a boundary's time in third place, a rank that is a number and stands before the epoch, a transaction
field only where metadata is on, and then last, no version of the envelope's and the source's
schema. A copied row is a create in both: by the page `op` is c, u or d, `snapshot` always false.
Source: vitess NOTES §12; Debezium connector for Vitess, "Transaction metadata", tables 2 to 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Final

from harness.codecs.connect.schema import Schema, SchemaType
from harness.codecs.debezium import schemas
from harness.codecs.debezium.schemas import EnvelopeForm
from harness.codecs.debezium_vitess.schemas import ORDERED_BLOCK, SOURCE
from harness.model.settings import Settings

NOTHING: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({})


class ContextHeaders(Enum):
    """When a release writes the headers that name connector and task."""

    NEVER = "never"
    ALWAYS = "always"
    AS_SET = "unless `extended.headers.enabled` is false"


class FirstEpoch(Enum):
    """From where a release counts epochs.

    START: from where the stream starts, of all its shards; TRANSACTION: from a stream's first
    transaction, of each shard at transactions of its own.
    """

    START = "from the stream's start"
    TRANSACTION = "at each shard's own transactions, a new shard stopping the task"


@dataclass(frozen=True, slots=True)
class EpochRules:
    """What releases do differently with epochs.

    With `exchange_stops` the task stops where a GTID set both gains and loses servers.
    """

    first: FirstEpoch = FirstEpoch.START
    exchange_stops: bool = False


@dataclass(frozen=True, slots=True)
class VitessDialect:
    """What one release does differently; `documented` is true of the page's.

    `version` is what the release writes into the source block, `run_id` whether a run's random id
    follows the context headers, `bytes_cut` whether `column.truncate.to.N.chars` cuts bytes in
    JSON too. `lacks` are the settings that the release does not have, by patterns of their names:
    all values, or those that are listed.
    """

    name: str
    source: Schema
    ordered_block: Schema
    boundary: tuple[str, ...] = schemas.BOUNDARY
    documented: bool = False
    version: str = "3.3.1.Final"
    context: ContextHeaders = ContextHeaders.AS_SET
    run_id: bool = False
    epochs: EpochRules = field(default_factory=EpochRules)
    bytes_cut: bool = True
    lacks: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: NOTHING)

    def missing(self, settings: Settings) -> str:
        """Return the first of some settings that the release does not have, "" if it has all."""
        for name, value in settings.items():
            for pattern, values in self.lacks.items():
                if fnmatchcase(name, pattern) and (not values or str(value) in values):
                    return f"{name}={value}" if values else name
        return ""

    def envelope(self, *, metadata: bool) -> EnvelopeForm:
        """Return the form of envelopes with or without transaction metadata."""
        if not self.documented:
            return schemas.ENVELOPE
        names = [name for name in schemas.ENVELOPE.fields if name != "transaction"]
        return EnvelopeForm((*names, "transaction") if metadata else tuple(names), version=None)


CURRENT: Final = VitessDialect("current", SOURCE, ORDERED_BLOCK)

FOUR_SNAPSHOT: Final = replace(
    schemas.SNAPSHOT, parameters=(("allowed", "true,last,false,incremental"),)
)
_DOCUMENTED_SOURCE: Final = Schema(
    SchemaType.STRUCT,
    name="io.debezium.connector.vitess.Source",
    fields=schemas.fields(
        ("version", schemas.STRING),
        ("connector", schemas.STRING),
        ("name", schemas.STRING),
        ("ts_ms", schemas.INT64),
        ("ts_us", schemas.INT64),
        ("ts_ns", schemas.INT64),
        ("snapshot", FOUR_SNAPSHOT),
        ("db", schemas.STRING),
        ("sequence", schemas.OPTIONAL_STRING),
        ("keyspace", schemas.STRING),
        ("table", schemas.STRING),
        ("shard", schemas.STRING),
        # The page's schema says int64, its own example is the text that it has to be.
        ("vgtid", schemas.OPTIONAL_STRING),
    ),
)
_DOCUMENTED_ORDERED: Final = schemas.block_schema(
    ("transaction_rank", schemas.INT64), ("transaction_epoch", schemas.INT64)
)
DOCUMENTED_BOUNDARY: Final = ("status", "id", "ts_ms", "event_count", "data_collections")
DOCUMENTED: Final = VitessDialect(
    "documented", _DOCUMENTED_SOURCE, _DOCUMENTED_ORDERED, DOCUMENTED_BOUNDARY, documented=True
)
# C:connector/common/DebeziumHeaderProducer.java: there from 3.2.0 on, switched by a setting from
# 3.2.1 on (C:config/CommonConnectorConfig.java EXTENDED_HEADERS_ENABLED), a fourth in 3.4.0. Seven
# values of `snapshot` and a version of the source block's schema from 3.1.0 on:
# C:connector/AbstractSourceInfoStructMaker.java, C:schema/SchemaFactory.java. Settings:
# V:VitessConnectorConfig.java and C:jdbc/TemporalPrecisionMode.java of each release.
_NO_HEADERS: Final = MappingProxyType({"extended.headers.enabled": ()})
_UP_TO_3_0: Final = MappingProxyType(
    {
        **_NO_HEADERS,
        "include.schema.changes": (),
        "override.data.change.topic.prefix.exclude.list": (),
        "override.datetime.to.nullable": (),
        "override.schema.change.topic": (),
        "time.precision.mode": ("isostring", "microseconds", "nanoseconds"),
        "transforms.*.type": ("io.debezium.connector.vitess.transforms.ReplaceFieldValue",),
    }
)
_3_1: Final = replace(
    CURRENT,
    name="3.1",
    version="3.1.0.Final",
    context=ContextHeaders.NEVER,
    lacks=_NO_HEADERS,
)
_SOURCE_3_0: Final = replace(
    SOURCE,
    version=None,
    fields=tuple(
        replace(one, schema=FOUR_SNAPSHOT) if one.name == "snapshot" else one
        for one in SOURCE.fields
    ),
)
_3_0: Final = replace(
    _3_1,
    name="3.0",
    version="3.0.0.Final",
    source=_SOURCE_3_0,
    epochs=EpochRules(exchange_stops=True),
    lacks=_UP_TO_3_0,
)
# V:pipeline/txmetadata/VitessEpochProvider.java, C:relational/mapping/TruncateColumn.java.
_UP_TO_2_7: Final = MappingProxyType(
    {
        **_UP_TO_3_0,
        "override.data.change.topic.prefix*": (),
        "vitess.exclude.empty.shards": (),
        "vitess.inherit.epoch": (),
        "vitess.shard.epoch.map": (),
    }
)
RELEASES: Final = (
    replace(
        _3_0,
        name="2.7",
        version="2.7.0.Final",
        epochs=EpochRules(FirstEpoch.TRANSACTION, exchange_stops=True),
        bytes_cut=False,
        lacks=_UP_TO_2_7,
    ),
    _3_0,
    _3_1,
    replace(
        CURRENT,
        name="3.2",
        version="3.2.0.Final",
        context=ContextHeaders.ALWAYS,
        lacks=_NO_HEADERS,
    ),
    replace(CURRENT, name="3.4", version="3.4.0.Final", run_id=True),
)
DIALECTS: Mapping[str, VitessDialect] = MappingProxyType(
    {dialect.name: dialect for dialect in (CURRENT, *RELEASES, DOCUMENTED)}
)
