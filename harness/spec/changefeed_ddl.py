"""Which DDL a TiCDC changefeed replicates, whatever its protocol: eligibility and renames.

The matrix of statements and indexes is in `changefeed_matrix`. Where the page and the code differ,
the clause says what the code does and names what the page says.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.spec.clause import Clause, Row, clauses, may, must, should
from harness.spec.documents import DDL, TIFLOW

_DDL_ALLOW_LIST: tuple[Row, ...] = (
    must(
        "changefeed.ddl.allow-list",
        "Only the statements of a fixed list are replicated; all others are left out without "
        "an error.",
    ),
    must(
        "changefeed.table.eligible",
        "A table is replicated when it has a valid index: a primary key, or a unique index "
        "over NOT NULL columns that are not virtual.",
    ),
    must(
        "changefeed.table.ineligible",
        "Neither rows nor most DDL of a table without a valid index are replicated.",
    ),
    must(
        "changefeed.table.force-replicate",
        "With `force-replicate` tables without a valid index are replicated as well.",
    ),
    must(
        "changefeed.ddl.makes-eligible",
        "A DDL that gives a table its first valid index is replicated, and the table's rows "
        "from then on.",
    ),
    may(
        "changefeed.ddl.schema-gap",
        "A consumer may meet such a table by the DDL that made it eligible, without ever "
        "having seen it created.",
    ),
    must(
        "changefeed.ddl.last-index",
        "A DDL that takes a table's last valid index away stops the changefeed; the page says "
        "that it is left out.",
    ),
    must(
        "changefeed.ddl.index-not-enough",
        "An index that does not make the table eligible is left out; the page says that every "
        "added index is replicated.",
    ),
)

_RENAME_A_SINGLE_TABLE_IN_A_DDL_STATEMENT: tuple[Row, ...] = (
    must(
        "changefeed.rename.in-in",
        "Renaming a table from a matching name to a matching name is replicated.",
    ),
    must(
        "changefeed.rename.in-out",
        "Renaming a table out of the filter is replicated, by its old name.",
    ),
    must(
        "changefeed.rename.out-out",
        "Renaming a table between two names that the filter excludes is left out.",
    ),
    must("changefeed.rename.out-in", "Renaming a table into the filter stops the changefeed."),
    must(
        "changefeed.rename.rows-after",
        "After a rename the new name decides whether rows are replicated.",
    ),
)

_RENAME_MULTIPLE_TABLES_IN_A_DDL_STATEMENT: tuple[Row, ...] = (
    must(
        "changefeed.rename.many",
        "A statement that renames several tables is replicated when every old name matches "
        "and every new database is known to the changefeed.",
    ),
    must(
        "changefeed.rename.many-new-table-out",
        "In such a statement a new table name may be outside the filter so long as its "
        "database is inside.",
    ),
    must(
        "changefeed.rename.many-new-database-out",
        "In such a statement a new database that no rule matches stops the changefeed.",
    ),
    must(
        "changefeed.rename.many-pairs",
        "Each pair of such a statement is judged alone: one with both names outside is "
        "dropped, the others are sent; the page says all or none.",
    ),
    must(
        "changefeed.rename.many-out-in", "A pair that leads into the filter stops the changefeed."
    ),
    must(
        "changefeed.rename.swap",
        "A statement that swaps the names of two tables over a third stops the changefeed.",
    ),
    must(
        "changefeed.rename.chain",
        "A statement that moves names along a chain without closing it is replicated.",
    ),
)

_DDL_STATEMENT_CONSIDERATIONS: tuple[Row, ...] = (
    should(
        "changefeed.ddl.name-databases",
        "A statement that touches several databases names each of them, or what is replicated "
        "may fail.",
    ),
)

_ASYNCHRONOUS_EXECUTION_OF_ADD_INDEX_AND_CREATE_INDEX: tuple[Row, ...] = (
    may(
        "changefeed.ddl.index-async",
        "A consumer that applies DDL to a database may apply added indexes in the background.",
    ),
)

_DDL_PULLER: tuple[Row, ...] = (
    must(
        "changefeed.ddl.both-sides",
        "A DDL is judged by the table before and after it: eligible after it, or it is left "
        "out or stops the changefeed.",
    ),
)

_DDL_SINK: tuple[Row, ...] = (
    must(
        "changefeed.ddl.checkpoint-follows",
        "No resolved mark is sent while a DDL runs, and one is sent right after it.",
    ),
)

_FILTER: tuple[Row, ...] = (
    must(
        "changefeed.ddl.not-replicated",
        "Sequences, table caching, TiFlash replicas, attributes, placement, resource groups, "
        "check constraints and auto-id settings other than the base are not replicated.",
    ),
    must(
        "changefeed.ddl.no-op",
        "A statement that changes nothing, such as IF NOT EXISTS on what exists, makes no event.",
    ),
)

CHANGEFEED_DDL_CLAUSES: Mapping[str, Clause] = clauses(
    "changefeed",
    {
        DDL.section("DDL allow list", "ddl-allow-list"): _DDL_ALLOW_LIST,
        DDL.section(
            "Rename a single table in a DDL statement", "rename-a-single-table-in-a-ddl-statement"
        ): _RENAME_A_SINGLE_TABLE_IN_A_DDL_STATEMENT,
        DDL.section(
            "Rename multiple tables in a DDL statement", "rename-multiple-tables-in-a-ddl-statement"
        ): _RENAME_MULTIPLE_TABLES_IN_A_DDL_STATEMENT,
        DDL.section(
            "DDL statement considerations", "ddl-statement-considerations"
        ): _DDL_STATEMENT_CONSIDERATIONS,
        DDL.section(
            "Asynchronous execution of ADD INDEX and CREATE INDEX",
            "asynchronous-execution-of-add-index-and-create-index-ddls",
        ): _ASYNCHRONOUS_EXECUTION_OF_ADD_INDEX_AND_CREATE_INDEX,
        TIFLOW.file("cdc/puller/ddl_puller.go", 480): _DDL_PULLER,
        TIFLOW.file("cdc/owner/ddl_sink.go", 311): _DDL_SINK,
        TIFLOW.file("pkg/filter/filter.go", 35): _FILTER,
    },
)
