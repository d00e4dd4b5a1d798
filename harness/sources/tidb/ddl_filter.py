"""The owner's look at DDL that passed the puller: event filters, and bidirectional replication.

What is left out here has changed the schemas that TiCDC knows, so rows go on. An EXCHANGE PARTITION
whose partition is quoted already is quoted again, which TiCDC's parser does not take.

Source: tiflow c7b2588 cdc/owner/ddl_manager.go `shouldSkipDDL`; cdc/model/sink.go:1092
`FromJobWithArgs`, for the text that `ignore-sql` sees; cdc/owner/ddl_sink.go `addSpecialComment`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from harness.ddl import ActionType, DdlJob
from harness.sources.decision import EVENT_FILTER, SINK, Decision, ignore, stop
from harness.sources.tidb.changefeed import Changefeed
from harness.sources.tidb.eligibility import UNCODED
from harness.sources.tidb.puller import Judged

# TiCDC writes the text of these anew before the filter reads it.
_REBUILT = frozenset(
    {ActionType.DROP_TABLE, ActionType.DROP_VIEW, ActionType.EXCHANGE_TABLE_PARTITION}
)
# The error of TiDB's parser, which TiCDC hands on.
SYNTAX = "parser:1064"
_QUOTED = re.compile(r"EXCHANGE PARTITION\s*`", re.IGNORECASE)


def filter_ddl(
    judged: Judged, feed: Changefeed, start_ts: int
) -> Iterator[tuple[DdlJob, Decision]]:
    """Yield the jobs of one statement with what the owner makes of the puller's decisions."""
    several = len(judged) > 1
    for job, decision in judged:
        yield job, _owner(job, feed, start_ts, several=several) if decision.sent else decision


def _owner(job: DdlJob, feed: Changefeed, start_ts: int, *, several: bool) -> Decision:
    rebuilt = job.action in _REBUILT or (several and job.action is ActionType.RENAME_TABLE)
    decision = feed.filters.ddl(job, job.query if rebuilt else job.source, start_ts)
    if decision.sent and feed.bdr_mode:
        return ignore(EVENT_FILTER, "bdr-mode sends DDL of a primary cluster alone")
    exchange = job.action is ActionType.EXCHANGE_TABLE_PARTITION
    if decision.sent and exchange and feed.requotes and _QUOTED.search(job.source):
        what = f"{job.source!r} names the partition in backquotes, and TiCDC quotes it once more"
        return stop(SINK, UNCODED, what, SYNTAX)
    return decision
