"""An oracle's jars, fetched when it is asked and verified whenever they are used."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from harness.services.artifacts import Artifact, locked
from harness.services.download import fetch
from harness.services.prepared import key, once
from harness.services.repository import Repository, repository
from harness.services.service import ServiceEvent

Announced = Mapping[str, Sequence[str]]
NO_SERVICES: Announced = MappingProxyType({})
SHIM = "announced.jar"
OnEvent = Callable[[ServiceEvent], None]


@dataclass(frozen=True, slots=True)
class Jars:
    """The files of a lock's groups; `made` keeps what is prepared of them."""

    lock: Path
    on_event: OnEvent
    env: Mapping[str, str] = field(default_factory=lambda: os.environ)

    def group(self, name: str) -> tuple[Path, ...]:
        """Return a group's files, each held against its locked sha256; SetupError without them."""

        def progress(done: int, total: int) -> None:
            self.on_event(ServiceEvent("oracle", "fetching", name, done=done, total=total))

        artifacts = self._artifacts(name)
        return fetch(artifacts, self._repository, on_progress=progress, verify=True)

    def directory(self, name: str, services: Announced = NO_SERVICES) -> Path:
        """Return a directory with links to a group's verified files, as a plugin's must be.

        `services` names classes that some of the group's releases forget to announce, by their
        interface; a jar beside the others announces those that the group's jars have, as Kafka's
        own `connect-plugin-path sync-manifests` writes it.
        """
        files = self.group(name)
        asked = [f"{interface}={one}" for interface, named in services.items() for one in named]

        def link(into: Path) -> None:
            for file in files:
                (into / file.name).symlink_to(file)
            if services:
                _announce(services, files, into / SHIM)

        return self.prepared(name, link, name, made_with=asked)

    def prepared(
        self,
        name: str,
        make: Callable[[Path], None],
        *groups: str,
        made_with: Sequence[str] = (),
    ) -> Path:
        """Return a directory that is made once of some groups' files, and of what is named."""
        made_from = [one.sha256 for group in groups for one in self._artifacts(group)]
        made = key(*made_from, *made_with)
        return once(self._repository.cache / "oracles" / f"{name}-{made}" / name, make)

    def _artifacts(self, name: str) -> Sequence[Artifact]:
        return locked(name, lock=self.lock)

    @property
    def _repository(self) -> Repository:
        return repository(self.env)


def _announce(services: Announced, jars: Sequence[Path], shim: Path) -> None:
    """Write a jar that announces the named classes which some jars have."""
    there: set[str] = set()
    for jar in jars:
        with zipfile.ZipFile(jar) as opened:
            there.update(opened.namelist())
    with zipfile.ZipFile(shim, "w") as written:
        for interface, named in services.items():
            found = [one for one in named if f"{one.replace('.', '/')}.class" in there]
            lines = "".join(f"{one}\n" for one in found)
            written.writestr(f"META-INF/services/{interface}", lines)
