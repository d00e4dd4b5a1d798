"""What a database has, as far as the wire carries it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from harness.engine.plan.case import plan
from harness.fuzz.oracle import differences
from harness.scenario.expand import cases
from harness.scenario.load import load
from tests.changelogs import T, ddl, insert, log, transaction

SCENARIO = """\
id: a.rows
title: Two rows that look alike
clauses: [vitess.key.primary-key]
matrix: {protocol: [vitess], partitions: [1]}
settings: {vitess: {column.include.list: shop.t.id}}
databases: [shop]
upstream:
  - ddl: CREATE TABLE shop.t (id INT, v INT)
  - transaction: {name: t1, sql: "INSERT INTO shop.t VALUES (1, 2), (1, 3)"}
expect: {tables: {shop.t: [{id: 1}, {id: 1}]}}
"""


def test_rows_that_differ_in_what_is_never_sent_are_counted_each(tmp_path: Path) -> None:
    """Two rows of the database that look alike on the wire are two rows there."""
    file = tmp_path / "a" / "rows.yaml"
    file.parent.mkdir()
    file.write_text(SCENARIO)
    (one,) = cases(load(file, tmp_path))
    create = ddl("CREATE TABLE shop.t (id INT, v INT)")
    planned = plan(one, log(create, transaction(insert(1, 2), insert(1, 3))))
    assert not list(differences(planned, {T: Counter({(1, 2): 1, (1, 3): 1})}))
    (found,) = differences(planned, {T: Counter({(1, 2): 1})})
    assert "the protocol's fold has" in found
