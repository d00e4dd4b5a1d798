"""Which DDL statements a changefeed sends.

First the action decides, then the table: one without a valid index is not replicated unless
`force-replicate`, and a changefeed stops when a table loses its last one.

Source: vectors `ddl_eligibility`, `open_ddl`; TiCDC codec notes §6, §7 (rows of seed 004).
"""

from __future__ import annotations

from harness.ddl import ActionType, DdlJob
from harness.errors import UsageError
from harness.upstream.mount import eligible

# TiCDC's DDL puller skips these (tiflow c7b2588 pkg/filter/filter.go:36 lists the others).
NOT_REPLICATED = frozenset(
    {
        ActionType.SET_TIFLASH_REPLICA,
        ActionType.UPDATE_TIFLASH_REPLICA_STATUS,
        ActionType.CREATE_SEQUENCE,
        ActionType.ALTER_SEQUENCE,
        ActionType.DROP_SEQUENCE,
        ActionType.MODIFY_TABLE_AUTO_ID_CACHE,
        ActionType.REBASE_AUTO_RANDOM_BASE,
        ActionType.ADD_CHECK_CONSTRAINT,
        ActionType.DROP_CHECK_CONSTRAINT,
        ActionType.ALTER_CHECK_CONSTRAINT,
        ActionType.ALTER_TABLE_ATTRIBUTES,
        ActionType.ALTER_TABLE_PARTITION_ATTRIBUTES,
        ActionType.CREATE_PLACEMENT_POLICY,
        ActionType.ALTER_PLACEMENT_POLICY,
        ActionType.DROP_PLACEMENT_POLICY,
        ActionType.ALTER_TABLE_PARTITION_PLACEMENT,
        ActionType.MODIFY_SCHEMA_DEFAULT_PLACEMENT,
        ActionType.ALTER_TABLE_PLACEMENT,
        ActionType.ALTER_CACHE_TABLE,
        ActionType.ALTER_TABLE_STATS_OPTIONS,
        ActionType.ALTER_NO_CACHE_TABLE,
        ActionType.CREATE_RESOURCE_GROUP,
        ActionType.ALTER_RESOURCE_GROUP,
        ActionType.DROP_RESOURCE_GROUP,
    }
)


def replicated(job: DdlJob, *, force_replicate: bool) -> bool:
    """Tell whether a job is sent; UsageError where TiCDC's changefeed would stop."""
    if job.action in NOT_REPLICATED:
        return False
    if job.after is None:
        return True
    after = eligible(job.after, force_replicate=force_replicate)
    if eligible(job.before, force_replicate=force_replicate) and not after:
        raise UsageError(
            f"this DDL takes the last valid index from {job.after.id}: the changefeed stops",
            expected="a table that keeps a primary key or a NOT NULL unique index",
            hint="set `force-replicate: true`, or keep a valid index",
        )
    return after
