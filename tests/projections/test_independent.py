"""Expected tables do not follow the encoder where the encoder is wrong."""

from __future__ import annotations

import pytest

from harness.codecs.debezium import mappers, selection
from harness.codecs.debezium_mysql import moments
from harness.codecs.debezium_mysql import values as mysql_values
from harness.codecs.debezium_vitess import encode, values
from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.workspace import workspace
from harness.engine.mutation.prepared import Prepared
from harness.engine.plan.case import plan
from harness.model.finding import Judgement
from harness.mutants.parts import Parts
from harness.record.lock import load_lock
from tests.tree import ROOT

# A scenario, the encoder's module and name in it, and what stands there instead.
WRONG: dict[str, tuple[str, object, str, object]] = {
    "vitess enum text": (
        "types/empty-member-on-vitess",
        values,
        "enum_text",
        lambda members, index: members[index % len(members)],
    ),
    "vitess set text": (
        "types/empty-member-on-vitess",
        values,
        "set_text",
        lambda members, mask: members[mask % len(members)],
    ),
    "vitess field names": (
        "encoding/vitess-field-names",
        encode,
        "FIELD_NAMES",
        dict.fromkeys(("none", "avro", "avro_unicode"), str.upper),
    ),
    "vitess hashed text": ("vitess/texts-hashed", mappers, "serialised", str.encode),
    "vitess cut text": ("vitess/texts-cut", mappers, "shortened", lambda text, _: text),
    "vitess columns": (
        "vitess/columns-left-out",
        selection,
        "column_filter",
        lambda _: lambda name: not name.endswith("id"),
    ),
    "vitess tables": (
        "vitess/tables-left-out",
        selection,
        "table_filter",
        lambda _: lambda _schema, _table: True,
    ),
    "debezium-mysql members": (
        "types/enum-members",
        mysql_values,
        "_enum",
        lambda members, index: members[index % len(members)],
    ),
    "debezium-mysql days": ("types/dates-and-times", moments, "_days", lambda _: 0),
    "debezium-mysql columns": (
        "vitess/columns-left-out",
        selection,
        "column_filter",
        lambda _: lambda _name: True,
    ),
}


def judged(scenario: str, protocol: str) -> Judgement:
    """Return the right consumer's judgement on a scenario's first case of a protocol."""
    space = workspace(ROOT)
    case = selected(load(space, [ROOT / "scenarios" / f"{scenario}.yaml"]), protocol)[0]
    planned = plan(case, load_lock(case.scenario, space.golden))
    return Prepared(planned, range(1)).verdict(Parts(), 0).judgement


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_encoder_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A right consumer passes on the right encoder's records and fails on a wrong one's."""
    scenario, module, function, wrong = WRONG[name]
    protocol = name.partition(" ")[0]
    assert judged(scenario, protocol) is Judgement.PASS
    monkeypatch.setattr(module, function, wrong)
    assert judged(scenario, protocol) is Judgement.FAIL
