"""Wrong readings of the converters by which a connector adjusts names of fields unasked."""

from __future__ import annotations

from functools import partial
from typing import Final

from harness.codecs.connect.settings import AVRO
from harness.codecs.debezium.settings import ConnectorSettings
from harness.mutants.producers.patch import Patch, constant, instead

_HAS_AVRO: Final = "harness.codecs.debezium.settings:ConnectorSettings._has_avro"
_TO_AVRO: Final = "harness.codecs.debezium.settings:_TO_AVRO"


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
    (
        "fields-adjusted-for-confluent-alone",
        "It looks for Confluent's converter alone, not for Apicurio's.",
        constant(_TO_AVRO, frozenset({AVRO})),
    ),
)
