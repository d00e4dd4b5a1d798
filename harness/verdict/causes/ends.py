"""The cause of an end without an answer: the record that the consumer names, and what it is."""

from __future__ import annotations

import re
from collections.abc import Iterator

from harness.model.decoded import EventKind
from harness.model.finding import Finding
from harness.model.observed import Outcome
from harness.model.source_events import DdlEvent, RowEvent
from harness.verdict.case import Arrival
from harness.verdict.causes.evidence import GONE, Evidence, name_of
from harness.verdict.causes.rows import Cause
from harness.verdict.causes.statements import ONCE_ONLY, cause_of, was_in_flight

_PLACE = re.compile(r"([\w.-]+)/(\d+)@(\d+)", re.ASCII)
# What is said of a statement, or a row, that is there already.
_TWICE = re.compile(r"exist|duplicate", re.IGNORECASE)
_IN_WORDS = re.compile(r"topic ([\w.-]+), partition (\d+), offset (\d+)", re.ASCII)


def cause_of_end(case: Evidence, finding: Finding) -> Cause | None:
    """Return what stopped a consumer, as far as the record tells that it names."""
    if case.judged.hostile is not None:
        return _hostile(case, finding)
    if case.observed.outcome is Outcome.TIMEOUT:
        return ("gap", None) if any(case.gaps_at_end()) else None
    if any(map(_is_turned, re.findall(r"\d+", finding.message, re.ASCII))):
        named = _named(case, finding.message)
        return "schema-id", None if named is None else named.place
    named = _named(case, finding.message)
    return None if named is None else _at_record(case, named, finding.message)


def _at_record(case: Evidence, named: Arrival, text: str) -> Cause:
    """Return what it is at a record that stopped a consumer."""
    if _behind_gap(case, named) and _says(text, named.place.offset - 1):
        return "gap", named.place
    if named.decoded.kind is EventKind.RESOLVED:
        return _at_mark(case, named, text)
    event = case.event_of(named)
    if isinstance(event, DdlEvent) and _TWICE.search(text) and was_in_flight(case, event):
        return "read-again", named.place
    return next(_natures(case, named), ""), named.place


def _says(text: str, offset: int) -> bool:
    """Tell whether a text speaks of an offset."""
    return str(offset) in re.findall(r"\boffsets? (\d+)", text, re.ASCII | re.IGNORECASE)


def _is_turned(text: str) -> bool:
    """Tell whether a number is a small one with its four bytes in the other order."""
    number = int(text[:11])
    if not 2**16 <= number < 2**32:
        return False
    return int.from_bytes(number.to_bytes(4, "big"), "little") < 2**16


def _named(case: Evidence, text: str) -> Arrival | None:
    """Return the record that a text names: `topic/partition@offset`, or in Kafka's own words.

    Where the text names none, that is the first of the status's `messages`.
    """
    said = _PLACE.search(text) or _IN_WORDS.search(text)
    if said is not None:
        return _at(case, said[1], int(said[2]), int(said[3]))
    letters = case.observed.stopped_at[:1]
    return next((_at(case, one.topic, one.partition, one.offset) for one in letters), None)


def _at(case: Evidence, topic: str, partition: int, offset: int) -> Arrival | None:
    """Return what arrives at an offset of a topic, by its own name or the canonical one."""
    there = (
        one
        for one in case.arrivals
        if (one.place.partition, one.place.offset) == (partition, offset)
        and topic.endswith(one.place.topic)
    )
    # A topic may be called like the end of another: of those the longest is meant.
    return max(there, key=lambda one: len(one.place.topic), default=None)


def _hostile(case: Evidence, finding: Finding) -> Cause | None:
    """Return the fault that makes a message unreadable."""
    fault = case.judged.faults[0] if case.judged.faults else ""
    places = finding.places or case.judged.hostile or ()
    return fault, (places[0] if places else None)


