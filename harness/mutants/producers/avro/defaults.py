"""Defaults: whose are in the schema, and as what."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any, Final

from harness.codecs.avro.schema import AvroField
from harness.codecs.avro.settings import AvroSettings
from harness.errors import SourceStopped
from harness.model.columns import CHARACTERS, Column, ColumnKind
from harness.model.table import Table
from harness.model.zones import from_utc
from harness.mutants.producers.avro.edits import DIALECT, SCHEMA, defaults, field_texts, fields
from harness.mutants.producers.avro.types import of
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import constant, patch, returns

LATIN: Final = "latin-1"
LONG_MAX: Final = 2**63 - 1


def _passed_over(original: Callable[..., object]) -> Callable[..., object]:
    """Return a `native_default` that gives none where TiCDC cannot read the text."""

    def found(column: Column, kind: object) -> object:
        try:
            return original(column, kind)
        except SourceStopped:
            return None

    return found


def _an_hour_later(text: str) -> str:
    return re.sub(r" (\d\d):", lambda found: f" {(int(found[1]) + 1) % 24:02}:", text, count=1)


def _by_the_clock(
    original: Callable[..., list[AvroField]], table: Table, ordinals: object, bound: AvroSettings
) -> list[AvroField]:
    """Return the fields with defaults of TIMESTAMPs in the zone of the values."""
    shown = from_utc(bound.zone)
    return [
        replace(field, default=shown(field.default))
        if field.column.kind is ColumnKind.TIMESTAMP and isinstance(field.default, str)
        else field
        for field in original(table, ordinals, bound)
    ]


def _required_alone(original: Callable[..., Column], column: Column, bound: AvroSettings) -> Column:
    return column if column.nullable else original(column, bound)


def _nullable_alone(original: Callable[..., Column], column: Column, bound: AvroSettings) -> Column:
    return original(column, bound) if column.nullable else column


def _greatest_alone(
    original: Callable[..., None], record: str, name: str, field: AvroField
) -> None:
    if field.default == LONG_MAX:
        original(record, name, field)


def _exact_alone(original: Callable[..., None], record: str, name: str, field: AvroField) -> None:
    value = field.default
    if isinstance(value, int) and int(float(value)) != value:
        original(record, name, replace(field, default=LONG_MAX))
    original(record, name, field)


def _bytes_as_characters(original: Callable[[Any], str], value: object) -> str:
    return json.dumps(value.decode(LATIN)) if isinstance(value, bytes) else original(value)


def _is_one(kinds: set[ColumnKind], column: Column) -> bool:
    return column.kind in kinds


def _as_characters(value: object) -> object:
    return value.decode(LATIN) if isinstance(value, bytes) else value


def _with_its_default(field: AvroField, text: str) -> str:
    """Return the JSON of a field with its default as Avro would have it, in two's complement."""
    column, decimal = field.column, field.type.decimal
    if decimal is None or column.nullable or column.default is None:
        return text
    made = json.loads(text)
    number = int(Decimal(column.default.text or "0").scaleb(decimal[1]))
    raw = number.to_bytes((number.bit_length() + 8) // 8, "big", signed=True)
    return json.dumps({"default": raw.decode(LATIN), **made}, separators=(",", ":"))


ROWS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "avro-default-of-a-precise-decimal",
        "avro.default.decimal-precise",
        "It writes the default of a NOT NULL precise DECIMAL, with one character a byte.",
        field_texts(_with_its_default),
    ),
    WrongProducer(
        "avro-default-of-a-nullable-precise-decimal",
        "avro.default.decimal-precise",
        "It leaves the default null out where a nullable precise DECIMAL has a default.",
        fields(
            lambda field: field.pop("default", None),
            lambda column: (
                column.kind is ColumnKind.DECIMAL and column.default is not None and column.nullable
            ),
        ),
    ),
    WrongProducer(
        "avro-default-padded",
        "avro.default.decimal-string",
        "It pads the default of a DECIMAL to its scale.",
        defaults(of(ColumnKind.DECIMAL), lambda text: f"{Decimal(text):.4f}"),
    ),
    WrongProducer(
        "avro-default-begins-with-its-point",
        "avro.default.decimal-string",
        "It prints no zero before the point of a DECIMAL's default.",
        defaults(of(ColumnKind.DECIMAL), lambda text: re.sub(r"^0\.", ".", text)),
    ),
    WrongProducer(
        "avro-quoted-default-as-a-number",
        "avro.default.decimal-string",
        "It reads the default of a DECIMAL that stands in quotes as a number.",
        defaults(of(ColumnKind.DECIMAL), lambda text: f"{Decimal(text):f}"),
    ),
    WrongProducer(
        "avro-default-of-bytes-as-characters",
        "avro.default.bytes-base64",
        "It writes the default of bytes with one character a byte, as Avro would.",
        patch(
            "harness.codecs.avro.defaults:default_text",
            lambda original: partial(_bytes_as_characters, original),
        ),
    ),
    *(
        WrongProducer(
            f"avro-default-of-{words}-as-characters",
            "avro.default.bytes-base64",
            f"It writes the default of a {what} column with one character a byte.",
            defaults(partial(_is_one, kinds), _as_characters),
        )
        for words, what, kinds in (
            ("bits", "BIT", {ColumnKind.BIT}),
            ("binary", "BINARY or VARBINARY", {ColumnKind.BINARY, ColumnKind.VARBINARY}),
        )
    ),
    WrongProducer(
        "avro-default-of-a-float-as-written",
        "avro.default.float-widened",
        "It writes the default of a FLOAT with the digits of its declaration.",
        defaults(of(ColumnKind.FLOAT), lambda number: round(number, 5)),
    ),
    WrongProducer(
        "avro-default-in-the-zone-of-the-changefeed",
        "avro.default.timestamp-utc",
        "It writes the default of a TIMESTAMP an hour later, as in a zone east of UTC.",
        defaults(of(ColumnKind.TIMESTAMP), _an_hour_later),
    ),
    WrongProducer(
        "avro-default-by-the-clock-of-the-server",
        "avro.default.timestamp-utc",
        "It writes the default of a TIMESTAMP by the clock that it writes the values by.",
        patch(f"{SCHEMA}:_fields", lambda original: partial(_by_the_clock, original)),
    ),
    WrongProducer(
        "avro-old-defaults-are-of-now",
        "avro.default.origin",
        "It looks at no default but the column's own before 6.5.12, 7.5.6 and 8.5.2.",
        constant(f"{DIALECT}:V6.origin_defaults", value=False),
    ),
    WrongProducer(
        "avro-old-default-goes-with-its-clause",
        "avro.default.origin",
        "It leaves a default that was dropped out of the schema there.",
        patch(f"{SCHEMA}:_declared", lambda original: partial(_required_alone, original)),
    ),
    WrongProducer(
        "avro-old-zero-is-no-default",
        "avro.default.origin",
        "It leaves the zero of a column that came NOT NULL, without a default, out of the schema.",
        patch(f"{SCHEMA}:_declared", lambda original: partial(_nullable_alone, original)),
    ),
    WrongProducer(
        "avro-function-is-no-default",
        "avro.default.function",
        "It writes no default that is a function.",
        defaults(
            lambda column: column.default is not None and column.default.is_expression,
            lambda _: None,
        ),
    ),
    WrongProducer(
        "avro-function-of-a-number-is-no-default",
        "avro.default.function",
        "It goes on without the default where a number's default is a function.",
        patch("harness.codecs.avro.defaults:native_default", _passed_over),
    ),
    WrongProducer(
        "avro-clock-alone-is-a-default",
        "avro.default.function",
        "It writes no default that is a function other than the clock's.",
        defaults(
            lambda column: (
                column.default is not None
                and column.default.is_expression
                and column.kind in CHARACTERS
            ),
            lambda _: None,
        ),
    ),
    WrongProducer(
        "avro-default-beyond-63-bits-as-it-is",
        "avro.default.unsigned-wraps",
        "It writes the default of a BIGINT UNSIGNED as the number that it is.",
        defaults(
            of(ColumnKind.BIGINT, unsigned=True),
            lambda number: number % 2**64 if isinstance(number, int) else number,
        ),
    ),
    WrongProducer(
        "avro-greatest-bigint-is-a-default",
        "avro.default.bigint-max",
        "It takes a default of a nullable BIGINT that a double rounds to 2^63.",
        returns(f"{SCHEMA}:_default_fits", None),
    ),
    WrongProducer(
        "avro-greatest-bigint-alone-stops",
        "avro.default.bigint-max",
        "It stops at the default 9223372036854775807 of a nullable BIGINT alone.",
        patch(f"{SCHEMA}:_default_fits", lambda original: partial(_greatest_alone, original)),
    ),
    WrongProducer(
        "avro-inexact-bigint-stops",
        "avro.default.bigint-max",
        "It stops at each default of a nullable BIGINT that no double is equal to.",
        patch(f"{SCHEMA}:_default_fits", lambda original: partial(_exact_alone, original)),
    ),
)
