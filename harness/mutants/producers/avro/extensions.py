"""Defaults and extension fields."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any, Final

from harness.codecs.avro import names
from harness.codecs.avro.checksum import VERSION
from harness.codecs.avro.encode import LOGICAL_BITS, AvroEncoder
from harness.codecs.avro.schema import AvroField
from harness.codecs.avro.settings import AvroSettings
from harness.codecs.avro.varint import varint
from harness.errors import SourceStopped
from harness.model.change import Op
from harness.model.columns import CHARACTERS, Column, ColumnKind
from harness.model.source_events import RowEvent, SourceTable
from harness.model.table import Table
from harness.model.values import Row
from harness.model.zones import from_utc
from harness.mutants.producers.avro.edits import (
    DIALECT,
    SCHEMA,
    defaults,
    fields,
    settings,
)
from harness.mutants.producers.avro.types import of
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import constant, patch, returns

EXTENSION: Final = f"{SCHEMA}:_EXTENSION"
CHECKSUM: Final = f"{SCHEMA}:_CHECKSUM"
EXTENSION_BYTES: Final = "harness.codecs.avro.encode:AvroEncoder._extension"
FIELDS: Final = {
    names.OP: ("string", '""'),
    names.COMMIT_TS: ("long", "0"),
    names.PHYSICAL_TIME: ("long", "0"),
}
CHECKSUMS: Final = {
    names.CHECKSUM: ("string", '""'),
    names.CORRUPTED: ("boolean", "false"),
    names.CHECKSUM_VERSION: ("int", "0"),
}
# What each field's type is mistaken for: one whose values are the same bytes.
OTHER_TYPES: Final = (
    (FIELDS, EXTENSION, names.OP, "bytes", "avro.extension.op"),
    (FIELDS, EXTENSION, names.COMMIT_TS, "int", "avro.extension.commit-ts"),
    (FIELDS, EXTENSION, names.PHYSICAL_TIME, "int", "avro.extension.physical-time"),
    (CHECKSUMS, CHECKSUM, names.CHECKSUM, "bytes", "avro.checksum.fields"),
    (CHECKSUMS, CHECKSUM, names.CORRUPTED, "int", "avro.checksum.fields"),
    (CHECKSUMS, CHECKSUM, names.CHECKSUM_VERSION, "long", "avro.checksum.fields"),
)
LATIN: Final = "latin-1"
# The magic byte and the schema's id.
HEADER: Final = 5
LONG_MAX: Final = 2**63 - 1
Written = Callable[[AvroEncoder, RowEvent], bytes]  # the bytes of what is added to the columns


def _renamed(fields: dict[str, tuple[str, str]], old: str) -> dict[str, tuple[str, str]]:
    return {(f"{name}_" if name == old else name): rest for name, rest in fields.items()}


def _declared(
    fields: dict[str, tuple[str, str]], name: str, kind: str
) -> dict[str, tuple[str, str]]:
    """Return the fields with another type of one, and the default that it had."""
    return {**fields, name: (kind, fields[name][1])}


def _extension_turned(original: Written) -> Written:
    """Return what writes the values in the order in which the turned schema declares them."""

    def written(encoder: AvroEncoder, row: RowEvent) -> bytes:
        whole = original(encoder, row)
        op = varint(1) + (b"c" if row.op is Op.INSERT else b"u")
        ts, moment = varint(row.commit_ts), varint(row.commit_ts >> LOGICAL_BITS)
        return moment + ts + op + whole[len(op + ts + moment) :]

    return written


def _extension_first(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a `_schema` that declares what is added before the columns."""

    def made(table: object, columns: object, extra: dict[str, Any], bound: object) -> Any:  # noqa: ANN401
        found = original(table, columns, extra, bound)
        head, _, listed = found.text.partition('"fields":[')
        added = original(table, (), extra, bound).text.partition('"fields":[')[2].removesuffix("]}")
        rest = listed.removesuffix(f",{added}]}}")
        return replace(found, text=f'{head}"fields":[{added},{rest}]}}') if added else found

    return made


