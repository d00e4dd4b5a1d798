"""Every report that goes into a file or a stream, in one table; a new one is a line here."""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from rich.console import Console

from harness.contracts import ReportWriter
from harness.errors import SetupError, UsageError
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


# These say each event as it comes, so that one can follow them; the others are written at the end.
FOLLOWED = frozenset({"ndjson", "console"})


@contextmanager
def writing(name: str, path: Path) -> Generator[ReportWriter]:
    """Write a report of that name into a file; UsageError when it cannot be opened.

    A report that is written at the end takes the place of an older one only when it is whole.
    """
    is_followed = name in FOLLOWED or (path.exists() and not path.is_file())
    target = path if is_followed else path.with_name(f".{path.name[:200]}.{os.getpid()}.part")
    try:
        file = target.open("wb")
    except OSError as error:
        raise UsageError(
            f"cannot write the {name} report to {path}: {error.strerror}",
            expected="a path in a directory that exists",
        ) from None
    writer = WRITERS[name](file)
    try:
        yield writer
    finally:
        try:
            with file:
                writer.close()
            if target != path:
                target.replace(path)
        except OSError as error:
            raise SetupError(
                f"the {name} report could not be written to {path}: {error.strerror}",
                hint="`harness report` writes it again from the run's events.ndjson",
            ) from error
        finally:
            if target != path:
                target.unlink(missing_ok=True)
