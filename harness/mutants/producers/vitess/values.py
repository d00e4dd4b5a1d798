"""Values that cannot be what they are: NULL where none may be, members without a name, no UTF-8."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Final

from harness.codecs.connect.errors import JavaError
from harness.codecs.debezium.columns import ColumnType, Conversion, Jdbc
from harness.codecs.debezium.rows import FieldReader, Row, value_slot
from harness.codecs.debezium.tables import TableShape
from harness.codecs.debezium.temporal import Moment, NoDay
from harness.codecs.debezium_vitess.values import WHOLE, ValueModes
from harness.errors import SourceStopped
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, instead, patch, result
from harness.mutants.producers.vitess.columns import by_mode

VALUES: Final = "harness.codecs.debezium_vitess.values"
MEMBERS: Final = "harness.codecs.debezium.enum_set"
SLOT: Final = "harness.codecs.debezium.rows:value_slot"
TEXT: Final = "harness.codecs.connect.java:text"
_MEMBER: Final = re.compile(r"'((?:[^']|'')*)'")


def _escaped_members(original: Callable[..., Conversion]) -> Callable[..., Conversion]:
    """Escape commas in what the schema allows; values stay."""

    def members(column: ColumnType, name: str, number: Callable[..., str]) -> Conversion:
        names = tuple(member.replace(",", "\\,") for member in column.members)
        made = original(replace(column, members=names), name, number)
        return replace(original(column, name, number), schema=made.schema)

    return members


def _null_in_a_key(name: str, index: int, found: Conversion) -> FieldReader:
    """Leave null in a key what cannot be converted, as in a row."""
    return value_slot(name, index, found, None)


def _next_day(original: Callable[..., Moment | None], zone: object, text: str) -> Moment | None:
    """Read a leap day that today's calendar does not have as the first of March."""
    found = original(zone, text)
    return original(zone, text.replace("-02-29", "-03-01")) if isinstance(found, NoDay) else found


def _never_null(column: ColumnType, _: ValueModes) -> bool:
    return column.jdbc is Jdbc.TIMESTAMP and not column.optional


def _no_day_as_1970(_: ColumnType, found: Conversion) -> Conversion:
    convert = found.convert
    if convert is None:
        return found
    return replace(found, convert=lambda read: 0 if isinstance(read, NoDay) else convert(read))


def _zero_for_failure(original: Callable[..., FieldReader]) -> Callable[..., FieldReader]:
    """Read 0 where a value cannot be converted."""

    def slot(name: str, index: int, found: Conversion, change: Any) -> FieldReader:  # noqa: ANN401 see patch
        made = original(name, index, found, change)
        if not found.fails:
            return made

        def read(cell: bytes) -> Any:  # noqa: ANN401 a value is of any kind
            value = made[2](cell)
            return 0 if value is None else value

        return (*made[:2], read, made[3])

    return slot


def _zero_where_required(shape: TableShape, row: Row) -> None:
    row.update({name: 0 for name, _ in shape.required if row[name] is None})


def _proper_members(definition: str) -> tuple[str, ...]:
    return tuple(member.replace("''", "'") for member in _MEMBER.findall(definition))


def _numbered(names: tuple[str, ...], index: int) -> str:
    return names[index - 1] if 1 <= index <= len(names) else str(index)


def _first(names: tuple[str, ...], index: int) -> str:
    return names[index - 1 if 1 <= index <= len(names) else 0]


def _unsigned_sets(original: Callable[..., Conversion]) -> Callable[..., Conversion]:
    """Read the bit mask of a SET as a number without a sign."""

    def members(column: ColumnType, name: str, number: Callable[..., str]) -> Conversion:
        made = original(column, name, number)
        return replace(made, parse=int) if column.type == "SET" and made.convert else made

    return members


def _numbers_in_copies(original: Callable[..., Conversion]) -> Callable[..., Conversion]:
    """Read the text that a copy gives of a SET as the number which the stream has of it."""
    whole = next(parse for parse, bits in WHOLE.items() if bits == 64)

    def members(column: ColumnType, name: str, number: Callable[..., str]) -> Conversion:
        made = original(column, name, number)
        if column.type != "SET" or made.convert:
            return made

        def read(cell: bytes) -> object:
            text = str(made.parse(cell))
            bits = [1 << n for n, one in enumerate(column.members) if one in text.split(",")]
            whole(str(sum(bits)).encode())
            return text

        return replace(made, parse=read)

    return members


def _stopping_sets(original: Callable[..., Conversion]) -> Callable[..., Conversion]:
    """Stop at a SET's number that cannot be read, whatever the settings say of failures."""

    def members(column: ColumnType, name: str, number: Callable[..., str]) -> Conversion:
        made = original(column, name, number)
        if column.type != "SET":
            return made

        def read(cell: bytes) -> object:
            try:
                return made.parse(cell)
            except JavaError as error:
                raise SourceStopped(error.code, error.what) from error

        return replace(made, parse=read)

    return members


def _nulls(of: type, value: object) -> Patch:
    """Return the patch that puts another value in the place of a type's zero."""
    return result(
        f"{VALUES}:conversion",
        lambda found: (
            replace(found, null=value) if found is not None and type(found.null) is of else found
        ),
    )