def _extension_in_front(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a `_value` that writes the extension's bytes before those of the columns."""

    def written(encoder: Any, row: RowEvent) -> Any:  # noqa: ANN401
        value, use = original(encoder, row)
        if value is None or not encoder._settings.extension:  # noqa: SLF001
            return value, use
        added = encoder._extension(row)  # noqa: SLF001
        return value[:HEADER] + added + value[HEADER:].removesuffix(added), use

    return written


def _extension_ends(row: RowEvent) -> int:
    return len(varint(1) + b"c" + varint(row.commit_ts) + varint(row.commit_ts >> LOGICAL_BITS))


def _checksum_turned(original: Written) -> Written:
    """Return what writes the checksum's version first, the checksum last."""
    corrupted, version = b"\0", varint(VERSION)

    def written(encoder: AvroEncoder, row: RowEvent) -> bytes:
        whole = original(encoder, row)
        at = _extension_ends(row)
        digits = whole[at:].removesuffix(corrupted + version)
        return whole[:at] + (version + corrupted + digits if whole[at:] else b"")

    return written


def _checksum_in_front(original: Written) -> Written:
    """Return what writes the checksum's values before the extension's."""

    def written(encoder: AvroEncoder, row: RowEvent) -> bytes:
        whole = original(encoder, row)
        at = _extension_ends(row)
        return whole[at:] + whole[:at]

    return written


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


def _in_table_order(original: Any) -> Any:  # noqa: ANN401 - patched
    def made(table: object, fields: Sequence[AvroField], *rest: object) -> object:
        return original(table, sorted(fields, key=lambda field: field.ordinal), *rest)

    return made


def _summed_as_sent(original: Callable[..., int]) -> Callable[..., int]:
    """Return a `row_checksum` over the columns in the table's order, as they are sent."""

    def checksum(table: SourceTable, image: Row, to_utc: Callable[[str], str]) -> int:
        columns = (replace(c, id=n) for n, c in enumerate(table.table.columns))
        ordered = replace(table.table, columns=tuple(columns))
        return original(replace(table, table=ordered), image, to_utc)

    return checksum


def _is_one(kinds: set[ColumnKind], column: Column) -> bool:
    return column.kind in kinds


def _as_characters(value: object) -> object:
    return value.decode(LATIN) if isinstance(value, bytes) else value


DEFAULTS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "avro-default-of-a-precise-decimal",
        "avro.default.decimal-precise",
        "It writes the default of a precise DECIMAL.",
        fields(
            lambda field: field.update(default=""),
            lambda column: (
                column.kind is ColumnKind.DECIMAL
                and column.default is not None
                and not column.nullable
            ),
        ),
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

EXTENSIONS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "avro-extension-always",
        "avro.extension.off",
        "It adds extension fields where nobody asked for them.",
        settings(extension=True),
    ),
    WrongProducer(
        "avro-extension-never",
        "avro.extension.fields",
        "It ignores `enable-tidb-extension`.",
        settings(extension=False, watermark=False, checksum=False),
    ),
    WrongProducer(
        "avro-extension-turned-round",
        "avro.extension.fields",
        "It declares and writes the extension fields in another order.",
        replace(
            constant(EXTENSION, dict(reversed(FIELDS.items()))),
            then=patch(EXTENSION_BYTES, _extension_turned),
        ),
    ),
    WrongProducer(
        "avro-extension-before-the-columns",
        "avro.extension.fields",
        "It declares and writes the extension fields before the columns.",
        replace(
            patch(f"{SCHEMA}:_schema", _extension_first),
            then=patch("harness.codecs.avro.encode:AvroEncoder._value", _extension_in_front),
        ),
    ),
    *(
        WrongProducer(
            f"avro-extension-field-{name.strip('_').replace('_', '-')}-renamed",
            "avro.extension.fields",
            f"It gives `{name}` another name.",
            constant(EXTENSION, _renamed(FIELDS, name)),
        )
        for name in FIELDS
    ),
    WrongProducer(
        "avro-extension-without-defaults",
        "avro.extension.defaults",
        "It gives the extension fields no defaults.",
        constant(f"{DIALECT}:CURRENT.extension_defaults", value=False),
    ),
    WrongProducer(
        "avro-op-is-an-insert-by-default",
        "avro.extension.defaults",
        "It gives `_tidb_op` the default c.",
        constant(EXTENSION, {**FIELDS, names.OP: ("string", '"c"')}),
    ),
    *(
        WrongProducer(
            f"avro-{words}-is-1-by-default",
            "avro.extension.defaults",
            f"It gives `{name}` the default 1.",
            constant(EXTENSION, {**FIELDS, name: ("long", "1")}),
        )
        for words, name in (("commit-ts", names.COMMIT_TS), ("time", names.PHYSICAL_TIME))
    ),
    WrongProducer(
        "avro-old-extension-with-defaults",
        "avro.extension.no-defaults",
        "It gives the extension fields defaults before 7.1.0.",
        constant(f"{DIALECT}:V6.extension_defaults", value=True),
    ),
    WrongProducer(
        "avro-checksums-keep-the-order-of-the-table",
        "avro.checksum.column-order",
        "It keeps the table's order of columns where checksums are on.",
        replace(
            patch("harness.codecs.avro.schema:_schema", _in_table_order),
            then=patch("harness.codecs.avro.checksum:row_checksum", _summed_as_sent),
        ),
    ),
    WrongProducer(
        "avro-checksums-in-another-order",
        "avro.checksum.fields",
        "It declares and writes the checksum's fields in another order.",
        replace(
            constant(CHECKSUM, dict(reversed(CHECKSUMS.items()))),
            then=patch(EXTENSION_BYTES, _checksum_turned),
        ),
    ),
    WrongProducer(
        "avro-checksums-before-the-extension",
        "avro.checksum.fields",
        "It declares and writes the checksum's fields before those of the extension.",
        replace(
            patch(
                f"{SCHEMA}:_schema",
                lambda schema: (
                    lambda table, columns, extra, bound: schema(
                        table,
                        columns,
                        {n: extra[n] for n in CHECKSUMS if n in extra} | extra,
                        bound,
                    )
                ),
            ),
            then=patch(EXTENSION_BYTES, _checksum_in_front),
        ),
    ),
    *(
        WrongProducer(
            f"avro-checksum-field-{name.strip('_').replace('_', '-')}-renamed",
            "avro.checksum.fields",
            f"It gives `{name}` another name.",
            constant(CHECKSUM, _renamed(CHECKSUMS, name)),
        )
        for name in CHECKSUMS
    ),
)

TYPES: tuple[WrongProducer, ...] = tuple(
    WrongProducer(
        f"avro-field-{name.strip('_').replace('_', '-')}-of-another-type",
        clause,
        f"It declares `{name}` as {kind}.",
        constant(where, _declared(fields, name, kind)),
    )
    for fields, where, name, kind, clause in OTHER_TYPES
)

ROWS: tuple[WrongProducer, ...] = (*DEFAULTS, *EXTENSIONS, *TYPES)
