"""Promises of change data: every change once, its images as they were written."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from cdc_spark import rows
from cdc_spark.change_rows import CHANGE_DATA, apart
from cdc_spark.events import Images, Kind, payload_of
from cdc_spark.set_aside import packed
from tests.cdc_spark.messages import ddl, gone, message, put, resolved

SOCKETS = "ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning"
CREATE = "CREATE TABLE `test`.`t` (`id` INT PRIMARY KEY,`v` VARCHAR(16))"


def changed(kind: Kind, ts: int, payload: str, version: int = 0) -> dict[str, Any]:
    """Return what becomes of a change, None when nothing."""
    row = (0, 7, int(kind), str(ts), "s", "t", payload, 0, 1, 2, 3, None, str(version), 0)
    (found,) = apart(iter([rows.batch_of(rows.RELEASED, [row])]))
    assert found.schema.names == [name for name, _, _ in CHANGE_DATA]
    one: dict[str, Any] = found.to_pylist()[0]
    assert (one["schema"], one["table"], one["_bucket"], one["_seq"]) == ("s", "t", 3, 7)
    return one


def test_images_are_the_text_that_was_written() -> None:
    """No number is read and written anew; what looks like the end of an image is none."""
    before, after = '{"a":1.00e300,"b":"\\",\\"after\\":"}', '{"a":18446744073709551616.10,"b":"}"}'
    payload = payload_of(Images(before, after, ["a", "b"]))
    one = changed(Kind.UPSERT, 2**64 - 1, payload)
    assert (one["before"], one["after"], one["key"]) == (before, after, ["a", "b"])
    assert one["_commit_ts"] == Decimal(2**64 - 1)
    one = changed(Kind.DELETE, 0, payload_of(Images(before, None, [])))
    assert (one["_op"], one["before"], one["after"], one["key"]) == ("delete", before, None, [])
    assert one["_commit_ts"] is None


def test_a_delete_without_a_time_has_none() -> None:
    """Its place is known, the moment is not."""
    payload = payload_of(Images("{}", None, ["a"]), '"rid":null,"undated":true')
    assert changed(Kind.DELETE, 5, payload)["_commit_ts"] is None


def test_statements_and_reasons_have_their_columns() -> None:
    """DDL has its text, a message that was set aside why."""
    statement = changed(Kind.DDL, 5, '{"q":"DROP TABLE `t`","t":4}', 5)
    assert (statement["_op"], statement["query"]) == ("ddl", "DROP TABLE `t`")
    assert statement["_table_version"] == Decimal(5)
    poison = changed(Kind.ERROR, 0, packed("cut", {"key": b"k", "value": None}))
    assert (poison["_op"], poison["reason"], poison["_table_version"]) == ("poison", "cut", None)


@pytest.mark.spark
@pytest.mark.filterwarnings(SOCKETS)
def test_files_have_each_change_once(spark: Any, tmp_path: Path) -> None:
    """Spark's own file sink goes on where it was stopped; duplicates on the wire are dropped."""
    from cdc_spark import Changefeed, change_data, in_order  # noqa: PLC0415 - only where Spark is
    from tests.cdc_spark.delta.files_lab import COLUMNS, FilesLab  # noqa: PLC0415 - as above

    lab = FilesLab(tmp_path, Changefeed("open", {"t": 1}, buckets=2))
    out, place = tmp_path / "out", tmp_path / "checkpoint"
    steps = [
        [message(ddl(1, CREATE, 3), put(2, 1, "a"), put(2, 2, "b")), message(resolved(3))],
        [message(put(2, 1, "a"), gone(4, 1)), message(put(5, 2, "c"), resolved(6))],
    ]
    for step in steps:
        lab.send(*step)
        stream = spark.readStream.schema(COLUMNS).parquet((tmp_path / "messages").as_uri())
        writer = change_data(in_order(stream, lab.changefeed)).writeStream.format("parquet")
        writer.option("checkpointLocation", place.as_uri()).trigger(availableNow=True).start(
            out.as_uri()
        ).awaitTermination()
    found = spark.read.parquet(out.as_uri()).orderBy("_commit_ts", "after").collect()
    assert [(one["_op"], int(one["_commit_ts"]), one["after"], one["query"]) for one in found] == [
        ("ddl", 1, None, CREATE),
        ("upsert", 2, '{"id":1,"v":"a"}', None),
        ("upsert", 2, '{"id":2,"v":"b"}', None),
        ("delete", 4, None, None),
        ("upsert", 5, '{"id":2,"v":"c"}', None),
    ]
