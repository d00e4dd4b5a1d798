"""Recordings: what two clusters cannot have in common is free and named, all else is seen."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from harness.cli.main import main
from harness.codecs.debezium_vitess.dialect import DIALECTS
from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.workspace import workspace
from harness.errors import ScenarioError, UsageError
from harness.model.change import ChangeLog
from harness.oracles.compare import Message
from harness.oracles.freedoms import RUN_ID_HEADER
from harness.oracles.recordings.form import Recording, read, text
from harness.oracles.recordings.judge import expected, judged
from harness.oracles.recordings.likeness import REASONS
from harness.oracles.recordings.script import FILE, OURS, URI, script
from harness.oracles.result import OracleResult
from harness.oracles.vitess.lock import VERSIONS
from harness.record.lock import load_lock
from harness.scenario.expand import Case
from harness.sources.tidb.config import read_toml
from harness.wire.framing import frame_keys, frame_values, unframe
from tests.tree import ROOT

SPACE = workspace(ROOT)
CASES = {
    case.id: case
    for case in selected(load(SPACE), "pk-chain or converters or two-tables or tasks-of")
    if case.delivery is None
}
OPEN = next(name for name in CASES if name.startswith("keys.pk-chain[open"))
AVRO = next(name for name in CASES if name.startswith("keys.pk-chain[avro"))
VITESS = next(name for name in CASES if name.startswith("keys.pk-chain[vitess"))
HEADER = '{"recording": 1, "case": "a", "origin": "b"}'
RUN = b"01a20903-21bf-7ada-95b0-9c469b5b2a11"
TS = re.compile(rb'"ts":(\d+)')
Change = Callable[[Sequence[Message]], Sequence[Message]]


def log_of(case: Case) -> ChangeLog:
    """Return the locked changes of a case."""
    return load_lock(case.scenario, SPACE.golden)


def sent(name: str) -> tuple[Message, ...]:
    """Return what our encoder sends for a case."""
    return expected(CASES[name], log_of(CASES[name]))


def compared(name: str, messages: Sequence[Message]) -> OracleResult:
    """Return what a recording of a case comes to."""
    return judged([Recording(name, "somebody", messages)], CASES, log_of)


def events(messages: Sequence[Message]) -> Iterator[tuple[Message, bytes, bytes]]:
    """Yield each event of Open messages with its message."""
    for one in messages:
        for key, value in unframe(one.key or b"", one.value or b""):
            yield one, key, value


def of_events(found: Sequence[tuple[Message, bytes, bytes]]) -> list[Message]:
    """Return a message for each event."""
    return [
        replace(one, key=frame_keys([key]), value=frame_values([value]))
        for one, key, value in found
    ]


def later(messages: Sequence[Message]) -> list[Message]:
    """Return events whose ts are those of another cluster, farther and farther apart."""

    def other(found: re.Match[bytes]) -> bytes:
        return b'"ts":%d' % (int(found[1]) * 3 + 7)

    return of_events([(one, TS.sub(other, key), value) for one, key, value in events(messages)])


def without_resolved(messages: Sequence[Message]) -> list[Message]:
    """Return events without the resolved ones."""
    return of_events([e for e in events(messages) if b'"t":3' not in e[1]])


def in_one_message(messages: Sequence[Message]) -> list[Message]:
    """Return the events of each partition in as few messages as may be."""
    found: dict[tuple[str, int], tuple[Message, list[bytes], list[bytes]]] = {}
    for one, key, value in events(messages):
        _, keys, values = found.setdefault(one.place, (one, [], []))
        keys.append(key)
        values.append(value)
    return [
        replace(one, key=frame_keys(keys), value=frame_values(values))
        for one, keys, values in found.values()
    ]


def renamed(messages: Sequence[Message]) -> list[Message]:
    """Return messages under a topic's name of somebody's own."""
    return [replace(one, topic="mine") for one in messages]


@pytest.mark.parametrize(
    ("change", "freedom"),
    [
        (later, "commit-ts"),
        (without_resolved, "resolved-events"),
        (in_one_message, "batching"),
        (renamed, "topic-name"),
    ],
)
def test_what_another_cluster_does_is_free_and_named(change: Change, freedom: str) -> None:
    """A right producer's own ts, batches, resolved events and topic make no difference."""
    result = compared(OPEN, change(sent(OPEN)))
    assert result.headline() == "equal 1 / compared 1 / total 1", result.cases
    assert freedom in result.freedoms()
    assert set(result.freedoms()) <= set(REASONS)


