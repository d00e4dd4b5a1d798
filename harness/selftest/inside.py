"""Runs a command in worse surroundings: `python inside.py JSON COMMAND…`.

JSON has `open-files` (a limit), `disk` (bytes of a file system of its own in the current directory,
whose files are copied to the directory `kept` afterwards), `read-only` (paths) or `no-network`. All
but the first need namespaces of their own. It imports nothing of the harness, so that it starts at
once.
"""

from __future__ import annotations

import fcntl
import json
import os
import resource
import shlex
import shutil
import socket
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

OPEN_FILES, NO_NETWORK = "open-files", "no-network"
NAMESPACES = ("unshare", "--user", "--map-root-user", "--mount")
SIOCSIFFLAGS = 0x8914  # linux/sockios.h
IFF_UP = 1  # linux/if.h
INTERFACE = struct.Struct("16sh14x")  # struct ifreq: a name and flags
FAKETIME = "**/faketime/libfaketimeMT.so.1"
KEPT = ("*.html", "*.xml", ".harness/runs/*/events.ndjson")


def command_line(wanted: Mapping[str, Any], command: Sequence[str]) -> list[str]:
    """Return the command line that runs a command in such surroundings."""
    prefix = [] if OPEN_FILES in wanted else [*NAMESPACES, *(["--net"] * (NO_NETWORK in wanted))]
    return [*prefix, sys.executable, str(Path(__file__)), json.dumps(wanted), *command]


@cache
def no_namespaces() -> str:
    """Return that this machine lets us make no namespaces of our own, "" where it does."""
    command = [*NAMESPACES, "mount", "-t", "tmpfs", "none", "/mnt"]
    try:
        done = subprocess.run(command, check=False, capture_output=True).returncode == 0
    except OSError:
        done = False
    return "" if done else "this machine lets nobody make namespaces (`unshare`)"


def no_clock() -> str:
    """Return that no clock can be faked here, "" where libfaketime is installed."""
    return "" if _faketime() else "libfaketime is not installed (Debian: `faketime`)"


def faked_clock(java: Path, home: Path, shown: Path) -> Mapping[str, str]:
    """Make a Java at `home` whose clock is off by what a file says; return what names it.

    Its monotonic clock goes on, as it does where somebody sets a machine's clock. Only Java's clock
    can be faked: librdkafka waits by `cnd_timedwait`, which libfaketime 0.9.10 does not replace, so
    a false "now" there becomes a wait of as many hours.
    """
    faked = {
        "LD_PRELOAD": _faketime(),
        "FAKETIME_TIMESTAMP_FILE": str(shown),
        "FAKETIME_CACHE_DURATION": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        # Java's conditions wait by the monotonic clock as they are; this mends older glibc alone.
        "FAKETIME_FORCE_MONOTONIC_FIX": "0",
    }
    words = [*(f"{name}={value}" for name, value in faked.items()), str(java / "bin" / "java")]
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec env {shlex.join(words)} "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    shutil.copyfile(java / "release", home / "release")
    return {"JAVA_HOME": str(home)}


def _faketime() -> str:
    """Return the path of libfaketime, "" where it is not."""
    named = os.environ.get("HARNESS_SELFTEST_FAKETIME", "")
    found = [named] if named else sorted(map(str, Path("/usr/lib").glob(FAKETIME)))
    return next((one for one in found if Path(one).is_file()), "")


def main(arguments: Sequence[str]) -> int:
    """Make the surroundings and become the command; with a disk of its own, wait for its end."""
    wanted: Mapping[str, Any] = json.loads(arguments[0])
    command = list(arguments[1:])
    if OPEN_FILES in wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted[OPEN_FILES],) * 2)
    for path in wanted.get("read-only", ()):
        _mount("--bind", path, path)
        _mount("-o", "remount,bind,ro", path)
    if NO_NETWORK in wanted:
        with socket.socket() as any_socket:
            fcntl.ioctl(any_socket, SIOCSIFFLAGS, INTERFACE.pack(b"lo", IFF_UP))
    if "disk" not in wanted:
        os.execv(command[0], command)  # noqa: S606 - the harness's own command line
    here = Path.cwd()
    _mount("-t", "tmpfs", "-o", f"size={wanted['disk']}", "none", str(here))
    os.chdir(here)
    code = subprocess.run(command, check=False).returncode
    for pattern in KEPT:
        for file in here.glob(pattern):
            target = Path(wanted["kept"]) / file.relative_to(here)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
    return code if code >= 0 else 128 - code


def _mount(*words: str) -> None:
    mount = shutil.which("mount") or "/bin/mount"
    subprocess.run([mount, *words], check=True, stdin=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
