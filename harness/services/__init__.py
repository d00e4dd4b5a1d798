"""The real parts that a run needs, without containers: Kafka, a database, and the jars for Spark.

`start` brings services up side by side; `jars` fetches files for those that start no service;
`find_java` finds what they run on. Everything is locked by sha256 and cached for all checkouts.
"""

from __future__ import annotations

from harness.services.jars import fill_cache, jars
from harness.services.java import Java, find_java
from harness.services.running import SERVICES, Services, start
from harness.services.service import Kafka, MariaDb, ServiceEvent

__all__ = [
    "SERVICES",
    "Java",
    "Kafka",
    "MariaDb",
    "ServiceEvent",
    "Services",
    "fill_cache",
    "find_java",
    "jars",
    "start",
]
