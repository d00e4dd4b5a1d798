"""What is lost between a row and its Vitess record, told apart from what must not be lost."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from harness.codecs.connect.settings import AVRO
from harness.errors import UsageError
from harness.model.change import Op
from harness.model.columns import Column, ColumnKind
from harness.model.record import Origin
from harness.model.source_events import RowEvent, SourceTable
from harness.model.table import Table, TableId
from harness.model.values import Value
from harness.projections.vitess import projection
from harness.projections.vitess_values import modes_of, visible_value

MOMENT = Column(1, "m", ColumnKind.DATETIME, scale=6)
NOT_NULL = replace(MOMENT, nullable=False)
TIME = Column(1, "t", ColumnKind.TIME, scale=6)
MILLIS = replace(TIME, scale=3)
UNSIGNED = Column(1, "u", ColumnKind.BIGINT, unsigned=True)
MODE = "time.precision.mode"
TEXT_ALONE = ("k", "äb\U0001f600", None)
UNSIGNED_MODE = "bigint.unsigned.handling.mode"


@pytest.mark.parametrize(
    ("column", "value", "settings", "left"),
    [
        (MOMENT, "2024-01-02 03:04:05.123456", {}, "2024-01-02 03:04:05.123456"),
        (MOMENT, "2024-01-02 03:04:05.123456", {MODE: "connect"}, "2024-01-02 03:04:05.123000"),
        (MOMENT, "0000-00-00 00:00:00.000000", {}, None),
        (
            MOMENT,
            "0000-00-00 00:00:00.000000",
            {MODE: "isostring"},
            "0000-00-00 00:00:00.000000",
        ),
        (
            replace(MOMENT, nullable=False),
            "0000-00-00 00:00:00.0",
            {},
            "1970-01-01 00:00:00.000000",
        ),
        (MOMENT, "2023-02-30 01:00:00.000000", {}, "2023-03-02 01:00:00.000000"),
        (MOMENT, "1582-10-10 00:00:00.000000", {}, "1582-10-20 00:00:00.000000"),
        (MOMENT, "1500-02-29 00:00:00.000000", {}, None),
        (MOMENT, "0000-02-29 00:00:00.000000", {}, None),
        (MOMENT, "1500-02-30 00:00:00.000000", {}, "1500-03-01 00:00:00.000000"),
        (MOMENT, "1600-02-29 00:00:00.000000", {}, "1600-02-29 00:00:00.000000"),
        (NOT_NULL, "1500-02-29 00:00:00.0", {"override.datetime.to.nullable": True}, None),
        (MOMENT, "0000-01-01 00:00:00.000000", {}, "0001-01-01 00:00:00.000000"),
        (MOMENT, "2262-04-11 23:47:16.854776", {MODE: "nanoseconds"}, "1677-09-21 00:12:43.145224"),
        (TIME, "25:00:00.000001", {}, "25:00:00.000001"),
        (TIME, "25:00:00.000001", {MODE: "connect"}, None),
        (MILLIS, "-838:59:58.000", {MODE: "adaptive"}, "354:02:49.296"),
        (MILLIS, "596:31:23.647", {MODE: "adaptive"}, "596:31:23.647"),
        (TIME, "-838:59:58.000000", {MODE: "adaptive"}, "-838:59:58.000000"),
        (TIME, "-00:00:00.000001", {MODE: "connect"}, None),
        (TIME, "24:00:00.000000", {MODE: "connect"}, "24:00:00.000000"),
        (TIME, "23:59:59.999999", {MODE: "connect"}, "23:59:59.999000"),
        (UNSIGNED, (1 << 64) - 1, {}, (1 << 64) - 1),
        (UNSIGNED, 1 << 63, {"bigint.unsigned.handling.mode": "long"}, None),
        (UNSIGNED, (1 << 63) - 1, {"bigint.unsigned.handling.mode": "long"}, (1 << 63) - 1),
        (Column(1, "d", ColumnKind.DATE), "2024-00-01", {}, None),
    ],
)
def test_a_value_loses_what_its_mode_loses_and_nothing_else(
    column: Column, value: Value, settings: dict[str, Any], left: Value
) -> None:
    """Zero dates, microseconds, hours beyond the day and large numbers go by the settings."""
    assert visible_value(column, value, modes_of(settings)) == left


def test_a_local_time_that_the_zone_leaves_out_is_moved_on() -> None:
    """JVM time zones do change DATETIMEs: in their gaps."""
    visible = visible_value(
        MOMENT, "2018-03-11 02:30:00.000000", modes_of({"user.timezone": "America/New_York"})
    )
    assert visible == "2018-03-11 03:30:00.000000"


def _row(op: Op, before: tuple[Value, ...] | None, after: tuple[Value, ...] | None) -> RowEvent:
    columns = (Column(1, "id", ColumnKind.INT), Column(2, "b", ColumnKind.BIT, length=4))
    table = SourceTable(Table(TableId("shop", "t"), columns), (3, 16), (3, 1), (0, 1), (0,))
    return RowEvent(op, table, before, after, 1, "", 0, Origin(1, 0, 0, op.value))


def test_unsupported_columns_are_left_out() -> None:
    """BIT is in no schema and in no row."""
    visible = projection({})(_row(Op.INSERT, None, (1, 2)))
    assert visible is not None
    assert visible.table.emitted == (0,)
    assert visible.after == (1, None)


def test_skipped_operations_and_tables_left_out_are_not_visible() -> None:
    """What the connector is told to leave out is no part of the truth."""
    update = _row(Op.UPDATE, (1, 2), (1, 3))
    assert projection({"skipped.operations": "u"})(update) is None
    assert projection({"table.exclude.list": "shop.t"})(update) is None
    assert projection({"skip.messages.without.change": True})(update) is None
    assert projection({})(update) is not None


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, ("k", "äb\U0001f600", None)),
        ({"column.mask.with.2.chars": "shop.t.[ab]"}, ("k", "**", "**")),
        ({"column.truncate.to.1.chars": "shop.t.a,shop.t.b"}, ("k", "ä", None)),
        ({"column.truncate.to.3.chars": "shop.t.a"}, ("k", "äb", None)),
        (
            {"column.mask.with.1.chars": "shop.t.a", "column.truncate.to.1.chars": "shop.t.a"},
            ("k", "ä", None),
        ),
        (
            {
                "column.mask.hash.SHA-256.with.salt.s": "shop.t.[ab]",
                "column.propagate.source.type": "shop.t.[ab]",
                "column.mask.with.1.chars": "shop.t.b",
            },
            ("k", "äb\U0001f600", "*"),
        ),
        ({"column.exclude.list": "shop.t.b", "column.mask.with.1.chars": "shop.t.b"}, TEXT_ALONE),
    ],
)
def test_texts_are_masked_and_cut(settings: dict[str, Any], expected: tuple[Value, ...]) -> None:
    """Stars stand for NULL too, a length counts UTF-16 units, and one rule is for one column."""
    sent = projection(settings)(_texts())
    assert sent is not None
    assert sent.after == expected


@pytest.mark.parametrize(
    "settings",
    [
        {"column.exclude.list": "shop.t.k"},
        {"column.include.list": "shop.t.(a|b)"},
        {"column.mask.with.2.chars": "shop.t.*"},
        {"column.truncate.to.2.chars": ".*"},
    ],
)
def test_rows_have_whole_keys(settings: dict[str, Any]) -> None:
    """The message's key has what a row leaves out, but no answer could be compared without it."""
    with pytest.raises(UsageError, match=r"key column shop\.t\.k"):
        projection(settings)(_texts())


