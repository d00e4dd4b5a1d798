"""The protocols that are read, and a decoder for each; nothing here knows Spark.

`read` lets no message raise but for a registry that is away. What is wrong with a message, our
own defects included, becomes an ERROR event in its place, so that nothing is dropped in silence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from cdc_spark.avro import events as avro_events
from cdc_spark.avro import vectorised as avro_vectorised
from cdc_spark.debezium import events as debezium_events
from cdc_spark.debezium import vectorised as debezium_vectorised
from cdc_spark.debezium.connectors import CONNECTORS
from cdc_spark.debezium.parts import Parts
from cdc_spark.debezium.rows import Rows
from cdc_spark.debezium.values import Definitions
from cdc_spark.errors import DecodingError, SetupError
from cdc_spark.events import Event, Kind
from cdc_spark.open import events as open_events
from cdc_spark.open import values
from cdc_spark.open import vectorised as open_vectorised
from cdc_spark.untyped import ArrowBatch, pa
from cdc_spark.vectorised.reader import Numbers, VectorisedReader
from cdc_spark.wire.header_ids import framed
from cdc_spark.wire.registry import registry
from cdc_spark.wire.zones import UTC_NAME, in_utc

Decode = Callable[[bytes | None, bytes | None], list[Event]]
DIALECTS: Mapping[str, frozenset[str]] = {
    "open": frozenset(values.DIALECTS),
    "avro": avro_events.DIALECTS,
    **debezium_events.DIALECTS,
}


@dataclass(frozen=True, slots=True)
class Language:
    """How the messages of a topic are to be read; plain data, which travels to executors.

    `url` and `properties` are the registry's, "" where messages name no schema; `time_zone` is the
    TiCDC server's.
    """

    protocol: str
    dialect: str = "current"
    url: str = ""
    properties: Mapping[str, str] = field(default_factory=dict[str, str])
    definitions: Definitions = field(default_factory=Definitions)
    time_zone: str = UTC_NAME


def decoder(language: Language) -> Decode:
    """Return what reads one message, with whatever it remembers of schemas."""
    return _MAKERS[language.protocol](language)


@dataclass(slots=True)
class Reader:
    """Reads batches of messages, with whatever it remembers of schemas and layouts."""

    decode: Decode
    vectorised: VectorisedReader

    @classmethod
    def of(cls, language: Language, *, payloads: bool) -> Reader:
        """Return the reader of a language; rows have payloads, or their images apart."""
        return cls(decoder(language), _VECTORISED[language.protocol](language, payloads))

    def read(self, batch: ArrowBatch, numbers: Numbers) -> ArrowBatch:
        """Return the block of these messages of a batch (topic, partition, offset, key, value).

        Where there are `headers`, they may name the schemas (`wire.header_ids`).

        Raises SetupError, with the message's place, for a registry that is away.
        """
        keys, values = (framed(batch, side) for side in ("key", "value"))

        def found(number: int) -> list[Event]:
            try:
                return read(self.decode, keys[number].as_py(), values[number].as_py())
            except SetupError as error:
                place = (batch[name][number].as_py() for name in ("topic", "partition", "offset"))
                raise placed(error, *place) from error

        whole = len(numbers) == batch.num_rows
        which = pa.array(numbers)
        chosen = (keys, values) if whole else (keys.take(which), values.take(which))
        return self.vectorised.read(*chosen, numbers, found)


def read(decode: Decode, key: bytes | None, value: bytes | None) -> list[Event]:
    """Return the events of one message; an ERROR event where it cannot be read."""
    if not key and not value:
        return []  # a message that says nothing: brokers and tools leave such behind
    try:
        return decode(key, value)
    except DecodingError as error:
        hint = f" (expected {error.expected})" if error.expected else ""
        return [Event(Kind.ERROR, payload=f"{error.what}{hint}")]
    except SetupError:
        raise  # a registry that is away; `placed` says at which message
    except Exception as error:  # noqa: BLE001 - our defect here must not harm the neighbours
        return [Event(Kind.ERROR, payload=f"a defect of the consumer: {error!r}")]


def placed(error: SetupError, topic: str, partition: int, offset: int) -> SetupError:
    """Return an error with the message at which it arose."""
    place = f"topic {topic}, partition {partition}, offset {offset}"
    hint = error.hint or "nothing was committed past it: restart the query when that is repaired"
    return type(error)(f"{error.what} ({place})", expected=error.expected, hint=hint)


def _schema(language: Language, schema_id: int) -> str:
    if not language.url:
        raise DecodingError(
            f"the message names schema {schema_id}, and no registry was given",
            expected="the address of the schema registry",
        )
    return registry(language.url, language.properties).schema(schema_id)


def _dialect(language: Language) -> values.Dialect:
    return values.in_zone(values.DIALECTS[language.dialect], in_utc(language.time_zone))


def _open(language: Language) -> Decode:
    return partial(open_events.decode, _dialect(language))


def _avro_decoder(language: Language) -> avro_events.Decoder:
    return avro_events.Decoder(partial(_schema, language), in_utc(language.time_zone))


def _avro(language: Language) -> Decode:
    return _avro_decoder(language).decode


def _debezium(language: Language) -> Decode:
    parts, rows = Parts(partial(_schema, language)), Rows(language.definitions)
    return debezium_events.Decoder(parts, rows, CONNECTORS[language.protocol]).decode


_MAKERS: Mapping[str, Callable[[Language], Decode]] = {
    "open": _open,
    "avro": _avro,
    **dict.fromkeys(CONNECTORS, _debezium),
}


def _vectorised_open(language: Language, payloads: bool) -> VectorisedReader:  # noqa: FBT001 - a row of a table
    return open_vectorised.reader(_dialect(language), payloads=payloads)


def _vectorised_avro(language: Language, payloads: bool) -> VectorisedReader:  # noqa: FBT001 - a row of a table
    return avro_vectorised.reader(_avro_decoder(language).record, payloads=payloads)


def _vectorised_debezium(language: Language, payloads: bool) -> VectorisedReader:  # noqa: FBT001 - a row of a table
    parts, rows = Parts(partial(_schema, language)), Rows(language.definitions)
    connector = CONNECTORS[language.protocol]
    return debezium_vectorised.reader(parts, rows, connector, payloads=payloads)


_VECTORISED: Mapping[str, Callable[[Language, bool], VectorisedReader]] = {
    "open": _vectorised_open,
    "avro": _vectorised_avro,
    **dict.fromkeys(CONNECTORS, _vectorised_debezium),
}
