"""Level decode on Spark: every message's events, from files, in the order of the messages."""

from __future__ import annotations

import base64
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from cdc_spark import rows
from cdc_spark.conformance.decode_input import DecodeInput, DecodeTask
from cdc_spark.protocols import Language
from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.workspace import workspace
from harness.engine.pipeline import CatalogueCases, certify
from harness.engine.plan.levels import of_level
from harness.engine.run.context import RunContext, RunIdentity
from harness.engine.run.event_bus import EventBus
from harness.engine.run.isolation import Isolation
from harness.engine.run.preflight import ready
from harness.model.finding import Judgement
from harness.model.level import Level
from harness.protocols import OWN
from harness.runner.commands import Whereabouts
from harness.runner.targets import parse
from tests.cdc_spark.avro_messages import ID, Publisher
from tests.cdc_spark.avro_messages import column as field
from tests.cdc_spark.messages import column, ddl, gone, key, message, put, resolved, row
from tests.tree import ROOT

pytestmark = pytest.mark.spark

SHARE = Isolation(8, 9)
POISON = (b"\0\0\0\0\0\0\0\7", b"")
UNTYPED = Language("open", "4.0.4")
CREATE = "create table t (id varbinary(9) primary key, v varchar(9))"
UNKNOWN_EFFECT = {"t": 15, "v": "YWE="}

Pair = tuple[bytes | None, bytes | None]


def written(path: Path, pairs: Sequence[Pair]) -> Path:
    """Write messages to a file, by turns on two partitions; return it."""
    lines: list[dict[str, Any]] = [
        {
            "topic": "t",
            "partition": at % 2,
            "offset": at // 2,
            "timestamp": None,
            "key": None if identity is None else base64.b64encode(identity).decode(),
            "value": None if value is None else base64.b64encode(value).decode(),
            "headers": [],
        }
        for at, (identity, value) in enumerate(pairs)
    ]
    path.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
    return path


def answered(here: Path, *pairs: Pair, **how: Any) -> tuple[Any, list[Any], list[Any]]:
    """Return status, events and dead letters of the answer to some messages, without a session."""
    records = written(here / "records.jsonl", pairs)
    plain = DecodeInput(here / "out", records, Language("open"), lenient=False, untyped=False)
    reader = DecodeTask({3: replace(plain, **how)})
    (batch,) = reader.decode(iter([rows.batch_of(rows.WRITTEN, [(3,)])]))
    assert list(rows.tuples(batch)) == [(3,)]
    files = (here / "out" / name for name in ("events.jsonl", "dead_letters.jsonl"))
    events, letters = (
        [orjson.loads(line) for line in file.read_bytes().splitlines()] if file.exists() else []
        for file in files
    )
    return orjson.loads((here / "out" / "status.json").read_bytes()), events, letters


def test_events_are_reported_in_the_order_of_the_messages(tmp_path: Path) -> None:
    """Each with its message, whichever partition that is on; nothing is held or dropped."""
    status, events, letters = answered(
        tmp_path,
        message(ddl(1, "CREATE TABLE t (id INT PRIMARY KEY)", 3)),
        message(resolved(7)),
        message(put(2, 1, "a"), put(2, 2, "b")),
        message(gone(2, 1)),
        message(put(2, 1, "a")),
        (None, None),
    )
    assert (status, letters) == ({"status": "done"}, [])
    places = [(one["op"], one["partition"], one["offset"], one["commit_ts"]) for one in events]
    assert places == [
        ("ddl", 0, 0, "1"),
        ("resolved", 1, 0, "7"),
        ("insert", 0, 1, "2"),
        ("insert", 0, 1, "2"),
        ("delete", 1, 1, "2"),
        ("insert", 0, 2, "2"),
    ]
    assert events[2]["after"] == {"id": 1, "v": "a"}


def test_an_old_row_beside_the_new_one_is_an_update(tmp_path: Path) -> None:
    """Open Protocol has one letter for both; the old row tells them apart."""
    change = row(3, {"u": {"id": key(1)}, "p": {"id": key(1)}})
    _, events, _ = answered(tmp_path, message(change))
    assert [one["op"] for one in events] == ["update"]


