"""Reads a table from Parquet: one file, or a directory of part files as Spark writes it.

| Parquet, as Arrow reads it | becomes |
| --- | --- |
| integers, booleans | themselves |
| decimals | exact decimals |
| floats | the shortest decimal that reads back as the value |
| strings, also from a dictionary | text |
| binary of any length | hexadecimal text |
| date, time, duration, timestamp | text as MySQL prints it; a timestamp of an instant at UTC |

A file is as hostile as any other answer: it is bounded before and while it is read, and what
is wrong with it is a finding with its name. Only a missing pyarrow is the user's own affair.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from importlib import import_module
from typing import Any

from harness.errors import UsageError
from harness.model.observed import RawRow, RawValue
from harness.runner.contract.exact_json import Malformed
from harness.runner.contract.reading import Folder, Misplaced, located

SUFFIX = ".parquet"
HIDDEN = (".", "_")  # what Spark and Hadoop put beside their part files
DELTA = "_delta_log"
ROWS_AT_ONCE = 512
WORDS = 200  # of what pyarrow says, which may quote the file
INT96 = "us"  # old timestamps: in nanoseconds the years that 64 bits can count are few
DIGITS: Mapping[str, int] = {"s": 0, "ms": 3, "us": 6, "ns": 9}
DAY_S = 86_400
UNIX_EPOCH = date(1970, 1, 1).toordinal()


def parts(folder: Folder, file: str) -> list[str]:
    """Return the files that make up a table; Misplaced for a directory that is no such table."""
    if not folder.is_directory(file):
        return [file]
    names = folder.names(file)
    if DELTA in names:
        what, expected = "is a Delta table", "its rows of now, written as Parquet"
        raise Misplaced(file, 0, Malformed(what, expected=expected))
    return [f"{file}/{name}" for name in names if not name.startswith(HIDDEN)]


def rows(folder: Folder, file: str) -> Iterator[RawRow]:
    """Yield the rows of a table; Misplaced names the file that cannot be read.

    Raises UsageError when pyarrow is not installed.
    """
    try:
        arrow: Any = import_module("pyarrow")
        parquet: Any = import_module("pyarrow.parquet")
    except ModuleNotFoundError:
        raise UsageError(
            f"the consumer answers with Parquet ({file}), and pyarrow is not installed",
            expected="pyarrow, or an answer in JSON lines",
            hint="pip install 'cdc-conformance[parquet]'",
        ) from None
    left = folder.limits.changefeed
    for part in parts(folder, file):
        for batch in _batches(arrow, parquet, folder, part):
            left -= batch.nbytes
            if left < 0:
                what = f"holds more than {folder.limits.changefeed} bytes when it is unpacked"
                raise Misplaced(part, 0, Malformed(what))
            yield from located(part, 0, lambda batch: _rows(arrow, batch), batch)


def _batches(arrow: Any, parquet: Any, folder: Folder, part: str) -> Iterator[Any]:  # noqa: ANN401
    """Yield some rows at a time of one file; Misplaced where pyarrow cannot read on."""
    if folder.is_directory(part):
        what = "is a directory; a column that files are parted by is in none of them"
        raise Misplaced(part, 0, Malformed(what, expected="part files with all columns"))
    with folder.plain(part) as stream:
        try:
            file = parquet.ParquetFile(stream, coerce_int96_timestamp_unit=INT96)
            located(part, 0, _refuse_twice, file.schema_arrow.names)
            yield from file.iter_batches(batch_size=ROWS_AT_ONCE, use_threads=False)
        except (arrow.ArrowException, OSError, ValueError) as error:
            words = (str(error).strip() or repr(error)).splitlines()[0][:WORDS]
            problem = Malformed(f"is not readable as Parquet: {words}")
            raise Misplaced(part, 0, problem) from None


def _refuse_twice(names: Sequence[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise Malformed(f"has the column {twice[0]!r} twice", expected="each column once")


def _rows(arrow: Any, batch: Any) -> list[RawRow]:  # noqa: ANN401 - pyarrow has no types
    names: list[str] = batch.schema.names
    columns = [_values(arrow, name, batch.column(number)) for number, name in enumerate(names)]
    return [
        {name: column[number] for name, column in zip(names, columns, strict=True)}
        for number in range(batch.num_rows)
    ]


def _values(arrow: Any, name: str, array: Any) -> Sequence[RawValue]:  # noqa: ANN401
    """Return a column's values; Malformed for a type that no column of a table has."""
    if arrow.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    kind = array.type
    for fits, read in READERS:
        if any(getattr(arrow.types, f"is_{one}")(kind) for one in fits):
            try:
                return read(arrow, array)
            except (Malformed, UnicodeDecodeError) as problem:
                raise Malformed(f"the column {name!r}: {problem}") from None
    raise Malformed(
        f"the column {name!r} is of type {kind}",
        expected="one plain value a cell; JSON and vectors as text",
    )


