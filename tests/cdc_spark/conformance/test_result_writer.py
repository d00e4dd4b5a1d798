"""Promises of the result files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from cdc_spark.apply.fold import Change
from cdc_spark.conformance.result_writer import ResultRequest, file_name, write
from cdc_spark.events import Kind
from cdc_spark.open.events import decode
from cdc_spark.open.values import DIALECTS
from tests.cdc_spark.messages import Frame, ddl, message, put

LONG = "测" * 64


def changes(frames: Sequence[Frame]) -> list[Change]:
    """Return the changes that messages of these events make."""
    return [
        Change(event.kind, event.ts, event.schema, event.table, event.payload, "x", 0, offset)
        for offset, frame in enumerate(frames)
        for event in decode(DIALECTS["current"], *message(frame))
    ]


def answered(directory: Path, *frames: Frame, needs: str = "", unread: str = "") -> dict[str, str]:
    """Write an answer; return its files by name, relative to the result directory."""
    write(ResultRequest(directory, [], needs, unread), changes(frames))
    return {
        str(path.relative_to(directory)): path.read_text(encoding="utf-8")
        for path in directory.rglob("*")
        if path.is_file()
    }


def test_an_answer_has_all_its_files(tmp_path: Path) -> None:
    """Rows, events, executed DDL and a status; nothing else."""
    files = answered(tmp_path, put(1, 1, "a"), put(2, 2, "b", "u"))
    assert set(files) == {
        "status.json",
        "events.jsonl",
        "ddl.jsonl",
        "tables/test.t.jsonl",
        "tables/test.u.jsonl",
    }
    assert json.loads(files["status.json"]) == {"status": "done"}
    assert json.loads(files["tables/test.t.jsonl"]) == {"id": 1, "v": "a"}
    assert len(files["events.jsonl"].splitlines()) == 2


def test_row_events_are_left_out_where_nobody_asks_for_them(tmp_path: Path) -> None:
    """Not even those of an earlier answer stay; all else is there."""
    found = changes([put(1, 1, "a"), put(2, 2, "b", "u")])
    write(ResultRequest(tmp_path, []), found)
    write(ResultRequest(tmp_path, [], events=False), found)
    names = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert names == {"status.json", "ddl.jsonl", "test.t.jsonl", "test.u.jsonl"}


def test_what_was_left_by_an_earlier_answer_is_gone(tmp_path: Path) -> None:
    """An answer is the same whether or not another one was begun there before."""
    answered(tmp_path, put(1, 1, "a"), put(2, 2, "b", "u"))
    again = answered(tmp_path, put(1, 1, "a"))
    assert again == answered(tmp_path / "fresh", put(1, 1, "a"))


@pytest.mark.parametrize(
    ("frame", "options", "status"),
    [
        (put(1, 1, "a"), {"needs": "mode:x"}, {"status": "not-applicable", "needs": "mode:x"}),
        (
            put(1, 1, "a"),
            {"unread": "short"},
            {"status": "error", "error": "short", "messages": []},
        ),
        (
            ddl(1, "FROBNICATE", 61),
            {},
            {
                "status": "error",
                "error": "DDL not understood at 'FROBNICATE': FROBNICATE "
                "(topic x, partition 0, offset 0)",
                "messages": [{"topic": "x", "partition": 0, "offset": 0}],
            },
        ),
    ],
)
def test_other_ends_say_why(
    tmp_path: Path, frame: Frame, options: dict[str, str], status: dict[str, Any]
) -> None:
    """A changefeed that is not done says what it needs, or what is wrong with it."""
    assert json.loads(answered(tmp_path, frame, **options)["status.json"]) == status


def test_file_names_are_percent_encoded() -> None:
    """Every byte of the names outside `[A-Za-z0-9_-]` is escaped, so that one dot is left."""
    assert file_name("my-db.1", "9 tbl~x$") == "my-db%2E1.9%20tbl%7Ex%24.jsonl"
    assert file_name("d", "测") == "d.%E6%B5%8B.jsonl"


def test_names_too_long_for_a_file_are_explained(tmp_path: Path) -> None:
    """Such a table goes into a numbered file, which `tables.json` maps to its name."""
    files = answered(tmp_path, put(1, 1, "a", LONG))
    assert json.loads(files["tables.json"]) == {"1.jsonl": {"schema": "test", "name": LONG}}
    assert json.loads(files["tables/1.jsonl"]) == {"id": 1, "v": "a"}


def streamed(directory: Path, *, lenient: bool) -> dict[str, list[str]]:
    """Write an answer about rows alone: poison, a tombstone that meets nothing, and a row."""
    shape = [["id", "integer"], ["n", "integer", 7]]
    row = {"before": None, "after": {"id": 1, "n": 2}, "key": ["id"], "rid": None, "shape": shape}
    gone = {"before": {"id": 9}, "after": None, "key": ["id"], "rid": None, "tombstone": True}
    found = [
        Change(Kind.UPSERT, 5, "s", "t", json.dumps(row), "x", 0, 0),
        Change(Kind.DELETE, 0, "s", "t", json.dumps(gone), "x", 0, 1),
        Change(Kind.ERROR, 0, "", "", "nonsense", "x", 0, 2),
        Change(Kind.UPSERT, 6, "s", "t", json.dumps(row), "x", 0, 3),
    ]
    write(ResultRequest(directory, [], by_record=True, lenient=lenient), found)
    return {path.name: path.read_text().splitlines() for path in directory.rglob("*.json*")}


def test_poison_that_is_set_aside_has_a_file_of_its_own(tmp_path: Path) -> None:
    """Its place and its reason are told, and what follows is applied."""
    files = streamed(tmp_path, lenient=True)
    (letter,) = files["dead_letters.jsonl"]
    assert json.loads(letter) == {"topic": "x", "partition": 0, "offset": 2, "reason": "nonsense"}
    assert files["status.json"] == ['{"status":"done"}']
    assert [json.loads(line)["op"] for line in files["events.jsonl"]] == ["insert", "update"]


def test_poison_that_fails_ends_the_changefeed(tmp_path: Path) -> None:
    """The error names the place; an earlier run's dead letters are gone."""
    streamed(tmp_path, lenient=True)
    files = streamed(tmp_path, lenient=False)
    assert "dead_letters.jsonl" not in files
    assert "nonsense (topic x, partition 0, offset 2)" in files["status.json"][0]