def test_bytes_are_cut() -> None:
    """A length counts bytes where a column has bytes, and no rule but this one changes them."""
    row = _texts()
    binary = replace(row.table.table.columns[1], kind=ColumnKind.VARBINARY)
    table = replace(row.table.table, columns=(row.table.table.columns[0], binary))
    source = SourceTable(table, (15,) * 2, (0,) * 2, (0, 1), (0,))
    sent = replace(row, table=source, after=("k", b"\x00\xff\x80\xc3"))
    cut = projection({"column.truncate.to.3.chars": "shop.t.a"})(sent)
    assert cut is not None
    assert cut.after == ("k", b"\x00\xff\x80")
    filled = _one(ColumnKind.BINARY, b"\x01\x02\x03", length=3)
    again = projection({"column.truncate.to.2.chars": "shop.t.a"})(filled)
    assert again is not None
    assert again.after == ("k", b"\x01\x02\x00")
    masked = projection({"column.mask.with.1.chars": "shop.t.a"})(sent)
    assert masked is not None
    assert masked.after == sent.after
    in_avro = {"value.converter": AVRO, "column.truncate.to.3.chars": "shop.t.a"}
    for settings, seen in (({"column.truncate.to.3.chars": "shop.t.a"}, sent), (in_avro, cut)):
        by_2_7 = projection(settings, "2.7")(sent)
        assert by_2_7 is not None
        assert by_2_7.after == seen.after


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        (ColumnKind.DECIMAL, {}),
        (ColumnKind.ENUM, {}),
        (ColumnKind.JSON, {}),
        (ColumnKind.TIMESTAMP, {}),
        (ColumnKind.DATETIME, {"time.precision.mode": "isostring"}),
    ],
)
def test_what_is_no_text_to_its_table_is_not_cut(
    kind: ColumnKind, settings: dict[str, Any]
) -> None:
    """The connector cuts whatever it sends as text, of which no table could hold the half."""
    with pytest.raises(UsageError, match=r"column shop\.t\.a is cut"):
        projection({"column.truncate.to.3.chars": "shop.t.a", **settings})(_one(kind, None))


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        (ColumnKind.DECIMAL, "column.mask.with.2.chars"),
        (ColumnKind.JSON, "column.mask.hash.SHA-256.with.salt.s"),
        (ColumnKind.ENUM, "column.mask.with.2.chars"),
    ],
)
def test_what_is_no_text_to_its_table_is_not_masked(kind: ColumnKind, rule: str) -> None:
    """The connector masks what VStream calls text, of which no table could hold the stars."""
    with pytest.raises(UsageError, match=r"column shop\.t\.a is masked"):
        projection({rule: "shop.t.a"})(_one(kind, None))


