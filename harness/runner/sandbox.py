"""What a consumer in a sandbox is shown: its program, its job, and where it writes.

`sandboxed.py` makes the sandbox; this says what is in it for one start.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from harness.errors import SetupError, UsageError
from harness.runner.contract.job import Job

PROGRAM = (sys.executable, "-I", str(Path(__file__).with_name("sandboxed.py")))
HERE = frozenset({"127.0.0.1", "localhost"})
TRIED_S = 30.0
# Variables that name files which a program needs.
NAMING = ("PATH", "PYTHONPATH", "JAVA_HOME")


@dataclass(frozen=True, slots=True)
class Sandbox:
    """`hidden` are directories that no consumer is to see: what is right, and other runs."""

    hidden: tuple[str, ...] = ()

    def around(
        self, argv: Sequence[str], job: Job, given: Sequence[Path], env: Mapping[str, str]
    ) -> list[str]:
        """Return the command line that runs `argv` in the sandbox; it may read what is given."""
        wanted = {
            "ports": sorted(_ports(job)),
            "shown": _program(argv, env),
            "hidden": list(self.hidden),
            "given": [str(path) for path in given if path.exists()],
            "written": [str(path) for path in (job.work_dir, job.out_dir, env["TMPDIR"])],
        }
        return [*PROGRAM, json.dumps(wanted), *argv]


def refuse_where_none_is() -> None:
    """Raise SetupError, with the reason, where this machine makes no sandbox."""
    nothing: dict[str, list[str]] = {
        name: [] for name in ("ports", "shown", "hidden", "given", "written")
    }
    try:
        done = subprocess.run(
            [*PROGRAM, json.dumps(nothing), "true"],
            capture_output=True,
            text=True,
            check=False,
            cwd="/",
            timeout=TRIED_S,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _none(str(error)) from None
    if done.returncode:
        raise _none((done.stderr.strip().splitlines() or ["it does not say why"])[-1])


def _none(why: str) -> SetupError:
    return SetupError(
        f"no sandbox can be made on this machine: {why}",
        expected="Linux with `unshare` and user namespaces (kernel.unprivileged_userns_clone)",
        hint="`image:NAME` runs a consumer in a container instead",
    )


def _ports(job: Job) -> Iterator[int]:
    """Yield the ports of the job's services; UsageError for one that is not on this machine."""
    places: list[tuple[str, int]] = []
    if job.kafka is not None:
        for server in job.kafka.librdkafka["bootstrap.servers"].split(","):
            host, _, port = server.rpartition(":")
            places.append((host, int(port)))
    if job.registry is not None:
        parts = urlsplit(job.registry.url)
        places.append((parts.hostname or "", parts.port or 80))
    if job.sink is not None:
        places.append((job.sink.host, job.sink.port))
    for host, number in places:
        if host not in HERE:
            raise UsageError(
                f"--sandbox lets a consumer reach this machine alone, and {host} is another",
                expected="embedded services",
            )
        yield number


def _program(argv: Sequence[str], env: Mapping[str, str]) -> list[str]:
    """Return the directories of the interpreter, of the command's files and of its libraries."""
    named = [path for name in NAMING for path in env.get(name, "").split(os.pathsep)]
    files = [Path(word) for word in argv if Path(word).is_absolute()]
    homes = [str(file if file.is_dir() else file.parent) for file in files]
    found = [sys.prefix, sys.base_prefix, *named, *homes]
    found += [str(Path(path).resolve()) for path in found if path]
    there = {path for path in found if Path(path).is_absolute() and Path(path).is_dir()}
    # The outer ones first, so that an inner one is laid into them.
    return sorted(there - {"/"}, key=len)
