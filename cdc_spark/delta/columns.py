"""The type that a column has in Delta, and its values there and back.

Nothing is lost. A value is stored by its column's type when what is read back is what came;
otherwise the typed column is NULL and the value stands in `__exact`, a JSON object by column name:
`0000-00-00`, a year beyond Spark's, digits beyond the precision, text of no known form.

| MySQL | Delta |
| --- | --- |
| `tinyint`, unsigned | `tinyint`, `smallint` |
| `smallint`, unsigned | `smallint`, `int` |
| `mediumint`, `int`, unsigned `mediumint` | `int` |
| `bigint`, unsigned `int` | `bigint` |
| unsigned `bigint` | `decimal(20,0)` |
| `bit`, `year` | `decimal(20,0)`, `smallint` |
| `decimal(p,s)` | `decimal(p,s)`; `string` where p > 38 |
| `float`, `double` | `double` |
| `date` | `date` |
| `datetime`, `timestamp` | `timestamp_ntz`: the wall clock as it is on the wire |
| binary types | `binary` |
| `enum`, `set` | `string`: members' text |
| `time`, character types, `json`, `vector` | `string` |
| a column that nobody defined | `string`: its text, or its number's digits |

Source: MySQL 8.0 Reference Manual, §13 Data Types; Apache Spark SQL, §Data Types.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal, InvalidOperation, localcontext
from typing import Any, NamedTuple

from cdc_spark.apply.schema import Column, Family
from cdc_spark.apply.values import Value, member_number, member_text, normal

DECIMAL_DIGITS_MAX = 38
# The hidden columns: the change that wrote the row, TiDB's row id, what no type can hold, the
# commit ts of that change (NULL without one), and whether it was a delete that kept the row.
SEQ, RID, EXACT, TS, DELETED = "__seq", "__rid", "__exact", "__commit_ts", "__deleted"
HIDDEN: Mapping[str, str] = {
    SEQ: "bigint",
    RID: "bigint",
    EXACT: "string",
    TS: "decimal(20,0)",
    DELETED: "boolean",
}

_INTEGERS: Mapping[str, tuple[str, str]] = {
    "tinyint": ("tinyint", "smallint"),
    "smallint": ("smallint", "int"),
    "mediumint": ("int", "int"),
    "int": ("int", "bigint"),
    "bigint": ("bigint", "decimal(20,0)"),
    "bit": ("decimal(20,0)", "decimal(20,0)"),
    "year": ("smallint", "smallint"),
}
_BITS: Mapping[str, int] = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
_TYPES: Mapping[Family, str] = {
    Family.FLOAT: "double",
    Family.DATE: "date",
    Family.DATETIME: "timestamp_ntz",
    Family.BYTES: "binary",
}


class Field(NamedTuple):
    """A column of a Delta table; `column` is None where nobody defined it."""

    name: str
    type: str
    column: Column | None


def field_of(column: Column) -> Field:
    """Return the field that holds a column."""
    return Field(column.name, _type(column), column)


def undefined(name: str) -> Field:
    """Return the field of a column that no definition has."""
    return Field(name, "string", None)


def _type(column: Column) -> str:
    if column.family is Family.INTEGER:
        return _INTEGERS[column.kind][column.unsigned]
    if column.family is Family.DECIMAL:
        digits = column.length or (10 if column.scale is not None else DECIMAL_DIGITS_MAX + 1)
        return (
            f"decimal({digits},{column.scale or 0})" if digits <= DECIMAL_DIGITS_MAX else "string"
        )
    return _TYPES.get(column.family, "string")


@dataclass(frozen=True, slots=True)
class _Form:
    store: Callable[[Value, Column], Any]
    load: Callable[[Any, Column], Value]


def stored(field: Field, value: Value) -> tuple[Any, Value]:
    """Return what the typed column holds, and the value where that cannot be all of it."""
    if value is None:
        return None, None
    column = field.column
    if column is None:
        return (str(value) if isinstance(value, int | float) else value), None
    try:
        held = _form(field).store(value, column)
        if normal(column, _form(field).load(held, column)) == normal(column, value):
            return held, None
    except (ValueError, ArithmeticError, InvalidOperation, LookupError):
        return None, value
    return None, value


def loaded(field: Field, held: Any, exact: Mapping[str, Value]) -> Value:  # noqa: ANN401
    """Return a stored value as the contract's JSON has it."""
    if field.name in exact:
        return exact[field.name]
    if held is None or field.column is None:
        text: Value = held
        return text
    return _form(field).load(held, field.column)


def _form(field: Field) -> _Form:
    assert field.column is not None
    if field.type == "string":
        return _MEMBERS if field.column.family in (Family.ENUM, Family.SET) else _TEXT
    return _FORMS[field.column.family]


def _integer(value: Value, column: Column) -> Any:  # noqa: ANN401
    kind, number = _type(column), int(str(value))
    if kind not in _BITS:
        return _digits(Decimal(number), 20, 0)
    if not -(1 << _BITS[kind] - 1) <= number < 1 << _BITS[kind] - 1:
        raise ValueError(value)
    return number


def _decimal(value: Value, column: Column) -> Decimal:
    return _digits(Decimal(str(value)), column.length or 10, column.scale or 0)


def _digits(number: Decimal, digits: int, scale: int) -> Decimal:
    """Return a number with its scale's digits; ValueError where it has more."""
    with localcontext() as context:
        context.prec = 2 * DECIMAL_DIGITS_MAX
        scaled = number.quantize(Decimal(1).scaleb(-scale))
    if scaled != number or len(scaled.as_tuple().digits) > digits:
        raise ValueError(number)
    return scaled


def _clock(value: Value, column: Column) -> datetime:
    del column
    found = datetime.fromisoformat(str(value))
    if found.tzinfo is not None:
        raise ValueError(value)
    return found


def _clock_text(held: Any, column: Column) -> Value:  # noqa: ANN401
    text = held.strftime("%Y-%m-%d %H:%M:%S").rjust(19, "0")
    digits = f"{held.microsecond:06}"
    if column.scale is not None:
        return f"{text}.{digits[: column.scale]}" if column.scale else text
    digits = digits.rstrip("0")
    return f"{text}.{digits}" if digits else text


_TEXT = _Form(lambda value, _: str(value), lambda held, _: held)
_MEMBERS = _Form(
    lambda value, column: member_text(column, value) if column.members else str(value),
    lambda held, column: member_number(column, held) if column.members else held,
)
_FORMS: Mapping[Family, _Form] = {
    Family.INTEGER: _Form(_integer, lambda held, _: int(held)),
    Family.DECIMAL: _Form(_decimal, lambda held, _: f"{held:f}"),
    Family.FLOAT: _Form(lambda value, _: float(str(value)), lambda held, _: held),
    Family.DATE: _Form(
        lambda value, _: date.fromisoformat(str(value)), lambda held, _: held.isoformat()
    ),
    Family.DATETIME: _Form(_clock, _clock_text),
    Family.BYTES: _Form(lambda value, _: bytes.fromhex(str(value)), lambda held, _: held.hex()),
}
