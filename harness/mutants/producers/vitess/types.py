"""Column types: what each is taken for, its sign, its schema's name, its values' form."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from struct import pack
from types import MappingProxyType
from typing import Any

from harness.codecs.connect.logical import SCALE
from harness.codecs.connect.schema import SchemaType
from harness.codecs.debezium.columns import ColumnType, Conversion, Jdbc
from harness.codecs.debezium.schemas import OPTIONAL_STRING
from harness.codecs.debezium.temporal import signed
from harness.codecs.debezium_vitess.values import ValueModes
from harness.model.columns import ColumnKind
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import entry, patch
from harness.mutants.producers.vitess.columns import (
    CONVERSION,
    by_mode,
    columns,
    conversions,
    default,
    modes,
    named,
    of,
    parsed,
    read_as,
    schemas,
    taken_for,
    values,
)
from harness.protocols import PROTOCOLS

CLAUSES = PROTOCOLS["vitess"].type_clauses
TYPES = "harness.codecs.debezium_vitess.types"
VALUES = "harness.codecs.debezium_vitess.values"
INTEGERS = MappingProxyType(
    {
        ColumnKind.TINYINT: 8,
        ColumnKind.SMALLINT: 16,
        ColumnKind.MEDIUMINT: 24,
        ColumnKind.INT: 32,
        ColumnKind.BIGINT: 64,
    }
)
BYTES = (
    ColumnKind.BINARY,
    ColumnKind.VARBINARY,
    ColumnKind.TINYBLOB,
    ColumnKind.BLOB,
    ColumnKind.MEDIUMBLOB,
    ColumnKind.LONGBLOB,
)
TEXTS = (
    ColumnKind.CHAR,
    ColumnKind.VARCHAR,
    ColumnKind.TINYTEXT,
    ColumnKind.TEXT,
    ColumnKind.MEDIUMTEXT,
    ColumnKind.LONGTEXT,
)
UNSUPPORTED = (ColumnKind.BIT, ColumnKind.VECTOR)
# Kinds whose schema has a name -> the types of VStream that they come as.
NAMED = MappingProxyType(
    {
        ColumnKind.JSON: "JSON",
        ColumnKind.ENUM: "ENUM",
        ColumnKind.SET: "SET",
        ColumnKind.YEAR: "YEAR",
        ColumnKind.TIMESTAMP: "TIMESTAMP",
        ColumnKind.DATE: "DATE",
        ColumnKind.TIME: "TIME",
        ColumnKind.DATETIME: "DATETIME",
    }
)
# What a careless table of types holds; unsigned integers have rows of their own below.
CONFUSED = MappingProxyType(
    {
        ColumnKind.TINYINT: Jdbc.INTEGER,
        ColumnKind.SMALLINT: Jdbc.INTEGER,
        ColumnKind.MEDIUMINT: Jdbc.BIGINT,
        ColumnKind.INT: Jdbc.BIGINT,
        ColumnKind.BIGINT: Jdbc.VARCHAR,
        ColumnKind.FLOAT: Jdbc.DOUBLE,
        ColumnKind.DOUBLE: Jdbc.FLOAT,
        ColumnKind.DECIMAL: Jdbc.DOUBLE,
        ColumnKind.DATE: Jdbc.VARCHAR,
        ColumnKind.TIME: Jdbc.VARCHAR,
        ColumnKind.DATETIME: Jdbc.VARCHAR,
        ColumnKind.TIMESTAMP: Jdbc.TIMESTAMP,
        **dict.fromkeys(TEXTS, Jdbc.BINARY),
        **dict.fromkeys(BYTES, Jdbc.VARCHAR),
        **dict.fromkeys(UNSUPPORTED, Jdbc.BINARY),
    }
)
UNSIGNED = MappingProxyType(
    {
        ColumnKind.TINYINT: Jdbc.INTEGER,
        ColumnKind.SMALLINT: Jdbc.SMALLINT,
        ColumnKind.MEDIUMINT: Jdbc.BIGINT,
        ColumnKind.INT: Jdbc.INTEGER,
    }
)
# The values of a mode -> the clause of each.
UNSIGNED_MODES = MappingProxyType(
    {
        "string": "vitess.bigint-unsigned.string",
        "long": "vitess.bigint-unsigned.long",
        "precise": "vitess.bigint-unsigned.precise",
    }
)
BINARY_MODES = MappingProxyType(
    {
        "bytes": CLAUSES[ColumnKind.VARBINARY],
        **dict.fromkeys(("base64", "base64-url-safe", "hex"), "vitess.binary.mode"),
    }
)
ANOTHER_NAME = "io.debezium.data.Other"
LONGEST = (1 << 63) - 1
# A length that no column has.
MARKED = -7


def unknown(column: ColumnType) -> bool:
    """Tell whether the connector does not support a column's type."""
    return column.jdbc is Jdbc.OTHER