def _moment_of_1(found: Conversion | None) -> Conversion | None:
    """Put 1, of whatever unit, in the place of a moment's zero."""
    moment = found is not None and (found.schema.name or "").startswith("io.debezium.time.")
    return replace(found, null=1) if found is not None and moment else found


def _decoded(errors: str) -> Patch:
    return instead(TEXT, lambda raw: raw.decode(errors=errors))


def _replaced_whole(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return "\ufffd"


ROWS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "vitess-allowed-escaped",
        "vitess.value.allowed-unescaped",
        "It escapes a comma within a member in `allowed`.",
        patch(f"{VALUES}:_members", _escaped_members),
    ),
    WrongProducer(
        "vitess-unconverted-is-zero",
        "vitess.value.conversion-null",
        "It sends 0 for a value that cannot be converted.",
        patch(SLOT, _zero_for_failure),
    ),
    WrongProducer(
        "vitess-unconverted-goes-on",
        "vitess.value.conversion-null",
        "It sends 0 for a value that cannot be converted where the column allows no null.",
        instead("harness.codecs.debezium.tables:TableShape.validate", _zero_where_required),
    ),
    WrongProducer(
        "vitess-unconverted-key-null",
        "vitess.value.conversion-null",
        "It leaves a value of the key null that cannot be converted, as one of the row.",
        instead("harness.codecs.debezium.rows:key_slot", _null_in_a_key),
        also="vitess.bigint-unsigned.long-overflow",
    ),
    WrongProducer(
        "vitess-julian-leap-day-moved",
        "vitess.temporal.julian-leap-day",
        "It moves a DATETIME on a leap day of the Julian calendar alone to the first of March.",
        patch(
            "harness.codecs.debezium_vitess.temporal:_any_moment",
            lambda original: partial(_next_day, original),
        ),
    ),
    WrongProducer(
        "vitess-julian-leap-day-as-1970",
        "vitess.temporal.julian-leap-day",
        "It writes a DATETIME on a leap day of the Julian calendar alone as 1970 if NOT NULL.",
        by_mode(_never_null, _no_day_as_1970),
    ),
    WrongProducer(
        "vitess-empty-member-read",
        "vitess.value.enum-empty-member",
        "It reads a list of members with an empty one as it is meant.",
        instead(f"{MEMBERS}:members", _proper_members),
    ),
    WrongProducer(
        "vitess-enum-index-as-text",
        "vitess.value.enum-index",
        "It sends the index that no ENUM member has.",
        instead(f"{MEMBERS}:enum_text", _numbered),
    ),
    WrongProducer(
        "vitess-enum-index-first",
        "vitess.value.enum-index",
        "It sends the first member for an index that no ENUM member has.",
        instead(f"{MEMBERS}:enum_text", _first),
    ),
    WrongProducer(
        "vitess-null-number-is-minus-one",
        "vitess.value.null-in-not-null",
        "It sends -1 for a NULL among numbers that may have none.",
        _nulls(int, -1),
    ),
    WrongProducer(
        "vitess-null-double-is-minus-one",
        "vitess.value.null-in-not-null",
        "It sends -1 for a NULL among doubles that may have none.",
        _nulls(float, -1.0),
    ),
    WrongProducer(
        "vitess-null-moment-is-the-next",
        "vitess.value.null-in-not-null",
        "It sends 1, a day or less after 1970, for a NULL among moments that may have none.",
        result(f"{VALUES}:conversion", _moment_of_1),
        also="vitess.temporal.zero-date",
    ),
    WrongProducer(
        "vitess-null-text-in-words",
        "vitess.value.null-in-not-null",
        "It sends the text NULL for a NULL among texts that may have none.",
        _nulls(str, "NULL"),
    ),
    WrongProducer(
        "vitess-null-bytes-are-zero",
        "vitess.value.null-in-not-null",
        "It sends a zero byte for a NULL among bytes that may have none.",
        _nulls(bytes, b"\0"),
    ),
    WrongProducer(
        "vitess-last-bit-of-a-set",
        "vitess.value.set-bit-63",
        "It sends a SET with its 64th member.",
        patch(f"{VALUES}:_members", _unsigned_sets),
    ),
    WrongProducer(
        "vitess-last-bit-of-a-set-in-a-copy",
        "vitess.value.set-bit-63",
        "It stops at the 64th member of a SET in a copy too.",
        patch(f"{VALUES}:_members", _numbers_in_copies),
    ),
    WrongProducer(
        "vitess-last-bit-of-a-set-always-stops",
        "vitess.value.set-bit-63",
        "It stops at the 64th member of a SET where it is to skip what it cannot read.",
        patch(f"{VALUES}:_members", _stopping_sets),
    ),
    WrongProducer(
        "vitess-no-utf8-left-out",
        "vitess.value.utf8",
        "It leaves out of a text what is not UTF-8.",
        _decoded("ignore"),
    ),
    WrongProducer(
        "vitess-no-utf8-escaped",
        "vitess.value.utf8",
        "It escapes in a text what is not UTF-8.",
        _decoded("backslashreplace"),
    ),
    WrongProducer(
        "vitess-no-utf8-replaced-whole",
        "vitess.value.utf8",
        "It writes one U+FFFD for the whole of a text that is not UTF-8.",
        instead(TEXT, _replaced_whole),
    ),
)