def _plain(_: Any, array: Any) -> Sequence[RawValue]:  # noqa: ANN401
    found: list[RawValue] = array.to_pylist()
    return found


def _hexadecimal(_: Any, array: Any) -> Sequence[RawValue]:  # noqa: ANN401
    values: list[bytes | None] = array.to_pylist()
    return [None if value is None else value.hex() for value in values]


def _floats(_: Any, array: Any) -> Sequence[RawValue]:  # noqa: ANN401
    return [None if value is None else _float(float(value)) for value in array.to_pylist()]


def _float(value: float) -> RawValue:
    return Decimal(repr(value)) if math.isfinite(value) else str(value)


def _counted(unit: str, width: str, arrow: Any, array: Any) -> Iterator[tuple[int, str] | None]:  # noqa: ANN401
    """Yield whole seconds and the digits of their fraction, for counts of a unit."""
    digits = DIGITS[unit]
    for count in array.cast(getattr(arrow, width)()).to_pylist():
        if count is None:
            yield None
            continue
        seconds, rest = divmod(count, 10**digits)
        yield seconds, f".{rest:0{digits}}" if digits else ""


def _dates(arrow: Any, array: Any) -> Sequence[RawValue]:  # noqa: ANN401
    if arrow.types.is_date64(array.type):
        array = array.cast(arrow.date32())
    days: list[int | None] = array.cast(arrow.int32()).to_pylist()
    return [None if day is None else _day(day) for day in days]


def _timestamps(arrow: Any, array: Any) -> Sequence[RawValue]:  # noqa: ANN401
    found = _counted(array.type.unit, "int64", arrow, array)
    return [None if one is None else _moment(*one) for one in found]


def _moment(seconds: int, fraction: str) -> str:
    day, second = divmod(seconds, DAY_S)
    return f"{_day(day)} {_clock(second)}{fraction}"


def _times(arrow: Any, array: Any) -> Sequence[RawValue]:  # noqa: ANN401
    width = "int32" if arrow.types.is_time32(array.type) else "int64"
    found = _counted(array.type.unit, width, arrow, array)
    return [None if one is None else f"{_clock(one[0])}{one[1]}" for one in found]


def _durations(arrow: Any, array: Any) -> Sequence[RawValue]:  # noqa: ANN401
    """Return times of MySQL, which may be negative and longer than a day."""
    digits = DIGITS[array.type.unit]
    found: list[RawValue] = []
    for count in array.cast(arrow.int64()).to_pylist():
        if count is None:
            found.append(None)
            continue
        seconds, rest = divmod(abs(count), 10**digits)
        fraction = f".{rest:0{digits}}" if digits else ""
        found.append(f"{'-' if count < 0 else ''}{_clock(seconds)}{fraction}")
    return found


def _day(days: int) -> str:
    """Return a day of the calendar that MySQL and Arrow share, counted from 1970."""
    ordinal = UNIX_EPOCH + days
    if not 1 <= ordinal <= date.max.toordinal():
        raise Malformed(f"the day {days} from 1970-01-01 on is outside of the years 1 to 9999")
    return date.fromordinal(ordinal).isoformat()


def _clock(seconds: int) -> str:
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour:02}:{minute:02}:{second:02}"


# Names of pyarrow's own predicates -> how such a column is read.
READERS: Sequence[tuple[tuple[str, ...], Callable[[Any, Any], Sequence[RawValue]]]] = (
    (("integer", "boolean", "null", "decimal", "string", "large_string"), _plain),
    (("binary", "large_binary", "fixed_size_binary"), _hexadecimal),
    (("floating",), _floats),
    (("date",), _dates),
    (("timestamp",), _timestamps),
    (("time",), _times),
    (("duration",), _durations),
)
