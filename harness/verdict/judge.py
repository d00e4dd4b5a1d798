"""One case: expected and observed in, a verdict out.

How a consumer ended decides first: one that crashed, hung, answered nothing or garbage is told
apart from one that answered wrongly. Where a message could not be read, what the consumer says of
it is judged instead of its tables. A harness fault never reaches this function.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.model.finding import Finding, FindingKind, Judgement, Verdict
from harness.model.observed import Observed, Outcome
from harness.verdict.case import Judged
from harness.verdict.ddl import compare_ddl
from harness.verdict.events import compare_events
from harness.verdict.expected import Expected
from harness.verdict.hostile import judge_hostile
from harness.verdict.tables import compare_tables

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


def judge(judged: Judged, expected: Expected, observed: Observed) -> Verdict:
    """Return the verdict on one case."""
    if judged.hostile is not None and observed.outcome in (Outcome.DONE, Outcome.ERROR):
        return judge_hostile(judged, observed)
    if observed.outcome is not Outcome.DONE:
        judgement = JUDGEMENTS[observed.outcome]
        finding = Finding(
            FindingKind.CONSUMER,
            f"{SENTENCES[observed.outcome]}: {observed.detail}",
            judged.main_clause(),
            judged.line,
        )
        blamed = () if judgement is Judgement.NOT_APPLICABLE else (finding,)
        return Verdict(judged.case, judgement, blamed, observed.detail)
    findings: tuple[Finding, ...] = tuple(compare_tables(judged, expected, observed.tables or {}))
    if observed.ddl is not None:
        findings += tuple(compare_ddl(judged, expected, observed.ddl))
    if observed.events is not None:
        findings += tuple(compare_events(judged, expected, observed.events))
    if not findings:
        return Verdict(judged.case, Judgement.PASS)
    if _undecidable(judged, expected, findings):
        return Verdict(
            judged.case,
            Judgement.UNDECIDED,
            findings,
            "a table without a key received duplicates: how often a row is there cannot be decided",
        )
    return Verdict(judged.case, Judgement.FAIL, findings)


def _undecidable(judged: Judged, expected: Expected, findings: tuple[Finding, ...]) -> bool:
    """Tell whether only multiplicities differ, in keyless tables with repeated events.

    Where the wire carries row ids, a copy is known for a copy, and there is nothing to excuse.
    """
    return not judged.row_ids and all(
        _repeated_keyless(judged, expected, finding) for finding in findings
    )


def _repeated_keyless(judged: Judged, expected: Expected, finding: Finding) -> bool:
    if finding.kind is not FindingKind.DUPLICATE_ROW:
        return False
    state = next((s for t, s in expected.tables.items() if str(t) == finding.table), None)
    if state is None or not state.keyless:
        return False
    return any(len(judged.places.get(event.origin.event, ())) > 1 for event in state.events())
