"""Promises of `load` and `verify` on Spark: what is planted is found, and nothing else is."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import cdc_spark
from harness.errors import SetupError, UsageError
from harness.load import job
from harness.load.compare import STATES, Compared, compare
from harness.load.encoding import prepared
from harness.load.outputs import Output
from harness.load.session import Master, session
from harness.load.spec import checked
from harness.load.surviving_tables import LeftTable, left_tables
from harness.load.topics import prepare
from harness.services import start
from tests.load import reading

# PySpark leaves the sockets of its results to the collector.
SOCKETS = "ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning"
pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings(SOCKETS)]
SPEC = checked({"events": 600, "tables": 3, "partitions": 2, "mark": 50, "ddl": 3})
TABLES = {table.name: table for table in left_tables(SPEC)}
ORDERS = TABLES["load.orders_0"]
DEADLINE_S = 900
_FEATURES = {key: ["timestampNtz"] for key in ("readerFeatures", "writerFeatures")}
_ADDED = {"partitionValues": {}, "modificationTime": 0, "dataChange": True}
# What makes a short session short: nothing is compiled or planned twice.
JAVA = "spark.driver.defaultJavaOptions"
SMALL = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    JAVA: "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Return a session as the commands have it."""
    from tests.cdc_spark.delta.files_lab import end_shared_session  # noqa: PLC0415 - needs Spark

    end_shared_session()
    scratch = tmp_path_factory.mktemp("load")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("PYTHONPATH", "PYSPARK_PYTHON", "JAVA_HOME", "SPARK_LOCAL_IP"):
            patch.setenv(name, "")
        patch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
        log = f"-Dderby.stream.error.file={scratch / 'derby.log'}"
        java = {JAVA: f"{SMALL[JAVA]} {log}"}
        with session(Master("local[2]", {**SMALL, **java}), ("spark",), scratch) as started:
            yield started


