"""Wrong Kafka Connect workers: converters, headers, partitions."""

from __future__ import annotations
