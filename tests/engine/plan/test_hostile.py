"""Which messages of a delivery are a consumer's to refuse."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.faults import fault
from harness.model.record import Record
from harness.protocols import PROTOCOLS
from harness.protocols.description import Claim, Permission
from tests.engine.plan.test_case import TEXT, planned

FAULT = "garbage-key"


def hostile_offsets(root: Path) -> list[int]:
    """Return the offsets of the messages that a case's hostile step has spoiled."""
    step = f"    - {FAULT}: {{transaction: one}}\n      hostile: true\n"
    before, _, after = TEXT.partition("    - replay")
    text = before + step + "expect" + after.partition("expect")[2]
    delivery = planned(root, text)["again"].delivery
    assert delivery.hostile is not None
    return [place.offset for place in delivery.hostile]


def test_a_fault_is_hostile_by_the_protocol_of_the_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What another protocol permits is malformed in one that does not, decodable or not."""
    alone = hostile_offsets(tmp_path)
    row = PROTOCOLS["avro"]
    permitted = {**row.permissions, FAULT: Permission(Claim.ALLOWED)}
    monkeypatch.setattr(
        fault,
        "PROTOCOLS",
        {
            **PROTOCOLS,
            "avro": replace(row, description=replace(row.description, permissions=permitted)),
        },
    )
    monkeypatch.setattr("harness.engine.plan.delivery.decoded_or_refusal", _reads_all)
    assert hostile_offsets(tmp_path) == alone
    assert len(alone) == 1


def _reads_all(_wire: object, _record: Record) -> tuple[()]:
    return ()
