"""Rules say what they read: whatever the grammar finds fault with, no rule stumbles over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from harness.scenario.draft import Draft
from harness.scenario.load import read
from harness.scenario.rules import RULES
from tests.tree import ROOT


class Recording(dict[str, Any]):
    """A file's top-level mapping that knows which keys were asked for."""

    asked: set[str]

    def __getitem__(self, key: str) -> Any:
        """Return a value."""
        self.asked.add(key)
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        """Return a value, or the default."""
        self.asked.add(key)
        return super().get(key, default)


@cache
def drafts() -> tuple[Draft, ...]:
    """Return all bundled scenarios."""
    root = ROOT / "scenarios"
    return tuple(
        Draft(read(path.read_text("utf-8"), str(path)), ".".join(path.relative_to(root).parts)[:-5])
        for path in sorted(root.rglob("*.yaml"))
    )


def asked_by(rule: Any) -> Iterator[str]:
    """Yield the keys that a rule asks for in any scenario."""
    for draft in drafts():
        data = Recording(draft.source.data)
        data.asked = set()
        list(rule(Draft(replace(draft.source, data=data), draft.id)))
        yield from data.asked


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_a_rule_reads_what_it_says(rule: Any) -> None:
    """Of all scenarios a rule reads no key but those of its row, so that it can be left out."""
    assert set(asked_by(rule)) <= RULES[rule]
