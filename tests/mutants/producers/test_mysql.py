"""The wrong MariaDB connectors cover the tables that the right one works by."""

from __future__ import annotations

import pytest

from harness.codecs.debezium.schemas import BOUNDARY, ENVELOPE
from harness.model.columns import ColumnKind
from harness.mutants.producers.mysql.envelope import SOURCE
from harness.mutants.producers.table import PRODUCERS
from harness.mutants.table import MUTANTS
from harness.protocols import PROTOCOLS
from harness.protocols.clauses import CLAUSES
from harness.spec import Level
from tests.tree import hold

NAME = "debezium-mysql"
VIOLATED = {clause for mutant in PRODUCERS.values() for clause in mutant.clauses}
MISREAD = {clause for mutant in MUTANTS.values() for clause in mutant.clauses(NAME)}


def test_each_promise_is_broken_by_somebody() -> None:
    """A MUST clause has a wrong producer or a wrong consumer."""
    promised = {
        name
        for name, clause in CLAUSES.items()
        if clause.protocol == NAME and clause.level is Level.MUST
    }
    assert len(promised) > 80
    hold(f"{name}: nobody breaks it" for name in sorted(promised - VIOLATED - MISREAD))


def test_each_type_is_mistaken_for_another() -> None:
    """Each column type that travels has a wrong producer of its clause."""
    types = PROTOCOLS[NAME].type_clauses
    sent = {clause for kind, clause in types.items() if kind is not ColumnKind.VECTOR}
    assert sent <= VIOLATED


@pytest.mark.parametrize(
    "name",
    [
        *(f"mysql-without-{field}" for field in ENVELOPE.fields),
        *(f"mysql-without-source-{field}" for field in SOURCE),
        *(f"mysql-boundary-without-{field}" for field in BOUNDARY),
    ],
)
def test_each_field_is_left_out_by_somebody(name: str) -> None:
    """Each field of the envelope, of the source and of a boundary has its mutant."""
    assert name.replace("_", "-") in PRODUCERS
