"""A changefeed as its consumers know it, and its changes in the order in which they take effect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cdc_spark import rows
from cdc_spark.debezium.connectors import CONNECTORS, sends_truncate
from cdc_spark.debezium.values import definitions
from cdc_spark.decoding import FAIL, POLICIES, Skip, kafka_columns
from cdc_spark.errors import UsageError
from cdc_spark.figures import observe_applied, observe_read
from cdc_spark.ordering import buckets
from cdc_spark.ordering.hold import Source
from cdc_spark.ordering.operators import ENDLESS, Decoder, Growth, Holder, Route, Timeline
from cdc_spark.protocols import DIALECTS, Language
from cdc_spark.set_aside import Policy, places, statements
from cdc_spark.untyped import Frame
from cdc_spark.wire.registry import waited_for
from cdc_spark.wire.zones import UTC_NAME, in_utc

ORDERED_SCHEMA = rows.sql(rows.RELEASED)
_HOUR_MS = 3_600_000
_SEVERAL = 2


@dataclass(frozen=True, slots=True)
class Changefeed:
    """One changefeed, or one connector, as the team that consumes it knows it.

    | argument | meaning |
    | --- | --- |
    | `protocol`, `dialect` | `open` (`current`, `4.0.4`), `avro`, `vitess` or `debezium-mysql` |
    | `topics` | each topic's partitions (0: yet to come); a resolved ts counts when all sent it |
    | `watermarks` | the stream has resolved events and DDL: Open has; Avro with a watermark |
    | `inclusive` | a resolved event covers its own commit ts; `False` for TiCDC 4.0.4 |
    | `assembled` | a transaction topic is among the topics (Debezium with metadata) |
    | `registry`, `properties` | as of `decode_avro` |
    | `tables` | definitions that are not on the wire, as in job.json |
    | `settings` | the connector's settings that are not on the wire, as in job.json |
    | `poison` | for what cannot be read: `fail` the query, or `dead_letter` |
    | `skip` | messages by topic, partition and offset: set aside; DDL is not executed |
    | `statements` | SQL by topic, partition and offset, in the place of a message's DDL |
    | `repeats` | partitions, by topic and number, that joined with what others had before |
    | `time_zone` | the TiCDC server's `tz`, by which it writes TIMESTAMPs; they are read to UTC |
    | `buckets` | of (table, key), ordered side by side; 0: the cluster's default parallelism |
    | `retention_h` | hours for which keys are remembered, in streams of rows alone; 0: for ever |
    | `net` | of a key's rows that take effect in one micro-batch only the last leaves `in_order` |

    Partitions that come later are read without being declared; what one has behind the resolved ts
    that was applied without it is refused (GrowthError), unless `repeats` names it. Topics and
    partitions may be added behind those that were there, on the same checkpoint; the number of
    buckets stays what it was when the checkpoint was begun (UsageError). Debezium that is
    `assembled` or sends TRUNCATE (`skipped.operations` among the `settings`), and Avro with a
    watermark, have one bucket: order is the whole changefeed's. `net` is for tables, which end the
    same and cost less where rows change often; it may be turned on and off. Rows of tables without
    a key all leave, and of others the last before DDL and before a change of shape; one bucket of
    Debezium's has none.

    Streams of rows alone say nowhere that a version will not come again, so each key's newest is
    remembered. With `retention_h` it is forgotten so many hours after it, by the commit times of
    the stream: state stays as large as the keys that change in that time. Choose more than the
    producer may go back when it restarts (TiCDC's `gc-ttl` is 24 hours): an older row that comes
    again takes effect again.
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
    skip: Skip = ()
    statements: Mapping[tuple[str, int, int], str] = field(
        default_factory=dict[tuple[str, int, int], str]
    )
    buckets: int = 0
    retention_h: float = 0
    net: bool = False
    repeats: Sequence[tuple[str, int]] = ()
    time_zone: str = UTC_NAME

    def __post_init__(self) -> None:
        """Refuse what cannot be; raises UsageError."""
        if self.protocol not in DIALECTS or self.dialect not in DIALECTS[self.protocol]:
            raise UsageError(
                f"protocol {self.protocol!r} in the dialect {self.dialect!r}",
                expected=f"one of {', '.join(sorted(DIALECTS))}, in a dialect of it",
            )
        in_utc(self.time_zone)  # refuses a zone that nobody knows
        waited_for(self.properties)
        if self.poison not in POLICIES:
            raise UsageError(f"poison {self.poison!r}", expected=f"one of {', '.join(POLICIES)}")
        if min(self.topics.values(), default=-1) < 0 or not any(self.topics.values()):
            raise UsageError("a changefeed without topics", expected="partitions by topic's name")
        _repeats(self)
        if self.buckets < 0 or (self.buckets > 1 and not _timeline(self).spreads):
            raise UsageError(
                f"{self.buckets} buckets",
                expected="0 or more"
                if self.buckets < 0
                else "0 or 1: rows of this changefeed"
                " depend on rows of other keys, so one task orders them",
            )
        if self.retention_h < 0 or (self.retention_h and not _timeline(self).by_record):
            raise UsageError(
                f"retention_h={self.retention_h:g}",
                expected="0 or more"
                if self.retention_h < 0
                else "0: resolved events say what will not come again, so no key is remembered",
            )
        if self.net and self.protocol in CONNECTORS:
            if not _timeline(self).spreads:
                raise UsageError(
                    f"net=True for {self.protocol}",
                    expected="net=False: a transaction takes effect as a whole, with all its rows,"
                    " and TRUNCATE with all of its table",
                )
            _several(self, self.buckets or _SEVERAL)
        unknown = [
            place
            for place in [*places(self.skip), *statements(self.statements)]
            if place.topic not in self.topics
        ]
        if unknown:
            raise UsageError(
                f"the changefeed has no {unknown[0]}, which `skip` or `statements` names",
                expected=f"a place in {', '.join(self.topics)}",
            )


def _several(changefeed: Changefeed, number: int) -> None:
    """Raise UsageError where one bucket, which nets nothing of a connector's, is to net."""
    if changefeed.net and changefeed.protocol in CONNECTORS and number < _SEVERAL:
        raise UsageError(
            f"net=True for {changefeed.protocol} in one bucket",
            expected=f"buckets={_SEVERAL} or more, on a cluster of any size; or net=False",
        )


def in_order(messages: Frame, changefeed: Changefeed) -> Frame:
    """Return the changes of a streaming Kafka DataFrame that take effect, in their order.

    The columns are those of `ORDERED_SCHEMA`. Changes of one key are in one `bucket`, in their
    order there; `sort_by_effect` brings a micro-batch in the order of the whole changefeed. What
    waits is Spark's state. A message that cannot be read and is not to be set aside fails the
    micro-batch before anything of it goes on, at every restart (PoisonError).
    """
    timeline = _timeline(changefeed)
    columns = kafka_columns(messages, placed=True)
    number = changefeed.buckets if timeline.spreads else 1
    number = number or buckets.default(messages.sparkSession)
    _several(changefeed, number)
    events = columns.mapInArrow(Decoder(_routes(changefeed, number)).decode, rows.sql(rows.EVENT))
    name = " ".join(changefeed.topics)
    events = observe_read(events, name, () if timeline.by_record else timeline.sources)
    changes = (
        buckets.spread(events, number)
        .groupBy("feed", "bucket", "lane")
        .applyInPandasWithState(
            Holder({0: timeline}, dict(changefeed.topics), number).step,
            ORDERED_SCHEMA,
            "hold binary",
            "append",
            "NoTimeout",
        )
    )
    return observe_applied(changes, name)


def sort_by_effect(changes: Frame) -> Frame:
    """Return the changes of a micro-batch, of all buckets, in the order in which they take effect.

    Within a bucket they come in this order already: only what depends on several keys, such as DDL
    and the rows before it, needs this.
    """
    return buckets.in_order_of_effect(changes.coalesce(1))


def _routes(changefeed: Changefeed, number: int) -> dict[str, Route]:
    language = Language(
        protocol=changefeed.protocol,
        dialect=changefeed.dialect,
        url=changefeed.registry,
        properties=dict(changefeed.properties),
        definitions=definitions(tuple(changefeed.tables), changefeed.settings, changefeed.protocol),
        time_zone=changefeed.time_zone,
    )
    policy = Policy(fails=changefeed.poison == FAIL, keeps=True, skipped=places(changefeed.skip))
    timeline = _timeline(changefeed)
    growth = Growth.READ if timeline.by_record else Growth.AWAITED
    early = timeline.nets_early and number > 1
    return {
        name: Route(0, ordinal, language, (ENDLESS,) * partitions, policy, number, growth, early)
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
        lenient=True,  # what fails the query does so where it is decoded
        net=changefeed.net,
        retention_ms=round(changefeed.retention_h * _HOUR_MS),
        repeats=_repeats(changefeed),
        truncates=sends_truncate(changefeed.protocol, changefeed.settings),
    )


def _repeats(changefeed: Changefeed) -> frozenset[Source]:
    ordinals = {name: ordinal for ordinal, name in enumerate(changefeed.topics)}
    for one in changefeed.repeats:
        found: Any = one if isinstance(one, list | tuple) else ()  # pyright: ignore[reportUnnecessaryIsInstance]
        if [type(part) for part in found] != [str, int] or found[0] not in ordinals:
            raise UsageError(
                f"repeats names {one!r}",
                expected=f"topic and partition, of the topics {', '.join(ordinals)}",
            )
    return frozenset(Source(ordinals[name], number) for name, number in changefeed.repeats)
