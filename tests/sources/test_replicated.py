"""Which DDL is sent: the vendor's own decisions, and the rule in a few statements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from harness.ddl import is_ddl
from harness.errors import StepError
from harness.sources.tidb.changefeed import Changefeed
from tests.changelogs import SCHEMA, ddl, ddl_of, feed, log, mount
from tests.vectors import Vector, full_truth, lines

ALL = full_truth()
# One RENAME TABLE that swaps two names: TiCDC's changefeed fails on it, ours sends it; and the next
# vector, which builds on what did not happen. ANSI quotes are a session's business.
KNOWN = {"ddl_rename/5/open", "ddl_rename/6/open", "ddl_sqlmode_ansi/2/open"}

Sent = list[tuple[int, str, str, str]]


def sent(setup: list[str], statement: str, to: Changefeed, schema: str = SCHEMA) -> Sent | None:
    """Return type, text, schema and table of what the last statement sends; None for an error."""
    before = [sql for sql in setup if is_ddl(sql)]
    changes = [ddl(sql) for sql in (*before, statement)]
    steps = [type(step)(step.sql, schema, step.line) for step in changes]
    try:
        events = mount(log(*steps), to, (schema,), end_resolved=False)
    except StepError:
        return None
    return [
        (event.type, event.query, event.schema, event.table)
        for event in ddl_of(events)
        if event.origin.step == len(before)
    ]


def wrong(vector: Vector, statement: str, to: Changefeed, theirs: Sent | None) -> Iterator[str]:
    """Yield what is wrong with what we send for a vector's statement."""
    setup = [*(vector["pre_sql"] or ()), *(vector["setup_sql"] or ())]
    ours = sent(setup, statement, to, "test")
    if ours != theirs and vector["id"] not in KNOWN:
        yield f"{vector['id']}: {ours}, not {theirs}"


def described(events: list[dict[str, Any]], *names: str) -> Sent:
    """Return the named members of a vector's DDL events."""
    return [tuple(event[name] for name in names) for event in events]


@pytest.mark.skipif(ALL is None, reason="CDC_TRUTH_DIR does not name the vectors")
def test_all_eligibility_vectors() -> None:
    """For every statement over tables with and without a valid index we decide as TiCDC does."""
    assert ALL is not None
    for vector in lines(ALL / "ddl_eligibility.jsonl"):
        to = feed(force_replicate=vector["filter_config"].get("force-replicate", False))
        theirs = described(vector["sent"], "t", "q", "scm", "tbl")
        failed = vector["expected"] == "error"
        assert list(wrong(vector, vector["ddl"], to, None if failed else theirs)) == []


@pytest.mark.skipif(ALL is None, reason="CDC_TRUTH_DIR does not name the vectors")
@pytest.mark.parametrize("name", ["open_ddl", "open_dml", "open_keys", "open_seed_example"])
def test_all_ddl_vectors(name: str) -> None:
    """For every DDL of the vectors we send the vendor's types, texts and names, or nothing."""
    assert ALL is not None
    vectors = [vector for vector in lines(ALL / f"{name}.jsonl") if vector.get("kind") == "ddl"]
    assert vectors
    for vector in vectors:
        theirs = described(vector["ddl_events"], "type", "sent_query", "scm", "tbl")
        failed = any("puller_error" in job for job in vector["jobs"])
        forced = "force" in vector["id"] and "force_false" not in vector["id"]
        to = feed(force_replicate=forced)
        assert list(wrong(vector, vector["sql"], to, None if failed else theirs)) == []


KEYED = ["CREATE TABLE t (id INT PRIMARY KEY NONCLUSTERED, v INT)"]
KEYLESS = ["CREATE TABLE t (id INT NOT NULL, v INT)"]

# Setup, statement, texts sent without and with force-replicate; None where the changefeed stops.
RULES: list[tuple[list[str], str, list[str] | None, list[str] | None]] = [
    ([], KEYED[0], ["CREATE TABLE"], ["CREATE TABLE"]),
    ([], KEYLESS[0], [], ["CREATE TABLE"]),
    ([], "CREATE DATABASE other", ["CREATE DATABASE"], ["CREATE DATABASE"]),
    (KEYED, "ALTER TABLE t ADD COLUMN w INT", ["ALTER TABLE"], ["ALTER TABLE"]),
    (KEYLESS, "ALTER TABLE t ADD COLUMN w INT", [], ["ALTER TABLE"]),
    (KEYLESS, "ALTER TABLE t ADD UNIQUE (id)", ["ALTER TABLE"], ["ALTER TABLE"]),
    (KEYLESS, "ALTER TABLE t ADD UNIQUE (v)", [], ["ALTER TABLE"]),
    (KEYLESS, "DROP TABLE t", ["DROP TABLE"], ["DROP TABLE"]),
    (KEYED, "ALTER TABLE t DROP PRIMARY KEY", None, ["ALTER TABLE"]),
    (KEYED, "CREATE VIEW w AS SELECT id FROM t", ["CREATE"], ["CREATE"]),
    ([], "CREATE SEQUENCE s", [], []),
    (["CREATE SEQUENCE s"], "DROP SEQUENCE s", [], []),
    (KEYED, "ALTER TABLE t CACHE", [], []),
]


@pytest.mark.parametrize(("setup", "statement", "plain", "forced"), RULES)
def test_rule(
    setup: list[str], statement: str, plain: list[str] | None, forced: list[str] | None
) -> None:
    """A table without a valid index is sent only by force; losing the last one stops the feed."""
    for to, expected in ((feed(), plain), (feed(force_replicate=True), forced)):
        events = sent(setup, statement, to)
        texts = None if events is None else [query for _, query, _, _ in events]
        if texts is None or expected is None:
            assert texts == expected
        else:
            assert len(texts) == len(expected)
            assert all(text.startswith(start) for text, start in zip(texts, expected, strict=True))


def test_the_reason_is_reported() -> None:
    """An author who takes the last valid index away reads which table, which line, what to do."""
    with pytest.raises(StepError, match=r"the last valid index from shop\.t") as refusal:
        mount(log(ddl(KEYED[0]), ddl("ALTER TABLE t DROP PRIMARY KEY", line=7)), feed(), (SCHEMA,))
    assert refusal.value.line == 7
    assert "force-replicate" in refusal.value.hint
