"""Starts the wanted services side by side and stops them together.

A service is a name in `SERVICES`; a backend of another kind (containers, servers that run already)
is another starter for the same name.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path

from harness.errors import HarnessBug, UsageError
from harness.services.artifacts import locked
from harness.services.download import Interrupted, fetch
from harness.services.embedded import kafka, mariadb
from harness.services.launch import Running, Startup
from harness.services.repository import repository
from harness.services.service import Kafka, MariaDb, ServiceEvent

Starter = Callable[[Startup], Running]
OnEvent = Callable[[ServiceEvent], None]

SERVICES: Mapping[str, Starter] = {
    "kafka": kafka.start,
    "mariadb": mariadb.start,
}


class Services:
    """The services of one run, by name."""

    def __init__(self, running: Mapping[str, Running]) -> None:
        """Take what `start` has started."""
        self._running = running

    @property
    def kafka(self) -> Kafka:
        """Return the broker's address."""
        address = self._address("kafka")
        assert isinstance(address, Kafka)
        return address

    @property
    def mariadb(self) -> MariaDb:
        """Return the database's address and account."""
        address = self._address("mariadb")
        assert isinstance(address, MariaDb)
        return address

    def check(self) -> None:
        """Raise SetupError, with the end of its log, when a service is dead."""
        for running in self._running.values():
            running.check()

    def _address(self, name: str) -> Kafka | MariaDb:
        if name not in self._running:
            raise HarnessBug(f"{name} is used but was not started")
        return self._running[name].address


@contextmanager
def start(
    wanted: Sequence[str],
    *,
    run_dir: Path,
    on_event: OnEvent,
    ports: Mapping[str, int] | None = None,
    env: Mapping[str, str] | None = None,
) -> Generator[Services]:
    """Start services in parallel, yield their addresses, stop them and remove their data.

    `ports` names the port of a service where the user wants a certain one; `env` is the environment
    to read settings from (default: this process's). Logs stay in `run_dir/<service>/`. Raises
    SetupError when a service cannot be had; those that were up by then are stopped.
    """
    starting = _Starting(
        run_dir.absolute(), on_event, ports or {}, os.environ if env is None else env
    )
    try:
        yield Services(starting.all(wanted))
    finally:
        starting.stop()


class _Starting:
    """Services on their way up, and those that must go down again."""

    def __init__(
        self, run_dir: Path, on_event: OnEvent, ports: Mapping[str, int], env: Mapping[str, str]
    ) -> None:
        self.run_dir = run_dir
        self.on_event = on_event
        self.ports = ports
        self.env = env
        self.repository = repository(env)
        self.given_up = threading.Event()
        self.lock = threading.Lock()
        self.running: dict[str, Running] = {}

    def all(self, wanted: Sequence[str]) -> Mapping[str, Running]:
        for name in wanted:
            if name not in SERVICES:
                raise UsageError(
                    f"there is no service {name!r}", expected=f"one of {', '.join(SERVICES)}"
                )
        with ThreadPoolExecutor(len(SERVICES), "service") as pool:
            futures = [pool.submit(self.one, name) for name in dict.fromkeys(wanted)]
            try:
                wait(futures, return_when=FIRST_EXCEPTION)
            finally:  # a failure or Ctrl-C: the others need not go on
                if not all(_succeeded(future) for future in futures):
                    self.given_up.set()
        failures = [error for future in futures if (error := future.exception())]
        failures.sort(key=lambda error: isinstance(error, Interrupted))  # the cause comes first
        if failures:
            raise failures[0]
        return self.running

    def one(self, name: str) -> None:
        began = time.monotonic()
        directory = self.run_dir / name
        directory.mkdir(parents=True, exist_ok=True)
        running = SERVICES[name](
            Startup(
                name=name,
                directory=directory,
                cache=self.repository.cache,
                env=self.env,
                fetch=lambda group: self.fetch(name, group),
                tell=lambda state, detail: self.tell(ServiceEvent(name, state, detail)),
                given_up=self.given_up,
                port=self.ports.get(name),
            )
        )
        with self.lock:
            self.running[name] = running
        seconds = time.monotonic() - began
        self.tell(ServiceEvent(name, "ready", str(running.address), seconds))

    def fetch(self, name: str, group: str) -> tuple[Path, ...]:
        def progress(done: int, total: int) -> None:
            self.tell(ServiceEvent(name, "fetching", group, done=done, total=total))

        return fetch(locked(group), self.repository, on_progress=progress, given_up=self.given_up)

    def tell(self, event: ServiceEvent) -> None:
        with self.lock:
            self.on_event(event)

    def stop(self) -> None:
        """Stop everything that is up, side by side; raise a failure after all were tried."""
        with ThreadPoolExecutor(len(SERVICES), "service") as pool:
            stopped = [pool.submit(self.stop_one, name) for name in self.running]
        for future in stopped:
            future.result()

    def stop_one(self, name: str) -> None:
        began = time.monotonic()
        self.running[name].stop()
        self.tell(ServiceEvent(name, "stopped", seconds=time.monotonic() - began))


def _succeeded(future: Future[None]) -> bool:
    return future.done() and not future.cancelled() and future.exception() is None
