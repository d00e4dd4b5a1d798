"""What is done to one Delta table: make, merge, change columns, truncate.

Everything is done once. A write of rows carries the app's id and a version
(`txnAppId`, `txnVersion`), and Delta passes over one that it has seen. A change of columns cannot
carry them: before it the table notes the version in its properties, so that what came before is
known to be done, and its steps say whether they are still to be done.

Source: Delta Lake 4.0 documentation, §Idempotent table writes in foreachBatch, §Delta column
mapping.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException

from cdc_spark import rows
from cdc_spark.apply.schema import Family
from cdc_spark.delta import alter, delta_log
from cdc_spark.delta.born import Born
from cdc_spark.delta.columns import DELETED, EXACT, SEQ, TS
from cdc_spark.delta.convert import (
    FOUND,
    OP,
    PUT,
    TOKEN,
    Rewritten,
    Typed,
    quoted,
    sql,
)
from cdc_spark.delta.crash_points import Reach, nowhere
from cdc_spark.delta.plan import Reshape, Write
from cdc_spark.errors import ForeignTablesError, LostTablesError
from cdc_spark.untyped import Frame, Session

VERSION = "cdc.version"  # a table's property: what has a lower version is done
# Delta enables this by itself where a table is made with such a column, not where it gets one.
_NTZ = "delta.feature.timestampNtz"
_WITH = " with all up to "  # what follows who made a table, and the version it was made at
_CONF = "spark.databricks.delta.write."
_VIEW = "cdc_changes"
# Id, version and view of a statement are the whole session's: one at a time. Rows that are written
# without a statement bring an id and a version of their own, which Delta takes first.
_STATEMENT = Lock()
# Columns keep their files when they are renamed or dropped.
OPTIONS: Mapping[str, str] = {"delta.columnMapping.mode": "name"}
_ABSENT = frozenset(
    {
        "DELTA_TABLE_NOT_FOUND",
        "DELTA_PATH_DOES_NOT_EXIST",
        "DELTA_MISSING_DELTA_TABLE",
        "PATH_NOT_FOUND",
    }
)
_INEXACT = frozenset({Family.DATE, Family.DATETIME})


@dataclass(frozen=True, slots=True)
class Place:
    """A Delta table: its URI, the id under which we write to it, and the query that makes it.

    `soft`: rows that are deleted stay, and say so.
    """

    spark: Session
    uri: str
    app_id: str
    reach: Reach = nowhere
    owner: str = ""
    soft: bool = False

    @property
    def name(self) -> str:
        """Return the table as SQL has it."""
        return f"delta.{quoted(self.uri)}"

    def exists(self) -> bool:
        """Return whether the table is there; LostTablesError for a log with gaps, else as Delta."""
        try:
            _ = self.frame().schema  # over Connect nothing is looked at before it is asked for
        except (PySparkException, Py4JError) as error:
            # Spark 3.5 has the older name alone.
            names = ("getCondition", "getErrorClass")
            asked = [getattr(error, name) for name in names if hasattr(error, name)]
            condition = (asked[0]() if asked else None) or ""
            if condition.partition(".")[0] in _ABSENT:
                return False
            if delta_log.has_gaps(error):
                raise self._lost(str(error)) from error
            raise
        return True

    def frame(self) -> Frame:
        """Return the table's rows."""
        return self.spark.read.format("delta").load(self.uri)

    def log_version(self) -> int:
        """Return the version of the table's log, -1 where there is no table."""
        return delta_log.version(self.spark, self.uri) if self.exists() else -1

    def at_least(self, version: int) -> None:
        """Raise LostTablesError where the table's log is not as far as it was; -1: it was not."""
        if version >= 0 and (now := self.log_version()) < version:
            raise self._lost(f"it is at version {now}, and was at {version}")

    def _lost(self, what: str) -> LostTablesError:
        said = next((line for line in what.splitlines() if "DELTA_" in line), what)
        return LostTablesError(
            f"the table {self.uri} has lost entries of its log: {said.strip()[-300:]}",
            expected="all entries of its _delta_log that were ever written",
            hint="bring them back from a copy and restart, and nothing is missing; without one,"
            " build the tables anew with a new checkpoint and a new root",
        )

    def append(self, frame: Frame, version: int, **options: str) -> None:
        """Append rows, once; makes the table."""
        writer = frame.write.format("delta").mode(options.pop("mode", "append"))
        options = {"txnAppId": self.app_id, "txnVersion": str(version), **OPTIONS, **options}
        writer.options(**options).save(self.uri)

    def done(self) -> int:
        """Return the version that the table has noted; what is below it is done."""
        return delta_log.noted(self.spark, self.uri, VERSION) if self.exists() else 0

    def write(self, write: Write, applied: Frame) -> None:
        """Write applied changes of the table, once; raises ForeignTablesError for another's table.

        One that is to be made and is there already was made by this query, in an attempt at the
        same batch that was broken off; its rows are merged, so that each is there once.
        """
        new = write.new and not self._made()
        made = {"userMetadata": self.owner} if new else {}
        typed = Typed(write)
        shape = sql(write.layout, with_op=True)
        if write.rows:
            batch = typed.given()
            given = self.spark.createDataFrame(batch.to_pylist(), sql(write.layout))
            self.append(given, write.version, **made)
            return
        if write.key:
            changes = applied.mapInArrow(typed.keyed, shape)
        else:
            changes = self._found(applied, typed, new=new).mapInArrow(typed.keyless, shape)
        if new:
            self.append(changes.where(f"{OP} = '{PUT}'").drop(OP), write.version, **made)
        else:
            self._merge(changes, write)

    def make(self, born: Born, applied: Frame) -> bool:
        """Make a table with all that a batch does to it, once; return whether this did it.

        It did not where an attempt of another release at the same batch made the table otherwise.
        """
        version = max(one.version for one in born.operations)
        if self._made():
            return self._maker() == f"{self.owner}{_WITH}{version}"
        found = applied.mapInArrow(born.rows, sql(born.layout))
        self.append(found, version, userMetadata=f"{self.owner}{_WITH}{version}")
        return True

    def _made(self) -> bool:
        """Return whether this query has made the table; ForeignTablesError where another has."""
        if not self.exists():
            return False
        maker = self._maker()
        if maker.partition(_WITH)[0] != self.owner:
            raise ForeignTablesError(
                f"the table {self.uri} is to be made, and is there already: {maker or 'nobody'}"
                " made it",
                expected=f"no table, or one of {self.owner}",
                hint="a root without its ledger cannot be gone on with: take an empty one, with a"
                " new checkpoint",
            )
        return True

    def _maker(self) -> str:
        """Return what the first entry of the table's log says of who made it."""
        history = self.spark.sql(f"DESCRIBE HISTORY {self.name}")
        (first,) = history.where("version = 0").select("userMetadata").collect() or [[None]]
        return first[0] or ""

    def reshape(self, reshape: Reshape, done: int) -> None:
        """Change the columns, or empty the table; `done` is what the table has noted."""
        effect = reshape.effect
        if effect.after is None:
            self._dml(self._emptied(reshape.ts), reshape.version)
            return
        properties = {VERSION: f"{reshape.version}"} if done < reshape.version else {}
        # To enable it again does nothing: a note without it may be of a release that lacked this.
        if any(one.type == "timestamp_ntz" for one in effect.after):
            properties[_NTZ] = "supported"
        if properties:
            pairs = ", ".join(f"'{name}' = '{value}'" for name, value in properties.items())
            self.spark.sql(f"ALTER TABLE {self.name} SET TBLPROPERTIES ({pairs})")
            self.reach("note")
        steps = alter.steps(effect)
        if steps is None:
            self._rewrite(reshape)
            return
        for step in steps:
            if step.due(self.frame().columns):
                self.spark.sql(f"ALTER TABLE {self.name} {_alteration(step)}")
                self.reach("alter")

    def _emptied(self, ts: int) -> str:
        if not self.soft:
            return f"DELETE FROM {self.name}"  # noqa: S608 - a quoted name
        return f"UPDATE {self.name} SET {DELETED} = true, {TS} = {ts} WHERE NOT {DELETED}"  # noqa: S608 - as above

    def _rewrite(self, reshape: Reshape) -> None:
        effect = reshape.effect
        assert effect.after is not None
        made = Rewritten(effect, self.soft, reshape.ts or None)
        frame = self.frame().mapInArrow(made.rows, sql(effect.after))
        self.append(frame, reshape.version, mode="overwrite", overwriteSchema="true")

    def _found(self, applied: Frame, typed: Typed, *, new: bool) -> Frame:
        """Return changes of a keyless table, and before them the rows that they may mean."""
        asked = applied.mapInArrow(typed.asked, rows.sql(FOUND))
        if not new:
            wanted = applied.mapInArrow(typed.wanted, rows.sql(TOKEN)).select("token")
            held = self.frame().mapInArrow(typed.held, rows.sql(TOKEN))
            meant = held.join(wanted, "token", "left_semi").drop("token").dropDuplicates(["seq"])
            asked = meant.unionByName(asked)
        return asked.repartition(1).sortWithinPartitions("side", "seq")

    def _merge(self, changes: Frame, write: Write) -> None:
        where = " AND ".join(_conditions(write)) if write.key else f"t.{SEQ} = s.{SEQ}"
        self._dml(
            f"MERGE INTO {self.name} t USING {_VIEW} s ON {where}"
            f" WHEN MATCHED AND s.{OP} <> '{PUT}' THEN {self._deleted()}"
            " WHEN MATCHED THEN UPDATE SET *"
            f" WHEN NOT MATCHED AND s.{OP} = '{PUT}' THEN INSERT *",
            write.version,
            changes,
        )

    def _deleted(self) -> str:
        if not self.soft:
            return "DELETE"
        return "UPDATE SET " + ", ".join(f"t.{one} = s.{one}" for one in (SEQ, TS, DELETED))

    def _dml(self, statement: str, version: int, source: Frame | None = None) -> None:
        with _STATEMENT, _once(self.spark, self.app_id, version):
            if source is not None:
                source.createOrReplaceTempView(_VIEW)
            self.spark.sql(statement)


