"""A TiCDC changefeed over a vector's statements: what becomes of those under test.

`pre_sql` ran before the changefeed started, `setup_sql` while it watched. A changefeed that failed
in between goes on with the next statement, as the vectors' own did.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from harness.ddl import DdlJob
from harness.sources.decision import Decision
from harness.sources.tidb.changefeed import Changefeed, changefeed
from harness.sources.tidb.ddl_filter import filter_ddl
from harness.sources.tidb.puller import Puller
from harness.truth.result import Vector
from harness.truth.ticdc_config import default_topic, partitions, settings_of
from harness.truth.ticdc_session import after, statements


@dataclass(frozen=True, slots=True)
class Followed:
    """The jobs of the statements under test, and what the changefeed decides about each."""

    feed: Changefeed
    jobs: Sequence[DdlJob]
    judged: Sequence[tuple[DdlJob, Decision]]

    def sent(self) -> list[DdlJob]:
        """Return the jobs that are sent."""
        return [job for job, decision in self.judged if decision.sent]

    def stop(self) -> Decision | None:
        """Return the decision that stops the changefeed, None when it goes on."""
        return next((decision for _, decision in self.judged if decision.code), None)


def feed_of(vector: Vector) -> Changefeed:
    """Return the changefeed of a vector's configuration; UsageError where TiCDC refuses it."""
    protocol = "avro" if vector.get("protocol") == "avro" else "open"
    feed = changefeed(settings_of(vector), partitions(vector), protocol)
    return replace(feed, topic=default_topic(vector))


def follow(vector: Vector) -> Followed:
    """Let a changefeed follow a vector's statements; DdlError when one cannot be run."""
    feed = feed_of(vector)
    before = statements(vector.get("pre_sql"))
    session, _ = after(before)
    rules = feed.rules()
    puller = Puller(feed.filters, session.catalogue, rules, force_replicate=feed.force_replicate)
    for sql in statements(vector.get("setup_sql")):
        before = (*before, sql)
        session, jobs = after(before)
        puller.judge(jobs)
    ran: list[DdlJob] = []
    judged: list[tuple[DdlJob, Decision]] = []
    for sql in statements(vector.get("sql")):
        session, jobs = session.run(sql)
        ran += jobs
        judged += filter_ddl(puller.judge(jobs), feed, 0)
    return Followed(feed, ran, judged)
