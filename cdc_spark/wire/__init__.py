"""What several protocols share on the wire: Avro, Confluent's framing, the schema registry."""

from __future__ import annotations
