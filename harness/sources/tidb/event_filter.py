"""Event filters: rules that ignore events of the tables that they match, by type, text or values.

| key | ignores |
| --- | --- |
| `ignore-event` | row changes and DDL by the names of `event_types` |
| `ignore-sql` | DDL whose text holds one of the patterns, joined by `|`, in any case |
| `ignore-insert-value-expr`, `ignore-delete-value-expr` | rows for which the condition is 1 |
| `ignore-update-old-value-expr`, `ignore-update-new-value-expr` | updates, by either image |

Matchers are always case-sensitive, whatever `case-sensitive` says. A rule whose `ignore-sql` does
not compile is only logged by TiCDC: neither its texts nor its event names do anything, its
conditions still do. What is ignored has been applied to TiCDC's own schemas all the same, and
updates are seen before the sink splits them.

Source: tiflow c7b2588 pkg/filter/sql_event_filter.go, expr_filter.go, pkg/binlog-filter/filter.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.ddl import ActionType
from harness.model.change import Op
from harness.sources.tidb.event_types import (
    ALIASES,
    ALL_DDL,
    ALL_DML,
    ALTER_TABLE,
    ALTER_TABLE_ACTIONS,
    DDL_EVENTS,
    DML_EVENTS,
    EVENT_NAMES,
)
from harness.sources.tidb.refusal import ChangefeedError
from harness.sources.tidb.regexes import GoRegex, RegexError, go_regex
from harness.sources.tidb.table_filter import TableFilter, parse_rules


@dataclass(frozen=True, slots=True)
class EventRule:
    """One rule: tables, event names (aliases resolved) and the joined pattern.

    `void` is the reason why TiCDC lets names and pattern do nothing, empty when they work.
    """

    matcher: TableFilter
    events: frozenset[str] = frozenset()
    sql: GoRegex | None = None
    void: str = ""

    def covers(self, schema: str, table: str) -> bool:
        """Return whether the rule is about a table, or about a schema when `table` is empty."""
        return self.matcher.table(schema, table) if table else self.matcher.schema(schema)

    def ignores_ddl(self, action: ActionType, query: str) -> bool:
        """Return whether a DDL of a covered table is ignored; `query` is its text, not restored."""
        if self.void:
            return False
        names = {ALL_DDL, DDL_EVENTS[action]}
        if action in ALTER_TABLE_ACTIONS:
            names.add(ALTER_TABLE)
        return bool(names & self.events) or (self.sql is not None and self.sql.found_in(query))

    def ignores_rows(self, op: Op) -> bool:
        """Return whether changes of this kind to rows of a covered table are ignored."""
        return not self.void and bool({ALL_DML, DML_EVENTS[op]} & self.events)


def event_rule(
    matcher: Sequence[str], ignore_event: Sequence[str] = (), ignore_sql: Sequence[str] = ()
) -> EventRule:
    """Return one rule from its keys; ChangefeedError for what TiCDC refuses."""
    try:
        tables = parse_rules(matcher, case_sensitive=True)
    except ChangefeedError as refusal:
        raise refusal.under("matcher") from None
    for number, name in enumerate(ignore_event):
        if name not in EVENT_NAMES:
            raise _unknown_event(number, name)
    events = frozenset(ALIASES.get(name, name) for name in ignore_event)
    if not ignore_sql:
        return EventRule(tables, events)
    try:
        return EventRule(tables, events, go_regex("(?i)" + "|".join(ignore_sql)))
    except RegexError as error:
        return EventRule(tables, events, void=f"ignore-sql does not compile: {error}")


def _unknown_event(number: int, name: str) -> ChangefeedError:
    lowered = name.lower()
    hint = f"write `{lowered}`: names are in lower case" if lowered in EVENT_NAMES else ""
    return ChangefeedError(
        "ErrInvalidIgnoreEventType",
        f"unknown event {name!r} in ignore-event",
        expected="one of " + ", ".join(EVENT_NAMES),
        hint=hint,
        path=("ignore-event", number),
    )
