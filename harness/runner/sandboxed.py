"""Runs a consumer where it reaches its inputs, its outputs and the services of its job alone.

`python sandboxed.py JSON COMMAND…`, on Linux. JSON has `ports` (of this machine that the command
may connect to), `shown` (files and directories that it may read), `hidden` (directories that it may
not, even in shown ones), `given` (files that it may read, though they lie in hidden ones), and
`written` (directories that it may write). It imports nothing of the harness, so that it starts at
once.

The command has namespaces of its own (`unshare`): users, mounts, processes, network, shared memory.
Of the root's directories those of the system (`SYSTEM`) are there, read-only, the others empty;
`/dev` has what any program needs, and no disk. The network has nothing but the ports: their sockets
are opened inside and answered from outside, where the services are.
"""

from __future__ import annotations

import array
import ctypes
import errno
import fcntl
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Container, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

INSIDE = "--inside"
NAMESPACES = (
    *("unshare", "--user", "--map-root-user", "--mount", "--net", "--ipc", "--pid"),
    *("--fork", "--kill-child"),
)
SYSTEM = frozenset({"bin", "dev", "etc", "gnu", "nix", "opt", "proc", "sbin", "sys", "usr"})
LIBRARIES = "lib"  # what the names of further directories of the system begin with
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")  # no disk, no memory of others
OF_DEVICES = {"fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"}
STAGES = ("mnt", "media", "srv", "boot")  # one of them is there, and no program needs it
LOOPBACK = "127.0.0.1"
CHUNK = 1 << 16
MS_RDONLY, MS_REMOUNT, MS_BIND, MS_REC = 1, 32, 4096, 16384  # linux/mount.h
FLAGS = {"nosuid": 2, "nodev": 4, "noexec": 8, "noatime": 1024, "nodiratime": 2048}
MNT_DETACH = 2
PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 24, 38  # linux/prctl.h
CAPABILITIES = 64
SIOCSIFFLAGS = 0x8914  # linux/sockios.h
IFF_UP = 1  # linux/if.h
INTERFACE = struct.Struct("16sh14x")  # struct ifreq: a name and flags
ESCAPED = re.compile(r"\\([0-7]{3})")  # a blank in the name of a mount, as proc(5) writes it
LIBC = ctypes.CDLL(None, use_errno=True)


def main(arguments: Sequence[str]) -> int:
    """Run the command and return its exit status; 128 and the number for a signal."""
    if arguments[0] == INSIDE:
        return _inside(int(arguments[1]), json.loads(arguments[2]), arguments[3:])
    here, there = socket.socketpair()
    words = [sys.executable, "-I", str(Path(__file__)), INSIDE, str(there.fileno()), *arguments]
    with subprocess.Popen(
        [*NAMESPACES, *words],
        pass_fds=[there.fileno()],
        preexec_fn=_end_with_parent,  # noqa: PLW1509 - there is no other thread yet
    ) as child:
        there.close()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda number, _: child.send_signal(number))
        ports = json.loads(arguments[0])["ports"]
        _, opened, _, _ = socket.recv_fds(here, 1, len(ports))
        for descriptor, port in zip(opened, ports, strict=False):
            listening = socket.socket(fileno=descriptor)
            threading.Thread(target=_answer, args=(listening, port), daemon=True).start()
        status = child.wait()
    return status if status >= 0 else 128 - status


