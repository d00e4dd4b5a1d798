"""Primary vindexes: from a column's value to the keyspace id that decides the shard.

| vindex | keyspace id |
| --- | --- |
| `hash` | DES of the number (8 bytes big-endian) under a key of zeros |
| `numeric` | the number itself, 8 bytes big-endian |
| `reverse_bits` | the number's 64 bits in reverse |
| `xxhash` | xxHash64 of the bytes, little-endian |
| `binary` | the bytes themselves |
| `binary_md5` | MD5 of the bytes |
| `null` | one byte, zero: every row in the first shard |

Numbers are taken modulo 2^64; the bytes of a number are its decimal digits.

Source: Vitess go/vt/vtgate/vindexes `hash.go`, `numeric.go`, `reverse_bits.go`, `xxhash.go`,
`binary.go`, `binarymd5.go`, `null.go`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import md5

from Crypto.Cipher import DES
from xxhash import xxh64_intdigest

from harness.errors import UsageError
from harness.model.columns import INTEGERS, Column
from harness.model.values import Value

KeyspaceId = Callable[[Column, Value], bytes]
# Vitess once used triple DES with three keys of zeros, which is the same function.
_NULL_KEY = DES.new(bytes(8), DES.MODE_ECB)  # noqa: S304  (it spreads rows, it hides nothing)


def _number(column: Column, value: Value) -> bytes:
    if column.kind not in INTEGERS or not isinstance(value, int):
        raise UsageError(
            f"the vindex of column {column.name!r} reads whole numbers, the value is {value!r}",
            expected="an integer column without NULL",
        )
    return (value % (1 << 64)).to_bytes(8, "big")


def _hash(column: Column, value: Value) -> bytes:
    return _NULL_KEY.encrypt(_number(column, value))


def _reverse_bits(column: Column, value: Value) -> bytes:
    bits = int.from_bytes(_number(column, value), "big")
    return int(f"{bits:064b}"[::-1], 2).to_bytes(8, "big")


def _bytes(column: Column, value: Value) -> bytes:
    if isinstance(value, bytes):
        return value
    if value is None:
        raise UsageError(
            f"the vindex of column {column.name!r} reads no NULL",
            expected="NOT NULL on the column, or a value in each row",
        )
    return str(value).encode()


def _md5(column: Column, value: Value) -> bytes:
    return md5(_bytes(column, value), usedforsecurity=False).digest()


def _xxhash(column: Column, value: Value) -> bytes:
    # NULL has no bytes, and a place nevertheless.
    data = b"" if value is None else _bytes(column, value)
    return xxh64_intdigest(data).to_bytes(8, "little")


def _null(column: Column, value: Value) -> bytes:
    del column, value
    return b"\0"


VINDEXES: Mapping[str, KeyspaceId] = {
    "hash": _hash,
    "numeric": _number,
    "reverse_bits": _reverse_bits,
    "xxhash": _xxhash,
    "binary": _bytes,
    "binary_md5": _md5,
    "null": _null,
}
