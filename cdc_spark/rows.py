"""The shapes of the rows that travel between Spark's operations.

A shape is written once, here, in Spark's words; Arrow's follow from them. A commit ts is an
unsigned 64-bit number, which Spark's long is not: to its bucket it travels less 2^63, and from
there as text.
"""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa

from cdc_spark.untyped import ArrowBatch, PandasFrame

Shape = Mapping[str, str]

# What a message holds; `slot` is the event's place in it.
EVENT: Shape = {
    "feed": "int",
    "topic": "int",
    "partition": "int",
    "offset": "long",
    "slot": "int",
    "kind": "int",
    "ts": "long",
    "schema": "string",
    "table": "string",
    "identity": "string",
    "payload": "string",
    "transaction": "string",
    "bucket": "int",
}
# What takes effect, in the order of `seq` within its changefeed.
APPLIED: Shape = {
    "feed": "int",
    "seq": "long",
    "kind": "int",
    "ts": "string",
    "schema": "string",
    "table": "string",
    "payload": "string",
    "topic": "int",
    "partition": "int",
    "offset": "long",
}
# The same as it leaves its bucket (`ordering.buckets`): `seq` is dense in the bucket, and `at` is
# what orders it against other buckets; `version` is its table's. `batch` is the micro-batch of what
# its place orders, 0 of all else.
RELEASED: Shape = {
    **APPLIED,
    "bucket": "int",
    "at": "long",
    "version": "string",
    "batch": "long",
}
WRITTEN: Shape = {"feed": "int"}
PART: Shape = {"feed": "int", "bucket": "int", "outcome": "string"}

_ARROW: Mapping[str, Any] = {"int": pa.int32(), "long": pa.int64(), "string": pa.string()}


def sql(shape: Shape) -> str:
    """Return a shape as Spark's DDL text."""
    return ", ".join(f"{name} {kind}" for name, kind in shape.items())


def tuples(batch: ArrowBatch) -> Iterator[tuple[Any, ...]]:
    """Return the rows of an Arrow batch."""
    return zip(*(column.to_pylist() for column in batch.columns), strict=True)


def batch_of(shape: Shape, rows: Iterable[tuple[Any, ...]]) -> ArrowBatch:
    """Return rows as an Arrow batch."""
    columns = list(zip(*rows, strict=True)) or [()] * len(shape)
    batch: ArrowBatch = pa.RecordBatch.from_arrays(
        [
            pa.array(column, _ARROW[kind])
            for column, kind in zip(columns, shape.values(), strict=True)
        ],
        names=list(shape),
    )
    return batch


def pandas_of(shape: Shape, columns: Mapping[str, Any]) -> PandasFrame:
    """Return the columns of a shape as a pandas data frame."""
    import pandas as pd  # noqa: PLC0415 - a second to import, and the driver does without

    return pd.DataFrame({name: columns[name] for name in shape}, copy=False)
