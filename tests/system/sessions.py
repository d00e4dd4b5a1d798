"""Commands of the guide that go on until somebody ends them, driven line by line."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "docs/guides/fix-a-consumer.md"
EXAMPLE = ROOT / "docs/guides/examples/open_consumer.py"
BOUND_S = 180.0
RIGHT, WRONG = "rows.pop(key_of(value[before]), None)", "pass"


def wrong_consumer(here: Path) -> tuple[Path, str]:
    """Write the example with one mistake; return its path, and the text without the mistake."""
    consumer = here / "consumer.py"
    text = EXAMPLE.read_text(encoding="utf-8")
    assert RIGHT in text
    consumer.write_text(text.replace(RIGHT, WRONG), encoding="utf-8")
    consumer.chmod(0o755)
    return consumer, text


def words_of(command: str) -> list[str]:
    """Return the guide's command line that begins so, to be run by this interpreter."""
    (line,) = re.findall(
        rf"^harness {command} .*$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE
    )
    return [sys.executable, "-m", *shlex.split(line)]


@contextmanager
def session(words: list[str], here: Path) -> Generator[tuple[subprocess.Popen[str], IO[str]]]:
    """Run a command line in a directory; it does not outlive the test."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        words,
        cwd=here,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        bound = threading.Timer(BOUND_S, process.kill)
        bound.start()
        try:
            yield process, process.stdout
        finally:
            bound.cancel()
            process.kill()


def until(output: IO[str], word: str) -> str:
    """Return the lines up to the one that begins with a word; all that there are without one."""

    def lines() -> Iterator[str]:
        for line in output:
            yield line
            if line.startswith(word):
                return

    return "".join(lines())


def start_by_hand(shown: str) -> str:
    """Run the two lines that `debug` printed as a person would, in a shell; return what it says."""
    (lines,) = re.findall(r"^cd .*\nenv .*$", shown, re.MULTILINE)
    words = ["sh", "-ec", lines]
    return subprocess.run(words, check=True, timeout=60, stdout=subprocess.PIPE, text=True).stdout
