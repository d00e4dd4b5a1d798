"""Wrong changefeeds: what TiDB and TiCDC decide before any encoder, for Open and Avro alike."""

from __future__ import annotations
