"""Types of columns: their schemas, their values, and the modes that choose among them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Final

from harness.codecs.connect.schema import Schema, SchemaType
from harness.codecs.debezium.columns import ColumnType, Conversion, Jdbc
from harness.model.binlog import LogTable
from harness.model.columns import BINARIES, CHARACTERS, Column, ColumnKind
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.mysql.edits import (
    CODEC,
    CONNECTOR,
    Columns,
    by_column,
    cells,
    conversions,
    kind_of,
    of,
    read_as,
    row,
    schemas,
)
from harness.mutants.producers.patch import patch
from harness.sources.mysql.known import Known

LONGEST: Final = (1 << 63) - 1
_BITS: Final = {
    ColumnKind.TINYINT: 8,
    ColumnKind.SMALLINT: 16,
    ColumnKind.MEDIUMINT: 24,
    ColumnKind.INT: 32,
}
DECIMAL_MODES: Final = ("precise", "double", "string")
_NAMED: Final = (
    ColumnKind.BIT,
    ColumnKind.DATE,
    ColumnKind.DATETIME,
    ColumnKind.ENUM,
    ColumnKind.JSON,
    ColumnKind.SET,
    ColumnKind.TIME,
    ColumnKind.TIMESTAMP,
    ColumnKind.YEAR,
)


def _as_text(found: Conversion) -> Conversion:
    """Return the conversion by which a column travels as its value's text."""
    schema = Schema(SchemaType.STRING, optional=found.schema.optional)
    read = found.parse
    return replace(found, schema=schema, parse=lambda cell: str(read(cell)))


def _as_bytes(found: Conversion) -> Conversion:
    """Return the conversion by which a text travels as bytes."""
    schema = Schema(SchemaType.BYTES, optional=found.schema.optional)
    read = found.parse
    return replace(found, schema=schema, parse=lambda cell: str(read(cell)).encode())


def _confused() -> Iterator[WrongProducer]:
    """Yield, for each kind that travels, one that writes it as another type."""
    for kind in ColumnKind:
        if kind is ColumnKind.VECTOR:
            continue
        text = kind in CHARACTERS or kind in {ColumnKind.ENUM, ColumnKind.SET, ColumnKind.JSON}
        text = text or kind is ColumnKind.TIMESTAMP
        yield row(
            f"{kind.value}-as-{'bytes' if text else 'text'}",
            f"type.{kind.value}",
            f"It writes {kind.value.upper()} as {'bytes' if text else 'text'}.",
            conversions(of(kind), _as_bytes if text else _as_text),
        )


def _kept_bytes(found: Conversion) -> Conversion:
    return found if found.schema.kind is SchemaType.BYTES else _as_bytes(found)


def _unnamed() -> Iterator[WrongProducer]:
    for kind in _NAMED:
        word = kind.value
        yield row(
            f"{word}-by-another-name",
            f"type.{word}",
            f"It gives the schema of {word.upper()} another name.",
            conversions(of(kind), _renamed),
        )


def _renamed(found: Conversion) -> Conversion:
    name = found.schema.name
    return replace(found, schema=replace(found.schema, name=name and f"{name}s"))


def _through_a_double(number: Any) -> Any:  # noqa: ANN401 a long, a Decimal or null
    """Return a long as a double holds it, the greatest one that is a long for those beyond."""
    return min(int(float(number)), LONGEST - 1023) if isinstance(number, int) else number


def _by_semicolons(text: str) -> str:
    return text.replace(",", ";")


# A wrong form of values: the kind, what it does, how.
_FORMS: Final[tuple[tuple[ColumnKind, str, str, Callable[[Any], Any]], ...]] = (
    (ColumnKind.BIGINT, "by-doubles", "rounds {} to a double", _through_a_double),
    (ColumnKind.CHAR, "upper", "writes {} in capitals", str.upper),
    (ColumnKind.VARCHAR, "trimmed", "strips blanks from {}", str.strip),
    (ColumnKind.BINARY, "trimmed", "strips zero bytes from {}", lambda b: b.rstrip(b"\0")),
    (ColumnKind.JSON, "blanks-cut", "takes the blanks out of {}", lambda t: t.replace(" ", "")),
    (ColumnKind.YEAR, "of-two-digits", "writes {} by its last two digits", lambda y: y % 100),
    (ColumnKind.SET, "by-semicolons", "joins the members of {} by semicolons", _by_semicolons),
)


