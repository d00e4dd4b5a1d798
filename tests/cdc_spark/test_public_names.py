"""Promises of the reference page: all public names, their arguments, and the columns they give."""

from __future__ import annotations

import inspect
import re

import pytest

import cdc_spark
from cdc_spark import decoding
from cdc_spark.vectorised.blocks import OPS
from tests.tree import text_of

pytestmark = pytest.mark.spark

NAMES, EVENTS, ORDERED = re.split(
    "^## .*$", text_of("docs/reference/cdc-spark.md"), flags=re.MULTILINE
)


def columns(section: str) -> str:
    """Return the columns that a table of the page lists, as Spark's DDL text."""
    rows = re.findall(r"^\| (`[^|]+`) \| ([^|]+) \|", section, re.MULTILINE)
    return ", ".join(f"{name} {kind}" for names, kind in rows for name in re.findall(r"\w+", names))


def arguments(name: str) -> str:
    """Return the names of a public function's arguments, in brackets; "" for anything else."""
    member = getattr(cdc_spark, name)
    if not inspect.isfunction(member) and name != "Changefeed":
        return ""
    return f"({', '.join(inspect.signature(member).parameters)})"


def test_the_page_lists_all_public_names_and_their_arguments() -> None:
    """Every name of `__all__` has its row, with the arguments that it takes."""
    listed = re.findall(r"^\| `(\w+)(\(.*?\))?` \|", NAMES, re.MULTILINE)
    assert sorted(listed) == sorted((name, arguments(name)) for name in cdc_spark.__all__)


def test_the_page_lists_the_columns_of_events_and_all_ops() -> None:
    """Names and types are those of the DataFrame, in order; each op has its row."""
    listed, ops = EVENTS.split("| `op` | Open |")
    assert columns(listed) == cdc_spark.EVENT_SCHEMA == decoding.EVENT_SCHEMA
    names = re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`[^|]+) \|", ops, re.MULTILINE)))
    assert set(names) == set(OPS.values())


def test_the_page_lists_the_columns_of_ordered_changes() -> None:
    """Names and types are those of the DataFrame, in order."""
    assert columns(ORDERED) == cdc_spark.ORDERED_SCHEMA


def test_every_public_name_says_what_it_is() -> None:
    """Functions, the changefeed and errors have docstrings."""
    members = {name: getattr(cdc_spark, name) for name in cdc_spark.__all__}
    assert all(inspect.getdoc(one) for one in members.values() if not isinstance(one, str))
