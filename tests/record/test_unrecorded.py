"""`check` says what SQL would fail at, before a database has run it, all mistakes at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.record.unrecorded import mistakes
from harness.scenario.load import load, load_all
from tests.tree import ROOT

SCENARIO = """\
id: wrong
title: Something is wrong
clauses: [open.row.insert]
matrix: {{protocol: [open], partitions: [1]}}
databases: [shop]
upstream:
  - ddl: CREATE TABLE shop.orders (id INT PRIMARY KEY, `my item` TEXT, n INT)
  - ddl: {ddl}
  - transaction:
      name: one
      sql: {sql}
expect: {{tables: {{{tables}}}}}
"""
SOUND = {
    "ddl": "ALTER TABLE shop.orders ADD COLUMN added INT",
    "sql": "INSERT INTO shop.orders VALUES (1, 'x', 2, 3)",
    "tables": "shop.orders: []",
}
# What takes the place of a sound part -> what is said, place and all.
MISTAKES = {
    "DDL over a column that is not there": (
        {"ddl": "ALTER TABLE shop.orders DROP COLUMN zz"},
        [
            (
                "wrong.yaml:8:39: Can't DROP 'zz'; check that column/key exists\n"
                "    expected: a column or index that there is: id, my item, n"
            )
        ],
    ),
    "rows of an unknown table": (
        {"sql": "DELETE FROM shop.order"},
        [
            (
                "wrong.yaml:11:12: there is no table `shop.order` at this step\n"
                "    expected: `shop.orders`\n"
                "    hint: did you mean `shop.orders`?"
            )
        ],
    ),
    "an unknown column of an INSERT": (
        {"sql": "INSERT INTO shop.orders (id, m) VALUES (1, 2)"},
        [
            (
                "wrong.yaml:11:12: `shop.orders` has no column `m`\n"
                "    expected: one of `id`, `my item`, `n`, `added`"
            )
        ],
    ),
    "unknown columns of an UPDATE": (
        {"sql": "UPDATE shop.orders SET nn = 1 WHERE zz = 2"},
        [
            (
                "wrong.yaml:11:12: `shop.orders` has no column `nn`\n"
                "    expected: one of `id`, `my item`, `n`, `added`\n"
                "    hint: did you mean `n`?"
            ),
            (
                "wrong.yaml:11:12: `shop.orders` has no column `zz`\n"
                "    expected: one of `id`, `my item`, `n`, `added`"
            ),
        ],
    ),
    "an unknown column in WHERE": (
        {"sql": "UPDATE shop.orders SET N = 1 WHERE aded = 2"},
        [
            (
                "wrong.yaml:11:12: `shop.orders` has no column `aded`\n"
                "    expected: one of `id`, `my item`, `n`, `added`\n"
                "    hint: did you mean `added`?"
            )
        ],
    ),
    "an expected table that nobody creates": (
        {"tables": "shop.oders: []"},
        [
            (
                "wrong.yaml:12:1: `expect.tables` names `shop.oders`, which no step creates\n"
                "    expected: `shop.orders`\n"
                "    hint: did you mean `shop.orders`?"
            )
        ],
    ),
    "an expected column that is not there": (
        {"tables": "shop.orders: [{id: 1, my item: x, n: 2, aded: 3}]"},
        [
            (
                "wrong.yaml:12:1: `shop.orders` has no column `aded`\n"
                "    expected: one of `id`, `my item`, `n`, `added`\n"
                "    hint: did you mean `added`?"
            )
        ],
    ),
    "two mistakes": (
        {"sql": "DELETE FROM shop.o", "tables": "shop.p: []"},
        [
            (
                "wrong.yaml:11:12: there is no table `shop.o` at this step\n"
                "    expected: `shop.orders`\n"
                "    hint: did you mean `shop.orders`?"
            ),
            (
                "wrong.yaml:12:1: `expect.tables` names `shop.p`, which no step creates\n"
                "    expected: `shop.orders`"
            ),
        ],
    ),
    "nothing": ({}, []),
    "a quoted name": ({"sql": "UPDATE shop.orders SET `my item` = 'y'"}, []),
    "a table of a query": (
        {"sql": "INSERT INTO shop.orders SELECT o.id + 1, o.n, 1, 2 FROM shop.orders AS o"},
        [],
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_told_before_a_recording(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each has its line, what was expected, and the nearest word where there is one."""
    changed, expected = MISTAKES[name]
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "wrong.yaml"
    path.write_text(SCENARIO.format(**(SOUND | changed)), encoding="utf-8")
    assert [str(one) for one in mistakes(load(path, tmp_path))] == expected


def test_the_catalogue_has_none() -> None:
    """What a database has run is never called a mistake."""
    scenarios = load_all(ROOT / "scenarios")
    assert [str(problem) for one in scenarios for problem in mistakes(one)] == []
