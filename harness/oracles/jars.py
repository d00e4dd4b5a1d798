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

NO_SERVICES: Mapping[str, str] = MappingProxyType({})
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

    def directory(self, name: str, services: Mapping[str, str] = NO_SERVICES) -> Path:
        """Return a directory with links to a group's verified files, as a plugin's must be.

        `services` names classes that the group's jars forget to announce, by their interface; a jar
        beside the others does, as Kafka's own `connect-plugin-path sync-manifests` writes it.
        """
        files = self.group(name)

        def link(into: Path) -> None:
            for file in files:
                (into / file.name).symlink_to(file)
            if services:
                with zipfile.ZipFile(into / SHIM, "w") as shim:
                    for interface, implementation in services.items():
                        shim.writestr(f"META-INF/services/{interface}", f"{implementation}\n")

        return self.prepared(name, link, name)

    def prepared(self, name: str, make: Callable[[Path], None], *groups: str) -> Path:
        """Return a directory that is made once of some groups' files."""
        made_from = [one.sha256 for group in groups for one in self._artifacts(group)]
        return once(self._repository.cache / "oracles" / f"{name}-{key(*made_from)}" / name, make)

    def _artifacts(self, name: str) -> Sequence[Artifact]:
        return locked(name, lock=self.lock)

    @property
    def _repository(self) -> Repository:
        return repository(self.env)
