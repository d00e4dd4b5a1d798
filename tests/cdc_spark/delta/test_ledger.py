"""Promises of the ledger: which batch is let in, and which is refused with what to do."""

from __future__ import annotations

import pytest

from cdc_spark.delta.ledger import Counted, Identity, Known
from cdc_spark.errors import ForeignTablesError, LostTablesError

pytestmark = pytest.mark.spark

KNOWN = Known(batch=3, query="a", offsets="x", seqs={0: 9})
ROOT = "file:/tables"
REFUSED = {
    "belong to the query a": (4, Identity("b", "y")),
    "the checkpoint is older": (2, Identity("a", "y")),
    "was written from other offsets": (3, Identity("a", "y")),
}


def test_an_empty_root_takes_any_batch() -> None:
    """Whoever comes first claims it."""
    assert not Known().has(0, Identity("a", "x"), ROOT)
    assert not Known().has(7, Identity("b", "x"), ROOT)


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
    """Neither a gap nor a repetition is written."""
    KNOWN.follows(0, Counted(10, 12, 3), ROOT)
    KNOWN.follows(1, Counted(0, 0, 1), ROOT)
    with pytest.raises(kind):
        KNOWN.follows(0, counted, ROOT)
