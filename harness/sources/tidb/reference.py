"""What the TiDB source simulator takes, in words: the settings that filter and route a changefeed.

The encoders' settings are the protocols'; the reference page of a TiCDC protocol shows both.
"""

from __future__ import annotations

from harness.contracts import Setting

FLAG, RULES = "true | false", "a list of rules"

SETTINGS: tuple[Setting, ...] = (
    Setting(
        "force-replicate",
        "false",
        FLAG,
        "Replicate tables that have no valid index as well.",
        ("changefeed.table.force-replicate",),
    ),
    Setting(
        "case-sensitive",
        "false",
        FLAG,
        "`filter.rules` and the matchers of `sink.dispatchers` mind the case of letters.",
        ("changefeed.rules.case",),
    ),
    Setting(
        "bdr-mode",
        "false",
        FLAG,
        "Send only DDL of a primary cluster, which the scenario's is not.",
    ),
    Setting(
        "filter.rules",
        "*.*",
        RULES,
        "Which tables are replicated; the last rule that fits decides.",
        ("changefeed.rules.listed", "changefeed.rules.last-wins"),
    ),
    Setting(
        "filter.ignore-txn-start-ts",
        "none",
        "a list of timestamps",
        "Leave out what has one of these start timestamps: the commit timestamp less one.",
    ),
    Setting(
        "filter.event-filters",
        "none",
        RULES,
        "Events to leave out, by name (`ignore-event`), text (`ignore-sql`) or values "
        "(`ignore-insert-value-expr` and its like) of the tables that `matcher` names.",
        ("changefeed.event-filter.matcher", "changefeed.event-filter.several"),
    ),
    Setting(
        "sink.dispatchers",
        "none",
        RULES,
        "Where the tables that `matcher` names go: `topic`, and `partition` with `columns` or "
        "`index`; the first rule that fits decides.",
        ("changefeed.topic.first-rule", "changefeed.partition.default"),
    ),
    Setting(
        "sink.kafka-config.output-raw-change-event",
        "false",
        FLAG,
        "Leave updates of unique keys whole, where the sink would split them.",
    ),
    Setting(
        "ddl-rules",
        "code",
        "code | document",
        "Ours: which DDL is sent, by TiCDC's code or by the table of its document.",
        ("changefeed.ddl.allow-list",),
    ),
    Setting(
        "changefeed",
        "none",
        "text",
        "Ours: the text of a whole changefeed file; single settings beside it win.",
    ),
)
