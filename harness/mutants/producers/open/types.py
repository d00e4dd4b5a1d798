"""Column types: codes, and how values of each type are written."""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from struct import pack, unpack
from typing import Any, cast

from harness.codecs.open.dialect import OpenDialect
from harness.codecs.open.types import ColumnFormat
from harness.ddl.definitions.stored_columns import BLOB_SIZES
from harness.ddl.tidb import TYPE_CODES
from harness.model.columns import ColumnKind
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.open.edits import FORM, columns, values
from harness.mutants.producers.patch import Patch, constant, entry, instead, patch
from harness.protocols import PROTOCOLS
from harness.wire.go_json import go_float

CLAUSES = PROTOCOLS["open"].type_clauses
INTEGERS = (
    ColumnKind.TINYINT,
    ColumnKind.SMALLINT,
    ColumnKind.MEDIUMINT,
    ColumnKind.INT,
    ColumnKind.BIGINT,
    ColumnKind.YEAR,
    ColumnKind.BIT,
    ColumnKind.ENUM,
    ColumnKind.SET,
)
WIDTHS = {
    ColumnKind.TINYINT: 8,
    ColumnKind.SMALLINT: 16,
    ColumnKind.MEDIUMINT: 24,
    ColumnKind.INT: 32,
    ColumnKind.BIGINT: 64,
    ColumnKind.BIT: 64,
    ColumnKind.SET: 64,
}
TEXTS = (ColumnKind.CHAR, ColumnKind.VARCHAR)
BYTES = (ColumnKind.BINARY, ColumnKind.VARBINARY)
BASE64 = (
    ColumnKind.TINYTEXT,
    ColumnKind.TEXT,
    ColumnKind.MEDIUMTEXT,
    ColumnKind.LONGTEXT,
    ColumnKind.TINYBLOB,
    ColumnKind.BLOB,
    ColumnKind.MEDIUMBLOB,
    ColumnKind.LONGBLOB,
)
MOMENTS = (ColumnKind.DATE, ColumnKind.TIME, ColumnKind.DATETIME, ColumnKind.TIMESTAMP)
# Of each type code another one, as which a reader can take the values too.
_ALIKE = {
    1: 2,
    2: 9,
    9: 3,
    3: 8,
    8: 3,
    13: 2,
    16: 8,
    247: 3,
    248: 8,
    4: 5,
    5: 4,
    246: 15,
    7: 12,
    12: 7,
    10: 14,
    11: 15,
    15: 253,
    254: 15,
    245: 15,
    225: 15,
    249: 252,
    250: 252,
    251: 252,
    252: 250,
}
Text = Callable[[str], str]


def _signed(bits: int) -> Text:
    return lambda text: str((int(text) + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1))


def _unsigned(bits: int) -> Text:
    return lambda text: str(int(text) % (1 << bits))


def _rounded(text: str) -> str:
    return str(int(float(text)))


def _as_json(text: str) -> str:
    """Return text with the escapes of JSON where it has Go's for single bytes."""
    return re.sub(r"\\\\x([0-9a-f]{2})", r"\\u00\1", text)


def _latin(text: str) -> str:
    return json.dumps(json.loads(f'"{text}"').encode().decode("latin-1"))[1:-1]


def _unquoted(text: str) -> str:
    return str(json.loads(f'"{text}"'))


def _compact(text: str) -> str:
    return json.dumps(_compacted(json.loads(f'"{text}"')))[1:-1]


def _compacted(document: str) -> str:
    return json.dumps(json.loads(document), separators=(",", ":"))


def _separated(comma: str, colon: str) -> Text:
    """Return what writes a JSON document with these between its parts."""

    def write(text: str) -> str:
        document = json.loads(json.loads(f'"{text}"'))
        return json.dumps(json.dumps(document, separators=(comma, colon)))[1:-1]

    return write


def _turned(text: str) -> str:
    document: Any = json.loads(json.loads(f'"{text}"'))
    if isinstance(document, dict):
        document = dict(reversed(cast("dict[str, Any]", document).items()))
    return json.dumps(json.dumps(document))[1:-1]


def _bits_turned(text: str) -> str:
    return str(int(f"{int(text):064b}"[::-1], 2))