def test_a_key_of_bits_is_refused() -> None:
    """The connector leaves a BIT out of the key as well."""
    row = _one(ColumnKind.BIT, 1)
    keyed = replace(row, table=replace(row.table, handle=(0, 1)))
    with pytest.raises(UsageError, match=r"key column shop\.t\.a is left out"):
        projection({})(keyed)


def test_a_moment_is_no_text_to_cut() -> None:
    """A DATE is a number on the wire, whatever the length of its text in a table."""
    sent = _one(ColumnKind.DATE, "2024-02-29")
    cut = projection({"column.truncate.to.3.chars": "shop.t.a"})(sent)
    assert cut is not None
    assert cut.after == sent.after


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        (
            {"column.truncate.to.2.chars": "shop.t.a", "column.truncate.to.3.chars": "shop.t.a"},
            "two rules of one kind",
        ),
        (
            {
                "column.mask.hash.SHA-256.with.salt.s": "shop.t.a",
                "datatype.propagate.source.type": ".*CHAR",
            },
            "the name that the connector has for its type",
        ),
    ],
)
def test_rules_of_which_nobody_here_knows_the_first(settings: dict[str, Any], what: str) -> None:
    """A Java HashMap orders rules of one kind, and the connector's own names of types hold one."""
    with pytest.raises(UsageError, match=what):
        projection(settings)(_texts())


def _one(kind: ColumnKind, value: Value, length: int | None = None) -> RowEvent:
    """Return the row of `_texts` with one column of a kind beside its key."""
    row = _texts()
    columns = (row.table.table.columns[0], Column(1, "a", kind, length))
    table = replace(row.table.table, columns=columns)
    source = SourceTable(table, (15,) * 2, (0,) * 2, (0, 1), (0,))
    return replace(row, table=source, after=("k", value))


