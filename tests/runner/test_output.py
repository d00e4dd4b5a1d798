"""Output is kept, bounded and readable, whoever else holds the pipe."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import SetupError
from harness.runner import output as module
from harness.runner.output import HEAD_BYTES, TAIL_BYTES, Output, readable


def capture(log: Path, *chunks: bytes) -> Output:
    """Write chunks into a captured pipe, as a child would."""
    with Output(log) as output, output.pipe.open("wb", buffering=0) as pipe:
        for chunk in chunks:
            pipe.write(chunk)
    return output


def test_short_output_is_whole(tmp_path: Path) -> None:
    """Nothing is lost or added, and the FIFO is gone afterwards."""
    output = capture(tmp_path / "x.log", b"one\n", b"two")
    assert output.text(100) == "one\ntwo"
    assert output.text(3) == "[…]two"
    assert (tmp_path / "x.log").read_bytes() == b"one\ntwo"
    assert [path.name for path in tmp_path.iterdir()] == ["x.log"]


@pytest.mark.parametrize("extra", [0, 1, TAIL_BYTES, 5 * TAIL_BYTES])
def test_the_middle_is_counted(tmp_path: Path, extra: int) -> None:
    """Whatever is not in the log is in its count of bytes left out."""
    written = b"x" * (HEAD_BYTES + TAIL_BYTES + extra)
    capture(tmp_path / "x.log", written)
    kept = (tmp_path / "x.log").read_bytes()
    assert len(kept) <= HEAD_BYTES + 2 * TAIL_BYTES
    if len(kept) < len(written):
        left_out = len(written) - kept.count(b"x")
        assert f"\n[… {left_out} bytes left out …]\n".encode() in kept
    else:
        assert kept == written


def test_a_stranger_with_the_pipe_cannot_hold_us_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that escaped with the pipe open delays the end by a bounded time only."""
    monkeypatch.setattr(module, "LAST_WORDS_S", 0.1)
    output = Output(tmp_path / "x.log")
    with output:
        stranger = os.open(output.pipe, os.O_WRONLY)
        os.write(stranger, b"words")
    assert output.text(10) == "words"
    os.close(stranger)


def test_a_writer_that_comes_as_another_goes_is_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pipe may look ended and then have nothing to read: nobody stops listening for that."""
    real, looked = os.read, list[int]()

    def read(end: int, size: int) -> bytes:
        looked.append(end)
        if len(looked) == 1:
            raise BlockingIOError
        return real(end, size)

    monkeypatch.setattr(module.os, "read", read)
    assert capture(tmp_path / "x.log", b"one\n").text(100) == "one\n"
    assert len(looked) > 1


def test_a_log_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    """A full or broken disk is an error of the environment, and the child is not blocked by it."""
    (tmp_path / "x.log").mkdir()
    with pytest.raises(SetupError, match=r"cannot write .*x\.log: Is a directory"):
        capture(tmp_path / "x.log", b"x" * (1 << 20))


def test_a_place_without_fifos_is_reported(tmp_path: Path) -> None:
    """Where no FIFO can be made, the message says where and what to do."""
    with pytest.raises(SetupError, match="cannot create a FIFO"), Output(tmp_path / "no" / "x.log"):
        pass


@given(st.binary(max_size=50))
def test_any_bytes_become_readable_text(raw: bytes) -> None:
    """No control code but tab and newline reaches a terminal or an XML report."""
    assert not [c for c in readable(raw) if (c < " " or "\x7f" <= c <= "\x9f") and c not in "\n\t"]


def test_colours_and_progress_bars_become_lines() -> None:
    """What a terminal would have shown is what a person reads."""
    raw = b"\x1b[1;31mred\x1b[0m \x1b]0;title\x07plain\r\n10%\r20%\r\n\xff\x00"
    assert readable(raw) == "red plain\n10%\n20%\n\ufffd\ufffd"
