"""The services of a pytest process: found or started when first needed, shared by all in it."""

from __future__ import annotations

from contextlib import ExitStack
from functools import cached_property

from harness.engine.events import Event
from harness.engine.workspace import runs
from harness.pytest_plugin.wishes import Wishes
from harness.services import ServiceEvent, Services, Source, settings, source, start


class SharedServices:
    """Kafka for packs and fixtures of this process.

    Each worker starts its own, unless the settings name one that runs already or `harness services
    up` keeps one.
    """

    def __init__(self, wished: Wishes) -> None:
        """Take the options; nothing is started."""
        self._wishes = wished
        self._stack = ExitStack()
        self._running: Services | None = None

    @cached_property
    def source(self) -> Source:
        """Return what environment and the files in pytest's root directory say; UsageError."""
        root = self._wishes.root
        return source(settings({}, here=root), runs(root))

    def running(self) -> Services:
        """Return the services, started now or before; SetupError when they cannot be had."""
        if self._running is None:
            directory = self._wishes.directory / f"services-{self._wishes.worker}"
            self._running = self._stack.enter_context(
                start(
                    ["kafka"],
                    run_dir=directory,
                    on_event=unheard,
                    settings=self.source.settings,
                    warm=self.source.warm,
                )
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
