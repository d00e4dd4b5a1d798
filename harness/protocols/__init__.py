"""Vendor input to records and back; one package a protocol, none knows another."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from harness.contracts import Codec
from harness.protocols.debezium_vitess.wire import VITESS
from harness.protocols.ticdc_avro.wire import AVRO
from harness.protocols.ticdc_open.wire import OPEN

PROTOCOLS: Mapping[str, Codec] = MappingProxyType(
    {codec.name: codec for codec in (OPEN, AVRO, VITESS)}
)
