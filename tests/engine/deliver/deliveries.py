"""One scenario whose deliveries do everything that can be done to a run."""

from __future__ import annotations

from pathlib import Path

from harness.engine.plan.case import Plan, plan
from harness.model.change import Change
from harness.scenario.expand import cases
from harness.scenario.load import load
from tests.changelogs import ddl, delete, insert, log, transaction, update

HEAD = """\
id: a
title: Everything that can happen to a run
clauses: [{clause}]
matrix: {{protocol: [{protocol}], partitions: [{partitions}]}}
databases: [shop]
settings: {settings}
upstream:
  - ddl: CREATE TABLE shop.t (id INT PRIMARY KEY, v INT)
  - transaction: {{name: one, sql: "INSERT INTO shop.t VALUES (1, 1), (2, 2), (3, 3)"}}
  - transaction: {{name: two, sql: "UPDATE t SET v = 9 WHERE id = 1; DELETE FROM t WHERE id = 2"}}
  - transaction: {{name: three, sql: "INSERT INTO shop.t VALUES (4, 4), (5, 5)"}}
delivery:
{delivery}
expect:
  tables:
    shop.t: [{{id: 1, v: 9}}, {{id: 3, v: 3}}, {{id: 4, v: 4}}, {{id: 5, v: 5}}]
"""
CHANGES: tuple[Change, ...] = (
    ddl("CREATE TABLE t (id INT PRIMARY KEY, v INT)", line=8),
    transaction(*(insert(n, n, line=9) for n in (1, 2, 3)), name="one", line=9),
    transaction(update((1, 1), (1, 9), line=10), delete(2, 2, line=10), name="two", line=10),
    transaction(*(insert(n, n, line=11) for n in (4, 5)), name="three", line=11),
)
CLAUSE = {"open": "open.row.insert", "avro": "avro.delivery.at-least-once"}
SETTINGS = {
    "open": "{open: {sink.dispatchers: [{matcher: ['*.*'], partition: index-value}]}}",
    "avro": "{}",
}


def planned(root: Path, protocol: str, partitions: int, delivery: str) -> dict[str, Plan]:
    """Return the plans of the scenario with these deliveries, by the delivery's name."""
    path = root / "a.yaml"
    text = HEAD.format(
        clause=CLAUSE[protocol],
        protocol=protocol,
        partitions=partitions,
        settings=SETTINGS[protocol],
        delivery=delivery,
    )
    path.write_text(text, encoding="utf-8")
    found = {case.delivery or "plain": case for case in cases(load(path, root))}
    return {name: plan(case, log(*CHANGES)) for name, case in found.items()}
