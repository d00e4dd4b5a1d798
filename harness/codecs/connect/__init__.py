"""Kafka Connect: schemas, converters, transforms, the worker, and Java's texts."""

from __future__ import annotations
