"""The Delta tables of a changefeed: written as its changes come, and read.

Paths are URIs, state is Spark's, and the driver holds tables' definitions, never rows.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import orjson

from cdc_spark.changefeed import Changefeed
from cdc_spark.delta import ledger, letters
from cdc_spark.delta.catalog import CatalogNames
from cdc_spark.delta.columns import DELETED, HIDDEN, TS
from cdc_spark.delta.convert import quoted
from cdc_spark.delta.ledger import Identity
from cdc_spark.delta.sink import Feed, Sink
from cdc_spark.delta.sketch import load
from cdc_spark.delta.upkeep import Upkeep
from cdc_spark.delta.writes import Place
from cdc_spark.errors import UsageError
from cdc_spark.set_aside import places, statements
from cdc_spark.untyped import Frame, Query, Session

HARD, SOFT = "hard", "soft"
DELETES = (HARD, SOFT)


def write_delta(  # noqa: PLR0913 - the keywords of a public function
    changes: Frame,
    changefeed: Changefeed,
    *,
    root: str,
    checkpoint: str,
    app_id: str = "cdc",
    deletes: str = HARD,
    catalog: CatalogNames | None = None,
    optimize_every: int = 0,
    vacuum_h: float = 0,
) -> Any:  # noqa: ANN401 - a DataStreamWriter
    """Return a stream writer that keeps Delta tables under `root`; give it a trigger, and start it.

    `root` and `checkpoint` are URIs that belong together: tables of another checkpoint are refused
    (ForeignTablesError), and tables that lack what the checkpoint has applied (LostTablesError).
    `app_id` is the `txnAppId` of all writes. The session needs Delta's extension and catalog. A
    message that cannot be read (PoisonError), or DDL whose effect is unknown (StatementError),
    fails the query before anything of its micro-batch is written, at every restart.

    `deletes`: a deleted row goes (`hard`), or stays with `_deleted` set (`soft`: also those of
    TRUNCATE and of partitions that go), until its key is inserted again. `catalog` gives each table
    by its schema and name the name that it has in the session's catalog, such as `sales.orders`:
    it is created there with its first row, renamed and dropped by DDL; the files stay in `root`.

    `optimize_every`: so many micro-batches apart the query puts small files together (`OPTIMIZE`);
    0 leaves that to others. `vacuum_h`: it then takes away what no version of the last so many
    hours needs (`VACUUM`); at least 168, unless Delta is told not to mind.
    """
    if deletes not in DELETES:
        raise UsageError(f"deletes={deletes!r}", expected=f"one of {', '.join(DELETES)}")
    upkeep = Upkeep(optimize_every, vacuum_h)
    upkeep.check(changes.sparkSession)
    first = Feed(
        "",
        tuple(changefeed.topics),
        tuple(changefeed.tables),
        places(changefeed.skip),
        statements(changefeed.statements),
    )
    checkpoint = checkpoint.rstrip("/")

    def identity(spark: Session, batch: int) -> Identity:
        metadata = spark.read.text(f"{checkpoint}/metadata").collect()
        offsets = spark.read.text(f"{checkpoint}/offsets/{batch}", wholetext=True).collect()
        return identity_of(metadata[0][0], offsets[0][0])

    sink = Sink(
        root.rstrip("/"),
        app_id,
        identity,
        {0: first},
        lenient=True,
        soft=deletes == SOFT,
        names=catalog,
        upkeep=upkeep,
    )
    writer: Query = changes.writeStream.foreachBatch(sink)
    return writer.option("checkpointLocation", checkpoint)


def identity_of(metadata: str, offsets: str) -> Identity:
    """Return which batch it is, from a checkpoint's files of these contents."""
    digest = blake2b(offsets.encode(), digest_size=12).hexdigest()
    return Identity(str(orjson.loads(metadata)["id"]), digest)


def read_dead_letters(spark: Session, root: str) -> Frame:
    """Return the messages that were set aside under a root, as Kafka had them, with the reason.

    The columns are those of Spark's Kafka source, so decoders take it, and Kafka's sink does.
    """
    place = Place(spark, f"{root.rstrip('/')}/{letters.NAME}", "")
    if not place.exists():
        return spark.createDataFrame([], letters.SHAPE).drop("feed")
    return place.frame().drop("feed")


def read_delta(
    spark: Session, root: str, *, versions: bool = False
) -> dict[tuple[str, str], Frame]:
    """Return the tables under a root by schema and name, without the hidden columns.

    A table that was created and has not had a row yet has no Delta table, and is not among them.
    With `versions` rows have the `_commit_ts` of their last change, NULL where the stream has none,
    and `_deleted`; those that were deleted and kept (`deletes="soft"`) are among them.
    """
    root = root.rstrip("/")
    known = ledger.load(Place(spark, f"{root}/{ledger.NAME}", ""))
    found: dict[tuple[str, str], Frame] = {}
    for sketch in (load(text) for texts in known.tables.values() for text in texts):
        if sketch.made:
            frame = Place(spark, f"{root}/{sketch.path}", "").frame()
            found[sketch.schema, sketch.name] = _shown(frame, versions=versions)
    return found


def _shown(frame: Frame, *, versions: bool) -> Frame:
    own = [quoted(name) for name in frame.columns if name not in HIDDEN]
    if not versions:
        return frame.where(f"NOT {DELETED}").selectExpr(*own)
    return frame.selectExpr(*own, f"{TS} AS _commit_ts", f"{DELETED} AS _deleted")
