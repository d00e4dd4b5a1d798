"""All filters of one changefeed together: tables, event rules and value expressions.

Source: tiflow c7b2588 pkg/filter/filter.go, utils.go `isSysSchema`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from harness.ddl import ActionType, DdlJob
from harness.model.change import Op
from harness.model.table import Table
from harness.model.values import Row
from harness.sources.decision import EVENT_FILTER, REPLICATE, TABLE, Decision, ignore
from harness.sources.tidb.event_filter import EventRule
from harness.sources.tidb.event_types import DDL_EVENTS, SCHEMA_ACTIONS
from harness.sources.tidb.table_filter import TableFilter, parse_rules
from harness.sources.tidb.value_filter import ValueFilter

# Never replicated, in any case. The last two rows are TiDB's own list of system schemas.
SYSTEM_SCHEMAS = frozenset(
    {
        *("tidb_cdc", "lightning_task_info", "workload_schema"),
        *("information_schema", "performance_schema", "metrics_schema", "inspection_schema"),
        *("mysql", "sys", "dm_heartbeat"),
    }
)
EVERY_TABLE = ("*.*",)


@dataclass(frozen=True, slots=True)
class ChangeFilter:
    """The filters of a changefeed; by default everything but the system schemas passes."""

    tables: TableFilter = field(default_factory=lambda: every_table(case_sensitive=False))
    events: tuple[EventRule, ...] = ()
    values: tuple[ValueFilter, ...] = ()
    ignored_start_ts: frozenset[int] = frozenset()

    def table(self, schema: str, table: str) -> bool:
        """Return whether a table is replicated by its name."""
        return schema.lower() not in SYSTEM_SCHEMAS and self.tables.table(schema, table)

    def schema(self, schema: str) -> bool:
        """Return whether a schema is replicated by its name."""
        return schema.lower() not in SYSTEM_SCHEMAS and self.tables.schema(schema)

    @property
    def passes_rows(self) -> bool:
        """Return whether no rule looks at row changes, so that all of a replicated table pass."""
        return not self.events and not self.ignored_start_ts

    def discards(self, action: ActionType, schema: str, table: str, start_ts: int) -> str:
        """Return why TiCDC's DDL puller forgets a job altogether, the empty string if it does not.

        Forgotten jobs do not change the schemas that TiCDC knows.
        """
        if action not in DDL_EVENTS:
            return f"TiCDC does not replicate {action.display_name!r}"
        if start_ts in self.ignored_start_ts:
            return f"its start ts {start_ts} is in filter.ignore-txn-start-ts"
        if action in SCHEMA_ACTIONS:
            return "" if self.schema(schema) else f"filter.rules leave out the schema {schema}"
        return "" if self.table(schema, table) else f"filter.rules leave out {schema}.{table}"

    def ddl(self, job: DdlJob, query: str, start_ts: int) -> Decision:
        """Judge a job of a replicated table by type and text; RENAME TABLE by the old name."""
        if start_ts in self.ignored_start_ts:
            return ignore(EVENT_FILTER, f"its start ts {start_ts} is ignored")
        renamed = job.action is ActionType.RENAME_TABLE
        schema = job.old_schema if renamed else job.schema
        table = job.old_table if renamed else job.table
        for number, rule in enumerate(self.events):
            if rule.covers(schema, table) and rule.ignores_ddl(job.action, query):
                return ignore(EVENT_FILTER, f"filter.event-filters[{number}] ignores it")
        return REPLICATE

    def row(
        self, op: Op, table: Table, images: tuple[Row | None, Row | None], start_ts: int
    ) -> Decision:
        """Judge a change to a row of a replicated table; `images` are before and after.

        Raises SourceStopped for a value expression that does not fit the table.
        """
        if start_ts in self.ignored_start_ts:
            return ignore(TABLE, f"its start ts {start_ts} is in filter.ignore-txn-start-ts")
        by_kind = self.kind(op, table)
        if not by_kind.sent:
            return by_kind
        for number in self._covering(table):
            key = self.values[number].ignores(op, table, *images)
            if key:
                where = f"filter.event-filters[{number}].{key}"
                return ignore(EVENT_FILTER, f"{where} holds")
        return REPLICATE

    def kind(self, op: Op, table: Table) -> Decision:
        """Judge a change to a row of a replicated table by `ignore-event` alone."""
        for number in self._covering(table):
            if self.events[number].ignores_rows(op):
                where = f"filter.event-filters[{number}].ignore-event"
                return ignore(EVENT_FILTER, f"{where} names {op.value}")
        return REPLICATE

    def _covering(self, table: Table) -> list[int]:
        return [
            number
            for number, rule in enumerate(self.events)
            if rule.covers(table.id.schema, table.id.name)
        ]


def every_table(*, case_sensitive: bool) -> TableFilter:
    """Return the filter that no rules stand for."""
    return parse_rules(EVERY_TABLE, case_sensitive=case_sensitive)