def spoiled(messages: Sequence[Message]) -> list[Message]:
    """Return events one of which has another value."""
    found = list(events(messages))
    at = max(n for n, (_, key, _) in enumerate(found) if b'"t":1' in key)
    one, key, value = found[at]
    found[at] = one, key, value.replace(b'"v":', b'"v":9', 1)
    return of_events(found)


def shortened(messages: Sequence[Message]) -> list[Message]:
    """Return events without the first row."""
    found = list(events(messages))
    at = next(n for n, (_, key, _) in enumerate(found) if b'"t":1' in key)
    return of_events(found[:at] + found[at + 1 :])


def one_transaction(messages: Sequence[Message]) -> list[Message]:
    """Return events that all have one ts: nobody can tell their transactions apart."""
    return of_events(
        [(one, TS.sub(b'"ts":5', key), value) for one, key, value in without(events(messages))]
    )


def without(
    found: Iterator[tuple[Message, bytes, bytes]],
) -> Iterator[tuple[Message, bytes, bytes]]:
    """Yield events that are not resolved ones."""
    return (one for one in found if b'"t":3' not in one[1])


def resolved_too_soon(messages: Sequence[Message]) -> list[Message]:
    """Return events with the last resolved one of each partition first."""
    found = list(events(messages))
    marks = [one for one in found if b'"t":3' in one[1]]
    return of_events(marks[-1:] + [one for one in found if b'"t":3' not in one[1]])


@pytest.mark.parametrize("change", [spoiled, shortened, one_transaction, resolved_too_soon])
def test_a_wrong_stream_is_seen(change: Change) -> None:
    """A value, a missing row, transactions that run together, a broken promise: all differ."""
    result = compared(OPEN, change(sent(OPEN)))
    assert not result.passed
    assert result.cases[0].differences


@pytest.mark.parametrize("name", [OPEN, AVRO, VITESS])
def test_our_own_stream_is_equal(name: str) -> None:
    """Each protocol's own records are equal to themselves, by way of a file."""
    assert compared(name, sent(name)).passed


@pytest.mark.parametrize(
    ("name", "was", "is_now"), [(AVRO, b"\x02", b"\x04"), (VITESS, b'"c"', b'"u"')]
)
def test_a_wrong_value_is_seen_in_each_protocol(name: str, was: bytes, is_now: bytes) -> None:
    """One byte of a value that is not as it was makes a difference."""
    first, *rest = sent(name)
    wrong = replace(first, value=is_now.join((first.value or b"").rsplit(was, 1)))
    assert wrong != first
    assert not compared(name, [wrong, *rest]).passed


def test_a_recording_is_read_as_it_was_written(tmp_path: Path) -> None:
    """Keys, values, headers, nulls and schemas survive the file."""
    given = Recording(AVRO, "me", sent(AVRO))
    file = tmp_path / "r.ndjson"
    file.write_bytes(b"\n".join(text(given)))
    (found,) = read(file)
    assert (found.case, found.origin, tuple(found.messages)) == (AVRO, "me", given.messages)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("{", "not JSON"),
        ("[]", "not an object"),
        ('{"topic": "t"}', "before any header"),
        ('{"recording": 2, "case": "a", "origin": "b"}', "form 2"),
        ('{"recording": 1, "case": "a"}', "needs `case` and `origin`"),
        (f'{HEADER}\n{{"topic": "t"}}', "lacks 'partition'"),
        (f'{HEADER}\n{{"topic": "t", "partition": 0, "key": "?", "value": null}}', "not base64"),
    ],
)
def test_a_malformed_line_is_named(tmp_path: Path, line: str, what: str) -> None:
    """What is no recording is a user's mistake, with its line and what was expected."""
    file = tmp_path / "r.ndjson"
    file.write_text(line)
    with pytest.raises(ScenarioError, match=what) as caught:
        read(file)
    assert f"r.ndjson:{line.count(chr(10)) + 1}:1" in str(caught.value)


