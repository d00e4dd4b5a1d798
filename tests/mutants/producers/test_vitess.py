"""The wrong Vitess connectors cover the tables that the right one works by."""

from __future__ import annotations

import pytest

from harness.codecs.debezium.schemas import BOUNDARY
from harness.codecs.debezium_vitess.schemas import SOURCE
from harness.codecs.debezium_vitess.transforms import TRANSFORMS
from harness.mutants.producers.table import PRODUCERS
from harness.mutants.table import MUTANTS
from harness.protocols import PROTOCOLS
from harness.protocols.clauses import CLAUSES

# The parts of the protocol of which each MUST clause has a mutant or a proof by test.
WHOLE = (
    "bigint-unsigned",
    "binary",
    "heartbeat",
    "order",
    "ordered",
    "reshard",
    "shard",
    "smt",
    "source",
    "task",
    "temporal",
    "txn",
    "type",
    "vgtid",
)
VIOLATED = {clause for mutant in PRODUCERS.values() for clause in mutant.clauses}
MISREAD = {clause for mutant in MUTANTS.values() for clause in mutant.clauses("vitess")}


@pytest.mark.parametrize("part", WHOLE)
def test_each_rule_is_broken_by_somebody(part: str) -> None:
    """A MUST clause has a wrong producer, a wrong consumer or a proof by test."""
    rules = {
        name: clause
        for name, clause in CLAUSES.items()
        if name.startswith(f"vitess.{part}.") and clause.level == "MUST"
    }
    assert rules
    assert {name for name, clause in rules.items() if not clause.proof} <= VIOLATED | MISREAD


def test_each_type_is_mistaken_for_another() -> None:
    """Each column type's clause has a wrong producer."""
    assert set(PROTOCOLS["vitess"].type_clauses.values()) <= VIOLATED


@pytest.mark.parametrize(
    "name",
    [
        *(f"vitess-source-without-{field.name}" for field in SOURCE.fields),
        *(f"vitess-boundary-without-{field}" for field in BOUNDARY),
        *(f"vitess-{name.rpartition('.')[2].lower()}-drops-headers" for name in TRANSFORMS),
    ],
)
def test_each_entry_of_a_table_has_its_mutant(name: str) -> None:
    """Each field of the source and of a boundary is left out by one; each transform has one."""
    assert name.replace("_", "-") in PRODUCERS
