"""Promises of whole runs: real Kafka, real Spark, the command as the harness starts it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cdc_spark.job_factory import ARCHIVE_DIRECTORY, Job, JobFactory, kill, wait_for
from tests.cdc_spark.messages import (
    column,
    ddl,
    gone,
    key,
    loose,
    message,
    put,
    resolved,
    row,
)

pytestmark = pytest.mark.spark

CREATE = "CREATE TABLE `test`.`t` (`id` INT PRIMARY KEY,`v` VARCHAR(16))"
ADD = "ALTER TABLE `test`.`t` ADD COLUMN `n` INT DEFAULT 5"
POISON = (b"\0\0\0\0\0\0\0\7", b"")
HUGE = 18446744073709551615
END = message(resolved(99))
BASE64 = {"t": 15, "h": True, "v": "YWE="}
START = {
    "schema": "test",
    "name": "old",
    "key": ["id"],
    "columns": [
        {
            "name": "id",
            "type": "int",
            "length": None,
            "scale": None,
            "unsigned": False,
            "nullable": False,
            "members": [],
            "default": None,
        }
    ],
    "rows": [{"id": 1}, {"id": 2}],
}


def busy() -> list[list[tuple[bytes, bytes]]]:
    """Return two partitions with batches, duplicates, a replay, a key that moves, and DDL."""
    first = [
        message(ddl(1, CREATE, 3)),
        message(put(2, 1, "a"), put(2, 3, "c")),
        message(resolved(2)),
        message(put(2, 1, "a")),  # a replay
        message(ddl(5, ADD, 5)),
        message(row(6, {"u": {"id": key(1), "v": column("z"), "n": column(7, {"t": 3, "f": 65})}})),
        END,
    ]
    second = [
        message(ddl(1, CREATE, 3)),
        message(put(2, 2, "b")),
        message(put(4, 4, "b")),
        message(gone(4, 2)),  # row 2 becomes row 4; the delete comes late
        message(resolved(4), resolved(3)),
        message(ddl(5, ADD, 5)),
        message(put(4, 4, "b")),  # a replay beyond its mark
        END,
    ]
    return [first, second]


BUSY_ROWS = [
    {"id": 1, "v": "z", "n": 7},
    {"id": 3, "v": "c", "n": 5},
    {"id": 4, "v": "b", "n": 5},
]
BUSY_EVENTS = [
    (2, "insert", 1),
    (2, "insert", 3),
    (2, "insert", 2),
    (4, "delete", 2),
    (4, "insert", 4),
    (6, "update", 1),
]


def feeds(jobs: JobFactory) -> dict[str, Mapping[str, Any]]:
    """Return changefeeds of all kinds, by what they are."""
    unsigned = {"t": 8, "h": True, "f": 139}
    first_dialect = [
        message(ddl(1, "create table t (id varchar(9) primary key)", 3)),
        message(row(2, {"u": {"id": BASE64}})),
        message(row(9, {"u": {"id": {**BASE64, "v": "Yg=="}}})),
        message(resolved(9)),
    ]
    topics: dict[str, list[Any]] = {
        "busy": [busy()],
        "two-topics": [
            [[message(put(2, 1, "a"), put(8, 2, "b")), END]],
            [[message(put(3, 1, "u", "u")), message(resolved(5))]],
        ],
        "poisoned": [[[message(put(2, 1, "a")), POISON, END], [END]]],
        "no-message": [[[(None, None), (b"", b"")]]],
        "no-key": [[[(None, b"value")]]],
        "odd-ddl": [[[message(ddl(2, "FROBNICATE", 61)), END]]],
        "not-ours": [[[END]]],
        "nothing": [[[], []]],
        "silent-partition": [[[message(put(2, 1, "a")), END], []]],
        "first-dialect": [[first_dialect]],
        "keyless": [[[message(loose(2, 7), loose(2, 7)), message(loose(3, 7, rid=1)), END]]],
        "huge": [[[message(row(HUGE - 1, {"u": {"id": key(HUGE, unsigned)}}, "é.x")), END]]],
        "from-rows": [[[message(gone(2, 1, "old")), END]]],
    }
    topics["huge"][0][0].append(message(resolved(HUGE)))
    differs: dict[str, dict[str, Any]] = {
        "first-dialect": {"dialect": "4.0.4", "complete": "below"},
        "not-ours": {"protocol": "canal"},
        "from-rows": {"tables": [START]},
    }
    found: dict[str, Mapping[str, Any]] = {
        name: {"topics": [jobs.topic(topic) for topic in all_of], **differs.get(name, {})}
        for name, all_of in topics.items()
    }
    kept, lost = [message(put(2, 1, "a")), END], [message(put(3, 2, "b"))]
    found["transactional"] = {"topics": [jobs.transactional_topic(kept, lost)]}
    return found


@pytest.fixture(scope="module")
def archives(jobs: JobFactory) -> Path:
    """Return a directory for archives of Java's classes: that of the suite, if it has one."""
    return Path(os.environ.get(ARCHIVE_DIRECTORY) or jobs.directory / "archives")


