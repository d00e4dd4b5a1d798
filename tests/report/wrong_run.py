"""A run in memory of a wrong consumer over bundled scenarios: real findings, without services."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.plans import plans
from harness.engine.catalogue.workspace import workspace
from harness.engine.mutation.prepared import Prepared
from harness.engine.plan.evidence import evidence
from harness.model.events import CaseFinished, Event, RunFinished, RunStarted
from harness.model.finding import APPLICABLE, FINDINGS, Judgement
from harness.mutants.consumer import REFERENCE
from harness.mutants.table import MUTANTS
from harness.verdict.judge import judge

ROOT = Path(__file__).resolve().parents[2]


def wrong_run(
    consumer: str, scenarios: Sequence[str], run: str = "0123ab", at: str = "2026-01-02T03:04:05Z"
) -> Iterator[Event]:
    """Yield the events of a run of a mutant by name, or of `reference`, over scenario files."""
    space = workspace(ROOT, ROOT / "scenarios")
    cases = selected(load(space, [ROOT / "scenarios" / name for name in scenarios]), None)
    yield RunStarted(run, consumer, len(cases), {"cdc-conformance": "0.1"}, at)
    parts = REFERENCE if consumer == "reference" else MUTANTS[consumer].parts
    judgements: list[Judgement] = []
    for plan in plans(space, cases):
        observed = Prepared(plan, (0,)).read_by(parts, 0)
        verdict = judge(plan.judged, plan.expected, observed)
        judgements.append(verdict.judgement)
        scenario = plan.case.scenario
        yield CaseFinished(
            plan.case.id,
            plan.case.protocol,
            scenario.file,
            scenario.title,
            verdict,
            f"harness certify {consumer} -k '{plan.case.id}'",
            observed.log,
            scenario.clauses,
            evidence(plan, verdict, observed),
        )
    passed = judgements.count(Judgement.PASS)
    applicable = sum(judgement in APPLICABLE for judgement in judgements)
    code = int(any(judgement in FINDINGS for judgement in judgements))
    yield RunFinished(passed, applicable, len(judgements), 1.5, code)
