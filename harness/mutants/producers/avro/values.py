"""Values, kind by kind, and what rows stored before a column was added hold."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from harness.model.columns import CHARACTERS, Column, ColumnKind
from harness.model.reshape import zero_value
from harness.model.source_events import RowEvent, SourceEvent
from harness.model.values import Value
from harness.mutants.producers.avro.edits import (
    VALUES,
    types,
    unscaled,
    values,
    written,
)
from harness.mutants.producers.avro.temporals import trailing_zeros_cut
from harness.mutants.producers.avro.types import of
from harness.mutants.producers.changefeed.edits import emitted
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.open.added_columns import default_of_now
from harness.mutants.producers.patch import Patch, patch, result

AVRO: Final = ("avro",)


def _in_eight_bytes(found: bytes) -> bytes:
    return bytes(8 - len(found)) + found


def _without_its_scale(value: object) -> object:
    return trailing_zeros_cut(value) if isinstance(value, str) else value


def _signed(number: int) -> int:
    return number - 2**64 if number >= 2**63 else number


def _longer(found: bytes) -> bytes:
    return (b"\xff" if found[0] & 0x80 else b"\x00") + found


def _sign_and_magnitude(found: bytes) -> bytes:
    """Return a negative number as its magnitude, with a bit for the sign."""
    if not found[0] & 0x80:
        return found
    number = -int.from_bytes(found, "big", signed=True)
    first, *rest = number.to_bytes(len(found), "big")
    return bytes([first | 0x80, *rest])


def _shorter_names_first(text: str) -> str:
    """Return a JSON document with the members of its objects in MySQL's order."""

    def ordered(members: list[tuple[str, Any]]) -> dict[str, Any]:
        return dict(sorted(members, key=lambda one: (len(one[0].encode()), one[0].encode())))

    if json.dumps(json.loads(text), ensure_ascii=False) != text:
        return text
    return json.dumps(json.loads(text, object_pairs_hook=ordered), ensure_ascii=False)


def _in_old_rows(value: Callable[[Column, Value], Value]) -> Patch:
    """Return the patch that changes added columns in updated rows that were stored before them."""

    def changed(events: Sequence[SourceEvent]) -> Iterator[SourceEvent]:
        widths: dict[tuple[object, ...], int] = {}
        for event in events:
            if not isinstance(event, RowEvent) or event.after is None:
                yield event
                continue
            before, after, columns = event.before, event.after, event.table.table.columns
            key = (event.table.table.id, *(after[n] for n in event.table.handle))
            width = widths.setdefault(key, len(after))
            row = [
                value(columns[n], found)
                if before is not None and n >= width and before[n] == found
                else found
                for n, found in enumerate(after)
            ]
            yield replace(event, after=tuple(row))

    return emitted(changed)


