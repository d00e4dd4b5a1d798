"""The guardian: a small process between the harness and one child, which outlives both.

This file is run as a script (`python -I -S guardian.py`), imports only the standard library,
and starts within milliseconds: `json`, `pathlib` and `typing` cost more to import than all the
rest, so they stay out. Standard input is the harness's lifeline: an order, then commands, one
mapping a line, marshalled (both ends are the same Python) and in hexadecimal digits; its end means
that the harness is gone, however it went. Standard output reports what happened, in the same form.

On Linux the guardian is a child subreaper (prctl(2), PR_SET_CHILD_SUBREAPER): whatever the child
leaves orphaned, in whatever session or process group (PySpark's daemon makes its own), becomes a
child of the guardian and is ended with the rest. Elsewhere the child's process group is all we see.
"""

from __future__ import annotations

import ctypes
import errno
import marshal
import os
import select
import signal
import sys
import time

TYPE_CHECKING = False  # as in `typing`, whose import takes as long as Python's own start
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

PR_SET_PDEATHSIG = 1  # linux/prctl.h
PR_SET_CHILD_SUBREAPER = 36
ORPHANED_GRACE_S = 5.0  # what a child gets to end in when the harness is gone
LEFTOVER_GRACE_S = 1.0  # what its descendants get once the child itself has ended
KILL_DEADLINE_S = 10.0  # SIGKILL works at once, save for a process stuck in the kernel
HEARTBEAT_S = 1.0  # a fork of the harness may hold the lifeline open: look at our parent too
RESTORED = ("SIGPIPE", "SIGXFSZ", "SIGINT", "SIGHUP", "SIGTERM", "SIGCHLD")


def line_of(message: Any) -> bytes:  # noqa: ANN401 - plain values
    """Return a message of plain values as a line of the pipe."""
    return marshal.dumps(message).hex().encode() + b"\n"


def message_of(line: bytes) -> Any:  # noqa: ANN401 - an order, or what became of it
    """Return the message of a line; the pipe's other end is this harness's own."""
    return marshal.loads(bytes.fromhex(line.decode()))  # noqa: S302 - see above


class Tree:
    """The child and everything that descends from it."""

    def __init__(self) -> None:
        """Become a subreaper where the system knows the notion."""
        self.pid = 0
        self.status: int | None = None
        self.everything = sys.platform == "linux" and _prctl(PR_SET_CHILD_SUBREAPER, 1)

    def start(self, order: dict[str, Any]) -> None:
        """Run the ordered command in a session of its own; raise OSError when that fails."""
        failure_read, failure_write = os.pipe()  # close on exec: its end without a word is success
        self.pid = os.fork()
        if not self.pid:
            _become(order, failure_write)
        os.close(failure_write)
        with os.fdopen(failure_read, "rb") as pipe:
            failure = pipe.read()
        if failure:
            os.waitpid(self.pid, 0)
            code, filename = message_of(failure)
            raise OSError(code, os.strerror(code), filename)

    def reap(self) -> bool:
        """Collect whatever has ended; return whether anything of the tree is left."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return not self.everything and self._group_exists()
            if not pid:
                return True
            if pid == self.pid:
                self.status = os.waitstatus_to_exitcode(status)

    def signal_group(self, signum: int) -> None:
        """Signal the child's process group; once it was reaped, whatever remains of the tree."""
        if self.status is None or not self.everything:
            _quietly(os.killpg, self.pid, signum)
        else:
            self.signal_all(signum)

    def signal_all(self, signum: int) -> None:
        """Signal every descendant that can be found."""
        if not self.everything:
            _quietly(os.killpg, self.pid, signum)
        for pid in self.members():
            _quietly(os.kill, pid, signum)

    def members(self) -> list[int]:
        """Return the process ids of all descendants of the guardian (Linux), nearest first."""
        if not self.everything:
            return []
        children: dict[int, list[int]] = {}
        for entry in os.listdir("/proc"):  # noqa: PTH208 - a Path for each process is slow
            if entry.isdigit():
                children.setdefault(_parent_of(entry), []).append(int(entry))
        found = list(children.get(os.getpid(), ()))
        for pid in found:  # grows while we walk it: breadth first
            found += children.get(pid, ())
        return found

    def _group_exists(self) -> bool:
        try:
            os.killpg(self.pid, 0)
        except OSError:  # ESRCH: empty; EPERM on macOS: only zombies
            return False
        return True


