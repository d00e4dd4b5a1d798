"""What is free is free within bounds: a wrong value in a free place stays a difference."""

from __future__ import annotations

from dataclasses import replace

from harness.oracles.compare import TIMER, Message, Rules, compare
from harness.oracles.freedoms import (
    PROCESSING_TIME,
    REASONS,
    RUN_ID_HEADER,
    ProcessingTime,
    RunId,
    TimedPosition,
    Version,
    positions,
)

NO_ID = b"00000000-0000-0000-0000-000000000000"
BEGAN = 1_795_443_417_000_000_000
TIME = ProcessingTime(BEGAN, BEGAN + 60 * 10**9)
OURS = b'{"source":{"ts_ms":1559033905000},"ts_ms":1559033905863,"ts_ns":1559033905863497147}'
THEIRS = b'{"source":{"ts_ms":1559033905000},"ts_ms":1795443417215,"ts_ns":1795443417215985196}'


def message(value: bytes, topic: str = "t") -> Message:
    """Return a message with a value."""
    return Message(topic, 0, b"k", value)


def differs(ours: bytes, theirs: bytes) -> bool:
    """Return whether two values differ when processing times are free."""
    return bool(compare([message(ours)], [message(theirs)], Rules((TIME,))).differences)


def test_processing_times_are_free() -> None:
    """A time of the run in the place of our clock's is no difference, and is named."""
    found = compare([message(OURS)], [message(THEIRS)], Rules((TIME,)))
    assert (found.differences, found.freedoms) == ([], {PROCESSING_TIME})


def test_a_time_outside_of_the_run_is_a_difference() -> None:
    """A processing time before the run began is none."""
    assert differs(OURS, THEIRS.replace(b"1795443417215,", b"1795443410000,"))


def test_an_event_time_in_place_of_a_processing_time_is_a_difference() -> None:
    """Where we write the time of an event and theirs a time of the run, one of us is wrong."""
    assert differs(OURS.replace(b"1559033905863,", b"1559033905000,"), THEIRS)
    assert differs(OURS, OURS) is False
    assert differs(OURS, THEIRS.replace(b"1559033905000", b"1795443417215"))


def test_each_release_writes_its_version() -> None:
    """The version alone is free where another release is asked."""
    ours, theirs = (message(f'{{"version":"{one}","v":1}}'.encode()) for one in ("3.3", "3.2"))
    free = Rules((Version("3.3", "3.2"),))
    assert not compare([ours], [theirs], free).differences
    assert compare([ours], [replace(theirs, value=b'{"version":"3.2","v":2}')], free).differences
    avro = (message(b"\2x\x06" + one + b"\2y") for one in (b"3.3", b"3.2"))
    assert not compare([next(avro)], [next(avro)], free).differences


def test_a_run_id_comes_last_and_is_a_uuid() -> None:
    """The id is free where our release writes one, in its place and of its form."""
    identity = b"01a20903-21bf-7ada-95b0-9c469b5b2a11"
    bare = replace(message(b"{}"), headers=(("a", b"1"),))
    ours = replace(bare, headers=(*bare.headers, (RUN_ID_HEADER, NO_ID)))
    theirs = replace(bare, headers=(*bare.headers, (RUN_ID_HEADER, identity)))
    free = Rules((RunId(),))
    assert not compare([ours], [theirs], free).differences
    assert compare([bare], [theirs], free).differences
    assert compare([ours], [bare], free).differences
    for headers in (theirs.headers[::-1], (*bare.headers, (RUN_ID_HEADER, b"x"))):
        assert compare([ours], [replace(bare, headers=headers)], free).differences


def test_what_a_converter_writes_around_a_run_id_is_compared() -> None:
    """A header in JSON with a schema has the id inside; another schema is a difference."""
    form = '{"schema":{"type":"%s"},"payload":"%s"}'
    ours, theirs, wrong = (
        replace(message(b"{}"), headers=((RUN_ID_HEADER, (form % one).encode()),))
        for one in (
            ("string", NO_ID.decode()),
            ("string", "01a20903-21bf-7ada-95b0-9c469b5b2a11"),
            ("bytes", "01a20903-21bf-7ada-95b0-9c469b5b2a11"),
        )
    )
    assert not compare([ours], [theirs], Rules((RunId(),))).differences
    assert compare([ours], [wrong], Rules((RunId(),))).differences


def beat(position: str) -> Message:
    """Return a heartbeat that tells a position."""
    return message(f'{{"vgtid":"[{{\\"gtid\\":\\"{position}\\"}}]"}}'.encode(), "beat.x")


def test_a_timer_sends_as_many_heartbeats_as_it_likes() -> None:
    """Heartbeats may be fewer or more than ours, at any position that the stream has."""
    ours = [beat("1-2"), beat("1-3")]
    rules = Rules((TimedPosition("beat", positions(ours)),), timed="beat")
    for theirs in ([], [beat("1-3")], [beat("1-2"), beat("1-2"), beat("1-3")]):
        found = compare(ours, theirs, rules)
        assert (found.differences, found.freedoms) == ([], {TIMER})
    assert compare(ours, [beat("1-9")], rules).differences
    assert compare([], [beat("1-2")], rules).differences
    (odd,) = compare([*ours, message(b"{}", "beat.x")], [beat("1-3")], rules).differences
    assert (odd.number, odd.part) == (2, "unlike")


def test_every_freedom_has_a_reason() -> None:
    """What reports name is explained."""
    assert {TIMER, PROCESSING_TIME, TIME.name, Version("", "").name} <= REASONS.keys()
    assert all(reason.endswith(".") for reason in REASONS.values())