def _row(kind: ColumnKind, what: str, words: str, change: Text, **how: bool) -> WrongProducer:
    name = kind.value.lower()
    return WrongProducer(
        f"open-{name}-{what}",
        CLAUSES[kind],
        f"It {words.format(name.upper())}.",
        values(kind, change, **how),
    )


def _codes() -> tuple[WrongProducer, ...]:
    """Return, for each type, one that gives the code of another type whose values look alike."""
    return tuple(
        WrongProducer(
            f"open-{kind.value.lower()}-code",
            CLAUSES[kind],
            f"It gives {kind.value.upper()} the type code {_ALIKE[code]}.",
            entry("harness.ddl.tidb:TYPE_CODES", kind, _ALIKE.__getitem__),
        )
        for kind, code in TYPE_CODES.items()
    )


def _in_plain(kind: ColumnKind) -> WrongProducer:
    """Return one that writes the text of a kind as it is where 4.0.4 writes Base64."""

    def form(original: Callable[..., ColumnFormat]) -> Callable[..., ColumnFormat]:
        def changed(of: ColumnKind, dialect: OpenDialect) -> ColumnFormat:
            base64 = dialect.text_base64 and of is not kind
            return original(of, replace(dialect, text_base64=base64))

        return changed

    name = kind.value.lower()
    return WrongProducer(
        f"open-404-{name}-as-it-is",
        "open.type.varchar.base64",
        f"It writes {name.upper()} without Base64 in 4.0.4.",
        patch(FORM, form),
    )


def _integers() -> tuple[WrongProducer, ...]:
    return tuple(
        _row(kind, "as-text", "writes {} as text in quotes", str, quoted=True)
        for kind in (*INTEGERS, ColumnKind.FLOAT, ColumnKind.DOUBLE)
    )


def _signs() -> tuple[WrongProducer, ...]:
    return (
        *(
            _row(kind, "unsigned-wraps", "writes large unsigned {} as negative", _signed(bits))
            for kind, bits in WIDTHS.items()
        ),
        *(
            _row(kind, "negative-wraps", "writes negative {} as large positive", _unsigned(bits))
            for kind, bits in WIDTHS.items()
            if kind not in {ColumnKind.BIT, ColumnKind.SET}
        ),
        _row(ColumnKind.BIGINT, "by-way-of-doubles", "rounds {} to a double", _rounded),
    )


def _texts() -> tuple[WrongProducer, ...]:
    return (
        *(_row(kind, "latin-1", "writes the bytes of {} as Latin-1", _latin) for kind in TEXTS),
        *(
            _row(
                kind,
                "base64",
                "writes {} as Base64",
                lambda text: b64encode(text.encode()).decode(),
            )
            for kind in (*TEXTS, *BYTES)
        ),
        *(
            _row(
                kind,
                "hex",
                "writes {} as hexadecimal digits",
                lambda text: b64decode(text).hex(),
            )
            for kind in BASE64
        ),
    )


def _moments() -> tuple[WrongProducer, ...]:
    return (
        *(
            _row(kind, "without-marks", "writes {} as digits", lambda t: t.translate(_NO_MARKS))
            for kind in MOMENTS
        ),
        *(
            _row(kind, "iso", "puts a T between day and time of {}", lambda t: t.replace(" ", "T"))
            for kind in (ColumnKind.DATETIME, ColumnKind.TIMESTAMP)
        ),
    )


def _float_of(bits: int) -> Patch:
    """Return the patch by which a FLOAT(p) is a FLOAT up to so many bits."""
    return constant("harness.ddl.definitions.types:_LONGEST_FLOAT", bits)


def _sizes(replaced: int, most: int) -> Patch:
    """Return the patch by which one size of TEXT(n) and BLOB(n) holds another number of bytes."""
    sizes = [*BLOB_SIZES]
    sizes[replaced] = (most, *sizes[replaced][1:])
    return constant("harness.ddl.definitions.stored_columns:BLOB_SIZES", tuple(sizes))


