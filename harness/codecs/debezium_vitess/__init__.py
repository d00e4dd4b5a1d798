"""Debezium's Vitess connector: VStream events to Kafka Connect records, and those to bytes."""

from __future__ import annotations
