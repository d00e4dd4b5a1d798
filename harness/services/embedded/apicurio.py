"""Apicurio as a Confluent-compatible schema registry, its storage a file that goes with the run.

Unpacked once into the cache; started with the class-data archive that the first run's JVM wrote on
ending, as Kafka is. Its Confluent API is under `/apis/ccompat/v7`.

Confluent's registry answers `{}` at the base of its API, and TiCDC's client takes nothing else for
a registry (tiflow c7b2588 pkg/sink/codec/avro/confluent_schema_registry.go:75). Apicurio shows a
page there; so the base leads to a document of ours.
"""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Sequence
from dataclasses import replace
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
EMPTY = b"{}"  # what a client expects at the base
# Where the document is, in Apicurio's own interface; its group is none of the Confluent API's.
ARTIFACTS = "/apis/registry/v2/groups/harness/artifacts"
BASE = "base"
CREATED, THERE_ALREADY = 200, 409
# One that ends in order goes on answering without its storage: 500 to an id that it knows.
HALT_S = 0.0
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
            ready=lambda: _answers(registry) and _has_base(registry),
        )

    startup.report("starting", f"Java {java.version}")
    return replace(classes.kept_from(launch(startup, 1, attempt)), halt_s=HALT_S)


def _own(data: Path, port: int) -> tuple[str, ...]:
    """Return what one registry has for itself: its port, and storage that outlives a kill."""
    return (
        f"-Dquarkus.http.port={port}",
        f"-Dapicurio.redirects.base={API},{ARTIFACTS}/{BASE}",
        f"-Dapicurio.redirects.slash={API}/,{ARTIFACTS}/{BASE}",
        f"-Dapicurio.datasource.url=jdbc:h2:file:{data}/registry;WRITE_DELAY=0",
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


def _has_base(registry: Registry) -> bool:
    """Return whether the base answers as Confluent's does, which it is made to once."""
    created = {
        "Content-Type": "application/json",
        "X-Registry-ArtifactId": BASE,
        "X-Registry-ArtifactType": "JSON",
    }
    try:
        with urllib3.PoolManager(timeout=PROBE_TIMEOUT, retries=False) as http:
            url = registry.url.removesuffix(API) + ARTIFACTS
            made = http.request("POST", url, body=EMPTY, headers=created)
            if made.status not in {CREATED, THERE_ALREADY}:
                return False
            followed = urllib3.Retry(redirect=1)
            return http.request("GET", registry.url, retries=followed).data == EMPTY
    except HTTPError:
        return False
