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
from tempfile import gettempdir
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
    """`hidden` are directories that no consumer is to see: what is right, and other runs.

    `shown` are further ones that it may read, such as the one of its manifest.
    """

    hidden: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()

    def around(
        self,
        argv: Sequence[str],
        job: Job,
        given: Sequence[Path],
        env: Mapping[str, str],
        declared: Mapping[str, str],
    ) -> list[str]:
        """Return the command line that runs `argv` in the sandbox.

        It may read what is given, and what its declared environment names.
        """
        values = [env.get(name, "") for name in NAMING] + list(declared.values())
        wanted = {
            "ports": sorted(_ports(job)),
            "shown": _program([*argv, *self.shown], values),
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
                f"a sandbox lets a consumer reach this machine alone, and {host} is another",
                expected="embedded services",
            )
        yield number


def _program(words: Sequence[str], values: Sequence[str]) -> list[str]:
    """Return the interpreter's directories, those of the words' files, and what values name.

    A home is never among them, nor what holds one: of a program there its file alone is shown.
    """
    files = [Path(word) for word in words if Path(word).is_absolute()]
    homes = [path for file in files for path in _own(file)]
    named = [Path(path) for value in values for path in value.split(os.pathsep)]
    found = [
        path for path in (Path(sys.prefix), Path(sys.base_prefix), *named, *homes) if path.name
    ]
    found = [path for path in found if path.is_absolute() and _exists(path)]
    found += [path.resolve() for path in found]
    private = [Path(path).resolve() for path in (Path.home(), gettempdir())]
    there = {path for path in found if not any(one.is_relative_to(path) for one in private)}
    return sorted(str(path) for path in there if there.isdisjoint(path.parents))


def _own(file: Path) -> tuple[Path, ...]:
    return (file,) if os.path.isdir(file) else (file, file.parent)  # noqa: PTH112 - any length


def _exists(path: Path) -> bool:
    """Return whether a value names a file; what is too long to be a name does not."""
    try:
        return path.exists()
    except OSError:
        return False
