"""What cannot be asked of a system that runs already."""

from __future__ import annotations

from collections.abc import Sequence

from harness.errors import UsageError
from harness.runner.manifest import Consumer
from harness.services import Source


def refuse_unreachable(consumer: Consumer, source: Source, wanted: Sequence[str]) -> None:
    """Refuse services that are started for the run: a running system cannot know where they are."""
    if consumer.attach is None:
        return
    for name in wanted:
        if source.settings.backend(name) != "external" and name not in source.warm:
            raise UsageError(
                f"{consumer.name} runs already, and cannot know a {name} that this run starts",
                expected=f"the {name} that it reads from",
                hint="--kafka host:port and --registry URL name yours; `harness services up` keeps"
                " a set whose addresses stay",
            )


def refuse_unstarted(consumer: Consumer) -> None:
    """Refuse to ask a running system what only a command can be asked."""
    if consumer.attach is not None:
        raise UsageError(
            f"{consumer.name} runs already, and level decode has to start a consumer",
            expected="level materialise",
        )
