"""What a consumer answered on a case, and the event that says how it was judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from harness.engine.plan.case import Plan
from harness.engine.plan.evidence import evidence
from harness.engine.run.context import RunContext
from harness.engine.run.declared import settled, subject_of
from harness.engine.run.watch import read_or_not
from harness.model.events import CaseFinished
from harness.model.finding import FINDINGS, Judgement, Verdict
from harness.model.observed import Observed, Outcome
from harness.model.resumption import Resumption
from harness.model.settings import settings_text
from harness.model.standing import Standing, weakest
from harness.protocols.standings import clause_standing
from harness.runner.manifest import NOTHING, Consumer
from harness.scenario.expand import Case
from harness.scenario.standing import case_standing, delivery_standing
from harness.verdict.judge import judge_design
from harness.verdict.packing import both

Judge = Callable[[Plan, Observed], Verdict]
# How a run ends that its last output explains; a wrong answer is explained by its findings.
EXPLAINED = frozenset({Outcome.CRASH, Outcome.ERROR, Outcome.TIMEOUT})
BEYOND = "--beyond"  # the option without which a case that nobody promises does not count


@dataclass(frozen=True, slots=True)
class CaseAnswer:
    """What a consumer answered on one case.

    `verdict` is there where the answer was judged on the way; `alone` is a second answer, read
    without the `neighbours` other changefeeds of the first start. `unread` says what of its topics
    was not fetched, "" where all was or nobody counts; `changefeed` is its id in job.json;
    `resumed` says what it read again where it was killed.
    """

    observed: Observed
    verdict: Verdict | None = None
    alone: Observed | None = None
    neighbours: int = 0
    unread: str = ""
    changefeed: str = ""
    resumed: Resumption = Resumption.UNKNOWN


CaseAnswers = Mapping[str, CaseAnswer]


def batched(
    observed: Mapping[str, Observed],
    verdicts: Mapping[str, Verdict],
    alone: Mapping[str, Observed],
    unread: Mapping[str, str] = NOTHING,
    seen: Mapping[str, str] = NOTHING,
) -> dict[str, CaseAnswer]:
    """Return the answers of cases that were read together, some of them alone as well.

    `unread` and `seen` are what CaseAnswer has, by case.
    """
    neighbours = len(observed) - 1
    return {
        case: CaseAnswer(
            one,
            verdicts[case],
            alone.get(case),
            neighbours,
            unread.get(case, ""),
            seen.get(case, ""),
        )
        for case, one in observed.items()
    }


def judged(plan: Plan, observed: Observed, consumer: Consumer) -> Verdict:
    """Return the verdict on the tables that a consumer has, by the design that it declares."""
    attached = consumer.attach is not None and consumer.attach.server is not None
    database = consumer.result.in_database or attached
    return judge_design(plan.judged, plan.folding, observed, consumer.design, database=database)


def finished(
    context: RunContext, plan: Plan, answer: CaseAnswer, judge_case: Judge, roots: Sequence[str]
) -> CaseFinished:
    """Return the event of a case; its verdict takes in what the consumer declares.

    `roots` are the words of a command line that finds the scenarios.
    """
    observed = answer.observed
    plan = replace(plan, expected=plan.folding.expected(context.consumer.design))
    verdict = answer.verdict or judge_case(plan, observed)
    if answer.alone is not None:
        again = judge_case(plan, answer.alone)
        observed = observed if verdict.judgement in FINDINGS else answer.alone
        verdict = both(plan.judged, verdict, again, answer.neighbours)
    verdict = read_or_not(plan.judged, verdict, answer.unread)
    verdict = replace(verdict, detail=verdict.detail or observed.detail)
    verdict = settled(subject_of(plan), verdict, context.declared)
    event = unread(context, plan.case, verdict, roots)
    shown = evidence(plan, event.verdict, observed)
    log = last_output(answer, event.verdict)
    event = replace(event, changefeed=answer.changefeed, resumed=answer.resumed)
    return replace(event, log=log, evidence=shown)


def last_output(answer: CaseAnswer, verdict: Verdict) -> str:
    """Return what the consumer printed, where that says why it gave no answer; "" otherwise.

    Of a case that was read alone it is what was printed there, so that no other case speaks in it.
    """
    readings = (answer.alone, answer.observed)
    if verdict.judgement is Judgement.PASS:
        return ""
    ended = [one for one in readings if one is not None and one.outcome in EXPLAINED]
    return ended[0].log if ended else ""


def unread(context: RunContext, case: Case, verdict: Verdict, roots: Sequence[str]) -> CaseFinished:
    """Return the event of a case that no consumer was asked about."""
    scenario = case.scenario
    verdict = placed(case, verdict, counts_beyond=context.counts_beyond)
    counted = [] if verdict.apart is None else [BEYOND]
    return CaseFinished(
        case.id,
        case.protocol,
        scenario.file,
        scenario.title,
        verdict,
        context.repeat(("-k", case.id, *counted), roots),
        clauses=scenario.clauses,
        standing=case_standing(case),
        settings=settings_text(case.settings),
    )


def placed(case: Case, verdict: Verdict, *, counts_beyond: bool) -> Verdict:
    """Return the verdict with its findings' standing, set apart where the case does not count."""
    delivered = delivery_standing(case)
    findings = tuple(
        replace(one, standing=weakest((delivered, clause_standing(one.clause) or delivered)))
        for one in verdict.findings
    )
    verdict = replace(verdict, findings=findings)
    is_beyond = case_standing(case) is Standing.BEYOND
    return verdict.set_apart() if is_beyond and not counts_beyond else verdict
