"""A finding as a person reads it: what, by which clause, which record, how to repeat it."""

from __future__ import annotations

from collections.abc import Iterator

from harness.model.events import CaseFinished
from harness.model.finding import Finding, FindingKind, Place
from harness.model.standing import MEANING
from harness.protocols.clauses import CLAUSES

PLACES_SHOWN = 6
FINDINGS_SHOWN = 12
LOG_LINES = 12


def case_lines(event: CaseFinished, shown: str = "") -> Iterator[str]:
    """Yield the lines that explain a case which did not pass.

    Cases of one start of a consumer have its last output together: what was `shown` already, of the
    case before, is not repeated.
    """
    verdict = event.verdict
    apart = "" if verdict.apart is None else f" {verdict.apart.value.upper()}"
    yield f"{verdict.judgement.value.upper()}{apart} {event.case}"
    yield f"  {event.title}"
    previous = ""
    for finding in verdict.findings[:FINDINGS_SHOWN]:
        yield from finding_lines(finding, event.file, previous, event.log)
        previous = finding.clause
    hidden = len(verdict.findings) - FINDINGS_SHOWN
    if hidden > 0:
        yield f"  … and {hidden} more findings, all in the run's events.ndjson"
    if verdict.more:
        yield f"  … and at least {verdict.more} more, which are counted and not listed"
    if verdict.detail and not verdict.findings:
        yield f"  {verdict.detail}"
    if event.log and event.log == shown:
        yield "  the consumer's last output is that of the case above"
    elif event.log:
        yield "  the consumer's last output:"
        for line in event.log.rstrip().splitlines()[-LOG_LINES:]:
            yield f"    | {line}"
    if event.settings:
        yield f"  settings      {event.settings}"
    if event.standing is not None:
        meaning = MEANING[event.standing]
        yield f"  standing      of the whole case: {event.standing.value} ({meaning})"
    yield f"  repeat        {event.repeat}"


def finding_lines(finding: Finding, file: str, previous: str = "", log: str = "") -> Iterator[str]:
    """Yield the lines of one finding; a clause that is also the `previous` one is only named.

    What the message has of the `log` that is printed below is left to that.
    """
    yield f"  {finding.kind.value}: {_message(finding.message, log)}"
    if finding.expected is not None or finding.actual is not None:
        yield f"    - expected  {_value(finding.expected)}"
        yield f"    + actual    {_value(finding.actual)}"
    yield from _clause_lines(finding, previous)
    if finding.line:
        yield f"    scenario    {file}:{finding.line}"
    if finding.cause:
        yield f"    cause       {finding.cause}: the answer is exactly what follows"
    for place in finding.places[:PLACES_SHOWN]:
        yield f"    record      {place_text(place)}"
    if len(finding.places) > PLACES_SHOWN:
        yield f"    record      … and {len(finding.places) - PLACES_SHOWN} more"
    if not finding.places and finding.kind is not FindingKind.CONSUMER:
        yield "    record      none: nothing was sent that says this"


def _message(text: str, log: str) -> str:
    first, _, rest = text.partition("\n")
    if rest and log.rstrip().endswith(rest):
        return first.removesuffix("; its last words:")
    return text.replace("\n", "\n    | ")


def _clause_lines(finding: Finding, previous: str) -> Iterator[str]:
    """Yield the clause with its source, and the finding's standing where that is weaker."""
    clause = CLAUSES.get(finding.clause)
    if clause is not None and finding.clause != previous:
        said = f"{clause.level.value}, {clause.standing.value}"
        # Of a consumer that gave no answer nobody knows what it broke: the case is about this.
        silent = finding.kind is FindingKind.CONSUMER and finding.expected is None
        label = "about " if silent else "clause"
        yield f"    {label}      {clause.id} ({said}): {clause.text}"
        yield f"                {clause.source.document}, {clause.source.section}"
        if clause.source.program:
            yield f"                {clause.source.program}"
    elif finding.clause:
        yield f"    clause      {finding.clause}"
    if finding.standing is not None and (clause is None or finding.standing is not clause.standing):
        yield f"    standing    {finding.standing.value}: {MEANING[finding.standing]}"


def _value(text: str | None) -> str:
    return "(nothing)" if text is None else text


def place_text(place: Place) -> str:
    """Return a record's place with the change that it encodes."""
    origin = place.origin
    what = " ".join(part for part in (origin.kind, origin.table, origin.key) if part)
    within = f" of transaction {origin.transaction}" if origin.transaction else ""
    row_id = "" if place.row_id is None else f", rid {place.row_id}"
    return f"{place}: {what}{within}, commit ts {origin.commit_ts}{row_id}"
