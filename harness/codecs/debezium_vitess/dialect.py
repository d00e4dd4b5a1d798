"""The connector as it is, and as its documents describe it.

`documented` follows the published page where that differs from what 3.3.1 emits: the source block's
order, its three times required, a vgtid without table keys, a data collection without its shard,
a rank before the epoch, a transaction field only where metadata is on, `op` r with markers for rows
of the copy phase. Source: vitess NOTES §12; Debezium connector for Vitess, tables 2 to 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from harness.codecs.connect.schema import Schema, SchemaType
from harness.codecs.debezium import schemas
from harness.codecs.debezium.schemas import WHOLE_DECIMAL
from harness.codecs.debezium_vitess.schemas import ORDERED_BLOCK, SOURCE


@dataclass(frozen=True, slots=True)
class VitessDialect:
    """Where the two differ; `documented` is true of the page's."""

    name: str
    source: Schema
    block: Schema
    ordered_block: Schema
    documented: bool = False


CURRENT: Final = VitessDialect("current", SOURCE, schemas.BLOCK, ORDERED_BLOCK)

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
        (
            "snapshot",
            Schema(
                SchemaType.STRING,
                optional=True,
                name="io.debezium.data.Enum",
                version=1,
                parameters=(("allowed", "true,last,false,incremental"),),
                default="false",
            ),
        ),
        ("db", schemas.STRING),
        ("sequence", schemas.OPTIONAL_STRING),
        ("keyspace", schemas.STRING),
        ("table", schemas.STRING),
        ("shard", schemas.STRING),
        # The page's schema says int64, its own example is the text that it has to be.
        ("vgtid", schemas.OPTIONAL_STRING),
    ),
)
_DOCUMENTED_ORDERED: Final = Schema(
    SchemaType.STRUCT,
    optional=True,
    name="event.block",
    version=1,
    fields=schemas.fields(
        ("id", schemas.STRING),
        ("total_order", schemas.INT64),
        ("data_collection_order", schemas.INT64),
        ("transaction_rank", WHOLE_DECIMAL),
        ("transaction_epoch", schemas.INT64),
    ),
)
DOCUMENTED: Final = VitessDialect(
    "documented", _DOCUMENTED_SOURCE, schemas.BLOCK, _DOCUMENTED_ORDERED, documented=True
)
DIALECTS: Mapping[str, VitessDialect] = MappingProxyType(
    {dialect.name: dialect for dialect in (CURRENT, DOCUMENTED)}
)
