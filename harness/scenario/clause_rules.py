"""Cited clauses exist."""

from __future__ import annotations

from typing import Any

from harness.documents.nearest import did_you_mean
from harness.documents.yaml_file import Path
from harness.protocols.clauses import CLAUSES
from harness.scenario.draft import Draft, Problems


def cited_clauses_exist(draft: Draft) -> Problems:
    """Refuse clauses under test that no source document has."""
    for number, clause in enumerate(draft.data["clauses"]):
        yield from _exists(draft, ("clauses", number), clause)


def permitting_clauses_exist(draft: Draft) -> Problems:
    """Refuse disturbances that are allowed by a clause that no document has."""
    for variant, steps in draft.data.get("delivery", {}).items():
        for number, step in enumerate(steps):
            for protocol, clause in step.get("allowed-by", {}).items():
                path = ("delivery", variant, number, "allowed-by", protocol)
                yield from _exists(draft, path, clause)


def reasons_exist(draft: Draft) -> Problems:
    """Refuse exceptions that are excused by a clause that no document has."""
    exceptions: dict[str, Any] = draft.data["expect"].get("by-protocol", {})
    for protocol, exception in exceptions.items():
        path = ("expect", "by-protocol", protocol, "because")
        yield from _exists(draft, path, exception["because"])


def _exists(draft: Draft, path: Path, clause: str) -> Problems:
    if clause not in CLAUSES:
        what, expected = f"unknown clause `{clause}`", "a clause id that `harness coverage` lists"
        yield draft.at(path, what, expected, did_you_mean(clause, CLAUSES, 0.8))
