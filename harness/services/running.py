"""Starts the wanted services side by side and stops them together.

A service is a name in `SERVICES`; where it comes from (a backend) is another starter for the same
name. A warm service is one that `harness services up` keeps: it is used, and left as it is.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from harness.errors import HarnessBug, UsageError
from harness.services import container, external
from harness.services.artifacts import locked
from harness.services.download import Interrupted, fetch
from harness.services.embedded import apicurio, kafka, mariadb
from harness.services.launch import Running, Startup
from harness.services.repository import repository
from harness.services.service import Address, Kafka, MariaDb, Registry, ServiceEvent, Up
from harness.services.settings import Settings

Starter = Callable[[Startup], Up]
OnEvent = Callable[[ServiceEvent], None]

SERVICES: Mapping[str, Starter] = {
    "kafka": kafka.start,
    "mariadb": mariadb.start,
    "registry": apicurio.start,
}
STARTERS: Mapping[str, Mapping[str, Starter]] = {
    "embedded": SERVICES,
    "container": container.SERVICES,
    "external": external.SERVICES,
}
LOOK_S = 0.5
SECOND_BROKER = "kafka-2"
NO_PORTS: Mapping[str, int] = MappingProxyType({})
NOTHING_WARM: Mapping[str, Up] = MappingProxyType({})


class Services:
    """The services of one run, by name."""

    def __init__(self, running: Mapping[str, Up]) -> None:
        """Take what `start` has started."""
        self._running = running

    @property
    def kafka(self) -> Kafka:
        """Return the broker's address."""
        address = self.address("kafka")
        assert isinstance(address, Kafka)
        return address

    @property
    def cluster(self) -> Kafka:
        """Return the addresses of all brokers."""
        second = self._running.get(SECOND_BROKER)
        if second is None:
            return self.kafka
        return replace(self.kafka, bootstrap=f"{self.kafka.bootstrap},{second.address}")

    @property
    def mariadb(self) -> MariaDb:
        """Return the database's address and account."""
        address = self.address("mariadb")
        assert isinstance(address, MariaDb)
        return address

    @property
    def registry(self) -> Registry:
        """Return the schema registry's address."""
        address = self.address("registry")
        assert isinstance(address, Registry)
        return address

    def has(self, name: str) -> bool:
        """Return whether a service is among them."""
        return name in self._running

    def joined(self, other: Services) -> Services:
        """Return these services and others besides."""
        return Services({**self._running, **other._running})

    def check(self) -> None:
        """Raise SetupError, with the end of its log, when a service is dead."""
        for running in self._running.values():
            running.check()

    @contextmanager
    def blamed(self) -> Generator[None]:
        """Raise ServiceLost in place of what follows from a service's end: refused connections."""
        try:
            yield
        except Exception:
            self.check()
            raise

    def halt(self, name: str) -> None:
        """End a service for a while, and keep its data; HarnessBug when it is not ours to end."""
        self._ours(name).halt()

    def revive(self, name: str) -> None:
        """Bring a halted service back, on its ports and with its data."""
        self._ours(name).revive()

    @contextmanager
    def with_second_broker(self) -> Generator[Services]:
        """Yield these services with another broker in the cluster, under `SECOND_BROKER`.

        Raises SetupError when it does not come up.
        """
        second = kafka.start_second(self._ours("kafka"))
        try:
            yield self.joined(Services({SECOND_BROKER: second}))
        finally:
            second.stop()

    def _ours(self, name: str) -> Running:
        running = self._running.get(name)
        if not isinstance(running, Running):
            raise HarnessBug(f"{name} is to be restarted and is not a process of this run")
        return running

    def address(self, name: str) -> Address:
        """Return where a service is that `start` was asked for."""
        if name not in self._running:
            raise HarnessBug(f"{name} is used but was not started")
        return self._running[name].address