@pytest.fixture(scope="module")
def pack(jobs: JobFactory, archives: Path) -> Job:
    """Return a job over changefeeds of all kinds, run once."""
    job = jobs.job("pack", feeds(jobs))
    assert job.run(**{ARCHIVE_DIRECTORY: str(archives)}) == (0, "")
    return job


def by_key(events: list[tuple[int, str, int]]) -> dict[int, list[tuple[int, str, int]]]:
    """Return events by key: those of one commit ts may come in any order over several keys."""
    found: dict[int, list[tuple[int, str, int]]] = {}
    for event in events:
        found.setdefault(event[2], []).append(event)
    return found


def test_a_busy_changefeed_gets_everything_right(pack: Job) -> None:
    """Batches, duplicates, replays, a moved key, two partitions and DDL give the right table."""
    assert pack.status("busy") == {"status": "done"}
    assert pack.rows("busy", "test.t") == sorted(BUSY_ROWS, key=repr)
    events = pack.lines("busy", "events")
    reported = [
        (int(event["commit_ts"]), event["op"], (event["after"] or event["before"])["id"])
        for event in events
    ]
    assert by_key(reported) == by_key(BUSY_EVENTS)
    assert [ts for ts, _, _ in reported] == sorted(ts for ts, _, _ in reported)
    assert [line["query"] for line in pack.lines("busy", "ddl")] == [CREATE, ADD]


def test_a_timeline_goes_over_all_topics(pack: Job) -> None:
    """The topic that lags keeps rows of the other one back."""
    assert pack.rows("two-topics", "test.t") == [{"id": 1, "v": "a"}]
    assert pack.rows("two-topics", "test.u") == [{"id": 1, "v": "u"}]


def test_a_poisoned_message_is_its_own_changefeeds_error(pack: Job) -> None:
    """The error names topic, partition and offset; neighbours are done."""
    status = pack.status("poisoned")
    assert status["status"] == "error"
    assert "protocol version 7" in status["error"]
    assert "partition 0, offset 1)" in status["error"]
    assert "has no key" in pack.status("no-key")["error"]
    assert "FROBNICATE" in pack.status("odd-ddl")["error"]


def test_a_message_that_says_nothing_is_passed_over(pack: Job) -> None:
    """Brokers and tools leave messages without key and value behind; they are no poison."""
    assert pack.status("no-message") == {"status": "done"}


def test_what_is_not_ours_is_said(pack: Job) -> None:
    """A changefeed of another protocol is not applicable, and is not read."""
    assert pack.status("not-ours") == {"status": "not-applicable", "needs": "protocol:canal"}


def test_empty_changefeeds_are_done(pack: Job) -> None:
    """Without messages there is nothing to do; with a silent partition nothing may be done."""
    assert pack.status("nothing") == pack.status("silent-partition") == {"status": "done"}
    assert pack.lines("silent-partition", "events") == []


def test_the_first_dialect_is_read(pack: Job) -> None:
    """Base64 text, no flags, and a mark that does not cover its own ts."""
    assert pack.rows("first-dialect", "test.t") == [{"id": "aa"}]


def test_keyless_rows_are_counted(pack: Job) -> None:
    """Equal rows live side by side."""
    assert pack.rows("keyless", "test.loose") == [{"n": 7}] * 3


def test_numbers_and_names_have_their_full_size(pack: Job) -> None:
    """Unsigned 64-bit keys and commit ts are exact; names are escaped in file names."""
    assert pack.rows("huge", "test.%C3%A9%2Ex") == [{"id": HUGE}]
    assert pack.lines("huge", "events")[0]["commit_ts"] == str(HUGE - 1)


