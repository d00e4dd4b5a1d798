"""What is prepared once for each version of a table and each operation.

Source: as for `harness.codecs.debezium.tables`, whose schemas and readers are what is printed here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from harness.codecs.connect.json_converter import JsonConverter
from harness.codecs.connect.json_text import json_string
from harness.codecs.connect.schema import Schema, Struct
from harness.codecs.connect.settings import Converters, ConverterSettings
from harness.codecs.debezium.rows import StructReaders
from harness.codecs.debezium.tables import TableShape
from harness.codecs.debezium_vitess.vectorised.columns import CellPrinter, PrintStyle, printed
from harness.codecs.debezium_vitess.vectorised.template import RowTemplate, RowTemplateBuilder

CREATE, UPDATE, DELETE = b"c", b"u", b"d"
_IMAGES: Final = 2
# What stands behind the images, by the envelope's fields; the rows of one event share it.
_TAIL: Mapping[str, bytes] = MappingProxyType(
    {
        "source": b"%(source)b",
        "transaction": b"null",
        "op": b'"%(op)b"',
        "ts_ms": b"%(ms)d",
        "ts_us": b"%(us)d",
        "ts_ns": b"%(ns)d",
    }
)


@dataclass(frozen=True, slots=True)
class RowPlan:
    """How the rows of one table and operation are written.

    `tail` is the form of what ends each row; `keyed` says that a key stands before each value;
    `moving` are the columns that a key is made of; `checked` are cells that must be readable
    although nothing shows them.
    """

    template: RowTemplate
    tail: bytes
    keyed: bool
    moving: tuple[int, ...]
    checked: tuple[tuple[int, Callable[[bytes], Any]], ...]


class RowPlanner:
    """The converters' settings, and the JVM's zone."""

    def __init__(self, settings: Converters, *, utc: bool) -> None:
        """Take what decides the texts."""
        self._key, self._value = _converter(settings.key), _converter(settings.value)
        self._key_style = PrintStyle(settings.key.form, utc)
        self._value_style = PrintStyle(settings.value.form, utc)
        self._source = JsonConverter(schemas_enable=False, form=settings.value.form)

    def source(self, shape: TableShape, source: Struct) -> bytes:
        """Return the text of a source block."""
        schema = next(field.schema for field in shape.envelope.fields if field.name == "source")
        return self._source.text(schema, source) or b""

    def plan(self, shape: TableShape, op: bytes) -> RowPlan | None:
        """Prepare a table's rows; None where a key is made of more than cells."""
        if shape.key_constant is not None:
            return None
        draft = RowTemplateBuilder()
        if shape.key_schema is not None:
            before, after = self._key.around(shape.key_schema)
            draft.text(before)
            draft.struct(self._fields(shape, shape.keys, shape.key_schema, 0, self._key_style))
            draft.text(after + b"\n")
        before, after = self._value.around(shape.envelope)
        width = len(shape.columns)
        starts = {CREATE: (None, 0), UPDATE: (width, 0), DELETE: (0, None)}[op]
        draft.text(before)
        comma = b"{"
        for field, start in zip(shape.envelope.fields[:_IMAGES], starts, strict=True):
            draft.text(b'%b"%b":' % (comma, field.name.encode()))
            if start is None:
                draft.text(b"null")
            else:
                draft.struct(
                    self._fields(shape, shape.values, field.schema, start, self._value_style)
                )
            comma = b","
        template, last = draft.template()
        tail = b"".join(
            b',"%b":%b' % (field.name.encode(), _TAIL[field.name])
            for field in shape.envelope.fields[_IMAGES:]
        )
        return RowPlan(
            template,
            last.replace(b"%", b"%%") + tail + b"}" + after + b"\n",
            shape.key_schema is not None,
            tuple(slot[1] for slot in shape.keys),
            shape.checked,
        )

    def _fields(
        self, shape: TableShape, slots: StructReaders, schema: Schema, start: int, style: PrintStyle
    ) -> Sequence[tuple[bytes, int, CellPrinter]]:
        """Return a struct's fields as a draft takes them; its cells stand from `start` on."""
        return [
            (
                json_string(slot[0]).encode(),
                start + slot[1],
                printed(slot, field.schema, shape.columns[slot[1]], style),
            )
            for slot, field in zip(slots, schema.fields, strict=True)
        ]


def _converter(settings: ConverterSettings) -> JsonConverter:
    return JsonConverter(schemas_enable=settings.schemas_enable, form=settings.form)
