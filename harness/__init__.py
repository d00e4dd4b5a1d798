"""Conformance tests for change-data-capture streams from Kafka into Spark."""

from __future__ import annotations

__all__: list[str] = []
