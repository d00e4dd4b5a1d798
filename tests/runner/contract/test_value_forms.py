"""The contract's page has the form of a value for every column type."""

from __future__ import annotations

import re

from harness.model.columns import ColumnKind
from tests.tree import text_of


def test_each_column_type_has_one_form() -> None:
    """The table below `Values` names each type once, and no type that does not exist."""
    section = text_of("docs/reference/consumer-contract.md").split("\n## Values\n")[1]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert sorted(named) == sorted(ColumnKind)
