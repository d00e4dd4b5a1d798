"""Names of fields and schemas as `avro_unicode` adjusts them: the codes, and a leading digit."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import entry

NAMES: Final = "harness.codecs.debezium.adjustment"


def _digit_kept(original: Callable[[str], str]) -> Callable[[str], str]:
    return lambda name: re.sub(r"^_u003(\d)", r"\1", original(name))


def _decimal(original: Callable[[str], str]) -> Callable[[str], str]:
    """Return what writes each code of four digits in decimal."""

    def adjusted(name: str) -> str:
        return re.sub(r"_u([0-9a-f]{4})", lambda code: f"_u{int(code[1], 16):04d}", original(name))

    return adjusted


ROWS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "vitess-field-digit-kept-in-unicode",
        "vitess.name.field-avro-unicode",
        "It leaves a leading digit in names of fields as it is.",
        entry(f"{NAMES}:FIELD_NAMES", "avro_unicode", _digit_kept),
    ),
    *(
        WrongProducer(
            f"vitess-{part}-names-with-decimal-codes",
            f"vitess.name.{part}-avro-unicode",
            f"It writes the codes in names of {part}s in decimal.",
            entry(f"{NAMES}:{part.upper()}_NAMES", "avro_unicode", _decimal),
        )
        for part in ("field", "schema")
    ),
)
