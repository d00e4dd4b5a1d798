"""Publishes the events of a run to its listeners."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress

from harness.contracts import Listener
from harness.errors import HarnessError
from harness.model.events import Event, PhaseFinished, PhaseStarted, RunAborted
from harness.services.hidden import Secrets

NO_SECRETS = Secrets(())


class EventBus:
    """Knows the listeners of a run, and when the run began."""

    def __init__(self, listeners: Sequence[Listener] = (), secrets: Secrets = NO_SECRETS) -> None:
        """Take the listeners, and what none of them may hear; the run begins now."""
        self._listeners = listeners
        self._secrets = secrets
        self._began = time.monotonic()
        self._lock = threading.Lock()

    @property
    def seconds(self) -> float:
        """Return how long the run has gone on."""
        return time.monotonic() - self._began

    def publish(self, event: Event) -> None:
        """Hand an event to every listener, one event at a time, from whatever thread."""
        event = self._secrets.hidden_in(event)
        with self._lock:
            for listener in self._listeners:
                listener.handle(event)

    @contextmanager
    def said_when_aborted(self) -> Generator[None]:
        """Let the last event say why a run ends that has no headline."""
        try:
            yield
        except BaseException as error:
            why = error.what if isinstance(error, HarnessError) else str(error)
            first = (why.splitlines() or [""])[0] or type(error).__name__
            with suppress(OSError):  # a full disk may be why
                self.publish(RunAborted(first, self.seconds))
            raise

    @contextmanager
    def phase(self, phase: str, detail: str = "") -> Generator[None]:
        """Publish that a phase starts and, unless it fails, that it has finished."""
        began = time.monotonic()
        self.publish(PhaseStarted(phase, detail))
        yield
        self.publish(PhaseFinished(phase, time.monotonic() - began))