def _unsigned_long(column: ColumnType, found: ValueModes) -> bool:
    return column.type == "UINT64" and found.unsigned == "long"


def _integer_types(kind: ColumnKind) -> tuple[str, str]:
    bits = INTEGERS[kind]
    return f"INT{bits}", f"UINT{bits}"


def _confused() -> Iterator[WrongProducer]:
    for kind, jdbc in CONFUSED.items():
        yield WrongProducer(
            f"vitess-{kind.value}-taken-for-{jdbc.name.lower()}",
            CLAUSES[kind],
            f"It takes {kind.value.upper()} for the JDBC type {jdbc.name}.",
            taken_for(of(kind, unsigned=False if kind in INTEGERS else None), jdbc=jdbc),
        )
    for kind, jdbc in UNSIGNED.items():
        yield WrongProducer(
            f"vitess-unsigned-{kind.value}-taken-for-{jdbc.name.lower()}",
            CLAUSES[kind],
            f"It takes unsigned {kind.value.upper()} for {jdbc.name}.",
            taken_for(of(kind, unsigned=True), jdbc=jdbc),
        )


def _unsigned(bits: int, value: int) -> int:
    return value % (1 << bits)


def _wrapped(bits: int, value: int) -> int:
    return signed(value, bits)


def _signs() -> Iterator[WrongProducer]:
    for kind, bits in INTEGERS.items():
        plain, unsigned = _integer_types(kind)
        yield WrongProducer(
            f"vitess-{kind.value}-negative-wraps",
            CLAUSES[kind],
            f"It writes negative {kind.value.upper()} as large positive.",
            values(named(plain), partial(_unsigned, bits)),
        )
        if kind is not ColumnKind.BIGINT:
            yield WrongProducer(
                f"vitess-{kind.value}-unsigned-wraps",
                CLAUSES[kind],
                f"It writes large unsigned {kind.value.upper()} as negative.",
                values(named(unsigned), partial(_wrapped, bits)),
            )


def _left_out() -> Iterator[WrongProducer]:
    """Return, for each kind that travels, one that takes it for what is not supported."""
    for kind in ColumnKind:
        if kind not in UNSUPPORTED:
            yield WrongProducer(
                f"vitess-{kind.value}-left-out",
                CLAUSES[kind],
                f"It leaves {kind.value.upper()} out as a type that it does not support.",
                taken_for(of(kind), type="GEOMETRY", jdbc=Jdbc.OTHER),
            )


def _schemas() -> Iterator[WrongProducer]:
    for kind, name in NAMED.items():
        word = kind.value.upper()
        yield WrongProducer(
            f"vitess-{kind.value}-without-a-name",
            CLAUSES[kind],
            f"It leaves the name out of the schema of {word}.",
            schemas(named(name), name=None, version=None),
        )
        yield WrongProducer(
            f"vitess-{kind.value}-by-another-name",
            CLAUSES[kind],
            f"It gives the schema of {word} another name.",
            schemas(named(name), name=ANOTHER_NAME),
        )
        yield WrongProducer(
            f"vitess-{kind.value}-of-another-version",
            CLAUSES[kind],
            f"It gives the schema of {word} version 2.",
            schemas(named(name), version=2),
        )


def _allowed_but_the_last(found: Conversion) -> Conversion:
    shorter = tuple(
        (key, value.rpartition(",")[0] if key == "allowed" else value)
        for key, value in found.schema.parameters
    )
    return replace(found, schema=replace(found.schema, parameters=shorter))


def _member_lists() -> Iterator[WrongProducer]:
    for kind in (ColumnKind.ENUM, ColumnKind.SET):
        name, word = NAMED[kind], kind.value.upper()
        yield WrongProducer(
            f"vitess-{kind.value}-without-allowed",
            CLAUSES[kind],
            f"It leaves the members out of the schema of {word}.",
            schemas(named(name), parameters=()),
        )
        yield WrongProducer(
            f"vitess-{kind.value}-allowed-but-the-last",
            CLAUSES[kind],
            f"It leaves the last member out of the schema of {word}.",
            conversions(named(name), _allowed_but_the_last),
        )
        yield WrongProducer(
            f"vitess-{kind.value}-members-turned",
            CLAUSES[kind],
            f"It lists the members of {word} from the last to the first.",
            columns(of(kind), lambda column: replace(column, members=column.members[::-1])),
        )
    yield WrongProducer(
        "vitess-enum-as-number",
        CLAUSES[ColumnKind.ENUM],
        "It writes an ENUM as the number of its member.",
        patch(f"{VALUES}:enum_text", lambda _: lambda _names, index: str(index)),
    )
    yield WrongProducer(
        "vitess-enum-from-0",
        CLAUSES[ColumnKind.ENUM],
        "It counts the members of an ENUM from 0.",
        patch(
            f"{VALUES}:enum_text",
            lambda original: lambda names, index: original(names, (index + 1) % (len(names) + 1)),
        ),
    )
    yield WrongProducer(
        "vitess-set-by-semicolons",
        CLAUSES[ColumnKind.SET],
        "It joins the members of a SET by semicolons.",
        values(named("SET"), lambda text: text.replace(",", ";")),
    )
    yield WrongProducer(
        "vitess-set-from-the-last",
        CLAUSES[ColumnKind.SET],
        "It lists the members of a SET from the last to the first.",
        values(named("SET"), lambda text: ",".join(text.split(",")[::-1])),
    )