def _lengths() -> tuple[WrongProducer, ...]:
    """Return those to whom the length that is written decides a type otherwise."""
    return (
        WrongProducer(
            "open-float-of-25-bits-is-a-float",
            CLAUSES[ColumnKind.DOUBLE],
            "It gives FLOAT(25) the type code of FLOAT.",
            _float_of(53),
        ),
        WrongProducer(
            "open-float-of-24-bits-is-a-double",
            CLAUSES[ColumnKind.FLOAT],
            "It gives FLOAT(24) the type code of DOUBLE.",
            _float_of(23),
        ),
        WrongProducer(
            "open-text-of-255-bytes-is-a-text",
            CLAUSES[ColumnKind.TINYTEXT],
            "It gives TEXT(n) and BLOB(n) of at most 255 bytes the type code of TEXT and BLOB.",
            _sizes(0, 0),
            also=CLAUSES[ColumnKind.TEXT],
        ),
        WrongProducer(
            "open-text-of-256-bytes-is-a-tinytext",
            CLAUSES[ColumnKind.TEXT],
            "It gives TEXT(n) and BLOB(n) of 256 to 65,535 bytes the type code of TINYTEXT.",
            _sizes(0, BLOB_SIZES[1][0]),
        ),
        WrongProducer(
            "open-text-beyond-64-kib-is-a-text",
            CLAUSES[ColumnKind.MEDIUMTEXT],
            "It gives TEXT(n) and BLOB(n) beyond 65,535 bytes the type code of TEXT and BLOB.",
            _sizes(1, BLOB_SIZES[2][0]),
            also=CLAUSES[ColumnKind.TEXT],
        ),
        WrongProducer(
            "open-text-beyond-16-mib-is-a-mediumtext",
            CLAUSES[ColumnKind.LONGTEXT],
            "It gives TEXT(n) and BLOB(n) beyond 16,777,215 bytes the type code of MEDIUMTEXT.",
            _sizes(2, BLOB_SIZES[3][0]),
        ),
        WrongProducer(
            "open-text-beyond-4-gib-is-a-longtext",
            CLAUSES[ColumnKind.LONGTEXT],
            "It gives TEXT(n) and BLOB(n) beyond 4,294,967,295 bytes the type code of LONGTEXT.",
            _sizes(3, 1 << 40),
            also=CLAUSES[ColumnKind.TEXT],
        ),
    )


_NO_MARKS = str.maketrans("", "", "-: ")


def _zero(column: dict[str, object]) -> None:
    if "v" in column and column["v"] is None:
        column["v"] = ""


def _null_type(column: dict[str, object]) -> None:
    if "v" in column and column["v"] is None:
        column["t"] = 6


def _json_boolean(column: dict[str, object]) -> None:
    if column["t"] == TYPE_CODES[ColumnKind.TINYINT] and column.get("v") in (0, 1):
        column["v"] = bool(column["v"])


def _left_out(column: dict[str, object]) -> None:
    if "v" in column and column["v"] is None:
        del column["v"]


def _with_exponents(text: str) -> str:
    return "[" + ",".join(f"{float(number):g}" for number in text[1:-1].split(",") if number) + "]"


def _of_64_bits(text: str) -> str:
    """Return a vector with each number as the double that it widens to."""
    numbers = (unpack("<f", pack("<f", float(n)))[0] for n in text[1:-1].split(",") if n)
    return "[" + ",".join(f"{Decimal(repr(number)):f}" for number in numbers) + "]"


def _of_python(text: str) -> str:
    return repr(float(text)).removesuffix(".0")


def _fixed(text: str) -> str:
    return f"{Decimal(text):f}"


def _zero_with_exponent(text: str) -> str:
    return "0e+00" if text == "0" else text


def _with_all_digits(given: Sequence[float]) -> list[str]:
    return [go_float(value) for value in given]


def _of_two_digits(text: str) -> str:
    return str(int(text[-2:]))


def _of_six_digits(text: str) -> str:
    return f"{float(text):.6g}"


def _of_17_digits(text: str) -> str:
    return f"{float(text):.17g}"


