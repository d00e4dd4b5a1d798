"""Figures of a running query, a micro-batch at a time, by a listener of Spark's.

`Metrics` hears on the driver of what `in_order` observes (`figures.py`) and of all else that Spark
knows of a batch, and hands on one flat dictionary, which the logger `cdc_spark` prints as a line of
JSON unless it is given something better.
"""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any

from pyspark.sql.streaming.listener import StreamingQueryListener

from cdc_spark.errors import error_of
from cdc_spark.figures import Figures, figures

LOGGER = "cdc_spark"


def log(line: Figures) -> None:
    """Print figures as a line of JSON by the logger `cdc_spark`."""
    logging.getLogger(LOGGER).info(json.dumps(line))


class Metrics(StreamingQueryListener):  # type: ignore[misc]  # PySpark's types are not read
    """Hands the figures of each micro-batch to `report`; `spark.streams.addListener(Metrics())`.

    `BATCH` has the names. Beside batches it hands on `{"event": "started"}` and `{"event":
    "ended"}`, the latter with the error that ended the query. What `report` raises, Spark logs.
    """

    def __init__(self, report: Callable[[Figures], None] | None = None) -> None:
        """Keep what takes the figures; the log, unless given."""
        self._report = report or log
        self._resolved: dict[str, dict[str, int]] = {}

    def onQueryStarted(self, event: Any) -> None:  # noqa: ANN401, N802 - Spark's name
        """Hand on that a query has started."""
        self._report({"event": "started", "query": event.name or str(event.id)})

    def onQueryProgress(self, event: Any) -> None:  # noqa: ANN401, N802 - Spark's name
        """Hand on the figures of a batch."""
        progress = json.loads(event.progress.json)
        known = self._resolved.setdefault(progress["id"], {})
        self._report(figures(progress, known))

    def onQueryIdle(self, event: Any) -> None:  # noqa: ANN401, N802 - Spark's name
        """Say nothing of a query that has nothing to do."""

    def onQueryTerminated(self, event: Any) -> None:  # noqa: ANN401, N802 - Spark's name
        """Hand on how a query has ended."""
        self._resolved.pop(str(event.id), None)
        failure = event.exception and (error_of(RuntimeError(event.exception)) or event.exception)
        error = str(failure).strip() if failure else None
        self._report({"event": "ended", "query": str(event.id), "error": error})
