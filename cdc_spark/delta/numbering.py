"""The changes of a micro-batch from all buckets of a changefeed, numbered in the order of effect.

A number is a change's place in the changefeed's timeline: the ledger says how many came before.
With resolved events it does not depend on where the stream is cut into batches, so a change that
comes again has the number that it had.

Numbers are those of the order in which one task has a changefeed's rows: it sorts them, which Spark
does on disk where memory ends, and nothing else in the task holds any.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from cdc_spark import rows
from cdc_spark.delta.ledger import Counted
from cdc_spark.ordering import buckets
from cdc_spark.untyped import Frame

_OWN, _NTH = "own", "nth"  # the number that a change has in its bucket, and in its partition


class Numbers(NamedTuple):
    """Which changes each bucket of each changefeed has; what `nth` each changefeed begins with."""

    buckets: Mapping[tuple[int, int], Counted]
    first: Mapping[int, int]


def placed(batch: Frame) -> Frame:
    """Return rows of shape `RELEASED` in their order, each changefeed's in one partition."""
    others = [name for name in rows.RELEASED if name != "seq"]
    own = batch.selectExpr(*others, f"seq AS {_OWN}", "seq")
    whole = buckets.in_order_of_effect(own.repartition("feed"))
    return whole.selectExpr(*others, _OWN, f"monotonically_increasing_id() AS {_NTH}")


def counted(changes: Frame) -> Numbers:
    """Return what `placed` has."""
    own = changes.selectExpr("feed", "bucket", _OWN, f"{_OWN} AS last", _NTH, "1 AS number")
    groups = own.groupBy("feed", "bucket").agg(
        {_OWN: "min", "last": "max", _NTH: "min", "number": "count"}
    )
    found: dict[tuple[int, int], Counted] = {}
    first: dict[int, int] = {}
    for one in groups.collect():
        feed: int = one["feed"]
        counts = (one[f"min({_OWN})"], one["max(last)"], one["count(number)"])
        found[feed, one["bucket"]] = Counted(*counts)
        first[feed] = min(one[f"min({_NTH})"], first.get(feed, one[f"min({_NTH})"]))
    return Numbers(found, first)


def numbered(changes: Frame, first: Mapping[int, int], seqs: Mapping[int, int]) -> Frame:
    """Return what `placed` gave as rows of shape `APPLIED` and their buckets, in their order.

    `seqs` are the last numbers that changefeeds have had.
    """
    known = ", ".join(f"{feed}, {seqs.get(feed, -1) + 1 - nth}L" for feed, nth in first.items())
    seq = f"{_NTH} + element_at(map({known}), feed) AS seq" if known else f"{_NTH} AS seq"
    names = [*rows.APPLIED, "bucket"]
    return changes.selectExpr(*(seq if name == "seq" else name for name in names))
