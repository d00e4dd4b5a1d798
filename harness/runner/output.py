"""Keeps what a child prints, however much it prints.

The beginning and the end are kept, the middle is counted and dropped, so a child that prints
without end costs a fixed amount of disk and is never blocked for want of a reader. The child writes
into a FIFO; a thread reads it. The beginning is in the log file at once, the end when it is over.
"""

from __future__ import annotations

import os
import re
import selectors
import threading
from collections import deque
from pathlib import Path
from types import TracebackType
from typing import Self

from harness.errors import SetupError

HEAD_BYTES = 256 * 1024
TAIL_BYTES = 256 * 1024
CHUNK_BYTES = 64 * 1024
LOOK_AROUND_S = 0.2  # how often the reader asks whether it has to give up
LAST_WORDS_S = 2.0  # how long output may still arrive when the child and its tree have ended
ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-_])")
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Output:
    """Captures one child's output into `log`; `pipe` is where the child is to write.

    Use as a context manager around the child's life.
    """

    def __init__(self, log: Path) -> None:
        """Prepare to write `log`; nothing is created before the `with` statement."""
        self.log = log
        self.pipe = log.with_suffix(".pipe")
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0
        self._dropped_bytes = 0
        self._failure: OSError | None = None
        self._abandoned = threading.Event()

    def __enter__(self) -> Self:
        """Open both ends of the FIFO, so that neither side waits for the other; start reading."""
        try:
            os.mkfifo(self.pipe)
        except OSError as error:
            raise SetupError(
                f"cannot create a FIFO at {self.pipe}: {error.strerror}",
                hint="keep runs on a local file system",
            ) from None
        self._read_end = os.open(self.pipe, os.O_RDONLY | os.O_NONBLOCK)
        self._write_end = os.open(self.pipe, os.O_WRONLY)
        self._reader = threading.Thread(target=self._read, name=f"log {self.log}", daemon=True)
        self._reader.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take the last words, write the end of the log, and leave no FIFO behind."""
        os.close(self._write_end)
        self._reader.join(LAST_WORDS_S)
        self._abandoned.set()  # somebody may still hold the pipe open; not for our sake
        self._reader.join()
        os.close(self._read_end)
        self.pipe.unlink(missing_ok=True)
        self._append(self._end())
        if self._failure is not None and error is None:
            raise SetupError(
                f"cannot write {self.log}: {self._failure.strerror}", hint="is the disk full?"
            )

    def text(self, length: int) -> str:
        """Return the last `length` characters of the output, fit for a terminal and for XML."""
        whole = readable(bytes(self._head) + self._end())
        return whole if len(whole) <= length else f"[…]{whole[-length:]}"

    def _read(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._read_end, selectors.EVENT_READ)
            while not self._abandoned.is_set():
                if not selector.select(LOOK_AROUND_S):
                    continue
                try:
                    chunk = os.read(self._read_end, CHUNK_BYTES)
                except BlockingIOError:
                    continue  # the last writer had gone, and before we looked another came
                if not chunk:  # nobody holds the other end any more
                    return
                self._append(self._keep(chunk))

    def _keep(self, chunk: bytes) -> bytes:
        """Put a chunk where it belongs; return the part that goes to the file at once."""
        room = HEAD_BYTES - len(self._head)
        first, rest = chunk[:room], chunk[room:]
        self._head += first
        if rest:
            self._tail.append(rest)
            self._tail_bytes += len(rest)
        while self._tail and self._tail_bytes - len(self._tail[0]) >= TAIL_BYTES:
            dropped = len(self._tail.popleft())
            self._tail_bytes -= dropped
            self._dropped_bytes += dropped
        return first

    def _append(self, words: bytes) -> None:
        """Write to the log; a full disk is reported later, so that it does not block the child."""
        if not words or self._failure is not None:
            return
        try:
            with self.log.open("ab") as log:
                log.write(words)
        except OSError as failure:
            self._failure = failure

    def _end(self) -> bytes:
        gap = f"\n[… {self._dropped_bytes} bytes left out …]\n" if self._dropped_bytes else ""
        return gap.encode() + b"".join(self._tail)


def readable(raw: bytes) -> str:
    """Return output as text: no colours, no control codes, a progress bar's steps on lines."""
    text = raw.decode("utf-8", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    return CONTROL.sub("\ufffd", ANSI.sub("", text))
