"""A change log of any length over one table of bounded size, made while it is read.

Ten columns; each transaction inserts new rows or updates rows that are there, so that the table
stops growing after its first `ROWS` events and all later events are updates.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.model.change import Change, DdlRun, Op, Resolve, RowChanged, Transaction
from harness.model.table import TableId
from harness.model.values import Row

DATABASE = "shop"
TABLE = TableId(DATABASE, "orders")
DDL = """
CREATE TABLE shop.orders (
  id BIGINT PRIMARY KEY, user_id BIGINT UNSIGNED NOT NULL, status TINYINT, buyer VARCHAR(40),
  email VARCHAR(80), price DECIMAL(12, 2), score DOUBLE, made DATETIME(6), day DATE, note TEXT
)
"""
ROWS = 4096
ROWS_A_TRANSACTION = 16
TRANSACTIONS_A_MARK = 64


def change_log(events: int, rows: int = ROWS) -> Iterator[Change]:
    """Yield a table's creation and `events` row changes with a resolved event now and then.

    The first `rows` of them are inserts, all later ones updates.
    """
    yield DdlRun(DDL, DATABASE, 1)
    now: list[Row] = []
    done = 0
    while done < events:
        changes: list[RowChanged] = []
        for number in range(done, min(done + ROWS_A_TRANSACTION, events)):
            key = number % rows
            row = order(key, number)
            if key < len(now):
                changes.append(RowChanged(Op.UPDATE, TABLE, now[key], row, 2))
                now[key] = row
            else:
                changes.append(RowChanged(Op.INSERT, TABLE, None, row, 2))
                now.append(row)
        done += len(changes)
        transaction = done // ROWS_A_TRANSACTION
        yield Transaction(f"t{transaction}", tuple(changes), 2)
        if transaction % TRANSACTIONS_A_MARK == 0:
            yield Resolve(3)


def order(key: int, number: int) -> Row:
    """Return a row of the bench's table, as its `number`th version."""
    return (
        1_000_000_007 + key,
        number % 5000,
        number % 4,
        f"Ada Lovelace {number % 1000}",
        f"ada.lovelace.{number}@example.org",
        f"{number % 9999}.50",
        number / 8,
        f"2024-02-29 12:34:56.{number % 1_000_000:06}",
        "2024-02-29",
        "leave it with the neighbour, please" if number % 3 else None,
    )
