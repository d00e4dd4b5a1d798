"""What a consumer declares of its failures, held against what happened.

A declaration hides nothing. A known failure that passes is a finding, so that lists do not
rot; a loss that is owned up to covers wrong values of the named column types and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from harness.engine.plan.case import Plan
from harness.model.finding import Finding, FindingKind, Judgement, Verdict
from harness.model.table import TableId
from harness.runner.manifest import Consumer, Lossy
from harness.runner.manifests.expectations import Known, read_expectations
from harness.runner.manifests.named import NamedCases
from harness.scenario.expand import words_of
from harness.verdict.case import Judged
from harness.verdict.expected import TableState

LOSSES = frozenset({FindingKind.WRONG_VALUE, FindingKind.UNREADABLE_VALUE})


@dataclass(frozen=True, slots=True)
class Declared:
    """The known failures and lossy mappings that a run goes by."""

    known: tuple[Known, ...] = ()
    lossy: tuple[Lossy, ...] = ()


NOTHING_DECLARED = Declared()


@dataclass(frozen=True, slots=True)
class Subject:
    """What a declaration is held against: a case, its expected tables, and the words for it.

    `words` are what a pattern of known failures looks at, as `-k` does.
    """

    judged: Judged
    tables: Mapping[TableId, TableState]
    words: Sequence[str]


def subject_of(plan: Plan) -> Subject:
    """Return the subject that a plan's case is."""
    return Subject(plan.judged, plan.expected.tables, words_of(plan.case))


def declared_by(
    consumer: Consumer, expectations: Path | None, today: date, catalogue: NamedCases
) -> Declared:
    """Return what a consumer's manifest, or a file named besides, declares.

    Raises ScenarioError with every problem of the file, names that `catalogue` lacks among them.
    """
    path = expectations or (Path(consumer.expectations) if consumer.expectations else None)
    if path is None:
        return Declared(lossy=consumer.lossy)
    known = read_expectations(path, str(path), consumer.version, today, catalogue)
    return Declared(known, consumer.lossy)


def settled(subject: Subject, verdict: Verdict, declared: Declared) -> Verdict:
    """Return the verdict in the light of what is declared."""
    verdict = _owned(subject, verdict, declared.lossy)
    known = [one for one in declared.known if one.covers(subject.words)]
    return _known(subject.judged, verdict, known) if known else verdict


def _owned(subject: Subject, verdict: Verdict, lossy: tuple[Lossy, ...]) -> Verdict:
    if verdict.judgement is not Judgement.FAIL or not lossy:
        return verdict
    reasons = [_reason(subject, finding, lossy) for finding in verdict.findings]
    if not all(reasons):
        return verdict
    detail = "; ".join(dict.fromkeys(reasons))
    return replace(verdict, judgement=Judgement.DECLARED_LOSSY, detail=detail)


def _reason(subject: Subject, finding: Finding, lossy: tuple[Lossy, ...]) -> str:
    """Return why a finding is a loss that the consumer owns up to; "" where it is none."""
    if finding.kind not in LOSSES or not finding.column:
        return ""
    kinds = {
        column.kind.value
        for table, state in subject.tables.items()
        if str(table) == finding.table
        for column in state.source_table.table.columns
        if column.name == finding.column
    }
    protocol = subject.judged.protocol
    covering = (row.reason for row in lossy for kind in kinds if row.covers(protocol, kind))
    return next(covering, "")


def _known(judged: Judged, verdict: Verdict, entries: Sequence[Known]) -> Verdict:
    """Return the verdict on a case that these entries are about: all of its findings are known.

    A case that crashed is not the one that was known to be wrong, nor is one with a new finding.
    """
    if verdict.judgement is Judgement.PASS:
        known = entries[0]
        said = _said([known])
        finding = Finding(
            FindingKind.CONSUMER,
            f"it passes, although it is {said}; take it out of {known.place}",
            judged.main_clause(),
            judged.line,
        )
        return Verdict(verdict.case, Judgement.XPASS, (finding,), said)
    named = [one for one in entries if one.verdict is verdict.judgement]
    meant = [one for one in named if any(_means(one, f) for f in verdict.findings)]
    if not meant or not all(any(_means(one, f) for one in meant) for f in verdict.findings):
        return verdict
    return replace(verdict, judgement=Judgement.XFAIL, detail=_said(meant))


def _said(entries: Sequence[Known]) -> str:
    reasons = dict.fromkeys(f"{known.reason} ({known.link})" for known in entries)
    return f"known to fail: {'; '.join(reasons)}"


def _means(known: Known, finding: Finding) -> bool:
    """Return whether an entry is about a finding, not about another of the same case."""
    words = f"{finding.kind.value} {finding.message} {finding.clause}".lower()
    return known.finding.lower() in words