ROWS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "avro-bits-in-eight-bytes",
        "avro.value.bit-bytes",
        "It writes the bytes of a BIT with leading zeros.",
        result("harness.codecs.avro.encode_values:_bits", _in_eight_bytes),
    ),
    WrongProducer(
        "avro-bits-little-endian",
        "avro.value.bit-bytes",
        "It writes the lowest byte of a BIT first.",
        result("harness.codecs.avro.encode_values:_bits", lambda raw: raw[::-1]),
    ),
    WrongProducer(
        "avro-bits-of-zero-without-a-byte",
        "avro.value.bit-bytes",
        "It writes no byte for a BIT of zeros.",
        result("harness.codecs.avro.encode_values:_bits", lambda raw: raw.lstrip(b"\x00")),
    ),
    WrongProducer(
        "avro-decimal-with-its-point",
        "avro.value.decimal-bytes",
        "It writes a precise DECIMAL as its text.",
        patch(
            "harness.codecs.avro.encode_values:_unscaled",
            lambda _: lambda _scale: lambda value: str(value).encode(),
        ),
    ),
    WrongProducer(
        "avro-decimal-with-a-byte-too-many",
        "avro.value.decimal-bytes",
        "It writes a precise DECIMAL with one byte more than its number needs.",
        unscaled(_longer),
    ),
    WrongProducer(
        "avro-decimal-little-endian",
        "avro.value.decimal-bytes",
        "It writes a precise DECIMAL with its lowest byte first.",
        unscaled(lambda raw: raw[::-1]),
        also="registry.avro.decimal",
    ),
    WrongProducer(
        "avro-decimal-without-a-sign",
        "avro.value.decimal-bytes",
        "It leaves out the byte that keeps a precise DECIMAL positive.",
        unscaled(lambda raw: raw.lstrip(b"\x00") or raw),
        also="registry.avro.decimal",
    ),
    WrongProducer(
        "avro-decimal-of-another-scale",
        "avro.value.decimal-bytes",
        "It scales a precise DECIMAL by one digit more than its schema says.",
        patch(f"{VALUES}:_unscaled", lambda original: lambda scale: original(scale + 1)),
        also="registry.avro.decimal",
    ),
    WrongProducer(
        "avro-decimal-with-a-bit-for-its-sign",
        "avro.value.decimal-bytes",
        "It writes a negative precise DECIMAL as its magnitude, with a bit for the sign.",
        unscaled(_sign_and_magnitude),
        also="registry.avro.decimal",
    ),
    WrongProducer(
        "avro-unsigned-text-wraps",
        "avro.type.bigint.unsigned-string",
        "It writes the digits of the negative number that a BIGINT UNSIGNED wraps to.",
        values(of(ColumnKind.BIGINT, unsigned=True), _signed),
    ),
    WrongProducer(
        "avro-unsigned-stops-at-63-bits",
        "avro.type.bigint.unsigned-overflow",
        "It writes numbers beyond 63 bits as the greatest that fits.",
        values(of(ColumnKind.BIGINT, unsigned=True), lambda number: min(number, 2**63 - 1)),
    ),
    WrongProducer(
        "avro-invalid-member-is-empty",
        "avro.value.enum-invalid",
        "It writes the invalid member of an ENUM as its first one.",
        values(of(ColumnKind.ENUM), lambda number: number or 1),
    ),
    WrongProducer(
        "avro-char-with-blanks",
        "avro.value.char-trimmed",
        "It pads CHAR with blanks.",
        values(of(ColumnKind.CHAR), lambda text: f"{text}  "),
    ),
    WrongProducer(
        "avro-text-without-accents",
        "avro.value.text-utf8",
        "It writes `?` for each character beyond ASCII.",
        values(
            lambda column: column.kind in CHARACTERS,
            lambda text: text.encode("ascii", "replace").decode(),
        ),
    ),
    WrongProducer(
        "avro-text-of-gbk-as-latin-1",
        "avro.value.text-utf8",
        "It takes the bytes of a text in gbk for Latin-1.",
        values(
            lambda column: column.charset == "gbk",
            lambda text: text.encode("gbk").decode("latin-1"),
        ),
    ),
    WrongProducer(
        "avro-added-column-is-null",
        "avro.value.added-column",
        "It writes NULL for an added column in rows stored before, though it has a default.",
        _in_old_rows(lambda column, found: None if column.nullable else found),
        protocols=AVRO,
    ),
    WrongProducer(
        "avro-added-column-zero-for-null",
        "avro.value.added-column",
        "It writes the zero value for an added column that is NULL in rows stored before.",
        _in_old_rows(lambda column, found: zero_value(column) if found is None else found),
        protocols=AVRO,
    ),
    WrongProducer(
        "avro-added-column-by-the-default-of-now",
        "avro.value.added-column",
        "It writes the default there that a later statement gave to the column.",
        _in_old_rows(default_of_now),
        protocols=AVRO,
    ),
    WrongProducer(
        "avro-set-backwards",
        "avro.type.set",
        "It joins the members of a SET from the last to the first.",
        patch(
            "harness.codecs.avro.encode_values:_set",
            lambda original: (
                lambda members: (
                    lambda value: b",".join(reversed(original(members)(value).split(b",")))
                )
            ),
        ),
    ),
    WrongProducer(
        "avro-set-joined-by-blanks",
        "avro.type.set",
        "It writes a blank behind each comma between the members of a SET.",
        patch(
            "harness.codecs.avro.encode_values:_set",
            lambda original: (
                lambda members: lambda value: original(members)(value).replace(b",", b", ")
            ),
        ),
    ),
    WrongProducer(
        "avro-set-value-joined-by-semicolons",
        "avro.type.set",
        "It joins the members of a SET by semicolons.",
        patch(
            "harness.codecs.avro.encode_values:_set",
            lambda original: (
                lambda members: lambda value: original(members)(value).replace(b",", b";")
            ),
        ),
    ),
    WrongProducer(
        "avro-set-by-number",
        "avro.type.set",
        "It writes a SET as its number.",
        patch(
            "harness.codecs.avro.encode_values:_set",
            lambda _: lambda _members: lambda value: str(value).encode(),
        ),
    ),
    WrongProducer(
        "avro-enum-by-number",
        "avro.type.enum",
        "It writes an ENUM as its number.",
        patch(
            "harness.codecs.avro.encode_values:_enum",
            lambda _: lambda _members: lambda value: str(value).encode(),
        ),
    ),
    WrongProducer(
        "avro-json-without-blanks",
        "avro.type.json",
        "It writes a JSON document without blanks.",
        values(of(ColumnKind.JSON), lambda text: text.replace(", ", ",").replace(": ", ":")),
    ),
    WrongProducer(
        "avro-json-in-the-order-of-mysql",
        "avro.type.json",
        "It writes the members of an object by the lengths of their names first, as MySQL does.",
        values(of(ColumnKind.JSON), _shorter_names_first),
    ),
    WrongProducer(
        "avro-binary-unpadded",
        "avro.type.binary",
        "It writes a BINARY without the zero bytes at its end.",
        values(of(ColumnKind.BINARY), lambda raw: raw.rstrip(b"\x00")),
    ),
    WrongProducer(
        "avro-decimal-text-without-its-scale",
        "avro.type.decimal.string",
        "It drops zeros at the end of a DECIMAL's text.",
        values(of(ColumnKind.DECIMAL), _without_its_scale),
    ),
    WrongProducer(
        "avro-null-is-empty",
        "avro.column.nullable",
        "It writes a NULL as the empty text.",
        written(
            lambda column: column.kind in CHARACTERS and column.nullable,
            lambda raw: b"\x02\x00" if raw == b"\x00" else raw,
        ),
    ),
    WrongProducer(
        "avro-vector-with-blanks",
        "avro.type.vector",
        "It writes a blank behind each comma of a VECTOR.",
        values(of(ColumnKind.VECTOR), lambda text: text.replace(",", ", ")),
    ),
    WrongProducer(
        "avro-vector-in-braces",
        "avro.type.vector",
        "It writes a VECTOR in braces.",
        values(of(ColumnKind.VECTOR), lambda text: "{" + text[1:-1] + "}"),
    ),
    WrongProducer(
        "avro-vector-by-its-own-name",
        "avro.type.vector",
        "It calls a VECTOR `VECTOR`.",
        types(of(ColumnKind.VECTOR), lambda found: replace(found, tidb_type="VECTOR")),
    ),
)
