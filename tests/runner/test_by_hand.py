"""A consumer that somebody else starts: how it is shown, and what ends the wait for it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import pytest

from harness.runner.by_hand import JUDGE, SESSION, ByHand, Session, instructions


class Keyboard:
    """A terminal's two ends."""

    def __init__(self) -> None:
        """Open both."""
        reading, writing = os.pipe()
        self.keys: TextIO = os.fdopen(reading)
        self.typed: TextIO = os.fdopen(writing, "w")

    def enter(self) -> None:
        """Press Enter."""
        self.typed.write("\n")
        self.typed.flush()


@pytest.fixture
def keyboard() -> Iterator[Keyboard]:
    """Return a keyboard."""
    board = Keyboard()
    yield board
    board.typed.close()
    board.keys.close()


def waiting(run: Path, said: list[str], keys: TextIO | None, *, when_done: bool = False) -> Session:
    """Return the wait for one changefeed of a run."""
    start = run / "consumer/0001"
    (start / "out/1").mkdir(parents=True)
    env = {"HARNESS_JOB": str(start / "job.json")}
    return ByHand(said.append, when_done, keys)(["./run"], start / "work", env)


def answer(run: Path, text: str = '{"status": "done"}') -> None:
    """Write the status of the changefeed."""
    (run / "consumer/0001/out/1/status.json").write_text(text, encoding="utf-8")


def test_the_printed_command_has_the_directory_the_variables_and_the_words(tmp_path: Path) -> None:
    """A shell that runs the two lines starts the command as the harness would have."""
    env = {"HARNESS_JOB": "/a b/job.json", "ODD": "it's $HOME", "PATH": os.environ["PATH"]}
    argv = ["sh", "-c", 'echo "$PWD|$HARNESS_JOB|$ODD|$0"', "a b"]
    text = instructions(argv, tmp_path, env, "ab12", when_done=False)
    lines = [line for line in text.splitlines() if line.startswith(("cd ", "env "))]
    assert "PATH=" not in text
    ran = subprocess.run(
        ["sh", "-ec", "\n".join(lines)], capture_output=True, text=True, check=True
    )
    assert ran.stdout == f"{tmp_path}|/a b/job.json|it's $HOME|a b\n"


def test_enter_judges_and_warns_first_where_there_is_no_answer(
    tmp_path: Path, keyboard: Keyboard
) -> None:
    """Enter before the answer only says so; a second one judges nevertheless."""
    said: list[str] = []
    session = waiting(tmp_path, said, keyboard.keys)
    with pytest.raises(TimeoutError):
        session.wait(0.01)
    keyboard.enter()
    assert session.poll() is None
    assert said[-1].endswith("out/1/status.json yet; Enter judges nevertheless")
    keyboard.enter()
    assert session.wait(0.01) == 0


def test_enter_judges_an_answer_at_once(tmp_path: Path, keyboard: Keyboard) -> None:
    """With an answer there is nothing to warn of."""
    session = waiting(tmp_path, [], keyboard.keys)
    answer(tmp_path)
    assert session.poll() is None
    keyboard.enter()
    assert session.poll() == 0


def test_an_answer_ends_the_wait_where_that_was_asked_for(tmp_path: Path) -> None:
    """With --judge-when-done a whole status ends the wait, half of one does not."""
    session = waiting(tmp_path, [], None, when_done=True)
    answer(tmp_path, "{")
    assert session.poll() is None
    answer(tmp_path)
    assert session.poll() == 0


def test_another_terminal_ends_the_wait(tmp_path: Path, keyboard: Keyboard) -> None:
    """Without a keyboard too; who waits is known as long as it does."""
    keyboard.typed.close()
    session = waiting(tmp_path, [], keyboard.keys)
    assert session.poll() is None
    assert (tmp_path / SESSION).read_text(encoding="utf-8") == str(session.pid)
    (tmp_path / JUDGE).touch()
    assert session.poll() == 0
    assert session.stop(0) == 0
    assert not (tmp_path / SESSION).exists()
