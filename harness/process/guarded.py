"""The harness's side of a guarded child: start it, wait for it, signal it, stop it.

The only thing that keeps a child alive is a pipe that this process holds. A crash, a kill -9
or a forgotten `stop` closes it, and the guardian (`guardian.py`) ends the whole tree.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import psutil

from harness.errors import SetupError
from harness.process.guardian import line_of, message_of

GUARDIAN = Path(__file__).with_name("guardian.py")
START_DEADLINE_S = 30.0
LOOK_DEADLINE_S = 10.0  # a guardian answers within milliseconds, later on a busy machine
ROUSE_S = 1.0  # how often one that does not answer is let go on: its child may halt it
# What an interpreter needs to start and to name files; all else, passwords above all, stays here.
INTERPRETER = (
    "PATH",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "TMPDIR",
)
END_MARGIN_S = 20.0  # the guardian's own deadlines after the grace period, and some


class GuardianKilledError(SetupError):
    """The process that guards a child was killed, and took the child along."""


class Guarded:
    """A running child; safe to use from several threads. As a context manager it stops on exit."""

    def __init__(
        self, guardian: subprocess.Popen[bytes], name: str, order: Mapping[str, Any]
    ) -> None:
        """Give a fresh guardian its order and listen to it; `spawn` is the only caller."""
        self._guardian = guardian
        self._name = name
        self._pid = 0
        self._status: int | None = None
        self._failure: OSError | None = None
        self._stuck: Sequence[int] = ()
        self._started = threading.Event()
        self._ended = threading.Event()
        self._gone = threading.Event()
        self._lock = threading.Lock()
        self._looked = threading.Condition()
        self._looks = self._answered = 0
        self._reader = threading.Thread(target=self._listen, name=f"guard {name}", daemon=True)
        self._reader.start()
        self._order(order)

    @property
    def pid(self) -> int:
        """Return the process id of the child itself, which is also its process group's."""
        return self._pid

    def poll(self) -> int | None:
        """Return the exit status as `subprocess` reports it (-9 for SIGKILL), None while it runs.

        Raises GuardianKilledError when the guardian was killed, which takes the child with it.
        """
        if self._status is None and self._gone.is_set():
            raise GuardianKilledError(
                f"the process that guards {self._name} was killed from outside",
                hint="look for the kernel's out-of-memory killer in the system log",
            )
        return self._status

    def look(self) -> int | None:
        """Return what `poll` does, of a child that the guardian looked at since the call.

        `poll` says what was heard: a child that died just now may not have been reported yet.
        """
        with self._looked:
            self._looks += 1
            asked = self._looks
        self._order({"look": asked})
        for rest_s in self._patience(LOOK_DEADLINE_S):
            with self._looked:
                if self._looked.wait_for(
                    lambda: self._answered >= asked or self._gone.is_set(), rest_s
                ):
                    break
        return self.poll()

    def rouse(self) -> Sequence[str]:
        """Let the child and its guardian go on where a signal halted them; return which were."""
        pids = {f"the process that guards {self._name}": self._guardian.pid, self._name: self._pid}
        return [name for name, pid in pids.items() if _roused(pid)] if self._status is None else []

    def wait(self, timeout_s: float) -> int:
        """Return the exit status once the child has ended; raise TimeoutError when it runs on.

        What the child left running is not waited for: `stop` ends it.
        """
        if not any(map(self._ended.wait, self._patience(timeout_s))):
            raise TimeoutError(f"{self._name} (pid {self._pid}) still runs after {timeout_s:g} s")
        status = self.poll()
        assert status is not None
        return status

    def signal(self, signum: int) -> None:
        """Send a signal to the child's whole process group; nothing happens when it has ended."""
        self._order({"signal": int(signum)})

    def stop(self, grace_s: float = 10) -> int:
        """End child and descendants: SIGTERM, up to `grace_s` seconds, SIGKILL. May be repeated.

        Returns the child's exit status when nothing of the tree is left; raises SetupError when
        something survives even SIGKILL (a process stuck in the kernel).
        """
        self._order({"stop": grace_s})
        gone = any(map(self._gone.wait, self._patience(grace_s + END_MARGIN_S)))
        if not gone and self._status is None:
            with suppress(OSError):  # the guardian has not reaped it, so the id is still its own
                os.killpg(self._pid, signal.SIGKILL)
        with self._lock:
            self._close()
        if not gone or self._stuck:
            raise SetupError(
                f"{self._name} could not be ended: {list(self._stuck) or self._pid} survives",
                hint="such a process waits in the kernel; look at its state with `ps`",
            )
        status = self.poll()
        assert status is not None
        return status

    def __enter__(self) -> Self:
        """Return the running child."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop the child with the usual grace period."""
        self.stop()

    def await_start(self) -> Self:
        """Return when the child runs; raise OSError, as `subprocess` does, when it cannot."""
        if not self._started.wait(START_DEADLINE_S) or not self._pid:
            self._guardian.kill()
            with self._lock:
                self._close()
            raise self._failure or SetupError(
                f"{self._name} did not start within {START_DEADLINE_S:g} s",
                hint="the machine may be overloaded or out of memory",
            )
        return self

    def _patience(self, seconds: float) -> Iterator[float]:
        """Yield what to wait at a time, `seconds` in all; each time the guardian is let go on.

        A child may halt its guardian, which would then neither answer nor end.
        """
        deadline = time.monotonic() + seconds
        while True:
            with suppress(OSError):
                self._guardian.send_signal(signal.SIGCONT)
            yield min(max(0.0, deadline - time.monotonic()), ROUSE_S)
            if time.monotonic() >= deadline:
                return

    def _order(self, order: Mapping[str, Any]) -> None:
        pipe = self._guardian.stdin
        assert pipe is not None
        with self._lock:
            if pipe.closed or self._gone.is_set():
                return
            try:
                pipe.write(line_of(order))
                pipe.flush()
            except BrokenPipeError:  # it is ending already; the reader will see how
                return

    def _listen(self) -> None:
        """Read what the guardian reports until it ends; runs in a thread of its own."""
        assert self._guardian.stdout is not None
        for line in self._guardian.stdout:
            self._hear(message_of(line))
        for event in (self._started, self._ended, self._gone):
            event.set()
        with self._looked:
            self._looked.notify_all()

    def _hear(self, message: Mapping[str, Any]) -> None:
        if "error" in message:
            code = message["error"]
            self._failure = OSError(code, os.strerror(code), message["filename"])
        if "pid" in message:
            self._pid = message["pid"]
            self._started.set()
        if "status" in message:
            self._status = message["status"]
            self._ended.set()
        if "looked" in message:
            with self._looked:
                self._answered = max(self._answered, message["looked"])
                self._looked.notify_all()
        self._stuck = message.get("stuck", ())

    def _close(self) -> None:
        """Release the pipes and the guardian's exit status."""
        self._reader.join(END_MARGIN_S)
        for pipe in (self._guardian.stdin, self._guardian.stdout):
            if pipe is not None:
                pipe.close()
        try:
            self._guardian.wait(END_MARGIN_S)
        except subprocess.TimeoutExpired:
            self._guardian.kill()


