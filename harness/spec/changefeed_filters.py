"""What a TiCDC changefeed leaves out: table rules, event filters, expressions."""

from __future__ import annotations

from collections.abc import Mapping

from harness.spec.clause import Clause, Row, clauses, may, must, should
from harness.spec.documents import DDL, FILTER, TABLE_FILTER, TIFLOW

_NOTES_ON_USING_EVENT_FILTER_RULES_TO_FILTER_DDL_EVENTS: tuple[Row, ...] = (
    must(
        "changefeed.filter.ddl-keeps-rows",
        "Leaving out the DDL that creates or drops a table leaves its rows alone.",
        "from 6.5.8, 7.1.4 and 7.5.1",
    ),
    may(
        "changefeed.filter.ddl-loses-rows",
        "Leaving out the DDL that creates or drops a table may lose its rows too.",
        "before 6.5.8, 7.1.4 and 7.5.1",
    ),
    must(
        "changefeed.filter.create-table",
        "With `create table` ignored for a table, its rows are replicated although its "
        "creation is not.",
    ),
    must(
        "changefeed.filter.other-table",
        "An event filter changes nothing for tables that its matcher does not match.",
    ),
    must(
        "changefeed.filter.outside-rules",
        "A table that the table rules exclude has neither DDL nor rows, whatever the event "
        "filters say.",
    ),
    must(
        "changefeed.filter.drop-table",
        "With `drop table` ignored the drop is not sent, and no rows follow.",
    ),
    must(
        "changefeed.filter.truncate-table",
        "With `truncate table` ignored the truncation is not sent while later rows are, so "
        "old rows stay in the consumer's table.",
    ),
    must(
        "changefeed.filter.rename-table",
        "With `rename table` ignored the rename is not sent, and rows come under the new name.",
    ),
    must(
        "changefeed.filter.rename-out",
        "With `rename table` ignored and a new name outside the table rules, neither the "
        "rename nor later rows are sent.",
    ),
    should(
        "changefeed.filter.schemas-agree",
        "Whoever filters DDL keeps the consumer's schema in step by other means.",
    ),
)

_TABLE_FILTER: tuple[Row, ...] = (
    must(
        "changefeed.rules.all",
        "Without rules, and with `*.*`, all tables but those of system schemas are replicated.",
    ),
    must("changefeed.rules.negation", "A rule that begins with `!` excludes what it matches."),
    must("changefeed.rules.listed", "A table that no rule matches is not replicated."),
)

_SYNTAX: tuple[Row, ...] = (
    must("changefeed.rules.last-wins", "Of several rules that match a table the last one decides."),
    must(
        "changefeed.rules.wildcards",
        "In a rule `*` stands for any characters, `?` for one, and brackets for one of a "
        "class, negated by `!`.",
    ),
    must("changefeed.rules.regex", "A rule's part between slashes is a regular expression."),
    must(
        "changefeed.rules.quoted",
        "A rule's part in backquotes or double quotes is a name to the letter.",
    ),
    must(
        "changefeed.rules.three-parts",
        "A rule that is not a database and a table, or that names a file, is refused.",
    ),
)

_UTILS: tuple[Row, ...] = (
    must(
        "changefeed.rules.system-schemas",
        "System schemas, those of TiCDC and TiDB Lightning included, are never replicated.",
    ),
    must(
        "changefeed.rules.empty",
        "An empty rule matches nothing, so a list of nothing else replicates nothing.",
    ),
    must(
        "changefeed.rules.case", "Rules ignore the case of letters unless `case-sensitive` is true."
    ),
)

_EVENT_FILTER_RULES: tuple[Row, ...] = (
    must(
        "changefeed.event-filter.matcher",
        "An event filter holds for the tables that its `matcher` matches.",
    ),
    must(
        "changefeed.event-filter.dml",
        "`ignore-event` with insert, update or delete leaves out row events of that kind, "
        "`all dml` all of them.",
    ),
    must(
        "changefeed.event-filter.ddl",
        "`ignore-event` with the name of a DDL type leaves out such statements, `all ddl` all "
        "of them.",
    ),
    must(
        "changefeed.event-filter.alter-table",
        "`alter table` covers every clause of ALTER TABLE, and CREATE INDEX and DROP INDEX.",
    ),
    must(
        "changefeed.event-filter.database-alias",
        "`create database` and `drop database` are other names for `create schema` and `drop "
        "schema`.",
    ),
    must(
        "changefeed.event-filter.multi-schema",
        "A statement with several changes is left out by `multi schema change`, not by the "
        "names of its parts.",
    ),
    must(
        "changefeed.event-filter.sql",
        "`ignore-sql` leaves out DDL whose text one of its expressions matches, in any case "
        "of letters, before it is restored.",
    ),
    must(
        "changefeed.event-filter.several",
        "Several event filters hold side by side: an event that one of them ignores is left out.",
    ),
    must(
        "changefeed.expression.insert",
        "`ignore-insert-value-expr` leaves out inserts whose row satisfies it.",
    ),
    must(
        "changefeed.expression.delete",
        "`ignore-delete-value-expr` leaves out deletes whose row satisfies it.",
    ),
    must(
        "changefeed.expression.update-old",
        "`ignore-update-old-value-expr` leaves out updates whose row satisfies it before the "
        "change.",
    ),
    must(
        "changefeed.expression.update-new",
        "`ignore-update-new-value-expr` leaves out updates whose row satisfies it after the "
        "change.",
    ),
    must(
        "changefeed.expression.exactly-one",
        "A row is left out when the expression yields 1: NULL, and numbers other than 1, let "
        "it pass.",
    ),
    must(
        "changefeed.expression.clustered-key",
        "An update of a clustered key is a delete and an insert to every filter, never an update.",
    ),
    must(
        "changefeed.expression.unknown-column",
        "An expression that names a column that the table lacks, from the start or after a "
        "DDL, stops the changefeed.",
    ),
)

_SQL_EVENT_FILTER: tuple[Row, ...] = (
    must(
        "changefeed.event-filter.unknown",
        "An unknown event name, capitals and `rename column` included, is refused when the "
        "changefeed is created.",
    ),
    must(
        "changefeed.event-filter.bad-sql",
        "An `ignore-sql` expression that cannot be compiled is passed over in silence.",
    ),
    must(
        "changefeed.event-filter.case",
        "An event filter's matcher minds the case of letters always.",
    ),
    must(
        "changefeed.event-filter.rename-old-name",
        "For a rename the event filter looks at the old name.",
    ),
)

_SINK: tuple[Row, ...] = (
    must(
        "changefeed.event-filter.before-split",
        "Event filters judge an update before it is split, so ignoring deletes does not take "
        "the delete half away.",
    ),
)

CHANGEFEED_FILTER_CLAUSES: Mapping[str, Clause] = clauses(
    "changefeed",
    {
        DDL.section(
            "Notes on using event filter rules to filter DDL events",
            "notes-on-using-event-filter-rules-to-filter-ddl-events",
        ): _NOTES_ON_USING_EVENT_FILTER_RULES_TO_FILTER_DDL_EVENTS,
        FILTER.section("Table filter", "table-filter"): _TABLE_FILTER,
        TABLE_FILTER.section("Syntax", "syntax"): _SYNTAX,
        TIFLOW.file("pkg/filter/utils.go", 29): _UTILS,
        FILTER.section("Event filter rules", "event-filter-rules"): _EVENT_FILTER_RULES,
        TIFLOW.file("pkg/filter/sql_event_filter.go", 81): _SQL_EVENT_FILTER,
        TIFLOW.file("cdc/model/sink.go", 1262): _SINK,
    },
)
