"""A Kafka Connect worker in one process of its own, spoken to by its REST interface."""

from __future__ import annotations

import re
import signal
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import orjson
import urllib3
from urllib3.exceptions import HTTPError

from harness.errors import SetupError
from harness.process import Guarded, spawn
from harness.services.embedded.sharing import ARCHIVING_GRACE_S, ClassArchive, keep
from harness.services.java import find_java
from harness.services.launch import BIND_ATTEMPTS, how_ended, log_end, met_a_conflict, size
from harness.services.ports import HOST, free_ports
from harness.services.repository import cache_directory

MAIN: Final = "org.apache.kafka.connect.cli.ConnectStandalone"
JSON: Final = "org.apache.kafka.connect.json.JsonConverter"
STATE: Final = "initial_state"
READY_S: Final = 300.0  # a busy machine; 4 s at rest
POLL_S: Final = 0.1
ASK_S: Final = 180.0  # likewise
ASKED_AT_ONCE: Final = 8
DYING_S: Final = 3.0  # from the last answer to the end of the process
STOP_GRACE_S: Final = 3.0
# A task that is not over by then is cancelled, and what it had acknowledged is not stored: Kafka
# 4.1 Worker.awaitStopTask. Connect's own 5 s are as long as a connector waits for its channel.
TASK_GRACE_MS: Final = 60_000
JVM: Final = (
    "-Xmx1536m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",  # a run is over before the second compiler would pay
    "-XX:-UsePerfData",
    "-Xlog:disable",  # making an archive of classes logs each class that it leaves out
    "-Djava.awt.headless=true",
    "-Dorg.slf4j.simpleLogger.showDateTime=true",
    "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
)


@dataclass(frozen=True, slots=True)
class WorkerFiles:
    """What a worker runs on: its own jars, and directories of plugins beside each other."""

    jars: Sequence[Path]
    plugins: Sequence[Path]


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a connector has failed: the deepest cause of its stack trace."""

    cause: str


class Worker:
    """A worker that answers."""

    def __init__(self, url: str, child: Guarded, log: Path) -> None:
        """Take its address, its process and its log."""
        self._url = url
        self._child = child
        self._log = log
        self._http = urllib3.PoolManager(
            maxsize=ASKED_AT_ONCE, timeout=urllib3.Timeout(total=ASK_S), retries=False
        )

    def create(self, name: str, config: Mapping[str, str]) -> str | None:
        """Create a connector; return why the worker refuses it, None when it does not."""
        status, answer = self._ask("PUT", f"/connectors/{name}/config", config)
        return None if status < 300 else " ".join(str(answer.get("message", answer)).split())

    def delete(self, name: str) -> None:
        """End a connector with its tasks."""
        self._ask("DELETE", f"/connectors/{name}")

    def stored(self, name: str, config: Mapping[str, str]) -> Mapping[str, Mapping[str, Any]]:
        """End a connector in good order; return what is stored for it, by its tasks' keys.

        A task without a key is "". The worker says what is stored of connectors that it has: so the
        connector is there once more, but stopped. It is not stopped by `PUT …/stop`: when that
        meets another request, Kafka 4.1's StandaloneHerder and MemoryConfigBackingStore wait for
        each other's locks, and the worker answers nobody any more.
        """
        self.delete(name)
        self._ask("POST", "/connectors", {"name": name, "config": config, STATE: "STOPPED"})
        found = self.offsets(name)
        self.delete(name)
        return found

    def offsets(self, name: str) -> Mapping[str, Mapping[str, Any]]:
        """Return what is stored for a connector that the worker has, by its tasks' keys."""
        _, answer = self._ask("GET", f"/connectors/{name}/offsets")
        return {
            str(one["partition"].get("task_key", "")): dict(one["offset"])
            for one in answer.get("offsets", [])
            if one["offset"] is not None
        }

    def failures(self) -> Mapping[str, Failure]:
        """Return the failure of each connector that has failed, itself or a task of it."""
        _, found = self._ask("GET", "/connectors?expand=status")
        failed: dict[str, Failure] = {}
        for name, answer in found.items():
            for part in (answer["status"]["connector"], *answer["status"]["tasks"]):
                if part["state"] == "FAILED":
                    trace = str(part.get("trace", ""))
                    failed[name] = Failure(deepest(trace))
        return failed

    def kill(self) -> None:
        """End the process at once, with SIGKILL: what it has not stored by now is lost."""
        self._child.signal(signal.SIGKILL)
        self._child.wait(DYING_S)

    @property
    def has_ended(self) -> bool:
        """Return whether its process is no more."""
        return self._child.poll() is not None

    def check(self) -> None:
        """Raise SetupError, with the end of its log, when the worker is dead."""
        status = self._child.poll()
        if status is not None:
            raise _dead(self._log, status)

    def unusable(self, what: str) -> SetupError:
        """Return an error with the end of the worker's log."""
        return SetupError(f"{what}\n{log_end(self._log)}", hint="nothing more was compared")

    def _ask(self, method: str, path: str, body: object = None) -> tuple[int, dict[str, Any]]:
        self.check()
        headers = {"Content-Type": "application/json"}
        data = None if body is None else orjson.dumps(body)
        try:
            answer = self._http.request(method, self._url + path, body=data, headers=headers)
        except HTTPError as error:
            with suppress(TimeoutError):
                self._child.wait(DYING_S)
            self.check()
            raise self.unusable(
                f"the Connect worker does not answer {method} {path}: {error}"
            ) from error
        text = answer.data
        return answer.status, cast("dict[str, Any]", orjson.loads(text)) if text else {}


