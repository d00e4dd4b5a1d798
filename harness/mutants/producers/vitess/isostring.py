"""Dates and times under `isostring`, written as something else than their text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Final

from harness.codecs.debezium.columns import ColumnType, Conversion
from harness.codecs.debezium.temporal import ISOSTRING
from harness.codecs.debezium_vitess.values import ValueModes
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.vitess.columns import by_mode

_ZERO: Final = "0000-00-00"
_MONTH_ZERO: Final = r"\d{4}-00-(?!00)\d\d"
_DAY_ZERO: Final = r"\d{4}-(?!00)\d\d-00"
# The end of a row's name, whose type, its words, an expression for a date, what is put there.
_ZEROS: Final = (
    ("zero-as-1970", "DATE", "a zero date as 1970-01-01", _ZERO, "1970-01-01"),
    ("zero-datetime-as-1970", "DATETIME", "a zero DATETIME as 1970", _ZERO, "1970-01-01"),
    ("no-month-as-zero", "DATE", "a DATE without a month alone as zero", _MONTH_ZERO, _ZERO),
    ("no-day-as-zero", "DATE", "a DATE without a day alone as zero", _DAY_ZERO, _ZERO),
    (
        "datetime-of-no-month-as-zero",
        "DATETIME",
        "a DATETIME without a month alone as zero",
        _MONTH_ZERO,
        _ZERO,
    ),
    (
        "datetime-of-no-day-as-zero",
        "DATETIME",
        "a DATETIME without a day alone as zero",
        _DAY_ZERO,
        _ZERO,
    ),
)


def of(kind: str, column: ColumnType, found: ValueModes) -> bool:
    """Return whether a column is of a type of VStream, and the mode `isostring`."""
    return column.type == kind and found.time == ISOSTRING


def _rewritten(zero: str, other: str, _: ColumnType, found: Conversion) -> Conversion:
    return replace(found, convert=lambda text: re.sub(zero, other, text))


def _texts() -> Iterator[WrongProducer]:
    for kind in ("DATE", "TIME", "DATETIME"):
        yield WrongProducer(
            f"vitess-isostring-{kind.lower()}-with-a-name",
            "vitess.temporal.isostring",
            f"It gives the schema of {kind} a name under `isostring`.",
            by_mode(
                partial(of, kind),
                lambda _, found: replace(found, schema=replace(found.schema, name="IsoString")),
            ),
        )
        yield WrongProducer(
            f"vitess-isostring-{kind.lower()}-iso-8601",
            "vitess.temporal.isostring",
            f"It writes {kind} as ISO 8601 has it under `isostring`.",
            by_mode(
                partial(of, kind),
                lambda _, found: replace(found, convert=lambda text: text.replace(" ", "T") + "Z"),
            ),
        )


ROWS: tuple[WrongProducer, ...] = (
    *_texts(),
    *(
        WrongProducer(
            f"vitess-isostring-{what}",
            "vitess.temporal.isostring-zero",
            f"It writes {words} under `isostring`.",
            by_mode(partial(of, kind), partial(_rewritten, zero, other)),
        )
        for what, kind, words, zero, other in _ZEROS
    ),
)
