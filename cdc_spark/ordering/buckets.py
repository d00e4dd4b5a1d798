"""Work per row over buckets of (table, key), within one changefeed.

Each bucket has a group of its own in Spark's stateful operation, so as many tasks hold, order and
de-duplicate as there are buckets.

Rule 1. All events of a key are in one bucket, by a hash of schema, table and key. A row without a
        key is in the bucket of its content: copies of one row are together. Debezium's are in the
        bucket of the key's values, where its tombstones are, and rows without a key in the first.
Rule 2. A resolved event goes to all buckets, so all of them have the same watermarks, and release
        the same time in the same micro-batch. So does poison, behind which nothing of its partition
        may take effect, and DDL, which ends what its rows may be netted with. DDL and poison leave
        bucket 0 alone.
Rule 3. In a bucket changes leave in their order, and `seq` is dense. Against other buckets they are
        ordered by `ORDER`: the time of their effect, then what `Hold` orders by within one time.
        Without resolved events it is their micro-batch, and their place in the topics: all changes
        of a key stand in one partition.
Rule 4. The number of buckets belongs to the checkpoint. Bucket 0 is part of every micro-batch, so
        another number is refused before anything of it goes on.
Rule 5. A partition that nobody declared is told to all buckets with each of its messages that come,
        so all of them wait for it from the same micro-batch on.
Rule 6. All buckets are told which tables a topic of Debezium's has, for tombstones that know none.

One bucket is all there is where order is the whole changefeed's: transactions that wait for their
END (`transactions`), TRUNCATE among rows (`truncations`), and deletes that wait for the next time
in their partition (`undated`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any
from zlib import crc32

import orjson

from cdc_spark.events import Kind, json_text
from cdc_spark.ordering.columns import is_row
from cdc_spark.ordering.tombstones import key_of
from cdc_spark.untyped import ArrowBatch, Column, Frame, Session, np, pa, pc

# Tasks by bucket for which lanes are right, and lanes to try by task; a bucket that finds none
# costs balance, nothing else. To look for those of very many buckets takes seconds.
_FEW, _OFTEN, _MANY = (16, 24), (1, 8), 32
NOTHING = -1  # the kind of a row that only makes bucket 0 part of a micro-batch
JOINED = -2  # the kind of a row that says that a partition is there which nobody declared
TABLE = -3  # the kind of a row that says that its topic has rows of a table
# A commit ts is unsigned, Spark's long is not: with this bit turned they order alike.
_TOP: Any = np.uint64(1 << 63)
# Of all copies of DDL the first counts, wherever it stood; poison takes its place when it is read.
# Both are in one bucket, whose order is theirs.
_AS_IT_CAME = f"at IS NOT NULL AND kind IN ({int(Kind.DDL)}, {int(Kind.ERROR)})"
ORDER: Sequence[str] = (
    "feed",
    "at",
    "batch",
    "if(at IS NULL, 0, kind)",
    f"if({_AS_IT_CAME}, 0, topic)",
    f"if({_AS_IT_CAME}, 0, partition)",
    f"if({_AS_IT_CAME}, 0, offset)",
    "seq",
)
_TO_ALL = (int(Kind.RESOLVED), int(Kind.ERROR), int(Kind.DDL), JOINED, TABLE)
_TABLE_OF = ("schema", "table")


def default(spark: Session) -> int:
    """Return the default parallelism of the cluster, on any kind of session."""
    parts = spark.range(1 << 16).selectExpr("spark_partition_id() AS part")
    return 1 + int(parts.selectExpr("max(part)").collect()[0][0])


def at_of(ts: Any) -> Any:  # noqa: ANN401 - arrays of NumPy
    """Return commit ts as Spark's longs, in the same order."""
    return (ts ^ _TOP).view(np.int64)


def unshifted(longs: Any) -> Any:  # noqa: ANN401 - arrays of NumPy
    """Return the commit ts that `at_of` gave."""
    return longs.astype(np.int64).view(np.uint64) ^ _TOP


def shifted(ts: Column) -> Column:
    """Return a column of commit ts, which are decimals, as `at_of` has them."""
    return pa.array(at_of(ts.cast(pa.uint64(), safe=False).to_numpy()))


def dealt(
    events: ArrowBatch, buckets: int, *, by_values: bool = False, gone: int = 0
) -> ArrowBatch:
    """Return events with their buckets: NULL for rows, which `spread` deals.

    What all buckets have to see is there once for each. `by_values`: a key's values alone say its
    bucket, because a tombstone has them and may not know its table. So many rows are `gone` from
    the batch: the row that makes bucket 0 part of it has their number for its slot.
    """
    kinds = events["kind"].to_numpy()
    rows = is_row(kinds) if buckets > 1 else np.zeros(len(kinds), bool)
    if by_values and buckets > 1 and len(kinds):
        events = pa.concat_batches([events, _tables(events, np.flatnonzero(rows))])
        kinds = events["kind"].to_numpy()
        own = pa.array(_by_values(events, buckets))
    else:
        own = pa.array(np.zeros(len(kinds), np.int32), mask=rows)
    named = events.append_column("bucket", own)
    if buckets == 1 or not len(kinds):
        return named
    marks = np.flatnonzero(np.isin(kinds, _TO_ALL))
    copies = events.take(pa.array(np.repeat(marks, buckets - 1)))
    others = np.tile(np.arange(1, buckets, dtype=np.int32), len(marks))
    present = _present(events, gone)
    found: ArrowBatch = pa.concat_batches(
        [named, copies.append_column("bucket", pa.array(others)), present]
    )
    return found


