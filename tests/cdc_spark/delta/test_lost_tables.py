"""Promises about tables and checkpoints that do not fit: a typed error, at every start."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cdc_spark import Changefeed
from cdc_spark.delta.sink import Sink
from cdc_spark.errors import ForeignTablesError, LostTablesError
from tests.cdc_spark.delta.files_lab import FilesLab
from tests.cdc_spark.delta.test_no_loss import FIRST, SOCKETS, later

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings(SOCKETS)]


@pytest.fixture
def lab(place: Path, spark: Any) -> FilesLab:
    """Return a lab that has run twice and has two rows."""
    lab = FilesLab(place, Changefeed("open", {"t": 1}, buckets=2))
    lab.send(FIRST)
    lab.send(later(3, "b"))
    lab.run(spark)
    return lab


def log_of(lab: FilesLab, table: str) -> list[Path]:
    """Return the entries of a table's log, in order."""
    return sorted((lab.directory / table / "_delta_log").glob("*.json"))


def forget(entry: Path) -> bytes:
    """Take an entry out of a log, and Delta's memory of it; return it."""
    held = entry.read_bytes()
    entry.unlink()
    entry.with_name(f".{entry.name}.crc").unlink(missing_ok=True)
    entry.with_name(f"{entry.stem}.crc").unlink(missing_ok=True)
    return held


def refused(lab: FilesLab, spark: Any, kind: type[Exception], said: str) -> None:
    """Hold that two starts fail in the same way."""
    for _ in range(2):
        with pytest.raises(kind, match=said):
            lab.run(spark)


def table_of(lab: FilesLab) -> str:
    """Return the directory of the lab's table."""
    (found,) = (lab.root / "test").iterdir()
    return str(found.relative_to(lab.directory))


def test_a_lost_entry_of_a_tables_log_is_noticed(lab: FilesLab, spark: Any) -> None:
    """The newest as well as one between others; with the entry back nothing is missing."""
    for number in (-1, 0):
        lab.send(later(10 + number, "c"))
        entry = log_of(lab, table_of(lab))[number]
        held = forget(entry)
        refused(lab, spark, LostTablesError, "has lost entries of its log")
        entry.write_bytes(held)
        lab.run(spark)
    assert [row[0] for row in lab.rows(spark)] == [1, 10, 3, 9]


def test_a_lost_entry_of_the_ledger_is_noticed(lab: FilesLab, spark: Any) -> None:
    """Its batch comes again when the checkpoint is taken back to it, and is in the tables once."""
    lab.send(later(4, "c"))
    forget(log_of(lab, "tables/_ledger")[-1])
    refused(lab, spark, LostTablesError, "lack batches 1 to 1")
    for name in ("offsets/2", "commits/1"):  # the runbook: take a checkpoint back
        path = lab.directory / lab.checkpoint / name
        path.unlink()
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
    lab.run(spark)
    assert [row[0] for row in lab.rows(spark)] == [1, 3, 4]


def test_tables_without_their_ledger_are_noticed(lab: FilesLab, spark: Any) -> None:
    """An empty root below a checkpoint lacks all that the checkpoint has applied."""
    lab.send(later(4, "c"))
    lab.root.rename(lab.directory / "elsewhere")
    refused(lab, spark, LostTablesError, "lack batches 0 to 1")
    (lab.directory / "elsewhere").rename(lab.root)
    lab.run(spark)
    assert [row[0] for row in lab.rows(spark)] == [1, 3, 4]


def test_a_checkpoint_older_than_its_tables_is_refused(lab: FilesLab, spark: Any) -> None:
    """At an older batch, and at the same batch of other offsets; its tables stay as they are."""
    lab.copied(lab.checkpoint)
    for ts in (4, 5):
        lab.send(later(ts, "c"))
        lab.run(spark)
    lab.bring_back(lab.checkpoint)
    refused(lab, spark, ForeignTablesError, "the checkpoint is older: it is at batch 2")
    assert [row[0] for row in lab.rows(spark)] == [1, 3, 4, 5]


def test_a_new_checkpoint_on_old_tables_is_refused(lab: FilesLab, spark: Any) -> None:
    """It would repeat what the tables have."""
    other = FilesLab(lab.directory, lab.changefeed, "another")
    refused(other, spark, ForeignTablesError, "belong to the query")


@pytest.mark.parametrize("first", ["claim", "commit"])
def test_of_two_writers_on_one_root_one_is_refused(
    place: Path, spark: Any, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    """Whoever claims the root has it, also where both found it empty; no row is lost or double."""
    one = FilesLab(place, Changefeed("open", {"t": 1}))
    other = FilesLab(place, one.changefeed, "another")
    one.send(FIRST)
    was = Sink._claim

    def late(*arguments: Any) -> None:
        monkeypatch.undo()
        one.run(spark)  # between the other's look at the root and its claim
        was(*arguments)

    if first == "claim":
        monkeypatch.setattr(Sink, "_claim", late)
    else:
        one.run(spark)
    refused(other, spark, ForeignTablesError, "belong to the query")
    one.send(later(3, "b"))
    one.run(spark)
    assert [row[0] for row in one.rows(spark)] == [1, 3]


def test_a_copy_of_a_checkpoint_is_refused_behind_the_first(lab: FilesLab, spark: Any) -> None:
    """Two queries of one id, at one batch, of other offsets: the second is told."""
    lab.copied(lab.checkpoint)
    copy = FilesLab(lab.directory, lab.changefeed, f"{lab.checkpoint}-copy")
    lab.send(later(4, "c"))
    lab.run(spark)
    refused(copy, spark, ForeignTablesError, "was written from other offsets")
    lab.run(spark)
    assert [row[0] for row in lab.rows(spark)] == [1, 3, 4]


def test_tables_that_no_ledger_knows_are_refused(lab: FilesLab, spark: Any) -> None:
    """A new checkpoint on a root without its ledger: Delta would pass over its writes as seen."""
    (lab.root / "_ledger").rename(lab.directory / "ledger")
    other = FilesLab(lab.directory, lab.changefeed, "another")
    refused(other, spark, ForeignTablesError, "is to be made, and is there already")