@contextmanager
def _once(spark: Session, app_id: str, version: int) -> Generator[None]:
    """Let Delta pass over a statement that it has seen; SQL has no other way to say it."""
    spark.conf.set(f"{_CONF}txnAppId", app_id)
    spark.conf.set(f"{_CONF}txnVersion", str(version))
    try:
        yield
    finally:
        spark.conf.unset(f"{_CONF}txnAppId")
        spark.conf.unset(f"{_CONF}txnVersion")


def _conditions(write: Write) -> Iterator[str]:
    by_name = {one.name.lower(): one for one in write.layout}
    for name in write.key:
        field = by_name[name.lower()]
        yield f"t.{quoted(field.name)} <=> s.{quoted(field.name)}"
        if field.column is not None and field.column.family in _INEXACT:
            member = f"[{_literal(field.name)}]"
            sides = [f"from_json({side}.{EXACT}, 'map<string,string>'){member}" for side in "ts"]
            yield " <=> ".join(sides)


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _alteration(step: alter.Step) -> str:
    if not step.old:
        return f"ADD COLUMNS ({quoted(step.new)} {step.type})"
    if not step.new:
        return f"DROP COLUMN {quoted(step.old)}"
    return f"RENAME COLUMN {quoted(step.old)} TO {quoted(step.new)}"
