"""Promises of the public functions in somebody's own job: rows, poison, zones, registries."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import cdc_spark
from cdc_spark.errors import UsageError
from harness.load.session import end
from tests.cdc_spark import messages, vitess_records
from tests.cdc_spark.avro_messages import ID, Publisher, column
from tests.cdc_spark.registry_server import published

# PySpark leaves the sockets of its results to the collector.
SOCKETS = "ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning"
pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings(SOCKETS)]

SHAPE = "topic string, partition int, offset bigint, key binary, value binary"
ROOT = Path(__file__).parents[2]
ZONES = ("UTC", "America/New_York", "Asia/Shanghai")
Record = tuple[bytes | None, bytes | None]


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    """Return a session as anybody's: another zone than UTC, in Java and Spark, and ASCII files."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 - only where Spark is

    from tests.cdc_spark.delta.files_lab import end_shared_session  # noqa: PLC0415 - as above

    end_shared_session()
    java = "-Duser.timezone=America/New_York -Dfile.encoding=US-ASCII"
    short = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # it ends before more would pay
    builder: Any = SparkSession.builder
    settings = {
        "spark.master": "local[1]",
        "spark.ui.enabled": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.extraJavaOptions": f"{java} {short}",
        "spark.sql.session.timeZone": "America/New_York",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.warehouse.dir": str(Path(tempfile.gettempdir(), "cdc-spark-warehouse")),
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    wanted = {"PYTHONPATH": str(ROOT), "PYSPARK_PYTHON": sys.executable}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in wanted.items():
            patch.setenv(name, value)
        spark = builder.getOrCreate()
        yield spark
        end(spark)


@pytest.fixture
def registry() -> Iterator[tuple[str, Publisher]]:
    """Return a registry's address, and what publishes into it."""
    source = Publisher()
    with published(source) as url:
        yield url, source


def kafka(session: Any, records: Sequence[Record]) -> Any:
    """Return records as Spark's Kafka source gives them."""
    rows = [("topic", 3, offset, *record) for offset, record in enumerate(records)]
    return session.createDataFrame(
        [(t, p, o, k and bytearray(k), v and bytearray(v)) for t, p, o, k, v in rows], SHAPE
    )


def rows_of(events: Any) -> list[dict[str, Any]]:
    """Return events in order, as dictionaries."""
    return [row.asDict(recursive=True) for row in events.orderBy("offset", "slot").collect()]


def test_open_messages_become_events(session: Any) -> None:
    """Several events of one message have slots; DDL and marks are rows too."""
    batch = messages.message(messages.put(2, 1, "né😀"), messages.gone(3, 2))
    ddl = messages.message(messages.ddl(4, "DROP TABLE t", 4))
    frame = kafka(session, [batch, ddl, messages.message(messages.resolved(2**64 - 1))])
    found = rows_of(cdc_spark.decode_open(frame))
    assert [(one["op"], one["slot"]) for one in found] == [
        ("upsert", 0),
        ("delete", 1),
        ("ddl", 0),
        ("resolved", 0),
    ]
    assert json.loads(found[0]["after"]) == {"id": 1, "v": "né😀"}
    assert found[0]["identity"] == '["test","t",1]'
    assert (found[0]["key"], found[0]["partition"]) == (["id"], 3)
    assert found[2]["query"] == "DROP TABLE t"
    assert int(found[3]["commit_ts"]) == 2**64 - 1


def test_avro_messages_become_events(session: Any, registry: tuple[str, Publisher]) -> None:
    """Schemas of many ids are read from the registry; a tombstone deletes and tells no time."""
    url, source = registry
    moment = column(("m", "string", "DATETIME"))
    records = [
        source.put(7, {"id": 1}),
        source.put(8, {"id": 2, "m": "2024-03-10 02:30:00"}, moment),
        (source.key(1), None),
    ]
    found = rows_of(cdc_spark.decode_avro(kafka(session, records), url))
    assert [(one["op"], one["commit_ts"] and int(one["commit_ts"])) for one in found] == [
        ("upsert", 7),
        ("upsert", 8),
        ("delete", None),
    ]
    assert json.loads(found[1]["after"]) == {"id": 2, "m": "2024-03-10 02:30:00"}
    assert json.loads(found[2]["before"]) == {"id": 1}


@pytest.mark.parametrize("zone", ZONES)
def test_no_zone_moves_a_vitess_moment(session: Any, zone: str) -> None:
    """A DATETIME in a gap of the zone's clock comes out as it was stored."""
    session.conf.set("spark.sql.session.timeZone", zone)
    kind = "io.debezium.time.Timestamp"
    fields = [vitess_records.field(one) for one in (vitess_records.ID, ("m", "int64", kind))]
    row = {"id": 1, "m": 1520735400000}
    block = vitess_records.block("t1", 1, 0, 5)
    change = vitess_records.change("c", None, row, transaction=block)
    records = [
        (b'{"id":1}', vitess_records.enveloped(change, *fields)),
        (b'{"id":1}', None),
        (b'{"id":"t1"}', vitess_records.plain(vitess_records.end("t1", 1))),
    ]
    found = rows_of(cdc_spark.decode_vitess(kafka(session, records)))
    assert [one["op"] for one in found] == ["upsert", "tombstone", "end"]
    assert json.loads(found[0]["after"]) == {"id": 1, "m": "2018-03-11 02:30:00.000"}
    assert found[0]["transaction"]["rank"] == "5"
    assert found[2]["transaction"]["event_count"] == 1


def test_records_of_mariadb_become_events(session: Any, tmp_path: Path) -> None:
    """Rows have their place in the log, statements come too; ordered rows say what is newest."""
    place = {"snapshot": "false", "server_id": 1, "gtid": "0-1-7", "file": "b.000001"}
    place |= {"pos": -40, "row": 0}
    source = {"ts_ms": 1000, "db": "shop", "table": "t", **place}
    fields = [vitess_records.field(one) for one in (vitess_records.ID, ("b", "boolean", ""))]
    image = {"before": None, "after": {"id": 1, "b": True}, "op": "c", "transaction": None}
    statement = {"source": source, "databaseName": "shop", "ddl": "ALTER TABLE t ADD b BOOL"}
    truncation = {"before": None, "after": None, "op": "t", "source": source}
    records = [
        (b'{"id":1}', vitess_records.enveloped({**image, "source": source}, *fields)),
        (b'{"id":1}', None),
        (b'{"databaseName":"shop"}', vitess_records.plain(statement)),
        (None, vitess_records.plain(truncation)),
    ]
    found = rows_of(cdc_spark.decode_debezium(kafka(session, records)))
    assert [(one["op"], one["query"]) for one in found] == [
        ("upsert", None),
        ("tombstone", None),
        ("ddl", "ALTER TABLE t ADD b BOOL"),
        ("ddl", "TRUNCATE TABLE `t`"),
    ]
    assert (found[0]["after"], found[0]["identity"]) == ('{"id":1,"b":1}', '["shop","t",1]')
    assert [one["position"] and json.loads(one["position"]) for one in found] == [
        place,
        None,
        place,
        place,
    ]
    path = (tmp_path / "bronze").as_uri()
    kafka(session, records[:1]).write.parquet(path)
    feed = cdc_spark.Changefeed("debezium-mysql", {"topic": 4})
    stream = cdc_spark.in_order(session.readStream.schema(SHAPE).parquet(path), feed)
    writer = stream.writeStream.format("memory").queryName("mariadb").trigger(availableNow=True)
    writer.option("checkpointLocation", (tmp_path / "c").as_uri()).start().awaitTermination()
    (row,) = session.table("mariadb").collect()
    payload = json.loads(row.payload)
    assert (payload["after"], payload["since"]) == ({"id": 1, "b": 1}, (1 << 31) + 7)


def test_poison_fails_the_query_and_names_its_place(session: Any) -> None:
    """The declared policy `fail` tells topic, partition and offset."""
    frame = kafka(session, [messages.message(messages.put(1, 1, "a")), (b"nonsense", b"")])
    with pytest.raises(Exception, match="topic topic, partition 3, offset 1"):
        cdc_spark.decode_open(frame).collect()


def test_poison_that_is_set_aside_is_reported(
    session: Any, registry: tuple[str, Publisher]
) -> None:
    """The policy `dead_letter` keeps everything else, and tells of each message what is wrong."""
    url, source = registry
    records = [source.put(1, {"id": 1}), (b"\0\0\0\0\x63\0", None), source.put(2, {"id": 2})]
    events = cdc_spark.decode_avro(kafka(session, records), url, poison="dead_letter")
    assert [one["op"] for one in rows_of(events)] == ["upsert", "poison", "upsert"]
    (letter,) = cdc_spark.dead_letters(events).collect()
    assert (letter.topic, letter.partition, letter.offset) == ("topic", 3, 1)
    assert "no schema of id 99" in letter.reason


def test_a_letter_has_all_that_was_in_kafka(session: Any) -> None:
    """Key, value, headers and timestamp; it can be decoded again as it is."""
    shape = f"{SHAPE}, headers array<struct<key: string, value: binary>>, timestamp timestamp"
    at = datetime.fromtimestamp(1.5, UTC)
    headers = [("h", bytearray(b"\0"))]
    frame = session.createDataFrame(
        [("t", 0, 9, bytearray(b"not"), bytearray(b"ours"), headers, at)], shape
    )
    events = cdc_spark.decode_open(frame, poison="dead_letter")
    letters = cdc_spark.dead_letters(events)
    (letter,) = letters.collect()
    assert (bytes(letter.key), bytes(letter.value), letter.timestamp) == (b"not", b"ours", 1500)
    assert [(one.key, bytes(one.value)) for one in letter.headers] == [("h", b"\0")]
    (again,) = cdc_spark.dead_letters(cdc_spark.decode_open(letters, skip=[("t", 0, 9)])).collect()
    assert again.asDict() == {**letter.asDict(), "reason": f"skipped by name: {letter.reason}"}


@pytest.mark.parametrize(
    "kind", ["array<struct<key: string, value: binary>>", "string", "array<string>"]
)
def test_a_list_of_headers_is_never_null(session: Any, kind: str) -> None:
    """It is empty instead: a batch of null lists takes quadratic time on its way to Python."""
    frame = session.createDataFrame([], f"{SHAPE}, headers {kind}")
    for given in (frame, frame.drop("headers")):
        assert not cdc_spark.kafka_columns(given).schema["headers"].nullable


def test_a_table_of_keys_and_values_is_read(session: Any) -> None:
    """Text as well as bytes; where nobody kept its place, an event has none."""
    change = vitess_records.plain(vitess_records.change("c", None, {"id": 1}))
    frame = session.createDataFrame(
        [('{"id":1}', change.decode(), "noon")], "key string, value string, timestamp string"
    )
    (event,) = cdc_spark.decode_vitess(frame).collect()
    assert (event.op, event.after, event.topic, event.offset) == ("upsert", '{"id":1}', None, None)
    with pytest.raises(UsageError, match="the messages have no column 'value'"):
        cdc_spark.decode_vitess(frame.drop("value"))
    with pytest.raises(UsageError, match="the messages have no column 'topic'"):
        cdc_spark.in_order(frame, cdc_spark.Changefeed("open", {"t": 1}))


def test_files_are_read_as_a_stream_and_at_once_alike(session: Any, tmp_path: Path) -> None:
    """What a stream of files gives is what a batch gives."""
    records = [messages.message(messages.put(at, at, "a")) for at in range(1, 4)]
    path = (tmp_path / "bronze").as_uri()
    kafka(session, records).write.parquet(path)
    stream = cdc_spark.decode_open(session.readStream.schema(SHAPE).parquet(path))
    writer = stream.writeStream.format("memory").queryName("bronze").trigger(availableNow=True)
    writer.option("checkpointLocation", (tmp_path / "c").as_uri()).start().awaitTermination()
    assert rows_of(session.table("bronze")) == rows_of(
        cdc_spark.decode_open(session.read.parquet(path))
    )
    assert session.table("bronze").count() == len(records)


def test_an_unknown_policy_or_dialect_is_refused() -> None:
    """A mistake of the caller is told at once, before any Spark."""
    for wrong in ({"poison": "ignore"}, {"dialect": "5"}):
        with pytest.raises(UsageError):
            cdc_spark.decode_open(None, **wrong)


def test_rows_become_typed_tables(session: Any, registry: tuple[str, Publisher]) -> None:
    """The JSON of a row is what Spark's own `from_json` makes columns of."""
    url, source = registry
    number = column(("n", "string", "BIGINT UNSIGNED"))
    events = cdc_spark.decode_avro(
        kafka(session, [source.put(1, {"id": 1, "n": str(2**64 - 1)}, number)]), url
    )
    (row,) = events.selectExpr("from_json(after, 'id int, n decimal(20,0)') as row").collect()
    assert (row.row.id, int(row.row.n)) == (1, 2**64 - 1)
    assert ID[0] == "id"