def _roused(pid: int) -> bool:
    """Let a process go on, if a signal halted it; return whether one had."""
    try:
        process = psutil.Process(pid)
        if process.status() != psutil.STATUS_STOPPED:
            return False
        process.resume()
    except psutil.Error:
        return False
    return True


def spawn(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    stdout: Path,
    stderr: Path,
    scratch: Sequence[Path] = (),
) -> Guarded:
    """Run a command that cannot outlive this process, and return once it runs.

    The child gets a session of its own (a terminal's Ctrl-C reaches it through `stop` only), no
    standard input, exactly the environment `env`, and output appended to the two files. Should this
    process die without `stop`, the tree is ended and the `scratch` directories (absolute) are
    deleted; after an orderly `stop` they are left to the caller.

    Raises OSError, as `subprocess` does, when the command, `cwd` or an output file cannot be used.
    """
    assert all(path.is_absolute() for path in scratch), scratch
    order = {
        "argv": [str(part) for part in argv],
        "env": dict(env),
        "cwd": str(cwd.absolute()),
        "stdout": str(stdout.absolute()),
        "stderr": str(stderr.absolute()),
        "scratch": [str(path) for path in scratch],
    }
    with stderr.open("ab") as complaints:
        guardian = subprocess.Popen(
            [sys.executable, "-I", "-S", str(GUARDIAN)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=complaints,
            env={name: os.environ[name] for name in INTERPRETER if name in os.environ},
            start_new_session=True,
        )
    return Guarded(guardian, Path(argv[0]).name, order).await_start()
