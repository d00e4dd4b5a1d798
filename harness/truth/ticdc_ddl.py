"""What TiCDC's encoder was given for a vector's DDL, from our own catalogue.

The statements under test run on the session that the setup made (`pre_sql` ran before the
changefeed started, `setup_sql` while it watched; a changefeed that failed in between goes on with
the next statement, as the vectors' own did). Types, names and restored text are the catalogue's, a
changefeed (`harness.sources`) decides what is sent and to which topic; only the commit ts, which
the vectors count, is taken from the vector.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from harness.ddl import ActionType, DdlJob
from harness.model.record import Origin
from harness.model.source_events import DdlEvent, SourceTable
from harness.model.table import Table, TableId
from harness.sources.decision import Decision
from harness.sources.tidb.changefeed import Changefeed, changefeed
from harness.sources.tidb.ddl_filter import filter_ddl
from harness.sources.tidb.eligibility import UNCODED
from harness.sources.tidb.mounter import source_table
from harness.sources.tidb.puller import Puller
from harness.truth.result import Difference, Vector
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


@dataclass(frozen=True, slots=True)
class MountedDdl:
    """The DDL events of a vector, in order, and where they are not the vector's."""

    events: tuple[DdlEvent, ...]
    differences: tuple[Difference, ...] = ()


def mount_ddl(vector: Vector) -> MountedDdl:
    """Run a vector's statements and mount what is sent; DdlError when one cannot be run."""
    followed = follow(vector)
    sent = followed.sent()
    wrong = list(_stops(followed.stop(), vector.get("jobs") or ()))
    if "jobs" in vector:
        ours = _job_types(followed.jobs)
        theirs = ", ".join(str(job["job_type"]) for job in vector["jobs"])
        wrong += [] if ours == theirs else [Difference("jobs[].job_type", ours, theirs)]
    # An event filter leaves an event out when TiCDC has already said what it is.
    described = [e for e in vector.get("ddl_events") or () if not e.get("event_filter_ignore")]
    wrong += _decisions(sent, described)
    stamps = [event["commit_ts"] for event in described] or [0]
    events = tuple(
        _event(followed.feed, job, number, stamps[min(number, len(stamps) - 1)])
        for number, job in enumerate(sent)
    )
    return MountedDdl(events, tuple(wrong))


def _stops(stop: Decision | None, described: Sequence[Vector]) -> Iterator[Difference]:
    """Yield where one changefeed stops and the other does not, or for another reason."""
    theirs = next((str(job["puller_error"]) for job in described if "puller_error" in job), "")
    if stop is None:
        if theirs:
            yield Difference("jobs[].puller_error", "no error", theirs)
        return
    named = stop.code in theirs if "[CDC:" in theirs else bool(theirs) and stop.code == UNCODED
    if not named or (stop.cause and stop.cause not in theirs):
        ours = f"{stop.code} {stop.cause}: {stop.reason}"
        yield Difference("jobs[].puller_error", ours, theirs or "no error")


def _job_types(jobs: Sequence[DdlJob]) -> str:
    """Return the types of TiDB's own jobs: a RENAME TABLE of several tables is one there."""
    if len(jobs) > 1 and all(job.action is ActionType.RENAME_TABLE for job in jobs):
        return str(int(ActionType.RENAME_TABLES))
    return ", ".join(str(int(job.action)) for job in jobs)


def _decisions(sent: Sequence[DdlJob], theirs: Sequence[Vector]) -> Iterator[Difference]:
    """Yield where what is sent differs in type, names or text, or is not sent at all."""
    for number in range(max(len(sent), len(theirs))):
        where = f"ddl_events[{number}]"
        if number >= len(sent):
            yield Difference(where, "nothing is sent", theirs[number]["sent_query"])
        elif number >= len(theirs):
            yield Difference(where, sent[number].query, "nothing is sent")
        else:
            yield from _fields(where, sent[number], theirs[number])


def _fields(where: str, job: DdlJob, event: Vector) -> Iterator[Difference]:
    # Of EXCHANGE PARTITION TiCDC's event starts from the table without partitions.
    old = job.exchanged[0].id if job.exchanged else TableId(job.old_schema, job.old_table)
    ours = {
        "type": int(job.action),
        "type_name": job.action.display_name,
        "scm": job.schema,
        "tbl": job.table,
        "pre_scm": old.schema,
        "pre_tbl": old.name,
        "sent_query": job.query,
    }
    for name, value in ours.items():
        if name in event and event[name] != value:
            yield Difference(f"{where}.{name}", str(value), str(event[name]))


def _event(feed: Changefeed, job: DdlJob, number: int, commit_ts: int) -> DdlEvent:
    return DdlEvent(
        type=int(job.action),
        query=job.query,
        source=job.source,
        schema=job.schema,
        table=job.table,
        before=_mounted(job.before),
        after=_mounted(job.after),
        commit_ts=commit_ts,
        # By the old name: tiflow c7b2588 cdc/sink/dmlsink/mq/dispatcher/event_router.go:97.
        topic=feed.topic_for(TableId(job.old_schema, job.old_table)),
        partitions=feed.partitions,
        origin=Origin(1, 0, number, "ddl", commit_ts=commit_ts),
        action=job.action.display_name.replace(" ", "_"),
    )


def _mounted(table: Table | None) -> SourceTable | None:
    return source_table(table) if table is not None else None
