"""`filter.rules`: patterns, their order, the case of letters, schemas that are never replicated."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from harness.mutants.producers.changefeed.edits import settings
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, constant, patch, result
from harness.sources.tidb.change_filter import SYSTEM_SCHEMAS, ChangeFilter
from harness.sources.tidb.changefeed import Changefeed
from harness.sources.tidb.name_pattern import NamePattern
from harness.sources.tidb.regexes import GoRegex, go_regex
from harness.sources.tidb.table_filter import TableFilter, TableRule

TABLES: Final = "harness.sources.tidb.table_filter:TableFilter"
# The schemas of tools, and the clause that is about each; those of TiDB itself take no tables
# from scenarios.
TOOLS: Final = {
    "dm_heartbeat": "changefeed.rules.all",
    "lightning_task_info": "changefeed.rules.system-schemas",
    "tidb_cdc": "changefeed.rules.system-schemas",
    "workload_schema": "changefeed.rules.workload-schema",
}
PATTERN: Final = "harness.sources.tidb.name_pattern:parse_pattern"


def _rules(change: Callable[[tuple[TableRule, ...]], Sequence[TableRule]]) -> Patch:
    """Return the patch that changes the rules of `filter.rules`."""

    def changed(feed: Changefeed) -> dict[str, object]:
        tables = replace(feed.filters.tables, rules=tuple(change(feed.filters.tables.rules)))
        return {"filters": replace(feed.filters, tables=tables)}

    return settings(changed)


def _covering(change: Callable[[bool, TableFilter, str, str], bool]) -> Patch:
    """Return the patch that changes which tables rules cover."""

    def changed(original: Callable[..., bool]) -> Callable[..., bool]:
        return lambda rules, schema, table: change(
            original(rules, schema, table), rules, schema, table
        )

    return patch(f"{TABLES}.table", changed)


def _listed(found: bool, rules: TableFilter, schema: str, table: str) -> bool:  # noqa: FBT001
    """Cover what no rule matches, in databases that a rule names."""
    named = [rule for rule in rules.rules if rule.schema.matches(schema)]
    known = any(rule.table.matches(table) for rule in named)
    return found or bool(named and not known)


def _patterns(change: Callable[[str, NamePattern], NamePattern]) -> Patch:
    """Return the patch that changes the patterns of rules, by what was written."""

    def changed(original: Callable[..., Any]) -> Callable[..., Any]:
        def parse(line: str, at: int) -> tuple[NamePattern, int]:
            found, end = original(line, at)
            return change(line[at:end], found), end

        return parse

    return patch(PATTERN, changed)


def _regex(change: Callable[[str], str], sign: str) -> Patch:
    """Return the patch that changes what a wildcard pattern with a sign means."""

    def changed(written: str, found: NamePattern) -> NamePattern:
        if found.regex is None or sign not in written or written.startswith("/"):
            return found
        return NamePattern(regex=go_regex(change(found.regex.pattern)))

    return _patterns(changed)


def _literal(written: str, found: NamePattern) -> NamePattern:
    """Take a wildcard for a plain character."""
    return NamePattern(literal=written) if "*" in written and len(written) > 1 else found


def _literal_regex(written: str, found: NamePattern) -> NamePattern:
    if not written.startswith("/"):
        return found
    return NamePattern(literal=written.strip("/"))


def _literal_database(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a `parse_pattern` to which a regular expression for databases is a name."""

    def parse(line: str, at: int) -> tuple[NamePattern, int]:
        found, end = original(line, at)
        return (found if at else _literal_regex(line[:end], found)), end

    return parse


def _anchored(written: str, found: NamePattern) -> NamePattern:
    """Take a regular expression for one over the whole name."""
    if not written.startswith("/") or found.regex is None:
        return found
    return NamePattern(regex=go_regex(f"^(?:{found.regex.pattern})$"))


def _unquoted(quote: str, written: str, found: NamePattern) -> NamePattern:
    """Read a name in these quotes as a pattern."""
    if written[:1] != quote:
        return found
    inside = re.escape(written[1:-1]).replace(r"\*", ".*").replace(r"\?", ".")
    return NamePattern(regex=GoRegex(f"^{inside}$"))