class Guardian:
    """Listens to the harness, reports what happens, and ends the tree."""

    def __init__(self) -> None:
        """Route the signals that matter into the select loop; a terminal's do not reach us."""
        self.parent = os.getppid()
        self.buffer = b""
        self.harness_alive = True
        self.reported_status = False
        self.tree = Tree()
        self.woken, wake = os.pipe()
        os.set_blocking(self.woken, False)
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, _ignore_but_wake)
        signal.signal(signal.SIGTERM, self._on_terminate)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def run(self) -> int:
        """Live through one child; return the guardian's own exit code."""
        order = self._first_order()
        if order is None:
            return 0
        try:
            self.tree.start(order)
        except OSError as error:
            self._tell(error=error.errno, filename=error.filename)
            return 1
        self._tell(pid=self.tree.pid)
        grace_s = self._watch()
        stuck = self._end(grace_s)
        if not self.harness_alive:
            _remove(order["scratch"])
        self._tell(gone=not stuck, stuck=stuck)
        return 0

    def _first_order(self) -> dict[str, Any] | None:
        while self.harness_alive:
            for order in self._orders(None):
                return order
        return None

    def _orders(self, timeout_s: float | None) -> list[dict[str, Any]]:
        ready, _, _ = select.select([0, self.woken], [], [], timeout_s)
        if self.woken in ready:
            os.read(self.woken, 4096)
        if 0 in ready:
            chunk = os.read(0, 1 << 16)
            self.buffer += chunk
            self.harness_alive = self.harness_alive and bool(chunk)
        if os.getppid() != self.parent:
            self.harness_alive = False
        *lines, self.buffer = self.buffer.split(b"\n")
        return [message_of(line) for line in lines]

    def _watch(self) -> float:
        """Obey until stopped or left alone; return the grace period in seconds."""
        while self.harness_alive:
            for order in self._orders(HEARTBEAT_S):
                if "stop" in order:
                    return float(order["stop"])
                if "look" in order:
                    self._reap()
                    self._tell(looked=order["look"])
                else:
                    self.tree.signal_group(order["signal"])
            self._reap()
        return ORPHANED_GRACE_S

    def _end(self, grace_s: float) -> list[int]:
        """SIGTERM, grace, SIGKILL; return the processes that even SIGKILL did not end."""
        deadline = time.monotonic() + grace_s
        if self._reap():
            self.tree.signal_group(signal.SIGTERM)
            self._until(lambda: self.tree.status is not None, deadline)
        if self._reap():
            self.tree.signal_all(signal.SIGTERM)
            self._until(lambda: False, min(deadline, time.monotonic() + LEFTOVER_GRACE_S))
        deadline = time.monotonic() + KILL_DEADLINE_S
        while self._reap() and time.monotonic() < deadline:
            self.tree.signal_all(signal.SIGKILL)  # again and again: it may be forking
            self._until(lambda: False, time.monotonic() + 0.01)
        return self.tree.members() if self._reap() else []

    def _until(self, reached: Callable[[], bool], deadline: float) -> None:
        """Wait until `reached`, or nothing is left, or the (monotonic) deadline has passed."""
        while self._reap() and not reached():
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                return
            # Grandchildren end without a SIGCHLD to us, so look again soon.
            ready, _, _ = select.select([self.woken], [], [], min(left_s, 0.01))
            if ready:
                os.read(self.woken, 4096)

    def _reap(self) -> bool:
        left = self.tree.reap()
        if self.tree.status is not None and not self.reported_status:
            self.reported_status = True
            self._tell(status=self.tree.status)
        return left

    def _tell(self, **message: object) -> None:
        try:
            os.write(1, line_of(message))
        except OSError:  # nobody listens any more; the lifeline says so as well
            self.harness_alive = False

    def _on_terminate(self, signum: int, frame: object) -> None:
        """Whoever ends the guardian means the child."""
        del signum, frame
        self.harness_alive = False


def _become(order: dict[str, Any], failure_write: int) -> NoReturn:
    """Turn this forked process into the ordered command, or say why not and exit."""
    try:
        os.setsid()
        if sys.platform == "linux":
            _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # should the guardian itself be killed
        signal.set_wakeup_fd(-1)
        for name in RESTORED:
            signal.signal(getattr(signal, name), signal.SIG_DFL)
        append = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(os.open(order["stdout"], append, 0o644), 1)
        os.dup2(os.open(order["stderr"], append, 0o644), 2)
        os.chdir(order["cwd"])
        os.execvpe(order["argv"][0], order["argv"], order["env"])  # noqa: S606 - no shell, by design
    except OSError as error:
        # A search along PATH names the last place that it looked at, in bytes: name the command.
        named = error.filename if isinstance(error.filename, str) else order["argv"][0]
        os.write(failure_write, line_of([error.errno, named]))
    except ValueError:  # a NUL character in an argument or in the environment
        os.write(failure_write, line_of([errno.EINVAL, order["argv"][0]]))
    finally:
        os._exit(127)


def _prctl(option: int, value: int) -> bool:
    return bool(ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0)


def _parent_of(pid: str) -> int:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123 - see the module's docstring
            stat = file.read()
    except OSError:  # it ended while we looked
        return 0
    # "pid (command) state ppid …": the command may hold spaces and parentheses, see proc(5).
    return int(stat[stat.rindex(b")") + 2 :].split(maxsplit=2)[1])


def _quietly(action: Callable[[int, int], None], pid: int, signum: int) -> None:
    try:
        action(pid, signum)
    except OSError:  # it is gone, or (macOS) a zombie
        return


def _ignore_but_wake(signum: int, frame: object) -> None:
    del signum, frame


def _remove(directories: list[str]) -> None:
    import shutil  # noqa: PLC0415 - needed by orphans only, and slow to import

    for directory in directories:
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(Guardian().run())
