"""A table of the upstream is a case's truth, and nobody answers for what topics do not hold."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.ddl import Catalogue
from harness.engine.run.declared import NOTHING_DECLARED, Declared
from harness.engine.run.external_topics.document import LiveFile, read_live
from harness.engine.run.external_topics.judged import (
    declared_or_not,
    expected,
    shapes_for,
    undisputed,
    verdict,
)
from harness.engine.run.external_topics.source import Snapshot, changed
from harness.errors import Location
from harness.model.finding import FINDINGS, Finding, FindingKind, Judgement, Verdict
from harness.model.observed import Observed, Outcome, RawRow
from harness.model.table import TableId
from harness.protocols import OWN
from harness.runner.manifest import Lossy
from harness.runner.manifests.expectations import Known

T, U = TableId("shop", "t"), TableId("shop", "u")
TEXT = """\
live: 1
protocol: {protocol}
settings: {settings}
topics: [{{name: x}}]
upstream: mysql://reader@db:4000/
tables: [shop.t, shop.u]
"""
SHAPES = {
    T: "CREATE TABLE t (a INT PRIMARY KEY, b BIGINT UNSIGNED)",
    U: "CREATE TABLE u (b INT)",
}
RIGHT: tuple[RawRow, ...] = ({"a": 1, "b": 2}, {"a": 2, "b": None})
WRONG: tuple[RawRow, ...] = ({"a": 1, "b": 3}, {"a": 2, "b": None})


def live(here: Path, protocol: str = "open", settings: str = "{}") -> LiveFile:
    """Return a file with two tables."""
    path = here / "live.yaml"
    path.write_text(TEXT.format(protocol=protocol, settings=settings))
    return read_live(path, {})


def snapshot(*rows: tuple[object, ...]) -> Snapshot:
    """Return the two tables; `rows` are those of shop.t, shop.u has one row twice."""
    catalogue = Catalogue.empty().apply("CREATE DATABASE shop").catalogue
    for sql in SHAPES.values():
        catalogue = catalogue.apply(sql, "shop").catalogue
    tables = {name: catalogue.table(name) for name in SHAPES}
    return Snapshot(tables, {T: Counter(rows), U: Counter({(7,): 2})})  # type: ignore[arg-type,dict-item] # pyright: ignore[reportArgumentType]


TRUTH = snapshot((1, 2), (2, None))


def answered(rows: tuple[RawRow, ...], outcome: Outcome = Outcome.DONE) -> Observed:
    """Return a consumer's answer; shop.u is right."""
    return Observed(outcome, "why", tables={T: rows, U: ({"b": 7}, {"b": 7})})


def test_rows_of_the_select_are_the_truth(tmp_path: Path) -> None:
    """Every row is expected as often as it is there, and a table without rows is a table."""
    file = live(tmp_path)
    assert verdict(file, TRUTH, T, answered(RIGHT)) == (
        Verdict("live.shop.t[open]", Judgement.PASS),
        None,
    )
    assert verdict(file, TRUTH, U, answered(RIGHT))[0].judgement is Judgement.PASS
    assert expected(file, snapshot(), T).tables[T].all_rows() == []
    assert verdict(file, snapshot(), T, answered(()))[0].judgement is Judgement.PASS


def test_a_wrong_row_is_shown_beside_the_right_one(tmp_path: Path) -> None:
    """What differs is a finding with the line of the file, and a diff of the table."""
    found, shown = verdict(live(tmp_path), TRUTH, T, answered(WRONG))
    assert found.judgement is Judgement.FAIL
    assert found.findings[0].line == 6
    assert shown is not None
    assert [one.table for one in shown.tables] == ["shop.t"]


def test_other_tables_and_what_was_sent_on_the_way_are_nobodys_business(tmp_path: Path) -> None:
    """A case is one table: neither others nor events decide it."""
    answer = Observed(Outcome.DONE, tables={T: RIGHT, TableId("x", "y"): WRONG}, events=())
    assert verdict(live(tmp_path), TRUTH, T, answer)[0].judgement is Judgement.PASS


@pytest.mark.parametrize("rows", [((1, 2),), ()])
def test_a_table_goes_by_the_name_that_is_sent(tmp_path: Path, rows: tuple[Any, ...]) -> None:
    """Avro spells `no-dash` as no_dash, with rows or without, and that is asked for."""
    name, escaped = TableId("shop", "no-dash"), TableId("shop", "no_dash")
    sql = "CREATE TABLE `no-dash` (`a-b` INT PRIMARY KEY, c INT)"
    catalogue = Catalogue.empty().apply("CREATE DATABASE shop").catalogue
    table = catalogue.apply(sql, "shop").catalogue.table(name)
    truth = Snapshot({name: table}, {name: Counter(rows)})
    for protocol, where, column in (("avro", escaped, "a_b"), ("open", name, "a-b")):
        file = replace(live(tmp_path, protocol), tables=(name,), lines={name: 6})
        theirs: tuple[RawRow, ...] = tuple({column: a, "c": c} for a, c in rows)
        answer = Observed(Outcome.DONE, tables={where: theirs})
        assert verdict(file, truth, name, answer)[0].judgement is Judgement.PASS
        assert set(shapes_for(file, truth, "f").tables) == {where}


