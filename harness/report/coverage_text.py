"""Coverage for people and for programs: clause, scenarios, verdict; then the counts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import harness
from harness.errors import plural
from harness.report.coverage import (
    CoveredClause,
    Status,
    Totals,
    Verdicts,
    totals,
    uncovered,
    unproved,
)
from harness.spec import Clause
from harness.spec.source_documents import SourceDocument

SHOWN = 3
_ROOT = Path(harness.__file__).parents[1]
_HEAD = (
    "clauses",
    "document",
    "program",
    "covered",
    "proved",
    *(status.value for status in Status),
)


def lines(
    listed: Sequence[CoveredClause], covered: Sequence[CoveredClause], verdicts: Verdicts
) -> Iterator[str]:
    """Yield the listed clauses by layer, the counts of all, and what the verdicts are of."""
    for layer, group in groupby(listed, key=lambda one: one.clause.protocol):
        yield f"{layer}:"
        yield from (_line(one) for one in group)
        yield ""
    yield from table(totals(covered))
    yield ""
    yield from _run_lines(verdicts)


def _line(one: CoveredClause) -> str:
    clause = one.clause
    proved = "proved" if one.proved else ""
    return (
        f"  {one.status.value:<9} {proved:<6} {clause.level.value:<6} {clause.standing.value:<8} "
        f"{clause.id:<44} {_shown(one)}"
    )


def _shown(one: CoveredClause) -> str:
    if one.status is Status.TESTED and one.proof is not None:
        return one.proof.test
    more = len(one.scenarios) - SHOWN
    return " ".join(one.scenarios[:SHOWN]) + (f" and {more} more" if more > 0 else "")


def table(rows: Iterable[Totals]) -> Iterator[str]:
    """Yield the counts as a table, one row a layer and level."""
    yield f"{'':<10} {'':<6} " + " ".join(f"{word:>9}" for word in _HEAD)
    for row in rows:
        statuses = (row.statuses[each] for each in Status)
        demanded = (row.clauses - row.program, row.program)
        numbers = (row.clauses, *demanded, row.covered, row.proved, *statuses)
        yield f"{row.layer:<10} {row.level.value:<6} " + " ".join(f"{n:>9}" for n in numbers)


def _run_lines(verdicts: Verdicts) -> Iterator[str]:
    """Yield one line a run that the verdicts are of, or how to get some."""
    for name, consumer, judged in verdicts.runs:
        yield f"verdicts of run {name}: {consumer}, {plural(judged, 'case')}"
    if not verdicts.runs:
        yield "no run has judged a case: `harness certify CONSUMER` does, --events FILE names one"


def complaints(covered: Sequence[CoveredClause]) -> Iterator[str]:
    """Yield the clauses without a scenario, those not proved, and what to do."""
    for one in uncovered(covered):
        clause = one.clause
        yield f"{place(clause)}: {clause.level.value} clause `{clause.id}` has no scenario"
        yield f"    {clause.text}"
    for clause in (one.clause for one in unproved(covered)):
        yield f"{place(clause)}: {clause.level.value} clause `{clause.id}` is not proved"
    if unproved(covered):
        yield (
            "add a wrong producer or consumer that violates it (docs/guides/prove-teeth.md), and "
            "see `harness mutants --clause` detect it"
        )
    if uncovered(covered):
        yield (
            "add each to `clauses` of a scenario whose golden shows it, or write one "
            "(`harness new scenario`); docs/guides/read-coverage.md explains how"
        )


def as_data(covered: Sequence[CoveredClause], verdicts: Verdicts) -> dict[str, Any]:
    """Return everything as JSON data."""
    return {
        "sound": not (uncovered(covered) or unproved(covered)),
        "runs": [
            {"run": name, "consumer": consumer, "cases": judged}
            for name, consumer, judged in verdicts.runs
        ],
        "totals": [_total(row) for row in totals(covered)],
        "clauses": [_clause(one, verdicts) for one in covered],
    }


def _total(row: Totals) -> dict[str, Any]:
    return {
        "protocol": row.layer,
        "level": row.level.value,
        "clauses": row.clauses,
        "standings": {"document": row.clauses - row.program, "program": row.program},
        "covered": row.covered,
        "proved": row.proved,
        "statuses": {status.value.lower(): n for status, n in row.statuses.items()},
    }


def _clause(one: CoveredClause, verdicts: Verdicts) -> dict[str, Any]:
    clause, proof = one.clause, one.proof
    return {
        "clause": clause.id,
        "level": clause.level.value,
        "standing": clause.standing.value,
        "protocol": clause.protocol,
        "text": clause.text,
        "versions": clause.versions,
        "source": clause.source.url,
        "program": clause.source.program or None,
        "place": place(clause),
        "status": one.status.value.lower(),
        "proved": one.proved,
        "mutants": dict(one.mutants),
        "scenarios": list(one.scenarios),
        "cases": {
            case: verdicts.cases[case].value if case in verdicts.cases else None
            for case in one.cases
        },
        "proved_by": None if proof is None else {"test": proof.test, "why": proof.why},
    }


def place(clause: Clause) -> str:
    """Return `harness/spec/clauses/…/FILE.toml:LINE`, where a clause is written."""
    return str(clause.written).removeprefix(f"{_ROOT}{os.sep}")


def document_lines(
    documents: Iterable[SourceDocument], clauses: Mapping[str, Clause]
) -> Iterator[str]:
    """Yield each document's statements with their lines and clauses, or why they have none."""
    for document in documents:
        stated = sum(bool(one.clauses) for one in document.statements)
        yield document.title
        yield f"  {document.url}"
        yield f"  {plural(document.lines, 'line')}, sha256 {document.sha256}"
        yield f"  {plural(len(document.statements), 'statement')}, {stated} with clauses"
        for one in document.statements:
            yield f"{one.lines:>9}  {one.phrase}" + (f": {one.reason}" if one.reason else "")
            for clause in map(clauses.__getitem__, one.clauses):
                yield f"{'':11}{clause.level.value} {clause.id}: {clause.text}"
        yield ""
