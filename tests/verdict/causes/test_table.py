"""The table of causes is whole: what code finds has words, and what files name is found."""

from __future__ import annotations

import re

import pytest

from harness.faults import FAULTS
from harness.protocols import PROTOCOLS
from harness.protocols.causes import CAUSES
from harness.protocols.clauses import CLAUSES, cause_clause
from tests.tree import ROOT

SOURCES = sorted((ROOT / "harness/verdict").rglob("*.py"))


def test_every_cause_is_found_somewhere() -> None:
    """A cause that no module of the verdict names would be dead words."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)
    found = {cause for cause in CAUSES if re.search(rf'"{cause}[" ]', text)}
    assert set(CAUSES) - found <= {"insert"}  # an operation's own name


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_hostile_fault_has_a_clause(protocol: str) -> None:
    """What cannot be read is judged by the rule that its fault breaks."""
    row = PROTOCOLS[protocol]
    hostile = {name for name, one in row.permissions.items() if one.claim == "hostile"}
    said = {name for name in hostile if cause_clause(protocol, name) in CLAUSES}
    assert hostile == said
    assert hostile <= set(FAULTS)