def _trimmed(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _zoned(text: str) -> str:
    return text.replace(" ", "T") + "Z"


def _ahead(text: str) -> str:
    """Return the text of a moment in a zone two hours ahead of UTC."""
    seconds, point, digits = text.partition(".")
    later = datetime.fromisoformat(seconds) + timedelta(hours=2)
    return f"{later:%Y-%m-%d %H:%M:%S}{point}{digits}"


# A wrong form of values: the kind, the types of VStream, its name, what it does, how.
_Form = tuple[ColumnKind, str, str, Callable[[Any], Any]]
_FORMS: tuple[_Form, ...] = (
    (ColumnKind.BIGINT, "by-way-of-doubles", "rounds {} to a double", lambda n: int(float(n))),
    (ColumnKind.DECIMAL, "scale-cut", "cuts trailing zeros off {}", _trimmed),
    (ColumnKind.DECIMAL, "by-way-of-doubles", "rounds {} to a double", lambda t: repr(float(t))),
    (ColumnKind.CHAR, "upper", "writes {} in capitals", str.upper),
    (ColumnKind.VARCHAR, "trimmed", "strips blanks from {}", str.strip),
    (ColumnKind.BINARY, "trimmed", "strips zero bytes from {}", lambda b: b.rstrip(b"\0")),
    (ColumnKind.VARBINARY, "base64-twice", "writes {} in Base64 twice", b64encode),
    (ColumnKind.JSON, "blanks-cut", "takes the blanks out of {}", lambda t: t.replace(" ", "")),
    (ColumnKind.YEAR, "of-two-digits", "writes {} by its last two digits", lambda y: y % 100),
    (ColumnKind.TIMESTAMP, "iso", "writes {} as ISO 8601 has it", _zoned),
    (ColumnKind.TIMESTAMP, "in-another-zone", "prints {} in a zone two hours ahead", _ahead),
)


def _forms() -> Iterator[WrongProducer]:
    for kind, what, words, change in _FORMS:
        name = "INT64" if kind is ColumnKind.BIGINT else kind.value.upper()
        yield WrongProducer(
            f"vitess-{kind.value}-{what}",
            CLAUSES[kind],
            f"It {words.format(kind.value.upper())}.",
            values(named(name), change),
        )


def _latin() -> Iterator[WrongProducer]:
    for kind in (ColumnKind.CHAR, ColumnKind.VARCHAR):
        name = kind.value.upper()
        yield WrongProducer(
            f"vitess-{kind.value}-latin-1",
            CLAUSES[kind],
            f"It reads the bytes of {name} as Latin-1.",
            parsed(named(name), lambda raw: raw.decode("latin-1")),
        )


def _swapped() -> Iterator[WrongProducer]:
    """Return, for each two values of a mode, one that takes the one for the other."""
    for field, setting, clauses in (
        ("unsigned", "bigint.unsigned.handling.mode", UNSIGNED_MODES),
        ("binary", "binary.handling.mode", BINARY_MODES),
    ):
        for value, clause in clauses.items():
            for other in clauses:
                if other != value:
                    yield WrongProducer(
                        f"vitess-{field}-{value}-read-as-{other}",
                        clause,
                        f"It takes {setting} {value} for {other}.",
                        read_as(field, value, other),
                    )


def _bytes_always() -> Iterator[WrongProducer]:
    """Return, for each binary type, one that keeps its bytes whatever the mode says."""
    for kind in BYTES:
        yield WrongProducer(
            f"vitess-{kind.value}-always-bytes",
            CLAUSES[kind],
            f"It sends {kind.value.upper()} as bytes whatever binary.handling.mode says.",
            replace(
                columns(of(kind), lambda column: replace(column, length=MARKED)),
                then=patch(CONVERSION, lambda original: partial(_marked_as_bytes, original)),
            ),
        )


def _marked_as_bytes(
    original: Callable[[ColumnType, ValueModes], Any], column: ColumnType, found: ValueModes
) -> Any:  # noqa: ANN401 see patch
    return original(column, replace(found, binary="bytes") if column.length == MARKED else found)


ROWS: tuple[WrongProducer, ...] = (
    *_confused(),
    *_signs(),
    *_left_out(),
    *_schemas(),
    *_member_lists(),
    *_forms(),
    *_latin(),
    *_swapped(),
    *_bytes_always(),
    WrongProducer(
        "vitess-json-as-bytes",
        CLAUSES[ColumnKind.JSON],
        "It sends JSON as bytes.",
        taken_for(of(ColumnKind.JSON), type="VARBINARY", jdbc=Jdbc.BINARY),
    ),
    WrongProducer(
        "vitess-float-not-rounded",
        CLAUSES[ColumnKind.FLOAT],
        "It reads a FLOAT as a double, not rounded to 32 bits.",
        parsed(named("FLOAT32"), float),
    ),
    WrongProducer(
        "vitess-float-of-32-bits",
        CLAUSES[ColumnKind.FLOAT],
        "It declares FLOAT as a float, not a double.",
        schemas(named("FLOAT32"), kind=SchemaType.FLOAT32),
    ),
    WrongProducer(
        "vitess-double-of-32-bits",
        CLAUSES[ColumnKind.DOUBLE],
        "It declares DOUBLE as a float, not a double.",
        schemas(named("FLOAT64"), kind=SchemaType.FLOAT32),
    ),
    WrongProducer(
        "vitess-float-of-six-digits",
        CLAUSES[ColumnKind.FLOAT],
        "It writes a FLOAT with six digits.",
        values(named("FLOAT32"), lambda number: float(f"{number:.6g}")),
    ),
    WrongProducer(
        "vitess-year-of-64-bits",
        CLAUSES[ColumnKind.YEAR],
        "It declares YEAR as an int64.",
        schemas(named("YEAR"), kind=SchemaType.INT64),
    ),
    WrongProducer(
        "vitess-unknown-required",
        "vitess.type.unknown",
        "It says of a column that is not supported that it is never null.",
        schemas(unknown, optional=False),
    ),
    WrongProducer(
        "vitess-unknown-as-text",
        "vitess.type.unknown",
        "It writes a column that is not supported as text.",
        conversions(unknown, lambda found: replace(found, schema=OPTIONAL_STRING, convert=None)),
    ),
    WrongProducer(
        "vitess-vector-of-floats",
        "vitess.type.unknown",
        "It sends the floats of a VECTOR in 32 bits each in the place of its text.",
        values(named("VECTOR"), lambda raw: b"".join(pack("<f", n) for n in json.loads(raw))),
    ),
    WrongProducer(
        "vitess-unknown-left-out",
        "vitess.type.unknown",
        "It pays no heed to include.unknown.datatypes.",
        modes(unknown=False),
    ),
    WrongProducer(
        "vitess-unknown-always",
        CLAUSES[ColumnKind.BIT],
        "It sends columns that are not supported without being asked to.",
        modes(unknown=True),
        also=CLAUSES[ColumnKind.VECTOR],
    ),
    WrongProducer(
        "vitess-unsigned-string-not-the-default",
        "vitess.bigint-unsigned.string",
        "It writes BIGINT UNSIGNED as a long by default.",
        default("bigint.unsigned.handling.mode", "long"),
    ),
    WrongProducer(
        "vitess-unsigned-long-wraps",
        "vitess.bigint-unsigned.long-overflow",
        "It writes a BIGINT UNSIGNED beyond a long as a negative number.",
        by_mode(
            _unsigned_long,
            lambda _, found: replace(found, convert=lambda text: signed(int(text), 64)),
        ),
    ),
    WrongProducer(
        "vitess-unsigned-long-clamped",
        "vitess.bigint-unsigned.long-overflow",
        "It writes a BIGINT UNSIGNED beyond a long as the greatest long.",
        by_mode(
            _unsigned_long,
            lambda _, found: replace(found, convert=lambda text: min(int(text), LONGEST)),
        ),
    ),
    WrongProducer(
        "vitess-unsigned-precise-of-scale-1",
        "vitess.bigint-unsigned.precise",
        "It declares the Decimal of a BIGINT UNSIGNED with scale 1.",
        by_mode(
            lambda column, found: column.type == "UINT64" and found.unsigned == "precise",
            lambda _, found: replace(
                found, schema=replace(found.schema, parameters=((SCALE, "1"),))
            ),
        ),
    ),
    WrongProducer(
        "vitess-base64-padding-cut",
        "vitess.binary.mode",
        "It leaves the padding of Base64 out.",
        entry(
            f"{VALUES}:_BINARY_TEXTS",
            "base64",
            lambda original: lambda raw: original(raw).rstrip("="),
        ),
    ),
    WrongProducer(
        "vitess-hex-in-capitals",
        "vitess.binary.mode",
        "It writes hexadecimal digits in capitals.",
        entry(f"{VALUES}:_BINARY_TEXTS", "hex", lambda _: lambda raw: raw.hex().upper()),
    ),
)
