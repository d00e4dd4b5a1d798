"""Whatever a consumer leaves in its result directory, the outcome is data with a place."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.model.change import Op
from harness.model.observed import DeadLetter, Observed, ObservedDdl, ObservedEvent, Outcome
from harness.model.table import TableId
from harness.runner.contract import names, results
from harness.runner.contract.reading import Limits

DONE = '{"status": "done"}'
DECODED: Mapping[str, Any] = {
    "op": "delete",
    "topic": "ticdc",
    "partition": 0,
    "offset": 4,
    "schema": "shop",
    "table": "t",
    "before": {"a": 1},
    "after": None,
    "commit_ts": "415508878783938562",
}
EVENT: Mapping[str, Any] = {
    "op": "update",
    "schema": "shop",
    "table": "t",
    "before": {"a": 1},
    "after": {"a": 2},
    "commit_ts": "415508878783938562",
    "topic": "h-1.ticdc",
    "partition": 0,
    "offset": 4,
}
DDL: Mapping[str, Any] = {
    "query": "DROP TABLE `t`",
    "type": 4,
    "schema": "shop",
    "table": "t",
    "commit_ts": "415508878783938562",
}


def answer(directory: Path, **files: str | bytes) -> Path:
    """Write files (`tables__x__jsonl` means `tables/x.jsonl`) beside a status of done."""
    (directory / "tables").mkdir(exist_ok=True)
    contents = {"status__json": DONE} | files
    for name, content in contents.items():
        path = directory / name.replace("__jsonl", ".jsonl").replace("__json", ".json").replace(
            "__", "/"
        )
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return directory


def line(document: Mapping[str, Any], **changes: Any) -> str:
    """Return the document with some keys changed, as one JSON line."""
    return json.dumps({**document, **changes}) + "\n"


def test_decoded_events(tmp_path: Path) -> None:
    """At level decode each line is an event of a message, with its place."""
    text = line(DECODED) + line({"op": "resolved", "topic": "t", "partition": 1, "offset": 0})
    observed = results.read_decoded(answer(tmp_path, events__jsonl=text))
    assert observed.outcome is Outcome.DONE
    assert observed.decoded is not None
    first, second = observed.decoded
    assert (first.kind, first.offset, first.before, first.line) == ("delete", 4, {"a": 1}, 1)
    assert (second.kind, second.commit_ts, second.line) == ("resolved", None, 2)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (line(DECODED) + line(DECODED, op="rename"), "events.jsonl line 2"),
        (line({**DECODED, "offset": None}), "/offset"),
        (line({"op": "ddl", "topic": "t", "partition": 0, "offset": 0}), "query"),
        (line({"op": "insert", "topic": "t", "partition": 0, "offset": 0}), "required"),
        ("[]\n", "is not an object"),
    ],
)
def test_decoded_events_that_are_none(tmp_path: Path, text: str, says: str) -> None:
    """A line that is no event makes the answer invalid, with file and line."""
    observed = results.read_decoded(answer(tmp_path, events__jsonl=text))
    assert observed.outcome is Outcome.INVALID
    assert says in observed.detail


def test_decoding_needs_events(tmp_path: Path) -> None:
    """`done` without events.jsonl is no answer at this level; a status of another kind is one."""
    assert results.read_decoded(answer(tmp_path)).outcome is Outcome.INVALID
    needs = '{"status": "not-applicable", "needs": "mode:decode"}'
    observed = results.read_decoded(answer(tmp_path, status__json=needs))
    assert (observed.outcome, observed.detail) == (Outcome.NOT_APPLICABLE, "mode:decode")


def without(document: Mapping[str, Any], key: str) -> str:
    """Return the document without one key, as one JSON line."""
    return json.dumps({name: value for name, value in document.items() if name != key}) + "\n"


def test_a_whole_answer_is_read_whole(tmp_path: Path) -> None:
    """Tables, events and statements come back as written, in order, with exact numbers."""
    directory = answer(
        tmp_path,
        events__jsonl=line(EVENT) + line(EVENT, op="delete", after=None, commit_ts=7),
        ddl__jsonl=line(DDL) + '{"query": "CREATE DATABASE x", "schema": "x"}',
    )
    big = '{"a": 18446744073709551615, "b": 1.10, "c": null}\n\n{"a": "2"}'
    (directory / "tables" / "shop.t.jsonl").write_text(big)
    (directory / "tables" / "shop.empty.jsonl").touch()
    (directory / "tables" / ".shop.t.jsonl.crc").write_bytes(b"\xff")
    (directory / "notes.txt").write_text("unknown files are not looked at")
    shop = TableId("shop", "t")
    assert results.read(directory) == Observed(
        Outcome.DONE,
        tables={
            shop: ({"a": 2**64 - 1, "b": Decimal("1.10"), "c": None}, {"a": "2"}),
            TableId("shop", "empty"): (),
        },
        events=(
            ObservedEvent(
                Op.UPDATE, shop, {"a": 1}, {"a": 2}, 415508878783938562, "h-1.ticdc", 0, 4
            ),
            ObservedEvent(Op.DELETE, shop, {"a": 1}, None, 7, "h-1.ticdc", 0, 4),
        ),
        ddl=(
            ObservedDdl("DROP TABLE `t`", 4, shop, 415508878783938562),
            ObservedDdl("CREATE DATABASE x", None, TableId("x", ""), None),
        ),
    )


def test_what_is_optional_may_be_missing(tmp_path: Path) -> None:
    """Status alone is an answer: no tables, and None for what was not handed back."""
    (tmp_path / "status.json").write_text(DONE)
    assert results.read(tmp_path) == Observed(Outcome.DONE, tables={})


@pytest.mark.parametrize(
    ("status", "outcome", "detail"),
    [
        (
            '{"status": "not-applicable", "needs": "protocol:avro"}',
            "not-applicable",
            "protocol:avro",
        ),
        ('{"status": "error", "error": "no such topic"}', "error", "no such topic"),
    ],
)
def test_a_consumer_may_give_up(tmp_path: Path, status: str, outcome: str, detail: str) -> None:
    """The consumer's own words are the detail, and half an answer beside them is not read."""
    answer(tmp_path, status__json=status, events__jsonl="garbage")
    assert results.read(tmp_path) == Observed(Outcome(outcome), detail)


