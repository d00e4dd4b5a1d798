"""Zero dates, whole and in part."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from harness.codecs.debezium.columns import Jdbc
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import adjusted, constant, patch
from harness.mutants.producers.vitess.columns import by_mode

TEXTS: Final = "harness.codecs.debezium_vitess.temporal"


def _as_midnight(original: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
    def read(raw: bytes) -> Any:  # noqa: ANN401 what the original gives
        found = original(raw)
        return 0 if found is None else found

    return read


ROWS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "vitess-zero-date-as-1970",
        "vitess.temporal.zero-date",
        "It writes a zero DATE as 1970-01-01 in a nullable column too.",
        patch(f"{TEXTS}:date", _as_midnight),
        also="vitess.temporal.override-nullable",
    ),
    WrongProducer(
        "vitess-zero-day-as-the-first",
        "vitess.temporal.zero-date",
        "It takes a DATE whose day alone is zero for the first of its month.",
        patch(
            f"{TEXTS}:date",
            lambda original: lambda raw: original(re.sub(rb"(?<!-00)-00$", b"-01", raw)),
        ),
    ),
    WrongProducer(
        "vitess-zero-month-as-january",
        "vitess.temporal.zero-date",
        "It takes a DATE whose month alone is zero for a day of January.",
        patch(
            f"{TEXTS}:date",
            lambda original: lambda raw: original(re.sub(rb"-00-(?!00)", b"-01-", raw)),
        ),
    ),
    WrongProducer(
        "vitess-zero-datetime-as-1970",
        "vitess.temporal.zero-date",
        "It writes a DATETIME of no day as 1970 in a nullable column too.",
        adjusted(f"{TEXTS}:_any_moment", lambda found, _: 0 if found is None else found),
        also="vitess.temporal.override-nullable",
    ),
    WrongProducer(
        "vitess-zero-date-null-everywhere",
        "vitess.temporal.zero-date",
        "It leaves a zero date null in a NOT NULL column too.",
        by_mode(
            lambda column, _: column.jdbc in {Jdbc.DATE, Jdbc.TIMESTAMP} and not column.optional,
            lambda _, found: replace(found, null=None),
        ),
    ),
    WrongProducer(
        "vitess-partial-zero-is-zero",
        "vitess.temporal.partial-zero",
        "It takes a DATETIME with a zero month or day for a zero date.",
        constant(f"{TEXTS}:_ZERO", re.compile(r"\d{4}-(00-\d\d|\d\d-00)")),
    ),
    *(
        WrongProducer(
            f"vitess-zero-{word}-is-zero",
            "vitess.temporal.partial-zero",
            f"It takes a DATETIME whose {word} alone is zero for a zero date.",
            constant(f"{TEXTS}:_ZERO", re.compile(pattern)),
        )
        for word, pattern in (
            ("month", r"\d{4}-00-\d\d"),
            ("day", r"\d{4}-\d\d-00"),
        )
    ),
)
