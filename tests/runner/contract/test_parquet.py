"""A table in Parquet is an answer like any other: exact where it is right, a finding where not."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness.errors import UsageError
from harness.model.canonical import canonical
from harness.model.columns import Column, ColumnKind
from harness.model.observed import Observed, Outcome
from harness.model.table import TableId
from harness.model.values import Value
from harness.runner.contract import parquet, results
from harness.runner.contract.reading import Limits

T = TableId("shop", "t")
K = ColumnKind


@pytest.fixture
def answer(tmp_path: Path) -> Path:
    """Return a result directory whose changefeed is done."""
    (tmp_path / "tables").mkdir()
    (tmp_path / "status.json").write_text('{"status": "done"}')
    return tmp_path


def write(path: Path, columns: Mapping[str, Any]) -> None:
    """Write one file of Parquet."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(dict(columns)), path)


def column(kind: ColumnKind, **declared: Any) -> Column:
    """Return a column of a table of the upstream."""
    return Column(1, "v", kind, **declared)


LATE = datetime(2024, 2, 29, 23, 59, 59, 120000)  # noqa: DTZ001 - as columns without a zone hold it
# A column of the upstream, the array that stands for it, and the value that is meant.
VALUES: dict[str, tuple[Column, Any, Value]] = {
    "tinyint": (column(K.TINYINT), pa.array([-1], pa.int8()), -1),
    "boolean": (column(K.TINYINT), pa.array([True]), 1),
    "unsigned": (column(K.BIGINT, unsigned=True), pa.array([2**64 - 1], pa.uint64()), 2**64 - 1),
    "unsigned as decimal": (
        column(K.BIGINT, unsigned=True),
        pa.array([Decimal(2**64 - 1)], pa.decimal128(20, 0)),
        2**64 - 1,
    ),
    "bit": (column(K.BIT, length=64), pa.array([2**64 - 1], pa.uint64()), 2**64 - 1),
    "decimal": (
        column(K.DECIMAL, length=38, scale=2),
        pa.array([Decimal("123456789012345678901234567890123456.70")], pa.decimal128(38, 2)),
        "123456789012345678901234567890123456.70",
    ),
    "wide decimal": (
        column(K.DECIMAL, length=65, scale=1),
        pa.array([Decimal("-" + "9" * 60 + ".5")], pa.decimal256(61, 1)),
        "-" + "9" * 60 + ".5",
    ),
    "float": (column(K.FLOAT), pa.array([0.1], pa.float32()), 0.10000000149011612),
    "double": (column(K.DOUBLE), pa.array([1e300]), 1e300),
    "date": (column(K.DATE), pa.array([date(1, 1, 1)]), "0001-01-01"),
    "old date": (column(K.DATE), pa.array([date(1969, 12, 31)], pa.date64()), "1969-12-31"),
    "time": (column(K.TIME, scale=3), pa.array([time(1, 2, 3, 4000)]), "01:02:03.004"),
    "time of seconds": (column(K.TIME), pa.array([time(1, 2, 3)], pa.time32("s")), "01:02:03"),
    "long time": (
        column(K.TIME, scale=1),
        pa.array([-timedelta(hours=838, milliseconds=500)], pa.duration("ms")),
        "-838:00:00.5",
    ),
    "datetime": (column(K.DATETIME, scale=2), pa.array([LATE]), "2024-02-29 23:59:59.12"),
    "old datetime": (
        column(K.DATETIME, scale=6),
        pa.array([-1], pa.timestamp("us")),
        "1969-12-31 23:59:59.999999",
    ),
    "nanoseconds": (
        column(K.DATETIME, scale=6),
        pa.array([1000], pa.timestamp("ns")),
        "1970-01-01 00:00:00.000001",
    ),
    "instant": (
        column(K.TIMESTAMP),
        pa.array([0], pa.timestamp("s", "Asia/Shanghai")),
        "1970-01-01 00:00:00",
    ),
    "text": (column(K.VARCHAR), pa.array(["𝄞\0é"]), "𝄞\0é"),
    "dictionary": (
        column(K.ENUM, members=("a", "b")),
        pa.array(["b"]).dictionary_encode(),
        2,
    ),
    "large text": (column(K.LONGTEXT), pa.array(["x"], pa.large_string()), "x"),
    "json": (column(K.JSON), pa.array(['{"a": 1.0}']), '{"a": 1.0}'),
    "binary": (column(K.BLOB), pa.array([b"\x00\xff"]), b"\x00\xff"),
    "fixed binary": (column(K.BINARY, length=3), pa.array([b"abc"], pa.binary(3)), b"abc"),
    "nothing": (column(K.INT), pa.array([None], pa.null()), None),
    "no value": (column(K.DATETIME), pa.array([None], pa.timestamp("us")), None),
}


@pytest.mark.parametrize("case", VALUES)
def test_a_value_is_what_it_was(answer: Path, case: str) -> None:
    """Each type of Parquet means the value of the column that it was written for."""
    wanted, array, value = VALUES[case]
    write(answer / "tables/shop.t.parquet", {"v": array})
    read = results.read(answer)
    assert read.outcome is Outcome.DONE, read.detail
    assert read.tables is not None
    (row,) = read.tables[T]
    assert canonical(wanted, row["v"]) == value


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_no_number_is_refused_by_the_verdict(answer: Path, value: float) -> None:
    """A float that MySQL cannot have stands as a text that no column takes."""
    write(answer / "tables/shop.t.parquet", {"v": pa.array([value])})
    (row,) = (results.read(answer).tables or {})[T]
    with pytest.raises(ValueError, match="is not a number"):
        canonical(column(K.DOUBLE), row["v"])


