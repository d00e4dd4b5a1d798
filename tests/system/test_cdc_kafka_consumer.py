"""The adapter of TiCDC's own consumer: its settings, its end, and the names of its tables."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

CONSUMERS = Path(__file__).parents[2] / "examples" / "consumers"
LARGE = "sink.kafka-config.large-message-handle."
ADMIN = {"host": "127.0.0.1", "port": 3306, "user": "a b", "password": "p@ss/"}
FEED: dict[str, Any] = {
    "dir": "1",
    "protocol": "open",
    "dialect": "current",
    "settings": {},
    "topics": [{"name": "t", "partitions": 2, "start_offsets": [0, 0], "end_offsets": [1, 1]}],
    "tables": [],
    "databases": {"shop": "h_1_shop"},
}
ORDER: dict[str, Any] = {
    "kafka": {"group_id": "g", "librdkafka": {"bootstrap.servers": "127.0.0.1:9092"}},
    "registry": {"url": "http://127.0.0.1:8081"},
}


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> dict[str, ModuleType]:
    """Return the adapter's modules, imported as its command does."""
    monkeypatch.syspath_prepend(str(CONSUMERS))
    monkeypatch.syspath_prepend(str(CONSUMERS / "cdc-kafka-consumer"))
    names = ("configuration", "progress", "downstream", "trouble")
    for name in (*names, "adapter"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    found = {name: __import__(name) for name in names}
    for name in (*names, "adapter"):
        monkeypatch.delitem(sys.modules, name)
    return found


def test_settings_reach_the_consumer(parts: dict[str, ModuleType]) -> None:
    """Each setting is in the file or in the address, under the producer's own name."""
    settings = {
        "force-replicate": True,
        "sink.dispatchers": [{"matcher": ["shop.*"], "partition": "index-value"}],
        f"{LARGE}large-message-handle-option": "claim-check",
        f"{LARGE}large-message-handle-compression": "lz4",
        f"{LARGE}claim-check-storage-uri": "s3://elsewhere/",
        "max-batch-size": 2,
        "enable-tidb-extension": True,
    }
    feed = FEED | {"settings": settings, "large_messages": "/runs/large"}
    config = parts["configuration"]
    file = tomllib.loads(config.changefeed_file(feed))
    assert file["force-replicate"] is True
    assert file["sink"]["dispatchers"] == settings["sink.dispatchers"]
    assert file["sink"]["kafka-config"]["large-message-handle"] == {
        "large-message-handle-option": "claim-check",
        "large-message-handle-compression": "lz4",
        "claim-check-storage-uri": "file:///runs/large",
    }
    line = config.command(ORDER, feed, ADMIN, Path("/work"), vectors=True)
    up = parse_qs(urlsplit(line[line.index("-upstream-uri") + 1]).query)
    assert up["max-batch-size"] == ["2"]
    assert up["enable-tidb-extension"] == ["true"]
    down = line[line.index("-downstream-uri") + 1]
    assert down.startswith("mysql://a%20b:p%40ss%2F@127.0.0.1:3306/?")
    assert "has-vector-type=true" in down
    plain = config.command(ORDER, feed, ADMIN, Path("/work"), vectors=False)
    assert not any("has-vector-type" in word for word in plain)


def test_a_server_s_default_is_said_to_the_consumer(parts: dict[str, ModuleType]) -> None:
    """Where nothing is compressed, the file says so: the consumer knows no other default."""
    feed = FEED | {"settings": {f"{LARGE}large-message-handle-option": "claim-check"}}
    large = tomllib.loads(parts["configuration"].changefeed_file(feed))["sink"]["kafka-config"]
    assert large["large-message-handle"]["large-message-handle-compression"] == "none"
    assert parts["configuration"].changefeed_file(FEED) == ""


@pytest.mark.parametrize(
    ("change", "need"),
    [
        ({}, None),
        ({"protocol": "vitess"}, "protocol:vitess"),
        ({"dialect": "4.0.4"}, "dialect:4.0.4"),
        ({"topics": FEED["topics"] * 2}, "topics:one"),
        ({"protocol": "avro"}, "settings:avro-enable-watermark"),
        (
            {"protocol": "avro", "settings": {"avro-enable-watermark": True}},
            "settings:enable-tidb-extension",
        ),
        ({"tables": [{"rows": [{"a": 1}]}]}, "tables:without-rows"),
        ({"databases": {"MySQL": "h"}}, "database:mysql"),
        (
            {"settings": {f"{LARGE}large-message-handle-option": "handle-key-only"}},
            "large-message-handle:handle-key-only",
        ),
    ],
)
def test_what_it_does_not_do_is_named(
    parts: dict[str, ModuleType], change: dict[str, Any], need: str | None
) -> None:
    """A changefeed that the consumer cannot read is not applicable, with the reason."""
    assert parts["configuration"].lacks(FEED | change) == need


def _key(text: bytes) -> bytes:
    return (1).to_bytes(8, "big") + len(text).to_bytes(8, "big") + text


def test_the_end_is_the_last_resolved_event_of_each_partition(
    parts: dict[str, ModuleType],
) -> None:
    """A commit on a resolved event before the last is no end, nor one of some partitions."""
    progress = parts["progress"]
    row, mark = _key(b'{"ts":1,"scm":"shop","tbl":"t","t":1}'), _key(b'{"ts":2,"t":3}')
    messages = [(0, 0, row, b""), (0, 1, mark, b""), (0, 2, mark, b""), (1, 4, mark, b"")]
    last = progress.last_resolved("open", messages)
    assert last == {0: 2, 1: 4}
    assert not progress.is_complete(last, {0: 2, 1: 5})
    assert not progress.is_complete(last, {0: 3})
    assert progress.is_complete(last, {0: 3, 1: 5})


def test_vectors_are_seen_in_ddl(parts: dict[str, ModuleType]) -> None:
    """Only a DDL event that names the type makes the consumer translate statements."""
    ddl, row = _key(b'{"ts":1,"scm":"shop","tbl":"t","t":2}'), _key(b'{"ts":1,"t":1}')
    has_vectors = parts["progress"].has_vectors
    assert has_vectors([(0, 0, row, b"{}"), (0, 1, ddl, b'{"q":"CREATE TABLE t (v VECTOR(3))"}')])
    assert not has_vectors([(0, 0, row, b"VECTOR"), (0, 1, ddl, b"{}"), (0, 2, None, None)])


FIRST = '[2026/11/26 02:30:00.000 +00:00] [WARN] [mysql.go:9] ["with error, retry later"] [error=x]'
LAST = '[2026/11/26 02:30:00.000 +00:00] [ERROR] [a.go:1] ["error on running consumer"] [error=y]'
LOST = '[PANIC] [writer.go:380] ["decode message value failed"] [partition=1] [offset=4] [error=z]'


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([FIRST, FIRST], ""),
        ([FIRST, FIRST, FIRST], '["with error, retry later"] [error=x]'),
        ([FIRST, LAST], '["error on running consumer"] [error=y]'),
    ],
)
def test_a_sink_that_writes_no_more_is_seen_in_its_log(
    parts: dict[str, ModuleType], tmp_path: Path, lines: list[str], why: str
) -> None:
    """It goes on running and says so nowhere else: at its own word, or the third try."""
    log = tmp_path / "consumer.log"
    assert parts["trouble"].given_up(log) == ""
    log.write_text("\n".join(lines), encoding="utf-8")
    assert parts["trouble"].given_up(log) == why


