"""No stream of the catalogue breaks a MUST in force, and a step that makes one do so is refused."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from pathlib import Path

from harness.engine.plan.case import Emission, Plan, plan
from harness.engine.plan.stream_problems import stream_problems
from harness.scenario.expand import cases
from harness.scenario.load import load
from tests.changelogs import ddl, delete, insert, log, transaction, update
from tests.engine.deliver.deliveries import CHANGES, HEAD

DELIVERY = """\
  variant:
    - rebatch: {{events: 2}}
      {claim}
"""
SHAPES = """\
id: b
title: Columns come between rows
clauses: [avro.key.columns]
matrix: {protocol: [avro], partitions: [1, 2]}
databases: [shop]
settings: {avro: {sink.dispatchers: [{matcher: ["*.*"], partition: index-value}]}}
profiles: {dated: {avro: {enable-tidb-extension: true}}}
upstream:
  - ddl: CREATE TABLE shop.t (id INT PRIMARY KEY, v INT)
expect: {tables: {shop.t: []}}
"""
RENAMED = """\
id: c
title: A row without a key under another name of its column
clauses: [vitess.row.delete]
matrix: {protocol: [vitess]}
databases: [shop]
upstream:
  - ddl: CREATE TABLE shop.t (id INT, v INT)
expect: {tables: {shop.t: []}}
"""
WIDENED = """\
id: d
title: The key's column has another type between two versions of a row
clauses: [vitess.order.per-key]
matrix: {protocol: [vitess, debezium-mysql], partitions: [1, 4]}
databases: [shop]
profiles: {bare: {vitess: &bare {key.converter.schemas.enable: false}, debezium-mysql: *bare}}
upstream:
  - ddl: CREATE TABLE shop.t (id INT PRIMARY KEY, v INT)
