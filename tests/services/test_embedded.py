"""The real services: up side by side, noticed when dead, gone when we are."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import mysql.connector
import psutil
import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from harness.errors import SetupError, UsageError
from harness.services import ServiceEvent, launch, start
from harness.services.ports import HOST, free_ports

pytestmark = pytest.mark.services

DEADLINE_S = 60.0
PARENT = """
import sys, time
from pathlib import Path
from harness.services import start
with start(["kafka", "mariadb"], run_dir=Path(sys.argv[1]), on_event=lambda event: None) as up:
    print("up", flush=True)
    time.sleep(600)
"""


def silent(event: ServiceEvent) -> None:
    """Listen to nothing."""
    del event


def below(run_dir: Path) -> list[psutil.Process]:
    """Return the living processes that work in a run's directories."""
    found = []
    for process in psutil.process_iter():
        try:
            line = " ".join([process.cwd(), *process.cmdline()])
            if str(run_dir) in line and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue
    return [process for process in found if process.pid != os.getpid()]


def until(reached: Callable[[], bool], what: str) -> None:
    """Wait for a condition with a deadline."""
    deadline = time.monotonic() + DEADLINE_S
    while not reached():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def test_they_come_up_wherever_a_user_works(tmp_path: Path) -> None:
    """Spaces, letters beyond Latin-1 and a backslash in the path of a run do not matter."""
    run_dir = tmp_path / "ü ß 数\\據 = # !"
    with start(["kafka", "registry", "mariadb"], run_dir=run_dir, on_event=silent) as running:
        admin = AdminClient({"bootstrap.servers": running.kafka.bootstrap})
        assert admin.list_topics(timeout=10).brokers


def test_both_come_up_and_go(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """Kafka keeps records, MariaDB keeps rows and their log; then nothing is left but logs."""
    events: list[ServiceEvent] = []
    began = time.monotonic()
    with start(["kafka", "mariadb"], run_dir=tmp_path, on_event=events.append) as services:
        record_property("services_up_s", round(time.monotonic() - began, 2))
        services.check()
        _kafka_keeps_records(services.kafka.bootstrap)
        _compacted_topics_take_keys(services.kafka.bootstrap)
        database = services.mariadb
        with mysql.connector.connect(
            host=database.host,
            port=database.port,
            user=database.user,
            password=database.password,
            charset="utf8mb4",
            collation="utf8mb4_bin",
            ssl_disabled=True,
        ) as connection:
            _mariadb_is_set_up(connection)
        assert database.password not in str(database)
    states = {name: [e.state for e in events if e.service == name] for name in ("kafka", "mariadb")}
    for seen in states.values():
        assert seen[-2:] == ["ready", "stopped"]
    assert not below(tmp_path)
    left = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*"))
    assert left == ["kafka/kafka.log", "kafka/server.properties", "mariadb/mariadb.log"]


def _kafka_keeps_records(bootstrap: str) -> None:
    properties = {"bootstrap.servers": bootstrap, "log_level": 0}
    admin = AdminClient(properties)
    for future in admin.create_topics([NewTopic("t", 2)]).values():
        future.result(DEADLINE_S)
    large = {**properties, "message.max.bytes": 10_000_000}
    # One at a time: a retry must not let the second overtake the first.
    ordered = {**large, "max.in.flight": 1, "compression.type": "zstd"}
    producer = Producer(ordered)
    # A time long past and one far ahead: the broker must neither refuse nor delete them.
    for timestamp in (1_000_000_000_000, 4_000_000_000_000):
        producer.produce("t", b"v" * 2_000_000, b"k", 1, timestamp=timestamp)
    assert producer.flush(DEADLINE_S) == 0
    consumer = Consumer({**large, "group.id": "g"})
    consumer.assign([TopicPartition("t", 1, 0)])
    first = consumer.poll(DEADLINE_S)
    assert first is not None
    assert (first.key(), len(first.value()), first.timestamp()[1]) == (b"k", 2_000_000, 10**12)
    consumer.close()
    assert admin.list_topics("misspelt", timeout=DEADLINE_S).topics["misspelt"].error is not None


def _compacted_topics_take_keys(bootstrap: str) -> None:
    properties = {"bootstrap.servers": bootstrap, "log_level": 0}
    admin = AdminClient(properties)
    topic = NewTopic("c", 1, config={"cleanup.policy": "compact"})
    for future in admin.create_topics([topic]).values():
        future.result(DEADLINE_S)
    said: dict[bytes | None, str] = {}
    producer = Producer(properties)
    for key in (b"k", None):
        producer.produce(
            "c", b"v", key, on_delivery=lambda error, _, key=key: said.update({key: str(error)})
        )
        # One batch each: a broker refuses all of one.
        assert producer.flush(DEADLINE_S) == 0
    assert said[b"k"] == "None"
    assert "INVALID_RECORD" in said[None]


def _mariadb_is_set_up(connection: mysql.connector.MySQLConnection) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT @@binlog_format, @@binlog_row_image, @@binlog_row_metadata, @@log_bin,"
            " @@collation_server, @@time_zone, concat(@@tmpdir, '/') = @@datadir"
        )
        assert cursor.fetchall() == [("ROW", "FULL", "FULL", 1, "utf8mb4_bin", "+00:00", 1)]
        cursor.execute("SELECT DISTINCT user FROM mysql.user WHERE user <> 'mariadb.sys'")
        assert cursor.fetchall() == [("harness",)]
        cursor.execute("CREATE DATABASE d")
        cursor.execute("CREATE TABLE d.t (a INT PRIMARY KEY)")
        cursor.execute("INSERT INTO d.t VALUES (1)")
        connection.commit()