def _tables(events: ArrowBatch, rows: Any) -> ArrowBatch:  # noqa: ANN401 - an array of NumPy
    """Return a row of the kind TABLE wherever the table of rows is not that of the row before."""
    first = np.ones(len(rows), bool)
    at = pa.array(rows)
    for number, name in enumerate(("partition", "schema", "table")):
        values = events[name].take(at)
        turns = pc.not_equal(values.slice(1), values[: len(values) - 1])
        turns = turns.to_numpy(zero_copy_only=False)
        first[1:] = turns | first[1:] if number else turns
    found = events.take(at.filter(pa.array(first)))
    empty = pa.repeat("", len(found))
    for name in ("identity", "payload", "transaction"):
        found = found.set_column(found.schema.names.index(name), name, empty)
    kind = pa.repeat(pa.scalar(TABLE, pa.int32()), len(found))
    tables: ArrowBatch = found.set_column(found.schema.names.index("kind"), "kind", kind)
    return tables


def _by_values(events: ArrowBatch, buckets: int) -> Any:  # noqa: ANN401 - an array of NumPy
    """Return the buckets of rows and tombstones by their keys' values; all else is in the first."""
    kinds = events["kind"].to_numpy()
    found = np.zeros(len(kinds), np.int32)
    rows = np.flatnonzero(is_row(kinds))
    places = pa.array(rows)
    schemas, tables = (events[name].take(places).dictionary_encode() for name in _TABLE_OF)
    each = schemas.indices.to_numpy().astype(np.int64) * (len(tables.dictionary) + 1)
    each += tables.indices.to_numpy()
    for one in np.unique(each).tolist():
        own = rows[each == one]
        schema, table = (events[name][int(own[0])].as_py() for name in _TABLE_OF)
        values = pc.utf8_slice_codeunits(
            events["identity"].take(pa.array(own)), len(json_text([schema, table]))
        )
        found[own] = [crc32(text) % buckets for text in values.cast(pa.binary()).to_pylist()]
    for at in np.flatnonzero(kinds == Kind.TOMBSTONE).tolist():
        key = key_of(orjson.loads(events["payload"][at].as_py()))
        found[at] = crc32(orjson.dumps(key)[1:]) % buckets
    return found


def _present(events: ArrowBatch, gone: int) -> ArrowBatch:
    """Return the row that makes bucket 0 part of a micro-batch."""
    names = events.schema.names
    one: dict[str, Any] = {name: pa.nulls(1, events.schema.field(name).type) for name in names} | {
        name: events[name].slice(0, 1) for name in ("feed", "topic", "partition", "offset", "ts")
    }
    one |= {"slot": pa.array([gone], pa.int32())}
    columns = [*(one[name] for name in names), pa.array([0], pa.int32())]
    row = pa.RecordBatch.from_arrays(columns, names=[*names, "bucket"])
    kind = pa.array([NOTHING], pa.int32())
    return row.set_column(names.index("kind"), "kind", kind)


def spread(events: Frame, buckets: int) -> Frame:
    """Return events with the bucket of each row, grouped so that each bucket has its own task."""
    if buckets > 1:
        own = f"pmod(xxhash64(schema, table, if(identity = '', payload, identity)), {buckets})"
        names = [name for name in events.columns if name != "bucket"]
        events = events.selectExpr(*names, f"coalesce(bucket, cast({own} AS int)) AS bucket")
    return events.withColumn("lane", _expr(_lane(events.sparkSession, buckets)))


def in_tasks(changes: Frame, buckets: int) -> Frame:
    """Return changes with their buckets, each bucket in a task of its own as far as there are."""
    lane = _lane(changes.sparkSession, buckets)
    return changes.withColumn("lane", _expr(lane)).repartition("feed", "bucket", "lane")


def _lane(spark: Session, buckets: int) -> str:
    """Return, as SQL, a number that Spark hashes beside the bucket's, chosen by what comes of it.

    Spark deals groups to tasks by a hash, which leaves some tasks without a bucket where others
    have several: of 8 buckets 2 in 8. With the lane, those of the first changefeed go to tasks in
    turn, if there are as many tasks, or twice to sixteen times as many. It is part
    of the state's key, so it may depend on nothing that changes: for bucket 0, which knows how many
    there are, it is 0.
    """
    return "0" if buckets == 1 else f"get(array({_lanes(spark, buckets)}), bucket)"


@cache
def _lanes(spark: Session, buckets: int) -> str:
    """Return the lanes of all buckets, by Spark's own hash; asked once a session."""
    times, tries = _FEW if buckets <= _MANY else _OFTEN
    turn = buckets * times
    task = f"pmod(cast(hash(0, one, lane) AS bigint) - cast(hash(0, 0, 0) AS bigint), {turn})"
    lanes = f"filter(sequence(0, {turn * tries}), lane -> {task} = one)"
    found = f"transform(sequence(0, {buckets - 1}), one -> coalesce(get({lanes}, 0), 0))"
    numbers: list[int] = spark.sql(f"SELECT {found}").collect()[0][0]
    return ", ".join(map(str, numbers))


def order() -> list[object]:
    """Return `ORDER` as columns."""
    return [_expr(one) for one in ORDER]


def in_order_of_effect(released: Frame) -> Frame:
    """Return changes that left their buckets in order, of changefeeds that are whole partitions."""
    return released.sortWithinPartitions(*order())


def _expr(text: str) -> object:
    from pyspark.sql.functions import expr  # noqa: PLC0415 - the driver's, after Spark has started

    return expr(text)
