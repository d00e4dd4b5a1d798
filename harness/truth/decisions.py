"""A changefeed over a vector's statements: what it decides about the statement under test.

`pre_sql` ran before the changefeed started, `setup_sql` while it watched. A changefeed that failed
in between keeps its snapshot and goes on with the next statement, as the vectors' own did.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.ddl import Catalogue, DdlJob
from harness.sources.decision import Decision
from harness.sources.tidb.changefeed import Changefeed, changefeed
from harness.sources.tidb.ddl_filter import filter_ddl
from harness.sources.tidb.puller import Puller
from harness.truth.result import Vector, section
from harness.truth.ticdc_config import dotted
from harness.truth.ticdc_session import Session, statements

# Every vector starts in TiDB's own database `test`; the others are there as well.
SCHEMA = "test"
SCHEMAS = (SCHEMA, "mysql", "sys", "information_schema", "performance_schema", "metrics_schema")


@dataclass(slots=True)
class Watched:
    """A session, and the changefeed that has followed it so far."""

    feed: Changefeed
    session: Session
    puller: Puller

    def ddl(self, sql: str) -> list[tuple[DdlJob, Decision]]:
        """Run a statement; return what becomes of each of its DDL jobs."""
        self.session, jobs = self.session.run(sql)
        return list(filter_ddl(self.puller.judge(jobs), self.feed, 0))


def watched(vector: Vector) -> Watched:
    """Return the changefeed after a vector's setup; ChangefeedError where it is refused."""
    feed = changefeed(dotted(section(vector, "filter_config")), 1)
    session = Session(Catalogue.with_schemas(*SCHEMAS))
    for sql in statements(vector.get("pre_sql")):
        session, _ = session.run(sql)
    rules = feed.rules()
    puller = Puller(feed.filters, session.catalogue, rules, force_replicate=feed.force_replicate)
    found = Watched(feed, session, puller)
    for sql in statements(vector.get("setup_sql")):
        found.ddl(sql)
    return found
