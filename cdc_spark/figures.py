"""Figures of a micro-batch: what `in_order` observes, and what follows from Spark's own progress.

What is read and what takes effect is observed as part of the plan: no job more, and no pass over
the rows. A task that runs a second time is counted once; a batch that is done again after a crash
is counted again.
"""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, cast

from cdc_spark.events import Kind
from cdc_spark.ordering.buckets import NOTHING, at_of
from cdc_spark.untyped import Frame

READ, APPLIED = "cdc_spark.read", "cdc_spark.applied"
Figures = Mapping[str, Any]
BATCH: Mapping[str, str] = {
    "event": "`batch`",
    "query": "the query's name, else its id",
    "batch": "the number of the micro-batch",
    "at": "when it began, in UTC",
    "seconds": "how long it took, from trigger to commit",
    "messages": "read from Kafka",
    "behind": "messages that Kafka had beyond it; null where the source does not say",
    "rows_read": "inserts, updates and deletes that were decoded",
    "ddl_read": "copies of DDL statements that were decoded",
    "resolved_read": "resolved events that were decoded",
    "poison": "messages that were set aside",
    "rows_applied": "rows that took effect; what was read and is neither held nor late",
    "ddl_applied": "DDL statements that took effect",
    "resolved_ts": "what all declared partitions have passed; null until each has sent one",
    "newest_ts": "the greatest commit ts among the rows read; null without rows",
    "lag_seconds": "from the resolved ts to `at`; without resolved events, from the newest ts",
    "state_rows": "rows of Spark's state",
    "state_bytes": "memory of Spark's state",
}
_LOGICAL_BITS = 18  # of a TiDB timestamp; those above them are milliseconds
_ROWS = f"kind IN ({int(Kind.DELETE)}, {int(Kind.UPSERT)})"
# Rows that were netted where they were decoded are counted in one row of each batch.
_READ_ROWS = f"coalesce(sum(if(kind = {NOTHING}, slot, int({_ROWS}))), 0L)"
_OF: Mapping[str, Kind] = {"ddl": Kind.DDL, "poison": Kind.ERROR, "resolved": Kind.RESOLVED}


def observe_read(events: Frame, name: str, sources: Sequence[tuple[int, int]]) -> Frame:
    """Return events that are counted as they pass; `name` tells apart the feeds of one query.

    `sources` are the partitions whose resolved events count, none without such events. What every
    bucket has to see is there once for each; its first copy counts.
    """
    mark = f"kind = {int(Kind.RESOLVED)}"
    return events.observe(
        f"{READ} {name}",
        *_counts(ddl="ddl_read", poison="poison", resolved="resolved_read"),
        _expr(_READ_ROWS, "rows_read"),
        _expr(f"max(if({_ROWS}, ts, NULL))", "newest"),
        *(
            _expr(
                f"max(if({mark} AND topic = {topic} AND partition = {partition}, ts, NULL))",
                f"resolved_{topic}_{partition}",
            )
            for topic, partition in sources
        ),
    )


def observe_applied(changes: Frame, name: str) -> Frame:
    """Return changes that are counted as they pass."""
    return changes.observe(f"{APPLIED} {name}", *_counts(ddl="ddl_applied", rows="rows_applied"))


def _counts(**named: str) -> list[Any]:
    """Return what counts: `rows`, and the kinds of `_OF`, by the names of the figures."""
    conditions = {"rows": _ROWS} | {
        kind: f"kind = {int(code)} AND bucket = 0" for kind, code in _OF.items()
    }
    return [_expr(f"count_if({conditions[kind]})", figure) for kind, figure in named.items()]


def _expr(text: str, name: str) -> Any:  # noqa: ANN401 - a Column
    from pyspark.sql.functions import expr  # noqa: PLC0415 - the driver's, after Spark has started

    return expr(text).alias(name)


def figures(progress: Mapping[str, Any], resolved: dict[str, int]) -> dict[str, Any]:
    """Return the figures of a batch, of a progress of Spark's as JSON.

    `resolved` has the greatest resolved ts of the query's partitions so far, and is kept up to
    date.
    """
    observed: Mapping[str, Mapping[str, Any]] = progress.get("observedMetrics") or {}
    found: dict[str, Any] = dict.fromkeys(BATCH)
    found |= {
        "event": "batch",
        "query": progress.get("name") or progress["id"],
        "batch": progress["batchId"],
        "at": progress["timestamp"],
        "seconds": progress["durationMs"].get("triggerExecution", 0) / 1000,
        "messages": progress["numInputRows"],
        "behind": _behind(progress["sources"]),
        "state_rows": sum(one["numRowsTotal"] for one in progress["stateOperators"]),
        "state_bytes": sum(one["memoryUsedBytes"] for one in progress["stateOperators"]),
    }
    newest = 0
    for name, values in observed.items():
        if not name.startswith((READ, APPLIED)):
            continue
        feed = name.partition(" ")[2]
        for figure, value in values.items():
            if figure in BATCH:
                found[figure] = (found[figure] or 0) + value
            elif figure == "newest":
                newest = max(newest, _ts(value))
            else:
                place = f"{feed} {figure}"
                resolved[place] = max(resolved.get(place, -1), _ts(value))
    least = min(resolved.values(), default=-1)
    found["resolved_ts"] = least if least >= 0 else None
    found["newest_ts"] = newest if newest > 0 else None
    found["lag_seconds"] = _lag(found["at"], least if resolved else newest)
    return found


def _ts(at: int | None) -> int:
    """Return the commit ts of Spark's long (`buckets.at_of`); -1 without one."""
    return -1 if at is None else at - at_of(0)


def _behind(sources: Sequence[Mapping[str, Any]]) -> int | None:
    """Return how many messages Kafka has beyond the batch; None where the source does not say."""
    behind = 0
    for source in sources:
        ends, latest = (_offsets(source.get(name)) for name in ("endOffset", "latestOffset"))
        if ends is None or latest is None:
            return None
        behind += latest - ends
    return behind


def _offsets(found: Any) -> int | None:  # noqa: ANN401 - JSON
    """Return the sum of Kafka's offsets; None for another source's."""
    if not isinstance(found, dict):
        return None
    topics = cast("Mapping[str, Any]", found)
    if not all(isinstance(partitions, dict) for partitions in topics.values()):
        return None
    return sum(sum(partitions.values()) for partitions in topics.values())


def _lag(at: str, ts: int) -> float | None:
    """Return the seconds from a commit ts of TiDB's, or from a time in milliseconds, to a batch."""
    if ts <= 0:
        return None
    milliseconds = ts >> _LOGICAL_BITS if ts >= 1 << 50 else ts
    return round(datetime.fromisoformat(at).timestamp() - milliseconds / 1000, 3)