def test_rows_from_before_the_start_take_part(pack: Job) -> None:
    """A row of job.json can be deleted; the others stay."""
    assert pack.rows("from-rows", "test.old") == [{"id": 2}]


def test_end_offsets_are_positions(pack: Job) -> None:
    """Markers and taken-back messages at the end are passed, and not waited for."""
    assert pack.status("transactional") == {"status": "done"}
    assert pack.rows("transactional", "test.t") == [{"id": 1, "v": "a"}]


def test_the_phases_are_timed(pack: Job) -> None:
    """The bench finds how many messages and how long."""
    timings = (pack.place / "out" / "timings.json").read_text()
    assert '"changefeeds": 14' in timings
    assert '"session_s"' in timings


def test_killed_anywhere_it_resumes_to_the_same_answers(
    jobs: JobFactory, archives: Path, pack: Job
) -> None:
    """Tiny micro-batches, kill -9 while reading and while answering, then resumed: all the same.

    So it is when the job is done once more, which finds nothing left to read.
    """
    job = jobs.job("killed", pack.feeds())
    commits = job.place / "work" / "checkpoint" / "commits"
    answers, scratch = job.place / "out", job.place / "work" / "scratch"
    how = {ARCHIVE_DIRECTORY: str(archives), "HARNESS_SPARK_BATCH": "12"}
    for reached in ((commits / "1").exists, lambda: any(answers.glob("*/ddl.jsonl"))):
        process = job.start(**how)
        try:
            wait_for(reached, process)
        finally:
            kill(process)
        assert any(scratch.glob("spark-*"))  # what Java leaves behind is the job's own
    assert list(archives.glob("*.jsa"))  # a whole run has left it
    twice = job.place / "jobs.txt"
    twice.write_text(f"{job.place / 'job.json'}\n" * 2)
    assert job.run(**how, HARNESS_JOBS=str(twice)) == (0, "")
    assert not scratch.exists()
    assert job.answers() == pack.answers()


def test_topics_that_are_too_short_are_reported(jobs: JobFactory) -> None:
    """An end offset that is never reached ends the wait before the deadline, with its place."""
    topic = jobs.topic([[message(put(2, 1, "a")), END]])
    short = {"topics": [{**topic, "end_offsets": [5]}]}
    feeds = {"short": short, "whole": {"topics": [jobs.topic([[END]])]}}
    for deadline_s in (20, 60, 110):  # a loaded machine may read nothing in the first of them
        job = jobs.job(f"short{deadline_s}", feeds, deadline_s=deadline_s)
        assert job.run()[0] == 0
        if "partition 0, offset 0)" not in job.status("short")["error"]:
            break
    place = f"topic {topic['name']}, partition 0, offset 2"
    assert (
        f"nothing could be read from here to the end, 5 ({place})" in job.status("short")["error"]
    )
    assert job.status("whole") == {"status": "done"}


def test_a_broker_that_is_not_there_is_named(jobs: JobFactory) -> None:
    """Without Kafka there is one sentence, the code of the environment, and no stack trace."""
    feed = {"topics": [jobs.topic([[END]])]}
    nowhere = {"bootstrap.servers": "127.0.0.1:9", "default.api.timeout.ms": "3000"}
    nowhere["request.timeout.ms"] = "2000"
    kafka = {"group_id": "g", "java": nowhere, "librdkafka": {}}
    code, said = jobs.job("nowhere", {"a": feed}, kafka=kafka).run()
    assert code == 3
    assert "Kafka does not answer" in said
    assert "\tat " not in said
    assert len(said.splitlines()) < 5


@pytest.mark.parametrize("jars", ["", "/nowhere/x.jar"])
def test_missing_jars_are_named(jobs: JobFactory, jars: str) -> None:
    """Without the connector the variable is named that brings it."""
    job = jobs.job(f"jars{len(jars)}", {"a": {"topics": []}})
    code, said = job.run(HARNESS_SPARK_JARS=jars)
    assert code == 3
    assert "HARNESS_SPARK_JARS" in said


def test_an_unfit_java_is_named(jobs: JobFactory, tmp_path: Path) -> None:
    """A Java that cannot run Spark is named with its version and what was expected."""
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\nexit 1\n")
    java.chmod(0o755)
    code, said = jobs.job("java", {"a": {"topics": []}}).run(JAVA_HOME=str(tmp_path))
    assert code == 3
    assert "11.0.2" in said
    assert "Java 17 or 21" in said
