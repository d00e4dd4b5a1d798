"""The Delta tables of a changefeed: written as its changes come, and read.

Paths are URIs, state is Spark's, and the driver holds tables' definitions, never rows.
"""

from __future__ import annotations

from typing import Any

import orjson

from cdc_spark.changefeed import Changefeed
from cdc_spark.delta import ledger
from cdc_spark.delta.columns import HIDDEN
from cdc_spark.delta.sink import Feed, Sink
from cdc_spark.delta.sketch import load
from cdc_spark.delta.writes import Place
from cdc_spark.untyped import Frame, Query, Session


def write_delta(
    changes: Frame, changefeed: Changefeed, *, root: str, checkpoint: str, app_id: str = "cdc"
) -> Any:  # noqa: ANN401 - a DataStreamWriter
    """Return a stream writer that keeps Delta tables under `root`; give it a trigger, and start it.

    `root` and `checkpoint` are URIs that belong together: a new checkpoint on old tables is
    refused (SetupError in the query's failure). `app_id` is the `txnAppId` of all writes. The
    session needs Delta's extension and catalog. A message that cannot be read, or DDL whose effect
    is unknown, fails the query after all that came before it was written (DecodingError).
    """
    first = Feed("", tuple(changefeed.topics), tuple(changefeed.tables))

    def query(spark: Session) -> str:
        metadata = spark.read.text(f"{checkpoint.rstrip('/')}/metadata").collect()
        return str(orjson.loads(metadata[0][0])["id"])

    sink = Sink(root.rstrip("/"), app_id, query, {0: first}, changefeed.lenient)
    writer: Query = changes.writeStream.foreachBatch(sink)
    return writer.option("checkpointLocation", checkpoint)


def read_delta(spark: Session, root: str) -> dict[tuple[str, str], Frame]:
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
