"""From a case's settings to the configuration of a connector that plays it.

All of the case's settings go in as they stand. What is added is said here: where the server is, the
names that Connect wants, and a last transform that gives each case topics of its own. It sees
finished records and changes nothing but the name of the topic.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from harness.codecs.connect.settings import APICURIO, AVRO, JSON, SIMPLE
from harness.codecs.debezium_vitess.reference import PARTITIONS, ZONE
from harness.model.settings import Settings
from harness.oracles.vitess.vtgate import HOST

CONNECTOR: Final = "io.debezium.connector.vitess.VitessConnector"
ROUTE: Final = "oracle"
ROUTER: Final = "org.apache.kafka.connect.transforms.RegexRouter"
# A connector's configuration brings a converter's settings only where it names the converter.
CONVERTERS: Final[Mapping[str, str]] = {
    "key.converter": JSON,
    "value.converter": JSON,
    "header.converter": SIMPLE,
}
# Confluent's converter is in no public Maven repository; Apicurio's writes Confluent's frame so.
AS_CONFLUENT: Final[Mapping[str, str]] = {
    "apicurio.registry.as-confluent": "true",
    "apicurio.registry.headers.enabled": "false",
    "apicurio.registry.use-id": "contentId",
    "apicurio.registry.auto-register": "true",
    "apicurio.registry.find-latest": "true",
}
# What the harness decides for a run, unless the case does.
ADDED: Final[Mapping[str, str]] = {
    "tasks.max": "1",
    "poll.interval.ms": "20",
    "errors.max.retries": "0",
    "topic.creation.default.replication.factor": "1",
    PARTITIONS: "1",
}


def configuration(settings: Settings, script: str, port: int, registry: str) -> dict[str, str]:
    """Return the configuration for a case's settings.

    `script` is the name of what the server at `port` plays, and the prefix of the case's topics;
    `registry` is the base address of Apicurio's own interface.
    """
    given = {name: _text(value) for name, value in settings.items() if value is not None}
    given.pop(ZONE, None)  # the worker's JVM has it
    found = {**ADDED, **CONVERTERS, **given}
    for part in ("key.converter", "value.converter"):
        if found[part] in {AVRO, APICURIO}:
            found |= {f"{part}.{name}": value for name, value in AS_CONFLUENT.items()}
            found |= {part: APICURIO, f"{part}.apicurio.registry.url": registry}
    chain = [name for name in found.get("transforms", "").split(",") if name]
    return found | {
        "name": script,
        "connector.class": CONNECTOR,
        "database.hostname": HOST,
        "database.port": str(port),
        "database.user": "oracle",
        "database.password": "oracle",
        "transforms": ",".join((*chain, ROUTE)),
        f"transforms.{ROUTE}.type": ROUTER,
        f"transforms.{ROUTE}.regex": "(.*)",
        f"transforms.{ROUTE}.replacement": f"{script}.$1",
    }


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
