"""Table filter rules: what they cover, and what is said about those that do not parse."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.sources.tidb.name_pattern import go_lower
from harness.sources.tidb.refusal import ChangefeedError
from harness.sources.tidb.table_filter import parse_rules

# Rules, a table, and whether it is covered.
COVERED: list[tuple[list[str], str, str, bool]] = [
    (["*.*"], "test", "t1", True),
    ([], "test", "t1", False),
    ([""], "test", "t1", False),
    (["  # test.*"], "test", "t1", False),
    ([" \ttest.t1\t "], "test", "t1", True),
    (["test.t?"], "test", "t12", False),
    (["test.t*"], "test", "t12", True),
    (["test.t[12]"], "test", "t2", True),
    (["test.t[!12]"], "test", "t2", False),
    (["test.t[^1]"], "test", "t^", True),
    (["test.t[^1]"], "test", "t2", False),
    (["test.t[a-c]"], "test", "tb", True),
    ([r"test.t[\]x]"], "test", "t]", True),
    ([r"test.t\-1"], "test", "t-1", True),
    (['"te""st"."t.1"'], 'te"st', "t.1", True),
    (["`te``st`.`t*`"], "te`st", "t1", False),
    (["`te``st`.`t*`"], "te`st", "t*", True),
    ([r"/^te.*$/./^t\d$/"], "test", "t1", True),
    ([r"/^te.*$/./^t\d$/"], "test", "t12", False),
    ([r"/t\/s/.*"], "at/sb", "x", True),
    (["*.*", "!test.t1"], "test", "t1", False),
    (["!test.t1", "*.*"], "test", "t1", True),
    (["!test.t1"], "test", "t2", False),
    (["测*.表?"], "测试", "表1", True),
    (["te$t.a_b$"], "te$t", "a_b$", True),
    ([".t"], "", "t", True),
]


@pytest.mark.parametrize(("rules", "schema", "table", "covered"), COVERED)
def test_tables(rules: list[str], schema: str, table: str, *, covered: bool) -> None:
    """The last rule that fits a table decides, and no rule covers nothing."""
    assert parse_rules(rules, case_sensitive=True).table(schema, table) is covered


SCHEMAS: list[tuple[list[str], bool]] = [
    (["test.t1"], True),
    (["*.*", "!test.t1"], True),
    (["*.*", "!test.*"], False),
    (["*.*", "!test./.*/"], True),
    (["!test.*", "test.t1"], True),
    (["other.*"], False),
]


@pytest.mark.parametrize(("rules", "covered"), SCHEMAS)
def test_schemas(rules: list[str], *, covered: bool) -> None:
    """A schema is covered unless the last rule about it leaves out every table by `*`."""
    assert parse_rules(rules, case_sensitive=True).schema("test") is covered


CASES: list[tuple[str, bool, bool]] = [
    ("TEST.t1", False, True),
    ("TEST.t1", True, False),
    ("te*.T[0-9]", False, True),
    ("/^TEST$/.*", False, True),
    ("/^TEST$/.*", True, False),
    ("`Test`.`T1`", False, True),
]


@pytest.mark.parametrize(("rule", "case_sensitive", "covered"), CASES)
def test_case(rule: str, *, case_sensitive: bool, covered: bool) -> None:
    """Without case-sensitivity, names and all kinds of patterns are compared in lower case."""
    assert parse_rules([rule], case_sensitive=case_sensitive).table("test", "t1") is covered


REFUSED: list[tuple[str, str]] = [
    ("a.b.c", "character 4: unexpected '.c'"),
    ("test", "character 5: it names no table"),
    ("@file", "reads further rules from a file"),
    ("/(/.x", "character 1: invalid pattern: missing )"),
    (r"/a(?=b)/.x", "invalid pattern"),
    (r"/(a)\1/.x", "invalid pattern"),
    ("/x.y", "character 1: the regular expression has no end"),
    ('"".x', "character 1: the quoted name is empty or has no end"),
    ("a.`b", "character 3: the quoted name is empty or has no end"),
    ("x y.z", "character 2: unexpected special character ' '"),
    ("a-b.c", "character 2: unexpected special character '-'"),
    ("`a`b.c", "character 4: unexpected 'b'"),
    ("a.", "character 3: a pattern is missing"),
    ("!", "character 2: a pattern is missing"),
    ("a.[]", "character 3: the character class does not parse"),
    ("a.[z-a]", "character 3: invalid pattern"),
    ("a.b\\", "character 4: a backslash stands at the end"),
    (r"a.\n", "character 3: \\n is reserved"),
]


@pytest.mark.parametrize(("rule", "said"), REFUSED)
def test_refusals(rule: str, said: str) -> None:
    """A rule that does not parse is refused with its number, the character, and what should be."""
    with pytest.raises(ChangefeedError) as refusal:
        parse_rules(["*.*", rule], case_sensitive=False)
    assert said in refusal.value.what
    assert refusal.value.code == "ErrFilterRuleInvalid"
    assert refusal.value.path == (1,)
    assert refusal.value.expected


@given(st.text(), st.text())
def test_quoted_names_match_themselves(schema: str, table: str) -> None:
    """Any name in quotes, its own quotes doubled, matches that name and no other."""
    rule = "`{}`.`{}`".format((schema or "s").replace("`", "``"), (table or "t").replace("`", "``"))
    found = parse_rules([rule], case_sensitive=True)
    assert found.table(schema or "s", table or "t")
    assert not found.table(schema or "s", (table or "t") + "x")


@given(st.text())
def test_any_rule_parses_or_is_refused(rule: str) -> None:
    """A rule is refused as such or read, and a covered table's schema is covered too."""
    with suppress(ChangefeedError):
        found = parse_rules([rule], case_sensitive=False)
        assert found.table("a", "b") <= found.schema("a")


@given(st.text())
def test_lower_case_keeps_the_length(text: str) -> None:
    """Lower case is made character by character, as Go makes it."""
    assert len(go_lower(text)) == len(text)
    assert go_lower("\u0391\u03a3") == "\u03b1\u03c3"