def test_a_consumer_that_gives_up_says_where(tmp_path: Path) -> None:
    """The messages that stopped it are read, at both levels."""
    place = {"topic": "t", "partition": 0, "offset": 5}
    status = {"status": "error", "error": "cut short", "messages": [place]}
    answer(tmp_path, status__json=json.dumps(status))
    for read in (results.read, results.read_decoded):
        assert read(tmp_path).stopped_at == (DeadLetter("t", 0, 5),)


def test_long_words_are_cut(tmp_path: Path) -> None:
    """A megabyte of complaint does not reach the report."""
    answer(tmp_path, status__json=json.dumps({"status": "error", "error": "x" * 100_000}))
    assert len(results.read(tmp_path).detail) < 5000


BAD_STATUS: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "status.json: empty"),
    "half-written": ('{"status": "do', "status.json: half-written"),
    "not JSON": ("done", "status.json: not JSON at column 1"),
    "bad UTF-8": (b'{"status": "\xc3("}', "status.json: byte 13 (0xc3) is not UTF-8"),
    "wrong type": ("[]", 'status.json: [] is not of type "object"'),
    "unknown word": ('{"status": "ok"}', 'status.json: /status: "ok" is not one of'),
    "missing": ("{}", 'status.json: "status" is a required property'),
    "error without text": ('{"status": "error"}', '"error" is a required property'),
    "half a place": (
        '{"status": "error", "error": "x", "messages": [{"topic": "t", "partition": 0}]}',
        '"offset" is a required property',
    ),
    "needs nothing": ('{"status": "not-applicable"}', '"needs" is a required property'),
    "twice": ('{"status": "done", "status": "error"}', "the key 'status' is there twice"),
    "huge": ('{"status": "done"}' + " " * (1 << 20), "status.json: longer than 1048576 bytes"),
}


@pytest.mark.parametrize(("status", "words"), BAD_STATUS.values(), ids=BAD_STATUS)
def test_a_status_that_says_nothing_is_invalid(
    tmp_path: Path, status: str | bytes, words: str
) -> None:
    """Each way of not saying how it ended has a message of its own."""
    observed = results.read(answer(tmp_path, status__json=status))
    assert observed.outcome is Outcome.INVALID
    assert words in observed.detail
    assert results.status_problem(tmp_path) == observed.detail


BAD_EVENTS: dict[str, tuple[str, str]] = {
    "unknown op": (line(EVENT, op="upsert"), '/op: "upsert" is not one of'),
    "no op": (without(EVENT, "op"), '"op" is a required property'),
    "no after": (without(EVENT, "after"), '"after" is a required property'),
    "insert with before": (line(EVENT, op="insert"), "/before"),
    "delete with after": (line(EVENT, op="delete"), "/after"),
    "delete without before": (line(EVENT, op="delete", before=None, after=None), "/before"),
    "update without after": (line(EVENT, after=None), "/after"),
    "row is a list": (line(EVENT, after=[1]), "/after"),
    "commit ts is a float": (line(EVENT, commit_ts=4.5), "/commit_ts"),
    "commit ts is words": (line(EVENT, commit_ts="yesterday"), "/commit_ts"),
    "commit ts is negative": (line(EVENT, commit_ts=-1), "/commit_ts"),
    "offset is text": (line(EVENT, offset="4"), "/offset"),
    "table is empty": (line(EVENT, table=""), "/table"),
    "not an object": ("[1]\n", "[1] is not an object"),
    "NaN": ('{"op": NaN}', "NaN is not JSON"),
}


