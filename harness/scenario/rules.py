"""The rules beyond the grammar, in one table; a new rule is a function and a line here.

Each rule names the top-level keys that it reads and is left out while the grammar finds fault with
one of them, so that one file's mistakes of all kinds are reported at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import MappingProxyType

from harness.errors import Problem
from harness.scenario import (
    clause_rules,
    delivery_rules,
    expect_rules,
    matrix_rules,
    settings_rules,
    upstream_rules,
)
from harness.scenario.draft import Check, Draft, Problems


def id_is_the_path(draft: Draft) -> Problems:
    """Refuse an id that differs from the file's path: either must lead to the other."""
    if draft.data["id"] != draft.id:
        yield draft.at(
            ("id",),
            f"the id is `{draft.data['id']}`, but the file's path says `{draft.id}`",
            "the path under the scenarios' root, with dots for slashes",
            f"write `id: {draft.id}`, or move the file; a published id never changes",
        )


# Rule -> the top-level keys that it reads.
RULES: Mapping[Check, frozenset[str]] = MappingProxyType(
    {
        id_is_the_path: frozenset({"id"}),
        clause_rules.cited_clauses_exist: frozenset({"clauses"}),
        clause_rules.cited_clauses_can_be_named: frozenset(
            {"clauses", "matrix", "settings", "profiles", "pairwise", "delivery"}
        ),
        clause_rules.permitting_clauses_exist: frozenset({"delivery"}),
        clause_rules.reasons_exist: frozenset({"expect"}),
        matrix_rules.exclude_names_what_exists: frozenset(
            {"matrix", "profiles", "pairwise", "delivery"}
        ),
        matrix_rules.some_case_is_left: frozenset({"matrix", "profiles", "pairwise", "delivery"}),
        matrix_rules.profiles_name_protocols_of_the_matrix: frozenset({"matrix", "profiles"}),
        matrix_rules.pairwise_lists_make_profiles: frozenset({"matrix", "profiles", "pairwise"}),
        settings_rules.dispatchers_name_their_columns: frozenset({"settings"}),
        upstream_rules.sql_fits_its_step: frozenset({"upstream"}),
        upstream_rules.transactions_have_names_of_their_own: frozenset({"upstream"}),
        upstream_rules.partitions_exist: frozenset(
            {"upstream", "matrix", "delivery", "profiles", "pairwise"}
        ),
        upstream_rules.updates_keep_their_columns: frozenset({"upstream"}),
        delivery_rules.variants_are_not_called_plain: frozenset({"delivery"}),
        delivery_rules.clauses_cover_the_matrix: frozenset(
            {"delivery", "matrix", "profiles", "pairwise"}
        ),
        delivery_rules.faults_fit_the_matrix: frozenset(
            {"delivery", "matrix", "profiles", "pairwise"}
        ),
        delivery_rules.clauses_permit_their_fault: frozenset(
            {"delivery", "matrix", "profiles", "pairwise"}
        ),
        delivery_rules.transactions_are_known: frozenset({"delivery", "upstream"}),
        expect_rules.rows_have_the_same_columns: frozenset({"expect"}),
        expect_rules.expected_databases_are_listed: frozenset({"expect", "databases"}),
        expect_rules.records_speak_of_cases_that_there_are: frozenset(
            {"expect", "matrix", "profiles", "pairwise", "delivery"}
        ),
        expect_rules.deliveries_have_tables_of_their_own_for_a_reason: frozenset(
            {"expect", "delivery"}
        ),
        expect_rules.stops_come_last: frozenset({"expect"}),
        expect_rules.stated_databases_are_listed: frozenset({"upstream", "databases"}),
    }
)


def breaches(draft: Draft, unsound: AbstractSet[str]) -> Sequence[Problem]:
    """Return what breaks the rules, leaving out those that read one of the `unsound` keys."""
    return [
        problem for check, reads in RULES.items() if not reads & unsound for problem in check(draft)
    ]
