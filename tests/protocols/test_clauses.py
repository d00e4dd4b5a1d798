"""Which dialects a clause speaks of, by the releases that it names."""

from __future__ import annotations

import pytest

from harness.protocols import PROTOCOLS
from harness.protocols.clauses import CLAUSES, governs, means

# What a clause says of releases, a dialect, whether it is meant.
MEANT = (
    ("newest", "4.0.4", True),
    ("documented", "documented", True),
    ("documented", "current", False),
    ("new architecture", "newarch", True),
    ("MySQL connector", "current", False),
    ("from 4.0.2", "4.0.4", True),
    ("from 4.0.5", "4.0.4", False),
    ("from 4.0.5", "newarch", True),
    ("from 6.5.5, 7.1.2 and 7.4.0", "6", False),
    ("from 5.1.4, 5.2.4 and 5.3.0", "6", True),
    ("from 5.1.4, 5.2.4 and 7.4.0", "6", False),
    ("from 6.2.0, but for 6.5.4 to 6.5.7, 7.1.2 and 7.6.0", "6", True),
    ("from 8.2.0 (`tidb_cdc` from 6.5.0)", "6", False),
    ("up to 3.1", "3.0", True),
    ("up to 3.1", "3.2", False),
    ("up to 3.1", "current", False),
    ("up to 2.7.1", "2.7", True),
    ("3.2.0", "3.2", True),
    ("3.2.0", "3.1", False),
    ("6.5.4 to 6.5.7 and 7.1.2", "current", True),
    ("Vitess before 9.0.0", "current", True),
)


@pytest.mark.parametrize(("versions", "dialect", "meant"), MEANT)
def test_releases_mean_dialects(versions: str, dialect: str, meant: bool) -> None:  # noqa: FBT001
    """A proof counts in the dialects of the releases that a clause holds for."""
    assert means(versions, dialect) is meant


def test_every_clause_means_a_dialect_that_is_played() -> None:
    """No clause can be proved by no case because of a word that nobody knows."""
    for clause in CLAUSES.values():
        assert any(
            means(clause.versions, dialect)
            for name, protocol in PROTOCOLS.items()
            if governs(clause, name)
            for dialect in protocol.codec.dialects
        ), clause.id
