"""What a column is declared as in Flink SQL, and how its text becomes the contract's value.

The careful mapping declares what the wire has and converts afterwards. The naive one declares what
the upstream's type seems to be; its defects have the ids of the public matrix.
"""

from __future__ import annotations

import base64
import re
from datetime import UTC, date, datetime, timedelta

from columns import Column

WIRE = {
    **dict.fromkeys(("int8", "int16", "int32", "int"), "INT"),
    **dict.fromkeys(("int64", "long"), "BIGINT"),
    "float": "FLOAT",
    "float32": "FLOAT",
    "double": "DOUBLE",
    "float64": "DOUBLE",
    "boolean": "BOOLEAN",
    "string": "STRING",
    "bytes": "BYTES",
}
TIME = "io.debezium.time."
NAIVE = {
    f"{TIME}Date": "DATE",  # F6
    f"{TIME}Timestamp": "TIMESTAMP(3)",  # F6
    f"{TIME}MicroTimestamp": "TIMESTAMP(6)",  # F6
    f"{TIME}ZonedTimestamp": "TIMESTAMP_LTZ(6)",  # F9
    "org.apache.kafka.connect.data.Decimal": "DECIMAL(20, 0)",  # F10
}
LOOKS = (
    (re.compile(r"-?\d+\.\d+"), "DECIMAL(38, 18)"),  # F2
    (re.compile(r"\d{4}-\d\d-\d\d"), "DATE"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?"), "TIMESTAMP(6)"),
    (re.compile(r"\d\d:\d\d:\d\d(\.\d+)?"), "TIME(6)"),  # F7
)
DECIMAL_MAX = 38


def careful(column: Column) -> str:
    """Return the type that loses nothing."""
    if column.logical == "decimal" and 0 < column.precision <= DECIMAL_MAX:
        return f"DECIMAL({column.precision}, {column.scale})"
    return WIRE[column.wire]


def naive(column: Column) -> str:
    """Return the type that a first look suggests."""
    if column.logical in NAIVE:
        return NAIVE[column.logical]
    if column.wire == "int16" and column.sample in {0, 1}:
        return "BOOLEAN"  # F1: TINYINT(1) is what people write for it
    if column.wire == "string" and isinstance(column.sample, str):
        return next((t for looks, t in LOOKS if looks.fullmatch(column.sample)), "STRING")
    return careful(column)


def value(column: Column, declared: str, given: object, *, unsigned: bool) -> object:
    """Return the contract's value of what a column's declared type told; bytes come as Base64.

    Without `unsigned` a long beyond 2^63-1 stays negative.
    """
    if not isinstance(given, str):
        return given
    if declared == "BYTES":
        return _bytes(column, base64.b64decode(given))
    if declared == "BOOLEAN":
        return int(given == "TRUE")
    if unsigned and column.logical == "BIGINT UNSIGNED" and column.wire == "long":
        return str(int(given) % 2**64)
    if column.logical.startswith(TIME) and re.fullmatch(r"-?\d+", given):
        return _time(column.logical.removeprefix(TIME), int(given))
    is_zoned = column.logical == f"{TIME}ZonedTimestamp"
    return given.replace("T", " ").removesuffix("Z") if is_zoned else given


def _bytes(column: Column, raw: bytes) -> str:
    if column.logical == "BIT":
        return str(int.from_bytes(raw))
    if column.logical == "io.debezium.data.Bits":
        return str(int.from_bytes(raw, "little"))
    if column.logical in {"decimal", "org.apache.kafka.connect.data.Decimal"}:
        unscaled = int.from_bytes(raw, signed=True)
        digits = str(abs(unscaled)).rjust(column.scale + 1, "0")
        point = len(digits) - column.scale
        text = f"{digits[:point]}.{digits[point:]}" if column.scale else digits
        return f"-{text}" if unscaled < 0 else text
    return raw.hex()


def _time(name: str, number: int) -> object:
    match name:
        case "Date":
            return (date(1970, 1, 1) + timedelta(days=number)).isoformat()
        case "Timestamp" | "MicroTimestamp":
            scale = 1000 if name == "Timestamp" else 1
            moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=number * scale)
            return moment.strftime("%Y-%m-%d %H:%M:%S.%f").rjust(26, "0")
        case "Time" | "MicroTime":
            micros = number * (1000 if name == "Time" else 1)
            seconds, fraction = divmod(abs(micros), 1_000_000)
            clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{fraction:06}"
            return f"-{clock}" if micros < 0 else clock
        case _:
            return number
