# ruff: noqa: INP001 - an example, not a package
"""A writer for Iceberg tables that a team has made: rows by key, each step in one commit.

    write_tables(changes, orders, IcebergTables("lake"), checkpoint="s3://lake/c")

`lake` is a catalog of the session's. What commits a step has it in its snapshot's summary, and a
step that is there is passed over. A statement stops the query until a person has brought the table
to it, and says so in `done` by its text. A column of bytes is text: hexadecimal digits.
"""

from __future__ import annotations

from collections.abc import Collection

from pyspark.sql import DataFrame
from pyspark.sql.functions import coalesce, from_json

from cdc_spark import Step

NOTE = "spark.sql.iceberg.snapshot-property.cdc."
STEP = "summary['cdc.query'], bigint(summary['cdc.batch']), bigint(summary['cdc.number'])"


class IcebergTables:
    """Tables of a catalog, under the names that they have in the changefeed."""

    def __init__(self, catalog: str, done: Collection[str] = ()) -> None:
        """Take the catalog's name, and the statements that a person has done there."""
        self.catalog, self.done = catalog, done

    def rows(self, step: Step, schema: str, table: str, changes: DataFrame) -> None:
        """Merge rows."""
        spark, name = changes.sparkSession, f"{self.catalog}.`{schema}`.`{table}`"
        noted = spark.sql(f"SELECT {STEP} FROM {name}.snapshots ORDER BY committed_at")  # noqa: S608 - a name of the stream
        steps = [Step(*one) for one in noted.collect() if one[0]]
        if steps and steps[-1].query != step.query:
            raise ValueError(f"{name} belongs to the query {steps[-1].query}, not to {step.query}")
        if steps and steps[-1] >= step:
            return
        if not (key := changes.first()["key"]):
            raise ValueError(f"{name} has no key")
        row = from_json(coalesce("after", "before"), spark.table(name).schema)
        changes.select("_op", row.alias("row")).createOrReplaceTempView("changes")
        for part, value in step._asdict().items():
            spark.conf.set(f"{NOTE}{part}", value)
        spark.sql(
            f"MERGE INTO {name} t USING (SELECT _op, row.* FROM changes) c"  # noqa: S608 - as above
            f" ON {' AND '.join(f't.`{one}` = c.`{one}`' for one in key)}"
            " WHEN MATCHED AND _op = 'delete' THEN DELETE WHEN MATCHED THEN UPDATE SET *"
            " WHEN NOT MATCHED AND _op <> 'delete' THEN INSERT *"
        )

    def statement(self, step: Step, schema: str, table: str, query: str) -> None:
        """Pass over what a person has done."""
        if query not in self.done:
            raise ValueError(f"batch {step.batch}: {schema}.{table} waits for a person: {query}")

    def set_aside(self, step: Step, messages: DataFrame) -> None:
        """Refuse what could not be read: this writer has no place for it."""
        raise ValueError(f"{messages.count()} messages of batch {step.batch} were set aside")
