"""The services of a pytest process: started when first needed, shared by packs and fixtures."""

from __future__ import annotations

from contextlib import ExitStack

from harness.engine.events import Event
from harness.pytest_plugin.session import Wishes
from harness.services import ServiceEvent, Services, start


class SharedServices:
    """Kafka for everything in this process; each worker has its own."""

    def __init__(self, wished: Wishes) -> None:
        """Take the options; nothing is started."""
        self._wishes = wished
        self._stack = ExitStack()
        self._running: Services | None = None

    def running(self) -> Services:
        """Return the services, started now or before; SetupError when they cannot be had."""
        if self._running is None:
            directory = self._wishes.directory / f"services-{self._wishes.worker}"
            self._running = self._stack.enter_context(
                start(["kafka"], run_dir=directory, on_event=unheard)
            )
        self._running.check()
        return self._running

    def close(self) -> None:
        """Stop what was started."""
        self._running = None
        self._stack.close()


def unheard(event: Event | ServiceEvent) -> None:
    """Hear how services come up; pytest has no line to show it on."""
    del event
