"""Promises of the health command: where each partition stands, from a checkpoint's files alone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cdc_spark.errors import UsageError
from cdc_spark.events import Event, Kind
from cdc_spark.ordering.arrivals import Arrivals
from cdc_spark.ordering.hold import Arrival, Hold, Source
from cdc_spark.ordering.state_summary import PartitionState, summary
from cdc_spark.ordering.topics_of_state import sealed
from cdc_spark.ordering.transactions import Transactions
from cdc_spark.ordering.undated import Undated

pytestmark = pytest.mark.spark

HEAD = 'v1\n{"batchWatermarkMs":0,"batchTimestampMs":1,"conf":{}}\n'
HERE = Source(0, 1)
TOPICS = {"t": 2}


def row(ts: int, *, kind: Kind = Kind.UPSERT, transaction: str = "") -> Arrival:
    """Return a row of partition 1."""
    return Arrival(Event(kind, ts, "s", "t", f"[{ts}]", "{}", transaction), HERE, ts)


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    """Return a checkpoint with a batch that is done, and one that is begun."""
    (tmp_path / "metadata").write_text('{"id":"abc"}')
    for log in ("offsets", "commits"):
        (tmp_path / log).mkdir()
    for batch, ends in enumerate([{"0": 5}, {"0": 7, "1": 3}]):
        text = f"{HEAD}{json.dumps({'t': ends})}"
        (tmp_path / "offsets" / str(batch)).write_text(text)
        (tmp_path / "offsets" / f".{batch}.crc").write_text("")
    (tmp_path / "commits" / "0").write_text('v1\n{"nextBatchWatermarkMs":0}')
    return tmp_path


def test_each_partition_has_what_is_read_and_what_is_planned(checkpoint: Path) -> None:
    """A batch that is begun and not done is told, with how far it reads."""
    from cdc_spark import health  # noqa: PLC0415 - PyArrow is the environments' of Spark

    found = health(checkpoint.as_uri())
    assert (found["query"], found["batch"], found["begun"]) == ("abc", 0, 1)
    assert found["partitions"] == [
        {"topic": "t", "partition": 0, "read": 5, "planned": 7},
        {"topic": "t", "partition": 1, "read": 0, "planned": 3},
    ]


def test_a_query_that_stands_still_has_nothing_begun(checkpoint: Path) -> None:
    """When the last batch is done there is no plan."""
    from cdc_spark import health  # noqa: PLC0415 - as above

    (checkpoint / "commits" / "1").write_text("v1\n{}")
    found = health(str(checkpoint))
    assert found["begun"] is None
    assert found["partitions"][1] == {"topic": "t", "partition": 1, "read": 3}


def test_what_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    """The error says what a checkpoint has."""
    from cdc_spark import health  # noqa: PLC0415 - as above

    with pytest.raises(UsageError, match="is no checkpoint"):
        health(tmp_path.as_uri())


def test_the_command_prints_it(checkpoint: Path) -> None:
    """For people, and as JSON; a mistake has a sentence and the code of usage."""
    command = [sys.executable, "-m", "cdc_spark"]
    run = [
        subprocess.run([*command, *words], capture_output=True, text=True, check=False)
        for words in (
            ["health", str(checkpoint)],
            ["health", str(checkpoint), "--json"],
            ["health", "/nowhere"],
            ["wealth"],
        )
    ]
    assert "topic t, partition 0: read to 5, the batch begun reads to 7" in run[0].stdout
    assert "batch 1 is begun and not done" in run[0].stdout
    assert json.loads(run[1].stdout)["batch"] == 0
    assert [one.returncode for one in run] == [0, 0, 2, 2]
    assert "no checkpoint" in run[2].stderr
    assert "expected: health" in run[3].stderr


def test_a_state_tells_watermarks_and_what_is_held() -> None:
    """A partition without a resolved event keeps all rows waiting: it is seen."""
    hold = Hold((Source(0, 0), HERE), inclusive=True)
    hold.step([row(5), row(7), Arrival(Event(Kind.RESOLVED, 6), HERE, 9)])
    found = summary(sealed(hold.dump(), TOPICS))
    assert found.partitions == {("t", 0): PartitionState(None, 0), ("t", 1): PartitionState(6, 2)}
    assert (found.seq, found.watermark, found.oldest) == (0, None, 5)


def test_a_state_of_each_kind_is_read() -> None:
    """Rows that wait for a time, for an END, and keys that are remembered."""
    undated = Undated(Hold((HERE,), inclusive=True))
    undated.step([row(0, kind=Kind.DELETE)])
    held = summary(sealed(undated.dump(), TOPICS))
    assert (held.partitions["t", 1].held, held.oldest) == (1, None)
    arrivals = Arrivals()
    arrivals.step([row(3), row(4)])
    found = summary(sealed(arrivals.dump(), TOPICS))
    assert (found.seq, found.remembered) == (2, 2)
    transactions = Transactions()
    transactions.step([row(3, transaction='{"id":"a","n":1}')])
    waiting = summary(sealed(transactions.dump(), TOPICS))
    assert (waiting.waiting, waiting.partitions["t", 1].held) == (1, 1)


def test_a_spark_that_cannot_read_states_says_all_else(checkpoint: Path) -> None:
    """Spark 3.5 has no data source for them; who asks for the state hears so."""
    from cdc_spark import health, query_health  # noqa: PLC0415 - as above
    from cdc_spark.errors import SetupError  # noqa: PLC0415 - as above

    class Older:
        """A session of which nothing but its version may be asked."""

        version = "3.5.7"

    assert "state" not in health(str(checkpoint), spark=Older())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(query_health, "_session", lambda _: Older())
        with pytest.raises(SetupError, match=r"Spark 3\.5\.7 cannot read the state"):
            query_health.main([str(checkpoint), "--state"])
