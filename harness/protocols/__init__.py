"""The protocols: a codec each, and the projection that expected tables are folded from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from harness.codecs.avro.codec import AVRO
from harness.codecs.debezium_vitess.codec import VITESS
from harness.codecs.open.codec import OPEN
from harness.contracts import Codec
from harness.projections import avro, vitess

PROTOCOLS: Mapping[str, Codec] = MappingProxyType(
    {
        codec.name: codec
        for codec in (
            OPEN,
            replace(AVRO, projection=avro.projection),
            replace(VITESS, projection=vitess.projection),
        )
    }
)
