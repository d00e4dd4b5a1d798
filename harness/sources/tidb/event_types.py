"""The events that an event filter can name, and which of them a DDL action is.

`alter table` covers a list of actions beside their own names, `all ddl` every one that is
replicated at all; names are written in lower case.

Source: tiflow c7b2588 pkg/filter/filter.go `ddlWhiteListMap`, utils.go `alterTableSubType`,
`SupportedEventTypes`; pkg/binlog-filter/filter.go.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.ddl import ActionType
from harness.model.change import Op

ALL_DDL = "all ddl"
ALL_DML = "all dml"
ALTER_TABLE = "alter table"

# The white list: every action that is replicated, with the name that ignores it.
DDL_EVENTS: Mapping[ActionType, str] = {
    ActionType.CREATE_SCHEMA: "create database",
    ActionType.DROP_SCHEMA: "drop database",
    ActionType.MODIFY_SCHEMA_CHARSET_AND_COLLATE: "modify schema charset and collate",
    ActionType.CREATE_TABLE: "create table",
    ActionType.CREATE_TABLES: "create table",
    ActionType.DROP_TABLE: "drop table",
    ActionType.TRUNCATE_TABLE: "truncate table",
    ActionType.RENAME_TABLE: "rename table",
    ActionType.RENAME_TABLES: "rename table",
    ActionType.RECOVER_TABLE: "recover table",
    ActionType.MODIFY_TABLE_COMMENT: "modify table comment",
    ActionType.MODIFY_TABLE_CHARSET_AND_COLLATE: "modify table charset and collate",
    ActionType.CREATE_VIEW: "create view",
    ActionType.DROP_VIEW: "drop view",
    ActionType.ADD_TABLE_PARTITION: "add table partition",
    ActionType.DROP_TABLE_PARTITION: "drop table partition",
    ActionType.TRUNCATE_TABLE_PARTITION: "truncate table partition",
    ActionType.EXCHANGE_TABLE_PARTITION: "exchange table partition",
    ActionType.REORGANIZE_PARTITION: "reorganize table partition",
    ActionType.ALTER_TABLE_PARTITIONING: "alter table partitioning",
    ActionType.REMOVE_PARTITIONING: "remove table partitioning",
    ActionType.ADD_COLUMN: "add column",
    ActionType.ADD_COLUMNS: "add column",
    ActionType.DROP_COLUMN: "drop column",
    ActionType.DROP_COLUMNS: "drop column",
    ActionType.MODIFY_COLUMN: "modify column",
    ActionType.SET_DEFAULT_VALUE: "set default value",
    ActionType.REBASE_AUTO_ID: "rebase auto id",
    ActionType.ADD_PRIMARY_KEY: "add primary key",
    ActionType.DROP_PRIMARY_KEY: "drop primary key",
    ActionType.ADD_INDEX: "create index",
    ActionType.DROP_INDEX: "drop index",
    ActionType.RENAME_INDEX: "rename index",
    ActionType.ALTER_INDEX_VISIBILITY: "alter index visibility",
    ActionType.ALTER_TTL_INFO: "alter ttl info",
    ActionType.ALTER_TTL_REMOVE: "alter ttl remove",
    ActionType.MULTI_SCHEMA_CHANGE: "multi schema change",
    ActionType.ADD_FOREIGN_KEY: "add foreign key",
    ActionType.DROP_FOREIGN_KEY: "drop foreign key",
}

# Replicated, but not what `alter table` means.
_NO_ALTER_TABLE = frozenset(
    {
        ActionType.CREATE_SCHEMA,
        ActionType.DROP_SCHEMA,
        ActionType.MODIFY_SCHEMA_CHARSET_AND_COLLATE,
        ActionType.CREATE_TABLE,
        ActionType.CREATE_TABLES,
        ActionType.DROP_TABLE,
        ActionType.TRUNCATE_TABLE,
        ActionType.RECOVER_TABLE,
        ActionType.CREATE_VIEW,
        ActionType.DROP_VIEW,
        ActionType.ADD_FOREIGN_KEY,
        ActionType.DROP_FOREIGN_KEY,
    }
)
ALTER_TABLE_ACTIONS = frozenset(DDL_EVENTS) - _NO_ALTER_TABLE

SCHEMA_ACTIONS = frozenset(
    {
        ActionType.CREATE_SCHEMA,
        ActionType.DROP_SCHEMA,
        ActionType.MODIFY_SCHEMA_CHARSET_AND_COLLATE,
    }
)

DML_EVENTS: Mapping[Op, str] = {Op.INSERT: "insert", Op.UPDATE: "update", Op.DELETE: "delete"}

# Other names of the same event.
ALIASES: Mapping[str, str] = {"create schema": "create database", "drop schema": "drop database"}

# Everything that `ignore-event` takes.
EVENT_NAMES: tuple[str, ...] = tuple(
    dict.fromkeys(
        (ALL_DML, ALL_DDL, *DML_EVENTS.values(), ALTER_TABLE, *ALIASES, *DDL_EVENTS.values())
    )
)