@contextmanager
def working(
    files: WorkerFiles, directory: Path, bootstrap: str, zone: str, env: Mapping[str, str]
) -> Generator[Worker]:
    """Run a worker whose JVM is in a time zone until the end of the block.

    Raises SetupError, with the end of its log, when it does not come up.
    """
    java = find_java("kafka", env)
    directory.mkdir(parents=True, exist_ok=True)
    properties = directory / "worker.properties"
    log = directory / "worker.log"
    classpath = ":".join(map(str, files.jars))
    home = cache_directory(env) / "connect"
    home.mkdir(parents=True, exist_ok=True)
    classes = ClassArchive.of(home, directory, str(java.home), java.version, *JVM, classpath)
    own = (f"-Duser.timezone={zone}", f"-Djava.io.tmpdir={directory}", classes.option)
    for attempt in range(1, BIND_ATTEMPTS + 1):
        (port,) = free_ports(1)
        url = f"http://{HOST}:{port}"
        properties.write_text(_properties(files, directory, bootstrap, url), encoding="utf-8")
        begin = size(log)
        with spawn(
            [str(java.executable), *JVM, *own, "-cp", classpath, MAIN, str(properties)],
            cwd=directory,
            env={name: env[name] for name in ("PATH", "HOME", "LANG") if name in env},
            stdout=log,
            stderr=log,
        ) as child:
            try:
                worker = Worker(url, child, log)
                last = attempt == BIND_ATTEMPTS
                if _is_up(worker, url) or last or not met_a_conflict(log, begin):
                    worker.check()
                    yield worker
                    return
            finally:
                status = child.stop(STOP_GRACE_S if classes.made else ARCHIVING_GRACE_S)
                keep(classes.fresh, classes.path, status)
                classes.fresh.unlink(missing_ok=True)


def deepest(trace: str) -> str:
    """Return the deepest cause of a Java stack trace on one line; its first line without causes."""
    causes = re.findall(r"^Caused by: (.*(?:\n(?!\s+at |Caused by).*)*)", trace, re.MULTILINE)
    return " ".join((causes or trace.splitlines()[:1] or [""])[-1].split())


def _properties(files: WorkerFiles, directory: Path, bootstrap: str, url: str) -> str:
    # A plugin's directory holds one plugin; what holds them all is what the worker is given.
    settings = {
        "bootstrap.servers": bootstrap,
        "key.converter": JSON,
        "value.converter": JSON,
        "offset.storage.file.filename": str(directory / "offsets.dat"),
        "offset.flush.interval.ms": "1000",
        "task.shutdown.graceful.timeout.ms": str(TASK_GRACE_MS),
        "plugin.path": ",".join(str(plugin.parent) for plugin in files.plugins),
        "plugin.discovery": "service_load",
        "listeners": url,
    }
    return "".join(f"{name}={value}\n" for name, value in settings.items())


def _is_up(worker: Worker, url: str) -> bool:
    """Return True once the worker answers, False when it ended instead."""
    deadline = time.monotonic() + READY_S
    waiting = threading.Event()
    with urllib3.PoolManager(timeout=urllib3.Timeout(total=1.0), retries=False) as http:
        while True:
            if worker.has_ended:
                return False
            try:
                if http.request("GET", f"{url}/connectors").status == 200:
                    return True
            except HTTPError:
                pass
            if time.monotonic() > deadline:
                raise SetupError(
                    f"the Connect worker gave no answer in {READY_S:g} s",
                    hint="the machine may be overloaded",
                )
            waiting.wait(POLL_S)


def _dead(log: Path, status: int) -> SetupError:
    return SetupError(
        f"the Connect worker {how_ended(status)}\n{log_end(log)}",
        hint="nothing was compared; run again, and look at the whole log if this stays",
    )
