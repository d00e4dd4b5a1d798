"""Wrong readings of the converters by which a connector adjusts names of fields unasked."""

from __future__ import annotations

from functools import partial
from typing import Final

from harness.codecs.debezium.settings import ConnectorSettings
from harness.mutants.producers.patch import Patch, instead

_HAS_AVRO: Final = "harness.codecs.debezium.settings:ConnectorSettings._has_avro"


def _one(settings: ConnectorSettings, part: str) -> bool:
    return part in settings.to_avro


# The end of a name, what is done, and how.
BY_CONVERTER: Final[tuple[tuple[str, str, Patch], ...]] = (
    (
        "fields-unadjusted-for-avro",
        "It adjusts no names of fields for a converter that writes Avro.",
        instead(_HAS_AVRO, lambda _: False),
    ),
    (
        "fields-adjusted-for-keys-alone",
        "It looks for Avro at the converter of keys alone.",
        instead(_HAS_AVRO, partial(_one, part="key")),
    ),
    (
        "fields-adjusted-for-values-alone",
        "It looks for Avro at the converter of values alone.",
        instead(_HAS_AVRO, partial(_one, part="value")),
    ),
)
