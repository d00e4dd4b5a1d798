"""The tables of a root under names of the session's catalog, as tables come, go and are renamed.

What a name stands for is told by Delta's id of a table, not by its path, which catalogs write in
their own ways. A name that stands for a table of somebody else's is never taken away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from pyspark.errors import PySparkException

from cdc_spark.delta.sketch import Sketch
from cdc_spark.errors import UsageError
from cdc_spark.untyped import Session

CatalogNames = Callable[
    [str, str], str
]  # schema and table, as in the stream -> name in the catalog
Paths = Mapping[str, str]  # by name in the catalog


class Change(NamedTuple):
    """What the catalog is to have, by what it had before a micro-batch."""

    before: Paths
    after: Paths


def named(names: CatalogNames, sketches: Iterable[Sketch]) -> dict[str, str]:
    """Return the paths of tables that are there by their names; UsageError for two of one name."""
    found: dict[str, Sketch] = {}
    for one in sketches:
        if not one.made:
            continue
        name = names(one.schema, one.name)
        other = found.setdefault(name, one)
        if other is not one:
            raise UsageError(
                f"{other.schema}.{other.name} and {one.schema}.{one.name} have one name in the"
                f" catalog: {name}",
                expected="a name for each table",
                hint="the function `catalog` of write_delta gives them",
            )
    return {name: one.path for name, one in found.items()}


def bring(spark: Session, root: str, change: Change) -> None:
    """Let the catalog have the tables of a root, whatever it has of them already.

    Raises UsageError where a name stands for a table of another root.
    """
    before, after = change
    for name in before.keys() - after.keys():
        found = _id(spark, name)
        if found is not None and found == _id_of_path(spark, root, before[name]):
            spark.sql(f"DROP TABLE {name}")
    for name, path in after.items():
        if spark.catalog.tableExists(name):
            found, wanted = _id(spark, name), _id_of_path(spark, root, path)
            if found is not None and found == wanted:
                continue
            if (
                found is None
                or name not in before
                or found != _id_of_path(spark, root, before[name])
            ):
                raise UsageError(
                    f"{name} is another table in the catalog, and not the one under {root}/{path}",
                    expected="a name that nothing else has",
                    hint="the function `catalog` of write_delta gives another, or DROP TABLE takes"
                    " it away; nothing of this batch is committed",
                )
            spark.sql(f"DROP TABLE {name}")
        location = f"{root}/{path}".replace("\\", "\\\\").replace("'", "\\'")
        spark.sql(f"CREATE TABLE {name} USING delta LOCATION '{location}'")


def _id_of_path(spark: Session, root: str, path: str) -> str | None:
    return _id(spark, f"delta.`{f'{root}/{path}'.replace('`', '``')}`")


def _id(spark: Session, name: str) -> str | None:
    """Return Delta's id of a table, None where there is none or it is no table of Delta's."""
    try:
        return str(spark.sql(f"DESCRIBE DETAIL {name}").collect()[0]["id"])
    except PySparkException:
        return None