def test_dead_kafka_is_noticed(tmp_path: Path) -> None:
    """Killed in the middle: check raises with the signal and the end of its log; nothing stays."""
    with start(["kafka"], run_dir=tmp_path, on_event=silent) as services:
        (broker,) = [one for one in below(tmp_path) if "kafka.Kafka" in one.cmdline()]
        broker.kill()
        until(lambda: not psutil.pid_exists(broker.pid), "the broker is dead")
        with pytest.raises(SetupError, match="kafka was killed by signal 9") as caught:
            services.check()
        assert "kafka.log" in str(caught.value)
        assert "KafkaServer" in str(caught.value) or "kafka" in str(caught.value).split("|", 1)[1]
    assert not below(tmp_path)


@pytest.mark.parametrize("name", ["kafka", "mariadb"])
def test_a_port_in_use_is_named(tmp_path: Path, name: str) -> None:
    """A port that was asked for and is taken: the error names it, and nothing is left running."""
    with socket.socket() as other:
        other.bind((HOST, 0))
        other.listen()
        port = other.getsockname()[1]
        with (
            pytest.raises(SetupError, match=f"port {port} on 127.0.0.1 is in use"),
            start(["kafka", "mariadb"], run_dir=tmp_path, on_event=silent, ports={name: port}),
        ):
            pytest.fail("it must not come up")
    assert not below(tmp_path)


@pytest.mark.parametrize("name", ["kafka", "mariadb", "registry"])
def test_a_port_that_somebody_takes_meanwhile_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Each service says in words of its own that its port is taken, and starts on another one."""
    asked: list[int] = []
    with socket.socket() as other:
        other.bind((HOST, 0))
        other.listen()
        taken = other.getsockname()[1]

        def ports(count: int, chosen: int | None) -> tuple[int, ...]:
            found = free_ports(count, chosen)
            asked.append(found[0] if asked else taken)
            return (asked[-1], *found[1:])

        monkeypatch.setattr(launch, "free_ports", ports)
        with start([name], run_dir=tmp_path, on_event=silent):
            assert asked[0] == taken
            assert len(asked) == 2


def test_a_port_that_was_asked_for_is_used(tmp_path: Path) -> None:
    """A free port that the user named is the one that is used."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port = probe.getsockname()[1]
    with start(["mariadb"], run_dir=tmp_path, on_event=silent, ports={"mariadb": port}) as services:
        assert services.mariadb.port == port


def test_no_fit_java_is_said_before_anything_starts(tmp_path: Path) -> None:
    """Without Java the run ends with what was looked for, and MariaDB is stopped again."""
    env = {**os.environ, "JAVA_HOME": "", "PATH": str(tmp_path)}
    with (
        pytest.raises(SetupError, match="Java was not found"),
        start(["kafka", "mariadb"], run_dir=tmp_path, on_event=silent, env=env),
    ):
        pytest.fail("it must not come up")
    assert not below(tmp_path)


def test_an_unknown_service_is_a_usage_error(tmp_path: Path) -> None:
    """The known ones are named."""
    with (
        pytest.raises(UsageError, match="mongodb") as caught,
        start(["mongodb"], run_dir=tmp_path, on_event=silent),
    ):
        pytest.fail("it must not come up")
    assert "kafka" in str(caught.value)


@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGINT])
def test_nothing_outlives_a_killed_harness(tmp_path: Path, signum: signal.Signals) -> None:
    """After kill -9 or Ctrl-C of the harness no service, and none of their data, is left."""
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"up\n"
        assert {"kafka.Kafka", "mariadbd"} <= {
            Path(part).name for one in below(tmp_path) for part in one.cmdline()
        }
        parent.send_signal(signum)
    until(lambda: not below(tmp_path), "every process ends")
    until(lambda: not list(tmp_path.rglob("data")), "the data is deleted")
    assert (tmp_path / "kafka" / "kafka.log").is_file()
