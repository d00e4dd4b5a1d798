"""The changes of a micro-batch from all buckets of a changefeed, numbered in the order of effect.

A number is a change's place in the changefeed's timeline: the ledger says how many came before.
With resolved events it does not depend on where the stream is cut into batches, so a change that
comes again has the number that it had.
"""

from __future__ import annotations

from collections.abc import Mapping

from cdc_spark import rows
from cdc_spark.delta.ledger import Counted
from cdc_spark.ordering.buckets import ORDER
from cdc_spark.untyped import Frame

_OWN = "own"  # the number that a change has in its bucket


def numbered(batch: Frame, seqs: Mapping[int, int]) -> Frame:
    """Return rows of shape `RELEASED` with their numbers, each changefeed's in one partition.

    They are in their order. `seqs` are the last numbers that changefeeds have had.
    """
    others = [name for name in rows.RELEASED if name != "seq"]
    known = ", ".join(f"{feed}, {last + 1}L" for feed, last in seqs.items())
    before = f"coalesce(try_element_at(map({known}), feed), 0L)" if known else "0L"
    place = f"row_number() OVER (PARTITION BY feed ORDER BY {', '.join(ORDER[1:])}) - 1"
    found = batch.selectExpr(*others, f"seq AS {_OWN}", f"{before} + {place} AS seq")
    return found.sortWithinPartitions("feed", "seq")


def counted(changes: Frame) -> dict[tuple[int, int], Counted]:
    """Return which changes of its own each bucket of each changefeed has, of what is numbered."""
    own = changes.selectExpr("feed", "bucket", f"{_OWN} AS first", f"{_OWN} AS last", "1 AS number")
    groups = own.groupBy("feed", "bucket").agg({"first": "min", "last": "max", "number": "count"})
    return {
        (one["feed"], one["bucket"]): Counted(
            one["min(first)"], one["max(last)"], one["count(number)"]
        )
        for one in groups.collect()
    }
