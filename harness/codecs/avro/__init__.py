"""TiCDC's Avro protocol: one row a message, key and value each over a registered schema."""

from __future__ import annotations
