"""All that reads what somebody else wrote: how, a few real inputs, and how it refuses.

A row's `refusals` are the errors with a place or a reason that the reader promises; whatever else
it raises is a defect. Readers of files are given a file, in a directory of their own.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import orjson

from cdc_spark.apply import ddl_sql
from cdc_spark.errors import CdcSparkError
from cdc_spark.protocols import Language, decoder
from harness.authoring.from_binlog import steps_of_log
from harness.codecs.avro.decode_body import record_form
from harness.ddl import parse as parse_ddl
from harness.ddl.statements import parse_expression
from harness.documents import toml_file, yaml_file
from harness.engine.catalogue.digests import read_digests
from harness.engine.catalogue.plans import planned_only
from harness.engine.catalogue.workspace import Workspace
from harness.engine.plan.case import Plan
from harness.engine.run.external_topics.document import read_live
from harness.errors import HarnessBug, HarnessError
from harness.load import spec as load_spec
from harness.model.observed import Observed, Outcome
from harness.oracles.compare import message
from harness.oracles.recordings.form import Recording, text
from harness.oracles.recordings.form import read as read_recordings
from harness.oracles.recordings.judge import judged
from harness.protocols import OWN
from harness.record.lock import load_lock, read_lock
from harness.report.read import read_events
from harness.runner.commands import Whereabouts
from harness.runner.contract import results
from harness.runner.contract.exact_json import Malformed
from harness.runner.contract.exact_json import parse as exact_json
from harness.runner.manifests.expectations import read_expectations
from harness.runner.manifests.read import read_manifest
from harness.scenario.expand import cases
from harness.scenario.load import load_all
from harness.scenario.load import parse as parse_scenario
from harness.scenario.select import matcher
from harness.sources.tidb.config import read_toml
from harness.sources.tidb.table_filter import parse_rules
from harness.sources.tidb.topic import check_topic
from harness.truth.read import vectors
from harness.wire.framing import framed, unframe
from tests.record.logs import SMALL
from tests.report.samples import every_judgement, run, written

ROOT = Path(__file__).resolve().parents[2]
Read = Callable[[bytes], object]
OURS: tuple[type[Exception], ...] = (HarnessError,)


@dataclass(frozen=True, slots=True)
class Reader:
    """One reader: `seeds` gives right inputs, `read` takes any bytes."""

    seeds: Callable[[], Sequence[bytes]]
    read: Read
    refusals: tuple[type[Exception], ...] = OURS

    def settles(self, content: bytes) -> bool:
        """Read or refuse; return whether it was read. Raises what is a defect."""
        try:
            self.read(content)
        except HarnessBug:
            raise
        except self.refusals as refusal:
            if not str(refusal).strip():
                raise AssertionError("a refusal without a word") from refusal
            return False
        return True


def _files(*patterns: str) -> Callable[[], Sequence[bytes]]:
    """Return what reads the files of the repository that some patterns mean."""

    def read() -> Sequence[bytes]:
        paths = [path for pattern in patterns for path in sorted(ROOT.glob(pattern))]
        return [path.read_bytes() for path in paths if path.stat().st_size < 1 << 16]

    return read


def _id(text: str) -> str:
    """Return the id that a scenario gives itself, for what else must agree with it."""
    found = re.search(r"^id: ([a-z0-9-]{1,40}\.[a-z0-9-]{1,60})$", text, re.MULTILINE)
    return found[1] if found else "keys.f"


def _scenario_file(content: bytes) -> object:
    name = _id(content.decode("utf-8", "replace")).replace(".", "/", 1)
    return _in_file(f"{name}.yaml", lambda path: load_all(path.parent.parent))(content)


def _texts(*texts: str) -> Callable[[], Sequence[bytes]]:
    return lambda: [text.encode() for text in texts]


def _text(read: Callable[[str], object]) -> Read:
    """Return a reader of text: bytes that are none never reach it, as half characters may."""
    return lambda content: read(content.decode("utf-8", "surrogateescape"))


def _in_file(name: str, read: Callable[[Path], object]) -> Read:
    """Return a reader of a file by that name."""

    def reading(content: bytes) -> object:
        with tempfile.TemporaryDirectory(prefix="bounded-") as folder:
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            return read(path)

    return reading


def _recordings() -> Sequence[bytes]:
    """Return a recording of a case of each protocol, as our encoder would be recorded."""
    return [b"\n".join(text(_recording(name))) for name in OWN]


def _recording(protocol: str) -> Recording:
    plan = _plan(protocol)
    return Recording(plan.case.id, "us", [message(record) for record in plan.records])


def _judged(found: Sequence[Recording]) -> object:
    known = {plan.case.id: plan.case for plan in _plans()}
    golden = ROOT / "golden"
    return judged(found, known, lambda case: load_lock(case.scenario, golden))


def _recorded(protocol: str) -> Read:
    """Return what compares one message of any content with what our encoder sends."""

    def read(content: bytes) -> object:
        recording = _recording(protocol)
        key, value = _sides(content)
        first = replace(recording.messages[0], key=key, value=value)
        return _judged([replace(recording, messages=[first])])

    return read


# Answers of consumers: what is wrong with them is an outcome, never an exception.


def _answer(path: Path) -> object:
    """Return what the result directory around a file answers."""
    home = path.parent.parent if path.parent.name == "tables" else path.parent
    status = home / "status.json"
    if not status.exists():
        status.write_text('{"status":"done"}', encoding="utf-8")
    read = results.read_decoded if path.name == "decoded.jsonl" else results.read
    if path.name == "decoded.jsonl":
        path.rename(path.with_name("events.jsonl"))
    found: Observed = read(home)
    if found.outcome is Outcome.INVALID and not found.detail:
        raise AssertionError("an invalid answer without a word")
    return found


def _lines(*rows: Mapping[str, Any]) -> Callable[[], Sequence[bytes]]:
    return lambda: [b"".join(orjson.dumps(row) + b"\n" for row in rows)]


def _parquet() -> Sequence[bytes]:
    pa: Any = import_module("pyarrow")
    pq: Any = import_module("pyarrow.parquet")
    sink = pa.BufferOutputStream()
    table = pa.table({"id": [1, 2], "v": ["a", None], "d": [date(2024, 1, 2), None]})
    pq.write_table(table, sink)
    content: bytes = sink.getvalue().to_pybytes()
    return [content]


# Messages, as the plans of the catalogue's own cases send them.


@cache
def _plans() -> tuple[Plan, ...]:
    """Return plans of a few cases of each protocol."""
    space = Workspace(ROOT, ROOT / "scenarios", ROOT / "golden")
    wanted = [ROOT / "scenarios" / name for name in ("keys", "evolution")]
    chosen: dict[tuple[str, str, str], Any] = {}
    for scenario in load_all(space.scenarios, wanted):
        for case in cases(scenario):
            chosen.setdefault((case.protocol, case.dialect, scenario.path), case)
    return planned_only(space, tuple(chosen.values()), expectations=False)


@cache
def _plan(protocol: str) -> Plan:
    """Return the plan of a protocol with the most records; schemas' ids are its own."""
    own = [plan for plan in _plans() if plan.case.protocol == protocol]
    return max(own, key=lambda plan: (plan.case.dialect == "current", len(plan.records)))


