"""INTERVAL partitions: what the shorthand means, and when it means nothing."""

from __future__ import annotations

import pytest

from harness.ddl import Catalogue, DdlError


@pytest.mark.parametrize(
    ("interval", "bounds"),
    [
        (
            "(a) interval (100) first partition less than (-100) last partition less than (100)",
            {"P_LT_-100": "-100", "P_LT_0": "0", "P_LT_100": "100"},
        ),
        (
            (
                "columns (c) interval (1 month) first partition less than ('2024-01-31')"
                " last partition less than ('2024-03-31') maxvalue partition"
            ),
            {
                "P_LT_2024-01-31": "_UTF8MB4'2024-01-31'",
                "P_LT_2024-02-29": "_UTF8MB4'2024-02-29'",
                "P_LT_2024-03-31": "_UTF8MB4'2024-03-31'",
                "P_MAXVALUE": "MAXVALUE",
            },
        ),
        (
            (
                "columns (c) interval (12 hour) first partition less than ('2023-12-31 12:00:00')"
                " last partition less than ('2024-01-01 12:00:00') null partition"
            ),
            {
                "P_NULL": "-9223372036854775808",
                "P_LT_2023-12-31 12:00:00": "_UTF8MB4'2023-12-31 12:00:00'",
                "P_LT_2024-01-01 00:00:00": "_UTF8MB4'2024-01-01 00:00:00'",
                "P_LT_2024-01-01 12:00:00": "_UTF8MB4'2024-01-01 12:00:00'",
            },
        ),
    ],
)
def test_interval_partitions_are_written_out(interval: str, bounds: dict[str, str]) -> None:
    """TiDB's shorthand is sent, and kept, as the partitions that it stands for."""
    sql = f"create table t (a int, c datetime) partition by range {interval}"
    (job,) = Catalogue.with_schemas("d").apply(sql, "d").jobs
    definitions = ",".join(
        f"PARTITION `{name}` VALUES LESS THAN ({bound})" for name, bound in bounds.items()
    )
    assert job.query.endswith(f" ({definitions})")
    assert job.after is not None
    assert job.after.partitions == tuple(bounds)


WRONG_INTERVALS = {
    "(0) first partition less than (1) last partition less than (5)": "whole steps",
    "(2) first partition less than (1) last partition less than (4)": "whole steps",
    "(1) first partition less than (5) last partition less than (4)": "whole steps",
    "(1) first partition less than (0) last partition less than (8192)": "Too many partitions",
    "(1.5) first partition less than (0) last partition less than (3)": "1.5 is not an integer",
    "(1)": "need FIRST PARTITION and LAST PARTITION",
    "(1 day) first partition less than (5) last partition less than (9)": "must be dates",
    "(1 day) first partition less than ('2024-13-01') last partition less than ('2025-01-01')": (
        "must be dates"
    ),
    "(0 day) first partition less than ('2024-01-01') last partition less than ('2024-01-02')": (
        "whole steps"
    ),
    "(1 month) first partition less than ('2024-01-01') last partition less than ('2024-02-02')": (
        "whole steps"
    ),
    "(9 year) first partition less than ('9999-01-01') last partition less than ('9999-12-31')": (
        "whole steps"
    ),
    "(1 hour) first partition less than ('2000-01-01') last partition less than ('2024-01-01')": (
        "Too many partitions"
    ),
    "(1 microsecond) first partition less than ('2024-01-01')"
    " last partition less than ('2024-01-02')": "cannot be MICROSECOND wide",
}


@pytest.mark.parametrize(("interval", "what"), WRONG_INTERVALS.items())
def test_an_interval_leads_from_the_first_to_the_last(interval: str, what: str) -> None:
    """It arrives in whole steps, and not too many."""
    sql = f"create table t (a int) partition by range columns (a) interval {interval}"
    with pytest.raises(DdlError, match=what) as caught:
        Catalogue.with_schemas("d").apply(sql, "d")
    assert caught.value.column == 55
