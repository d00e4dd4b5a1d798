"""What a run says of itself while it goes on: its phases, its services, whatever happens."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from harness.engine.events import Event, Listener, PhaseFinished, PhaseStarted
from harness.engine.run.preflight import service_changed
from harness.services import ServiceEvent, Services, Source, start


class EventBus:
    """A run's voice: knows its listeners, and when it began."""

    def __init__(self, listeners: Sequence[Listener]) -> None:
        """Take whoever listens."""
        self._listeners = listeners
        self._began = time.monotonic()
        self._lock = threading.Lock()

    @property
    def seconds(self) -> float:
        """Return how long the run has gone on."""
        return time.monotonic() - self._began

    def tell(self, event: Event) -> None:
        """Tell every listener; services tell from threads of their own."""
        with self._lock:
            for listener in self._listeners:
                listener.handle(event)

    @contextmanager
    def phase(self, phase: str, detail: str = "") -> Generator[None]:
        """Tell when a phase starts and, unless it fails, when it has finished."""
        began = time.monotonic()
        self.tell(PhaseStarted(phase, detail))
        yield
        self.tell(PhaseFinished(phase, time.monotonic() - began))

    @contextmanager
    def services(
        self, wanted: Sequence[str], source: Source, run_dir: Path, environment: Mapping[str, str]
    ) -> Generator[Services]:
        """Start or reach services from their source, as a phase; raises SetupError."""

        def heard(event: ServiceEvent) -> None:
            self.tell(service_changed(event))

        began = time.monotonic()
        self.tell(PhaseStarted("services", source.said(wanted)))
        with start(
            wanted,
            run_dir=run_dir,
            on_event=heard,
            env=environment,
            settings=source.settings,
            warm=source.warm,
        ) as services:
            self.tell(PhaseFinished("services", time.monotonic() - began))
            yield services
