"""Promises of the ledger: which batch is let in, and which is refused with what to do."""

from __future__ import annotations

import pytest

from cdc_spark.delta.ledger import Counted, Identity, Known
from cdc_spark.errors import ForeignTablesError, LostTablesError

pytestmark = pytest.mark.spark

KNOWN = Known(batch=3, query="a", offsets="x", seqs={0: 12}, buckets={(0, 0): 9, (0, 1): 2})
ROOT = "file:/tables"
REFUSED = {
    "belong to the query a": (4, Identity("b", "y")),
    "the checkpoint is older": (2, Identity("a", "y")),
    "was written from other offsets": (3, Identity("a", "y")),
}


def test_an_empty_root_takes_the_first_batch() -> None:
    """Whoever comes first claims it; a later batch comes from a checkpoint that has done others."""
    assert not Known().has(0, Identity("a", "x"), ROOT)
    with pytest.raises(LostTablesError, match="lack batches 0 to 6"):
        Known().has(7, Identity("b", "x"), ROOT)


def test_a_gap_between_batches_is_noticed_whatever_is_in_them() -> None:
    """What was lost may be of other buckets than what comes next."""
    with pytest.raises(LostTablesError, match="lack batches 4 to 4"):
        KNOWN.has(5, Identity("a", "y"), ROOT)


def test_the_last_batch_is_passed_over_and_the_next_is_let_in() -> None:
    """A batch that comes again after a crash is whole."""
    assert KNOWN.has(3, Identity("a", "x"), ROOT)
    assert not KNOWN.has(4, Identity("a", "y"), ROOT)


def test_a_claimed_root_is_the_claimants() -> None:
    """The first batch of whoever claimed it is let in, another query's is not."""
    claimed = Known(query="a")
    assert not claimed.has(0, Identity("a", "x"), ROOT)
    with pytest.raises(ForeignTablesError):
        claimed.has(0, Identity("b", "x"), ROOT)


@pytest.mark.parametrize("said", REFUSED)
def test_other_writers_and_older_checkpoints_are_refused(said: str) -> None:
    """The error names the tables, and says that a new checkpoint needs a new root."""
    with pytest.raises(ForeignTablesError, match=said) as found:
        KNOWN.has(*REFUSED[said], ROOT)
    assert ROOT in found.value.what
    assert "a new checkpoint needs a new root" in found.value.hint


@pytest.mark.parametrize(
    ("counted", "kind"),
    [
        (Counted(12, 14, 3), LostTablesError),
        (Counted(10, 14, 4), LostTablesError),
        (Counted(9, 9, 1), ForeignTablesError),
        (Counted(0, 14, 15), ForeignTablesError),
    ],
)
def test_changes_go_on_where_the_tables_are(counted: Counted, kind: type[Exception]) -> None:
    """Neither a gap nor a repetition is written; each bucket of a changefeed goes on for itself."""
    KNOWN.follows(0, 0, Counted(10, 12, 3), ROOT)
    KNOWN.follows(0, 1, Counted(3, 4, 2), ROOT)
    KNOWN.follows(1, 0, Counted(0, 0, 1), ROOT)
    with pytest.raises(kind):
        KNOWN.follows(0, 0, counted, ROOT)
