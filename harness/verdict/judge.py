"""One case: expected and observed in, a verdict out.

How a consumer ended decides first: one that crashed, hung, answered nothing or garbage is reported
apart from one that answered wrongly. Where a message could not be read, what the consumer says of
it is judged instead of its tables. A harness fault never reaches this function.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from harness.model.finding import Finding, FindingKind, Judgement, Verdict
from harness.model.observed import Observed, Outcome
from harness.verdict.case import Judged
from harness.verdict.causes.attribute import attributed
from harness.verdict.causes.evidence import Evidence
from harness.verdict.copies import are_undecidable
from harness.verdict.ddl import compare_ddl
from harness.verdict.design import Design, DroppedColumns
from harness.verdict.events import compare_events
from harness.verdict.expected import Expected
from harness.verdict.folding import Folding
from harness.verdict.hostile import judge_hostile, owed
from harness.verdict.kept_columns import without_kept
from harness.verdict.tables import compare_tables

NEEDS = "needs "
# An answer of a million wrong rows is wrong; nobody reads more of it, and nobody waits for it.
FINDINGS_MAX = 1000
COUNTED_MAX = 10_000
JUDGEMENTS: Mapping[Outcome, Judgement] = {
    Outcome.ERROR: Judgement.FAIL,
    Outcome.CRASH: Judgement.CRASH,
    Outcome.TIMEOUT: Judgement.TIMEOUT,
    Outcome.INVALID: Judgement.INVALID,
    Outcome.NOT_APPLICABLE: Judgement.NOT_APPLICABLE,
    Outcome.UNTRIED: Judgement.INCONCLUSIVE,
}
SENTENCES: Mapping[Outcome, str] = {
    Outcome.ERROR: "the consumer gave up on this changefeed",
    Outcome.CRASH: "the consumer crashed",
    Outcome.TIMEOUT: "the consumer did not answer in time",
    Outcome.INVALID: "the consumer's answer is not valid",
    Outcome.NOT_APPLICABLE: "the consumer does not support this",
    Outcome.UNTRIED: "the consumer was not put to the test",
}


def unanswered(judged: Judged, observed: Observed) -> Verdict | None:
    """Return the verdict on a case that ended without an answer to compare; None where it has one.

    What does not apply names the gap in its detail: `needs mode:decode`.
    """
    if observed.outcome is Outcome.DONE:
        return None
    judgement, detail = JUDGEMENTS[observed.outcome], observed.detail
    if judgement is Judgement.NOT_APPLICABLE:
        named = detail if detail.startswith(NEEDS) else NEEDS + detail
        return Verdict(judged.case, judgement, (), named)
    finding = Finding(
        FindingKind.CONSUMER,
        f"{SENTENCES[observed.outcome]}: {detail}",
        judged.main_clause(),
        judged.line,
        expected=owed(judged.hostile) if judged.hostile else None,
    )
    return Verdict(judged.case, judgement, (finding,), detail)


def judge_design(
    judged: Judged, folding: Folding, observed: Observed, design: Design, *, database: bool = False
) -> Verdict:
    """Return the verdict on one case for a consumer of this design; `database` is where it writes.

    Where no clause decides between two ways, either passes; the findings are of the usual one. An
    event may be reported that has changed nothing: events and tables need not go the same way.
    """
    ways = folding.accepted(design, database=database)
    usual = next(ways)
    found = _accepted(judged, (usual, *ways), observed, design)
    return _explained(judged, usual, observed, found)


def _accepted(
    judged: Judged, ways: Sequence[Expected], observed: Observed, design: Design
) -> Verdict:
    usual, *others = ways
    first = _designed(judged, usual, observed, design)
    if first.judgement is not Judgement.FAIL or judged.hostile is not None:
        return first
    events = observed.events
    if events is not None and not any(
        not any(compare_events(judged, way, events)) for way in (usual, *others)
    ):
        return first
    silent = replace(observed, events=None)
    found = (_designed(judged, way, silent, design) for way in (usual, *others) if others)
    return next((one for one in found if one.judgement is not Judgement.FAIL), first)


def _designed(judged: Judged, expected: Expected, observed: Observed, design: Design) -> Verdict:
    if design.dropped_columns is not DroppedColumns.KEPT or not observed.tables:
        return _verdict(judged, expected, observed)
    tables, findings = without_kept(judged, expected, observed.tables)
    found = _verdict(judged, expected, replace(observed, tables=tables))
    if not findings:
        return found
    kept = replace(found, judgement=Judgement.FAIL, findings=(*found.findings, *findings))
    return _bounded(kept)


def _bounded(verdict: Verdict) -> Verdict:
    """Return a verdict with as many findings as are kept, and the count of the others."""
    over = max(0, len(verdict.findings) - FINDINGS_MAX)
    return replace(
        verdict,
        findings=verdict.findings[:FINDINGS_MAX],
        more=min(COUNTED_MAX, verdict.more + over),
    )


def judge(judged: Judged, expected: Expected, observed: Observed) -> Verdict:
    """Return the verdict on one case."""
    return _explained(judged, expected, observed, _verdict(judged, expected, observed))


def _explained(judged: Judged, expected: Expected, observed: Observed, verdict: Verdict) -> Verdict:
    """Return a verdict whose findings name the rule that decides, and its record."""
    if not verdict.findings:
        return verdict
    case = Evidence(judged, expected, observed)
    return replace(verdict, findings=attributed(case, verdict.findings))


def _verdict(judged: Judged, expected: Expected, observed: Observed) -> Verdict:
    if judged.hostile is not None and observed.outcome in (Outcome.DONE, Outcome.ERROR):
        return judge_hostile(judged, observed)
    refused = unanswered(judged, observed)
    if refused is not None:
        return refused
    every = _differences(judged, expected, observed)
    findings = tuple(islice(every, FINDINGS_MAX))
    more = sum(1 for _ in islice(every, COUNTED_MAX))
    if not findings:
        return Verdict(judged.case, Judgement.PASS)
    if not more and are_undecidable(judged, expected, findings):
        return Verdict(
            judged.case,
            Judgement.UNDECIDED,
            findings,
            "a table without a key, and nothing distinguishes a copy from a second row:"
            " how often it is there cannot be decided",
        )
    return Verdict(judged.case, Judgement.FAIL, findings, more=more)


def _differences(judged: Judged, expected: Expected, observed: Observed) -> Iterator[Finding]:
    yield from compare_tables(judged, expected, observed.tables or {}, observed.lacking or {})
    if observed.ddl is not None:
        yield from compare_ddl(judged, expected, observed.ddl)
    if observed.events is not None:
        yield from compare_events(judged, expected, observed.events)