@pytest.fixture(scope="module")
def expected(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the expected tables, written and read back."""
    directory = str(tmp_path_factory.mktemp("expected"))
    job.write_expected(spark, SPEC, job.expected(spark, SPEC), directory)
    spec, frames = job.read_expected(spark, directory)
    assert spec == SPEC
    return frames


def test_the_expected_state_is_typed_and_whole(expected: dict[str, Any]) -> None:
    """Each table has the generator's rows in Spark's own types."""
    known = reading.expected(SPEC)
    for name, frame in expected.items():
        assert frame.count() == len(known[name])
    kinds = dict(expected[ORDERS.name].dtypes)
    assert kinds["user_id"] == "decimal(20,0)"
    assert kinds["made"] == "timestamp_ntz"
    ids = {row.id for row in expected[ORDERS.name].select("id").collect()}
    assert ids == {int(row[0] or 0) for row in known[ORDERS.name]}


def planted(frame: Any) -> Any:
    """Return the orders with one difference of each kind, in four keys, and other types."""
    ids = [row.id for row in frame.select("id").orderBy("id").limit(4).collect()]
    other = frame.where(f"id <> {ids[0]}").withColumn("own", frame["id"])
    other = other.selectExpr(
        *(name for name in other.columns if name not in {"price", "status"}),
        "cast(price as string) as price",
        f"case when id = {ids[1]} then 99 else cast(status as bigint) end as status",
    )
    extra = other.where(f"id = {ids[1]}").selectExpr(
        *(f"-id as {name}" if name == "id" else f"`{name}`" for name in other.columns)
    )
    return ids, other.unionByName(extra).unionByName(other.where(f"id = {ids[2]}"))


def test_each_kind_of_difference_is_found(expected: dict[str, Any]) -> None:
    """A missing, an extra, a repeated and a wrong row are told with their keys and values."""
    frame = expected[ORDERS.name]
    (gone, wrong, twice, _), output = planted(frame)
    found = compare(ORDERS, frame, output)
    assert found.states == dict.fromkeys(STATES, 1)
    by_state = {sample.state: sample for sample in found.samples}
    assert by_state["missing"].key == {"id": str(gone)}
    assert by_state["extra"].key == {"id": str(-wrong)}
    assert by_state["repeated"].key == {"id": str(twice)}
    assert by_state["different"].key == {"id": str(wrong)}
    assert by_state["different"].columns["status"][1] == "99"
    assert set(by_state["different"].columns) == {"status"}
    assert (found.expected, found.output) == (frame.count(), frame.count() + 1)
    assert found.unknown == ("own",)


def same(found: Compared) -> bool:
    """Return whether nothing differs, and something was compared."""
    return found.same and found.expected == found.output > 0


def test_types_may_differ_where_values_do_not(expected: dict[str, Any]) -> None:
    """Texts of numbers and moments are read as what is expected; what is no number is wrong."""
    frame = expected["load.items_1"]
    texts = frame.selectExpr(*(f"cast(`{name}` as string) as `{name}`" for name in frame.columns))
    assert same(compare(TABLES["load.items_1"], frame, texts))
    broken = texts.withColumn("quantity", texts["code"])
    found = compare(TABLES["load.items_1"], frame, broken, samples=2)
    assert found.states["different"] == frame.count()
    assert len(found.samples) == 2
    assert found.samples[0].columns["quantity"][1] == found.samples[0].key["code"]


def test_a_column_or_a_table_that_is_not_there(spark: Any, expected: dict[str, Any]) -> None:
    """A lacking column is NULL in every row, a lacking table lacks them all."""
    frame = expected[ORDERS.name]
    found = compare(ORDERS, frame, frame.drop("score"))
    assert found.lacking == ("score",)
    assert found.states["different"] == frame.count()
    nowhere = Output("/nowhere/at/all").read(spark, ORDERS.name)
    assert nowhere is None
    found = compare(ORDERS, frame, nowhere)
    assert found.states["missing"] == frame.count()
    assert found.output == 0


def test_every_format_is_read(spark: Any, expected: dict[str, Any], tmp_path: Path) -> None:
    """Parquet, JSON and JDBC give the same rows to compare."""
    database = f"jdbc:derby:{tmp_path / 'derby'};create=true"
    # Spark's dialect of Derby cannot write a NULL into a text.
    frame = expected["load.items_1"].where("tag is not null")
    table = TABLES["load.items_1"]
    frame.write.parquet(str(tmp_path / table.name))
    frame.write.json(str(tmp_path / f"{table.name}.jsonl"))
    frame.write.option("createTableColumnTypes", "tag varchar(40), code varchar(24)").jdbc(
        database, "items_1"
    )
    for output in (
        Output(str(tmp_path)),
        Output(str(tmp_path), "json", "{schema}.{table}.jsonl"),
        Output(database, "jdbc", "{table}"),
    ):
        assert same(compare(table, frame, output.read(spark, table.name)))
    with pytest.raises(SetupError):
        Output("jdbc:nothing:", "jdbc").read(spark, table.name)


def test_delta_tables_are_read_without_another_option(
    spark: Any, expected: dict[str, Any], tmp_path: Path
) -> None:
    """`harness verify --format delta` has the jars and the settings that Delta asks for."""
    places = tmp_path / "expected", tmp_path / "output"
    job.write_expected(spark, SPEC, expected, str(places[0]))
    for name, frame in expected.items():
        _as_delta(frame, places[1] / name)
    command = [sys.executable, "-m", "harness", "verify", "--format", "delta"]
    words = ["--expected", str(places[0]), "--spark", str(places[1])]
    done = subprocess.run(
        [*command, *words], capture_output=True, text=True, timeout=DEADLINE_S, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("all rows are there and right\n")


def _as_delta(frame: Any, place: Path) -> None:
    """Write a table of Delta's: Parquet files, and a log whose one entry names them."""
    frame.write.parquet(str(place))
    kinds: list[dict[str, Any]] = [
        {"protocol": {"minReaderVersion": 3, "minWriterVersion": 7} | _FEATURES},
        {
            "metaData": {
                "id": "1",
                "format": {"provider": "parquet", "options": {}},
                "schemaString": frame.schema.json(),
                "partitionColumns": [],
                "configuration": {},
            }
        },
    ]
    for file in place.glob("*.parquet"):
        size = file.stat().st_size
        kinds.append({"add": {"path": file.name, "size": size} | _ADDED})
    (place / "_delta_log").mkdir()
    log = "\n".join(map(json.dumps, kinds))
    (place / "_delta_log" / f"{0:020}.json").write_text(log, encoding="utf-8")


def test_what_holds_no_expected_state_is_refused(spark: Any, tmp_path: Path) -> None:
    """A wrong directory is the user's mistake."""
    with pytest.raises(UsageError, match="holds no expected state"):
        job.read_expected(spark, str(tmp_path))


def consumed(events: Any, table: LeftTable) -> Any:
    """Return the table that the bundled decoder's events end in, its values as text."""
    schema, _, name = table.name.partition(".")
    newest = "partition by identity order by commit_ts desc, op = 'upsert' desc"
    return (
        events.where(f"schema = '{schema}' and table = '{name}' and op in ('upsert', 'delete')")
        .selectExpr("*", f"row_number() over ({newest}) as age")
        .where("age = 1 and op = 'upsert'")
        .selectExpr("from_json(after, 'map<string,string>') as visible")
        .selectExpr(*(f"visible['{column}'] as `{column}`" for column in table.columns))
    )


@pytest.mark.services
def test_from_the_generator_to_the_verdict(
    spark: Any, expected: dict[str, Any], tmp_path: Path
) -> None:
    """Kafka has each partition byte for byte; what is decoded from there is the expected state."""
    encoding = prepared(SPEC, "mine.")
    with start(["kafka"], run_dir=tmp_path, on_event=lambda _: None) as running:
        assert prepare(running.kafka, encoding.topics, SPEC.partitions) == ("mine.ticdc",)
        loaded = job.load(spark, job.LoadOptions(encoding, running.kafka, tasks=1))
        messages = (
            spark.read.format("kafka")
            .option("kafka.bootstrap.servers", running.kafka.bootstrap)
            .option("subscribe", "mine.ticdc")
            .load()
            .persist()
        )
        found = messages.orderBy("partition", "offset").collect()
        with pytest.raises(UsageError, match="has been written to"):
            prepare(running.kafka, encoding.topics, SPEC.partitions)
    made = [record for records in reading.messages(encoding) for record in records]
    assert [(row.partition, bytes(row.key), bytes(row.value)) for row in found] == [
        (record.partition, record.key, record.value) for record in made
    ]
    assert loaded.records == len(made)
    events = cdc_spark.decode_open(messages).persist()
    for table in TABLES.values():
        assert same(compare(table, expected[table.name], consumed(events, table)))