def test_a_message_that_it_cannot_read_is_named(
    parts: dict[str, ModuleType], tmp_path: Path
) -> None:
    """The place in its log goes into the answer, Go's own panic and its stack do not."""
    printed, log = tmp_path / "printed.txt", tmp_path / "consumer.log"
    printed.write_text("panic: decode message value failed\n\ngoroutine 1\n", encoding="utf-8")
    log.write_text(f'{LOST} [errorVerbose="z at /somewhere"]\n', encoding="utf-8")
    cause = parts["trouble"].cause(printed, log)
    assert cause == f"{LOST} "
    assert parts["trouble"].unread(cause) == [{"partition": 1, "offset": 4}]
    assert parts["trouble"].unread("panic: runtime error: slice bounds out of range") == []


@pytest.mark.parametrize("key", [None, b"", b"short", _key(b"no json"), _key(b"[]")])
def test_a_broken_key_is_no_resolved_event(parts: dict[str, ModuleType], key: bytes | None) -> None:
    """What cannot be read is left to the consumer, which says so."""
    assert not parts["progress"].is_resolved("open", key, b"")


def test_a_watermark_of_avro_is_a_resolved_event(parts: dict[str, ModuleType]) -> None:
    """The first byte of the value tells rows, DDL and watermarks apart."""
    is_resolved = parts["progress"].is_resolved
    assert [is_resolved("avro", None, value) for value in (b"\x00a", b"\x01a", b"\x02a", None)] == [
        False,
        False,
        True,
        False,
    ]


