"""Promises of the reference page: it tells the columns that the functions give."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.spark
PAGE = Path(__file__).parents[2] / "docs/reference/spark-events.md"


def test_the_page_tells_all_columns_and_ops() -> None:
    """Names and types are those of the DataFrame, in order; each op has its row."""
    from cdc_spark import decoding  # noqa: PLC0415 - needs PyArrow
    from cdc_spark.vectorised.blocks import OPS  # noqa: PLC0415 - needs PyArrow

    columns, ops = PAGE.read_text(encoding="utf-8").split("| `op` | Open |")
    told = [
        f"{name} {kind}"
        for names, kind in re.findall(r"^\| (`[^|]+`) \| ([^|]+) \|", columns, re.MULTILINE)
        for name in re.findall(r"`(\w+)`", names)
    ]
    assert ", ".join(told) == decoding.EVENT_SCHEMA
    listed = re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`[^|]+) \|", ops, re.MULTILINE)))
    assert set(listed) == set(OPS.values())
