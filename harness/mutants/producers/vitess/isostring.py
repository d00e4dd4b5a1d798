"""Zero dates under `isostring`, written as something else than their text."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import Final

from harness.codecs.debezium.columns import ColumnType, Conversion
from harness.codecs.debezium.temporal import ISOSTRING
from harness.codecs.debezium_vitess.values import ValueModes
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.vitess.columns import by_mode

_ZERO: Final = "0000-00-00"
_PARTLY_ZERO: Final = r"\d{4}-(?:00-\d\d|\d\d-00)"
# The end of a row's name, whose type, its words, an expression for a date, what is put there.
_ZEROS: Final = (
    ("zero-as-1970", "DATE", "a zero date as 1970-01-01", _ZERO, "1970-01-01"),
    ("zero-datetime-as-1970", "DATETIME", "a zero DATETIME as 1970", _ZERO, "1970-01-01"),
    ("no-month-as-zero", "DATE", "a DATE without a month as zero", _PARTLY_ZERO, _ZERO),
    ("no-day-as-zero", "DATETIME", "a DATETIME without a day as zero", _PARTLY_ZERO, _ZERO),
)


def _of(kind: str, column: ColumnType, found: ValueModes) -> bool:
    return column.type == kind and found.time == ISOSTRING


def _rewritten(zero: str, other: str, _: ColumnType, found: Conversion) -> Conversion:
    return replace(found, convert=lambda text: re.sub(zero, other, text))


ROWS: tuple[WrongProducer, ...] = tuple(
    WrongProducer(
        f"vitess-isostring-{what}",
        "vitess.temporal.isostring-zero",
        f"It writes {words} under `isostring`.",
        by_mode(partial(_of, kind), partial(_rewritten, zero, other)),
    )
    for what, kind, words, zero, other in _ZEROS
)
