"""Patches of the MariaDB connector: its log, its settings, its columns, its records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from harness.codecs.connect.schema import ConnectRecord, Header, Schema
from harness.codecs.debezium.columns import ColumnType, Conversion
from harness.codecs.debezium.settings import ConnectorSettings
from harness.codecs.debezium_mysql.values import ValueModes
from harness.model.binlog import LogEvent
from harness.model.columns import ColumnKind
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, adjusted, patch, result
from harness.mutants.producers.records import SCHEMA_CHANGE, Edits, Records, Values, named

PROTOCOL: Final = "debezium-mysql"
CODEC: Final = "harness.codecs.debezium_mysql"
CONNECTOR: Final = f"{CODEC}.connector:Connector"
CONVERSION: Final = f"{CODEC}.values:conversion"
MODES: Final = f"{CODEC}.values:modes"
Columns = Callable[[ColumnType], bool]
Headers = tuple[Header, ...]


# A wrong form of a GTID: the end of a name, what is done, how.
GTID_FORMS: Final[tuple[tuple[str, str, Callable[[str], str]], ...]] = (
    ("by-colons", "joins the parts of a GTID by colons", lambda gtid: gtid.replace("-", ":")),
    (
        "without-its-server",
        "leaves the server out of a GTID",
        lambda gtid: "{0}-{2}".format(*gtid.split("-")),
    ),
    (
        "by-its-server",
        "writes the server of a GTID before its domain",
        lambda gtid: "{1}-{0}-{2}".format(*gtid.split("-")),
    ),
)


def row(name: str, clause: str, difference: str, edit: Patch, also: str = "") -> WrongProducer:
    """Return a wrong producer; its name and its clauses without what all of them begin with."""
    second = f"{PROTOCOL}.{also}" if also else ""
    return WrongProducer(f"mysql-{name}", f"{PROTOCOL}.{clause}", difference, edit, also=second)


def stream(change: Callable[[Records], Records]) -> Patch:
    """Return the patch that changes all records of a connector together."""
    return result(f"{CONNECTOR}.emitted", lambda given: iter(change(given)))


EDITS: Final = Edits(stream)
each, one, values, keys = EDITS.each, EDITS.one, EDITS.values, EDITS.keys
value_schema, key_schema, typed = EDITS.value_schema, EDITS.key_schema, EDITS.typed
without, renamed, moved, valued = EDITS.without, EDITS.renamed, EDITS.moved, EDITS.valued
by_transaction, of_status = EDITS.by_transaction, EDITS.of_status


def unprefixed(schema: Schema) -> Schema:
    """Return a schema whose name lacks what a topic begins with."""
    return replace(schema, name=(schema.name or "").partition(".")[2])


def key_renamed(of: str, name: str, new: str) -> Patch:
    """Return the patch that gives the field of each key of one kind of records another name."""

    def changed(record: ConnectRecord) -> ConnectRecord:
        schema = record.key_schema
        assert schema is not None
        key = {new: record.key[name]}
        return replace(record, key=key, key_schema=named(name, new, schema))

    return one(of, changed)


def of_statements(begin: str, change: Callable[[Values], object]) -> Patch:
    """Return the patch that changes, in place, the value of statements that begin so."""
    return values(
        SCHEMA_CHANGE,
        lambda value: change(value) if value["ddl"].upper().startswith(begin) else None,
    )


def log(change: Callable[[Iterable[LogEvent]], Iterable[LogEvent]]) -> Patch:
    """Return the patch by which the connector reads another log."""

    def changed(original: Callable[..., Any]) -> Callable[..., Any]:
        return lambda self, events: original(self, change(events))

    return patch(f"{CONNECTOR}.emitted", changed)


def headers(change: Callable[[Headers], Headers]) -> Patch:
    """Return the patch that changes the headers of each record."""

    def changed(record: ConnectRecord) -> Records:
        return (replace(record, headers=change(record.headers)),)

    return each(changed)


def without_header(name: str) -> Patch:
    """Return the patch that leaves a header out."""
    return headers(lambda given: tuple(header for header in given if header.key != name))


def with_properties(change: Callable[[dict[str, str]], object]) -> Patch:
    """Return the patch that changes, in place, the properties that the connector is given.

    Whoever reads what it sends is still given the properties as they are.
    """

    def changed(original: Callable[..., None]) -> Callable[..., None]:
        def start(self: Any, settings: ConnectorSettings, *more: object) -> None:  # noqa: ANN401 any
            own = dict(settings.properties)
            change(own)
            original(self, replace(settings, properties=MappingProxyType(own)), *more)

        return start

    return patch(f"{CONNECTOR}.__init__", changed)


def ignoring(name: str) -> Patch:
    """Return the patch by which the connector ignores a setting and takes its default."""
    return with_properties(lambda own: own.pop(name, None))


def by_default(name: str, value: str) -> Patch:
    """Return the patch by which a setting that nobody gave is another than its default."""
    return with_properties(lambda own: own.setdefault(name, value))


def kind_of(column: ColumnType) -> ColumnKind:
    """Return the kind of a connector's column in the database."""
    assert column.upstream is not None
    return column.upstream.kind


def of(kind: ColumnKind, *, unsigned: bool | None = None) -> Columns:
    """Return a test for columns of a kind, and of a sign where one is asked for."""

    def fits(column: ColumnType) -> bool:
        upstream = column.upstream
        assert upstream is not None
        return upstream.kind is kind and unsigned in {None, upstream.unsigned}

    return fits


def conversions(which: Columns, change: Callable[[Conversion], Conversion]) -> Patch:
    """Return the patch that changes how some columns travel."""
    return by_column(which, lambda found, _: change(found))


def by_column(which: Columns, change: Callable[[Conversion, ColumnType], Conversion]) -> Patch:
    """Return the patch that changes how some columns travel, by what they are."""
    return adjusted(
        CONVERSION,
        lambda found, column: (
            change(found, column) if found is not None and which(column) else found
        ),
    )


def schemas(which: Columns, **fields: Any) -> Patch:  # noqa: ANN401 a schema's fields
    """Return the patch that changes the schemas of some columns."""
    return conversions(which, lambda found: replace(found, schema=replace(found.schema, **fields)))


def cells(which: Columns, change: Callable[[Any], Any]) -> Patch:
    """Return the patch that changes the values of some columns, NULL apart."""
    return conversions(which, partial(_converted, change))


def _converted(change: Callable[[Any], Any], found: Conversion) -> Conversion:
    read = found.parse
    return replace(found, parse=lambda cell: change(read(cell)))


def without_escapes(text: str | None) -> str | None:
    """Return what a text between quotes means, None for none."""
    return text and text.replace("''", "'").replace(r"\\", "\\")


def read_as(mode: str, value: str, other: str) -> Patch:
    """Return the patch by which one value of a mode is taken for another."""

    def changed(found: ValueModes) -> ValueModes:
        fields: Mapping[str, Any] = {mode: other}
        return replace(found, **fields) if getattr(found, mode) == value else found

    return result(MODES, changed)
