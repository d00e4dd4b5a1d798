"""Schema texts exactly as TiCDC registers them, and what its Avro library refuses to build.

A record has `type,name,namespace,fields` in this order; a field is a Go map, so its keys are
sorted: `default,name,type`. A nullable column is `["null",T]` with default null; with a default of
its own it is `[T,"null"]`, so that the null branch is the second. A precise DECIMAL never carries
its default.

Source: TiCDC codec notes §3.2, 3.4, 3.6, 3.8; tiflow c7b2588 pkg/sink/codec/avro/avro.go:525
`columns2AvroSchema`, `schemaWithExtension`; goavro v2.14.0 record.go `makeRecordCodec`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from harness.codecs.avro import names
from harness.codecs.avro.defaults import Native, default_text, native_default
from harness.codecs.avro.settings import AvroSettings
from harness.codecs.avro.types import AvroType, avro_type
from harness.errors import SourceStopped
from harness.model.columns import Column
from harness.model.table import Table

API_ERROR = "ErrAvroSchemaAPIError"
_LONG_MAX = 2**63
# Field -> its type and its default, the latter in the current dialect only.
_EXTENSION = {
    names.OP: ("string", '""'),
    names.COMMIT_TS: ("long", "0"),
    names.PHYSICAL_TIME: ("long", "0"),
}
_CHECKSUM = {
    names.CHECKSUM: ("string", '""'),
    names.CORRUPTED: ("boolean", "false"),
    names.CHECKSUM_VERSION: ("int", "0"),
}


@dataclass(frozen=True, slots=True)
class AvroField:
    """One column's field: where its values stand in a row, its type, and its place in a union.

    `default` is what the schema says, None without one.
    """

    ordinal: int
    column: Column
    type: AvroType
    default: Native

    @property
    def null_first(self) -> bool:
        """Return whether NULL is the first branch of a nullable field."""
        return self.default is None

    def text(self) -> str:
        """Return the field's JSON."""
        name = names.sanitised(self.column.name)
        kind = self.type.text()
        default = f'"default":{default_text(self.default)},' if self.default is not None else ""
        if self.column.nullable:
            default = default or '"default":null,'
            kind = f'["null",{kind}]' if self.null_first else f'[{kind},"null"]'
        return f'{{{default}"name":"{name}","type":{kind}}}'


@dataclass(frozen=True, slots=True)
class AvroRecordSchema:
    """A record's fields in the order of the wire, and the text that is registered."""

    fields: tuple[AvroField, ...]
    text: str


def key_schema(table: Table, handle: Iterable[int], settings: AvroSettings) -> AvroRecordSchema:
    """Return the schema of keys: the handle's columns in table order."""
    return _schema(table, _fields(table, handle, settings), {}, settings)


def value_schema(table: Table, emitted: Iterable[int], settings: AvroSettings) -> AvroRecordSchema:
    """Return the schema of values; with checksums its columns are ordered by their ids."""
    fields = _fields(table, emitted, settings)
    extra: dict[str, tuple[str, str]] = {}
    if settings.extension:
        extra |= _EXTENSION
    if settings.checksum:
        fields = sorted(fields, key=lambda field: field.column.id)
        extra |= _CHECKSUM
    return _schema(table, fields, extra, settings)


def _fields(table: Table, ordinals: Iterable[int], settings: AvroSettings) -> list[AvroField]:
    fields: list[AvroField] = []
    for ordinal in sorted(ordinals):
        column = table.columns[ordinal]
        kind = avro_type(column, settings)
        default = native_default(_declared(column, settings), kind)
        # Without a logical type in its union goavro cannot have a default (avro.go:552).
        fields.append(AvroField(ordinal, column, kind, None if kind.decimal else default))
    return fields


def _declared(column: Column, settings: AvroSettings) -> Column:
    """Return the column with the default that the dialect looks at: its own, else of old rows."""
    own = column.default is not None and column.default.text is not None
    if own or not settings.dialect.origin_defaults:
        return column
    return replace(column, default=column.origin_default)


def _schema(
    table: Table,
    fields: Sequence[AvroField],
    extra: dict[str, tuple[str, str]],
    settings: AvroSettings,
) -> AvroRecordSchema:
    name = names.sanitised(table.id.name)
    space = names.namespace(settings.namespace, table.id.schema)
    _buildable(f"{space}.{name}", fields, extra)
    texts = [field.text() for field in fields]
    for added, (kind, default) in extra.items():
        first = f'"default":{default},' if settings.dialect.extension_defaults else ""
        texts.append(f'{{{first}"name":"{added}","type":"{kind}"}}')
    listed = ",".join(texts)
    text = f'{{"type":"record","name":"{name}","namespace":"{space}","fields":[{listed}]}}'
    return AvroRecordSchema(tuple(fields), text)


def _buildable(record: str, fields: Sequence[AvroField], extra: Iterable[str]) -> None:
    """Raise SourceStopped for a record that goavro refuses: the first field that is wrong."""
    seen: set[str] = set()
    columns = [(names.sanitised(field.column.name), field) for field in fields]
    for number, (name, field) in enumerate([*columns, *((added, None) for added in extra)], 1):
        if name in seen:
            raise SourceStopped(
                API_ERROR,
                f'Record "{record}" field {number} ought to have unique name: "{name}"',
                hint="Avro takes letters, digits and _ only: two names became the same",
            )
        seen.add(name)
        if field is not None:
            _default_fits(record, name, field)


def _default_fits(record: str, name: str, field: AvroField) -> None:
    """Refuse what JSON's 64-bit floats round out of a union's long; others it does not look at."""
    value = field.default
    if field.type.name != "long" or not field.column.nullable or not isinstance(value, int):
        return
    if float(value) >= _LONG_MAX:
        raise SourceStopped(
            API_ERROR,
            f'Record "{record}" field "{name}": default value ought to encode using field schema:'
            f" cannot encode binary long: provided Go float64 would lose precision:"
            f" {float(value):f}",
        )
