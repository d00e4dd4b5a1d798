"""The table of wrong producers is sound: names, sentences, clauses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib.metadata import EntryPoint
from typing import Any

import pytest

from harness.errors import UsageError
from harness.mutants.producers import table
from harness.mutants.producers.mutant import UNREADABLE, WrongProducer, about_bytes, unreadable
from harness.mutants.producers.table import GROUP, PRODUCERS, by_name
from harness.mutants.table import MUTANTS
from harness.protocols import PROTOCOLS
from harness.protocols.clauses import CLAUSES, governs
from tests.tree import hold

ROW = PRODUCERS["open-version-2"]
SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\Z")


def faults_of(mutant: WrongProducer) -> Iterator[str]:
    """Yield what is wrong with a row, as the end of a sentence about it."""
    if not SLUG.match(mutant.name) or mutant.name in MUTANTS:
        yield "is no name of its own in lower case and hyphens"
    if not mutant.difference.startswith("It ") or not mutant.difference.endswith("."):
        yield f"has no sentence: {mutant.difference!r}"
    if len(set(mutant.clauses)) != len(mutant.clauses):
        yield "names a clause twice"
    if unknown := set(mutant.clauses) - set(CLAUSES):
        yield f"violates {unknown}, which is no clause"
        return
    if not mutant.of() or not set(mutant.of()) <= set(PROTOCOLS):
        yield f"is of no protocol, or of one that does not exist: {mutant.of()}"
        return
    for clause in mutant.clauses:
        if not all(governs(CLAUSES[clause], protocol) for protocol in mutant.of()):
            yield f"violates {clause}, which does not govern {', '.join(mutant.of())}"


def test_a_mutant_is_documented() -> None:
    """A mutant has a name, one sentence, clauses that exist, and protocols that they govern."""
    hold(f"{mutant.name} {fault}" for mutant in PRODUCERS.values() for fault in faults_of(mutant))


def test_clauses_about_bytes_have_wrong_producers() -> None:
    """Each exception is a clause, or what several begin with, that a wrong producer violates."""
    violated = {clause for mutant in PRODUCERS.values() for clause in mutant.clauses}
    hold(
        f"{one} has no wrong producer below it"
        for one in UNREADABLE
        if not any(f"{clause}.".startswith(f"{one}.") for clause in violated)
    )
    hold(f"{one} has no reason" for one, why in UNREADABLE.items() if not why)
    assert about_bytes("open.frame.version-1")
    assert not about_bytes("open.frames")


@pytest.mark.parametrize(
    ("words", "blind"),
    [
        ("20 bytes are no body of e's schema: list index out of range", True),
        ("2 bytes are more, fewer or other bytes than t's schema writes", True),
        ("the body does not fit schema 2: 'utf-8' codec can't decode byte 0xff", True),
        ("the event value is not JSON: unexpected character", True),
        ("magic byte 2\n    expected: magic byte 0", True),
        ("field 'b' of tidb_type BLOB is of the Avro type string", False),
        ("a key of shop.t with a value of other.t", False),
        ("`scm` is missing or empty", False),
    ],
)
def test_which_refusals_say_nothing_of_a_clause(words: str, *, blind: bool) -> None:
    """Bytes that cannot be read are told from values that are not what they are to be."""
    assert unreadable(words) is blind


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"name": "No Slug"}, "no name of its own"),
        ({"name": next(iter(MUTANTS))}, "no name of its own"),
        ({"difference": "Errs."}, "no sentence"),
        ({"difference": "It errs"}, "no sentence"),
        ({"clause": "open.no-such-clause"}, "no clause"),
        ({"also": ROW.clause}, "a clause twice"),
        ({"protocols": ("morse",)}, "one that does not exist"),
        ({"protocols": ("vitess",)}, "does not govern"),
    ],
)
def test_a_row_that_is_wrong_is_noticed(wrong: Mapping[str, Any], said: str) -> None:
    """Each demand on a row refuses a row that does not meet it."""
    (fault,) = faults_of(replace(ROW, **wrong))
    assert said in fault


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
