"""Which clause a consumer has broken, by what it got wrong and by the column's type."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from harness.model.columns import ColumnKind

# What a consumer got wrong -> the clause that it broke. `stale`: an older version replaced a newer
# one. `early`: output beyond what a resolved event completes. `repeated`: a repetition was applied
# as a new change. Avro and Vitess have no resolved events and no DDL events of their own.
DUTY_CLAUSES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "open": MappingProxyType(
            {
                "insert": "open.row.insert",
                "update": "open.row.update",
                "delete": "open.row.delete",
                "repeated": "open.delivery.at-least-once",
                "stale": "open.order.per-table-ts",
                "early": "open.resolved.complete",
                "ddl": "open.ddl.once",
            }
        ),
        "avro": MappingProxyType(
            {
                "insert": "avro.row.insert",
                "update": "avro.row.update",
                "delete": "avro.row.delete",
                "repeated": "avro.delivery.at-least-once",
                "stale": "avro.order.per-key",
            }
        ),
        "vitess": MappingProxyType(
            {
                "insert": "vitess.row.create",
                "update": "vitess.row.update",
                "delete": "vitess.row.delete",
                "repeated": "vitess.delivery.idempotent",
                "stale": "vitess.order.per-key",
            }
        ),
    }
)

# The clause of a column type's values, by protocol.
TYPES_BY_PROTOCOL: Mapping[str, Mapping[ColumnKind, str]] = MappingProxyType(
    {
        "open": MappingProxyType(
            {
                **{kind: f"open.type.{kind.value}" for kind in ColumnKind},
                # The document has one row for a BLOB type and the TEXT type of its size.
                ColumnKind.TINYBLOB: "open.type.tinytext",
                ColumnKind.MEDIUMBLOB: "open.type.mediumtext",
                ColumnKind.LONGBLOB: "open.type.longtext",
                ColumnKind.BLOB: "open.type.text",
            }
        ),
        "avro": MappingProxyType({kind: f"avro.type.{kind.value}" for kind in ColumnKind}),
        "vitess": MappingProxyType({kind: f"vitess.type.{kind.value}" for kind in ColumnKind}),
    }
)
