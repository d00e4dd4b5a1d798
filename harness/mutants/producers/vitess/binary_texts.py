"""Texts with a binary collation, which VStream gives as bytes: taken for bytes, or so called."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from harness.codecs.debezium.columns import ColumnType, Jdbc
from harness.codecs.debezium.mappers import Parameters
from harness.model.columns import ColumnKind
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import adjusted, entry
from harness.mutants.producers.vitess.columns import Fields, columns, of
from harness.protocols import PROTOCOLS

CLAUSES: Final = PROTOCOLS["vitess"].type_clauses
PROPAGATED: Final = "harness.codecs.debezium.mappers:_propagated"
TYPES: Final = "harness.codecs.debezium_vitess.types"
# The type as which VStream gives a text -> the text's own.
_OWN: Final = {"VARBINARY": "VARCHAR", "BINARY": "CHAR", "BLOB": "TEXT"}


def _own_type(found: Parameters, column: ColumnType) -> Parameters:
    """Propagate the name of a text's own type."""
    if column.jdbc is not Jdbc.VARCHAR:
        return found
    return tuple(
        (name, _OWN.get(value, value)) if name.endswith("column.type") else (name, value)
        for name, value in found
    )


def _text_columns() -> Iterator[WrongProducer]:
    """Return, for each binary type of VStream, one that takes texts in it for bytes."""
    for name in ("VARBINARY", "BINARY"):
        yield WrongProducer(
            f"vitess-texts-in-{name.lower()}-as-bytes",
            "vitess.type.text-in-binary",
            f"It takes a text that comes as {name} for bytes.",
            entry(f"{TYPES}:_BINARY", name, lambda _: ()),
        )
    for kind in (ColumnKind.TINYTEXT, ColumnKind.TEXT, ColumnKind.MEDIUMTEXT, ColumnKind.LONGTEXT):
        yield WrongProducer(
            f"vitess-{kind.value}-in-blob-as-bytes",
            "vitess.type.text-in-binary",
            f"It takes a {kind.value.upper()} that comes as BLOB for bytes.",
            columns(
                _comes_as("BLOB", kind),
                lambda column: replace(column, type="BLOB", jdbc=Jdbc.BLOB),
            ),
        )
    for kind in (ColumnKind.ENUM, ColumnKind.SET):
        yield WrongProducer(
            f"vitess-{kind.value}-in-binary-as-bytes",
            CLAUSES[kind],
            f"It takes {kind.value.upper()} for bytes where it comes as BINARY.",
            columns(
                _comes_as("BINARY", kind),
                lambda column: replace(column, type="BINARY", jdbc=Jdbc.BINARY),
            ),
            also="vitess.type.text-in-binary",
        )


def _comes_as(binary: str, kind: ColumnKind) -> Fields:
    its = of(kind)
    return lambda field: its(field) and field.type == binary


ROWS: tuple[WrongProducer, ...] = (
    *_text_columns(),
    WrongProducer(
        "vitess-propagates-a-texts-own-type",
        "vitess.type.text-in-binary",
        "It propagates VARCHAR, CHAR or TEXT as the type of a text that comes as bytes.",
        adjusted(PROPAGATED, _own_type),
    ),
)
