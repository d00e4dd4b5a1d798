"""TiDB's own options in comments, as in statements that were not restored yet."""

from __future__ import annotations

import pytest

from harness.ddl.feature_comments import with_feature_comments


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("CREATE TABLE t(a INT)", "CREATE TABLE t(a INT)"),
        (
            "CREATE TABLE t(a INT) shard_row_id_bits = 4",
            "CREATE TABLE t(a INT) /*!90000 shard_row_id_bits = 4 */",
        ),
        (
            "CREATE TABLE t(a INT) PRE_SPLIT_REGIONS=3 ENGINE=x SHARD_ROW_ID_BITS=4;",
            "CREATE TABLE t(a INT) /*!90000 SHARD_ROW_ID_BITS=4 PRE_SPLIT_REGIONS=3 */ ENGINE=x ;",
        ),
        (
            "CREATE TABLE t(a BIGINT AUTO_RANDOM PRIMARY KEY)",
            "CREATE TABLE t(a BIGINT /*T![auto_rand] AUTO_RANDOM */ PRIMARY KEY)",
        ),
        (
            "ALTER x auto_random(3) AUTO_ID_CACHE 9",
            "ALTER x /*T![auto_rand] auto_random(3) */ /*T![auto_id_cache] AUTO_ID_CACHE 9 */",
        ),
        (
            "ALTER TABLE t auto_random_base = 7",
            "ALTER TABLE t /*T![auto_rand_base] auto_random_base = 7 */",
        ),
        (
            "CREATE TABLE t(a INT) /*T! SHARD_ROW_ID_BITS=4 */ PRE_SPLIT_REGIONS=3",
            "CREATE TABLE t(a INT) /*T! SHARD_ROW_ID_BITS=4 */ PRE_SPLIT_REGIONS=3",
        ),
    ],
)
def test_only_tidbs_options_are_put_into_comments(given: str, sent: str) -> None:
    """Each option stands in a comment of its feature, and what has comments stays as it is."""
    assert with_feature_comments(given) == sent
