r"""Table filter rules: which tables a list of patterns covers.

| written | matches |
| --- | --- |
| `*` `?` `[a-z]` `[!a-z]` | any text, one character, one of these, none of these |
| `\x` | the character x, which must be neither letter nor digit |
| `"t"` `` `t` `` | just this name; the quote itself is doubled |
| `/regex/` | any name in which the Go regular expression is found |
| `!` before a rule | tables that are not covered |
| `#` before a rule, or nothing | no rule at all |
| `@file` | refused: TiCDC reads a file of its own host there |

The last rule that fits a table decides, and without one the table is not covered. A schema is
covered by the last rule that fits it and either covers some tables or excludes them all (`*`).

Source: TiDB pkg/util/table-filter parser.go, matchers.go, table_filter.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.sources.tidb.name_pattern import (
    INVALID,
    NamePattern,
    go_lower,
    parse_pattern,
    wrong_rule,
)
from harness.sources.tidb.refusal import ChangefeedError


@dataclass(frozen=True, slots=True)
class TableRule:
    """One rule: a pattern for the schema, one for the table, and whether it covers or excludes."""

    schema: NamePattern
    table: NamePattern
    positive: bool


@dataclass(frozen=True, slots=True)
class TableFilter:
    """A list of rules in the order in which they were written."""

    rules: tuple[TableRule, ...]
    ignore_case: bool = False

    def table(self, schema: str, table: str) -> bool:
        """Return whether a table is covered."""
        schema, table = self._cased(schema), self._cased(table)
        for rule in reversed(self.rules):
            if rule.schema.matches(schema) and rule.table.matches(table):
                return rule.positive
        return False

    def schema(self, schema: str) -> bool:
        """Return whether a schema is covered."""
        schema = self._cased(schema)
        for rule in reversed(self.rules):
            if rule.schema.matches(schema) and (rule.positive or rule.table.everything):
                return rule.positive
        return False

    def folded(self) -> TableFilter:
        """Return the filter that ignores the case of letters."""
        return TableFilter(tuple(map(_lowered, self.rules)), ignore_case=True)

    def _cased(self, name: str) -> str:
        return go_lower(name) if self.ignore_case else name


def parse_rules(rules: Sequence[str], *, case_sensitive: bool) -> TableFilter:
    """Return the filter of a list of rules; ChangefeedError names the first one that is wrong."""
    parsed: list[TableRule] = []
    for number, text in enumerate(rules):
        try:
            rule = _rule(text)
        except ChangefeedError as refusal:
            raise refusal.under(number) from None
        if rule is not None:
            parsed.append(rule if case_sensitive else _lowered(rule))
    return TableFilter(tuple(parsed), ignore_case=not case_sensitive)


def _lowered(rule: TableRule) -> TableRule:
    return TableRule(rule.schema.lowered(), rule.table.lowered(), rule.positive)


def _rule(text: str) -> TableRule | None:
    line = text.strip(" \t")
    if not line or line[0] == "#":
        return None
    if line[0] == "@":
        raise ChangefeedError(
            INVALID,
            f"the rule {text!r} reads further rules from a file of TiCDC's own host",
            expected="the rules themselves",
            hint="copy the file's lines into the list",
        )
    start = 1 if line[0] == "!" else 0
    schema, at = parse_pattern(line, start)
    if at == len(line):
        raise wrong_rule(line, at, "it names no table", "`schema.table`, for instance `shop.*`")
    if line[at] != ".":
        raise wrong_rule(line, at, f"unexpected {line[at]!r}", "a dot between schema and table")
    table, at = parse_pattern(line, at + 1)
    if at != len(line):
        hint = 'a dot inside a name needs quotes: `shop."a.b"`' if line[at] == "." else ""
        raise wrong_rule(line, at, f"unexpected {line[at:]!r}", "the end of the rule", hint)
    return TableRule(schema, table, positive=start == 0)
