"""Promises of whole runs over streams of rows: all protocols in one pack, restarts, poison."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from tests.cdc_spark import messages
from tests.cdc_spark.avro_messages import Publisher, column
from tests.cdc_spark.job_factory import Job, JobFactory
from tests.cdc_spark.registry_server import published
from tests.cdc_spark.vitess_records import (
    ID,
    VALUE,
    block,
    change,
    end,
    enveloped,
    field,
    plain,
)

pytestmark = pytest.mark.spark

SETTINGS = {"provide.transaction.metadata": "true"}
Record = tuple[bytes | None, bytes | None]
# Java in a zone with gaps, and with an encoding that knows no umlaut.
ELSEWHERE = {"JDK_JAVA_OPTIONS": "-Duser.timezone=America/New_York -Dfile.encoding=US-ASCII"}


def record(op: str, before: Any, after: Any, name: str, order: int) -> Record:
    """Return a change of a transaction, with its schema."""
    image = after or before
    document = change(op, before, after, transaction=block(name, order))
    return plain({"id": image["id"]}), enveloped(document, field(ID), field(VALUE))


def marker(name: str, count: int) -> Record:
    """Return an END."""
    return plain({"id": name}), plain(end(name, count))


def avro(source: Publisher) -> dict[str, list[Record]]:
    """Return streams of Avro by what they are."""
    text = column(("v", "string", "TEXT"))
    wider = {**column(("n", "int", "INT")), "default": 7}
    first, second = (source.put(ts, {"id": ts, "v": "é"}, text) for ts in (1, 2))
    gone = (source.key(1), None)
    last = source.put(3, {"id": 3, "v": "c", "n": 1}, text, wider)
    late = source.put(12, {"id": 3, "v": "c", "n": 1}, text, wider)
    mark: Record = (None, b"\x02" + (9).to_bytes(8, "big"))
    return {
        "avro": [first, second, gone, last] * 2,
        "avro-marked": [first, gone, second, mark, late],
        "avro-poisoned": [first, (source.key(1), b"\0\0\0\0\x63"), second],
    }


def feeds(jobs: JobFactory, source: Publisher) -> dict[str, Mapping[str, Any]]:
    """Return changefeeds of all protocols."""
    rows = {"protocol": "avro", "complete": None}
    found: dict[str, Mapping[str, Any]] = {
        name: {**rows, "topics": [jobs.topic([stream])]} for name, stream in avro(source).items()
    }
    found["avro-marked"] = {**found["avro-marked"], "complete": "at-or-below"}
    a, b = {"id": 1, "v": "a"}, {"id": 1, "v": "né"}
    data = [
        record("c", None, a, "t1", 1),
        record("u", a, b, "t2", 1),
        record("c", None, {"id": 2, "v": "x"}, "t3", 1),
    ]
    boundaries = [marker("t1", 1), marker("t2", 1)]
    topics = [jobs.topic([data]), {**jobs.topic([boundaries]), "role": "transaction"}]
    found["vitess"] = {
        "protocol": "vitess",
        "complete": None,
        "settings": SETTINGS,
        "topics": topics,
    }
    put = messages.message(messages.put(1, 1, "a"), messages.resolved(1))
    found["open"] = {"topics": [jobs.topic([[put]])]}
    return found


@pytest.fixture(scope="module")
def source() -> Publisher:
    """Return what publishes the schemas."""
    return Publisher()


@pytest.fixture(scope="module")
def registry(source: Publisher) -> Iterator[dict[str, Any]]:
    """Return the registry as job.json has it."""
    with published(source) as url:
        yield {"url": url, "properties": {}}


@pytest.fixture(scope="module")
def pack(jobs: JobFactory, source: Publisher, registry: Mapping[str, Any]) -> Job:
    """Return a job over all changefeeds that was run, Java being elsewhere."""
    job = jobs.job("rows", feeds(jobs, source), registry=registry)
    assert job.run(**ELSEWHERE)[0] == 0
    return job


def test_avro_rows_become_tables(pack: Job) -> None:
    """After a replay all is as before it; older rows take the default that the schema tells."""
    assert pack.status("avro") == {"status": "done"}
    wanted = [{"id": 2, "v": "é", "n": 7}, {"id": 3, "v": "c", "n": 1}]
    assert pack.rows("avro", "shop.t") == wanted
    reported = [(line["op"], line["commit_ts"]) for line in pack.lines("avro", "events")]
    assert reported == [
        ("insert", "1"),
        ("insert", "2"),
        ("delete", None),
        ("insert", "3"),
        ("insert", "1"),
        ("update", "2"),
        ("delete", None),
        ("update", "3"),
    ]


def test_marked_avro_rows_wait_for_their_mark(pack: Job) -> None:
    """With the watermark nothing is applied that no mark completes."""
    assert pack.status("avro-marked") == {"status": "done"}
    assert pack.rows("avro-marked", "shop.t") == [{"id": 2, "v": "é"}]


def test_vitess_transactions_are_whole_or_not_there(pack: Job) -> None:
    """What has no END stays unapplied; the others are applied in order."""
    assert pack.status("vitess") == {"status": "done"}
    assert pack.rows("vitess", "ks.t") == [{"id": 1, "v": "né"}]
    assert [line["op"] for line in pack.lines("vitess", "events")] == ["insert", "update"]


def test_poison_and_other_protocols_are_neighbours(pack: Job) -> None:
    """An unknown schema is its own changefeed's error, with its place."""
    status = pack.status("avro-poisoned")
    assert status["status"] == "error"
    assert "offset 1)" in status["error"]
    assert "99" in status["error"]
    assert pack.rows("open", "test.t") == [{"id": 1, "v": "a"}]