def test_what_is_masked_alike_is_unchanged() -> None:
    """An update is compared as it would be sent."""
    settings = {"skip.messages.without.change": True, "column.mask.with.2.chars": "shop.t.a"}
    row = _texts()
    changed = {"op": Op.UPDATE, "before": row.after}
    assert projection(settings)(replace(row, after=("k", "other", None), **changed)) is None
    assert projection(settings)(replace(row, after=("k", "other", "b"), **changed)) is not None


def _texts() -> RowEvent:
    """Return the insert of a row of texts, whose first column is the key."""
    columns = tuple(Column(n, name, ColumnKind.VARCHAR, length=9) for n, name in enumerate("kab"))
    table = SourceTable(Table(TableId("shop", "t"), columns), (15,) * 3, (0,) * 3, (0, 1, 2), (0,))
    row = ("k", "äb\U0001f600", None)
    return RowEvent(Op.INSERT, table, None, row, 1, "", 0, Origin(1, 0, 0, "insert"))


@pytest.mark.parametrize(
    ("version", "digest"),
    [
        ("", "eaf09e8e2b25e2ebdee65853bd697ec186fc6f4ee0f5a84945b6d9188e5445e6"),
        ("v2.", "b18264b09ad9f8f63b8cf409616260694bb363cc52019dd27b0da6e84aa4c545"),
    ],
)
def test_texts_are_hashed(version: str, digest: str) -> None:
    """The first version digests Java's serialised string, the second UTF-8; NULL stays NULL."""
    asked = {f"column.mask.hash.{version}SHA-256.with.salt.pepper": "shop.t.a"}
    columns = tuple(Column(n, name, ColumnKind.VARCHAR, length=99) for n, name in enumerate("ka"))
    table = SourceTable(Table(TableId("shop", "t"), columns), (15,) * 2, (0,) * 2, (0, 1), (0,))
    for text, expected in (("ann@example.org", digest), (None, None)):
        row = RowEvent(Op.INSERT, table, None, ("k", text), 1, "", 0, Origin(1, 0, 0, "insert"))
        sent = projection(asked)(row)
        assert sent is not None
        assert sent.after == ("k", expected)


@pytest.mark.parametrize(
    ("column", "value", "expected"),
    [
        (Column(1, "b", ColumnKind.BIT, length=8), 65, b"A"),
        (Column(1, "b", ColumnKind.BIT, length=10), 65, b"\x00A"),
        (Column(1, "b", ColumnKind.BIT, length=8), 200, "\ufffd".encode()),
        (Column(1, "v", ColumnKind.VECTOR), "[1,2.5]", b"[1,2.5]"),
        (Column(1, "e", ColumnKind.ENUM, members=("a", "", "b")), 2, "'b"),
        (Column(1, "e", ColumnKind.ENUM, members=("a", "b")), 2, 2),
    ],
)
def test_what_the_connector_does_not_understand(
    column: Column, value: Value, expected: Value
) -> None:
    """Unsupported types are the bytes of their text, and an empty member spoils the list."""
    modes = modes_of({"include.unknown.datatypes": "true"})
    assert visible_value(column, value, modes) == expected
    if column.kind in (ColumnKind.BIT, ColumnKind.VECTOR):
        assert visible_value(column, value, modes_of({"binary.handling.mode": "hex"})) is None


def test_a_row_that_cannot_be_read_is_left_out_where_the_connector_skips_it() -> None:
    """A DATETIME without a day fails to be parsed; the failure mode decides what follows."""
    columns = (Column(1, "id", ColumnKind.INT), MOMENT)
    table = SourceTable(Table(TableId("shop", "t"), columns), (3, 12), (3, 1), (0, 1), (0,))
    after = (1, "2024-02-00 00:00:00.000000")
    row = RowEvent(Op.INSERT, table, None, after, 1, "", 0, Origin(1, 0, 0, "insert"))
    assert projection({"event.processing.failure.handling.mode": "skip"})(row) is None


