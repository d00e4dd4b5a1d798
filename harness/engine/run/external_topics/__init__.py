"""Level live: topics that a real TiCDC or Debezium has filled, judged by the upstream's SELECT."""

from __future__ import annotations