def _messages(protocol: str) -> Callable[[], Sequence[bytes]]:
    """Return what gives messages of a protocol, key and value framed into one input."""

    def made() -> Sequence[bytes]:
        pairs = {(record.key, record.value) for record in _plan(protocol).records}
        return sorted(b"".join(framed([key or b"", value or b""])) for key, value in pairs)

    return made


def _sides(content: bytes) -> tuple[bytes | None, bytes | None]:
    """Return the key and the value of an input; whatever does not fit is the value."""
    size = int.from_bytes(content[:8], "big")
    key, rest = content[8 : 8 + min(size, 1 << 20)], content[8 + min(size, 1 << 20) + 8 :]
    return key or None, rest or None


def _decoded(protocol: str) -> Read:
    return lambda content: _plan(protocol).wire.decode(*_sides(content))


@cache
def _spark_decoder(protocol: str) -> Any:
    schemas = {
        str(use.id): use.schema
        for record in _plan(protocol).records
        for use in (record.key_schema, record.value_schema)
        if use is not None
    }
    path = Path(tempfile.mkdtemp(prefix="bounded-"), "schemas.json")
    path.write_bytes(orjson.dumps(schemas))
    return decoder(Language(protocol, url=path.as_uri()))


def _spark(protocol: str) -> Read:
    return lambda content: _spark_decoder(protocol)(*_sides(content))