def _forms() -> Iterator[WrongProducer]:
    for kind, what, words, change in _FORMS:
        yield row(
            f"{kind.value}-{what}",
            f"type.{kind.value}",
            f"It {words.format(kind.value.upper())}.",
            cells(of(kind), change),
        )


# A wrong width: the kind, the sign that it is about, the type.
_WIDTHS: Final = (
    (ColumnKind.TINYINT, False, SchemaType.INT32),
    (ColumnKind.TINYINT, True, SchemaType.INT32),
    (ColumnKind.SMALLINT, False, SchemaType.INT32),
    (ColumnKind.SMALLINT, True, SchemaType.INT64),
    (ColumnKind.MEDIUMINT, False, SchemaType.INT64),
    (ColumnKind.MEDIUMINT, True, SchemaType.INT64),
    (ColumnKind.INT, False, SchemaType.INT64),
    (ColumnKind.INT, True, SchemaType.INT32),
    (ColumnKind.FLOAT, None, SchemaType.FLOAT64),
    (ColumnKind.DOUBLE, None, SchemaType.FLOAT32),
)


def _widths() -> Iterator[WrongProducer]:
    for kind, unsigned, wrong in _WIDTHS:
        word = "unsigned-" if unsigned else ""
        yield row(
            f"{word}{kind.value}-is-{wrong.value}",
            f"type.{kind.value}",
            f"It declares {word.replace('-', ' ')}{kind.value.upper()} as {wrong.value}.",
            schemas(of(kind, unsigned=unsigned), kind=wrong),
        )


def _bits_forgotten(original: Callable[..., ColumnType]) -> Callable[..., ColumnType]:
    """Know a column that was declared FLOAT(p) as the server does."""

    def one(column: Column, spelled: str | None, *more: object) -> ColumnType:
        return original(column, None if "(" in (spelled or "") else spelled, *more)

    return one


def _with_decimals(column: ColumnType) -> bool:
    upstream = column.upstream
    return upstream is not None and upstream.kind is ColumnKind.FLOAT and upstream.scale is not None


def _cut_zeros(text: Any) -> Any:  # noqa: ANN401 a cell of any kind
    cut = isinstance(text, str) and "." in text
    return text.rstrip("0").removesuffix(".") if cut else text


def _wide_float(column: ColumnType) -> bool:
    return column.jdbc is Jdbc.FLOAT and kind_of(column) is ColumnKind.DOUBLE


def _of_24_bits(column: ColumnType) -> bool:
    return column.jdbc is Jdbc.FLOAT and column.length == 24 and not _with_decimals(column)


def _first_word_stays(original: Callable[..., None]) -> Callable[..., None]:
    """Know a column's type by the words of the statement that first gave it some."""

    def spell(known: Known, *given: object) -> None:
        first = dict(known.spelled)
        original(known, *given)
        known.spelled.update(first)

    return spell


# A column's character set -> what Python calls it, where it is not a part of UTF-8.
_CHARSETS: Final = {"latin1": "cp1252", "gbk": "gbk"}


def _misread(found: Conversion, column: ColumnType) -> Conversion:
    """Return the conversion that reads a column's bytes as UTF-8, whatever they are."""
    upstream = column.upstream
    charset = _CHARSETS.get(upstream.charset or "") if upstream is not None else None
    if charset is None:
        return found
    read = found.parse
    return replace(
        found, parse=lambda cell: str(read(cell)).encode(charset).decode("utf-8", "replace")
    )