def test_poison_may_be_set_aside(jobs: JobFactory, pack: Job, registry: Mapping[str, Any]) -> None:
    """The policy `dead_letter` tells of the message and applies the rest."""
    poisoned = {"avro-poisoned": pack.feeds()["avro-poisoned"]}
    job = jobs.job("letters", poisoned, registry=registry)
    assert job.run(HARNESS_SPARK_POISON="dead_letter")[0] == 0
    assert job.status("avro-poisoned") == {"status": "done"}
    (letter,) = job.lines("avro-poisoned", "dead_letters")
    assert (letter["partition"], letter["offset"]) == (0, 1)
    assert [row["id"] for row in job.rows("avro-poisoned", "shop.t")] == [1, 2]


def test_a_batch_whose_commit_is_lost_takes_effect_once(
    jobs: JobFactory, pack: Job, registry: Mapping[str, Any]
) -> None:
    """Without its newest commit a checkpoint repeats a micro-batch; the answers are the same."""
    job = jobs.job("recommitted", pack.feeds(), registry=registry)
    assert job.run(HARNESS_SPARK_BATCH="6")[0] == 0
    commits = job.place / "work" / "checkpoint" / "commits"
    newest = max((path for path in commits.glob("*") if path.name.isdigit()), key=number)
    newest.unlink()
    newest.with_name(f".{newest.name}.crc").unlink(missing_ok=True)
    assert job.run(HARNESS_SPARK_BATCH="6")[0] == 0
    assert job.answers() == pack.answers()


def number(path: Any) -> int:
    """Return a micro-batch's number."""
    return int(path.name)


def test_a_registry_that_is_away_is_named(jobs: JobFactory, pack: Job) -> None:
    """It is nobody's poison: the run ends with the environment's code and one sentence."""
    away = {"url": "http://127.0.0.1:9", "properties": {"schema.registry.wait.s": "1"}}
    job = jobs.job("away", {"avro": pack.feeds()["avro"]}, registry=away)
    code, said = job.run()
    assert code == 3
    assert "the schema registry does not answer" in said
    assert not (job.place / "out" / "avro" / "status.json").exists()
