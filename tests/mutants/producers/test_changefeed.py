"""The wrong changefeeds are made from the simulator's own tables, and leave none of it out."""

from __future__ import annotations

from harness.ddl import ActionType
from harness.mutants.producers.changefeed.event_filters import EVENTS
from harness.mutants.producers.changefeed.matrix import STATEMENTS, WITHOUT_ROW
from harness.mutants.producers.changefeed.statements import NOT_REPLICATED
from harness.mutants.producers.table import PRODUCERS
from harness.protocols.clauses import CLAUSES
from harness.sources.tidb.event_types import ALTER_TABLE_ACTIONS, DDL_EVENTS
from harness.spec import Level


def test_every_replicated_action_is_a_row_of_the_matrix() -> None:
    """The allow list is the matrix's rows and those that say why they are none."""
    rows = {row.action for row in STATEMENTS}
    assert rows | set(WITHOUT_ROW) == set(DDL_EVENTS)
    assert not rows & set(WITHOUT_ROW)


def test_a_row_of_the_matrix_has_its_clause() -> None:
    """No row names a clause that does not exist."""
    assert {f"changefeed.ddl.{row.words}" for row in STATEMENTS} <= set(CLAUSES)


def test_what_is_not_replicated_is_not_on_the_list() -> None:
    """An action is on the allow list or among those that the clause names, not both."""
    assert not set(NOT_REPLICATED) & set(DDL_EVENTS)


def test_every_event_name_can_be_lost() -> None:
    """Each name of `ignore-event` has a mutant that ignores nothing by it."""
    names = {mutant.name for mutant in EVENTS}
    for event in DDL_EVENTS.values():
        assert f"feed-event-{event.replace(' ', '-')}-unknown" in names
    for action in ALTER_TABLE_ACTIONS - set(WITHOUT_ROW) - {ActionType.RENAME_TABLES}:
        words = action.name.lower().replace("_", "-")
        assert f"feed-{words}-is-no-alter-table" in names


def test_every_clause_has_a_mutant() -> None:
    """Each MUST clause of the changefeed that scenarios show has a wrong changefeed."""
    violated = {clause for mutant in PRODUCERS.values() for clause in mutant.clauses}
    missing = {
        clause.id
        for clause in CLAUSES.values()
        if clause.protocol == "changefeed" and clause.level is Level.MUST and clause.proof is None
    }
    assert missing <= violated
