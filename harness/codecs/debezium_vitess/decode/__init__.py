"""Kafka records of Debezium Vitess back to events; shares no code with what writes them."""

from __future__ import annotations
