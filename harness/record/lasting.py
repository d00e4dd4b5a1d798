"""One session on a database that records scenario after scenario, as a search does.

Connecting, setting the session up and making the table of marks is done once. Databases are each
recording's own all the same: created for it, dropped behind it, and refused when they are there.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager

from harness.record import binlog
from harness.record.recorder import FromLog, FromReads, Recording, Source, recorded
from harness.record.server import Server, Upstream, create, databases_of_our_own, drop
from harness.scenario.document import NOTHING, Scenario


class Lasting:
    """Records on one session; not for several threads."""

    def __init__(self, server: Server, marks: str) -> None:
        """Take a session, and the database of the marks, which exists."""
        self._server = server
        self._marks = marks
        self._has_log = binlog.position(server) is not None
        if self._has_log:
            binlog.prepare_marks(server, marks)

    def record(self, scenario: Scenario, session: Mapping[str, str] = NOTHING) -> Recording:
        """Record a scenario and leave the server as it was.

        `session` as `recorded` takes it. Raises what `recorded` raises, and
        UsageError when a database of that name exists.
        """
        created: list[str] = []
        try:
            created.extend(create(self._server, scenario.databases))
            return recorded(scenario, self._server, self._source(scenario), session)
        finally:
            drop(self._server, created)

    def _source(self, scenario: Scenario) -> Source:
        if not self._has_log:
            return FromReads(self._server)
        begin = binlog.end(self._server)
        return FromLog(self._server, begin, scenario.databases, self._marks)


@contextmanager
def lasting(upstream: Upstream) -> Generator[Lasting]:
    """Yield a session that records; what it created is dropped at the end."""
    marks = binlog.marks_database()
    with databases_of_our_own(upstream, [marks]) as server:
        yield Lasting(server, marks)
