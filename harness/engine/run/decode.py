"""Level decode: the messages of each case in a file, and what the consumer read out of them.

The expected events are those of our own decoder over the very same bytes, with the values in the
form of the columns that a reader of the stream can know of. That these are what the vendor's
encoder was given is a property in the tests (`tests/engine/run/test_decode.py`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from harness.engine.deliver.large_messages import laid_out, rows_left_out
from harness.engine.deliver.produce import FilledTopic, filled_topics
from harness.engine.plan.case import Plan, names_schemas
from harness.engine.plan.delivery import decoded_or_refusal
from harness.engine.run import jobs
from harness.engine.run.context import RunContext
from harness.engine.run.isolation import read_alone
from harness.engine.run.judging import CaseAnswer, batched
from harness.errors import plural
from harness.faults.log import LogEntry
from harness.model.canonical import canonical
from harness.model.columns import Column
from harness.model.decoded import DecodedEvent, EventKind, settled
from harness.model.finding import Place, Verdict
from harness.model.large import whole
from harness.model.observed import Observed
from harness.model.record import Origin
from harness.model.source_events import RowEvent
from harness.model.values import Value
from harness.protocols import PROTOCOLS
from harness.runner.contract.decoding import Given, GivenRecord, schemas_of
from harness.runner.contract.job import ChangefeedJob
from harness.runner.contract.job_file import Mode
from harness.runner.run import RunPlan
from harness.runner.run import run as run_consumer
from harness.verdict.decoding import ExpectedEvent, judge_decoded


def decode(context: RunContext, planned: Sequence[Plan]) -> dict[str, CaseAnswer]:
    """Let the consumer decode the records of all cases, and those that went wrong alone."""
    consumer = context.consumer
    with context.bus.phase("consume", consumer.name):
        asked = RunPlan(
            tuple(
                _changefeed(context, plan, index)
                for index, plan in zip(jobs.opaque(len(planned)), planned, strict=True)
            ),
            None,
            context.directory,
            context.limits.deadline_s,
            parallelism=context.starts_at_once,
            mode=Mode.DECODE,
        )
        observed = run_consumer(consumer, asked, environment=context.environment)
    verdicts = {one.case.id: judged_decoded(one, observed[one.case.id]) for one in planned}
    alone = _alone(context, asked, verdicts)
    return batched(observed, verdicts, alone, seen=jobs.seen(asked.changefeeds))


def _changefeed(context: RunContext, plan: Plan, index: int) -> ChangefeedJob:
    large = context.directory.absolute() / "large" / f"{index:04}"
    feed = jobs.changefeed(plan, index, filled(plan), laid_out(plan, large))
    return replace(feed, given=given(plan))


def _alone(
    context: RunContext, asked: RunPlan, verdicts: Mapping[str, Verdict]
) -> Mapping[str, Observed]:
    """Let the consumer read some changefeeds again, each in a job of its own."""
    chosen = read_alone(verdicts, context.isolation, context.consumer.max_changefeeds)
    if not chosen:
        return {}
    alone = replace(
        asked,
        changefeeds=tuple(feed for feed in asked.changefeeds if feed.id in chosen),
        run_dir=asked.run_dir / "alone",
    )
    one_each = replace(context.consumer, max_changefeeds=1)
    with context.bus.phase("read alone", f"{plural(len(chosen), 'case')}"):
        return run_consumer(one_each, alone, environment=context.environment)


def judged_decoded(plan: Plan, observed: Observed) -> Verdict:
    """Return the verdict on what a consumer read out of a plan's records."""
    return judge_decoded(plan.judged, tuple(wanted(plan)), observed)


def filled(plan: Plan) -> tuple[FilledTopic, ...]:
    """Return the topics as they would be filled, under their canonical names."""
    return tuple(replace(topic, name=topic.canonical) for topic in filled_topics(plan, ""))


def given(plan: Plan) -> Given:
    """Return a case's records in the order of sending, and the schemas that they name."""
    lying = list(sent_in_order(plan))
    schemas = schemas_of([one.record for one in lying]) if names_schemas(plan.case) else None
    return Given([GivenRecord(one.offset, one.record) for one in lying], schemas)


def sent_in_order(plan: Plan) -> Iterator[LogEntry]:
    """Yield the messages that are left to be read, with their offsets, in the order of sending."""
    left = {there: deque(log.read) for there, log in plan.delivery.logs.items()}
    for record in plan.delivered:
        unread = left[record.topic, record.partition]
        if unread and unread[0].record == record:
            yield unread.popleft()


def wanted(plan: Plan) -> Iterator[ExpectedEvent]:
    """Yield the events of a case's records, in the order of the records; hostile ones have none."""
    columns_of = _columns(plan)
    left = rows_left_out(plan)
    for one in sent_in_order(plan):
        if not (one.record.key or one.record.value):
            continue  # a message without key and value carries nothing
        decoded = decoded_or_refusal(plan.wire, one.record)
        for number, event in enumerate(() if isinstance(decoded, str) else decoded):
            origin = _origin(one, number)
            columns = columns_of.get(origin.event, {})
            place = Place(one.record.topic, one.record.partition, one.offset, origin)
            yield ExpectedEvent(_canonical(whole(event, left), columns), columns, place)


def _origin(one: LogEntry, number: int) -> Origin:
    origins = one.record.origins
    return origins[min(number, len(origins) - 1)]


def _columns(plan: Plan) -> Mapping[int, Mapping[str, Column]]:
    """Return the columns by name, as far as the wire carries them, of each row event's number."""
    project = PROTOCOLS[plan.case.protocol].projection(plan.settings, plan.case.dialect)
    rows = [event for event in plan.events if isinstance(event, RowEvent)]
    known = [project(row) or row for row in rows]
    return {
        row.origin.event: {column.name: column for column in row.table.table.columns}
        for row in known
    }


def _canonical(event: DecodedEvent, columns: Mapping[str, Column]) -> DecodedEvent:
    """Return the event with the values that its columns have; a lone key is the row before."""
    before = event.before
    if event.kind is EventKind.DELETE and not before:
        before = event.key
    return replace(event, before=_image(before, columns), after=_image(event.after, columns))


def _image(
    image: Mapping[str, Value] | None, columns: Mapping[str, Column]
) -> Mapping[str, Value] | None:
    if image is None:
        return None
    return {
        name: canonical(columns[name], settled(columns[name].kind, value))
        if name in columns
        else value
        for name, value in image.items()
    }
