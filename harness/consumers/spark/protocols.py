"""The protocols that are read, and a decoder for each; nothing here knows Spark.

Law: `read` lets no message raise but for a registry that is away. What is wrong with a message, our
own defects included, becomes an ERROR event in its place, so that nothing is dropped in silence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from harness.consumers.spark import debezium_vitess, open_protocol, ticdc_avro
from harness.consumers.spark.debezium_vitess import events as vitess_events
from harness.consumers.spark.debezium_vitess.parts import Parts
from harness.consumers.spark.debezium_vitess.rows import Rows
from harness.consumers.spark.debezium_vitess.values import Definitions
from harness.consumers.spark.events import Event, Kind
from harness.consumers.spark.open_protocol import columns, layouts
from harness.consumers.spark.registry import registry
from harness.consumers.spark.ticdc_avro import events as avro_events
from harness.errors import DecodingError, SetupError

Decode = Callable[[bytes | None, bytes | None], list[Event]]
DIALECTS: Mapping[str, frozenset[str]] = {
    "open": frozenset(columns.DIALECTS),
    "avro": avro_events.DIALECTS,
    "vitess": vitess_events.DIALECTS,
}
PACKAGES = (debezium_vitess, open_protocol, ticdc_avro)


@dataclass(frozen=True, slots=True)
class Language:
    """How the messages of a topic are to be read; plain data, which travels to executors.

    `url` and `properties` are the registry's, "" where messages name no schema.
    """

    protocol: str
    dialect: str = "current"
    url: str = ""
    properties: Mapping[str, str] = field(default_factory=dict[str, str])
    definitions: Definitions = field(default_factory=Definitions)


def decoder(language: Language) -> Decode:
    """Return a decoder, with whatever it remembers of schemas."""
    return _MAKERS[language.protocol](language)


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
    return SetupError(f"{error.what} ({place})", expected=error.expected, hint=error.hint)


def _schema(language: Language, schema_id: int) -> str:
    if not language.url:
        raise DecodingError(
            f"the message names schema {schema_id}, and no registry was given",
            expected="the address of the schema registry",
        )
    return registry(language.url, language.properties).schema(schema_id)


def _open(language: Language) -> Decode:
    return layouts.Decoder(columns.DIALECTS[language.dialect]).decode


def _avro(language: Language) -> Decode:
    return avro_events.Decoder(partial(_schema, language)).decode


def _vitess(language: Language) -> Decode:
    parts = Parts(partial(_schema, language))
    return vitess_events.Decoder(parts, Rows(language.definitions)).decode


_MAKERS: Mapping[str, Callable[[Language], Decode]] = {
    "open": _open,
    "avro": _avro,
    "vitess": _vitess,
}