expect: {tables: {shop.t: []}}
"""
ALLOWED = "allowed-by: {open: open.frame.batch}"
SEEN = "seen-in: https://github.com/pingcap/tiflow/issues/11823"


def plans(root: Path, claim: str, most: int) -> list[Plan]:
    """Return the plans of a scenario that rebatches to two events, `most` being allowed."""
    path = root / "a.yaml"
    text = HEAD.format(
        clause="open.batch.size",
        protocol="open",
        partitions=1,
        settings=f"{{open: {{max-batch-size: {most}}}}}",
        delivery=DELIVERY.format(claim=claim),
    )
    path.write_text(text, encoding="utf-8")
    known: dict[Hashable, Emission] = {}
    changes = log(*CHANGES)
    return [plan(case, changes, known) for case in cases(load(path, root))]


def test_a_step_that_breaks_a_clause_is_refused(tmp_path: Path) -> None:
    """The problem stands at the step and names the case, the fault, the clause and what to do."""
    (problem,) = stream_problems(plans(tmp_path, ALLOWED, 1))
    assert problem.location.line == 14
    assert problem.what.startswith(
        "a[open,p1,variant]: `rebatch` breaks `open.batch.size` under `max-batch-size: 1`: message "
    )
    assert problem.expected == "A message holds at most `max-batch-size` events, 16 by default."
    assert problem.hint.startswith("give `rebatch` other options, change the setting, or")


def test_a_step_that_keeps_its_clauses_is_taken(tmp_path: Path) -> None:
    """Where the setting allows two events, two are no problem."""
    assert not list(stream_problems(plans(tmp_path, ALLOWED, 3)))


def test_a_producer_that_breaks_a_clause_is_refused(tmp_path: Path) -> None:
    """What the upstream sends is held to the clauses too, once for all deliveries."""
    found = plans(tmp_path, ALLOWED, 3)
    narrowed = [replace(one, settings={**one.settings, "max-batch-size": 1}) for one in found]
    said = [problem.what for problem in stream_problems(narrowed)]
    assert said[0].startswith("a[open,p1]: what is sent breaks `open.batch.size` under `max-batch-")
    assert len([what for what in said if "what is sent" in what]) == 1


def test_what_was_seen_may_break_a_clause(tmp_path: Path) -> None:
    """A step with `seen-in` goes beyond the documents, and is not held to them."""
    assert not list(stream_problems(plans(tmp_path, SEEN, 1)))


def test_what_nobody_can_know_is_refused(tmp_path: Path) -> None:
    """Undated rows of two shapes in two partitions: whose columns are the last, nothing says."""
    path = tmp_path / "b.yaml"
    path.write_text(SHAPES, encoding="utf-8")
    changes = log(
        ddl("CREATE TABLE t (id INT PRIMARY KEY, v INT)", line=8),
        transaction(*(insert(n, n, line=9) for n in range(1, 9)), name="one", line=9),
        ddl("ALTER TABLE t ADD COLUMN w INT DEFAULT 7", line=10),
        transaction(*(insert(n, n, 7, line=11) for n in range(9, 17)), name="two", line=11),
    )
    found = {case.id: plan(case, changes) for case in cases(load(path, tmp_path))}
    said = {name: [one.what for one in stream_problems([p])] for name, p in found.items()}
    refused = said.pop("b[avro,p2]")
    assert len(refused) == 1
    assert "no consumer can know the tables: nothing says whose columns are the last" in refused[0]
    assert set(said) == {"b[avro,p1]", "b[avro,+dated,p1]", "b[avro,+dated,p2]"}
    assert not any(said.values())


def test_a_row_that_is_named_by_other_columns_is_refused(tmp_path: Path) -> None:
    """A column was renamed, the wire does not say so, and a row without a key is removed."""
    path = tmp_path / "c.yaml"
    path.write_text(RENAMED, encoding="utf-8")
    changes = log(
        ddl("CREATE TABLE t (id INT, v INT)", line=8),
        transaction(insert(1, 1, line=9), insert(2, 2, line=9), name="one", line=9),
        ddl("ALTER TABLE t RENAME COLUMN v TO w", line=10),
        transaction(delete(1, 1, line=11), name="two", line=11),
    )
    (case,) = cases(load(path, tmp_path))
    (problem,) = stream_problems([plan(case, changes)])
    assert "names a row without v, which insert shop.t" in problem.what
    kept = log(*(change for number, change in enumerate(changes.changes) if number != 2))
    assert not list(stream_problems([plan(case, kept)]))


def test_a_row_whose_key_has_another_schema_is_refused_where_it_moves(tmp_path: Path) -> None:
    """The bytes of a key hold its schema: over several partitions a widened key's row is apart."""
    path = tmp_path / "d.yaml"
    path.write_text(WIDENED, encoding="utf-8")
    changes = log(
        ddl("CREATE TABLE t (id INT PRIMARY KEY, v INT)", line=8),
        transaction(*(insert(n, 1, line=9) for n in range(1, 9)), name="one", line=9),
        ddl("ALTER TABLE t MODIFY COLUMN id BIGINT", line=10),
        transaction(*(update((n, 1), (n, 2), line=11) for n in range(1, 9)), name="two", line=11),
    )
    found = {case.id: plan(case, changes) for case in cases(load(path, tmp_path))}
    said = {name: [one.what for one in stream_problems([p])] for name, p in found.items()}
    for protocol in ("vitess", "debezium-mysql"):
        (refused,) = said.pop(f"d[{protocol},p4]")
        assert "no consumer can know the tables: update shop.t" in refused
        assert "has a key of another schema than insert shop.t" in refused
    assert len(said) == 6
    assert not any(said.values())


def test_a_key_with_a_column_that_an_older_row_lacks_is_refused(tmp_path: Path) -> None:
    """A column of the key was renamed, and nothing says which row of before has which key now."""
    path = tmp_path / "d.yaml"
    path.write_text(WIDENED, encoding="utf-8")
    changes = log(
        ddl("CREATE TABLE t (id INT PRIMARY KEY, v INT)", line=8),
        transaction(insert(1, 1, line=9), insert(2, 2, line=9), name="one", line=9),
        ddl("ALTER TABLE t RENAME COLUMN id TO num", line=10),
        transaction(update((1, 1), (1, 9), line=11), name="two", line=11),
    )
    gone = log(
        *changes.changes[:2],
        transaction(delete(1, 1, line=9), delete(2, 2, line=9), name="gone", line=9),
        changes.changes[2],
        transaction(insert(1, 1, line=11), name="two", line=11),
    )
    for case in cases(load(path, tmp_path)):
        (problem,) = stream_problems([plan(case, changes)])
        lacks, apart = "num, which insert shop.t id=", "other columns than insert shop.t id="
        assert f"is found by {lacks if case.partitions == 1 else apart}" in problem.what
        assert not list(stream_problems([plan(case, gone)]))
