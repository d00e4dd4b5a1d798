"""Promises of a writer of one's own: steps in the order of effect, each done once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from cdc_spark import Changefeed, Step, error_of, in_order, write_tables
from docs.guides.examples.jdbc_tables import MariaDbTables
from harness import services
from tests.cdc_spark.conftest import quiet
from tests.cdc_spark.delta.files_lab import COLUMNS, FilesLab
from tests.cdc_spark.delta.test_no_loss import CREATE, POISON, SOCKETS, UNKNOWN
from tests.cdc_spark.messages import column, ddl, gone, key, loose, message, put, resolved, row

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings(SOCKETS)]

ADDED = "ALTER TABLE `test`.`t` ADD COLUMN `n` INT NOT NULL DEFAULT 5"
NUMBER = {"t": 3, "f": 65}


class BrokenError(Exception):
    """What a writer fails with."""


@dataclass
class Recorder:
    """A writer that remembers its steps, and fails once where it is told."""

    steps: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])
    fails_at: int = -1

    def rows(self, step: Step, schema: str, table: str, changes: Any) -> None:
        """Remember rows."""
        found = sorted((one["_op"], one["after"] or one["before"]) for one in changes.collect())
        self._take(step, f"{schema}.{table}", found)

    def statement(self, step: Step, schema: str, table: str, query: str) -> None:
        """Remember a statement."""
        self._take(step, f"{schema}.{table}", query)

    def set_aside(self, step: Step, messages: Any) -> None:
        """Remember messages."""
        self._take(step, "", [(one["topic"], one["offset"]) for one in messages.collect()])

    def _take(self, step: Step, name: str, what: object) -> None:
        if len(self.steps) == self.fails_at:
            self.fails_at = -1
            raise BrokenError
        self.steps.append((step.batch, step.number, name, what))


def run(lab: FilesLab, spark: Any, writer: Any) -> None:
    """Hand all that is there to a writer."""
    stream = spark.readStream.schema(COLUMNS).option("maxFilesPerTrigger", "1")
    messages = stream.parquet((lab.directory / "messages").as_uri())
    place = (lab.directory / lab.checkpoint).as_uri()
    changes = in_order(messages, lab.changefeed)
    query = write_tables(changes, lab.changefeed, writer, checkpoint=place)
    try:
        query.trigger(availableNow=True).start().awaitTermination()
    except Exception as failure:  # noqa: BLE001 - whatever the query fails with
        raise (error_of(failure) or failure) from None


def filled(place: Path, **options: Any) -> FilesLab:
    """Return a lab with two batches, whose second has a statement between rows."""
    lab = FilesLab(place, Changefeed("open", {"t": 1}, buckets=2, **options))
    lab.send(message(ddl(1, CREATE, 3), put(2, 1, "a"), put(2, 2, "b"), resolved(2)))
    wide = {"u": {"id": key(3), "v": column("c"), "n": column(7, NUMBER)}}
    lab.send(
        message(put(3, 1, "x"), put(4, 1, "y"), gone(4, 2), loose(4, 7), loose(4, 7)),
        message(ddl(5, ADDED, 5), row(6, wide), resolved(6)),
    )
    return lab


STEPS = [
    (0, 0, "test.t", CREATE),
    (0, 1, "test.t", [("upsert", '{"id":1,"v":"a"}'), ("upsert", '{"id":2,"v":"b"}')]),
    (1, 0, "test.loose", [("upsert", '{"n":7}'), ("upsert", '{"n":7}')]),
    (1, 1, "test.t", [("delete", '{"id":2}'), ("upsert", '{"id":1,"v":"y"}')]),
    (1, 2, "test.t", ADDED),
    (1, 3, "test.t", [("upsert", '{"id":3,"v":"c","n":7}')]),
]


def test_steps_come_in_the_order_of_effect(place: Path, spark: Any) -> None:
    """Of each key the last change between statements; rows without a key are all there."""
    writer = Recorder()
    run(filled(place), spark, writer)
    assert writer.steps == STEPS


@pytest.mark.parametrize("at", [1, 4])
def test_a_step_that_fails_comes_again_under_its_number(place: Path, spark: Any, at: int) -> None:
    """With those before it of its micro-batch; nothing of the next one came before."""
    lab, writer = filled(place), Recorder(fails_at=at)
    with pytest.raises(Exception, match="BrokenError"):
        run(lab, spark, writer)
    assert writer.steps == STEPS[:at]
    run(lab, spark, writer)
    assert writer.steps[at:] == [one for one in STEPS if one[0] >= STEPS[at][0]]


def test_messages_are_set_aside_and_statements_supplied(place: Path, spark: Any) -> None:
    """As the changefeed says: a statement stands in the place of another, or of none."""
    lab = filled(place, poison="dead_letter")
    unknown = [message(ddl(ts, UNKNOWN, 5)) for ts in (7, 8)]
    lab.send(POISON, *unknown, message(resolved(8)))
    writer = Recorder()
    run(lab.differing(statements={("t", 0, 4): ADDED}, skip=[("t", 0, 5)]), spark, writer)
    assert writer.steps[len(STEPS) :] == [(2, 0, "", [("t", 3)]), (2, 1, "test.t", ADDED)]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """Return how to connect to a database."""
    run_dir = tmp_path_factory.mktemp("database")
    with services.start(["mariadb"], run_dir=run_dir, on_event=quiet) as running:
        found = running.mariadb
        yield {name: getattr(found, name) for name in ("host", "port", "user", "password")}


class Breaking(MariaDbTables):
    """The guide's writer, that fails when it is to note a step for so many times."""

    def __init__(self, times: int, **server: Any) -> None:
        """Connect."""
        super().__init__(**server)
        self.times = times

    def note(self, step: Step, *, begun: bool) -> None:
        """Note a step, or fail."""
        if not self.times:
            raise BrokenError
        self.times -= 1
        super().note(step, begun=begun)


def test_a_database_has_each_change_once(place: Path, spark: Any, server: dict[str, Any]) -> None:
    """The guide's writer, which fails before, amid and behind statements and rows."""
    lab = FilesLab(place, Changefeed("open", {"t": 1}, buckets=2))
    lab.send(message(ddl(1, CREATE, 3), put(2, 1, "a"), put(2, 2, "b"), resolved(2)))
    wide = {"u": {"id": key(3), "v": column("é"), "n": column(7, NUMBER)}}
    lab.send(message(gone(3, 2), ddl(5, ADDED, 5), row(6, wide), resolved(6)))
    for times in range(4):
        writer = Breaking(times, **server)
        with closing(writer.connection), pytest.raises(Exception, match="BrokenError"):
            run(lab, spark, writer)
    whole = MariaDbTables(**server)
    with closing(whole.connection):
        run(lab, spark, whole)
        cursor = whole.connection.cursor()
        cursor.execute("SELECT id, v, n FROM test.t ORDER BY id")
        assert cursor.fetchall() == [(1, "a", 5), (3, "é", 7)]
        with pytest.raises(Exception, match="belong to the query"):
            run(FilesLab(place, lab.changefeed, checkpoint="another"), spark, whole)