@pytest.mark.parametrize("protocol", OWN)
def test_every_protocol_knows_a_table_without_rows(tmp_path: Path, protocol: str) -> None:
    """An empty table is expected to be there, or to have no rows."""
    settings = "{topic.prefix: v, vitess.keyspace: shop}" if protocol == "vitess" else "{}"
    file = live(tmp_path, protocol, settings)
    found, _ = verdict(file, snapshot(), T, answered(()))
    assert found.judgement is Judgement.PASS


@pytest.mark.parametrize(
    ("mine", "theirs", "moved", "judgement"),
    [
        (answered(RIGHT), None, False, Judgement.PASS),
        (answered(RIGHT), None, True, Judgement.INCONCLUSIVE),
        (answered(WRONG), answered(RIGHT), False, Judgement.FAIL),
        (answered(WRONG), answered(WRONG), False, Judgement.INCONCLUSIVE),
        (answered(WRONG), answered(RIGHT), True, Judgement.INCONCLUSIVE),
        (answered(WRONG), None, False, Judgement.FAIL),
        (answered(WRONG), answered((), Outcome.ERROR), False, Judgement.INCONCLUSIVE),
        (answered((), Outcome.ERROR), answered(RIGHT), False, Judgement.FAIL),
        (answered((), Outcome.CRASH), answered(WRONG), False, Judgement.CRASH),
        (answered((), Outcome.TIMEOUT), answered(WRONG), False, Judgement.TIMEOUT),
        (answered((), Outcome.NOT_APPLICABLE), answered(WRONG), True, Judgement.NOT_APPLICABLE),
    ],
)
def test_who_is_to_blame(
    tmp_path: Path, mine: Observed, theirs: Observed | None, judgement: Judgement, *, moved: bool
) -> None:
    """The consumer is blamed unless the upstream moved, or the reference consumer is wrong, too."""
    file = live(tmp_path)
    found, _ = verdict(file, TRUTH, T, mine)
    settled = undisputed(file, TRUTH, T, found, theirs, moved=moved)
    assert settled.judgement is judgement
    if judgement is Judgement.INCONCLUSIVE:
        assert settled.findings[1:] == found.findings  # what differed follows the reason


def known(words: str = "") -> Declared:
    """Return the declaration of a failure of shop.t over Open Protocol."""
    row = Known(
        lambda text: "shop.t" in text and "open" in text,
        words,
        "It rounds.",
        "https://example.org/1",
        Location("known.yaml", 3, 5),
    )
    return Declared(known=(row,))


@pytest.mark.parametrize(
    ("rows", "declared", "judgement"),
    [
        (WRONG, NOTHING_DECLARED, Judgement.FAIL),
        (WRONG, known(), Judgement.XFAIL),
        (WRONG, known("missing-row"), Judgement.FAIL),
        (RIGHT, known(), Judgement.XPASS),
        (
            WRONG,
            Declared(lossy=(Lossy(("bigint",), "x"),)),
            Judgement.DECLARED_LOSSY,
        ),
        (WRONG, Declared(lossy=(Lossy(("int",), "x"),)), Judgement.FAIL),
        ((), Declared(lossy=(Lossy(("bigint",), "x"),)), Judgement.FAIL),
    ],
)
def test_declarations_act_as_at_other_levels(
    tmp_path: Path, rows: tuple[RawRow, ...], declared: Declared, judgement: Judgement
) -> None:
    """A known failure is expected, a stale one is a finding, a loss covers its types alone."""
    file = live(tmp_path)
    found, _ = verdict(file, TRUTH, T, answered(rows))
    assert declared_or_not(file, TRUTH, T, found, declared).judgement is judgement


def test_what_could_not_be_judged_is_no_known_failure(tmp_path: Path) -> None:
    """A declaration makes no expected failure of a table that nobody was able to judge."""
    file = live(tmp_path)
    finding = Finding(FindingKind.CONSUMER, "moved", "", 6)
    moved = Verdict("live.shop.t[open]", Judgement.INCONCLUSIVE, (finding,))
    assert declared_or_not(file, TRUTH, T, moved, known()) is moved
    assert Judgement.INCONCLUSIVE in FINDINGS


def test_a_sink_is_given_the_tables_of_the_file(tmp_path: Path) -> None:
    """Each schema once, and each table in the shape that the wire tells."""
    found = shapes_for(live(tmp_path), TRUTH, "live[open]")
    assert (found.feed, found.schemas, set(found.tables)) == ("live[open]", ("shop",), {T, U})
    assert [column.name for column in found.tables[T].table.columns] == ["a", "b"]


def test_a_table_moved_when_its_rows_or_its_shape_did() -> None:
    """Only the table that is not the same both times is named."""
    assert changed(TRUTH, TRUTH) == frozenset()
    assert changed(TRUTH, snapshot((1, 2))) == {T}
    other = Snapshot({**TRUTH.tables, U: TRUTH.tables[T]}, TRUTH.rows)
    assert changed(TRUTH, other) == {U}