def _quoted_database(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a `parse_pattern` to which a name in backquotes for databases is a pattern."""

    def parse(line: str, at: int) -> tuple[NamePattern, int]:
        found, end = original(line, at)
        return (found if at else _unquoted("`", line[:end], found)), end

    return parse


def _system(name: str) -> WrongProducer:
    return WrongProducer(
        f"feed-replicates-{name.replace('_', '-')}",
        TOOLS[name],
        f"It replicates `{name}`.",
        constant("harness.sources.tidb.change_filter:SYSTEM_SCHEMAS", SYSTEM_SCHEMAS - {name}),
    )


def _first_wins(rules: Sequence[TableRule]) -> Sequence[TableRule]:
    return rules[::-1]


def _cased(*, sensitive: bool) -> Patch:
    """Return the patch that reads `filter.rules` with or without the case of letters."""

    def changed(original: Callable[..., ChangeFilter]) -> Callable[..., ChangeFilter]:
        return lambda given, **named: original(given, **{**named, "case_sensitive": sensitive})

    return patch("harness.sources.tidb.changefeed:_filters", changed)


def _nothing_is_everything(found: TableFilter) -> TableFilter:
    """Let a list of empty rules stand for no list."""
    every = TableRule(NamePattern(), NamePattern(), positive=True)
    return found if found.rules else replace(found, rules=(every,))


ROWS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "feed-no-rules-no-tables",
        "changefeed.rules.empty",
        "It replicates nothing without rules.",
        constant("harness.sources.tidb.change_filter:EVERY_TABLE", ("",)),
    ),
    WrongProducer(
        "feed-every-table-is-none",
        "changefeed.rules.all",
        "It replicates nothing under `*.*`.",
        _rules(
            lambda rules: [
                one for one in rules if not (one.schema.everything and one.table.everything)
            ]
        ),
    ),
    WrongProducer(
        "feed-all-means-system-schemas",
        "changefeed.rules.all",
        "It replicates system schemas under `*.*`.",
        constant("harness.sources.tidb.change_filter:SYSTEM_SCHEMAS", frozenset[str]()),
    ),
    *map(_system, TOOLS),
    WrongProducer(
        "feed-negation-ignored",
        "changefeed.rules.negation",
        "It passes over rules that begin with `!`.",
        _rules(lambda rules: [one for one in rules if one.positive]),
    ),
    WrongProducer(
        "feed-negation-covers",
        "changefeed.rules.negation",
        "It reads a rule that begins with `!` as if nothing stood before it.",
        _rules(lambda rules: [replace(one, positive=True) for one in rules]),
    ),
    WrongProducer(
        "feed-exclusions-are-final",
        "changefeed.rules.negation",
        "It lets no rule include again what one that begins with `!` excludes.",
        _rules(lambda rules: sorted(rules, key=lambda one: not one.positive)),
    ),
    WrongProducer(
        "feed-unlisted-tables-sent",
        "changefeed.rules.listed",
        "It replicates a table that no rule matches.",
        _covering(_listed),
    ),
    WrongProducer(
        "feed-first-rule-wins",
        "changefeed.rules.last-wins",
        "It lets the first rule that matches decide.",
        _rules(_first_wins),
    ),
    WrongProducer(
        "feed-star-is-a-character",
        "changefeed.rules.wildcards",
        "It takes `*` within a name for that character.",
        _patterns(_literal),
    ),
    WrongProducer(
        "feed-star-asks-for-a-character",
        "changefeed.rules.wildcards",
        "It asks for at least one character where `*` stands.",
        _regex(lambda pattern: pattern.replace(".*", ".+"), "*"),
    ),
    WrongProducer(
        "feed-question-mark-matches-nothing",
        "changefeed.rules.wildcards",
        "It lets `?` match any number of characters.",
        _regex(lambda pattern: pattern.replace(".", ".*"), "?"),
    ),
    WrongProducer(
        "feed-question-mark-is-optional",
        "changefeed.rules.wildcards",
        "It lets `?` match one character or none.",
        _regex(lambda pattern: pattern.replace(".", ".?"), "?"),
    ),
    WrongProducer(
        "feed-classes-are-open",
        "changefeed.rules.wildcards",
        "It lets a class in brackets match any character.",
        _regex(lambda pattern: re.sub(r"\[.*?\]", ".", pattern), "["),
    ),
    WrongProducer(
        "feed-classes-match-several",
        "changefeed.rules.wildcards",
        "It lets a class in brackets match several of its characters.",
        _regex(lambda pattern: re.sub(r"(\[.*?\])", r"\1+", pattern), "["),
    ),
    WrongProducer(
        "feed-class-negation-ignored",
        "changefeed.rules.wildcards",
        "It passes over `!` in a class.",
        _regex(lambda pattern: pattern.replace("[^", "["), "[!"),
    ),
    WrongProducer(
        "feed-regex-is-a-name",
        "changefeed.rules.regex",
        "It takes the text between slashes for a name.",
        _patterns(_literal_regex),
    ),
    WrongProducer(
        "feed-database-regex-is-a-name",
        "changefeed.rules.regex",
        "It takes the text between slashes for a name where it stands for databases.",
        patch(PATTERN, _literal_database),
    ),
    WrongProducer(
        "feed-regex-of-the-whole-name",
        "changefeed.rules.regex",
        "It asks a regular expression to match the whole name.",
        _patterns(_anchored),
    ),
    WrongProducer(
        "feed-quoted-is-a-pattern",
        "changefeed.rules.quoted",
        "It reads a name in double quotes as a pattern.",
        _patterns(partial(_unquoted, '"')),
    ),
    WrongProducer(
        "feed-backquoted-is-a-pattern",
        "changefeed.rules.quoted",
        "It reads a name in backquotes as a pattern.",
        _patterns(partial(_unquoted, "`")),
    ),
    WrongProducer(
        "feed-quoted-database-is-a-pattern",
        "changefeed.rules.quoted",
        "It reads a name in backquotes as a pattern where it stands for databases.",
        patch(PATTERN, _quoted_database),
    ),
    WrongProducer(
        "feed-empty-rule-is-every-table",
        "changefeed.rules.empty",
        "It reads a list of empty rules as no list.",
        result("harness.sources.tidb.changefeed:parse_rules", _nothing_is_everything),
    ),
    WrongProducer(
        "feed-rules-mind-the-case",
        "changefeed.rules.case",
        "It minds the case of letters in rules without `case-sensitive`.",
        _cased(sensitive=True),
    ),
    WrongProducer(
        "feed-case-sensitive-ignored",
        "changefeed.rules.case",
        "It ignores `case-sensitive`.",
        _cased(sensitive=False),
    ),
)