def _end_with_parent() -> None:
    """Let the kernel kill this process where its parent ends, even by SIGKILL."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _answer(listening: socket.socket, port: int) -> None:
    """Connect whoever connects inside with the port of this machine."""
    while True:
        inside, _ = listening.accept()
        try:
            outside = socket.create_connection((LOOPBACK, port))
        except OSError:
            inside.close()  # as where nobody listens
            continue
        for ends in ((inside, outside), (outside, inside)):
            threading.Thread(target=_pass_on, args=ends, daemon=True).start()


def _pass_on(one: socket.socket, other: socket.socket) -> None:
    with suppress(OSError):
        while data := one.recv(CHUNK):
            other.sendall(data)
    with suppress(OSError):
        other.shutdown(socket.SHUT_WR)
        if not one.recv(1):
            one.shutdown(socket.SHUT_RD)


def _inside(descriptor: int, wanted: Mapping[str, Any], command: Sequence[str]) -> int:
    """Make the surroundings, run the command without any rights over them, and wait for its end."""
    work = Path.cwd()
    _open(descriptor, wanted["ports"])
    _lay_out(wanted)
    os.chdir(work)
    for capability in range(CAPABILITIES):
        LIBC.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    with subprocess.Popen(command) as child:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda number, _: child.send_signal(number))
        status = child.wait()
    return status if status >= 0 else 128 - status


def _open(descriptor: int, ports: Sequence[int]) -> None:
    """Bring the loopback interface up and hand listening sockets to who answers them."""
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, INTERFACE.pack(b"lo", IFF_UP))
    listening = [socket.create_server((LOOPBACK, port), backlog=512) for port in ports]
    numbers = array.array("i", [one.fileno() for one in listening])
    with socket.socket(fileno=descriptor) as there:
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, numbers)] if ports else []
        there.sendmsg([b"x"], rights)
    for one in listening:
        one.close()


def _lay_out(wanted: Mapping[str, Any]) -> None:
    """Hide what is private, show what is needed of it, and make the rest read-only."""
    shown, hidden, written = (wanted[name] for name in ("shown", "hidden", "written"))
    own = [*wanted["given"], *written]
    devices = [f"/dev/{name}" for name in DEVICES if Path("/dev", name).exists()]
    private = [str(path) for path in Path("/").iterdir() if _is_private(path)]
    stage = next(f"/{name}" for name in STAGES if f"/{name}" in private)
    _mount("tmpfs", stage, "tmpfs", 0)
    for number, path in enumerate([*shown, *own, *devices]):
        _bind(path, Path(stage, str(number)))
    for path in [*private, "/dev"]:
        if path != stage:
            _mount("tmpfs", path, "tmpfs", 0)
    for number, path in enumerate(shown):
        _bind(f"{stage}/{number}", Path(path))
    for path in [one for one in hidden if Path(one).is_dir()]:
        _mount("tmpfs", path, "tmpfs", 0)
    for number, path in enumerate([*own, *devices], len(shown)):
        _bind(f"{stage}/{number}", Path(path))
    Path("/dev", "shm").mkdir(mode=0o1777)
    for name, target in OF_DEVICES.items():
        Path("/dev", name).symlink_to(target)
    LIBC.umount2(stage.encode(), MNT_DETACH)
    _mount("tmpfs", stage, "tmpfs", 0)
    _mount("proc", "/proc", "proc", 0, must=False)  # not where parts of it are hidden
    _make_read_only({*written, *private, *hidden})


def _make_read_only(kept: Container[str]) -> None:
    """Let nothing be written but in what is kept and in `/dev`, which is the sandbox's own."""
    for line in Path("/proc/self/mountinfo").read_text("utf-8", "surrogateescape").splitlines():
        place, options = line.split(" ")[4:6]
        place = ESCAPED.sub(lambda found: chr(int(found[1], 8)), place)
        if place not in kept and Path(place).parts[1:2] not in {("proc",), ("dev",)}:
            flags = sum(FLAGS.get(option, 0) for option in options.split(","))
            _mount(None, place, None, MS_REMOUNT | MS_BIND | MS_RDONLY | flags, gone=True)


def _is_private(path: Path) -> bool:
    system = path.name in SYSTEM or path.name.startswith(LIBRARIES)
    return path.is_dir() and not path.is_symlink() and not system


def _bind(source: str, target: Path) -> None:
    if not target.exists():
        if Path(source).is_dir():
            target.mkdir(parents=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.touch()
    _mount(source, str(target), None, MS_BIND | MS_REC)


def _mount(
    source: str | None,
    target: str,
    kind: str | None,
    flags: int,
    *,
    must: bool = True,
    gone: bool = False,
) -> None:
    """Mount; OSError where it must be and is refused, unless its place is gone below another."""
    words = [None if word is None else os.fsencode(word) for word in (source, target, kind)]
    if LIBC.mount(*words, ctypes.c_ulong(flags), None) and must:
        number = ctypes.get_errno()
        if not (gone and number in {errno.ENOENT, errno.EINVAL}):
            raise OSError(number, f"mount: {os.strerror(number)}", target)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
