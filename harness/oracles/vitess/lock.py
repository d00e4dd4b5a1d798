"""Maintenance: `python -m harness.oracles.vitess.lock` resolves the roots and writes `jars.lock`.

Maven must be installed, as for the services' own lock. A connector's group has the name `vitess-`
and its version.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from harness.services.lock import Group, write

LOCK = Path(__file__).with_name("jars.lock")
# Each release that the registries have and that this oracle can run, oldest first, and our dialect
# that it is compared with.
VERSIONS: Mapping[str, str] = {
    "2.7.0.Final": "2.7",
    "3.0.0.Final": "3.0",
    "3.1.0.Final": "3.1",
    "3.2.0.Final": "3.2",
    "3.3.1.Final": "current",
    "3.4.0.Final": "3.4",
}
DEFAULT = "3.3.1.Final"
# The worker has these itself; two Jacksons end a task ("Jdk8Module not a subtype").
OF_WORKER = frozenset(
    {
        "com.fasterxml.jackson.core:jackson-annotations",
        "com.fasterxml.jackson.core:jackson-core",
        "com.fasterxml.jackson.core:jackson-databind",
        "com.github.luben:zstd-jni",
        "org.slf4j:slf4j-api",
    }
)
# The client brings two networks: the connector uses the shaded one, and speaks no TLS here.
UNUSED = frozenset(
    {
        "io.netty:netty-tcnative-boringssl-static",
        "io.netty:netty-tcnative-classes",
        "com.google.guava:listenablefuture",
    }
)
PROTOC = "com.google.protobuf:protoc:3.25.5"

GROUPS: Mapping[str, Group] = {
    "worker": Group(
        roots=(
            "org.apache.kafka:connect-runtime:4.1.0",
            "org.slf4j:slf4j-simple:1.7.36",
        )
    ),
    # Its own Jackson, but the worker's Kafka: the JSON converter of another release does not load.
    "apicurio": Group(
        roots=("io.apicurio:apicurio-registry-utils-converter:2.6.13.Final",),
        dropped=frozenset(
            {
                "com.github.luben:zstd-jni",
                "org.apache.kafka:connect-api",
                "org.apache.kafka:connect-json",
                "org.apache.kafka:kafka-clients",
                "org.lz4:lz4-java",
                "org.slf4j:slf4j-api",
                "org.xerial.snappy:snappy-java",
            }
        ),
    ),
    "protoc": Group(
        executables={
            "linux-x86_64": f"{PROTOC}:linux-x86_64",
            "linux-arm64": f"{PROTOC}:linux-aarch_64",
            "darwin-x86_64": f"{PROTOC}:osx-x86_64",
            "darwin-arm64": f"{PROTOC}:osx-aarch_64",
        }
    ),
    **{
        f"vitess-{version}": Group(
            roots=(f"io.debezium:debezium-connector-vitess:{version}",),
            dropped=OF_WORKER | UNUSED,
        )
        for version in VERSIONS
    },
}


def main() -> int:
    """Write the lock file; return the exit code."""
    return write(LOCK, GROUPS, "harness.oracles.vitess.lock")


if __name__ == "__main__":
    sys.exit(main())
