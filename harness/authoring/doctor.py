"""What a run needs and whether it is there: one finding a line, each with the way to get it.

Nothing is downloaded, started or changed here, and no wait is longer than ten seconds.
"""

from __future__ import annotations

import os
import platform
import shutil
import socket
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil

from harness.errors import HarnessError
from harness.runner.sandbox import refuse_where_none_is
from harness.services import Source, find_java
from harness.services.artifacts import LOCK, locked, read
from harness.services.cached import Cached, cached
from harness.services.external import database, kafka, registry
from harness.services.external.reached import refusal
from harness.services.ports import HOST, free_ports
from harness.services.repository import repository

PYTHON = (3, 11)
RUN_NEEDS = ("kafka",)  # recordings need mariadb as well, Avro a registry
DISK_GB = 2.0  # 0.4 GB of jars, unpacked binaries, and the data of runs
MEMORY_GB = 1.5  # Kafka's heap and a consumer; Spark takes two more
GB = 1e9
# A package that only some commands want, the extra that brings it, and those commands.
EXTRAS = (
    ("pyspark", "spark", "the bundled Spark consumer"),
    ("mysql-connector-python", "upstream", "`harness record` and consumers that fill a database"),
    ("mysql-replication", "upstream", "`harness record` and scenarios from binary logs"),
    ("hypothesis", "fuzz", "`harness fuzz`"),
    ("pytest", "pytest", "scenarios as pytest tests"),
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; `state` is ok, note (some runs want it) or missing."""

    name: str
    state: str
    what: str
    hint: str = ""


def examine(source: Source, here: Path) -> tuple[Finding, ...]:
    """Return what was found, in the order of a first installation."""
    embedded = any(_backend(source, name) == "embedded" for name in RUN_NEEDS)
    checks: list[Callable[[], Iterable[Finding]]] = [
        _python,
        lambda: [_java("kafka", "missing" if embedded else "note")],
        lambda: [_java("spark", "note")],
        *(partial(_extra, *extra) for extra in EXTRAS),
        lambda: _jars(embedded=embedded),
        lambda: [_disk(here)],
        _memory,
        _loopback,
        lambda: [_sandbox()],
        lambda: [_docker(source)],
        lambda: [_service(source, name) for name in ("kafka", "registry", "mariadb")],
    ]
    return tuple(finding for check in checks for finding in check())


def _backend(source: Source, name: str) -> str:
    try:
        return source.settings.backend(name)
    except HarnessError:
        return "external"


def _python() -> Iterator[Finding]:
    text = f"{platform.python_version()} in {sys.executable}"
    fit = sys.version_info >= PYTHON
    yield Finding("python", "ok" if fit else "missing", text, "install Python 3.11 or newer")


def _java(part: str, otherwise: str) -> Finding:
    name = f"java:{part}"
    try:
        java = find_java(part)
    except HarnessError as error:
        return Finding(name, otherwise, error.what, error.hint)
    return Finding(name, "ok", f"{java.version} in {java.home}")


def _extra(package: str, extra: str, purpose: str) -> Iterator[Finding]:
    """Look for a package that only some commands want."""
    try:
        yield Finding(package, "ok", version(package))
    except PackageNotFoundError:
        hint = f"pip install 'cdc-conformance[{extra}]', for {purpose}"
        yield Finding(package, "note", "not installed", hint)


def _jars(*, embedded: bool) -> Iterator[Finding]:
    """Look at the cache; only when something lacks, at the repository that would fill it."""
    groups: dict[str, Cached] = {}
    place = repository()
    for group in read(LOCK):
        try:
            groups[group] = cached(locked(group), place)
        except HarnessError as error:  # no such thing for this platform
            yield Finding(f"jars:{group}", "note", error.what, error.hint)
    lacking = {name for name, found in groups.items() if not found.whole}
    reachable = _mirror(place.url) if lacking else ""
    for name, found in groups.items():
        hint = "" if found.whole else _fetch_hint(reachable)
        bad = reachable and embedded and name in RUN_NEEDS
        state = "ok" if found.whole else "missing" if bad else "note"
        yield Finding(f"jars:{name}", state, f"{found} in {place.cache}", hint)
    if lacking:
        state = "missing" if reachable and embedded and lacking & set(RUN_NEEDS) else "note"
        hint = "set HARNESS_MAVEN_MIRROR, or copy a filled cache and name it: HARNESS_CACHE_DIR"
        yield Finding("network", state if reachable else "ok", reachable or place.url, hint)


def _fetch_hint(reachable: str) -> str:
    if reachable:
        return "the repository cannot be reached, see `network`"
    return "the first run downloads them, or `harness services fetch` does now"


def _mirror(url: str) -> str:
    """Return why the repository cannot be reached, "" when it can (or a proxy stands before it)."""
    parts = urlsplit(url)
    if os.environ.get(f"{parts.scheme}_proxy") or os.environ.get(f"{parts.scheme.upper()}_PROXY"):
        return ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    problem = refusal(parts.hostname or "", port, 5.0)
    return f"{url} cannot be reached: {problem}" if problem else ""


def _disk(here: Path) -> Finding:
    free = shutil.disk_usage(here).free / GB
    enough = free >= DISK_GB
    hint = f"make room: jars and runs want {DISK_GB:g} GB"
    return Finding("disk", "ok" if enough else "note", f"{free:.1f} GB free in {here}", hint)


def _memory() -> Iterator[Finding]:
    free = psutil.virtual_memory().available / GB
    enough = free >= MEMORY_GB
    hint = f"end other programs: Kafka and a consumer want {MEMORY_GB:g} GB, Spark two more"
    yield Finding("memory", "ok" if enough else "note", f"{free:.1f} GB available", hint)


def _loopback() -> Iterator[Finding]:
    """Listen and connect once, as the services will."""
    hint = f"allow programs of this machine to talk to each other on {HOST}"
    try:
        (port,) = free_ports(1)
        with socket.create_server((HOST, port)) as server:
            socket.create_connection(server.getsockname(), timeout=3.0).close()
        yield Finding("loopback", "ok", f"ports on {HOST} can be opened and reached")
    except (OSError, HarnessError) as error:
        yield Finding("loopback", "missing", f"{HOST} cannot be used: {error}", hint)


def _sandbox() -> Finding:
    """Make one, as `--sandbox` will."""
    try:
        refuse_where_none_is()
    except HarnessError as error:
        return Finding("sandbox", "note", error.what, f"expected {error.expected}; {error.hint}")
    return Finding("sandbox", "ok", "`--sandbox` can run a consumer in namespaces of its own")


def _docker(source: Source) -> Finding:
    wanted = any(_backend(source, name) == "container" for name in RUN_NEEDS)
    otherwise = "missing" if wanted else "note"
    try:
        import docker  # noqa: PLC0415 - comes with the extra `containers`
        from testcontainers.core.container import DockerContainer  # noqa: PLC0415 - likewise

        del DockerContainer
    except ImportError:
        hint = "pip install 'cdc-conformance[containers]', for services in containers only"
        return Finding("docker", otherwise, "testcontainers is not installed", hint)
    try:
        client: Any = docker.from_env(timeout=5)
        engine = client.version()["Version"]
        client.close()
    except Exception as error:  # noqa: BLE001 - whatever the library's transport raises
        hint = "start Docker or set DOCKER_HOST, for services in containers only"
        return Finding("docker", otherwise, f"no engine answers: {_first(str(error))}", hint)
    return Finding("docker", "ok", f"engine {engine}")


def _service(source: Source, name: str) -> Finding:
    otherwise = "missing" if name in RUN_NEEDS else "note"
    try:
        backend = source.settings.backend(name)
        if backend == "external":
            _PROBES[name](source)
        what = f"answers at {_ADDRESSES[name](source)}" if backend == "external" else ""
    except HarnessError as error:
        return Finding(name, otherwise, error.what, error.hint)
    if backend == "embedded" and name in source.warm:
        return Finding(name, "ok", f"warm at {source.warm[name].address}")
    return Finding(name, "ok", f"{backend}, {what}" if what else f"{backend}, started by each run")


_PROBES: dict[str, Callable[[Source], object]] = {
    "kafka": lambda one: kafka.probe(kafka.address(one.settings).client, one.settings),
    "registry": lambda one: registry.probe(registry.address(one.settings)),
    "mariadb": lambda one: database.probe(database.address(one.settings)),
}
_ADDRESSES: dict[str, Callable[[Source], object]] = {
    "kafka": lambda one: kafka.address(one.settings),
    "registry": lambda one: registry.address(one.settings),
    "mariadb": lambda one: database.address(one.settings),
}


def _first(text: str) -> str:
    return text.splitlines()[0] if text else "no reason given"
