"""Debezium MariaDB and MySQL: connector, transforms and converters bound to one scenario."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from harness.codecs.connect.settings import JSON, converter_settings, is_converter_setting
from harness.codecs.connect.transforms import OF_KAFKA, is_chain_setting, transform_chain
from harness.codecs.connect.worker import Worker
from harness.codecs.debezium.settings import ConnectorSettings, check_known, with_converters
from harness.codecs.debezium.settings import read as read_properties
from harness.codecs.debezium.topics import topics
from harness.codecs.debezium.validation import common_problems
from harness.codecs.debezium_mysql.connector import DIALECTS, Connector
from harness.codecs.debezium_mysql.decode import mysql_decoder
from harness.codecs.debezium_mysql.reference import (
    CONNECTOR_SETTINGS,
    FLAT,
    NO_SNAPSHOTS,
    NO_TRANSFORMS,
    PARTITIONS,
    SNAPSHOTS,
    VITESS_TRANSFORMS,
)
from harness.codecs.debezium_mysql.values import modes
from harness.contracts import Codec, SchemaRegistry
from harness.errors import UsageError
from harness.model.binlog import LogEvent
from harness.model.decoded import DecodedEvent
from harness.model.record import Record
from harness.model.settings import Settings
from harness.wire.registry import MemoryRegistry

FLATTENED: Final = "what to do with what it leaves: docs/guides/write-a-consumer.md, Flattened rows"
DEFAULTS: Final[Mapping[str, str]] = MappingProxyType(
    # Topics that a real connector filled name themselves: who reads them need not say the prefix.
    {**{row.name: row.default for row in CONNECTOR_SETTINGS}, "topic.prefix": "mysql"}
)


class BoundMysql:
    """One connector's codec."""

    def __init__(
        self,
        settings: ConnectorSettings,
        dialect: str,
        worker: tuple[Settings, int],
        registry: SchemaRegistry,
        values: Settings,
    ) -> None:
        """Take what was bound, and the registry that gives Avro schemas their ids."""
        self._settings, self._dialect = settings, DIALECTS[dialect]
        converters, self._partitions = worker
        self._converters = converter_settings(converters)
        self._chain = transform_chain(values, OF_KAFKA)
        self._registry = registry
        self._decoder = mysql_decoder(values, registry)

    @property
    def complete(self) -> str | None:
        """Return None: nothing on the wire promises that a time is over."""
        return None

    @property
    def row_ids(self) -> bool:
        """Return False: the records of rows without a key have no key at all."""
        return False

    def encode(self, events: Iterable[LogEvent]) -> Iterator[Record]:
        """Yield the records of a log; raises SourceStopped where the task stops."""
        worker = Worker(self._converters, self._registry, self._partitions)
        # The connector leaves the field unset; a converter that keeps nulls prints null.
        keeps_nulls = not self._converters.value.form.replace_null_with_default
        snapshot = None if keeps_nulls else "false"
        for emitted in Connector(self._settings, self._dialect, snapshot).emitted(events):
            if isinstance(emitted, Record):
                yield emitted
            elif (sent := self._chain.apply(emitted)) is not None:
                yield worker.record(sent)
            elif emitted.value is not None and "op" in emitted.value:
                raise UsageError(
                    f"`transforms` drops a row of {emitted.topic}, which the expected state keeps",
                    expected="transforms that drop no row; `table.exclude.list` leaves out tables",
                )

    def decode(self, key: bytes | None, value: bytes | None) -> tuple[DecodedEvent, ...]:
        """Return the event of one record."""
        return self._decoder.decode(key, value)


def bind(values: Settings, dialect: str, registry: SchemaRegistry | None = None) -> BoundMysql:
    """Return the codec for settings and a dialect's name; UsageError for what cannot be."""
    if dialect not in DIALECTS:
        raise UsageError(
            f"unknown dialect {dialect!r} of the MySQL family",
            expected="one of " + ", ".join(DIALECTS),
        )
    converters = {n: v for n, v in values.items() if is_converter_setting(n)}
    own = {
        name: value
        for name, value in values.items()
        if name not in converters and name != PARTITIONS and not is_chain_setting(name)
    }
    _check_transforms(values)
    check_known(own, CONNECTOR_SETTINGS, dialect)
    settings = with_converters(read_properties(own, DEFAULTS), converter_settings(converters))
    _check_snapshot(settings.mode("snapshot.mode"))
    modes(settings)
    wrong = "; ".join(f"{name}: {what}" for name, what in common_problems(settings, (), {}))
    if wrong:
        raise UsageError(
            f"the connector refuses its configuration: {wrong}",
            expected="properties that it takes, one by one and together",
        )
    topics(settings, {})
    partitions = str(values.get(PARTITIONS, 1))
    if not partitions.isdecimal() or int(partitions) < 1:
        raise UsageError(f"{PARTITIONS} cannot be {partitions!r}", expected="a number from 1")
    worker = (converters, int(partitions))
    return BoundMysql(settings, dialect, worker, registry or MemoryRegistry(), values)


def _check_snapshot(mode: str) -> None:
    """Refuse a mode that the connector does not know, and one that no scenario can show."""
    if mode not in SNAPSHOTS:
        why = NO_SNAPSHOTS.get(mode, "the connector has no such mode")
        raise UsageError(
            f"`snapshot.mode` {mode!r} is refused: {why}",
            expected="one of " + ", ".join(SNAPSHOTS),
        )


def _check_transforms(values: Settings) -> None:
    """Refuse transforms that others have, with the reason."""
    for name, value in values.items():
        if name.startswith("transforms.") and name.endswith(".type"):
            why = NO_TRANSFORMS.get(str(value), "")
            if str(value).startswith(VITESS_TRANSFORMS):
                why = "it is in the jar of the Vitess connector"
            if why:
                raise UsageError(
                    f"`{name}` {value} is refused: {why}",
                    expected="one of " + ", ".join(OF_KAFKA),
                    hint=FLATTENED if why == FLAT else "",
                )


def _registered(values: Settings) -> bool:
    """Return whether a converter is an Avro one."""
    return any(str(values.get(f"{part}.converter", JSON)) != JSON for part in ("key", "value"))


MYSQL: Final = Codec(tuple(DIALECTS), bind, needs_registry=_registered)
