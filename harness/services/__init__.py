"""The real parts that a run needs: Kafka, a registry, a database, and the jars for Spark.

`settings` says where they come from (jars by default, no container needed), `source` looks for what
runs already, `start` brings services up side by side; `jars` fetches files for those that start no
service; `find_java` finds what they run on. Everything is locked by sha256 and cached for all
checkouts.
"""

from __future__ import annotations

from harness.services.dialects import java_properties
from harness.services.fetches import Fetches, counted
from harness.services.jars import fill_cache, jars
from harness.services.java import Java, find_java
from harness.services.kafka_retry import retried
from harness.services.registry_front import RegistryFront, fronted
from harness.services.running import SECOND_BROKER, SERVICES, Services, start
from harness.services.schemas import HttpRegistry
from harness.services.service import Kafka, MariaDb, Registry, ServiceEvent
from harness.services.settings import Settings, redacted, settings
from harness.services.source import Source, source

__all__ = [
    "SECOND_BROKER",
    "SERVICES",
    "Fetches",
    "HttpRegistry",
    "Java",
    "Kafka",
    "MariaDb",
    "Registry",
    "RegistryFront",
    "ServiceEvent",
    "Services",
    "Settings",
    "Source",
    "counted",
    "fill_cache",
    "find_java",
    "fronted",
    "jars",
    "java_properties",
    "redacted",
    "retried",
    "settings",
    "source",
    "start",
]
