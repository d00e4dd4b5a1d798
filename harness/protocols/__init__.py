"""Vendor input to records and back; one package a protocol, none knows another."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from harness.codecs.avro.codec import AVRO
from harness.codecs.debezium_vitess.codec import VITESS
from harness.codecs.open.codec import OPEN
from harness.contracts import Codec

PROTOCOLS: Mapping[str, Codec] = MappingProxyType(
    {codec.name: codec for codec in (OPEN, AVRO, VITESS)}
)