@pytest.mark.parametrize(("text", "words"), BAD_EVENTS.values(), ids=BAD_EVENTS)
def test_an_event_off_the_contract_is_invalid(tmp_path: Path, text: str, words: str) -> None:
    """The detail names the line (here the third; the second is blank) and what is wrong in it."""
    observed = results.read(answer(tmp_path, events__jsonl=line(EVENT) + "\n" + text))
    assert observed.outcome is Outcome.INVALID
    assert observed.detail.startswith("events.jsonl line 3: ")
    assert words in observed.detail
    assert observed.tables is None


BAD_DDL = {
    "no query": (without(DDL, "query"), '"query" is a required property'),
    "empty query": (line(DDL, query=""), "/query"),
    "type is text": (line(DDL, type="drop"), "/type"),
    "commit ts beyond": (line(DDL, commit_ts="1" * 21), "/commit_ts"),
}


@pytest.mark.parametrize(("text", "words"), BAD_DDL.values(), ids=BAD_DDL)
def test_a_statement_off_the_contract_is_invalid(tmp_path: Path, text: str, words: str) -> None:
    """The detail names the line and what is wrong in it."""
    observed = results.read(answer(tmp_path, ddl__jsonl=text))
    assert observed.outcome is Outcome.INVALID
    assert observed.detail.startswith("ddl.jsonl line 1: ")
    assert words in observed.detail


def two_files(directory: Path) -> None:
    """Answer one table under two spellings of its name."""
    (directory / "tables" / "shop.t.jsonl").write_text("{}")
    (directory / "tables" / "shop.%74.jsonl").write_text("{}")


def named_and_indexed(directory: Path) -> None:
    """Answer one table by its name and by the index."""
    (directory / "tables" / "shop.t.jsonl").write_text("{}")
    (directory / "tables" / "1.jsonl").write_text("{}")
    (directory / "tables.json").write_text('{"1.jsonl": {"schema": "shop", "name": "t"}}')


def bad_index(directory: Path) -> None:
    """Write an index that is not one."""
    (directory / "tables.json").write_text('{"1.jsonl": "shop.t"}')


def no_table(directory: Path) -> None:
    """Write a file whose name is no table's."""
    (directory / "tables" / "t.jsonl").write_text("{}")


def scalar_row(directory: Path) -> None:
    """Write a row that is no object."""
    (directory / "tables" / "shop.t.jsonl").write_text('{"a": 1}\n17\n')


def half_row(directory: Path) -> None:
    """Stop in the middle of a row."""
    (directory / "tables" / "shop.t.jsonl").write_text('{"a": 1}\n{"a": "tw')


def long_line(directory: Path) -> None:
    """Write a line that never ends."""
    (directory / "tables" / "shop.t.jsonl").write_text("{" + " " * 5000 + "}")


def bulk(directory: Path) -> None:
    """Write many rows, each of them fine."""
    (directory / "tables" / "shop.t.jsonl").write_text('{"a": 1}\n' * 2000)


def fifo(directory: Path) -> None:
    """Leave a FIFO, at which a plain open would wait for ever."""
    os.mkfifo(directory / "events.jsonl")


def device(directory: Path) -> None:
    """Leave a link to a device that never ends."""
    (directory / "tables" / "shop.t.jsonl").symlink_to("/dev/zero")


def tables_is_a_file(directory: Path) -> None:
    """Leave a file where the directory of tables was."""
    (directory / "tables").rmdir()
    (directory / "tables").touch()


BAD_FILES: dict[Callable[[Path], None], str] = {
    two_files: "tables/shop.t.jsonl: answers shop.t, as tables/shop.%74.jsonl does",
    named_and_indexed: "tables/shop.t.jsonl: answers shop.t, as tables/1.jsonl does",
    bad_index: "tables.json: /1.jsonl: ",
    no_table: "tables/t.jsonl: the file's name names no table; expected <schema>.<table>.jsonl",
    scalar_row: "tables/shop.t.jsonl line 2: 17 is not an object; expected one JSON object a line",
    half_row: "tables/shop.t.jsonl line 2: half-written: the text ends at column 9",
    long_line: "tables/shop.t.jsonl line 1: longer than 4096 bytes",
    bulk: "the result directory: holds 18000 bytes of results; expected at most 16384",
    fifo: "events.jsonl: is not a plain file",
    device: "tables/shop.t.jsonl: is not a plain file",
    tables_is_a_file: "tables: cannot be read: Not a directory",
}


