"""Extension fields, and those of row checksums."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from harness.codecs.avro import names
from harness.codecs.avro.checksum import VERSION
from harness.codecs.avro.encode import LOGICAL_BITS, AvroEncoder
from harness.codecs.avro.schema import AvroField
from harness.codecs.avro.varint import varint
from harness.model.change import Op
from harness.model.source_events import RowEvent, SourceTable
from harness.model.values import Row
from harness.mutants.producers.avro.edits import (
    DIALECT,
    SCHEMA,
    settings,
)
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
# The magic byte and the schema's id.
HEADER: Final = 5
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
        "avro-checksum-of-a-split-update",
        "avro.checksum.zero-not-enabled",
        "It writes 1 where a row has no checksum.",
        constant("harness.codecs.avro.encode:NOT_ENABLED", 1),
    ),
    WrongProducer(
        "avro-checksum-zero-of-every-row",
        "avro.checksum.zero-not-enabled",
        "It writes 0 for the checksum of each row.",
        returns("harness.codecs.avro.checksum:row_checksum", 0),
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

ROWS: tuple[WrongProducer, ...] = (*EXTENSIONS, *TYPES)
