"""Starts one service process: ports, health, and the end of its log when it does not come up."""

from __future__ import annotations

import atexit
import re
import shutil
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.errors import ServiceLost, SetupError
from harness.process import Guarded, GuardianKilledError, spawn
from harness.services.download import Interrupted
from harness.services.ports import free_ports, in_use
from harness.services.service import Address
from harness.services.settings import Settings

POLL_S = 0.02
BIND_ATTEMPTS = 5
# As Java, MariaDB and Quarkus say it.
BIND_CONFLICT = re.compile(r"Address already in use|BindException|Port \d+ seems to be in use")
STOP_GRACE_S = 10.0
TAIL_LINES = 20
AGAIN = "nothing was judged; run again, and look at the whole log if this stays"
TAIL_BYTES = 1 << 16
LOGGED_BYTES = 1 << 22  # what of a start's log is searched for a reason


@dataclass(frozen=True, slots=True)
class Startup:
    """What a starter is given.

    `directory` is the service's own in the run (absolute, existing); `fetch` returns the files of a
    group of the lock; `report` takes a state and a detail; `port` is None unless the user chose
    one; a service that is `lasting` serves many runs.
    """

    name: str
    directory: Path
    cache: Path
    env: Mapping[str, str]
    fetch: Callable[[str], tuple[Path, ...]]
    report: Callable[[str, str], None]
    given_up: threading.Event
    port: int | None = None
    settings: Settings = field(default_factory=Settings)
    lasting: bool = False

    @property
    def log(self) -> Path:
        """Return the file that keeps the service's output."""
        return self.directory / f"{self.name}.log"

    @property
    def wait_s(self) -> float:
        """Return how long the service may take until it answers; usually it needs 2 s."""
        return float(self.settings.text("start.wait-seconds"))

    @property
    def data(self) -> Path:
        """Return the directory of everything that goes when the service stops."""
        return self.directory / "data"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One way to start a service, on ports that were just free."""

    argv: Sequence[str]
    env: Mapping[str, str]
    address: Address
    ready: Callable[[], bool]


@dataclass(slots=True)
class Running:
    """A service that answers, or that was halted for a while.

    `attempt` is how it was started; `halt_s` is what it has to end in order when it is halted, as
    `grace_s` is at the run's end. `before_removal` takes the exit status, after the process's end
    and before the data's.
    """

    startup: Startup
    address: Address
    child: Guarded
    attempt: Attempt
    grace_s: float = STOP_GRACE_S
    halt_s: float = STOP_GRACE_S
    before_removal: Sequence[Callable[[int], None]] = field(default=())
    halted: bool = False

    def check(self) -> None:
        """Raise ServiceLost, with the end of the log, when the process is dead and should not be.

        One that was halted by a signal is let go on, and its run hears of it.
        """
        self.rouse()
        name = self.startup.name
        try:
            status = self.child.look()
        except GuardianKilledError as error:
            raise ServiceLost(name, f"{name} is gone: {error.what}", hint=error.hint) from error
        if status is not None and not self.halted:
            raise ServiceLost(
                name, _end(self.startup, status, "in the middle of the run"), hint=AGAIN
            )

    def rouse(self) -> None:
        """Let the process go on, and the one that guards it, when a signal halted them."""
        if self.halted:
            return
        for halted in self.child.rouse():
            self.startup.report("continued", f"{halted} was halted by a signal, and goes on")

    def halt(self) -> None:
        """End the process and keep its data: it is to come back."""
        self.halted = True
        self.child.stop(self.halt_s)

    def revive(self) -> None:
        """Start it again on its ports, with its data; SetupError when it does not come up."""
        self.child = _spawn(self.startup, self.attempt)
        status = _until_ready(self.startup, self.child, self.attempt.ready)
        if status is not None:
            raise _dead(self.startup, status, "while it was started again")
        self.halted = False

    def stop(self) -> None:
        """End the process and remove its data; the log stays.

        Who interrupts that waits for the end all the same: what still runs would write anew.
        """
        try:
            try:
                status = self.child.stop(self.grace_s)
            except KeyboardInterrupt:
                self.child.stop(self.grace_s)
                raise
            for action in self.before_removal:
                action(status)
        except GuardianKilledError:
            return  # it has ended; a run that needed it heard so from `check`
        finally:
            _removed(self.startup.data)


def _removed(data: Path) -> None:
    """Remove a service's data, at our end if not now.

    Without free file handles nothing can be, and an interrupt leaves the rest.
    """
    try:
        shutil.rmtree(data, ignore_errors=True)
    finally:
        if data.exists():
            atexit.register(shutil.rmtree, data, ignore_errors=True)


def launch(startup: Startup, ports: int, attempt: Callable[[Sequence[int]], Attempt]) -> Running:
    """Start a service on free ports and return when it answers.

    `attempt` fills the (fresh) data directory for the given ports. Raises SetupError when the
    service ends or does not answer in time, OSError when its command cannot be run.
    """
    try:
        return _launch(startup, ports, attempt)
    except BaseException:  # the log stays, and says why
        _removed(startup.data)
        raise


def _launch(startup: Startup, ports: int, attempt: Callable[[Sequence[int]], Attempt]) -> Running:
    status, taken = None, True
    for _ in range(BIND_ATTEMPTS):
        shutil.rmtree(startup.data, ignore_errors=True)
        startup.data.mkdir(parents=True)
        chosen = free_ports(ports, startup.port)
        this = attempt(chosen)
        logged = size(startup.log)
        child = _spawn(startup, this)
        try:
            status = _until_ready(startup, child, this.ready)
            if status is None:
                return Running(startup, this.address, child, this)
            child.stop()
        except GuardianKilledError:
            status = -signal.SIGKILL
        except BaseException:
            child.stop(grace_s=1)
            raise
        taken = status >= 0 and met_a_conflict(startup.log, logged)
        if status >= 0 and not taken:
            raise _dead(startup, status, "while it started")
        if taken and startup.port:
            raise in_use(startup.port)
    if status is not None and not taken:
        raise _dead(startup, status, f"{BIND_ATTEMPTS} times while it started")
    raise SetupError(
        f"{startup.name} found {BIND_ATTEMPTS} times in a row that its free ports were taken",
        hint="something on this machine takes ports as fast as we do; look at `ss -ltnp`",
    )


def _spawn(startup: Startup, this: Attempt) -> Guarded:
    return spawn(
        this.argv,
        cwd=startup.data,
        env=this.env,
        stdout=startup.log,
        stderr=startup.log,
        scratch=[startup.data],
    )


def _until_ready(startup: Startup, child: Guarded, ready: Callable[[], bool]) -> int | None:
    """Return None when the service answers, its exit status when it ended instead."""
    deadline = time.monotonic() + startup.wait_s
    while not startup.given_up.is_set():
        child.rouse()
        status = child.poll()
        if status is not None or ready():
            return status
        if time.monotonic() > deadline:
            raise SetupError(
                f"{startup.name} gave no answer in {startup.wait_s:g} s\n{log_end(startup.log)}",
                hint="the machine may be overloaded: `start.wait-seconds` gives it longer; the log"
                " is in the file named above",
            )
        startup.given_up.wait(POLL_S)
    raise Interrupted


def size(log: Path) -> int:
    """Return how many bytes a log has, 0 when there is none."""
    return log.stat().st_size if log.exists() else 0


def met_a_conflict(log: Path, begin: int) -> bool:
    """Return whether a port was taken, by what was logged from an offset on.

    A broker that finds its port taken says so, and then a hundred lines about its orderly end.
    """
    with log.open("rb") as stream:
        stream.seek(begin)
        return BIND_CONFLICT.search(stream.read(LOGGED_BYTES).decode(errors="replace")) is not None


def tail(log: Path) -> str:
    """Return the last lines of a log, "" when there is none."""
    try:
        with log.open("rb") as stream:
            stream.seek(max(0, log.stat().st_size - TAIL_BYTES))
            text = stream.read().decode(errors="replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-TAIL_LINES:])


def log_end(log: Path) -> str:
    """Return the last lines of a log for an error, and where it is."""
    lines = "\n".join(f"    | {line}" for line in tail(log).splitlines())
    return f"    the end of {log}:\n{lines or '    | (it is empty)'}"


def how_ended(status: int) -> str:
    """Return what an exit status says of a process, as the end of a sentence about it."""
    return f"was killed by signal {-status}" if status < 0 else f"ended with exit code {status}"


def _dead(startup: Startup, status: int, when: str) -> SetupError:
    return SetupError(_end(startup, status, when), hint=AGAIN)


def _end(startup: Startup, status: int, when: str) -> str:
    return f"{startup.name} {how_ended(status)} {when}\n{log_end(startup.log)}"
