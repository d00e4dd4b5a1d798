"""What a MariaDB connector sent for a scenario is cut out whole, and held against itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.oracles.compare import Message, Rules, compare
from harness.oracles.freedoms import LOG_POSITION, REASONS
from harness.oracles.mariadb.freedoms import CollectionOrder, LogPosition, inconsistent
from harness.oracles.mariadb.lock import VERSION
from harness.oracles.mariadb.reasons import KNOWN
from harness.oracles.mariadb.records import by_transaction, of_scenario
from harness.oracles.mariadb.statements import Execution, Ran
from harness.oracles.reasons import reason

# Number 4 made the database; 7 is a marker row.
EXECUTION = Execution(["0-1-4"], [Ran(0, ["CREATE"], "0-1-5"), Ran(1, ["INSERT"], "0-1-6")])


def row(gtid: str, pos: int, number: int = 0, topic: str = "m.shop.t") -> Message:
    """Return a row's record as the connector writes its source block."""
    value = (
        f'{{"source":{{"gtid":"{gtid}","file":"binlog.000001","pos":{pos},"row":{number},'
        '"thread":null}}'
    )
    return Message(topic, 0, b"{}", value.encode())


def cut(*messages: Message) -> list[Message]:
    """Return what belongs to the execution."""
    return list(of_scenario(by_transaction(messages), "m", EXECUTION))


def boundary(gtid: str) -> Message:
    """Return a transaction's beginning, whose key has its id too."""
    text = f'{{"id":"{gtid}"}}'.encode()
    return Message("m.transaction", 0, text, text)


def test_transactions_are_counted_from_the_scenarios_first() -> None:
    """Keys and values have the numbers that our encoder gives them."""
    assert cut(row("0-1-6", -40)) == [row("0-1-2", -40)]
    assert cut(boundary("0-1-5")) == [boundary("0-1-1")]


def test_what_is_not_the_scenarios_is_left_out() -> None:
    """The creation of databases, marker rows and what follows them belong to no scenario."""
    marker = row("0-1-7", -38, topic="m.zz_harness_oracle_marks.marks")
    assert cut(boundary("0-1-4"), marker, boundary("0-1-7"), row("0-1-4", 9, topic="m")) == []


def test_a_tombstone_has_no_number_and_stays() -> None:
    """A record without a value is of the transaction that the one before it is of."""
    tombstone = Message("m.shop.t", 0, b"{}", None)
    assert cut(row("0-1-6", -40), tombstone) == [row("0-1-2", -40), tombstone]
    assert cut(row("0-1-7", -40), tombstone) == []
    assert cut(row("0-1-6", -40), replace(tombstone, partition=1)) == [row("0-1-2", -40)]


def test_an_execution_that_logged_nothing_has_no_transactions() -> None:
    """Nothing of a later scenario counts as its own."""
    empty = Execution(["0-1-4"], [Ran(0, ["COMMIT"], "")])
    assert list(of_scenario(by_transaction([boundary("0-1-5")]), "m", empty)) == []


def test_a_log_position_is_free_and_nothing_beside_it() -> None:
    """Theirs is taken for file and position; another row or GTID stays a difference."""
    rules = Rules((LogPosition(),))
    found = compare([row("0-1-2", 0)], [row("0-1-2", -40)], rules)
    assert (found.differences, found.freedoms) == ([], {LOG_POSITION})
    assert compare([row("0-1-2", 0)], [row("0-1-3", -40)], rules).differences
    assert compare([row("0-1-2", 0, 1)], [row("0-1-2", -40, 2)], rules).differences
    assert LogPosition().name in REASONS


def end(*tables: str) -> Message:
    """Return a transaction's end with a count for each table."""
    listed = ",".join(f'{{"data_collection":"{one}","event_count":1}}' for one in tables)
    return Message("m.transaction", 0, b"", f'{{"data_collections":[{listed}],"ts_ms":1}}'.encode())


def test_tables_are_in_the_order_of_some_hash_map() -> None:
    """The map may be larger than ours; another order than a map's, and another table, differ."""
    rules = Rules((CollectionOrder(),))
    ours = end("test.ignored", "test.t2", "test.t1")
    assert not compare([ours], [end("test.t2", "test.t1", "test.ignored")], rules).differences
    assert compare([ours], [end("test.t1", "test.t2", "test.ignored")], rules).differences
    assert compare([ours], [end("test.t2", "test.t1", "test.other")], rules).differences


@pytest.mark.parametrize(
    ("before", "now", "why"),
    [
        (("0-1-3", -40), ("0-1-2", -40), "a GTID that does not fall"),
        (("0-1-3", -40), ("0-1-3", -41, 1), "one position for all rows"),
        (("0-1-3", -40), ("0-1-3", -40, 2), "without a gap"),
        (("0-1-3", 900), ("0-1-4", 800), "a position that does not fall"),
    ],
)
def test_positions_that_contradict_each_other(
    before: tuple[str, int], now: tuple[str, int], why: str
) -> None:
    """What is free in each record alone must fit those before it."""
    (found,) = inconsistent([row(*before), row(*now)])
    assert why in found.ours
    assert found.number == 1


def test_positions_of_right_streams_fit() -> None:
    """A change of a key is two records of one row; another event has a size of its own."""
    rows = [row("0-1-2", -40), row("0-1-2", -40, 1), row("0-1-2", -40, 1), row("0-1-2", -60)]
    assert not list(inconsistent(rows))
    assert not list(inconsistent([row("0-1-3", 800, 1), row("0-1-4", 900, 1)]))


def test_what_a_lock_does_not_keep_explains_nothing_else() -> None:
    """A document's order is known; another value of the same scenario is not."""
    written = 'mysql.types.j/0 #8 value: ours {"id":9,"j":"{1}"} | theirs {"id":9,"j":"{2}"}'
    found = "types.json-documents"
    assert reason(KNOWN, found, VERSION, (written, "and 2 more"))
    assert not reason(KNOWN, found, VERSION, (written, "mysql.t/0 #1 value: ours 1 | theirs 2"))
    assert not reason(KNOWN, "keys.pk-chain", VERSION, (written,))
