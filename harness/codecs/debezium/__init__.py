"""What Debezium's relational connectors share: names, keys, values, topics, settings, failures."""

from __future__ import annotations
