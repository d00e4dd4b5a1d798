"""A table has one file name, whatever its name holds."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.model.table import TableId
from harness.runner.contract import names
from harness.runner.contract.exact_json import Malformed

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)

EXAMPLES = {
    TableId("shop", "t"): "shop.t.jsonl",
    TableId("a.b", "c/d"): "a%2Eb.c%2Fd.jsonl",
    TableId("测", "~ %"): "%E6%B5%8B.%7E%20%25.jsonl",
    TableId("A-1_", ".."): "A-1_.%2E%2E.jsonl",
}


@pytest.mark.parametrize(("table", "file_name"), EXAMPLES.items())
def test_names_are_spelled_as_the_contract_says(table: TableId, file_name: str) -> None:
    """The examples read the same in both directions."""
    assert names.encode(table) == file_name
    assert names.decode(file_name) == table


@given(TEXTS, TEXTS)
def test_any_table_survives_its_file_name(schema: str, name: str) -> None:
    """Encoding loses nothing and uses safe characters only."""
    table = TableId(schema, name)
    file_name = names.encode(table)
    assert re.fullmatch(r"[A-Za-z0-9_%-]+\.[A-Za-z0-9_%-]+\.jsonl", file_name)
    assert names.decode(file_name) == table


def test_needless_escapes_are_understood() -> None:
    """A consumer whose language escapes more, or in lower case, is understood."""
    assert names.decode("%73hop.%e6%b5%8b.jsonl") == TableId("shop", "测")


@pytest.mark.parametrize(
    "file_name",
    [
        "t.jsonl",
        "a.b.c.jsonl",
        ".t.jsonl",
        "shop..jsonl",
        "shop.my t.jsonl",
        "s.%4.jsonl",
        "s.测.jsonl",
    ],
)
def test_names_that_name_no_table_are_refused(file_name: str) -> None:
    """What is not a name by the contract is refused with the spelling that was expected."""
    with pytest.raises(Malformed, match="names no table") as refusal:
        names.decode(file_name)
    assert "%XX" in refusal.value.expected


def test_a_name_that_is_not_utf8_is_refused() -> None:
    """Bytes that are no text name no table."""
    with pytest.raises(Malformed, match="not UTF-8"):
        names.decode("s.%FF.jsonl")
