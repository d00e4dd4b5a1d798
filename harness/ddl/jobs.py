"""DDL jobs: what one statement makes TiDB do, as TiCDC's DDL puller sees it.

Open Protocol DDL messages carry the number of the action as `t`; event filters match on its name.
Source: TiDB pkg/meta/model/job.go, `ActionType` and `ActionMap`; tiflow c7b2588
cdc/model/sink.go:1092 `FromJobWithArgs`, which rebuilds some queries.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from harness.model.table import Table


class ActionType(IntEnum):
    """The action of one DDL job."""

    NONE = 0
    CREATE_SCHEMA = 1
    DROP_SCHEMA = 2
    CREATE_TABLE = 3
    DROP_TABLE = 4
    ADD_COLUMN = 5
    DROP_COLUMN = 6
    ADD_INDEX = 7
    DROP_INDEX = 8
    ADD_FOREIGN_KEY = 9
    DROP_FOREIGN_KEY = 10
    TRUNCATE_TABLE = 11
    MODIFY_COLUMN = 12
    REBASE_AUTO_ID = 13
    RENAME_TABLE = 14
    SET_DEFAULT_VALUE = 15
    SHARD_ROW_ID = 16
    MODIFY_TABLE_COMMENT = 17
    RENAME_INDEX = 18
    ADD_TABLE_PARTITION = 19
    DROP_TABLE_PARTITION = 20
    CREATE_VIEW = 21
    MODIFY_TABLE_CHARSET_AND_COLLATE = 22
    TRUNCATE_TABLE_PARTITION = 23
    DROP_VIEW = 24
    RECOVER_TABLE = 25
    MODIFY_SCHEMA_CHARSET_AND_COLLATE = 26
    LOCK_TABLE = 27
    UNLOCK_TABLE = 28
    REPAIR_TABLE = 29
    SET_TIFLASH_REPLICA = 30
    UPDATE_TIFLASH_REPLICA_STATUS = 31
    ADD_PRIMARY_KEY = 32
    DROP_PRIMARY_KEY = 33
    CREATE_SEQUENCE = 34
    ALTER_SEQUENCE = 35
    DROP_SEQUENCE = 36
    ADD_COLUMNS = 37
    DROP_COLUMNS = 38
    MODIFY_TABLE_AUTO_ID_CACHE = 39
    REBASE_AUTO_RANDOM_BASE = 40
    ALTER_INDEX_VISIBILITY = 41
    EXCHANGE_TABLE_PARTITION = 42
    ADD_CHECK_CONSTRAINT = 43
    DROP_CHECK_CONSTRAINT = 44
    ALTER_CHECK_CONSTRAINT = 45
    ALTER_TABLE_ALTER_PARTITION = 46
    RENAME_TABLES = 47
    DROP_INDEXES = 48
    ALTER_TABLE_ATTRIBUTES = 49
    ALTER_TABLE_PARTITION_ATTRIBUTES = 50
    CREATE_PLACEMENT_POLICY = 51
    ALTER_PLACEMENT_POLICY = 52
    DROP_PLACEMENT_POLICY = 53
    ALTER_TABLE_PARTITION_PLACEMENT = 54
    MODIFY_SCHEMA_DEFAULT_PLACEMENT = 55
    ALTER_TABLE_PLACEMENT = 56
    ALTER_CACHE_TABLE = 57
    ALTER_TABLE_STATS_OPTIONS = 58
    ALTER_NO_CACHE_TABLE = 59
    CREATE_TABLES = 60
    MULTI_SCHEMA_CHANGE = 61
    FLASHBACK_CLUSTER = 62
    RECOVER_SCHEMA = 63
    REORGANIZE_PARTITION = 64
    ALTER_TTL_INFO = 65
    ALTER_TTL_REMOVE = 67
    CREATE_RESOURCE_GROUP = 68
    ALTER_RESOURCE_GROUP = 69
    DROP_RESOURCE_GROUP = 70
    ALTER_TABLE_PARTITIONING = 71
    REMOVE_PARTITIONING = 72
    ADD_COLUMNAR_INDEX = 73
    MODIFY_ENGINE_ATTRIBUTE = 74
    ALTER_TABLE_MODE = 75
    REFRESH_META = 76
    MODIFY_SCHEMA_READ_ONLY = 77

    @property
    def display_name(self) -> str:
        """Return TiDB's name of the action, such as `create table`."""
        return _IRREGULAR_NAMES.get(self, self.name.lower().replace("_", " "))


# Every other display name is the member's name in lower case, words apart.
_IRREGULAR_NAMES = {
    ActionType.REBASE_AUTO_ID: "rebase auto_increment ID",
    ActionType.SHARD_ROW_ID: "shard row ID",
    ActionType.ADD_TABLE_PARTITION: "add partition",
    ActionType.DROP_TABLE_PARTITION: "drop partition",
    ActionType.TRUNCATE_TABLE_PARTITION: "truncate partition",
    ActionType.MODIFY_TABLE_AUTO_ID_CACHE: "modify auto id cache",
    ActionType.REBASE_AUTO_RANDOM_BASE: "rebase auto_random ID",
    ActionType.EXCHANGE_TABLE_PARTITION: "exchange partition",
    ActionType.ALTER_TABLE_ALTER_PARTITION: "alter partition",
    ActionType.ALTER_CACHE_TABLE: "alter table cache",
    ActionType.ALTER_TABLE_STATS_OPTIONS: "alter table statistics options",
    ActionType.ALTER_NO_CACHE_TABLE: "alter table nocache",
    ActionType.MULTI_SCHEMA_CHANGE: "alter table multi-schema change",
    ActionType.RECOVER_SCHEMA: "flashback schema",
    ActionType.REORGANIZE_PARTITION: "alter table reorganize partition",
    ActionType.ALTER_TTL_INFO: "alter table ttl",
    ActionType.ALTER_TTL_REMOVE: "alter table no_ttl",
    ActionType.ALTER_TABLE_PARTITIONING: "alter table partition by",
    ActionType.REMOVE_PARTITIONING: "alter table remove partitioning",
}


@dataclass(frozen=True, slots=True)
class DdlJob:
    """One DDL event.

    `schema` and `table` are the new names (`table` is empty for a database), `old_schema` and
    `old_table` the ones before a rename, the same otherwise. `query` is what TiCDC sends, `source`
    the user's text. `before` and `after` are the table's versions, None where there is none. For
    EXCHANGE PARTITION they are those of the partitioned table, and `exchanged` is the other one
    (before, after).
    """

    action: ActionType
    schema: str
    table: str
    query: str
    source: str
    before: Table | None = None
    after: Table | None = None
    old_schema: str = ""
    old_table: str = ""
    exchanged: tuple[Table, Table] | None = None

    def __post_init__(self) -> None:
        """Fill in the old names where nothing was renamed."""
        object.__setattr__(self, "old_schema", self.old_schema or self.schema)
        object.__setattr__(self, "old_table", self.old_table or self.table)
