"""Which columns find a row where the connector is told so."""

from __future__ import annotations

import pytest

from harness.ddl import Catalogue
from harness.errors import UsageError
from harness.model.table import TableId
from harness.sources.message_keys import every, message_keys

CATALOGUE = (
    Catalogue.with_schemas("shop")
    .apply("CREATE TABLE shop.item (id INT PRIMARY KEY, lot INT, code INT)", "shop")
    .catalogue
)
ITEM = CATALOGUE.table(TableId("shop", "item"))


@pytest.mark.parametrize(
    ("listed", "found"),
    [
        ("", (0,)),
        ("shop.item:code,lot", (2, 1)),
        ("SHOP.ITEM:CODE", (2,)),
        ("shop.other:code;shop.(item|x):lot", (1,)),
        ("shop.item:nowhere", (0,)),
        ("(-80|80-).shop.item:code", (2,)),
    ],
)
def test_listed_columns_are_the_key_and_a_table_keeps_its_own_otherwise(
    listed: str, found: tuple[int, ...]
) -> None:
    """Tables and columns are expressions that match whole names, whatever their capitals."""
    assert message_keys(listed, lambda _: (0,), ["-80", "80-"])(ITEM) == found


def test_a_list_that_is_no_expression_is_refused() -> None:
    """The author is told which setting it is."""
    with pytest.raises(UsageError, match=r"message\.key\.columns"):
        message_keys("shop.(item:code", every)
