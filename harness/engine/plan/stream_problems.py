"""Streams that break a MUST in force: what a case's upstream emits, and what its delivery leaves.

A step with `allowed-by` keeps every clause. One with `seen-in` may break one, as the program did
where it was seen; after a hostile one nothing is asked.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace

from harness.engine.plan.case import Plan
from harness.engine.plan.levels import steps_of
from harness.engine.plan.settings import setting_place
from harness.errors import Problem
from harness.faults.actions import AddPartitions, Step
from harness.faults.actions import sent as messages_sent
from harness.faults.delivery import apply_steps
from harness.model.record import Record
from harness.model.source_events import RowEvent
from harness.protocols import PROTOCOLS
from harness.protocols.clauses import CLAUSES
from harness.scenario.document import DeliveryStep, TransactionStep
from harness.stream_rules.stream import (
    Breach,
    Decode,
    Sent,
    Stream,
    broken,
    decoded_events,
    remembering,
)


def stream_problems(plans: Sequence[Plan]) -> Iterator[Problem]:
    """Yield a problem for each clause that a stream of these cases breaks, at its step or setting.

    Cases that differ in their delivery alone share what is produced: it is read once.
    """
    decoders: dict[int, Decode] = {}
    produced: set[int] = set()
    for planned in plans:
        decode = decoders.setdefault(id(planned.wire), remembering(planned.wire))
        if id(planned.records) not in produced:
            produced.add(id(planned.records))
            for breach in breaches(planned, planned.records, decode):
                yield _of_upstream(planned, breach)
            what = undecidable(stream_of(planned, planned.records, decode))
            if what:
                yield _of_order(planned, what)
        steps = planned.delivery.steps
        if planned.delivery.hostile is None and any(isinstance(s, AddPartitions) for s in steps):
            what = undecidable(stream_of(planned, steps, decode))
            if what:
                yield _of_order(planned, what)
        if _keeps_the_clauses(planned):
            for breach in breaches(planned, planned.delivery.steps, decode):
                yield _of_delivery(planned, breach, decode)


def breaches(planned: Plan, steps: Sequence[Step], decode: Decode) -> Iterator[Breach]:
    """Yield the clauses in force that the messages of these steps break."""
    rules = PROTOCOLS[planned.case.protocol].stream_rules
    return broken(rules, stream_of(planned, steps, decode)) if rules else iter(())


def stream_of(planned: Plan, steps: Sequence[Step], decode: Decode) -> Stream:
    """Return the messages of steps as the rules of streams read them."""
    records: tuple[Record, ...] = messages_sent(steps)
    case = planned.case
    pins = (one.pin for one in case.scenario.upstream if isinstance(one, TransactionStep))
    return Stream(
        records=records,
        events=tuple(decoded_events(records, decode)),
        settings=planned.settings,
        dialect=case.dialect,
        partitions=case.partitions,
        complete=planned.wire.complete,
        tables={e.origin.event: e.table.table for e in planned.events if isinstance(e, RowEvent)},
        produced=steps is planned.records,
        grown=any(isinstance(step, AddPartitions) for step in steps),
        pinned=any(pin is not None and (pin.partition is not None or pin.rows) for pin in pins),
    )


def undecidable(stream: Stream) -> str:
    """Say why no consumer can know what the tables are, "" where one can.

    Rows in several partitions are ordered by their commit ts alone. One that carries none (TiCDC
    Avro without the extension, and each of its deletes) is neither before nor behind what is in
    another partition; resolved events bound its time and do not tell it.
    """
    rows: dict[Hashable, list[Sent]] = {}
    shapes: dict[tuple[str, str], list[Sent]] = {}
    for sent in stream.first_rows:
        if sent.row is not None:
            rows.setdefault((sent.record.topic, sent.row), []).append(sent)
        if sent.event.after is not None:
            shapes.setdefault(sent.table, []).append(sent)
    for versions in rows.values():
        parted = next(_parted(versions), "")
        if parted:
            return parted
    if stream.complete is not None:  # DDL is on the wire
        return ""
    lost = next(_images_of_another_shape(stream), "") or next(_rows_of_another_shape(stream), "")
    if lost:
        return lost
    for versions in shapes.values():
        columns = {frozenset(sent.event.after or ()) for sent in versions}
        if len(columns) > 1 and _unordered(versions):
            return f"nothing says whose columns are the last: {versions[0]}, or {versions[-1]}"
    return ""


def _images_of_another_shape(stream: Stream) -> Iterator[str]:
    """Yield removals of rows without a key that name them without a column which they had.

    Whether it was dropped or renamed is not on the wire, so nothing says which row it is.
    """
    shapes: dict[tuple[str, str], Sent] = {}
    for sent in stream.first_rows:
        before, after = sent.event.before, sent.event.after
        if sent.event.handle or sent.event.key:
            continue
        earlier = shapes.get(sent.table)
        if before is not None and earlier is not None:
            gone = set(earlier.event.after or ()) - set(before)
            if gone:
                yield f"{sent} names a row without {', '.join(sorted(gone))}, which {earlier} has"
        if after is not None:
            shapes.setdefault(sent.table, sent)


def _rows_of_another_shape(stream: Stream) -> Iterator[str]:
    """Yield rows with other columns than those of their table that are still there.

    Whether a new column of the key is one of theirs is not on the wire, so nothing says which of
    them has which key, unless the column has a default. Nor does anything say whether a deletion
    gives its table its columns, as a row does that comes behind.
    """
    keys: dict[tuple[str, str], frozenset[str]] = {}
    rows: dict[tuple[str, str], dict[Hashable, Sent]] = {}
    shapes: dict[tuple[str, str], Sent] = {}
    deletions: dict[tuple[str, str], str] = {}
    for sent in stream.first_rows:
        event, there = sent.event, rows.setdefault(sent.table, {})
        names = frozenset(event.handle)
        if keys.setdefault(sent.table, names) != names:
            keys[sent.table] = names
            needed = {name for name in names if event.defaults.get(name) is None}
            for one in there.values():
                if one.place != sent.place:
                    yield f"{sent} is found by other columns than {one}, in another partition"
                if new := needed - set(one.event.after or ()):
                    yield f"{sent} is found by {', '.join(sorted(new))}, which {one} lacks"
        there.pop(sent.number if sent.row is None else sent.row, None)
        if event.after is not None:
            there[sent.number if sent.row is None else sent.row] = sent
            shapes[sent.table] = sent
            deletions.pop(sent.table, None)
        elif event.before is not None and event.place is not None and there:
            last = shapes[sent.table]
            if set(last.event.after or ()) != set(event.before):
                deletions[sent.table] = f"{sent} has other columns than {last}"
                if sent.row is None:
                    yield deletions[sent.table]
    yield from deletions.values()


def _parted(versions: Sequence[Sent]) -> Iterator[str]:
    """Yield why nobody can know the last version of a row from its messages.

    Kafka puts rows apart by the bytes of their key, of another schema once a column of it has
    another type. TiCDC chooses partitions itself, by values.
    """
    first = versions[0]
    if _unordered(versions):
        yield f"nothing says which is the last of {first} and {versions[-1]}"
    for sent in versions:
        connect = sent.event.place is not None
        if connect and sent.record.key != first.record.key and sent.place != first.place:
            yield f"{sent} has a key of another schema than {first}, so of another partition"


def _unordered(versions: Sequence[Sent]) -> bool:
    apart = len({sent.place for sent in versions}) > 1
    return apart and any(not sent.event.commit_ts for sent in versions)


def _of_order(planned: Plan, what: str) -> Problem:
    return Problem(
        setting_place(planned.case, ""),
        f"{planned.case.id}: no consumer can know the tables: {what}",
        "one partition, or rows that carry a commit ts",
        "leave the case out under `matrix.exclude`, dispatch by table or by key, or set "
        "`enable-tidb-extension`",
    )


def _keeps_the_clauses(planned: Plan) -> bool:
    steps = steps_of(planned.case)
    return bool(steps) and all(step.allowed_by for step in steps)


def _of_upstream(planned: Plan, breach: Breach) -> Problem:
    case = planned.case
    given = [name for name in breach.rule.settings if name in case.settings]
    where = setting_place(case, given[0] if given else "")
    return Problem(
        where,
        f"{case.id}: what is sent breaks `{breach.rule.clause}`{_settings(planned, breach)}: "
        f"{breach.what}",
        CLAUSES[breach.rule.clause].text,
        "change the setting, or leave the case out under `matrix.exclude`; if the program itself "
        "does this, the clause needs an exception",
    )


def _of_delivery(planned: Plan, breach: Breach, decode: Decode) -> Problem:
    step = _culprit(planned, breach, decode)
    return Problem(
        planned.case.scenario.place(step.line),
        f"{planned.case.id}: `{step.fault}` breaks `{breach.rule.clause}`"
        f"{_settings(planned, breach)}: {breach.what}",
        CLAUSES[breach.rule.clause].text,
        f"give `{step.fault}` other options, change the setting, or leave the case out under "
        "`matrix.exclude`; what a program was seen to do all the same says `seen-in`",
    )


def _culprit(planned: Plan, breach: Breach, decode: Decode) -> DeliveryStep:
    """Return the first step behind which the clause is broken."""
    wanted = steps_of(planned.case)
    applied = apply_steps(planned.records, wanted, planned.case.id)
    for step, one in zip(wanted, applied, strict=True):
        stream = replace(stream_of(planned, one.after, decode), produced=False)
        if any(broken((breach.rule,), stream)):
            return step
    return wanted[-1]


def _settings(planned: Plan, breach: Breach) -> str:
    """Return the settings that decide about a clause, with their values."""
    given = [f"`{n}: {planned.settings[n]}`" for n in breach.rule.settings if n in planned.settings]
    return f" under {', '.join(given)}" if given else ""
