"""A changefeed as its consumers know it, and its changes in the order in which they take effect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cdc_spark import rows
from cdc_spark.debezium_vitess.values import definitions
from cdc_spark.decoding import DEAD_LETTER, FAIL, NEEDED, POLICIES
from cdc_spark.errors import UsageError
from cdc_spark.ordering.hold import Source
from cdc_spark.ordering.operators import Decoder, Holder, Route, Timeline
from cdc_spark.protocols import DIALECTS, Language
from cdc_spark.untyped import Frame

ORDERED_SCHEMA = rows.sql(rows.APPLIED)
_ENDLESS = 1 << 62  # beyond any offset


@dataclass(frozen=True, slots=True)
class Changefeed:
    """One changefeed, or one connector, as the team that consumes it knows it.

    `topics` gives every topic's number of partitions: a resolved ts counts when all of them have
    sent it. `watermarks`: the stream has resolved events and DDL (Open; Avro with the
    watermark), and
    `assembled` that a transaction topic is among the topics (Vitess with metadata). `tables` are
    definitions where the wire has none, and `settings` the connector's, both as in job.json.
    """

    protocol: str
    topics: Mapping[str, int]
    dialect: str = "current"
    watermarks: bool | None = None
    inclusive: bool = True
    assembled: bool = False
    registry: str = ""
    properties: Mapping[str, str] = field(default_factory=dict[str, str])
    tables: Sequence[Mapping[str, Any]] = ()
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    poison: str = FAIL

    def __post_init__(self) -> None:
        """Refuse what cannot be; raises UsageError."""
        if self.protocol not in DIALECTS or self.dialect not in DIALECTS[self.protocol]:
            raise UsageError(
                f"protocol {self.protocol!r} in the dialect {self.dialect!r}",
                expected=f"one of {', '.join(sorted(DIALECTS))}, in a dialect of it",
            )
        if self.poison not in POLICIES:
            raise UsageError(f"poison {self.poison!r}", expected=f"one of {', '.join(POLICIES)}")
        if not self.topics or any(number < 1 for number in self.topics.values()):
            raise UsageError("a changefeed without topics", expected="partitions by topic's name")

    @property
    def lenient(self) -> bool:
        """Return whether poison is set aside."""
        return self.poison == DEAD_LETTER


def in_order(messages: Frame, changefeed: Changefeed) -> Frame:
    """Return the changes of a streaming Kafka DataFrame that take effect, in their order.

    The columns are `seq` (dense from 0), `kind`, `ts`, `schema`, `table`, `payload`, and the
    place: `topic` by ordinal, `partition`, `offset`; `feed` is 0. What waits is Spark's state.
    """
    events = messages.select(*NEEDED).mapInArrow(
        Decoder(_routes(changefeed)).decode, rows.sql(rows.EVENT)
    )
    return events.groupBy("feed").applyInPandasWithState(
        Holder({0: _timeline(changefeed)}).step,
        ORDERED_SCHEMA,
        "hold binary",
        "append",
        "NoTimeout",
    )


def _routes(changefeed: Changefeed) -> dict[str, Route]:
    language = Language(
        protocol=changefeed.protocol,
        dialect=changefeed.dialect,
        url=changefeed.registry,
        properties=dict(changefeed.properties),
        definitions=definitions(tuple(changefeed.tables), changefeed.settings),
    )
    return {
        name: Route(0, ordinal, language, (_ENDLESS,) * partitions)
        for ordinal, (name, partitions) in enumerate(changefeed.topics.items())
    }


def _timeline(changefeed: Changefeed) -> Timeline:
    watermarks = (
        changefeed.protocol == "open" if changefeed.watermarks is None else changefeed.watermarks
    )
    return Timeline(
        protocol=changefeed.protocol,
        sources=tuple(
            Source(ordinal, number)
            for ordinal, partitions in enumerate(changefeed.topics.values())
            for number in range(partitions)
        ),
        inclusive=changefeed.inclusive,
        by_record=not watermarks,
        assembled=changefeed.assembled,
        lenient=changefeed.lenient,
    )
