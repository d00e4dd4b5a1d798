"""Texts as Java prints them, where other libraries print something else."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.codecs.connect.header_text import header_bytes
from harness.codecs.connect.java import utf8_bytes
from harness.codecs.connect.java_double import java_double
from harness.codecs.connect.json_converter import JsonConverter
from harness.codecs.connect.json_text import JsonFormat, json_string, json_value
from harness.codecs.connect.logical import DATE, DECIMAL, unscaled_bytes
from harness.codecs.connect.schema import Field, Schema, SchemaType
from harness.errors import SourceStopped

# What JDK 17 prints.
DOUBLES = {
    -0.0: "-0.0",
    1e-3: "0.001",
    9.99e-4: "9.99E-4",
    1e7: "1.0E7",
    9999999.0: "9999999.0",
    5e-324: "4.9E-324",
    1.7976931348623157e308: "1.7976931348623157E308",
    # Longer than need be, or not the nearest: JDK-4511638.
    8.81e21: "8.809999999999999E21",
    5.380112710085299e18: "5.3801127100852992E18",
    3.2076316929225637e25: "3.2076316929225636E25",
}
TEXT = Schema(SchemaType.STRING, optional=True)
ROW = Schema(
    SchemaType.STRUCT,
    name="r",
    fields=(
        Field("id", Schema(SchemaType.INT64)),
        Field("text", TEXT),
        Field("ratio", Schema(SchemaType.FLOAT64, optional=True)),
        Field("raw", Schema(SchemaType.BYTES, optional=True)),
        Field("mode", Schema(SchemaType.STRING, optional=True, default="false")),
    ),
)
SURROGATES = st.text(st.characters(codec=None))


@pytest.mark.parametrize(("value", "text"), DOUBLES.items())
def test_double(value: float, text: str) -> None:
    """A double has the digits and the form that JDK 17 gives it."""
    assert java_double(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_double_reads_back(value: float) -> None:
    """Whatever digits Java chooses, they mean the same double."""
    assert float(java_double(value)) == value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x00\x1f\x7f", '"\\u0000\\u001F\x7f"'),
        ('\b\t\n\f\r"\\/', '"\\b\\t\\n\\f\\r\\"\\\\/"'),
        ("é\u2028<", '"é\u2028<"'),
        ("😀", '"\\uD83D\\uDE00"'),
        ("a\ud83d", '"a\\uD83D"'),
    ],
)
def test_json_string(text: str, expected: str) -> None:
    """Jackson escapes control characters and surrogates, in upper case, and nothing else."""
    assert json_string(text) == expected


@given(
    st.fixed_dictionaries(
        {
            "id": st.integers(),
            "text": st.none() | SURROGATES,
            "ratio": st.none() | st.floats(),
            "raw": st.none() | st.binary(),
            "mode": st.none() | SURROGATES,
        }
    )
)
def test_fast_is_exact(row: dict[str, object]) -> None:
    """The fast way prints what the slow way prints, whatever stands in a row."""
    converter = JsonConverter(schemas_enable=False)
    row = {field.name: row[field.name] for field in ROW.fields}
    envelope = Schema(
        SchemaType.STRUCT,
        fields=(
            Field("before", Schema(SchemaType.STRUCT, optional=True, fields=ROW.fields)),
            Field("source", ROW),
        ),
    )
    for schema, value in ((ROW, row), (envelope, {"before": row, "source": row})):
        expected = json_value(schema, value, JsonFormat()).encode()
        for _ in range(2):
            assert converter.convert("t", schema, value) == (expected, None)


def test_null_out_of_place() -> None:
    """A null where a value is required stops the task, as Connect's converter stops it."""
    row = {"id": None, "text": None, "ratio": None, "raw": None, "mode": None}
    with pytest.raises(SourceStopped, match="required and has no default") as stop:
        JsonConverter().convert("t", ROW, row)
    assert stop.value.code == "org.apache.kafka.connect.errors.DataException"


def test_default_kept_out() -> None:
    """With replace.null.with.default switched off a null stays one."""
    converter = JsonConverter(
        schemas_enable=False, form=JsonFormat(replace_null_with_default=False)
    )
    text = converter.text(ROW, {"id": 1, "text": None, "ratio": None, "raw": None, "mode": None})
    assert json.loads(text or b"")["mode"] is None


@pytest.mark.parametrize(
    ("number", "data"),
    [(0, "00"), (68, "44"), (127, "7f"), (128, "0080"), (-128, "80"), (-129, "ff7f")],
)
def test_decimal_bytes(number: int, data: str) -> None:
    """A Decimal is the fewest bytes of two's complement that hold it."""
    schema = Schema(SchemaType.BYTES, name=DECIMAL, parameters=(("scale", "0"),))
    assert unscaled_bytes(schema, Decimal(number)).hex() == data


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        (TEXT, 'a "b"', b'a "b"'),
        (Schema(SchemaType.FLOAT64), 1e20, b"1.0E20"),
        (Schema(SchemaType.BYTES), b"\x01", b"AQ=="),
        # A day of the year 0, of which only the time is said, as of any day before 1970's second.
        (Schema(SchemaType.INT32, name=DATE), -719_500, b"00:00:00.000Z"),
        (Schema(SchemaType.ARRAY, items=TEXT), ['a"', None, "\\"], b'["a\\"",null,"\\\\"]'),
        (Schema(SchemaType.MAP, items=TEXT), {"k": "v"}, b'{"k":"v"}'),
        (
            ROW,
            {"id": 2, "text": "x\n", "ratio": 0.5, "raw": b"\x01", "mode": None},
            b'{"id":2,"text":"x\n","ratio":0.5,"raw":"AQ==","mode":"false"}',
        ),
    ],
)
def test_simple_header(schema: Schema, value: object, expected: bytes) -> None:
    """A plain header quotes what is inside something, and escapes quotes and backslashes alone."""
    assert header_bytes(schema, value) == expected


def test_half_a_pair() -> None:
    """Half a surrogate pair becomes a question mark in bytes; two halves that meet do not."""
    assert utf8_bytes("a\ud83d") == b"a?"
    assert utf8_bytes("\ud83d\ude00\ud83d") == "😀?".encode()
