"""The versions of TiCDC Avro that differ on the wire, as one record of switches each.

`current` is what tiflow c7b2588 (2026) emits. `6` is tiflow v6.5.0 (cdc/sink/codec/avro): FLOAT is
an Avro double (to 6.1.5, 6.5.1 and 6.6), extension fields have no default (to 7.0), the value's
schema is posted before the key's (to 7.2), Kafka's client refuses a message that is too large (from
6.5 to 7.2; the encoder does in all others), a column without a default has that of its older rows
in the schema (to 6.5.11, 7.5.5 and 8.5.1), and there is neither watermark (from 7.1.4 and 7.2) nor
checksum (from 7.1). The `type` of a field stands before its `connect.parameters` in both: the
documents' listings print them the other way round, and one tidb_type `ENUM/SET` for the two that
there are (TiCDC codec notes §7).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class AvroDialect:
    """What one version does differently.

    `origin_defaults` says whether a column without a default has that of its older rows.
    `forbids_keyless` says whether `force-replicate` is refused (tiflow since v7.3). `too_large` is
    the error of a message that is too large.
    """

    name: str
    float_as_double: bool
    extension_defaults: bool
    origin_defaults: bool
    value_first: bool
    watermark: bool
    checksum: bool
    too_large: str
    vectors: bool
    forbids_keyless: bool


CURRENT = AvroDialect(
    name="current",
    float_as_double=False,
    extension_defaults=True,
    origin_defaults=False,
    value_first=False,
    watermark=True,
    checksum=True,
    too_large="ErrMessageTooLarge",
    vectors=True,
    forbids_keyless=True,
)
V6 = AvroDialect(
    name="6",
    float_as_double=True,
    extension_defaults=False,
    origin_defaults=True,
    value_first=True,
    watermark=False,
    checksum=False,
    too_large="ErrKafkaAsyncSendMessage",
    vectors=False,
    forbids_keyless=False,
)
DIALECTS: Mapping[str, AvroDialect] = MappingProxyType({d.name: d for d in (CURRENT, V6)})