class Cursor:
    """A server with databases of tables: it knows the statements of the adapter."""

    def __init__(self, databases: dict[str, set[str]]) -> None:
        """Take what is there."""
        self.databases = databases
        self._rows: list[tuple[str]] = []

    def execute(self, statement: str, _values: Sequence[object] = ()) -> None:
        """Do one statement."""
        names = statement.split("`")[1::2]
        if statement == "SHOW DATABASES":
            self._rows = [(name,) for name in self.databases]
        elif statement.startswith("SHOW FULL TABLES"):
            self._rows = [(name,) for name in self.databases[names[0]]]
        elif statement.startswith("CREATE DATABASE"):
            self.databases[names[0]] = set()
        elif statement.startswith("DROP DATABASE"):
            del self.databases[names[0]]
        elif statement.startswith("RENAME TABLE"):
            self.databases[names[0]].remove(names[1])
            self.databases[names[2]].add(names[3])

    def fetchall(self) -> list[tuple[str]]:
        """Return the rows of the last statement."""
        return self._rows


def test_tables_go_to_the_upstreams_names_and_back(parts: dict[str, ModuleType]) -> None:
    """Tables that are there before, and those of the stream, end where they are judged."""
    cursor = Cursor({"h_1_shop": {"before"}})
    downstream = parts["downstream"].Downstream(cursor, FEED["databases"])
    downstream.open(again=False)
    assert cursor.databases == {"h_1_shop": set(), "shop": {"before"}}
    cursor.databases["shop"].add("created")
    downstream.open(again=True)
    downstream.close()
    assert cursor.databases == {"h_1_shop": {"before", "created"}}


def test_a_database_of_somebody_else_is_left_alone(parts: dict[str, ModuleType]) -> None:
    """Where the server has a database of the upstream's name, nothing is done."""
    there: dict[str, set[str]] = {"shop": {"precious"}, "h_1_shop": {"t"}}
    downstream = parts["downstream"].Downstream(Cursor(there), FEED["databases"])
    with pytest.raises(parts["downstream"].TakenError, match="'shop'"):
        downstream.open(again=False)
    assert there == {"shop": {"precious"}, "h_1_shop": {"t"}}


def test_its_modules_can_be_loaded_as_its_command_loads_them() -> None:
    """The command needs nothing but confluent-kafka and mysql-connector-python."""
    home = CONSUMERS / "cdc-kafka-consumer"
    loaded = f"import sys; sys.path.insert(0, {str(home)!r}); import run"
    environment = {"CDC_KAFKA_CONSUMER": "x"}
    subprocess.run([sys.executable, "-c", loaded], env=environment, check=True)
