"""The table of mutants is sound: names, sentences, signs, and the page drawn from it."""

from __future__ import annotations

import re
from collections import Counter
from inspect import isfunction

import pytest

from harness.model.finding import FindingKind
from harness.mutants.consumer import REFERENCE
from harness.mutants.describe import page
from harness.mutants.mutant import ALL, Mutant
from harness.mutants.real import REAL
from harness.mutants.table import MUTANTS, THEMES
from harness.protocols.clauses import CLAUSES
from harness.reference_consumer.arrive import Arrivals
from harness.reference_consumer.hold import Hold
from harness.reference_consumer.tables import Tables
from tests.tree import text_of

LEAST = 60
SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\Z")
# The bugs that any set of wrong consumers must have, whatever else it has.
INDISPENSABLE = frozenset(
    {
        *("drop-below-high-watermark", "panic-on-watermark-back", "retract-by-before"),
        *("dedupe-by-ts-only", "commit-offsets-first", "append-on-replay", "last-arrival-wins"),
        *("lexicographic-ts", "insert-before-delete", "tombstone-npe", "before-only-delete"),
        *("tombstone-deletes-new-key", "ddl-per-partition", "rename-by-new-name"),
        *("latest-schema-for-all", "signed-64", "zero-pad-decimal", "null-string"),
        *("default-for-null", "session-tz", "ascii-default", "last-record-is-end"),
        "ignore-new-partition",
    }
)


def test_there_are_enough() -> None:
    """There are sixty at least, none is lost to another of its name, and all the known ones."""
    assert len(MUTANTS) == sum(map(len, THEMES)) >= LEAST
    assert set(MUTANTS) >= INDISPENSABLE


@pytest.mark.parametrize("protocol", ALL)
def test_every_protocol_has_its_share(protocol: str) -> None:
    """Each protocol is read wrongly in most ways, not only the oldest one."""
    mine = [mutant for mutant in MUTANTS.values() if protocol in mutant.protocols]
    assert len(mine) > LEAST
    assert len({mutant.theme for mutant in mine}) > len(THEMES) // 2


@pytest.mark.parametrize("mutant", MUTANTS.values(), ids=lambda mutant: mutant.name)
def test_a_mutant_is_documented(mutant: Mutant) -> None:
    """A mutant has a name, a sentence, rules that exist, protocols, links, readable patterns."""
    assert SLUG.match(mutant.name)
    assert mutant.difference.startswith("It ")
    assert mutant.difference.endswith(".")
    assert mutant.protocols
    assert set(mutant.protocols) <= set(ALL)
    assert all(link.startswith("https://github.com/") for link in mutant.seen)
    for protocol in mutant.protocols:
        assert mutant.clauses(protocol)
        assert set(mutant.clauses(protocol)) <= set(CLAUSES)
    assert mutant.signs
    for sign in mutant.signs:
        assert sign.kinds
        re.compile(sign.says)
        # Any consumer may end in error for any reason: only its own words point at its defect.
        assert sign.says or FindingKind.CONSUMER not in sign.kinds


@pytest.mark.parametrize("mutant", MUTANTS.values(), ids=lambda mutant: mutant.name)
def test_a_mutant_replaces_named_steps(mutant: Mutant) -> None:
    """What a wrong consumer replaces or reads of the reference consumer is public there."""
    parts = mutant.parts
    for cls, role in ((parts.hold, Hold), (parts.arrivals, Arrivals), (parts.tables, Tables)):
        inside = _private_names(role)
        for replaced in cls.__mro__[: cls.__mro__.index(role)]:
            assert not _private_names(replaced) & inside


def _private_names(cls: type) -> set[str]:
    """Return the private attributes that the methods of a class are, or use."""
    methods = [one for one in vars(cls).values() if isfunction(one)]
    return {
        name
        for method in methods
        for name in (method.__name__, *method.__code__.co_names)
        if name.startswith("_") and not name.startswith("__") and name not in method.__globals__
    }


def test_no_two_are_one() -> None:
    """Each mutant differs from the reference consumer, and from every other mutant."""
    parts = Counter(mutant.parts for mutant in MUTANTS.values())
    assert REFERENCE not in parts
    assert set(parts.values()) == {1}


def test_the_page_is_up_to_date() -> None:
    """The reference page says what the table says."""
    assert text_of("docs/reference/mutants.md") == page()


def test_the_guide_names_mutants_that_there_are() -> None:
    """What the guide writes under `kills` can be written there."""
    guide = text_of("docs/guides/prove-teeth.md")
    pure = re.findall(r"kills: \[(.*)\]", guide) + re.findall(r"(?<!--real) --mutant (\S+)", guide)
    real = re.findall(r"--real --mutant (\S+)", guide)
    assert pure
    assert real
    assert {name for text in pure for name in text.split(", ")} <= set(MUTANTS)
    assert set(real) <= set(REAL)
