"""Cited clauses exist, and a finding of the scenario can name them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.documents import PlainObject
from harness.documents.nearest import did_you_mean
from harness.documents.yaml_file import Path
from harness.protocols import PROTOCOLS
from harness.protocols.clauses import CLAUSES, DIALECT_OF, governs
from harness.scenario.draft import Draft, Problems
from harness.scenario.expand import PLAIN, combinations
from harness.scenario.matrix_rules import axes
from harness.scenario.pairwise import profiles
from harness.spec import Clause

REGISTRY = "registry"


def cited_clauses_exist(draft: Draft) -> Problems:
    """Refuse clauses under test that no source document has."""
    for number, clause in enumerate(draft.data["clauses"]):
        yield from _exists(draft, ("clauses", number), clause)


@dataclass(frozen=True, slots=True)
class _Ground:
    """What a case has that a clause can speak of."""

    protocol: str
    dialect: str
    has_registry: bool


def cited_clauses_can_be_named(draft: Draft) -> Problems:
    """Refuse a cited clause that holds in no case of the matrix: no finding could name it."""
    grounds = tuple(dict.fromkeys(_grounds(draft.data)))
    for number, identifier in enumerate(draft.data["clauses"]):
        clause = CLAUSES.get(identifier)
        if clause is not None and grounds:
            yield from _unnamed(draft, ("clauses", number), clause, grounds)


def _grounds(data: PlainObject) -> Iterator[_Ground]:
    laid = profiles(data)
    for case in combinations(axes(data), data["matrix"].get("exclude", ()), laid):
        protocol, profile = case["protocol"], case["profile"]
        settings = dict(data.get("settings", {}).get(protocol, {}))
        if profile != PLAIN:
            settings |= laid[profile].get(protocol, {})
        has_registry = PROTOCOLS[protocol].codec.needs_registry(settings)
        yield _Ground(protocol, case["dialect"], has_registry)


def _unnamed(draft: Draft, path: Path, clause: Clause, grounds: Sequence[_Ground]) -> Problems:
    governed = [one for one in grounds if governs(clause, one.protocol)]
    ran = _words(one.protocol for one in grounds)
    if not governed:
        yield draft.at(
            path,
            f"the clause `{clause.id}` says nothing of {ran}, which the matrix runs:"
            " no finding can name it",
            f"a clause of a protocol in `matrix.protocol`, or `{clause.protocol}` in the matrix",
            "remove the citation, or add the protocol to the matrix",
        )
        return
    dialect = DIALECT_OF.get(clause.versions)
    if dialect is not None and all(one.dialect != dialect for one in governed):
        yield draft.at(
            path,
            f"the clause `{clause.id}` holds in the dialect `{dialect}` alone, and the matrix runs"
            f" {_words(one.dialect for one in governed)}: no finding can name it",
            f"`{dialect}` in `matrix.dialect`",
            "remove the citation, or add the dialect to the matrix",
        )
    if clause.protocol == REGISTRY and not any(one.has_registry for one in governed):
        yield draft.at(
            path,
            f"the clause `{clause.id}` speaks of a schema registry, and no case of {ran} has one:"
            " no finding can name it",
            "a protocol, or a profile with a converter, whose messages name schemas",
            "remove the citation, or add such a case",
        )


def _words(values: Iterator[str]) -> str:
    return ", ".join(f"`{value}`" for value in dict.fromkeys(values))


def permitting_clauses_exist(draft: Draft) -> Problems:
    """Refuse disturbances that are allowed by a clause that no document has."""
    for variant, steps in draft.data.get("delivery", {}).items():
        for number, step in enumerate(steps):
            for protocol, clause in step.get("allowed-by", {}).items():
                path = ("delivery", variant, number, "allowed-by", protocol)
                yield from _exists(draft, path, clause)


def reasons_exist(draft: Draft) -> Problems:
    """Refuse exceptions that are excused by a clause that no document has."""
    exceptions: PlainObject = draft.data["expect"].get("by-protocol", {})
    for protocol, exception in exceptions.items():
        path = ("expect", "by-protocol", protocol, "because")
        yield from _exists(draft, path, exception["because"])


def _exists(draft: Draft, path: Path, clause: str) -> Problems:
    if clause not in CLAUSES:
        what, expected = f"unknown clause `{clause}`", "a clause id that `harness coverage` lists"
        yield draft.at(path, what, expected, did_you_mean(clause, CLAUSES, 0.8))