@pytest.mark.parametrize(
    ("spoil", "words"), BAD_FILES.items(), ids=[spoil.__name__ for spoil in BAD_FILES]
)
def test_files_that_no_answer_has_are_invalid(
    tmp_path: Path, spoil: Callable[[Path], None], words: str
) -> None:
    """Names, sizes and kinds of files are judged like their contents."""
    spoil(answer(tmp_path))
    observed = results.read(tmp_path, Limits(line=4096, changefeed=16384))
    assert observed.outcome is Outcome.INVALID
    assert words in observed.detail


ENDLESS: dict[str, tuple[Limits, str]] = {
    "too many": (
        Limits(lines=5_000),
        "tables/shop.t.jsonl line 5001: more than 5000 lines or rows",
    ),
    "too long": (
        Limits(seconds=0),
        "tables/shop.t.jsonl line 1000: the answer is still being read after 0 s",
    ),
}


@pytest.mark.parametrize("line", [b'{"id": 1}\n', b"\n"], ids=["rows", "blank lines"])
@pytest.mark.parametrize("name", ENDLESS)
def test_an_answer_that_takes_too_long_is_invalid(tmp_path: Path, name: str, line: bytes) -> None:
    """Lines are counted and timed while they are read, blank ones like others."""
    limits, words = ENDLESS[name]
    (answer(tmp_path) / "tables/shop.t.jsonl").write_bytes(line * 6_000)
    observed = results.read(tmp_path, limits)
    assert observed.outcome is Outcome.INVALID
    assert words in observed.detail
    assert results.read(tmp_path).outcome is Outcome.DONE


def test_no_status_is_no_answer(tmp_path: Path) -> None:
    """A consumer that wrote tables but no status has not answered; nor has a missing directory."""
    answer(tmp_path)
    (tmp_path / "status.json").unlink()
    for directory in (tmp_path, tmp_path / "nowhere"):
        observed = results.read(directory)
        assert observed.outcome is Outcome.INVALID
        assert observed.detail.startswith("status.json: does not exist")


def test_long_names_go_by_the_index(tmp_path: Path) -> None:
    """A table whose encoded name no file system takes is answered through tables.json."""
    name = "测" * 64
    answer(tmp_path, tables__1__jsonl='{"a": 1}')
    index = {"1.jsonl": {"schema": "shop", "name": name}, "2.jsonl": {"schema": "s", "name": "t"}}
    (tmp_path / "tables.json").write_text(json.dumps(index))
    assert results.read(tmp_path).tables == {TableId("shop", name): ({"a": 1},)}


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
ROWS = st.dictionaries(TEXTS, st.none() | st.integers() | st.text(max_size=8), max_size=3)
TABLES = st.dictionaries(st.builds(TableId, TEXTS, TEXTS), st.lists(ROWS, max_size=3), max_size=3)
EVENTS = st.builds(
    ObservedEvent,
    op=st.just(Op.UPDATE),
    table=st.builds(TableId, TEXTS, TEXTS),
    before=st.none() | ROWS,
    after=ROWS,
    commit_ts=st.none() | st.integers(0, 2**64 - 1),
    partition=st.none() | st.integers(0, 9),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TABLES, st.none() | st.lists(EVENTS, max_size=3))
def test_what_is_written_by_the_contract_is_read_back(
    tmp_path_factory: pytest.TempPathFactory,
    tables: dict[TableId, list[dict[str, Any]]],
    events: list[ObservedEvent] | None,
) -> None:
    """Any tables and events survive the files, whatever their names and texts hold."""
    directory = answer(tmp_path_factory.mktemp("answer"))
    for table, rows in tables.items():
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (directory / "tables" / names.encode(table)).write_text(text, encoding="utf-8")
    if events is not None:
        (directory / "events.jsonl").write_text("".join(map(event_line, events)))
    assert results.read(directory) == Observed(
        Outcome.DONE,
        tables={table: tuple(rows) for table, rows in tables.items()},
        events=None if events is None else tuple(events),
    )


def event_line(event: ObservedEvent) -> str:
    """Write an event as the contract's prose says."""
    ts = event.commit_ts
    return line(
        {"op": event.op, "schema": event.table.schema, "table": event.table.name},
        before=event.before,
        after=event.after,
        commit_ts=ts if ts is None else str(ts),
        partition=event.partition,
    )
