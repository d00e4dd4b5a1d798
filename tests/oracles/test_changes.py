"""What changed between versions is what results, dialects and clauses say."""

from __future__ import annotations

import re

import pytest

from harness.codecs.debezium_vitess.dialect import CURRENT, DIALECTS
from harness.oracles import changes
from harness.oracles.changes import page
from harness.oracles.page import KEPT, kept
from harness.oracles.result import CaseResult, OracleResult, Status
from harness.oracles.vitess.lock import VERSIONS
from harness.protocols import PROTOCOLS
from harness.protocols.clauses import CLAUSES, DIALECT_OF
from harness.spec import Level
from tests.tree import ROOT, text_of

PAST = re.compile(r"(?:up to|before|\d).*")


def test_the_page_is_up_to_date() -> None:
    """It is what `python -m harness.oracles.changes` writes."""
    assert text_of("docs/reference/changes-by-version.md") == page(kept(ROOT / KEPT))


def test_each_release_is_compared_in_a_dialect_of_its_own_kind() -> None:
    """Every dialect of a release stands for one that is asked, itself among them."""
    assert set(VERSIONS.values()) == {name for name in DIALECTS if name != "documented"}
    for name in set(VERSIONS.values()):
        assert VERSIONS[DIALECTS[name].version] == name
    assert DIALECTS[VERSIONS["3.3.1.Final"]] is CURRENT


def test_what_held_in_the_past_alone_has_a_dialect() -> None:
    """A MUST of earlier releases can be shown by a scenario, and each such dialect exists."""
    dated = [one for one in CLAUSES.values() if PAST.fullmatch(one.versions)]
    assert {one.versions for one in dated if one.level is Level.MUST} <= DIALECT_OF.keys()
    assert DIALECT_OF.keys() <= {one.versions for one in CLAUSES.values()}
    known = {name for spec in PROTOCOLS.values() for name in spec.codec.dialects}
    assert set(DIALECT_OF.values()) <= known


@pytest.mark.parametrize("asked", [("3.2.0.Final", "3.2.9.Final"), ("3.2.0.Final",), ()])
def test_what_nobody_asked_is_not_known(
    asked: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """That nothing changed is said of releases which were asked, and of no others."""
    monkeypatch.setattr(changes, "VERSIONS", {"3.2.0.Final": "3.2", "3.2.9.Final": "3.2"})
    equal = (CaseResult("a.b[vitess,p1]", Status.EQUAL),)
    found = [OracleResult("vitess", one, "2026-01-01", 60, {}, equal) for one in asked]
    (row,) = (one for one in page(found).splitlines() if one.startswith("| 3.2.0.Final | 3.2.9"))
    assert ("nothing but the version" in row) == (len(asked) == 2)
    assert ("more is not known" in row) == (len(asked) < 2)


def test_a_known_difference_that_ends_is_a_change() -> None:
    """A reason of one release that the next one lacks stands between the two."""
    case = CaseResult("a.b[vitess,p1]", Status.DIFFERS, "it has no x", (), ("t/0 #0 value",))
    equal = CaseResult("a.b[vitess,p1]", Status.EQUAL)
    found = [
        OracleResult("vitess", "3.0.0.Final", "2026-01-01", 60, {}, (case,)),
        OracleResult("vitess", "3.1.0.Final", "2026-01-01", 60, {}, (equal,)),
    ]
    (row,) = (one for one in page(found).splitlines() if one.startswith("| 3.0.0.Final | 3.1.0"))
    assert "no more: it has no x |" in row


def test_a_dialect_s_settings_and_schema_are_changes() -> None:
    """What one release's dialect lacks, and what its source block allows, stands in its row."""
    (row,) = (one for one in page([]).splitlines() if one.startswith("| 3.0.0.Final | 3.1.0"))
    assert "`true,last,false,incremental` → `true,first," in row
    assert "`time.precision.mode` with isostring" in row
    assert "no more: a GTID set that exchanges servers stops the task" in row
    (row,) = (one for one in page([]).splitlines() if one.startswith("| 2.7.0.Final | 3.0.0"))
    assert "epochs are counted at each shard's own transactions" in row
    assert "cuts bytes in JSON as in Avro" in row
    assert "`vitess.inherit.epoch`" in row
