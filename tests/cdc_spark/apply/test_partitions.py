"""Which partition a row is in: the consumer's reading of SQL and the harness's come to the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdc_spark.apply.ddl_sql import parse
from cdc_spark.apply.partitions import Within, unclear
from cdc_spark.apply.statements import CreateTable
from harness.ddl import Catalogue
from harness.ddl.physical import HomelessError, physical_of
from harness.model.table import TableId

NUMBERS = st.one_of(st.integers(-50, 50), st.integers(-(2**63), 2**63 - 1))
DAYS = st.dates().map(str)
TABLES = {
    "range": "id BIGINT) PARTITION BY RANGE (id) (PARTITION a VALUES LESS THAN (-5),"
    " PARTITION b VALUES LESS THAN (20), PARTITION c VALUES LESS THAN MAXVALUE)",
    "range without an end": "id BIGINT) PARTITION BY RANGE (id) (PARTITION a VALUES LESS THAN (1))",
    "list": "id BIGINT) PARTITION BY LIST (id) (PARTITION a VALUES IN (1, -2, NULL),"
    " PARTITION b VALUES IN (3, 4))",
    "list with a default": "id BIGINT) PARTITION BY LIST (id) (PARTITION a VALUES IN (1),"
    " PARTITION b DEFAULT)",
    "hash": "id BIGINT) PARTITION BY HASH (id) PARTITIONS 3",
    "key": "id BIGINT) PARTITION BY KEY (id) PARTITIONS 4",
    "years": "id DATE) PARTITION BY RANGE (YEAR(id)) (PARTITION a VALUES LESS THAN (2000),"
    " PARTITION b VALUES LESS THAN (YEAR('2020-06-01')), PARTITION c VALUES LESS THAN MAXVALUE)",
    "days": "id DATE) PARTITION BY HASH (TO_DAYS(id)) PARTITIONS 5",
    "whole days": "id DATE) PARTITION BY RANGE COLUMNS (id)"
    " (PARTITION a VALUES LESS THAN ('2000-01-01'), PARTITION b VALUES LESS THAN (MAXVALUE))",
    "listed days": "id DATE) PARTITION BY LIST COLUMNS (id)"
    " (PARTITION a VALUES IN ('2000-01-01'), PARTITION b DEFAULT)",
}


@pytest.mark.parametrize("name", TABLES)
@given(data=st.data())
def test_both_readings_place_each_row_alike(name: str, data: st.DataObject) -> None:
    """A row is in the partition that the harness expects, whatever its value."""
    sql = f"CREATE TABLE t ({TABLES[name]}"
    values = DAYS if "DATE" in sql else NUMBERS
    value = data.draw(st.one_of(st.none(), values))
    statement = parse(sql)
    assert isinstance(statement, CreateTable)
    partitions = statement.partitions
    assert partitions is not None
    assert not unclear(partitions, {one.name.lower(): one for one in statement.columns})
    found = [
        place
        for place in range(len(partitions.definitions))
        if Within(partitions, frozenset({place}))({"id": value})
    ]
    table = Catalogue.with_schemas("d").apply(sql, "d").catalogue.table(TableId("d", "t"))
    physical = physical_of(table)
    assert physical is not None
    try:
        wanted = [table.partition_ids.index(physical((value,), 1))]
    except HomelessError:
        wanted = []
    assert found == wanted
