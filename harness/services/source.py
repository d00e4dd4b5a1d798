"""Where a run's services come from: what the settings say, and what is warm already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.services import warm
from harness.services.service import Up
from harness.services.settings import Settings

DIRECTORY = "services"  # of a warm set, below .harness


@dataclass(frozen=True, slots=True)
class Source:
    """Settings, and the warm services by name; without either, everything is embedded."""

    settings: Settings = field(default_factory=Settings)
    warm: Mapping[str, Up] = field(default_factory=dict[str, Up])

    def said(self, wanted: Sequence[str]) -> str:
        """Return one line for a person: what is started, what is found where."""
        return ", ".join(self._said(name) for name in wanted)

    def _said(self, name: str) -> str:
        backend = self.settings.backend(name)
        if backend == "external":
            where = self.settings.kafka()["bootstrap.servers"] if name == "kafka" else ""
            return f"looking for the external {name}" + (f" at {where}" if where else "")
        if backend == "embedded" and name in self.warm:
            return f"using the warm {name} at {self.warm[name].address}"
        return f"starting {name}" + (" in a container" if backend == "container" else "")


def source(settings: Settings, runs: Path) -> Source:
    """Return the source for runs below `runs` (`.harness`), with its warm set when that is fit."""
    fit: Mapping[str, Up] = warm.find(runs / DIRECTORY) if settings.flag("warm.use") else {}
    return Source(settings, fit)
