"""Findings with the clause that decides them, and the one record that carries it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from harness.model.finding import Finding, FindingKind, Place
from harness.model.source_events import SourceEvent
from harness.protocols.clauses import CLAUSES, cause_clause
from harness.verdict.causes import keys, orders, reads, statements
from harness.verdict.causes.cells import cause_of_cell, place_of_cell, type_rule
from harness.verdict.causes.deviation import Deviation
from harness.verdict.causes.ends import cause_of_end
from harness.verdict.causes.evidence import Evidence
from harness.verdict.causes.misread_keys import misread_key
from harness.verdict.causes.replay import RIGHT, released
from harness.verdict.causes.rows import (
    Cause,
    cause_of_columns,
    cause_of_large,
    cause_of_name,
    cause_of_row,
    cause_of_table,
    cause_of_unknown,
)
from harness.verdict.causes.statements import cause_of_repetition

# Of a larger case only each finding's own row is looked at.
EVENTS_MAX = 400


def attributed(case: Evidence, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return the findings of a case, each with its clause and its record."""
    found = _deviation(case) if any(map(_is_of_tables, findings)) else None
    return tuple(_attributed(case, finding, found) for finding in findings)


def _is_of_tables(finding: Finding) -> bool:
    return finding.kind is not FindingKind.CONSUMER


def _attributed(case: Evidence, finding: Finding, found: Deviation | None) -> Finding:
    if found is not None:
        clause = clause_of(case.judged.protocol, found.cause)
        place = found.place(finding)
        return _with(case, finding, clause, place, found.why)
    early = cause_clause(case.judged.protocol, "resolved-ignored")
    if finding.kind is not FindingKind.CONSUMER and early and finding.clause == early:
        return _with(case, finding, early, None)
    value = None if cause_of_name(case, finding) else misread_key(case, finding)
    cause = _cause(case, finding) if value is None else None
    if cause is not None:
        return _with(case, finding, clause_of(case.judged.protocol, cause[0]), cause[1])
    rule = type_rule(case, value or finding)
    if rule is not None:
        of_event = finding.kind is FindingKind.EVENT_MISSING
        place = None if of_event else place_of_cell(case, value or finding)
        return _with(case, finding, rule, place)
    return _with(case, finding, "", None)


def _cause(case: Evidence, finding: Finding) -> Cause | None:
    if finding.kind is FindingKind.CONSUMER:
        return cause_of_end(case, finding)
    return (
        cause_of_repetition(case, finding)
        or cause_of_table(case, finding)
        or cause_of_large(case, finding)
        or cause_of_columns(case, finding)
        or cause_of_cell(case, finding)
        or cause_of_name(case, finding)
        or cause_of_unknown(case, finding)
        or cause_of_row(case, finding)
    )


def _with(
    case: Evidence, finding: Finding, clause: str, place: Place | None, why: str = ""
) -> Finding:
    place = place or case.first_read(finding.places)
    places = () if place is None else (place,)
    return replace(finding, clause=clause or finding.clause, places=places, cause=why)


def clause_of(protocol: str, cause: str) -> str:
    """Return the clause of a cause, of DDL that of its type; empty where there is none."""
    word, _, action = cause.partition(" ")
    clause = cause_clause(protocol, word)
    if not action:
        return clause
    return clause + action if clause + action in CLAUSES else cause_clause(protocol, "ddl")


def _deviation(case: Evidence) -> Deviation | None:
    """Return the deviation that leads to the answered tables.

    Of several that do it is the first whose clause the scenario is about, else the first. Silence
    has many causes: only one that the scenario is mainly about is believed there.
    """
    if not case.arrivals or len(case.arrivals) > EVENTS_MAX:
        return None
    silent = case.is_silent
    first: Deviation | None = None
    for deviation in _deviations(case):
        clause = clause_of(case.judged.protocol, deviation.cause)
        points = case.judged.clauses[:1] if silent else case.judged.clauses
        about = any(f"{clause}.".startswith(f"{cited}.") for cited in points)
        if silent and not about:
            continue
        if clause and (about or first is None) and _leads_there(case, deviation):
            if about:
                return deviation
            first = deviation
    return first


def _right(case: Evidence) -> Sequence[SourceEvent]:
    """Return what is to be applied; where rows come alone, copies as well."""
    return released(case, RIGHT) if case.expected.unordered else case.expected.applied


def _leads_there(case: Evidence, deviation: Deviation) -> bool:
    """Tell whether a deviation explains the answer; one that leads to no tables at all does not."""
    try:
        if not case.agrees(deviation.tables()):
            return False
        applied = _right(case) if deviation.applied is None else deviation.applied()
        # Who takes an event and makes nothing of it may report it all the same.
        said = case.applied(applied) or (not case.tables_are_right and case.applied(_right(case)))
        # Tables that are right say nothing of a statement; what is reported does.
        with_ddl = deviation.with_ddl or case.tables_are_right
        return said and (not with_ddl or case.executed(applied))
    except (LookupError, ValueError):  # rows that do not fit the statements behind them
        return False


def _deviations(case: Evidence) -> Iterator[Deviation]:
    return chain(
        orders.the_mark_itself(case),
        keys.near_misses(case),
        reads.of_the_run(case),
        statements.deviations(case),
        reads.deviations(case),
        orders.deviations(case),
        reads.of_messages(case),
        keys.deviations(case),
    )
