"""The decoder of a Debezium connector's topics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import orjson

from harness.codecs.connect.decode_avro import AvroReader
from harness.codecs.connect.decode_document import ConnectDocument
from harness.codecs.connect.decode_json import json_part
from harness.codecs.connect.settings import (
    JSON,
    SIMPLE,
    ConverterSettings,
    converter_settings,
    is_converter_setting,
)
from harness.codecs.debezium.decode_events import EventReader, SourceForm, event
from harness.codecs.debezium.decode_values import Columns, DecodeModes
from harness.contracts import SchemaRegistry
from harness.errors import DecodingError, UsageError
from harness.model.debezium_place import DebeziumPlace
from harness.model.decoded import DecodedEvent
from harness.model.settings import Settings

Headers = Sequence[tuple[str, bytes | None]]
_NEW_KEY, _OLD_KEY = "__debezium.newkey", "__debezium.oldkey"
_TIME_MODE: Final = "time.precision.mode"
_BINARY_MODE: Final = "binary.handling.mode"


class DebeziumDecoder:
    """Reads records that were written under the same converter settings."""

    def __init__(
        self,
        form: SourceForm,
        values: Settings | None = None,
        registry: SchemaRegistry | None = None,
        columns: Columns | None = None,
    ) -> None:
        """Take the connector's form and settings, the registry that Avro needs, and known tables.

        Of the settings only the converters', `time.precision.mode` and `binary.handling.mode` are
        read. `columns` gives a table's columns by schema and name: with them every value has its
        canonical form; without, only what the schema says.
        """
        given = values or {}
        settings = converter_settings(
            {name: value for name, value in given.items() if is_converter_setting(name)}
        )
        default = DecodeModes()
        modes = DecodeModes(
            str(given.get(_TIME_MODE, default.time)), str(given.get(_BINARY_MODE, default.binary))
        )
        self._key = _reader(settings.key, registry)
        self._value = _reader(settings.value, registry)
        self._plain_headers = settings.header.type == SIMPLE or not settings.header.schemas_enable
        self._reader = EventReader(form, columns, modes)

    def decode(
        self, key: bytes | None, value: bytes | None, headers: Headers = ()
    ) -> tuple[DecodedEvent, ...]:
        """Return the record's event, none of a notification; DecodingError where malformed."""
        try:
            read = self._part(self._value, value)
            if read is not None and "aggregate_type" in read.document:
                return ()
            found = event(self._part(self._key, key), read, self._reader)
        except (UnicodeDecodeError, RecursionError) as error:
            raise DecodingError(f"the record cannot be read: {error}") from error
        moved = {
            name: self._header(raw)
            for name, raw in headers
            if name in {_NEW_KEY, _OLD_KEY} and raw is not None
        }
        if moved:
            place = found.place or DebeziumPlace()
            old, new = moved.get(_OLD_KEY, ""), moved.get(_NEW_KEY, "")
            found = replace(found, place=replace(place, old_key=old, new_key=new))
        return (found,)

    @staticmethod
    def _part(
        read: Callable[[bytes], ConnectDocument | None], data: bytes | None
    ) -> ConnectDocument | None:
        return None if data is None else read(data)

    def _header(self, raw: bytes) -> str:
        """Return a moved key's text, out of its envelope."""
        if self._plain_headers:
            return raw.decode()
        part = json_part(raw, schemas=True)
        return "" if part is None else orjson.dumps(part.document).decode()


def _reader(
    settings: ConverterSettings, registry: SchemaRegistry | None
) -> Callable[[bytes], ConnectDocument | None]:
    if settings.type == JSON:
        return partial(
            json_part, schemas=settings.schemas_enable, exact=settings.form.decimal_numeric
        )
    if registry is None:
        raise UsageError(
            f"{settings.type} cannot be read without a schema registry",
            hint="give the decoder the registry that the encoder used",
        )
    return AvroReader(registry).part
