"""The sink in anybody's own job: Kafka messages in, Delta tables out.

Law: it is the pipeline that the harness certifies, with nothing of the harness in it. Paths are
URIs, state is Spark's, and the driver holds tables' definitions, never rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from cdc_spark import rows
from cdc_spark.apply.hold import Source
from cdc_spark.delta import ledger
from cdc_spark.delta.columns import HIDDEN
from cdc_spark.delta.sink import Feed, Sink
from cdc_spark.delta.sketch import load
from cdc_spark.delta.writes import Place
from cdc_spark.errors import UsageError
from cdc_spark.job import DEAD_LETTER, FAIL, POLICIES
from cdc_spark.languages import definitions
from cdc_spark.operations import Decoder, Holder, Route, Timeline
from cdc_spark.protocols import DIALECTS, Language
from cdc_spark.untyped import Frame, Query, Session

_ENDLESS = 1 << 62  # beyond any offset


@dataclass(frozen=True, slots=True)
class Changefeed:
    """One changefeed, or one connector, as the team that consumes it knows it.

    `topics` gives every topic's number of partitions: a resolved mark counts when all of them have
    told it. `marked` says that the stream tells marks and DDL (Open; Avro with the watermark), and
    `assembled` that a transaction topic is among the topics (Vitess with metadata). `tables` are
    definitions where the wire tells none, and `settings` the connector's, both as in job.json.
    """

    protocol: str
    topics: Mapping[str, int]
    dialect: str = "current"
    marked: bool | None = None
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
    needed = messages.select("topic", "partition", "offset", "key", "value")
    events = needed.mapInArrow(Decoder(_routes(changefeed)).decode, rows.sql(rows.EVENT))
    return events.groupBy("feed").applyInPandasWithState(
        Holder({0: _timeline(changefeed)}).step,
        rows.sql(rows.APPLIED),
        "hold binary",
        "append",
        "NoTimeout",
    )


def write_delta(
    changes: Frame, changefeed: Changefeed, *, root: str, checkpoint: str, app_id: str = "cdc"
) -> Any:  # noqa: ANN401 - a DataStreamWriter
    """Return a stream writer that keeps Delta tables under `root`; give it a trigger, and start it.

    `root` and `checkpoint` are URIs that belong together: a new checkpoint on old tables is
    refused (SetupError in the query's failure). `app_id` is the `txnAppId` of all writes. The
    session needs Delta's extension and catalog. A message that cannot be read, or DDL whose effect
    nobody tells, fails the query after all that came before it was written (DecodingError).
    """
    first = Feed("", tuple(changefeed.topics), tuple(changefeed.tables))

    def query(spark: Session) -> str:
        told = spark.read.text(f"{checkpoint.rstrip('/')}/metadata").collect()
        return str(orjson.loads(told[0][0])["id"])

    sink = Sink(root.rstrip("/"), app_id, query, {0: first}, changefeed.lenient)
    writer: Query = changes.writeStream.foreachBatch(sink)
    return writer.option("checkpointLocation", checkpoint)


def tables(spark: Session, root: str) -> dict[tuple[str, str], Frame]:
    """Return the tables under a root by schema and name, without the hidden columns.

    A table that was created and has not had a row yet has no Delta table, and is not among them.
    """
    root = root.rstrip("/")
    known = ledger.load(Place(spark, f"{root}/{ledger.NAME}", ""))
    found: dict[tuple[str, str], Frame] = {}
    for sketch in (load(text) for texts in known.tables.values() for text in texts):
        if sketch.made:
            frame = Place(spark, f"{root}/{sketch.path}", "").frame()
            found[sketch.schema, sketch.name] = frame.drop(*HIDDEN)
    return found


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
    marked = changefeed.protocol == "open" if changefeed.marked is None else changefeed.marked
    return Timeline(
        protocol=changefeed.protocol,
        sources=tuple(
            Source(ordinal, number)
            for ordinal, partitions in enumerate(changefeed.topics.values())
            for number in range(partitions)
        ),
        inclusive=changefeed.inclusive,
        by_record=not marked,
        assembled=changefeed.assembled,
        lenient=changefeed.lenient,
    )
