"""The promise about checkpoints of another version: refused by name, and nothing is written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cdc_spark import Changefeed, StateFormatError
from cdc_spark.changefeed import ORDERED_SCHEMA
from tests.cdc_spark.delta.files_lab import COLUMNS, FilesLab
from tests.cdc_spark.delta.test_no_loss import FIRST, SOCKETS, later

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings(SOCKETS)]

# How earlier versions grouped, and what their states began with.
EARLIER = [
    (("feed",), "hold string", '{"watermarks":[],"held":[]}'),
    (("feed", "bucket", "lane"), "hold binary", b'{"topics":[["t",1]],"buckets":1}\n{}'),
]


@pytest.mark.parametrize(("keys", "shape", "state"), EARLIER)
def test_a_checkpoint_of_another_version_is_refused(
    place: Path, spark: Any, keys: tuple[str, ...], shape: str, state: Any
) -> None:
    """Whether Spark finds other columns, or our own function another state in them."""
    lab = FilesLab(place, Changefeed("open", {"t": 1}))
    lab.send(FIRST)
    before(lab, spark, keys, shape, state)
    lab.send(later(3, "b"))
    for _ in range(2):
        with pytest.raises(StateFormatError, match="another version of cdc_spark"):
            lab.run(spark)
    assert not lab.root.exists()


def before(lab: FilesLab, spark: Any, keys: tuple[str, ...], shape: str, state: Any) -> None:
    """Make the checkpoint as an earlier version did."""

    def step(_: Any, frames: Iterator[Any], kept: Any) -> Iterator[Any]:
        list(frames)
        kept.update((state,))
        yield from ()

    stream = spark.readStream.schema(COLUMNS).option("maxFilesPerTrigger", "1")
    messages = stream.parquet((lab.directory / "messages").as_uri())
    named = messages.selectExpr(*(f"0 AS {name}" for name in keys))
    held = named.groupBy(*keys).applyInPandasWithState(
        step, ORDERED_SCHEMA, shape, "append", "NoTimeout"
    )
    place = (lab.directory / lab.checkpoint).as_uri()
    writer = held.writeStream.format("noop").option("checkpointLocation", place)
    writer.trigger(availableNow=True).start().awaitTermination()