def _schemas() -> Sequence[bytes]:
    uses = [r.value_schema for p in _plans() if p.case.protocol == "avro" for r in p.records]
    return sorted({use.schema.encode() for use in uses if use is not None})


def _events() -> Sequence[bytes]:
    """Return what a run with each judgement writes."""
    return [written("ndjson", run(*every_judgement()))]


def _lock(content: bytes) -> object:
    plan = _plans()[0]
    return read_lock(plan.case.scenario, Path("changes.jsonl"), content)


def _locks() -> Sequence[bytes]:
    home = ROOT / "golden" / _plans()[0].case.scenario.path
    return [(home / "changes.jsonl").read_bytes()]


def _ddl_seeds() -> Sequence[bytes]:
    lines = (ROOT / "tests/ddl/statements.txt").read_text("utf-8").splitlines()
    return [line[2:].removesuffix("$").encode() for line in lines if line[:2] == "> "]


def _spark_ddl_seeds() -> Sequence[bytes]:
    return [text for text in _ddl_seeds() if _understood(text)]


def _understood(text: bytes) -> bool:
    """Return whether Spark's consumer reads a statement; of many it says that it does not."""
    try:
        ddl_sql.parse(text.decode())
    except CdcSparkError:
        return False
    return True


TOML = """
case-sensitive = true
[filter]
rules = ['*.*', '!test.*', '"a.b".c', '/^t[0-9]+$/.*']
[[filter.event-filters]]
matcher = ["shop.*"]
ignore-event = ["drop table", "delete"]
ignore-sql = ["^drop"]
ignore-insert-value-expr = "id > 5 AND (name = 'x' OR v IS NULL)"
[sink]
dispatchers = [{matcher = ['shop.*'], topic = "{schema}_{table}", partition = "ts"}]
"""
EXPRESSIONS = (
    "id > 5 AND (name = 'x' OR v IS NULL)",
    "CASE WHEN a = 1 THEN 2 ELSE -b DIV 3 END",
    "IF(a IN (1, 2, 3), NOT b, c BETWEEN 1 AND 9) AND d LIKE 'x%' AND f(g(h(1.5e3))) <> 0x1F",
)
LIVE = """
live: 1
protocol: open
upstream: mysql://user@host:3306/
tables: [shop.t]
topics: [{name: shop, role: data}]
"""
MANIFEST = """
manifest: 1
name: mine
version: "1.2"
homepage: https://example.org/
command: [sh, -c, "true"]
protocols: [open, avro]
max-changefeeds: 3
levels: [materialise]
guarantee: exactly-once
environment: {SIZE: "5"}
lossy: [{types: [timestamp], reason: "an hour of it"}]
"""
WHERE = Whereabouts(ROOT, {})
EVENT = {"op": "insert", "schema": "s", "table": "t", "after": {"id": 1}, "commit_ts": 5}
PLACE = {"topic": "t", "partition": 0, "offset": 3}

