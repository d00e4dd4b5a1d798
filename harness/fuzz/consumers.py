"""Right consumers of different designs, which must agree with the expected tables and so with all.

| name | design |
| --- | --- |
| `reference` | holds events until they are complete, and applies each once |
| `rereading` | buffers nothing and reads again from the start (`rereading.py`) |
| `spark` | the decoding, ordering and folding of `cdc_spark`, in micro-batches, without a session |
| `MODULE:FUNCTION` | a function like the last: changefeed, schemas and batches in, tables out |
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from harness.engine.deliver.produce import filled_topics
from harness.engine.mutation.prepared import Prepared
from harness.engine.plan.case import Plan
from harness.engine.run import jobs
from harness.errors import HarnessError, UsageError
from harness.fuzz.memory import DELIVERIES
from harness.fuzz.rereading import Rereading
from harness.model.finding import Verdict
from harness.model.observed import Observed, Outcome, RawRow
from harness.model.table import TableId
from harness.mutants.delivery import Delivery
from harness.mutants.parts import Parts
from harness.verdict.design import AS_EXPECTED
from harness.verdict.judge import judge_design

SPARK = "cdc_spark.conformance.in_memory:consume"
NAMES: Mapping[str, str] = {"reference": "", "rereading": "", "spark": SPARK}
Answers = Callable[[Plan, Prepared, int], Observed]


class Together:
    """Judges several right consumers; a finding of one of them is a disagreement."""

    at_once = 1

    def __init__(self, consumers: Sequence[str]) -> None:
        """Take the consumers' names; UsageError for one that is not there."""
        self._consumers = {name: _answers(name) for name in consumers}

    def verdicts(self, plans: Sequence[Plan]) -> Sequence[Sequence[Verdict]]:
        """Return the verdict on each consumer over each delivery of each plan."""
        return [tuple(self._of(plan)) for plan in plans]

    def _of(self, plan: Plan) -> Iterator[Verdict]:
        prepared = Prepared(plan, range(DELIVERIES))
        for name, answers in self._consumers.items():
            for seed in prepared.seeds:
                observed = answers(plan, prepared, seed)
                found = judge_design(plan.judged, plan.folding, observed, AS_EXPECTED)
                yield replace(found, detail=f"{name}: {found.detail}")


def _answers(name: str) -> Answers:
    if name == "reference":
        return lambda _, prepared, seed: prepared.read_by(Parts(), seed)
    if name == "rereading":
        return _reread
    target = NAMES.get(name, name)
    module, _, function = target.partition(":")
    if target == SPARK and find_spec("pandas") is None:
        raise UsageError(
            "the consumer `spark` needs pandas, which is not installed",
            expected="the packages of the Spark library",
            hint="pip install 'cdc-conformance[spark]'",
        )
    try:
        consume = getattr(import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(
            f"there is no consumer {name!r}: {error}",
            expected=f"{', '.join(NAMES)} or package.module:function",
        ) from error
    return lambda plan, prepared, seed: _called(consume, plan, prepared.delivery(seed))


def _reread(plan: Plan, prepared: Prepared, seed: int) -> Observed:
    places = {(t.canonical, n) for t in filled_topics(plan, "") for n in range(len(t.end_offsets))}
    consumer = Rereading(prepared.wire, frozenset(places), plan.wire.complete)
    try:
        for message in prepared.delivery(seed).messages():
            if message.key or message.value:
                consumer.take(message.place, message.key, message.value)
    except (HarnessError, ValueError, KeyError) as error:
        return Observed(Outcome.ERROR, str(error))
    return _done(consumer.tables())


def _called(consume: Callable[..., Mapping[str, Any]], plan: Plan, delivery: Delivery) -> Observed:
    """Return what a function answers to the contract's changefeed and its messages."""
    topics = tuple(replace(topic, name=topic.canonical) for topic in filled_topics(plan, ""))
    feed: Mapping[str, Any] = to_builtins(jobs.changefeed(plan, 0, topics).to_file(Path()))
    batches = [
        [(one.topic, one.partition, one.offset, one.key, one.value) for one in batch]
        for batch in delivery.batches
    ]
    answer = consume(feed, schemas(plan), batches)
    if "needs" in answer:
        return Observed(Outcome.NOT_APPLICABLE, str(answer["needs"]))
    if "error" in answer:
        return Observed(Outcome.ERROR, str(answer["error"]))
    return _done({TableId(*name): rows for name, rows in answer["tables"].items()})


def schemas(plan: Plan) -> Mapping[int, str]:
    """Return the schemas that the messages of a plan name, by id."""
    uses = (use for one in plan.delivered for use in (one.key_schema, one.value_schema))
    return {use.id: use.schema for use in uses if use is not None}


def _done(tables: Mapping[TableId, Sequence[Mapping[str, Any]]]) -> Observed:
    rows = {name: tuple(map(_raw, found)) for name, found in tables.items()}
    return Observed(Outcome.DONE, tables=rows)


def _raw(row: Mapping[str, Any]) -> RawRow:
    return {name: _value(value) for name, value in row.items()}


def _value(value: Any) -> Any:  # noqa: ANN401 - whatever a consumer answers
    if isinstance(value, bytes):
        return value.hex()
    return Decimal(repr(value)) if isinstance(value, float) else value
