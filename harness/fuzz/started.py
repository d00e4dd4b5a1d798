"""Consumers that are started: spark, py:… and exec:…, over Kafka, many plans in one run.

Services are started once. Plans are distinguished by their numbers, because all scenes have one
name.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from harness.engine.catalogue.workspace import Workspace, new_run
from harness.engine.pipeline import CatalogueCases, certify
from harness.engine.plan.case import Plan
from harness.engine.run.context import Limits, RunContext, RunIdentity
from harness.engine.run.event_bus import EventBus
from harness.engine.run.preflight import versions
from harness.model.finding import Judgement, Verdict
from harness.runner.manifest import Consumer
from harness.services import Services, Source

AT_ONCE = 100


class Started:
    """Judges a consumer that is a command."""

    def __init__(
        self,
        space: Workspace,
        consumer: Consumer,
        services: Services,
        source: Source,
        deadline: float,
    ) -> None:
        """Take the consumer and what runs already; `deadline` bounds each start, in seconds."""
        self._space = space
        self._consumer = consumer
        self._services = services
        self._source = source
        self._deadline = deadline

    @property
    def at_once(self) -> int:
        """Return how many plans go together: as many as make a start worth its time."""
        return AT_ONCE

    def verdicts(self, plans: Sequence[Plan]) -> Sequence[Sequence[Verdict]]:
        """Return the verdict on each plan."""
        numbered = [
            replace(one, case=replace(one.case, id=f"{number:04d}.{one.case.id}"))
            for number, one in enumerate(plans)
        ]
        asked = [one for one in numbered if self._consumer.supports(one.case.protocol)]
        if not asked:
            return [(Verdict(one.case.id, Judgement.NOT_APPLICABLE),) for one in plans]
        run, run_dir = new_run(Path(self._space.runs) / "runs")
        context = RunContext(
            RunIdentity(run, run_dir, versions(self._consumer)),
            self._consumer,
            dict(os.environ),
            EventBus(),
            self._source,
            Limits(self._deadline, os.cpu_count() or 1),
        )
        cases = [one.case for one in asked]
        outcome = certify(
            CatalogueCases(self._space, cases, planned=asked, services=self._services), context
        )
        found = {one.case.id: verdict for one, verdict in zip(asked, outcome.verdicts, strict=True)}
        nothing = Judgement.NOT_APPLICABLE
        return [(found.get(one.case.id) or Verdict(one.case.id, nothing),) for one in numbered]
