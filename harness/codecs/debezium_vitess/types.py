"""What a VStream field becomes: the connector's column.

Source: V:VitessType.java resolve, V:connection/VStreamOutputMessageDecoder.java handleFieldMessage.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from harness.codecs.debezium.columns import UNSET, ColumnType, Jdbc
from harness.codecs.debezium.enum_set import members
from harness.model.vstream import FieldFlag, FieldInfo

_PLAIN: Mapping[str, Jdbc] = MappingProxyType(
    {
        **dict.fromkeys(("INT8", "UINT8", "INT16"), Jdbc.SMALLINT),
        **dict.fromkeys(("UINT16", "INT24", "UINT24", "INT32", "YEAR"), Jdbc.INTEGER),
        **dict.fromkeys(("UINT32", "INT64"), Jdbc.BIGINT),
        **dict.fromkeys(("UINT64", "VARCHAR", "CHAR", "TEXT", "JSON", "DECIMAL"), Jdbc.VARCHAR),
        "DATE": Jdbc.DATE,
        "FLOAT32": Jdbc.FLOAT,
        "FLOAT64": Jdbc.DOUBLE,
    }
)
_WITH_FRACTION: Mapping[str, Jdbc] = MappingProxyType(
    {
        "TIME": Jdbc.TIME,
        "TIMESTAMP": Jdbc.TIMESTAMP_WITH_TIMEZONE,
        "DATETIME": Jdbc.TIMESTAMP,
    }
)
_TEXTS: Final = ("TINYTEXT", "TEXT", "MEDIUMTEXT", "LONGTEXT")
_INDEXED: Mapping[str, Jdbc] = MappingProxyType({"ENUM": Jdbc.INTEGER, "SET": Jdbc.BIGINT})
# What MySQL's own name of a binary column decides; looked at in this order.
_BINARY: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"VARBINARY": ("VARCHAR", "CHAR"), "BINARY": ("CHAR",)}
)


def _is(column_type: str, name: str) -> bool:
    upper = column_type.upper()
    return upper == name or upper.startswith(f"{name}(")


def _jdbc(field: FieldInfo, *, texts: bool) -> tuple[str, Jdbc]:
    """Return the type's name and its JDBC type; `texts`: ENUM and SET cells are not numbers."""
    name = field.type
    if name in _BINARY:
        if any(_is(field.column_type, text) for text in _BINARY[name]):
            return name, Jdbc.VARCHAR
        name = next((n for n in _INDEXED if _is(field.column_type, n)), name)
    if name in _INDEXED:
        return name, Jdbc.VARCHAR if texts else _INDEXED[name]
    if name == "BLOB" and any(_is(field.column_type, text) for text in _TEXTS):
        return name, Jdbc.VARCHAR
    if name == "BLOB":
        return name, Jdbc.BLOB
    if name in _BINARY:
        return name, Jdbc.BINARY
    return name, _WITH_FRACTION.get(name) or _PLAIN.get(name, Jdbc.OTHER)


def column_of(field: FieldInfo, *, texts: bool) -> ColumnType:
    """Return the column of a field; raises JavaError for a list of members cut short."""
    name, jdbc = _jdbc(field, texts=texts)
    return ColumnType(
        name=field.name,
        type=name,
        jdbc=jdbc,
        optional=not field.flags & FieldFlag.NOT_NULL,
        members=members(field.column_type) if name in _INDEXED else (),
        length=field.decimals if name in _WITH_FRACTION else UNSET,
        primary=bool(field.flags & FieldFlag.PRIMARY_KEY),
        unique=bool(field.flags & FieldFlag.UNIQUE_KEY),
    )