def test_part_files_are_one_table(answer: Path) -> None:
    """A directory as Spark writes it is read without what lies beside its parts."""
    folder = answer / "tables/shop.t.parquet"
    for number in range(3):
        write(folder / f"part-0000{number}-x.snappy.parquet", {"v": pa.array([number])})
    (folder / "_SUCCESS").touch()
    (folder / ".part-00000-x.snappy.parquet.crc").write_bytes(b"crc")
    write(folder / "_temporary/0/part.parquet", {"v": pa.array([9])})
    assert results.read(answer).tables == {T: ({"v": 0}, {"v": 1}, {"v": 2})}


def test_a_directory_without_parts_is_an_empty_table(answer: Path) -> None:
    """No part file means no rows."""
    (answer / "tables/shop.t.parquet").mkdir()
    assert results.read(answer).tables == {T: ()}


def test_both_kinds_of_files_may_be_mixed(answer: Path) -> None:
    """One table may be JSON lines, another Parquet, under any name that tables.json explains."""
    write(answer / "tables/1.parquet", {"v": pa.array([1])})
    (answer / "tables/shop.u.jsonl").write_text('{"v": 2}\n')
    (answer / "tables.json").write_text('{"1.parquet": {"schema": "shop", "name": "t"}}')
    assert results.read(answer).tables == {T: ({"v": 1},), TableId("shop", "u"): ({"v": 2},)}


def spoiled(answer: Path) -> dict[str, Any]:
    """Return what may be wrong with shop.t.parquet, as functions that write it."""
    file = answer / "tables/shop.t.parquet"

    def cut() -> None:
        write(file, {"v": pa.array(range(1000))})
        file.write_bytes(file.read_bytes()[:-20])

    def flipped() -> None:
        write(file, {"v": pa.array([str(n) for n in range(1000)])})
        raw = bytearray(file.read_bytes())
        raw[10:60] = b"\xff" * 50
        file.write_bytes(raw)

    def twice() -> None:
        pq.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["v", "v"]), file)

    def both() -> None:
        write(file, {"v": pa.array([1])})
        (answer / "tables/shop.t.jsonl").write_text('{"v": 1}\n')

    return {
        "text": lambda: file.write_text('{"v": 1}\n'),
        "empty": file.touch,
        "cut": cut,
        "flipped": flipped,
        "twice": twice,
        "both": both,
        "nested": lambda: write(file, {"v": pa.array([[1, 2]])}),
        "year 12000": lambda: write(file, {"v": pa.array([2**22], pa.date32())}),
        "parted": lambda: write(file / "day=1/part.parquet", {"v": pa.array([1])}),
        "delta": lambda: (file / "_delta_log").mkdir(parents=True),
        "huge": lambda: write(file, {"v": pa.array(["x" * 1000] * 5000)}),
    }


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("text", "tables/shop.t.parquet: is not readable as Parquet: "),
        ("empty", "tables/shop.t.parquet: is not readable as Parquet: "),
        ("cut", "tables/shop.t.parquet: is not readable as Parquet: "),
        ("flipped", "tables/shop.t.parquet: is not readable as Parquet: "),
        ("twice", "tables/shop.t.parquet: has the column 'v' twice; expected each column once"),
        ("both", "tables/shop.t.parquet: answers shop.t, as tables/shop.t.jsonl does"),
        ("nested", "tables/shop.t.parquet: the column 'v' is of type list<"),
        ("year 12000", "the day 4194304 from 1970-01-01 on is outside of the years 1 to 9999"),
        ("parted", "tables/shop.t.parquet/day=1: is a directory"),
        ("delta", "tables/shop.t.parquet: is a Delta table"),
        ("huge", "tables/shop.t.parquet: holds more than 100000 bytes when it is unpacked"),
    ],
)
def test_what_cannot_be_read_is_invalid_and_named(answer: Path, how: str, words: str) -> None:
    """A file that is no Parquet, or none of ours, spoils its own answer and nothing else."""
    spoiled(answer)[how]()
    limits = Limits(changefeed=100_000)
    read: Observed = results.read(answer, limits)
    assert read.outcome is Outcome.INVALID
    assert words in read.detail


def test_rows_without_end_are_invalid(answer: Path) -> None:
    """A file of a few bytes may hold rows without end: they are counted as they are read."""
    write(answer / "tables/shop.t.parquet", {"v": pa.array([1] * 3_000)})
    read = results.read(answer, Limits(lines=2_000))
    assert read.detail == "tables/shop.t.parquet line 2001: more than 2000 lines or rows"
    assert results.read(answer).outcome is Outcome.DONE


def test_a_missing_pyarrow_is_reported_with_the_extra(
    answer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who has no pyarrow is told what to install; the consumer is not blamed."""
    write(answer / "tables/shop.t.parquet", {"v": pa.array([1])})

    def absent(name: str) -> Any:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(parquet, "import_module", absent)
    with pytest.raises(UsageError, match=r"pip install 'cdc-conformance\[parquet\]'"):
        results.read(answer)