def test_an_unknown_case_is_refused() -> None:
    """A recording of a case that is not there names one that is like it."""
    with pytest.raises(UsageError, match="does not have"):
        compared(OPEN.replace("chain", "chian"), [])


def test_the_command_ends_with_its_headline_and_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file with a right and a wrong recording: one line each, then the counts, exit code 1."""
    file = tmp_path / "r.ndjson"
    both = [
        Recording(OPEN, "right", later(sent(OPEN))),
        Recording(OPEN, "wrong", spoiled(sent(OPEN))),
    ]
    file.write_bytes(b"\n".join(line for one in both for line in text(one)))
    assert main(["oracle", "compare", str(file)]) == 1
    printed = capsys.readouterr().out
    assert "differs" in printed
    assert printed.splitlines()[-1] == "equal 1 / compared 2 / total 2"


def test_the_script_has_settings_and_whole_transactions(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What a cluster must run is printed: the case's settings, its SQL, each transaction in one."""
    assert main(["oracle", "sql", OPEN]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"-- {OPEN}")
    assert lines.count("BEGIN;") == lines.count("COMMIT;") > 0


@pytest.mark.parametrize(
    ("release", "dialect"), [*VERSIONS.items(), ("3.0.8.Final", "3.0"), ("3.9.1.Final", "3.4")]
)
def test_a_connector_is_compared_in_its_release_s_dialect(release: str, dialect: str) -> None:
    """What the messages name decides which headers are right; the run's own id is free."""
    ours = expected(CASES[VITESS], log_of(CASES[VITESS]), dialect)
    version = DIALECTS[dialect].version.encode()
    theirs = [
        replace(
            one,
            value=one.value and one.value.replace(version, release.encode()),
            headers=tuple((k, RUN if k == RUN_ID_HEADER else v) for k, v in one.headers),
        )
        for one in ours
    ]
    result = compared(VITESS, theirs)
    assert result.headline() == "equal 1 / compared 1 / total 1", result.cases
    assert {"connector-version"} <= set(result.freedoms()) <= set(REASONS)
    wrong = [replace(one, headers=(*one.headers, ("h", b""))) for one in theirs]
    assert not compared(VITESS, wrong).passed


def said(case: Case) -> Iterator[str]:
    """Yield the lines that are said of a case, up to what no SQL makes."""
    with suppress(UsageError):
        yield from script(case)


def test_settings_stand_where_and_as_the_vendor_takes_them() -> None:
    """Of every case the changefeed's file that is printed says what the case's settings do."""
    tidb = [one for one in selected(load(SPACE), None) if one.protocol in {"open", "avro"}]
    files = 0
    for case in (one for one in tidb if one.delivery is None):
        lines = list(said(case))
        file = [one.removeprefix(FILE) for one in lines if one.startswith(FILE)]
        uri = [one.removeprefix(URI).partition("=")[0] for one in lines if one.startswith(URI)]
        by_file = {name: case.settings[name] for name in case.settings if name not in uri}
        if OURS not in case.settings:
            found = read_toml("\n".join(file), dialect=case.dialect)
            assert dict(found.settings) == by_file, case.id
        files += bool(file)
    assert files


def test_rules_that_no_program_has_are_refused() -> None:
    """A case that sends DDL by the document's rules cannot be recorded anywhere."""
    case = next(one for one in selected(load(SPACE), "ddl") if OURS in one.settings)
    with pytest.raises(UsageError, match="ddl-rules"):
        list(script(case))
