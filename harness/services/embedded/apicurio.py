"""Apicurio as a Confluent-compatible schema registry, its storage a file that goes with the run.

Unpacked once into the cache; started with the class-data archive that the first run's JVM wrote on
ending, as Kafka is. Its Confluent API is under `/apis/ccompat/v7`.
"""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Sequence
from pathlib import Path

import urllib3
from urllib3.exceptions import HTTPError

from harness.services.artifacts import locked
from harness.services.embedded.sharing import ClassArchive
from harness.services.java import environment, find_java
from harness.services.launch import Attempt, Running, Startup, launch
from harness.services.ports import HOST
from harness.services.prepared import key, once
from harness.services.service import Registry

API = "/apis/ccompat/v7"
PROBE_TIMEOUT = urllib3.Timeout(total=1.0)
JVM = (
    "-Xmx384m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",  # a run is over before the second compiler would pay
    "-Xshare:auto",  # an archive that does not fit is passed over
    "-Xlog:cds=off",  # it warns of every signed jar
    "-Xlog:cds+dynamic=off",
    "-XX:-UsePerfData",  # no file in the system's temporary directory
    f"-Dquarkus.http.host={HOST}",
    "-Dquarkus.http.access-log.enabled=false",
    "-Dquarkus.banner.enabled=false",
)


def start(startup: Startup) -> Running:
    """Start a registry; raises SetupError when there is no suitable Java or it does not come up."""
    java = find_java("registry", startup.env)
    (archive,) = startup.fetch("registry")
    made_from = [one.sha256 for one in locked("registry")]
    home = startup.cache / "registry"
    base = once(home / f"base-{key(*made_from)}", lambda there: _unpack(startup, archive, there))
    runner = next(base.glob("*-runner.jar"))
    classes = ClassArchive.of(home, startup.data, str(java.home), java.version, *JVM, *made_from)

    def attempt(ports: Sequence[int]) -> Attempt:
        registry = Registry(f"http://{HOST}:{ports[0]}{API}")
        command = [str(java.executable), *JVM, f"-Djava.io.tmpdir={startup.data}", classes.option]
        return Attempt(
            argv=[*command, *_own(startup.data, ports[0]), "-jar", str(runner)],
            env=environment(startup.env),
            address=registry,
            ready=lambda: _answers(registry),
        )

    startup.report("starting", f"Java {java.version}")
    return classes.kept_from(launch(startup, 1, attempt))


def _own(data: Path, port: int) -> tuple[str, ...]:
    """Return what one registry has for itself: its port, and storage that outlives its process."""
    return (
        f"-Dquarkus.http.port={port}",
        f"-Dapicurio.datasource.url=jdbc:h2:file:{data}/registry",
    )


def _unpack(startup: Startup, archive: Path, directory: Path) -> None:
    startup.report("preparing", "unpacking")
    with zipfile.ZipFile(archive) as packed:
        for entry in packed.infolist():
            name = Path(entry.filename)
            if entry.is_dir() or name.suffix != ".jar":
                continue
            target = directory / name
            assert target.resolve().is_relative_to(directory.resolve()), entry.filename
            target.parent.mkdir(parents=True, exist_ok=True)
            with packed.open(entry) as source, target.open("wb") as out:
                shutil.copyfileobj(source, out, 1 << 20)


def _answers(registry: Registry) -> bool:
    """Return whether it lists its subjects; an open port says less."""
    try:
        with urllib3.PoolManager() as http:
            url = f"{registry.url}/subjects"
            answer = http.request("GET", url, timeout=PROBE_TIMEOUT, retries=False)
            return bool(answer.status == 200)
    except HTTPError:
        return False
