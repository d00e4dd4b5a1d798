"""Opens, bounds and parses the files of one answer, and gives whatever is wrong a place.

A file is looked at before it is opened, and bounded before it is read: a device or a FIFO in
an answer can neither hang the harness nor fill its memory.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from harness.documents.typed import typed
from harness.errors import plural
from harness.model.observed import RawRow
from harness.runner.contract import schemas
from harness.runner.contract.exact_json import Malformed, parse
from harness.runner.contract.result_files import NAMES

Item = TypeVar("Item")
LOOK_EVERY = 1000  # lines or rows, between two looks at the clock


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of an answer is read at all; more is not valid.

    `document`, `line` and `changefeed` are bytes, `lines` are those of a file, or its rows;
    `seconds` is how long all of it may be read.
    """

    document: int = 1 << 20
    line: int = 16 << 20
    changefeed: int = 256 << 20
    lines: int = 1_000_000
    seconds: float = 300.0


DEFAULT_LIMITS = Limits()


class Misplaced(Exception):  # noqa: N818 - like Malformed: what it says is data in the end
    """What is wrong with an answer, and where: file and line (0 for the whole file)."""

    def __init__(self, file: str, line: int, problem: Malformed) -> None:
        """Render the place, what was found there, and what was expected."""
        place = f"{file} line {line}" if line else file
        expected = f"; expected {problem.expected}" if problem.expected else ""
        super().__init__(f"{place}: {problem.what}{expected}")


@dataclass(frozen=True, slots=True)
class Folder:
    """One result directory; its methods take file names relative to it, and raise Misplaced.

    A link out of it is refused, unless it `may_link`: another program may change what it names.
    """

    directory: Path
    limits: Limits = DEFAULT_LIMITS
    may_link: bool = False
    began: float = field(default_factory=time.monotonic)

    def bounded(self, file: str, items: Iterable[Item]) -> Iterator[Item]:
        """Yield the lines or rows of a file, while they are not too many and it is not too late."""
        most, seconds = self.limits.lines, self.limits.seconds
        for number, item in enumerate(items, start=1):
            if number > most:
                raise Misplaced(
                    file, number, Malformed(f"more than {plural(most, 'line')} or rows")
                )
            if number % LOOK_EVERY == 0 and time.monotonic() - self.began > seconds:
                what = f"the answer is still being read after {seconds:g} s"
                raise Misplaced(file, number, Malformed(what, expected="one that is read by then"))
            yield item

    def has(self, file: str) -> bool:
        """Return whether anything of that name can be seen."""
        return os.path.exists(self.directory / file)  # noqa: PTH110 - never raises, unlike Path's

    def names(self, folder: str) -> list[str]:
        """Return the names in a sub-directory, sorted; none when there is no such directory."""
        if not self.has(folder):
            return []
        try:
            return sorted(path.name for path in (self.directory / folder).iterdir())
        except OSError as error:
            raise Misplaced(folder, 0, _unreadable(error)) from None

    def refuse_bulk(self, files: list[str]) -> None:
        """Look at the sizes of all files before any of them is read into memory."""
        paths = [self.directory / file for file in files if self.has(file)]
        total = sum(path.stat().st_size for path in paths)
        if total > self.limits.changefeed:
            expected = f"at most {self.limits.changefeed}"
            problem = Malformed(f"holds {total} bytes of results", expected=expected)
            raise Misplaced("the result directory", 0, problem)

    def document(self, file: str, kind: type[Item]) -> Item:
        """Return one whole JSON document as a value of its type."""
        with self.plain(file) as stream:
            raw = stream.read(self.limits.document + 1)
        if len(raw) > self.limits.document:
            raise Misplaced(file, 0, Malformed(f"longer than {self.limits.document} bytes"))
        value = located(file, 0, parse, raw)
        return located(file, 0, lambda value: fitting(kind, value), value)

    def objects(self, file: str) -> Iterator[tuple[int, RawRow]]:
        """Yield the object on each line with the line's number from 1; blank lines are skipped."""
        longest = self.limits.line
        with self.plain(file) as stream:
            lines = iter(lambda: stream.readline(longest + 1), b"")
            for number, line in enumerate(self.bounded(file, lines), start=1):
                if len(line) > longest:
                    raise Misplaced(file, number, Malformed(f"longer than {longest} bytes"))
                if line.strip():
                    yield number, located(file, number, _object, line)

    def is_directory(self, file: str) -> bool:
        """Return whether a directory of that name can be seen."""
        return os.path.isdir(self.directory / file)  # noqa: PTH112 - never raises

    def plain(self, file: str) -> BinaryIO:
        """Open a plain file to read its bytes."""
        path = self.directory / file
        try:
            found = path.stat()
            if stat.S_ISREG(found.st_mode):
                self._refuse_links(file, path, found.st_nlink)
                return path.open("rb")
        except OSError as error:
            raise Misplaced(file, 0, _unreadable(error)) from None
        raise Misplaced(file, 0, Malformed("is not a plain file"))

    def _refuse_links(self, file: str, path: Path, names: int) -> None:
        """Raise Misplaced for a file that has a name outside of the result directory."""
        if self.may_link:
            return
        inside = self.directory.parent.parent.resolve().joinpath(*self.directory.parts[-2:])
        if not path.resolve().is_relative_to(inside):
            problem = Malformed("is a link out of the result directory", expected="the file itself")
            raise Misplaced(file, 0, problem)
        if names > 1:
            what = f"is a hard link: the file has {names} names"
            raise Misplaced(file, 0, Malformed(what, expected="a file of its own"))


def located(file: str, line: int, build: Callable[[Any], Item], argument: object) -> Item:
    """Call `build`, and give what it refuses a place."""
    try:
        return build(argument)
    except Malformed as problem:
        raise Misplaced(file, line, problem) from None


def fitting(kind: type[Item], value: object) -> Item:
    """Return a value of a type of `result_files` when the data is one; raises Malformed."""
    problem = schemas.problem(kind, value)
    if problem:
        raise Malformed(problem, expected=f"what {NAMES[kind]}.schema.json describes")
    return typed(kind, value)


def _object(line: bytes) -> RawRow:
    value = parse(line)
    if not isinstance(value, dict):
        found = schemas.clip(line.decode().strip(), 60)
        raise Malformed(f"{found} is not an object", expected="one JSON object a line")
    return value


def _unreadable(error: OSError) -> Malformed:
    return Malformed(f"cannot be read: {error.strerror}")
