"""Bytes that the protocol does not allow are refused with DecodingError, and with nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from harness.codecs.avro.codec import BoundAvro, bind
from harness.errors import DecodingError
from harness.model.columns import Column, ColumnKind
from harness.model.table import TableId
from harness.wire.confluent import confluent_frame
from harness.wire.registry import Compatibility, MemoryRegistry
from tests.codecs.avro.rows import CHECKSUM, EXTENSION, ID, insert, sent
from tests.source_tables import shop_table

MEMBERS = ("a", "b,c")
TABLE = shop_table(
    ID,
    Column(2, "n", ColumnKind.INT),
    Column(3, "v", ColumnKind.VARCHAR, length=16),
    Column(4, "raw", ColumnKind.BLOB, nullable=False),
    Column(5, "e", ColumnKind.ENUM, members=MEMBERS),
    Column(6, "d", ColumnKind.DECIMAL, length=10, scale=2),
    Column(7, "f", ColumnKind.DOUBLE, nullable=False),
)
ROW = insert(TABLE, 1, 7, "text", b"\0\1", 2, "-1.50", 2.5)
WATERMARK = {**EXTENSION, "avro-enable-watermark": True}
Message = tuple[bytes | None, bytes | None]


def refused(wire: BoundAvro, key: bytes | None, value: bytes | None) -> str:
    """Return what the refusal says."""
    with pytest.raises(DecodingError) as caught:
        wire.decode(key, value)
    return str(caught.value)


# What is done to a good message -> part of what is said.
WRONG: Mapping[str, tuple[Callable[[bytes, bytes], Message], str]] = {
    "neither key nor value": (lambda _k, _v: (None, None), "without key and value"),
    "an empty key": (lambda _, v: (b"", v), "no room for a schema id"),
    "a key that ends in its id": (lambda k, v: (k[:3], v), "no room for a schema id"),
    "another magic byte": (lambda k, v: (k, b"\1" + v[1:]), "magic byte 1"),
    "an unknown id": (lambda k, v: (k, confluent_frame(9, v[5:])), "unknown schema id 9"),
    "the id below zero": (lambda k, v: (k, confluent_frame(-1, v[5:])), "unknown schema id -1"),
    "an empty value": (lambda k, _: (k, b""), "no room for a schema id"),
    "a value without a body": (lambda k, v: (k, v[:5]), "no body of t's schema"),
    "a value cut short": (lambda k, v: (k, v[:-1]), "no body of t's schema"),
    "a byte too many": (lambda k, v: (k, v + b"\0"), "more, fewer or other bytes"),
    "a key with a byte too many": (lambda k, v: (k + b"\0", v), "more, fewer or other bytes"),
    "a branch that is not there": (lambda k, v: (k, v[:6] + b"\4" + v[7:]), "no body of t's"),
    "a branch below zero": (lambda k, v: (k, v[:6] + b"\1" + v[7:]), "t's schema"),
    "a length below zero": (lambda k, v: (k, v[:9] + b"\7" + v[10:]), "t's schema"),
    "a length beyond the end": (
        lambda k, v: (k, v[:9] + b"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\1" + v[10:]),
        "t's schema",
    ),
    "a number that never ends": (lambda k, v: (k[:5] + b"\xff" * 64, v), "t's schema"),
    "a number in too many bytes": (lambda k, v: (k[:5] + b"\x82\0", v), "more, fewer or other"),
    "text that is not UTF-8": (lambda k, v: (k, v.replace(b"text", b"te\xff\xff")), "t's schema"),
    "a float that is no number": (
        lambda k, v: (k, v[:-8] + bytes.fromhex("000000000000f07f")),
        "which MySQL cannot store",
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_messages(wrong: str) -> None:
    """Each way to spoil a message is refused, and said."""
    wire, key, value = sent(ROW, {})
    spoil, said = WRONG[wrong]
    assert said in refused(wire, *spoil(key, value))


def schema(**changes: Any) -> dict[str, Any]:
    """Return a schema of one column with these members changed."""
    kind = {"type": "int", "connect.parameters": {"tidb_type": "INT"}}
    fields = [{"name": "id", "type": kind}]
    return {"type": "record", "name": "t", "namespace": "default.s", "fields": fields, **changes}


def of_type(kind: Any) -> dict[str, Any]:
    """Return a schema of one column of a type."""
    return schema(fields=[{"name": "id", "type": kind}])


def tidb(avro: str, tidb_type: str, **more: Any) -> dict[str, Any]:
    """Return a schema of one column with a tidb_type."""
    return of_type({"type": avro, "connect.parameters": {"tidb_type": tidb_type}, **more})


NESTED: Any = "int"
for _ in range(400):
    NESTED = [NESTED]

# Schema, body, part of what is said.
SCHEMAS: Mapping[str, tuple[Any, bytes, str]] = {
    "a list": ([], b"", "not an object"),
    "no record": (schema(type="enum"), b"", "not a record"),
    "no fields": (schema(fields=[]), b"", "a record of 0 fields"),
    "fields that are no list": (schema(fields={}), b"", "not a record"),
    "a field that is text": (schema(fields=["id"]), b"", "not an object"),
    "a field without a name": (schema(fields=[{"type": "int"}]), b"", "without a name"),
    "a name that is a number": (schema(name=1), b"\2", "not text"),
    "one name twice": (schema(fields=2 * schema()["fields"]), b"\2\2", "one name"),
    "an array of nothing": (
        of_type({"type": "array", "items": "null"}),
        b"\xfe\xff\xff\1\0",
        "type",
    ),
    "a record in a record": (of_type(schema()), b"\2", "of the type 'record'"),
    "a union of three": (of_type(["null", "int", "string"]), b"\0", "another union"),
    "a union of nulls": (of_type(["null", "null"]), b"\0", "another union"),
    "a union nested without end": (of_type(NESTED), b"\0", "another union"),
    "an unknown tidb_type": (tidb("int", "GEOMETRY"), b"\2", "tidb_type 'GEOMETRY'"),
    "no tidb_type": (of_type("int"), b"\2", "tidb_type ''"),
    "a tidb_type of another type": (tidb("string", "INT"), b"\2a", "of the Avro type string"),
    "parameters that are no text": (tidb("int", 7), b"\2", "not text"),  # type: ignore[arg-type]
    "a decimal of scale -1": (
        tidb("bytes", "DECIMAL", logicalType="decimal", scale=-1),
        b"\2\0",
        "scale -1",
    ),
    "a decimal without bytes": (tidb("bytes", "DECIMAL", logicalType="decimal"), b"\0", "0 bytes"),
    "a decimal without a scale": (tidb("bytes", "DECIMAL"), b"\2\0", "1 bytes for a decimal"),
    "a decimal that is text": (tidb("string", "DECIMAL"), b"\2x", "'x' for a decimal"),
    "an unsigned number that is text": (tidb("string", "BIGINT UNSIGNED"), b"\2-", "'-' for an"),
    "bits beyond 64": (tidb("bytes", "BIT"), b"\x12" + b"\1" * 9, "9 bytes for bits"),
    "a number beyond its type": (tidb("int", "INT"), b"\xfe\xff\xff\xff\xff\1", "more than an int"),
}


@pytest.mark.parametrize("wrong", SCHEMAS)
def test_wrong_schemas(wrong: str) -> None:
    """A schema that TiCDC would not have registered is refused, however cunning."""
    document, body, said = SCHEMAS[wrong]
    assert said in refused(wire_over(json.dumps(document)), confluent_frame(1, body), None)


class Given(MemoryRegistry):
    """A registry that took a text without looking at it."""

    def __init__(self, text: str) -> None:
        """Take the text, whose id is 1."""
        super().__init__(Compatibility.NONE)
        self._texts.append(text)


def wire_over(text: str) -> BoundAvro:
    """Return a wire whose registry has this text under the id 1."""
    return bind({}, "current", Given(text))


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"a":' * 100_000])
def test_schemas_that_are_no_json(text: str) -> None:
    """A text that is not JSON, or nests too deeply, is refused."""
    assert "not JSON" in refused(wire_over(text), confluent_frame(1, b""), None)


WATERMARKS: Mapping[str, tuple[bytes | None, str]] = {
    "no value": (None, "without key and value"),
    "an empty value": (b"", "without key and value"),
    "another first byte": (b"\3abc", "beginning with 3"),
    "a short checkpoint": (b"\2\0\0\0", "beginning with 2"),
    "a long checkpoint": (b"\2" + b"\0" * 9, "beginning with 2"),
    "a DDL that is no JSON": (b"\1{", "not JSON"),
    "a DDL that is not UTF-8": (b'\1{"query":"\xff"}', "not JSON"),
    "a DDL that is endlessly deep": (b"\1" + b"[" * 100_000, "not JSON"),
    "a DDL that is a list": (b"\1[]", "not a JSON object"),
    "a DDL without a table": (b'\1{"query":"","type":1,"schema":"","commitTs":1}', "lacks"),
    "a DDL whose type is text": (
        b'\1{"query":"","type":"1","schema":"","table":"","commitTs":1}',
        "lacks",
    ),
}


@pytest.mark.parametrize("wrong", WATERMARKS)
def test_wrong_watermarks(wrong: str) -> None:
    """What is neither a DDL nor a checkpoint is refused where the watermark is on."""
    value, said = WATERMARKS[wrong]
    assert said in refused(bind(WATERMARK, "current"), None, value)


def test_extension_must_be_there() -> None:
    """Settings that promise the extension refuse a value without it."""
    registry = MemoryRegistry()
    (record,) = bind({}, "current", registry).encode([ROW])
    promised = bind(EXTENSION, "current", registry)
    assert "no field '_tidb_op'" in refused(promised, record.key, record.value)


def test_unknown_operations() -> None:
    """An operation that is neither c nor u is refused."""
    wire, key, value = sent(ROW, EXTENSION)
    assert "_tidb_op 'x'" in refused(wire, key, value.replace(b"\2c", b"\2x"))


def test_checksums_are_verified() -> None:
    """A row that is not what its checksum says is refused; `0` and no text stand for none."""
    wire, key, value = sent(ROW, CHECKSUM)
    assert wire.decode(key, value)
    assert "checksum is" in refused(wire, key, value.replace(b"text", b"next"))
    (record,) = wire.encode([replace(ROW, split=True)])
    assert record.value is not None
    assert record.value.endswith(b"\x020\0\4")
    assert wire.decode(key, record.value.replace(b"text", b"next"))
    bare = record.value.removesuffix(b"\x020\0\4") + bytes(3)
    assert wire.decode(key, bare.replace(b"text", b"next"))


def test_key_and_value_of_one_table() -> None:
    """A key of one table with a value of another is refused."""
    registry = MemoryRegistry(Compatibility.NONE)
    wire = bind({}, "current", registry)
    one = insert(shop_table(ID), 1)
    other = replace(one, table=shop_table(ID, name=TableId("shop", "u")))
    first, second = wire.encode([one, other])
    assert "a key of shop.t with a value of shop.u" in refused(wire, first.key, second.value)
