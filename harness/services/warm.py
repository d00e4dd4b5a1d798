"""A warm set: services that outlive the command that started them, for the author's loop.

A state file says where they are, and it is believed only while its keeper lives. The keeper
(`keeper.py`) is a process of its own; it ends with `down`, when its directory is removed, when one
of its services dies, or after `warm.idle-hours` without a run.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import filelock
import psutil

from harness.errors import ServiceLost, SetupError
from harness.services.artifacts import LOCK
from harness.services.external.reached import Reached, refusal
from harness.services.prepared import key
from harness.services.service import Address, Kafka, MariaDb, Registry
from harness.services.settings import Settings

STATE = "state.json"
USED = "used"
LOG = "keeper.log"
UP_DEADLINE_S = 900.0  # the first time everything is downloaded
DOWN_DEADLINE_S = 60.0
POLL_S = 0.05
CONNECT_TIMEOUT_S = 1.0
# What finds Java, Docker, archives and mirrors; HARNESS_* is ours, but for a consumer's.
KEEPERS = re.compile(
    r"PATH|HOME|USER|TMPDIR|LANG|LC_\w+|(DY)?LD_LIBRARY_PATH|JAVA_HOME|XDG_\w+|MAVEN_\w+|DOCKER_\w+"
    r"|SSL_CERT_(FILE|DIR)|CURL_CA_BUNDLE|REQUESTS_CA_BUNDLE|(?i:https?|no|all)_(?i:proxy)"
    r"|VIRTUAL_ENV|TESTCONTAINERS_\w+|CI|HARNESS_(?!JOB|CRASHPOINT)\w+"
)
ADDRESSES: Mapping[str, type[Kafka | MariaDb | Registry]] = {
    "kafka": Kafka,
    "mariadb": MariaDb,
    "registry": Registry,
}


@dataclass(frozen=True, slots=True)
class State:
    """What a keeper wrote: who it is, what it was made from, and where its services are."""

    pid: int
    started: float
    made_from: str
    idle_hours: float
    addresses: Mapping[str, Address]

    @property
    def alive(self) -> bool:
        """Return whether the keeper still runs; its process id alone may have been reused."""
        try:
            process = psutil.Process(self.pid)
            same = abs(process.create_time() - self.started) < 1
            return same and process.status() != psutil.STATUS_ZOMBIE
        except psutil.Error:
            return False

    def trouble(self) -> str:
        """Return why this set cannot be used, "" when it can."""
        if not self.alive:
            return f"its keeper (process {self.pid}) is gone"
        if self.made_from != made_from():
            return "another version of the harness started it"
        refusals = (refusal(*place(one), CONNECT_TIMEOUT_S) for one in self.addresses.values())
        return next((one for one in refusals if one), "")


@dataclass(frozen=True, slots=True)
class Warm:
    """One service of a warm set, as a run sees it: used, never ended."""

    state: State
    reached: Reached

    @property
    def address(self) -> Address:
        """Return where it is."""
        return self.reached.address

    def check(self) -> None:
        """Raise ServiceLost when the set was taken down, or the service does not answer."""
        name = self.reached.name
        if not self.state.alive:
            raise ServiceLost(
                name,
                f"the warm set that had {name} is gone",
                hint="nothing was judged; run again, a run without a warm set starts its own",
            )
        try:
            self.reached.check()
        except SetupError as error:
            raise ServiceLost(name, error.what, hint=error.hint) from error

    def stop(self) -> None:
        """Leave it as it is."""


def made_from() -> str:
    """Return what a set depends on: the locked jars, and the code that starts them."""
    sources = sorted(Path(__file__).parent.rglob("*.py"))
    return key(LOCK.read_text(encoding="utf-8"), *(one.read_text("utf-8") for one in sources))


def place(address: Address) -> tuple[str, int]:
    """Return host and port of an embedded service."""
    if isinstance(address, MariaDb):
        return address.host, address.port
    text = address.bootstrap if isinstance(address, Kafka) else address.url.split("/")[2]
    host, _, port = text.partition(":")
    return host, int(port)


def read(directory: Path) -> State | None:
    """Return what the state file says, believed or not; None when there is none that is whole."""
    try:
        document: Any = json.loads((directory / STATE).read_text(encoding="utf-8"))
        found = document.pop("addresses")
        addresses = {name: ADDRESSES[name](**fields) for name, fields in found.items()}
        return State(**document, addresses=addresses)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def write(directory: Path, state: State) -> None:
    """Write the state file, whole or not at all, for this user only: it has a password in it."""
    scratch = directory / f".{STATE}"
    scratch.touch(mode=0o600)
    addresses = {name: asdict(one) for name, one in state.addresses.items()}
    document = {
        "pid": state.pid,
        "started": state.started,
        "made_from": state.made_from,
        "idle_hours": state.idle_hours,
        "addresses": addresses,
    }
    scratch.write_text(json.dumps(document, indent=1), encoding="utf-8")
    scratch.replace(directory / STATE)


def find(directory: Path) -> Mapping[str, Warm]:
    """Return the warm services that can be used, and mark the set as used; none when stale."""
    state = read(directory)
    if state is None or state.trouble():
        return {}
    (directory / USED).touch()
    return {
        name: Warm(state, Reached(name, address, [place(address)]))
        for name, address in state.addresses.items()
    }


def up(directory: Path, wanted: Sequence[str], settings: Settings) -> tuple[State, bool]:
    """Return the set with (at least) these services, and whether it was started just now.

    A set that lacks one of them, or is of no use, is taken down first. Raises SetupError with the
    end of the keeper's log when the services do not come up.
    """
    directory.mkdir(parents=True, exist_ok=True)
    with filelock.FileLock(directory / "up.lock").acquire(timeout=UP_DEADLINE_S):
        state = read(directory)
        if state and not state.trouble() and set(wanted) <= set(state.addresses):
            (directory / USED).touch()
            return state, False
        kept = state.addresses if state and not state.trouble() else ()
        down(directory)
        names = list(dict.fromkeys([*wanted, *kept]))
        return _started(directory, names, settings.text("warm.idle-hours")), True


def down(directory: Path) -> bool:
    """End the set; return whether there was one. Raises SetupError when it does not end."""
    state = read(directory)
    (directory / STATE).unlink(missing_ok=True)
    if state is None or not state.alive:
        return False
    process = psutil.Process(state.pid)
    with suppress(psutil.NoSuchProcess):
        process.terminate()
        process.resume()  # one that a signal halted would never hear of it
    try:
        process.wait(DOWN_DEADLINE_S)
    except psutil.TimeoutExpired:
        process.kill()  # its guardians end the services when it is gone
        try:
            process.wait(DOWN_DEADLINE_S)
        except psutil.TimeoutExpired as error:
            raise SetupError(
                f"the warm set's keeper (process {state.pid}) does not end",
                hint="such a process waits in the kernel; look at its state with `ps`",
            ) from error
    return True


def _started(directory: Path, names: Sequence[str], idle_hours: str) -> State:
    log = directory / LOG
    with log.open("wb") as output:
        # The one process that is meant to outlive us; what it starts is guarded by it.
        keeper = subprocess.Popen(
            [sys.executable, "-m", "harness.services.keeper", str(directory), idle_hours, *names],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=_environment(),
            start_new_session=True,
        )
    deadline = time.monotonic() + UP_DEADLINE_S
    while True:
        with suppress(ProcessLookupError):
            keeper.send_signal(signal.SIGCONT)  # somebody may have halted it
        state = read(directory)
        if state is not None and state.pid == keeper.pid:
            keeper.returncode = 0  # we leave it alone from here on, and nobody need warn of it
            return state
        ended = keeper.poll() is not None
        if ended or time.monotonic() > deadline:
            keeper.kill()
            keeper.wait(DOWN_DEADLINE_S)
            text = log.read_text(encoding="utf-8", errors="replace").strip()
            raise SetupError(f"the warm set did not come up:\n{text}", hint=f"the log is in {log}")
        time.sleep(POLL_S)


def _environment() -> dict[str, str]:
    """Return what the keeper needs to start services, and to import the harness from where we did.

    It outlives us by hours, so nothing else of ours is left in it.
    """
    ours = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, [ours, os.environ.get("PYTHONPATH", "")]))
    kept = {name: value for name, value in os.environ.items() if KEEPERS.fullmatch(name)}
    return {**kept, "PYTHONPATH": path}
