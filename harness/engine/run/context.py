"""What every part of a run shares: its name and place, its consumer, its services, who listens."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.engine.deliver.topics import TopicOptions
from harness.engine.plan.case import Plan
from harness.engine.run.declared import NOTHING_DECLARED, Declared
from harness.engine.run.event_bus import EventBus
from harness.engine.run.headline import WHOLE, Scope
from harness.engine.run.isolation import NOT_ISOLATED, Isolation
from harness.model.conditions import Conditions
from harness.runner.manifest import Consumer
from harness.services import Source

# A plan with its number in the run and what precedes the names of its topics.
NamedPlan = tuple[int, Plan, str]


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """A run's name, the directory that keeps its files, and what reports say of it.

    `versions` names what takes part. `options` are words that a command line needs besides the
    consumer and the case to repeat the case. `conditions` are those of the whole run.
    """

    name: str
    directory: Path
    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    options: Sequence[str] = ()
    conditions: Conditions | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """`deadline_s` seconds bound each start of the consumer; `parallelism` run at once at most."""

    deadline_s: float = 300.0
    parallelism: int = 1


@dataclass(frozen=True, slots=True)
class RunContext:
    """One run over one consumer.

    Services come from `source`. `declared` is what the consumer declares of its failures;
    `isolation` says which batched cases are read alone as well. `environment` is the harness's own.
    `counts_beyond` says that cases count too that nobody promises; `scope` what the run is over;
    `fail_fast` that it stops at the first finding.
    """

    identity: RunIdentity
    consumer: Consumer
    environment: Mapping[str, str]
    bus: EventBus
    source: Source = field(default_factory=Source)
    limits: Limits = field(default_factory=Limits)
    declared: Declared = NOTHING_DECLARED
    isolation: Isolation = NOT_ISOLATED
    counts_beyond: bool = False
    scope: Scope = WHOLE
    fail_fast: bool = False

    @property
    def directory(self) -> Path:
        """Return the directory for the starts of the consumer."""
        return self.identity.directory / "consumer"

    @property
    def topics(self) -> TopicOptions:
        """Return what the settings say about topics."""
        return TopicOptions.of(self.source.settings)

    @property
    def starts_at_once(self) -> int:
        """Return how many starts of the consumer run at once: as it bears, and the run may."""
        return min(self.limits.parallelism, self.consumer.max_starts or self.limits.parallelism)

    @property
    def group(self) -> str:
        """Return what the names of the run's groups and topics begin with."""
        return f"{self.topics.prefix}{self.identity.name}"

    def repeat(self, case: Sequence[str], more: Sequence[str] = ()) -> str:
        """Return the command that certifies one case again; `case` are the words that choose it."""
        consumer = self.consumer.target or self.consumer.name
        return shlex.join(["harness", "certify", consumer, *case, *self.identity.options, *more])