def _charsets() -> Iterator[WrongProducer]:
    for kind in (kind for kind in ColumnKind if kind in CHARACTERS):
        yield row(
            f"{kind.value}-read-as-utf-8",
            f"type.{kind.value}",
            f"It reads the bytes of {kind.value.upper()} as UTF-8, whatever its character set.",
            by_column(of(kind), _misread),
        )


def _wrapped(bits: int, value: int) -> int:
    """Return an unsigned number as one with a sign of as many bits."""
    return value - (1 << bits) if value >> (bits - 1) else value


def _unsigned() -> Iterator[WrongProducer]:
    for kind, bits in _BITS.items():
        yield row(
            f"{kind.value}-unsigned-wraps",
            f"type.{kind.value}",
            f"It writes large unsigned {kind.value.upper()} as negative.",
            cells(of(kind, unsigned=True), partial(_wrapped, bits)),
        )


def _spelled(jdbc: Jdbc) -> Columns:
    return lambda column: column.jdbc is jdbc


def _called_int(original: Callable[..., Any]) -> Callable[..., Any]:
    return lambda column, *more: original(replace(column, type="INT"), *more)


def _big(column: ColumnType) -> bool:
    upstream = column.upstream
    assert upstream is not None
    return upstream.kind is ColumnKind.BIGINT and upstream.unsigned


def _clamped(kind: SchemaType, longest: int, found: Conversion) -> Conversion:
    """Return the conversion that writes the greatest number for each that came out negative."""
    if found.schema.kind is not kind:
        return found
    read = found.parse

    def positive(cell: Any) -> int:  # noqa: ANN401 a cell of any kind
        value: int = read(cell)
        return longest if value < 0 else value

    return replace(found, parse=positive)


def _text_stays(original: Callable[..., Any]) -> Callable[..., Any]:
    """Know a column by its name as text once a statement has declared it one."""
    texts: set[tuple[object, str]] = set()

    def shape(self: object, table: LogTable) -> Any:  # noqa: ANN401 a shape or None
        columns = []
        for column in table.table.columns:
            place = (table.table.id, column.name)
            texts.update((place,) if column.kind in CHARACTERS else ())
            json = column.kind is ColumnKind.JSON and place in texts
            columns.append(replace(column, kind=ColumnKind.LONGTEXT) if json else column)
        shown = replace(table, table=replace(table.table, columns=tuple(columns)))
        return original(self, shown if columns != [*table.table.columns] else table)

    return shape


def _bit_as_bytes(found: Conversion) -> Conversion:
    """Return the conversion of BIT(1) as that of a wider BIT."""
    if found.schema.kind is not SchemaType.BOOLEAN:
        return found
    read = found.parse
    schema = replace(
        found.schema,
        kind=SchemaType.BYTES,
        name="io.debezium.data.Bits",
        version=1,
        parameters=(("length", "1"),),
    )
    return replace(found, schema=schema, parse=lambda cell: bytes([read(cell)]))


def _wide_bits(change: Callable[[bytes], bytes]) -> Callable[[Any], Any]:
    return lambda value: change(value) if isinstance(value, bytes) else value


def _modes() -> Iterator[WrongProducer]:
    for value, other in (("base64", "hex"), ("hex", "base64"), ("base64-url-safe", "base64")):
        yield row(
            f"{value}-read-as-{other}",
            "binary.mode",
            f"It takes binary.handling.mode {value} for {other}.",
            read_as("binary", value, other),
        )
    for kind in (kind for kind in ColumnKind if kind in BINARIES):
        says = f"It leaves {kind.value.upper()} as bytes, whatever binary.handling.mode says."
        edit = conversions(of(kind), _kept_bytes)
        yield row(f"{kind.value}-whatever-the-mode", "binary.mode", says, edit)
    for value, other in (("long", "precise"), ("precise", "long")):
        yield row(
            f"unsigned-{value}-read-as-{other}",
            f"bigint-unsigned.{value}",
            f"It takes bigint.unsigned.handling.mode {value} for {other}.",
            read_as("unsigned", value, other),
        )
    for value in DECIMAL_MODES:
        for other in DECIMAL_MODES:
            if value != other:
                yield row(
                    f"decimal-{value}-read-as-{other}",
                    "type.decimal" if value == "precise" else f"decimal.{value}",
                    f"It takes decimal.handling.mode {value} for {other}.",
                    read_as("decimal", value, other),
                )