def _natures(case: Evidence, named: Arrival) -> Iterator[str]:
    """Yield what is special about a record, the rarest first."""
    decoded, event = named.decoded, case.event_of(named)
    if decoded.kind is EventKind.HEARTBEAT:
        yield "heartbeat"
    is_copy = case.is_copy(named)
    if isinstance(event, DdlEvent):
        yield "ddl" if is_copy else cause_of(event)
    if _behind_gap(case, named):
        yield "gap"
    if is_copy:
        yield "boundary-repeated" if decoded.kind in _BOUNDARIES else "repeated"
    if decoded.kind in GONE and decoded.before is None:
        yield "null-value"
    if isinstance(event, RowEvent):
        earlier = case.rows.get(name_of(event), ())
        if event not in earlier[:1] and decoded.kind is EventKind.INSERT:
            yield "repeated"
        yield _schema(case, named) if decoded.kind not in GONE else "delete"


_BOUNDARIES = frozenset({EventKind.BEGIN, EventKind.END})


def _schema(case: Evidence, named: Arrival) -> str:
    """Return which schema was the wrong one: another message's, or the key's."""
    topic = [one for one in case.arrivals if one.place.topic == named.place.topic]
    ids = {one.value_schema for one in topic if one.value_schema is not None}
    return "schema" if len(ids) > 1 else "key-schema"


def _at_mark(case: Evidence, named: Arrival, text: str) -> Cause:
    """Return why a consumer gives up at a resolved event: for what it says, or it completes."""
    before = [one.decoded.commit_ts for one in _before(case, named)]
    if before and named.decoded.commit_ts < max(before) and not _TWICE.search(text):
        return "resolved-back", named.place
    due = [ddl for ddl in case.ddl if ddl.commit_ts <= named.decoded.commit_ts]
    said = [ddl for ddl in due if ddl.query in text]
    flown = [ddl for ddl in due if was_in_flight(case, ddl)]
    ddl = next(reversed(said or flown or due), None)
    if _behind_gap(case, named) and not said and "TABLE" not in text.upper():
        return "gap", named.place
    rows = [one for one in case.arrivals if case.is_copy(one) and case.is_row(one)]
    if ddl is None or (rows and not said and "TABLE" not in text.upper()):
        return "repeated", rows[-1].place if rows else named.place
    return _statement(case, ddl)


def _statement(case: Evidence, ddl: DdlEvent) -> Cause:
    """Return why a statement fails: it ran before, another one did not, or it is not understood."""
    copies = case.copies_of(ddl)
    if not ddl.action.startswith(ONCE_ONLY):
        return cause_of(ddl), case.place_of(ddl)
    if was_in_flight(case, ddl):
        return "read-again", copies[0].place
    if len(copies) > 1 and not _went_well(case, ddl):
        return "ddl", copies[1].place
    for older in reversed(case.ddl[: case.ddl.index(ddl)]):
        if _frees(older, ddl):
            return cause_of(older), case.place_of(older)
    if len(copies) > 1:
        return "ddl", copies[1].place
    return cause_of(ddl), case.place_of(ddl)


def _went_well(case: Evidence, ddl: DdlEvent) -> bool:
    """Tell whether copies of an older statement that can run once came, and did no harm."""
    older = case.ddl[: case.ddl.index(ddl)]
    return any(one.action.startswith(ONCE_ONLY) and len(case.copies_of(one)) > 1 for one in older)


def _frees(older: DdlEvent, ddl: DdlEvent) -> bool:
    """Tell whether a statement takes away the table whose name another one needs."""
    if older.before is None or ddl.after is None:
        return False
    mine, its = older.before.table.id, ddl.after.table.id
    return mine == its and (older.after is None or older.after.table.id != its)


def _before(case: Evidence, named: Arrival) -> Iterator[Arrival]:
    """Yield the resolved events of the partition that come before a record."""
    for one in case.arrivals:
        if one is named:
            return
        same = one.place.topic == named.place.topic
        same = same and one.place.partition == named.place.partition
        if same and one.decoded.kind is EventKind.RESOLVED:
            yield one


def _behind_gap(case: Evidence, named: Arrival) -> bool:
    """Tell whether the offset before a record is nobody's."""
    offsets = {
        one.place.offset
        for one in case.arrivals
        if (one.place.topic, one.place.partition) == (named.place.topic, named.place.partition)
    }
    before = [offset for offset in offsets if offset < named.place.offset]
    return bool(before) and max(before) < named.place.offset - 1
