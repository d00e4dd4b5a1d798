"""TiCDC Avro."""

from __future__ import annotations

from importlib.resources import files

from harness.codecs.avro.codec import AVRO as CODEC
from harness.codecs.avro.codec import carries_default
from harness.codecs.avro.reference import SETTINGS, TYPES
from harness.model.columns import ColumnKind
from harness.model.settings import Settings
from harness.projections.avro import projection
from harness.protocols.cells import avro_clause
from harness.protocols.description import read_description
from harness.protocols.protocol import FuzzSettings, ProtocolSpec
from harness.protocols.ticdc import ROUTES, ZONES, with_changefeed
from harness.sources.tidb.source import tidb_source
from harness.spec import layer
from harness.stream_rules.avro import RULES

WATERMARK = "avro-enable-watermark"
EXTENSION = "enable-tidb-extension"
_SETTINGS = with_changefeed(SETTINGS)


def _watermark(settings: Settings) -> bool:
    return bool(settings.get(WATERMARK, False))


def _extension(settings: Settings) -> bool:
    return bool(settings.get(EXTENSION, False))


def _same_names(settings: Settings) -> bool:
    """Return whether there is no DDL: it has the names themselves, rows what Avro takes of them."""
    return not _watermark(settings)


AVRO = ProtocolSpec(
    name="avro",
    description=read_description(files("harness.protocols") / "avro.toml"),
    codec=CODEC,
    source=tidb_source("avro"),
    types=TYPES,
    type_clauses={kind: f"avro.type.{kind.value}" for kind in ColumnKind},
    cell_clause=avro_clause,
    clauses=(layer("avro"),),
    settings=_SETTINGS,
    known_settings=frozenset(setting.name for setting in _SETTINGS),
    projection=projection,
    carries_default=carries_default,
    dated=True,
    fuzz=FuzzSettings(
        clauses=("avro.key.columns",),
        groups=(
            ROUTES,
            ({EXTENSION: True}, {EXTENSION: True, WATERMARK: True}),
            ({"avro-decimal-handling-mode": "string"},),
            ({"avro-bigint-unsigned-handling-mode": "string"},),
            ZONES,
        ),
        dialects=CODEC.dialects,
        sends_ddl=_watermark,
        dates_rows=_extension,
        same_names=_same_names,
    ),
    # TiCDC posts the schemas of a topic under one subject, so tables need topics of their own.
    load_settings={"sink.dispatchers": [{"matcher": ["*.*"], "topic": "{schema}_{table}"}]},
    stream_rules=RULES,
    scaffold_parts=("avro",),
)
