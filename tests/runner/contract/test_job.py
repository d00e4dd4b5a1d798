"""What a consumer is asked always fits the contract's own schema."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from harness.errors import HarnessBug
from harness.model.columns import Column, ColumnKind, Default, Generated
from harness.model.record import Record
from harness.model.table import Table, TableId
from harness.runner.contract import schemas
from harness.runner.contract.decoding import Given, GivenRecord
from harness.runner.contract.job import ChangefeedJob, Job, table_job, value_json
from harness.runner.contract.job_file import (
    Complete,
    JobFile,
    KafkaJob,
    Mode,
    RegistryJob,
    TopicJob,
)
from harness.runner.contract.result_files import RecordLine

CONTRACT = Path(__file__).parents[3] / "docs" / "reference" / "consumer-contract.md"
PROPERTIES = {"bootstrap.servers": "127.0.0.1:9092", "isolation.level": "read_committed"}
TOPIC = TopicJob("h-1.ticdc", "ticdc", start_offsets=(0, 0), end_offsets=(7, 0))
FEED = ChangefeedJob("keys.chain[open]", "0001", "open", (TOPIC,))
JOB = Job(
    work_dir=Path("/run/work"),
    out_dir=Path("/run/out"),
    kafka=KafkaJob("g", PROPERTIES, PROPERTIES),
    changefeeds=(FEED,),
    deadline_s=120,
)


GIVEN = Given([GivenRecord(3, Record("ticdc", 1, b"\xff", None, (), (("h", b"v"),)))], {7: "{}"})


def with_feed(**changes: Any) -> Job:
    """Return the job with its one changefeed changed."""
    return replace(JOB, changefeeds=(replace(FEED, **changes),))


def every_kind() -> Table:
    """Return a table with one column of every kind."""
    columns = [
        Column(id=number, name=f"c{number}", kind=kind, members=("x", "y"))
        for number, kind in enumerate(ColumnKind, start=1)
    ]
    return Table(TableId("s", "t"), tuple(columns))


BROKEN: dict[str, Job] = {
    "deadline": replace(JOB, deadline_s=0),
    "no changefeeds": replace(JOB, changefeeds=()),
    "relative path": replace(JOB, out_dir=Path("out")),
    "no bootstrap": replace(JOB, kafka=KafkaJob("g", {}, PROPERTIES)),
    "registry url": replace(JOB, registry=RegistryJob("http://127.0.0.1/")),
    "result directory": with_feed(dir="../up"),
    "topic name": with_feed(topics=(structs.replace(TOPIC, name="a b"),)),
    "no partitions": with_feed(topics=(structs.replace(TOPIC, start_offsets=(), end_offsets=()),)),
    "ids are not unique": replace(JOB, changefeeds=(FEED, replace(FEED, dir="0002"))),
    "directories are not unique": replace(JOB, changefeeds=(FEED, replace(FEED, id="x"))),
    "topic names are not unique": replace(JOB, changefeeds=(FEED, replace(FEED, id="x", dir="2"))),
    "fewer offsets": with_feed(topics=(structs.replace(TOPIC, start_offsets=(0,)),)),
    "decode with Kafka": replace(JOB, mode=Mode.DECODE, changefeeds=(replace(FEED, given=GIVEN),)),
    "decode without records": replace(JOB, mode=Mode.DECODE, kafka=None),
    "bounded without Kafka": replace(JOB, kafka=None),
    "bounded with records": with_feed(given=GIVEN),
    "end before start": with_feed(topics=(structs.replace(TOPIC, start_offsets=(8, 0)),)),
}


@pytest.mark.parametrize("job", BROKEN.values(), ids=BROKEN)
def test_a_job_that_breaks_the_contract_is_our_bug(job: Job) -> None:
    """Nothing leaves that the schema, or a rule beyond schemas, refuses."""
    with pytest.raises(HarnessBug, match="breaks its own contract"):
        job.to_json()


def test_a_changefeed_is_given_its_records(tmp_path: Path) -> None:
    """At level decode the job names the files, and these hold every byte."""
    feeds = (replace(FEED, given=GIVEN), replace(FEED, id="x", dir="2", given=Given([])))
    job = replace(JOB, work_dir=tmp_path, mode=Mode.DECODE, kafka=None, changefeeds=feeds)
    document = job.to_json()
    first, second = document["changefeeds"]
    assert (document["kafka"], second["schemas"]) == (None, None)
    for feed in feeds:
        (tmp_path / "in" / feed.dir).mkdir(parents=True)
        assert feed.given is not None
        feed.given.write(tmp_path / "in" / feed.dir)
    (line,) = Path(first["records"]).read_text().splitlines()
    record = json.loads(line)
    assert schemas.problem(RecordLine, record) == ""
    assert record == {
        "topic": "ticdc",
        "partition": 1,
        "offset": 3,
        "timestamp": None,
        "key": "/w==",
        "value": None,
        "headers": [["h", "dg=="]],
    }
    assert json.loads(Path(first["schemas"]).read_text()) == {"7": "{}"}
    assert Path(second["records"]).read_bytes() == b""


def test_the_job_says_what_the_contract_shows() -> None:
    """Every key of the document in the contract's prose is in the document, and the reverse."""
    shown = json.loads(re.findall(r"```json\n(.*?)```", CONTRACT.read_text(), re.DOTALL)[0])
    assert schemas.problem(JobFile, shown) == ""
    column = Column(id=1, name="a", kind=ColumnKind.INT, nullable=False)
    table = table_job(Table(TableId("shop", "t"), (column,)), ("a",), ((1,),))
    assert _shape(with_feed(tables=(table,)).to_json()) == _shape(shown)


