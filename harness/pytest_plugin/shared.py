"""The services of a pytest process: found or started when first needed, shared by all in it."""

from __future__ import annotations

from contextlib import ExitStack
from functools import cached_property

from harness.engine.catalogue.workspace import runs
from harness.model.events import Event
from harness.pytest_plugin.options import PluginOptions
from harness.services import ServiceEvent, Services, Source, settings, source, start


class SharedServices:
    """Kafka for packs and fixtures of this process, and a registry once cases name schemas.

    Each worker starts its own, unless the settings name one that runs already or `harness services
    up` keeps one.
    """

    def __init__(self, options: PluginOptions) -> None:
        """Take the options; nothing is started."""
        self._options = options
        self._stack = ExitStack()
        self._running: Services | None = None

    @cached_property
    def source(self) -> Source:
        """Return what environment and the files in pytest's root directory say; UsageError."""
        root = self._options.root
        return source(settings({}, here=root), runs(root))

    def running(self, *, registry: bool = False) -> Services:
        """Return the services, started now or before; SetupError when they cannot be had."""
        found = self._running
        wanted = ["kafka"] if found is None else []
        if registry and (found is None or not found.has("registry")):
            wanted.append("registry")
        if wanted:
            directory = self._options.directory / f"services-{self._options.worker}"
            started = self._stack.enter_context(
                start(
                    wanted,
                    run_dir=directory,
                    on_event=unheard,
                    settings=self.source.settings,
                    warm={name: up for name, up in self.source.warm.items() if name in wanted},
                )
            )
            found = started if found is None else found.joined(started)
        assert found is not None
        found.check()
        self._running = found
        return found

    def close(self) -> None:
        """Stop what was started."""
        self._running = None
        self._stack.close()


def unheard(event: Event | ServiceEvent) -> None:
    """Hear how services come up; pytest has no line to show it on."""
    del event
