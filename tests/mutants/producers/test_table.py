"""The table of wrong producers is sound: names, sentences, clauses."""

from __future__ import annotations

import re
from importlib.metadata import EntryPoint

import pytest

from harness.errors import UsageError
from harness.mutants.producers import table
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.table import GROUP, PRODUCERS, by_name
from harness.mutants.table import MUTANTS
from harness.protocols import PROTOCOLS
from harness.protocols.clauses import CLAUSES, governs

SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\Z")


@pytest.mark.parametrize("mutant", PRODUCERS.values(), ids=lambda mutant: mutant.name)
def test_a_mutant_is_documented(mutant: WrongProducer) -> None:
    """A mutant has a name, one sentence, clauses that exist, and protocols that they govern."""
    assert SLUG.match(mutant.name)
    assert mutant.name not in MUTANTS
    assert mutant.difference.startswith("It ")
    assert mutant.difference.endswith(".")
    assert set(mutant.clauses) <= set(CLAUSES)
    assert len(set(mutant.clauses)) == len(mutant.clauses)
    assert mutant.of()
    for protocol in mutant.of():
        assert protocol in PROTOCOLS
        assert all(governs(CLAUSES[clause], protocol) for clause in mutant.clauses)


def test_a_name_is_one_mutants() -> None:
    """Two mutants of one name are refused."""
    mutant = next(iter(PRODUCERS.values()))
    with pytest.raises(UsageError, match="two wrong producers are named"):
        by_name([mutant, mutant])


def test_another_distribution_brings_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry point that names a table adds its rows."""
    point = EntryPoint("sample", "harness.mutants.producers.open.frames:ROWS", GROUP)
    monkeypatch.setattr(table, "SECTIONS", ())
    monkeypatch.setattr(table, "entry_points", lambda **_: (point,))
    assert "open-version-2" in {mutant.name for mutant in table.every()}