def _trimmed(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


ROWS: tuple[WrongProducer, ...] = (
    *_codes(),
    *map(_in_plain, (*TEXTS, *BYTES)),
    *_integers(),
    *_signs(),
    *_texts(),
    *_moments(),
    *_lengths(),
    _row(ColumnKind.DECIMAL, "scale-cut", "cuts trailing zeros off {}", _trimmed),
    _row(ColumnKind.DECIMAL, "as-number", "writes {} as a JSON number", str, quoted=False),
    _row(
        ColumnKind.DECIMAL, "by-way-of-doubles", "rounds {} to a double", lambda t: repr(float(t))
    ),
    _row(ColumnKind.JSON, "as-object", "writes {} as part of the event", _unquoted, quoted=False),
    _row(ColumnKind.VECTOR, "blanks", "writes blanks in {}", lambda t: t.replace(",", ", ")),
    _row(ColumnKind.VECTOR, "exponents", "writes {} with exponents", _with_exponents),
    _row(ColumnKind.VECTOR, "64-bits", "writes {} with the digits of 64 bits", _of_64_bits),
    _row(ColumnKind.VECTOR, "braces", "writes {} in braces", lambda t: "{" + t[1:-1] + "}"),
    _row(ColumnKind.VECTOR, "array", "writes {} as an array of numbers", str, quoted=False),
    *(
        _row(kind, "unescaped", "escapes invisible bytes of {} as JSON alone does", _as_json)
        for kind in BYTES
    ),
    _row(ColumnKind.ENUM, "from-0", "counts the members of {} from 0", lambda t: str(int(t) - 1)),
    _row(ColumnKind.SET, "first-member-high", "turns the bits of {} round", _bits_turned),
    _row(
        ColumnKind.YEAR,
        "of-two-digits",
        "writes {} by its last two digits",
        _of_two_digits,
    ),
    WrongProducer(
        "open-null-as-empty-text",
        "open.type.null",
        "It writes NULL as an empty text.",
        columns(_zero),
        also="open.type.null-keeps-code",
    ),
    WrongProducer(
        "open-null-left-out",
        "open.type.null",
        "It leaves `v` out where it is NULL.",
        columns(_left_out),
    ),
    WrongProducer(
        "open-bool-as-json-boolean",
        CLAUSES[ColumnKind.TINYINT],
        "It writes the 0 or 1 of a BOOL as false or true.",
        columns(_json_boolean),
    ),
    WrongProducer(
        "open-null-by-type-code-6",
        "open.type.null-keeps-code",
        "It gives a NULL the type code 6.",
        columns(_null_type),
        also="open.column.type",
    ),
    WrongProducer(
        "open-float-of-64-bits",
        "open.type.float.text",
        "It writes a FLOAT with the digits of its 64 bits.",
        instead("harness.codecs.open.types:_floats", _with_all_digits),
    ),
    WrongProducer(
        "open-float-of-six-digits",
        "open.type.float.text",
        "It writes a FLOAT with six digits.",
        values(ColumnKind.FLOAT, _of_six_digits),
    ),
    WrongProducer(
        "open-double-of-17-digits",
        "open.type.float.text",
        "It writes a DOUBLE with 17 digits where they name the same number.",
        values(ColumnKind.DOUBLE, _of_17_digits),
    ),
    WrongProducer(
        "open-double-of-six-digits",
        "open.type.float.text",
        "It writes a DOUBLE with six digits.",
        values(ColumnKind.DOUBLE, _of_six_digits),
    ),
    *(
        WrongProducer(
            f"open-{kind.value}-{name}",
            "open.type.float.text",
            f"It writes a {kind.value.upper()} {says}.",
            values(kind, write),
        )
        for kind in (ColumnKind.DOUBLE, ColumnKind.FLOAT)
        for name, says, write in (
            ("as-python-prints-it", "with an exponent below 1e-4 and from 1e16", _of_python),
            ("without-exponent", "without an exponent", _fixed),
            ("zero-with-exponent", "of 0 with an exponent", _zero_with_exponent),
        )
    ),
    WrongProducer(
        "open-json-compact",
        "open.value.json-text",
        "It writes JSON without blanks.",
        values(ColumnKind.JSON, _compact),
    ),
    *(
        WrongProducer(
            f"open-json-no-blank-behind-{words}",
            "open.value.json-text",
            f"It writes no blank behind the {words} of JSON.",
            values(ColumnKind.JSON, _separated(*separators)),
        )
        for words, separators in (("commas", (",", ": ")), ("colons", (", ", ":")))
    ),
    WrongProducer(
        "open-json-keys-turned",
        "open.value.json-text",
        "It writes the keys of a JSON document in another order.",
        values(ColumnKind.JSON, _turned),
    ),
)