def _shape(document: Any) -> Any:
    """Return the keys at every level; of a list the first element's."""
    if isinstance(document, dict):
        open_ended = {"librdkafka", "java", "settings", "rows"}
        return {key: key in open_ended or _shape(value) for key, value in document.items()}
    return [_shape(document[0])] if isinstance(document, list) and document else None


def test_every_column_kind_can_be_asked_about() -> None:
    """A table with a column of each kind is a valid job: the schema knows them all."""
    tables = (table_job(every_kind()),)
    columns = with_feed(tables=tables).to_json()["changefeeds"][0]["tables"][0]["columns"]
    assert [column["type"] for column in columns] == [str(kind) for kind in ColumnKind]


def test_defaults_say_which_kind_of_text_they_are() -> None:
    """A literal, an expression and a bit literal cannot be mistaken for one another."""
    defaults = {
        None: None,
        Default(None): None,
        Default("now()"): {"literal": "now()"},
        Default("now()", is_expression=True): {"expression": "now()"},
        Default("0f", is_binary=True): {"hex": "0f"},
    }
    columns = tuple(
        Column(id=number, name=f"c{number}", kind=ColumnKind.VARCHAR, default=default)
        for number, default in enumerate(defaults)
    )
    (table,) = with_feed(tables=(table_job(Table(TableId("s", "t"), columns)),)).to_json()[
        "changefeeds"
    ][0]["tables"]
    assert [column["default"] for column in table["columns"]] == list(defaults.values())


def test_virtual_columns_are_left_out() -> None:
    """A virtual generated column is never sent, so neither the columns nor the rows have it."""
    columns = (
        Column(id=1, name="v", kind=ColumnKind.INT, generated=Generated("a + 1", stored=False)),
        Column(id=2, name="s", kind=ColumnKind.INT, generated=Generated("a + 2", stored=True)),
        Column(id=3, name="a", kind=ColumnKind.INT),
    )
    document = table_job(Table(TableId("s", "t"), columns), rows=((2, 3, 1),))
    assert [column.name for column in document.columns] == ["s", "a"]
    assert document.rows == ({"s": 3, "a": 1},)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (2**53 - 1, 2**53 - 1),
        (2**53, "9007199254740992"),
        (-(2**63), "-9223372036854775808"),
        (b"\x00\xff", "00ff"),
        ("1.50", "1.50"),
        (0.1, 0.1),
    ],
)
def test_values_are_written_so_that_no_parser_rounds_them(value: Any, expected: Any) -> None:
    """Integers beyond a double's precision are text, bytes are lower-case hexadecimal."""
    assert value_json(Column(id=1, name="c", kind=ColumnKind.BIGINT), value) == expected


def test_a_job_with_everything_is_plain_json() -> None:
    """Registry, settings and rows come through json.dumps unchanged."""
    job = replace(
        with_feed(settings={"filter": {"rules": ["*.*"]}}, complete=Complete.BELOW),
        registry=RegistryJob("http://127.0.0.1:8081/apis/ccompat/v7"),
    )
    document = job.to_json()
    assert json.loads(json.dumps(document)) == document
    assert document["changefeeds"][0]["complete"] == "below"
