"""Promises of the reference page: all public names, their arguments, and the columns they give."""

from __future__ import annotations

import inspect

import pytest

import cdc_spark
from cdc_spark import decoding, rows
from cdc_spark.conformance.reference import page
from cdc_spark.event_columns import EVENT_COLUMNS, OPS, ORDERED
from cdc_spark.vectorised import blocks
from tests.tree import text_of

pytestmark = pytest.mark.spark


def test_the_page_is_what_the_package_says() -> None:
    """Written anew by `python -m cdc_spark.conformance.reference > docs/reference/cdc-spark.md`."""
    assert text_of("docs/reference/cdc-spark.md") == page()


def test_the_page_lists_all_public_names() -> None:
    """Every name of `__all__` is there."""
    text = page()
    assert [name for name in cdc_spark.__all__ if f"`{name}`" not in text] == []


def test_every_column_and_op_is_described() -> None:
    """The columns that decoders give, in their order; each op; the columns of ordered changes."""
    assert tuple(name for name, *_ in EVENT_COLUMNS) == blocks.PUBLIC
    assert cdc_spark.EVENT_SCHEMA == decoding.EVENT_SCHEMA
    assert set(OPS) == set(blocks.OPS.values())
    assert list(ORDERED) == list(rows.RELEASED)


def test_every_public_name_says_what_it_is() -> None:
    """Functions, the changefeed and errors have docstrings."""
    members = {name: getattr(cdc_spark, name) for name in cdc_spark.__all__}
    assert all(inspect.getdoc(one) for one in members.values() if not isinstance(one, str))
