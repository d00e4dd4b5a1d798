"""A small binary log, made here byte by byte as MySQL 8.0 writes one."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

HEADER = 19
# Lengths of the events' heads, by type from 1 on; those that no test has are 0.
HEADS = {2: 13, 4: 8, 19: 8, 23: 8, 24: 8, 25: 8, 30: 10, 31: 10, 32: 10}
LENGTHS = bytes(HEADS.get(kind, 0) for kind in range(1, 42))
QUERY, DESCRIPTION, XID, TABLE = 2, 15, 16, 19
INSERT, UPDATE, DELETE = 30, 31, 32
ORDERS = 7
Row = tuple[int | None, str | None]


def event(kind: int, body: bytes) -> bytes:
    """Return an event with header and checksum; where it ends is left open."""
    size = HEADER + len(body) + 4
    content = struct.pack("<IBIIIH", 0, kind, 1, size, 0, 0) + body
    return content + zlib.crc32(content).to_bytes(4, "little")


def described(version: str = "8.0.36") -> bytes:
    """Return the event that describes a log with checksums."""
    body = struct.pack("<H50sIB", 4, version.encode(), 0, HEADER) + LENGTHS + b"\1"
    return event(DESCRIPTION, body)


def query(sql: str, database: str = "shop") -> bytes:
    """Return a statement."""
    head = struct.pack("<IIBHH", 1, 0, len(database), 0, 0)
    return event(QUERY, head + database.encode() + b"\0" + sql.encode())


def commit() -> bytes:
    """Return the end of a transaction."""
    return event(XID, bytes(8))


def orders() -> bytes:
    """Return what says that the rows behind it are of shop.orders (an INT and a VARCHAR)."""
    names = b"\4shop\0" + b"\6orders\0"
    types = b"\2" + bytes([3, 15]) + b"\2" + struct.pack("<H", 80) + b"\2"
    return event(TABLE, ORDERS.to_bytes(6, "little") + bytes(2) + names + types)


def rows(kind: int, *images: Row, present: Sequence[int] = (3,)) -> bytes:
    """Return a row event; of an UPDATE, images before and after take turns."""
    head = ORDERS.to_bytes(6, "little") + bytes(2) + struct.pack("<H", 2)
    bitmaps = bytes(present) * (2 if kind == UPDATE else 1)
    return event(kind, head + b"\2" + bitmaps + b"".join(map(_image, images)))


def _image(row: Row) -> bytes:
    nulls = sum(1 << place for place, value in enumerate(row) if value is None)
    number, text = row
    content = b"" if number is None else struct.pack("<i", number)
    if text is not None:
        content += bytes([len(text.encode())]) + text.encode()
    return bytes([nulls]) + content


def log(*events: bytes) -> bytes:
    """Return a log's file."""
    return b"\xfebin" + described() + b"".join(events)


CREATE = query("CREATE TABLE orders (id INT PRIMARY KEY, item VARCHAR(20))")
SMALL = log(
    CREATE,
    query("BEGIN"),
    orders(),
    rows(INSERT, (1, "tea"), (2, None)),
    rows(UPDATE, (1, "tea"), (1, "it's\n")),
    commit(),
    query("BEGIN"),
    orders(),
    rows(DELETE, (2, None)),
    commit(),
)