def test_an_old_row_has_what_its_message_has(tmp_path: Path) -> None:
    """Where only changed columns are sent, the decoder's completed row is cut down to them."""
    change = row(3, {"u": {"id": key(1), "v": column("b")}, "p": {"v": column("a")}})
    _, events, _ = answered(tmp_path, message(change), changed=True)
    assert [one["before"] for one in events] == [{"v": "a"}]
    assert [one["after"] for one in events] == [{"id": 1, "v": "b"}]


def test_a_message_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """The first one is the changefeed's error, with topic, partition and offset."""
    status, _, letters = answered(tmp_path, message(put(2, 1, "a")), POISON, POISON)
    assert status["status"] == "error"
    assert status["error"].endswith("(topic t, partition 1, offset 0)")
    assert letters == []


def test_lenient_sets_it_aside(tmp_path: Path) -> None:
    """Each is a dead letter with its place and reason, and the rest is told."""
    status, events, letters = answered(
        tmp_path, POISON, message(put(2, 1, "a")), POISON, lenient=True
    )
    assert status == {"status": "done"}
    assert [one["op"] for one in events] == ["insert"]
    assert [(one["partition"], one["offset"]) for one in letters] == [(0, 0), (0, 1)]
    assert all(one["reason"] for one in letters)


def test_what_may_be_text_or_bytes_is_settled_by_the_ddl_of_its_time(tmp_path: Path) -> None:
    """The first dialect tells them apart nowhere; the statement does, wherever it stands."""
    change = row(2, {"u": {"id": UNKNOWN_EFFECT, "v": UNKNOWN_EFFECT}})
    late = message(change), message(ddl(1, CREATE, 3))
    _, events, _ = answered(tmp_path, *late, language=UNTYPED, untyped=True)
    assert events[0]["after"] == {"id": "6161", "v": "aa"}


def test_schemas_come_from_the_file_that_the_job_names(tmp_path: Path) -> None:
    """No registry is asked; an id that the file lacks is wrong with its message."""
    source = Publisher()
    schema_id = source.register(field(ID))
    texts = tmp_path / "schemas.json"
    texts.write_bytes(orjson.dumps({str(schema_id): source.texts[schema_id]}))
    language = Language("avro", url=texts.as_uri())
    status, _, _ = answered(tmp_path, (b"\0\0\0\x09\x09\2", None), language=language)
    assert "the file of schemas has none of id 2313 (topic t" in status["error"]


def test_a_changefeed_without_messages_is_done(tmp_path: Path) -> None:
    """Nothing was said, and that is an answer."""
    assert answered(tmp_path) == ({"status": "done"}, [], [])


def test_a_drawn_share_of_the_catalogue_passes(tmp_path: Path) -> None:
    """The bundled consumer reads what the encoders wrote, in packs, with Spark and no service."""
    space = workspace(ROOT)
    every = of_level(selected(load(space), None), Level.DECODE)
    drawn = tuple(case for case in every if SHARE.drawn(case.id))
    assert len(drawn) > 100
    assert {case.protocol for case in drawn} == set(OWN)
    context = RunContext(
        RunIdentity("decode", tmp_path / "run"),
        ready(parse("spark", Whereabouts.here()), lambda _: None),
        dict(os.environ),
        EventBus(),
    )
    outcome = certify(CatalogueCases(space, drawn, Level.DECODE), context)
    fine = {Judgement.PASS, Judgement.BEYOND}
    wrong = [
        {"case": one.case, "judgement": one.judgement, "detail": one.detail, "is": one.findings}
        for one in outcome.verdicts
        if (one.judgement not in fine or one.findings)
        and not one.detail.startswith("needs large-message-handle:")
    ]
    assert wrong == []
    passed = [one for one in outcome.verdicts if one.judgement is Judgement.PASS]
    assert len(passed) > 0.9 * len(drawn)
