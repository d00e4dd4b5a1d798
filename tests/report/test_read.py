"""NDJSON is read back as exactly the events that were written, or refused with file and line."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import UsageError
from harness.model.events import (
    CaseFinished,
    Event,
    PhaseFinished,
    PhaseStarted,
    RunFinished,
    ServiceChanged,
)
from harness.report.ndjson import NAMES, Ndjson
from harness.report.read import read_events
from tests.report.samples import HOSTILE, every_judgement, run, written

START = '{"event":"run-started","format":1,"run":"a","consumer":"c","cases":1,"versions":{}}'
CASE = (
    '{"event":"case-finished","case":"a","protocol":"open","file":"f","title":"t",'
    '"verdict":{"case":"a","judgement":"pass"},"repeat":"r"}'
)
MALFORMED = {
    "no JSON": (START, "{oops", 2, "not JSON"),
    "no object": (START, "[1]", 2, "not a JSON object"),
    "an unknown event": (START, '{"event":"applause"}', 2, "'applause'"),
    "an event without a name": (START, "{}", 2, "None"),
    "a missing key": (START, '{"event":"phase-finished","phase":"plan"}', 2, "`seconds`"),
    "an unknown key": (START, '{"event":"phase-started","phase":"p","x":1}', 2, "`x`"),
    "a wrong type": (START, '{"event":"phase-finished","phase":1,"seconds":1}', 2, ".phase"),
    "a truth value for a number": (
        START,
        '{"event":"phase-finished","phase":"p","seconds":true}',
        2,
        ".seconds",
    ),
    "a torn line": (START, '{"event":"phase-star', 2, "not JSON"),
    "an empty line": (START, "", 2, "not JSON"),
    "a second start": (START, START, 2, "first event"),
    "no start": ('{"event":"phase-started","phase":"p"}', START, 1, "first event"),
    "another format": (START.replace(":1,", ":2,", 1), "", 1, "format 1"),
    "no format": (START.replace('"format":1,', ""), "", 1, "format 1"),
    "a deep hole": (START, "[" * 5000, 2, "not JSON"),
    "a verdict that is none": (
        START,
        CASE.replace('"pass"', '"splendid"'),
        2,
        "verdict.judgement",
    ),
}


def test_every_kind_of_event_has_a_name() -> None:
    """The table of names covers all events, so that none is lost between writer and reader."""
    assert set(NAMES) == set(get_args(Event))
    assert len(set(NAMES.values())) == len(NAMES)


FINITE = st.floats(allow_nan=False, allow_infinity=False)
EVENTS = st.one_of(
    st.builds(PhaseStarted),
    st.builds(PhaseFinished, seconds=FINITE),
    st.builds(ServiceChanged, seconds=st.none() | FINITE),
    st.builds(CaseFinished),
    st.builds(RunFinished, seconds=FINITE),
)


@given(st.lists(EVENTS))
def test_what_is_written_is_read_back(events: list[Event]) -> None:
    """Any events after a start come back equal, whatever texts and numbers they hold."""
    events_written = (*run()[:1], *events)
    file = io.BytesIO()
    for event in events_written:
        Ndjson(file).handle(event)
    with tempfile.TemporaryDirectory() as home:
        path = Path(home, "events.ndjson")
        path.write_bytes(file.getvalue())
        assert read_events(path) == events_written


def test_hostile_texts_come_back_as_they_are(tmp_path: Path) -> None:
    """Control characters, quotes and 4-byte characters survive; big integers keep every digit."""
    events = run(*every_judgement(HOSTILE), consumer=HOSTILE)
    path = tmp_path / "events.ndjson"
    path.write_bytes(written("ndjson", events))
    assert read_events(path) == events


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_line_is_named(name: str, tmp_path: Path) -> None:
    """Whatever is not an event is a usage error with file, line and reason."""
    first, second, line, reason = MALFORMED[name]
    path = tmp_path / "events.ndjson"
    path.write_text(f"{first}\n{second}\n", encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        read_events(path)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert reason in str(caught.value)


@pytest.mark.parametrize("content", [None, b""])
def test_a_file_without_events_is_refused(content: bytes | None, tmp_path: Path) -> None:
    """A file that is not there, or empty, is a usage error with its name."""
    path = tmp_path / "events.ndjson"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError, match=r"events\.ndjson"):
        read_events(path)
