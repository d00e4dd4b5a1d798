"""Primary vindexes: from a column's value to the keyspace id that decides the shard.

| vindex | keyspace id |
| --- | --- |
| `numeric` | the number itself, 8 bytes big-endian |
| `binary` | the bytes themselves |
| `binary_md5` | MD5 of the bytes |

Source: Vitess go/vt/vtgate/vindexes `numeric.go`, `binary.go`, `binarymd5.go`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import md5

from harness.errors import UsageError
from harness.model.columns import INTEGERS, Column
from harness.model.values import Value

KeyspaceId = Callable[[Column, Value], bytes]


def _number(column: Column, value: Value) -> bytes:
    if column.kind not in INTEGERS or not isinstance(value, int):
        raise UsageError(
            f"the vindex of column {column.name!r} reads whole numbers, the value is {value!r}",
            expected="an integer column without NULL",
        )
    return (value % (1 << 64)).to_bytes(8, "big")


def _bytes(column: Column, value: Value) -> bytes:
    if isinstance(value, bytes):
        return value
    if value is None:
        raise UsageError(f"the vindex of column {column.name!r} reads no NULL")
    return str(value).encode()


def _md5(column: Column, value: Value) -> bytes:
    return md5(_bytes(column, value), usedforsecurity=False).digest()


VINDEXES: Mapping[str, KeyspaceId] = {"numeric": _number, "binary": _bytes, "binary_md5": _md5}
