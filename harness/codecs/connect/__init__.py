"""Kafka Connect's data model and converters, as far as Debezium uses them."""

from __future__ import annotations
