"""The TiCDC Open Protocol."""

from __future__ import annotations

from importlib.resources import files

from harness.codecs.open.codec import OPEN as CODEC
from harness.codecs.open.reference import SETTINGS, TYPES
from harness.documents import JsonSchema
from harness.model.columns import ColumnKind
from harness.protocols.cells import open_clause
from harness.protocols.description import read_description, read_schema
from harness.protocols.protocol import FuzzSettings, ProtocolSpec, always
from harness.protocols.ticdc import ROUTES, ZONES, with_changefeed
from harness.sources.tidb.source import tidb_source
from harness.spec import layer
from harness.stream_rules.open import RULES

_HERE = files("harness.protocols")
# Keys of a changefeed file and parameters of its sink URI, as scenarios may state them.
SETTINGS_SCHEMA: JsonSchema = read_schema(_HERE / "open_settings.json")
# The document has one row for a BLOB type and the TEXT type of its size.
_BLOBS = {
    ColumnKind.TINYBLOB: "open.type.tinytext",
    ColumnKind.MEDIUMBLOB: "open.type.mediumtext",
    ColumnKind.LONGBLOB: "open.type.longtext",
    ColumnKind.BLOB: "open.type.text",
}
# The second is refused beside the first, or leaves of an update too little to find the old row of a
# table without a key.
_EXCLUSIVE = tuple(
    ("force-replicate", name)
    for name in (
        "sink.delete-only-output-handle-key-columns",
        "sink.open.output-old-value",
        "only-output-updated-columns",
    )
)


OPEN = ProtocolSpec(
    name="open",
    description=read_description(_HERE / "open.toml"),
    codec=CODEC,
    source=tidb_source("open"),
    types=TYPES,
    type_clauses={**{kind: f"open.type.{kind.value}" for kind in ColumnKind}, **_BLOBS},
    cell_clause=open_clause,
    clauses=(layer("open"),),
    settings=with_changefeed(SETTINGS),
    settings_schema=SETTINGS_SCHEMA,
    fuzz=FuzzSettings(
        clauses=("open.row.insert",),
        groups=(
            ROUTES,
            ({"max-batch-size": 1}, {"max-batch-size": 2}),
            (
                {"sink.open.output-old-value": False},
                {"only-output-updated-columns": True},
                {"sink.delete-only-output-handle-key-columns": True},
            ),
            ZONES,
        ),
        dialects=CODEC.dialects,
        exclusive=_EXCLUSIVE,
        keyless={"force-replicate": True},
        keyed=("4.0.4",),
        sends_ddl=always,
        dates_rows=always,
    ),
    stream_rules=RULES,
    scaffold_parts=("json", "open"),
)