def _quoted(*, nullable: bool = True, handle: tuple[int, ...] = (0,)) -> RowEvent:
    """Return the update of a row with a column `q`, and one whose name is `q` in quotes."""
    columns = (
        Column(1, "id", ColumnKind.INT, nullable=False),
        Column(2, "q", ColumnKind.INT),
        Column(3, '"q"', ColumnKind.INT, nullable=nullable),
        Column(4, "'lost'", ColumnKind.INT),
    )
    codes = (3,) * 4
    table = SourceTable(Table(TableId("shop", "t"), columns), codes, codes, (0, 1, 2, 3), handle)
    images = (1, 2, 3, 4), (1, 5, 6, 7)
    return RowEvent(Op.UPDATE, table, *images, 1, "", 0, Origin(1, 0, 0, "update"))


def test_a_column_in_quotes_gives_its_value_to_the_one_without() -> None:
    """A quoted column is NULL; the column of the name between the quotes has its value."""
    visible = projection({})(_quoted())
    assert visible is not None
    assert (visible.before, visible.after) == ((1, 3, None, None), (1, 6, None, None))


def test_a_column_in_quotes_that_needs_values_is_refused() -> None:
    """A key column and a NOT NULL column in quotes would be answered with made-up values."""
    for row in (_quoted(nullable=False), _quoted(handle=(2,))):
        with pytest.raises(UsageError, match="loses its values"):
            projection({})(row)


@pytest.mark.parametrize(
    ("column", "value", "settings", "sent", "keyed"),
    [
        (replace(UNSIGNED, nullable=False), 1 << 63, {UNSIGNED_MODE: "long"}, False, False),
        (replace(UNSIGNED, nullable=False), 1 << 63, {}, True, True),
        (UNSIGNED, 1 << 63, {UNSIGNED_MODE: "long"}, True, False),
        (NOT_NULL, "1500-02-29 00:00:00.000000", {}, False, False),
        (NOT_NULL, "1500-02-29 00:00:00.000000", {MODE: "isostring"}, True, True),
        (
            NOT_NULL,
            "1500-02-29 00:00:00.000000",
            {"override.datetime.to.nullable": True},
            True,
            False,
        ),
        (NOT_NULL, "1500-02-28 00:00:00.000000", {}, True, True),
        (MOMENT, "2024-00-10 00:00:00.000000", {}, False, False),
        (MOMENT, "2024-00-10 00:00:00.000000", {MODE: "isostring"}, True, True),
        (replace(TIME, nullable=False), "25:00:00.000000", {MODE: "connect"}, False, False),
        (TIME, "25:00:00.000000", {MODE: "connect"}, True, True),
        (
            Column(2, "b", ColumnKind.BIT, length=8, nullable=False),
            1,
            {"include.unknown.datatypes": True, "binary.handling.mode": "hex"},
            False,
            False,
        ),
    ],
)
def test_a_row_that_cannot_be_converted_is_left_out_where_the_connector_skips_it(
    column: Column,
    value: Value,
    settings: dict[str, Any],
    sent: bool,  # noqa: FBT001
    keyed: bool,  # noqa: FBT001
) -> None:
    """What is null in a nullable column of the row is not in the key, but for a TIME."""
    columns = (Column(1, "id", ColumnKind.INT), replace(column, id=2))
    skipping = {"event.processing.failure.handling.mode": "skip", **settings}
    for handle, expected in (((0,), sent), ((1,), keyed)):
        table = SourceTable(Table(TableId("shop", "t"), columns), (3, 3), (3, 3), (0, 1), handle)
        row = RowEvent(Op.INSERT, table, None, (1, value), 1, "", 0, Origin(1, 0, 0, "insert"))
        assert (projection(skipping)(row) is not None) is expected


def test_a_table_with_a_point_in_its_name_is_not_visible() -> None:
    """The connector takes what stands behind a second point for no table."""
    row = _row(Op.INSERT, None, (1, 2))
    pointed = replace(row.table, table=replace(row.table.table, id=TableId("shop", "a.b")))
    assert projection({})(replace(row, table=pointed)) is None
