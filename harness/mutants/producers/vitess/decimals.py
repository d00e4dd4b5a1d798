"""DECIMAL under `decimal.handling.mode`, which this connector leaves without effect."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import partial

from harness.codecs.connect.schema import SchemaType
from harness.codecs.debezium.columns import ColumnType, Conversion
from harness.codecs.debezium.settings import ConnectorSettings
from harness.codecs.debezium_vitess.values import ValueModes
from harness.model.columns import ColumnKind
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, patch
from harness.mutants.producers.vitess.columns import MODES, by_mode, converted
from harness.protocols import PROTOCOLS

CLAUSE = PROTOCOLS["vitess"].type_clauses[ColumnKind.DECIMAL]


class _Doubles(ValueModes):
    """What the settings say about values, where they ask for doubles."""


def _heeding(
    modes: Sequence[str],
    original: Callable[..., ValueModes],
    settings: ConnectorSettings,
    zone: str,
) -> ValueModes:
    found = original(settings, zone)
    if settings.mode("decimal.handling.mode") not in modes:
        return found
    return _Doubles(**{field.name: getattr(found, field.name) for field in fields(found)})


def _is_double(column: ColumnType, found: ValueModes) -> bool:
    return column.type == "DECIMAL" and isinstance(found, _Doubles)


def _as_double(column: ColumnType, found: Conversion) -> Conversion:
    del column
    made = converted(float, found)
    return replace(made, schema=replace(made.schema, kind=SchemaType.FLOAT64), null=0.0)


def _doubles_under(*modes: str) -> Patch:
    return replace(
        patch(MODES, lambda original: partial(_heeding, modes, original)),
        then=by_mode(_is_double, _as_double),
    )


ROWS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "vitess-decimal-by-its-mode",
        CLAUSE,
        "It writes a DECIMAL as a double under decimal.handling.mode double.",
        _doubles_under("double"),
    ),
    WrongProducer(
        "vitess-decimal-number-when-precise",
        CLAUSE,
        "It writes a DECIMAL as a number under decimal.handling.mode precise.",
        _doubles_under("precise"),
    ),
)
