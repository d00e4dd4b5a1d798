"""Every report that goes into a file or a stream, in one table; a new one is a line here."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from rich.console import Console

from harness.contracts import ReportWriter
from harness.errors import UsageError
from harness.report.badge import Badge
from harness.report.console import ConsoleReport
from harness.report.html.page import Html
from harness.report.junit import Junit
from harness.report.markdown import Markdown
from harness.report.ndjson import Ndjson


def console(file: IO[bytes]) -> ReportWriter:
    """Return the console report on a stream; it is coloured only where that is a terminal."""
    text = cast("IO[str]", codecs.getwriter("utf-8")(file))
    return ConsoleReport(Console(file=text, soft_wrap=True))


WRITERS: Mapping[str, Callable[[IO[bytes]], ReportWriter]] = {
    "ndjson": Ndjson,
    "junit": Junit,
    "markdown": Markdown,
    "html": Html,
    "badge": Badge,
    "console": console,
}


@contextmanager
def writing(name: str, path: Path) -> Generator[ReportWriter]:
    """Write a report of that name into a file; UsageError when it cannot be opened."""
    try:
        file = path.open("wb")
    except OSError as error:
        raise UsageError(
            f"cannot write the {name} report to {path}: {error.strerror}",
            expected="a path in a directory that exists",
        ) from None
    with file:
        writer = WRITERS[name](file)
        try:
            yield writer
        finally:
            writer.close()
