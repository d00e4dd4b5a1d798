"""Level decode: what each message says, event by event, against what a consumer read out of it.

Events are matched by their message and, within it, by their order. Rows and DDL must be
reported; of every other kind a consumer reports all events or none. A commit ts and a DDL's type
are compared where they are reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from harness.model.canonical import canonical
from harness.model.columns import Column
from harness.model.decoded import DecodedEvent, EventKind
from harness.model.finding import Finding, FindingKind, Judgement, Place, Verdict
from harness.model.observed import Observed, ObservedDecoded, Outcome, RawRow
from harness.model.values import Value
from harness.protocols.clauses import cause_clause, type_clause
from harness.verdict.case import Judged
from harness.verdict.hostile import judge_hostile
from harness.verdict.judge import unanswered
from harness.verdict.text import cell_text, event_text, value_text

Where = tuple[str, int, int]
OWED = frozenset(
    {EventKind.INSERT, EventKind.UPDATE, EventKind.UPSERT, EventKind.DELETE, EventKind.DDL}
)
PUTS = frozenset({EventKind.INSERT, EventKind.UPDATE, EventKind.UPSERT})
# The words that may stand for a kind, where they are more than its own.
ACCEPTED: Mapping[EventKind, frozenset[EventKind]] = {EventKind.UPSERT: PUTS}


@dataclass(frozen=True, slots=True)
class ExpectedEvent:
    """An event as its message has it, with canonical values, and the columns that they belong to.

    The images of a delete whose message has no more than its key are that key.
    """

    event: DecodedEvent
    columns: Mapping[str, Column]
    place: Place

    @property
    def where(self) -> Where:
        """Return the message."""
        return self.place.topic, self.place.partition, self.place.offset


def judge_decoded(judged: Judged, wanted: Sequence[ExpectedEvent], observed: Observed) -> Verdict:
    """Return the verdict on one case at level decode; `wanted` come in the order of the records."""
    if judged.hostile is not None and observed.outcome in (Outcome.DONE, Outcome.ERROR):
        return judge_hostile(judged, observed)
    refused = unanswered(judged, observed)
    if refused is not None:
        return refused
    findings = tuple(_compare(judged, wanted, observed.decoded or ()))
    return Verdict(judged.case, Judgement.FAIL if findings else Judgement.PASS, findings)


def _compare(
    judged: Judged, wanted: Sequence[ExpectedEvent], answer: Sequence[ObservedDecoded]
) -> Iterator[Finding]:
    reported_kinds = {reported.kind for reported in answer} | OWED
    due: dict[Where, list[ExpectedEvent]] = {}
    for one in wanted:
        events = due.setdefault(one.where, [])
        if one.event.kind in reported_kinds:
            events.append(one)
    got: dict[Where, list[ObservedDecoded]] = {}
    for reported in answer:
        got.setdefault((reported.topic, reported.partition, reported.offset), []).append(reported)
    for where, events in due.items():
        for one, said in zip_longest(events, got.pop(where, [])):
            if one is None:
                yield _unexpected(judged, said)
            elif said is None:
                yield _missing(judged, one)
            else:
                yield from _event(judged, one, said)
    for strays in got.values():
        yield from (_unexpected(judged, reported) for reported in strays)
    yield from _order(judged, list(due), answer)


def _missing(judged: Judged, one: ExpectedEvent) -> Finding:
    what = f"{one.place} says {event_text(one.event)}; the consumer reported no such event"
    return _finding(judged, one, FindingKind.EVENT_MISSING, what)


def _unexpected(judged: Judged, reported: ObservedDecoded) -> Finding:
    where = f"{reported.topic}/{reported.partition}@{reported.offset}"
    name = f" of {reported.schema}.{reported.table}" if reported.table else ""
    return Finding(
        FindingKind.EVENT_UNEXPECTED,
        f"line {reported.line} of events.jsonl reports a {reported.kind.value}{name} of {where}, "
        "which has no such event",
        judged.main_clause(),
        judged.line,
        actual=reported.kind.value,
    )


def _order(
    judged: Judged, given: Sequence[Where], answer: Sequence[ObservedDecoded]
) -> Iterator[Finding]:
    """Yield a finding at the first event that is reported after one of a later message."""
    numbers = {where: number for number, where in enumerate(given)}
    last = -1
    for reported in answer:
        number = numbers.get((reported.topic, reported.partition, reported.offset), last)
        if number < last:
            where = f"{reported.topic}/{reported.partition}@{reported.offset}"
            yield Finding(
                FindingKind.EVENT_ORDER,
                f"line {reported.line} of events.jsonl is about {where}, which comes before "
                "the message of the line before it",
                judged.main_clause(),
                judged.line,
            )
            return
        last = number


def _event(judged: Judged, one: ExpectedEvent, reported: ObservedDecoded) -> Iterator[Finding]:
    event = one.event
    if reported.kind not in ACCEPTED.get(event.kind, {event.kind}):
        yield _differs(judged, one, "is", event.kind.value, reported.kind.value)
        return
    if event.kind not in OWED:
        yield from _commit_ts(judged, one, reported)
        return
    table, said = (f"{e.schema}.{e.table}" for e in (event, reported))
    if event.kind is not EventKind.DDL and table != said:
        yield _differs(judged, one, "is of the table", table, said)
        return
    yield from _commit_ts(judged, one, reported)
    if event.kind is EventKind.DDL:
        yield from _ddl(judged, one, reported)
        return
    yield from _image(judged, one, "before", event.before, reported.before)
    yield from _image(judged, one, "after", event.after, reported.after)


def _ddl(judged: Judged, one: ExpectedEvent, reported: ObservedDecoded) -> Iterator[Finding]:
    event = one.event
    if reported.query != event.query:
        yield _differs(judged, one, "has the statement", event.query, reported.query)
    if reported.type is not None and reported.type != event.type:
        yield _differs(judged, one, "has the type", str(event.type), str(reported.type))


def _commit_ts(judged: Judged, one: ExpectedEvent, reported: ObservedDecoded) -> Iterator[Finding]:
    wanted = one.event.commit_ts
    if wanted and reported.commit_ts not in (None, wanted):
        yield _differs(judged, one, "has the commit ts", str(wanted), str(reported.commit_ts))


def _image(
    judged: Judged,
    one: ExpectedEvent,
    which: str,
    wanted: Mapping[str, Value] | None,
    reported: RawRow | None,
) -> Iterator[Finding]:
    if wanted is None or reported is None:
        if (wanted is None) != (reported is None):
            known, said = ("no" if row is None else "a" for row in (wanted, reported))
            yield _differs(judged, one, f"has, as `{which}`,", f"{known} row", f"{said} row")
        return
    for name in (*wanted, *sorted(reported.keys() - wanted.keys())):
        if name not in wanted or name not in reported:
            yield _column_finding(judged, one, which, name, is_reported=name in reported)
        else:
            yield from _value(judged, one, (which, name), wanted[name], reported)


def _column_finding(
    judged: Judged, one: ExpectedEvent, which: str, name: str, *, is_reported: bool
) -> Finding:
    kind = FindingKind.EXTRA_COLUMN if is_reported else FindingKind.MISSING_COLUMN
    verb = "has the unknown column" if is_reported else "lacks the column"
    what = f"{_name(one)}: `{which}` of the answer {verb} {name}"
    return replace(_finding(judged, one, kind, what), column=name)


def _value(
    judged: Judged, one: ExpectedEvent, at: tuple[str, str], wanted: Value, reported: RawRow
) -> Iterator[Finding]:
    which, name = at
    column = one.columns[name]
    kind = FindingKind.WRONG_VALUE
    try:
        found = canonical(column, reported[name])
        actual = value_text(found)
        what = f"is {cell_text(column, found)}, not {cell_text(column, wanted)}"
    except ValueError as error:
        found, kind, actual = None, FindingKind.UNREADABLE_VALUE, repr(reported[name])
        what = f"cannot be read: {error}"
    if kind is FindingKind.WRONG_VALUE and found == wanted:
        return
    yield replace(
        _finding(judged, one, kind, f"{_name(one)}: {one.event.table}.{name} in `{which}` {what}"),
        column=name,
        clause=type_clause(judged.protocol, column.kind),
        expected=value_text(wanted),
        actual=actual,
    )


def _differs(judged: Judged, one: ExpectedEvent, what: str, wanted: str, reported: str) -> Finding:
    said = f"{_name(one)} {what} {wanted}; the consumer says {reported}"
    found = _finding(judged, one, FindingKind.EVENT_UNEXPECTED, said)
    return replace(found, expected=wanted, actual=reported)


def _finding(judged: Judged, one: ExpectedEvent, kind: FindingKind, message: str) -> Finding:
    event = one.event
    return Finding(
        kind,
        message,
        cause_clause(judged.protocol, event.kind.value) or judged.main_clause(),
        one.place.origin.line,
        table=f"{event.schema}.{event.table}" if event.table else "",
        places=(one.place,),
    )


def _name(one: ExpectedEvent) -> str:
    return f"the {one.event.kind.value} of {one.place}"
