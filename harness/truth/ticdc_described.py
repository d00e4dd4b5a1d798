"""What a TiCDC vector says of a row's table and values.

A table as a row describes it (names, type codes, flags, and no more) stands in where the vector
holds no statement that made the table.
"""

from __future__ import annotations

import struct
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from harness.ddl import ColumnFlag
from harness.ddl.tidb import TYPE_CODES
from harness.errors import EncodingError
from harness.model.columns import CHARACTERS, INTEGERS, Column, ColumnKind
from harness.model.source_events import SourceTable
from harness.model.table import Index, IndexPart, Table, TableId
from harness.model.values import Value
from harness.truth.result import Vector


def narrowed(text: str) -> float:
    """Return the 32-bit float that a text stands for."""
    number: float = struct.unpack("<f", struct.pack("<f", float(text)))[0]
    return number


_NUMBERS: Mapping[str, Callable[[str], Value]] = {
    "int64": int,
    "uint64": int,
    "float32": narrowed,
    "float64": float,
}


def value_of(kind: ColumnKind, raw: Any) -> Value:  # noqa: ANN401  (a field of a vector)
    """Return a mounted value of a column of that kind; EncodingError for a form not known."""
    if raw is None or isinstance(raw, str):
        return raw
    forms = cast("dict[str, str]", raw) if isinstance(raw, dict) else {}
    for form, text in forms.items():
        if form in _NUMBERS:
            return _NUMBERS[form](text)
        if form == "b64":
            content = b64decode(text)
            return content.decode() if kind in CHARACTERS else content
    raise EncodingError(
        f"a mounted value in the forms {', '.join(forms) or '(none)'}",
        expected="int64, uint64, float32, float64, b64, text or null",
    )


# Type code -> kind, or the kinds without and with the Binary flag.
_KINDS: Mapping[int, tuple[ColumnKind, ...]] = {
    code: tuple(kind for kind, same in TYPE_CODES.items() if same == code)
    for code in TYPE_CODES.values()
}


def described_table(row: Vector) -> SourceTable:
    """Return the table that a row's columns describe; unique columns count as one index each."""
    described: Sequence[Vector] = row["columns"] or row["pre_columns"]
    columns = tuple(_column(number, column) for number, column in enumerate(described, 1))
    flags = tuple(int(column["flag"]) for column in described)
    unique = ColumnFlag.PRIMARY_KEY | ColumnFlag.UNIQUE_KEY
    keyed = [c.name for c, flag in zip(columns, flags, strict=True) if flag & unique]
    table = Table(
        TableId(row["schema"], row["table"]),
        columns,
        tuple(Index(n, name, (IndexPart(name),), unique=True) for n, name in enumerate(keyed, 1)),
    )
    return SourceTable(
        table=table,
        codes=tuple(column["type"] for column in described),
        flags=flags,
        emitted=tuple(range(len(columns))),
        handle=tuple(n for n, flag in enumerate(flags) if flag & ColumnFlag.HANDLE_KEY),
    )


def _column(number: int, described: Vector) -> Column:
    flag: int = described["flag"]
    kind = _KINDS[described["type"]][-1 if flag & ColumnFlag.BINARY else 0]
    return Column(
        number,
        described["name"],
        kind,
        nullable=bool(flag & ColumnFlag.NULLABLE),
        unsigned=kind in INTEGERS and bool(flag & ColumnFlag.UNSIGNED),
    )
