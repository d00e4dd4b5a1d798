"""Recordings beside what our encoder makes of the same case."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from harness.contracts import DEFAULT_DIALECT
from harness.documents.nearest import did_you_mean
from harness.engine.plan.case import stage_of
from harness.engine.plan.encoded import encoded
from harness.errors import HarnessError, UsageError
from harness.model.change import ChangeLog
from harness.oracles.compare import Message, Rules, compare, message, shown
from harness.oracles.recordings.form import Recording
from harness.oracles.recordings.likeness import FORMS, TOPIC, dialect_of
from harness.oracles.result import SHOWN, CaseResult, OracleResult, Status
from harness.protocols import PROTOCOLS
from harness.scenario.expand import Case

NAME = "recordings"


def judged(
    recordings: Sequence[Recording], cases: Mapping[str, Case], log_of: Callable[[Case], ChangeLog]
) -> OracleResult:
    """Compare recordings; UsageError for a case that the catalogue does not have."""
    found = tuple(_one(one, _case(one, cases), log_of) for one in recordings)
    origins = sorted({one.origin for one in recordings})
    return OracleResult(
        oracle=NAME,
        version=", ".join(origins),
        date=datetime.now(UTC).date().isoformat(),
        seconds=0,
        versions={},
        cases=found,
    )


def expected(case: Case, log: ChangeLog, dialect: str | None = None) -> tuple[Message, ...]:
    """Return what our encoder sends for a case, undisturbed; in its own dialect or another."""
    protocol = PROTOCOLS[case.protocol]
    source = protocol.source.simulate(log, stage_of(case))
    sent = encoded(protocol.codec.bind(source.settings, dialect or case.dialect), source)
    return tuple(map(message, sent.records))


def _case(recording: Recording, cases: Mapping[str, Case]) -> Case:
    if recording.case in cases:
        return cases[recording.case]
    raise UsageError(
        f"the recording is of case {recording.case!r}, which the catalogue does not have",
        expected="a case of `harness list`",
        hint=did_you_mean(recording.case, cases),
    )


def _one(recording: Recording, case: Case, log_of: Callable[[Case], ChangeLog]) -> CaseResult:
    name = f"{case.id} by {recording.origin}"
    form = FORMS.get(case.protocol)
    if form is None:
        why = f"recordings of {case.protocol} cannot be compared"
        return CaseResult(name, Status.UNPLAYABLE, why)
    try:
        theirs = list(recording.messages)
        of_release = case.protocol == "vitess" and case.dialect == DEFAULT_DIALECT
        mine = expected(case, log_of(case), dialect_of(theirs) if of_release else None)
    except HarnessError as error:
        return CaseResult(name, Status.UNPLAYABLE, f"not planned: {error.what}")
    if case.protocol == "vitess" and any(m.key_schema or m.value_schema for m in (*mine, *theirs)):
        return CaseResult(name, Status.UNPLAYABLE, "a connector's Avro has clock times inside")
    theirs, renamed = _under_our_name(mine, theirs)
    ours, other = form(mine), form(theirs)
    compared = compare(ours.messages, other.messages, Rules())
    freedoms = {*ours.freedoms, *other.freedoms, *compared.freedoms, *renamed}
    found = [*other.wrong, *shown(compared.differences, SHOWN)]
    status = Status.DIFFERS if found else Status.EQUAL
    return CaseResult(name, status, "", tuple(sorted(freedoms)), tuple(found))


def _under_our_name(
    ours: Iterable[Message], theirs: Sequence[Message]
) -> tuple[list[Message], set[str]]:
    """Return their messages under our topic's name where each side has one topic."""
    mine, yours = ({one.topic for one in side} for side in (ours, theirs))
    if len(mine) != 1 or len(yours) != 1 or mine == yours:
        return list(theirs), set()
    (topic,) = mine
    return [replace(one, topic=topic) for one in theirs], {TOPIC}
