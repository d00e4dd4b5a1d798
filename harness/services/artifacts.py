"""What we download: the artifacts that `jars.lock` names, each with its size and sha256.

Nothing is downloaded, unpacked or run that is not in the lock, which
`python -m harness.services.lock` writes.
"""

from __future__ import annotations

import platform
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import HarnessBug, SetupError

MACHINES = {"AMD64": "x86_64", "aarch64": "arm64"}  # one name for one machine
LOCK = Path(__file__).with_name("jars.lock")


@dataclass(frozen=True, slots=True)
class Artifact:
    """One file of a Maven repository; `platform` is "" when it serves every platform.

    `ending` is what follows name and version in the file's name: classifier and extension.
    """

    group: str
    name: str
    version: str
    size: int
    sha256: str
    platform: str = ""
    ending: str = ".jar"

    @property
    def coordinates(self) -> str:
        """Return `group:name:version`, as Maven writes it."""
        return f"{self.group}:{self.name}:{self.version}"

    @property
    def path(self) -> str:
        """Return the path within a Maven repository."""
        return f"{self.group.replace('.', '/')}/{self.name}/{self.version}/{self.file}"

    @property
    def file(self) -> str:
        """Return the file's name."""
        return f"{self.name}-{self.version}{self.ending}"


def this_platform() -> str:
    """Return the running platform as the lock names it, such as `linux-x86_64`."""
    machine = platform.machine()
    return f"{sys.platform}-{MACHINES.get(machine, machine)}"


def locked(group: str, *, where: str | None = None, lock: Path = LOCK) -> tuple[Artifact, ...]:
    """Return the artifacts of a group (`kafka`, `registry`, …) that this platform needs.

    Raises SetupError when the group serves other platforms only.
    """
    where = where or this_platform()
    artifacts = read(lock)[group]
    chosen = tuple(one for one in artifacts if one.platform in {"", where})
    if not chosen:
        served = ", ".join(sorted(one.platform for one in artifacts))
        raise SetupError(
            f"there is no embedded {group} for {where}",
            expected=f"one of {served}",
            hint="use a server of your own: `--upstream mysql://user:password@host:port/`",
        )
    return chosen


def read(lock: Path) -> Mapping[str, tuple[Artifact, ...]]:
    """Return every group of a lock file; HarnessBug when the file, which we ship, is malformed."""
    try:
        groups = tomllib.loads(lock.read_text(encoding="utf-8"))
        return {name: tuple(map(_artifact, group["artifacts"])) for name, group in groups.items()}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise HarnessBug(f"{lock} is not a lock file: {error}") from error


def _artifact(entry: Mapping[str, Any]) -> Artifact:
    group, name, version = entry["coordinates"].split(":")
    return Artifact(
        group=group,
        name=name,
        version=version,
        size=entry["size"],
        sha256=entry["sha256"],
        platform=entry.get("platform", ""),
        ending=entry.get("ending", ".jar"),
    )


def written(groups: Mapping[str, Sequence[Artifact]], module: str) -> str:
    """Return the lock file's text, stable and one line an artifact; `module` writes it."""
    lines = [f"# Written by `python -m {module}`; the roots are in that module."]
    for name, artifacts in groups.items():
        lines += ["", f'["{name}"]' if "." in name else f"[{name}]", "artifacts = ["]
        lines += [f"    {{{_entry(one)}}}," for one in sorted(artifacts, key=_order)]
        lines += ["]"]
    return "\n".join(lines) + "\n"


def _order(artifact: Artifact) -> tuple[str, str]:
    return artifact.coordinates, artifact.platform


def _entry(one: Artifact) -> str:
    where = f', platform = "{one.platform}"' if one.platform else ""
    where += f', ending = "{one.ending}"' if one.ending != ".jar" else ""
    return f'coordinates = "{one.coordinates}", size = {one.size}, sha256 = "{one.sha256}"{where}'