ROWS: Final = (
    *_confused(),
    *_unnamed(),
    *_forms(),
    *_unsigned(),
    *_widths(),
    *_charsets(),
    *_modes(),
    row(
        "bit-of-one-as-bytes",
        "type.bit",
        "It writes BIT(1) as bytes.",
        conversions(of(ColumnKind.BIT), _bit_as_bytes),
    ),
    row(
        "bit-highest-first",
        "type.bit",
        "It writes the highest byte of BIT first.",
        cells(of(ColumnKind.BIT), _wide_bits(lambda raw: raw[::-1])),
    ),
    row(
        "bit-of-eight-bytes",
        "type.bit",
        "It writes eight bytes for each wider BIT.",
        cells(of(ColumnKind.BIT), _wide_bits(lambda raw: raw.ljust(8, b"\0"))),
    ),
    row(
        "integer-as-int",
        "type.int",
        "It takes INTEGER UNSIGNED for INT UNSIGNED.",
        patch(f"{CODEC}.values:_integer", _called_int),
    ),
    row(
        "integer-clamped",
        "type.int",
        "It writes an INTEGER UNSIGNED beyond an int32 as the greatest int32.",
        conversions(
            of(ColumnKind.INT, unsigned=True), partial(_clamped, SchemaType.INT32, (1 << 31) - 1)
        ),
    ),
    row(
        "real-of-64-bits",
        "type.real",
        "It declares REAL as a double.",
        schemas(_spelled(Jdbc.REAL), kind=SchemaType.FLOAT64),
    ),
    row(
        "first-spelling-stays",
        "type.real",
        "It keeps the words of a type when a later statement declares the column in others.",
        patch("harness.sources.mysql.known:Known.spell", _first_word_stays),
        also="type.boolean",
    ),
    row(
        "float-bits-forgotten",
        "type.float-bits",
        "It knows a column that was declared FLOAT(p) as a FLOAT or DOUBLE without a length.",
        patch(f"{CODEC}.columns:_one", _bits_forgotten),
    ),
    row(
        "float-of-many-bits-is-float32",
        "type.float-bits",
        "It declares FLOAT(p) as float32, whatever p is.",
        schemas(_wide_float, kind=SchemaType.FLOAT32),
    ),
    row(
        "float-of-24-bits-is-float64",
        "type.float-bits",
        "It declares FLOAT(24) as float64, as the page has it.",
        schemas(_of_24_bits, kind=SchemaType.FLOAT64),
    ),
    row(
        "float-with-decimals-is-float32",
        "type.float",
        "It declares FLOAT(M,D) as float32.",
        schemas(_with_decimals, kind=SchemaType.FLOAT32),
    ),
    row(
        "decimal-strings-without-zeros",
        "decimal.string",
        "It leaves zeros at the end of a DECIMAL out of its text.",
        cells(of(ColumnKind.DECIMAL), _cut_zeros),
    ),
    row(
        "bool-as-text",
        "type.boolean",
        "It writes a BOOL as text.",
        conversions(_spelled(Jdbc.BOOLEAN), _as_text),
    ),
    row(
        "unsigned-long-clamped",
        "bigint-unsigned.long",
        "It writes a BIGINT UNSIGNED beyond a long as the greatest long.",
        conversions(_big, partial(_clamped, SchemaType.INT64, LONGEST)),
    ),
    row(
        "json-by-its-first-type",
        "type.json",
        "It takes a JSON for a text that a text was when a statement first declared it.",
        patch(f"{CONNECTOR}._shape", _text_stays),
    ),
    row(
        "year-0-kept",
        "value.year-zero",
        "It writes the YEAR 0000 as 0.",
        cells(of(ColumnKind.YEAR), lambda year: 0 if year == 1900 else year),
    ),
)
