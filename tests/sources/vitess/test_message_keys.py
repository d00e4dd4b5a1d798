"""`message.key.columns`: the source and the connector find the same columns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.ddl import Catalogue
from harness.errors import UsageError
from harness.model.table import TableId
from harness.model.vstream import FieldEvent
from harness.sources.message_keys import message_keys
from harness.sources.vitess.fields import fields, key_ordinals
from tests.codecs.debezium_vitess.streams import emitted, row, transaction

TABLE = (
    Catalogue.with_schemas("ks")
    .apply("CREATE TABLE kv (id INT PRIMARY KEY, lot INT, `line` INT, code INT)", "ks")
    .catalogue.table(TableId("ks", "kv"))
)
NAMES = [column.name for column in TABLE.columns]
TABLES = st.sampled_from(("ks.kv", "ks.k.", "(.*).kv", "KS.KV", "ks.other", "0.ks.kv", ".*"))
COLUMNS = st.sampled_from(("lot", "l.*", "^l", "(lot|id)", "LINE", "nowhere", ".*e", "l[^o]+"))


def _by_source(listed: str) -> list[str]:
    return [NAMES[ordinal] for ordinal in message_keys(listed, key_ordinals, ("0",))(TABLE)]


def _by_connector(listed: str) -> list[str]:
    announced = FieldEvent("ks.kv", fields(TABLE), 1559033904, "ks", "0")
    stream = [transaction(5, announced, row(None, [b"1", b"2", b"3", b"4"]))]
    (made,) = emitted(stream, {"message.key.columns": listed})
    return [*made.key]


@given(st.lists(st.tuples(TABLES, COLUMNS), min_size=1, max_size=1))
def test_both_find_the_same_columns(entries: list[tuple[str, str]]) -> None:
    """Whatever the expressions, a row's identity is what its record's key has."""
    listed = ";".join(f"{table}:{column}" for table, column in entries)
    assert _by_source(listed) == _by_connector(listed), listed


@pytest.mark.parametrize(
    ("listed", "names"),
    [
        ("ks.kv:l.*", ["lot", "line"]),
        ("ks.kv:line,lot", ["line", "lot"]),
        ("ks.kv:^l", ["id"]),
        ("ks.other:lot;(.*).kv:code", ["code"]),
    ],
)
def test_an_expression_matches_the_whole_name(listed: str, names: list[str]) -> None:
    """The column part is an expression behind the table's; `^` stands nowhere within a name."""
    assert _by_source(listed) == _by_connector(listed) == names


def test_one_key_on_all_shards() -> None:
    """An expression over shards means all of them, or is refused."""
    shards = ("-80", "80-")
    assert message_keys(".*80.*kv:lot", key_ordinals, shards)(TABLE) == (NAMES.index("lot"),)
    with pytest.raises(UsageError, match="on -80 alone"):
        message_keys("-80.ks.kv:lot", key_ordinals, shards)(TABLE)
