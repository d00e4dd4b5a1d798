"""Cases whose consumer runs while their messages are sent: some side by side.

Each has a consumer, topics and a producer of its own, so one needs to know nothing of another; what
happens to a service happens on services that no other case uses meanwhile. Of a consumer whose
starts are dear (it declares `jobs`) cases to which the same happens share one start, as in a batch,
and what goes wrong there is tried alone.
"""

from __future__ import annotations

from collections.abc import Generator, Hashable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, replace
from queue import SimpleQueue
from threading import Event

from harness.engine.plan.case import Plan
from harness.engine.plan.timing import happening
from harness.engine.plan.together import occasion
from harness.engine.run.answers import Answers, EnoughError
from harness.engine.run.context import NamedPlan, RunContext
from harness.engine.run.isolation import CONFIRMED
from harness.engine.run.judging import CaseAnswer, judged
from harness.engine.run.one_start import CaseServices, OneStart
from harness.engine.sink.sink import Sink
from harness.errors import plural
from harness.model.finding import Judgement, Verdict
from harness.model.observed import Observed
from harness.runner.manifest import Capability

# What a case comes to in a shared start and needs no second look: too late was the whole start.
STANDS = frozenset({Judgement.PASS, Judgement.NOT_APPLICABLE, Judgement.TIMEOUT})


@dataclass(frozen=True, slots=True)
class InteractiveRun:
    """Runs as many cases at once as there are `places`, which may be the same services twice.

    `sink` is there for a consumer that writes into a database.
    """

    context: RunContext
    places: Sequence[CaseServices]
    sink: Sink | None = None

    def run(self, named: Sequence[NamedPlan], answers: dict[str, CaseAnswer]) -> None:
        """Run the cases; add each answer by its case's id, in the order of the cases.

        Cases to which the same happens are a phase of the run, so that reports have its time.
        """
        groups: dict[str, list[NamedPlan]] = {}
        for one in named:
            groups.setdefault(happening(one[1].delivery.steps), []).append(one)
        so_far = Answers(self.context, {plan.case.id: plan for _, plan, _ in named})
        for fault, group in groups.items():
            with (
                self.context.bus.phase(f"alone under {fault}", plural(len(group), "case")),
                closing(self._side_by_side(self._shares(group))) as answered,
            ):
                for plan, answer in answered:
                    answers[plan.case.id] = answer
                    verdict = answer.verdict or self._verdict(plan, answer.observed)
                    try:
                        so_far.add(plan.case.id, verdict)
                    except EnoughError:
                        return

    def _shares(self, group: Sequence[NamedPlan]) -> list[list[NamedPlan]]:
        """Return the cases by start of the consumer."""
        consumer = self.context.consumer
        dear = Capability.JOBS in consumer.capabilities and self.sink is None
        found: dict[Hashable, list[NamedPlan]] = {}
        for index, plan, prefix in group:
            what = occasion(plan.delivery.filling) if dear else None
            found.setdefault(index if what is None else what, []).append((index, plan, prefix))
        most = consumer.max_changefeeds
        return [
            share[at : at + most] for share in found.values() for at in range(0, len(share), most)
        ]

    def _verdict(self, plan: Plan, observed: Observed) -> Verdict:
        return judged(plan, observed, self.context.consumer)

    def _side_by_side(
        self, shares: Sequence[Sequence[NamedPlan]]
    ) -> Generator[tuple[Plan, CaseAnswer], None, None]:
        """Yield the answers in the order of the shares, whichever is there first.

        The first error ends the cases that still run, and so does who closes this.
        """
        free: SimpleQueue[CaseServices] = SimpleQueue()
        for place in self.places:
            free.put(place)
        halted = Event()

        def answered(share: Sequence[NamedPlan]) -> Sequence[CaseAnswer]:
            place = free.get()
            try:
                return self._confirmed(share, place, halted)
            finally:
                free.put(place)

        with ThreadPoolExecutor(len(self.places), thread_name_prefix="case") as pool:
            futures = [pool.submit(answered, share) for share in shares]
            pending = set(futures)
            try:
                for share, future in zip(shares, futures, strict=True):
                    while future in pending:
                        done, pending = wait(pending, return_when=FIRST_COMPLETED)
                        for one in done:
                            one.result()
                    plans = [plan for _, plan, _ in share]
                    yield from zip(plans, future.result(), strict=True)
            except BaseException:
                halted.set()
                pool.shutdown(cancel_futures=True)
                raise

    def _confirmed(
        self, share: Sequence[NamedPlan], place: CaseServices, halted: Event
    ) -> Sequence[CaseAnswer]:
        """Return the answers of cases that share a start; what is no pass is tried alone.

        One whose moment did not come, or that was not read, counts as it is alone.
        """
        answers = OneStart(self.context, self.sink, place, halted).run(share)
        if len(share) == 1:
            return answers
        found: list[CaseAnswer] = []
        for (index, plan, prefix), answer in zip(share, answers, strict=True):
            verdict = self._verdict(plan, answer.observed)
            if verdict.judgement in STANDS and not answer.unread:
                found.append(replace(answer, verdict=verdict))
                continue
            own = OneStart(self.context, self.sink, place, halted, "alone")
            (alone,) = own.run([(index, plan, f"{prefix}-alone")])
            if verdict.judgement in CONFIRMED:
                again, number = alone.observed, len(share) - 1
                alone = replace(answer, verdict=verdict, alone=again, neighbours=number)
            found.append(alone)
        return found