@contextmanager
def start(  # noqa: PLR0913 - all but two have a default that is right for most
    wanted: Sequence[str],
    *,
    run_dir: Path,
    on_event: OnEvent,
    ports: Mapping[str, int] = NO_PORTS,
    env: Mapping[str, str] | None = None,
    settings: Settings | None = None,
    warm: Mapping[str, Up] = NOTHING_WARM,
    lasting: bool = False,
) -> Generator[Services]:
    """Start services in parallel, yield their addresses, stop them and remove their data.

    `ports` names the port of a service where the user wants a certain one; `env` is the environment
    to read settings from (default: this process's). `settings` say where each service comes from
    (default: all are embedded); what is `warm` is taken as it is, in place of an embedded one. Who
    says that they are `lasting` has them ready for hours of work, a little later. Logs stay in
    `run_dir/<service>/`. Raises SetupError when a service cannot be had; those that were up
    by then are stopped.
    """
    env = os.environ if env is None else env
    starting = _Starting(run_dir.absolute(), on_event, ports, env, settings or Settings())
    starting.lasting = lasting
    try:
        running = starting.all(wanted, warm)
        with _roused(running):
            yield Services(running)
    finally:
        starting.stop()


@contextmanager
def _roused(running: Mapping[str, Up]) -> Generator[None]:
    """Let our services go on when a signal halts them, while whoever asks them only waits."""
    over = threading.Event()
    ours = [one for one in running.values() if isinstance(one, Running)]

    def look() -> None:
        while not over.wait(LOOK_S):
            for one in ours:
                one.rouse()

    looking = threading.Thread(target=look, name="services", daemon=True)
    looking.start()
    try:
        yield
    finally:
        over.set()
        looking.join()


class _Starting:
    """Services on their way up, and those that must go down again."""

    def __init__(
        self,
        run_dir: Path,
        on_event: OnEvent,
        ports: Mapping[str, int],
        env: Mapping[str, str],
        settings: Settings,
    ) -> None:
        self.run_dir = run_dir
        self.on_event = on_event
        self.ports = ports
        self.env = env
        self.settings = settings
        self.lasting = False
        self.repository = repository(env)
        self.given_up = threading.Event()
        self.lock = threading.Lock()
        self.running: dict[str, Up] = {}

    def all(self, wanted: Sequence[str], warm: Mapping[str, Up]) -> Mapping[str, Up]:
        for name in wanted:
            if name not in SERVICES:
                raise UsageError(
                    f"there is no service {name!r}", expected=f"one of {', '.join(SERVICES)}"
                )
        backends = {name: self.settings.backend(name) for name in dict.fromkeys(wanted)}
        ready = {n: warm[n] for n, source in backends.items() if source == "embedded" and n in warm}
        self.running |= ready
        with ThreadPoolExecutor(len(SERVICES), "service") as pool:
            futures = [
                pool.submit(self.one, name, source)
                for name, source in backends.items()
                if name not in ready
            ]
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

    def one(self, name: str, backend: str) -> None:
        began = time.monotonic()
        directory = self.run_dir / name
        directory.mkdir(parents=True, exist_ok=True)
        running = STARTERS[backend][name](
            Startup(
                name=name,
                directory=directory,
                cache=self.repository.cache,
                env=self.env,
                fetch=lambda group: self.fetch(name, group),
                report=lambda state, detail: self.publish(ServiceEvent(name, state, detail)),
                given_up=self.given_up,
                port=self.ports.get(name),
                settings=self.settings,
                lasting=self.lasting,
            )
        )
        with self.lock:
            self.running[name] = running
        seconds = time.monotonic() - began
        self.publish(ServiceEvent(name, "ready", str(running.address), seconds))

    def fetch(self, name: str, group: str) -> tuple[Path, ...]:
        def progress(done: int, total: int) -> None:
            self.publish(ServiceEvent(name, "fetching", group, done=done, total=total))

        return fetch(locked(group), self.repository, on_progress=progress, given_up=self.given_up)

    def publish(self, event: ServiceEvent) -> None:
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
        self.publish(ServiceEvent(name, "stopped", seconds=time.monotonic() - began))


def _succeeded(future: Future[None]) -> bool:
    return future.done() and not future.cancelled() and future.exception() is None