READERS: Mapping[str, Reader] = {
    "YAML": Reader(
        _files("scenarios/keys/*.yaml", "tests/corpus/invalid/*.yaml"),
        _text(lambda text: yaml_file.read(text, "f.yaml")),
    ),
    "scenario": Reader(
        _files("scenarios/keys/*.yaml", "scenarios/dml/*.yaml", "scenarios/filters/*.yaml"),
        _text(lambda text: parse_scenario(text, "f.yaml", _id(text).replace(".", "/", 1))),
    ),
    "scenario file": Reader(
        _files("scenarios/ddl/*.yaml"),
        _scenario_file,
    ),
    "manifest": Reader(
        _texts(MANIFEST),
        _in_file("consumer.yaml", lambda path: read_manifest(str(path), WHERE)),
    ),
    "expectations": Reader(
        _files("examples/consumers/*/expectations.yaml", "harness/scaffolds/spark/*/known.yaml"),
        _in_file("k.yaml", lambda path: read_expectations(path, "k.yaml", "1", date(2026, 1, 1))),
    ),
    "live file": Reader(_texts(LIVE), _in_file("l.yaml", lambda path: read_live(path, {}))),
    "load file": Reader(
        _texts("tables: 2\nevents: 1000\nprotocol: open\n"),
        _in_file("l.yaml", lambda path: load_spec.load(path, {})),
    ),
    "result: status": Reader(
        _texts(
            '{"status":"error","error":"no","messages":[{"topic":"t","partition":0,"offset":1}]}'
        ),
        _in_file("status.json", _answer),
    ),
    "result: rows": Reader(
        _lines({"id": 1, "v": "a"}, {"id": 2, "v": None}), _in_file("tables/s.t.jsonl", _answer)
    ),
    "result: index": Reader(
        _texts('{"x.jsonl":{"schema":"s","name":"t"}}'), _in_file("tables.json", _answer)
    ),
    "result: events": Reader(_lines({**EVENT, **PLACE}), _in_file("events.jsonl", _answer)),
    "result: decoded": Reader(_lines({**EVENT, **PLACE}), _in_file("decoded.jsonl", _answer)),
    "result: DDL": Reader(
        _lines({"query": "DROP TABLE t", "type": 4, "schema": "s", "table": "t", "commit_ts": 7}),
        _in_file("ddl.jsonl", _answer),
    ),
    "result: dead letters": Reader(
        _lines({**PLACE, "error": "no"}), _in_file("dead-letters.jsonl", _answer)
    ),
    "result: Parquet": Reader(_parquet, _in_file("tables/s.t.parquet", _answer)),
    "exact JSON": Reader(
        _texts('{"a":[1,-2.50,"x\\u00fc",null,true,{"b":1e5}]}'), exact_json, (Malformed,)
    ),
    "lock": Reader(_locks, _lock),
    "golden digests": Reader(
        _texts('{"case":"a","records":"00"}'),
        _text(lambda text: read_digests(text.splitlines())),
        (HarnessError, ValueError),
    ),
    "events.ndjson": Reader(_events, _in_file("events.ndjson", read_events)),
    "TOML": Reader(_texts(TOML), _text(toml_file.parse), (ValueError,)),
    "changefeed file": Reader(_texts(TOML), _text(read_toml)),
    "binary log": Reader(
        lambda: [SMALL],
        _in_file("binlog.000001", lambda path: steps_of_log(path, (), (0, 0), None)),
    ),
    "table filter": Reader(
        _texts("*.*", "!test.*", '"a.b".`c`', "/^t[0-9]+$/.*", "[a-z]*.t?", "a\\.b.c"),
        _text(lambda text: parse_rules([text], case_sensitive=False).table("shop", "t")),
    ),
    "topic rule": Reader(
        _texts("{schema}_{table}", "pre_{schema}-{table}"),
        _text(lambda text: check_topic(text, avro=True)),
    ),
    "selection": Reader(_texts("a and not (b or c)", "keys.x[open]"), _text(matcher)),
    "DDL": Reader(_ddl_seeds, _text(parse_ddl)),
    "expression": Reader(_texts(*EXPRESSIONS), _text(parse_expression)),
    "vendor vectors": Reader(
        _texts('{"name":"a","rows":[1,2]}\n'),
        _in_file("v.jsonl", lambda path: list(vectors(path))),
    ),
    "Avro schema": Reader(_schemas, _text(record_form)),
    "recordings": Reader(
        _recordings, _in_file("r.ndjson", lambda path: _judged(read_recordings(path)))
    ),
    "recorded Open message": Reader(_messages("open"), _recorded("open")),
    "recorded Avro message": Reader(_messages("avro"), _recorded("avro")),
    "recorded Vitess message": Reader(_messages("vitess"), _recorded("vitess")),
    "frames": Reader(
        _messages("open"), lambda content: unframe(*(side or b"" for side in _sides(content)))
    ),
    "Open message": Reader(_messages("open"), _decoded("open")),
    "Avro message": Reader(_messages("avro"), _decoded("avro")),
    "Vitess message": Reader(_messages("vitess"), _decoded("vitess")),
    "Spark: Open message": Reader(_messages("open"), _spark("open"), (CdcSparkError,)),
    "Spark: Avro message": Reader(_messages("avro"), _spark("avro"), (CdcSparkError,)),
    "Spark: Vitess message": Reader(_messages("vitess"), _spark("vitess"), (CdcSparkError,)),
    "Spark: DDL": Reader(_spark_ddl_seeds, _text(ddl_sql.parse), (CdcSparkError,)),
}
