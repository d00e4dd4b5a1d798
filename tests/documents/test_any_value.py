"""Whatever stands at a place of a document, its reader takes it or refuses it in its own words."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from harness.documents.yaml_file import read
from harness.engine.run.external_topics.document import read_live
from harness.errors import ScenarioError, UsageError
from harness.load.spec import load
from harness.model.observed import Outcome
from harness.runner.commands import Whereabouts
from harness.runner.contract import results
from harness.runner.manifests.expectations import read_expectations
from harness.runner.manifests.read import read_manifest
from harness.services.settings import SETTINGS, settings
from harness.sources.tidb.config import read_toml
from harness.sources.tidb.config_keys import KEYS, RULE_KEYS
from tests.engine.run.external_topics.test_document import PLAIN
from tests.runner.manifests.test_expectations import TODAY
from tests.runner.manifests.test_read import ATTACHED, WHOLE

DIGITS = "9" * 5000
ANY = ("true", "0", "-1", "1.5", DIGITS, '""', '"x"', '"\\u0000"', "[]", "[1]", '["x"]', "{}")
YAML = (
    *ANY,
    *("null", "5.0", "1e999", ".nan", "-.inf", '[["x"]]', '{"x": 1}', "!!python/none x", "*a"),
    "[" * 5000,
    "[" * 70 + "]" * 70,
    "&a [*a]",
)
TOML = (
    *ANY,
    *("nan", "-inf", "0x" + "f" * 5000, "1979-05-27", "07:32:00", "{x = 1}", "[{}]", "[{x = 1}]"),
    "[" * 5000,
    "[" * 5000 + "]" * 5000,
)
MARK = "@here@"


def with_any_value(data: Any) -> Iterator[tuple[str, str]]:
    """Yield a place and the document, as text with a mark in that place, for each place."""
    yield "the whole", f'"{MARK}"'
    for path in places(data):
        whole = json.loads(json.dumps(data))
        inner = whole
        for part in path[:-1]:
            inner = inner[part]
        inner[path[-1]] = MARK
        yield ".".join(map(str, path)), json.dumps(whole)


def places(node: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of every value below a node."""
    pairs = enumerate(node) if isinstance(node, list) else ()
    for part, value in node.items() if isinstance(node, dict) else pairs:
        yield (*path, part)
        yield from places(value, (*path, part))


def manifest(path: Path) -> object:
    """Read a manifest."""
    environment = {"PATH": "", "TEAS_TOKEN": "t", "TABLES": "mysql://me:pw@db.example/"}
    return read_manifest(path.name, Whereabouts(path.parent, environment))


def expectations(path: Path) -> object:
    """Read known failures."""
    return read_expectations(path, path.name, "2.0", TODAY)


KNOWN = """
expectations: 1
known:
  - {cases: keys, finding: rounds, reason: It rounds., link: "https://example.org/1",
     expires: "2027-01-01", versions: "<2.1"}
"""
WORKLOAD = "{events: 7, skew-keys: 2.5, protocol: avro, settings: {max-batch-size: 2}}"
READERS: Mapping[str, tuple[str, Callable[[Path], object]]] = {
    "a manifest of a command": (WHOLE, manifest),
    "a manifest of a running system": (ATTACHED, manifest),
    "known failures": (KNOWN, expectations),
    "live topics": (PLAIN.format(protocol="open", more=""), lambda path: read_live(path, {})),
    "a workload": (WORKLOAD, lambda path: load(path, {})),
}


@pytest.mark.parametrize("name", READERS)
def test_any_value_in_any_place_is_taken_or_refused(name: str, tmp_path: Path) -> None:
    """A value of any type, size and depth is an answer or a user's mistake, never a traceback."""
    text, reader = READERS[name]
    (tmp_path / "run.sh").write_text("#!/bin/sh\n")
    path = tmp_path / "file.yaml"
    data = json.loads(json.dumps(read(text, name).data, default=float))
    for place, marked in with_any_value(data):
        for value in YAML:
            path.write_text(marked.replace(f'"{MARK}"', value), encoding="utf-8")
            answered(f"{value[:20]} at {place}", reader, path)


def answered(what: str, reader: Callable[[Any], object], argument: object) -> None:
    """Call a reader; fail with the place for anything but an answer or a user's mistake."""
    try:
        reader(argument)
    except (ScenarioError, UsageError) as error:
        said = str(error)
    except Exception as error:  # the test names the place
        raise AssertionError(f"{what}: {error!r}"[:400]) from error
    else:
        return
    assert said, what


def test_any_value_of_a_changefeed_file_is_taken_or_refused() -> None:
    """The same of each key of a changefeed file, and of each key of its rules."""
    texts = [f"{name} = " for name in KEYS]
    texts += [f"[[{name}]]\n{key} = " for name, keys in RULE_KEYS.items() for key in keys]
    for text in texts:
        for value in TOML:
            answered(f"{value[:20]} at {text}", read_toml, f"{text}{value}\n")


def here(directory: Path) -> object:
    """Read the settings of a directory."""
    return settings({}, env={}, here=directory)


def test_any_value_of_a_settings_file_is_taken_or_refused(tmp_path: Path) -> None:
    """The same of each setting."""
    for name in (*(one.name for one in SETTINGS), "kafka.client.id", "nothing"):
        for value in TOML:
            (tmp_path / "harness.toml").write_text(f"{name} = {value}\n", encoding="utf-8")
            answered(f"{value[:20]} at {name}", here, tmp_path)


@pytest.mark.parametrize("text", ["tool = 1\n", "[tool]\nharness = 1\n", "tool = [1]\n"])
def test_a_table_that_is_none_is_refused(text: str, tmp_path: Path) -> None:
    """A pyproject.toml with something else under [tool.harness] is a user's mistake."""
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    answered(text, here, tmp_path)


LINES: Mapping[str, Mapping[str, Any]] = {
    "status.json": {"status": "done"},
    "tables.json": {"1.jsonl": {"schema": "shop", "name": "t"}},
    "events.jsonl": {
        "op": "update",
        "schema": "shop",
        "table": "t",
        "before": {"a": 1},
        "after": {"a": 2},
        "commit_ts": "1",
        "topic": "t",
        "partition": 0,
        "offset": 1,
        "query": "x",
        "type": 1,
    },
    "ddl.jsonl": {"query": "DROP", "type": 1, "schema": "shop", "table": "t", "commit_ts": 5},
    "dead-letters.jsonl": {"topic": "t", "partition": 0, "offset": 1, "error": "torn"},
}
JSON = (*ANY, "null", "5.0", "5.5", "1e5", "1e999999", "NaN", "[" * 5000, "{" * 70, '"\\ud800"')


@pytest.mark.parametrize("name", LINES)
def test_any_value_of_an_answer_is_data(name: str, tmp_path: Path) -> None:
    """Whatever a consumer writes in a result file is an answer, or an invalid one with words."""
    (tmp_path / "status.json").write_text('{"status": "done"}')
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables/1.jsonl").write_text("")
    if name != "tables.json":
        (tmp_path / "tables.json").write_text(json.dumps(LINES["tables.json"]))
    for reader in (results.read, results.read_decoded):
        for place, marked in with_any_value(LINES[name]):
            for value in JSON:
                (tmp_path / name).write_text(marked.replace(f'"{MARK}"', value), encoding="utf-8")
                found = reader(tmp_path)
                assert found.outcome is not Outcome.INVALID or found.detail, (place, value[:20])
