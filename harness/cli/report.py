"""`harness report`: any report of runs, from the events that they wrote, at any later time."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli import options
from harness.errors import UsageError, plural

if TYPE_CHECKING:  # it brings the verdicts along
    from harness.model.events import Event

FORMS = ("console", "junit", "markdown", "html", "badge")
OF_SEVERAL = frozenset({"html"})  # the others speak of one run


@click.command("report", short_help="Render runs' events as a report.")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--to",
    "forms",
    multiple=True,
    type=click.Choice(FORMS),
    help="The form of the report; may be repeated [console].",
)
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where the report goes, one for each --to, in order [standard output].",
)
@click.option(
    "--certificate",
    "certificates",
    multiple=True,
    metavar="FILE.html|FILE.md",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write a certificate of one run, as HTML or Markdown; may be repeated.",
)
@click.option(
    "--filtered",
    is_flag=True,
    help="Make a badge or a certificate also of a run over some of the catalogue; it says so.",
)
@click.option(
    "--sign",
    metavar="KEY",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Sign each file that is written, by a secret key of minisign; FILE.minisig is beside it.",
)
def command(
    *,
    files: tuple[Path, ...],
    forms: tuple[str, ...],
    outputs: tuple[Path, ...],
    certificates: tuple[Path, ...],
    filtered: bool,
    sign: Path | None,
) -> int:
    """Render FILES, the events.ndjson of runs or the names of kept ones, as one or more reports.

    Every run keeps its events in .harness/runs/RUN/events.ndjson. Several files, as of several
    consumers or of earlier runs, make one HTML report: consumers side by side, and their trend. The
    exit code is 0 when the report could be rendered, whatever the runs ended with.
    """
    from harness.model.events import RunFinished
    from harness.report.read import read_runs
    from harness.report.writers import WRITERS, writing

    certifying = _certifying(certificates)
    signed = _signing(sign, [*certificates, *outputs])
    forms = forms or (() if certificates else ("console",))
    if len(outputs) > len(forms):
        raise UsageError(
            f"{plural(len(outputs), 'output')} for {plural(len(forms), 'report')}",
            expected="at most one -o for each --to",
        )
    single = [form for form in forms if form not in OF_SEVERAL]
    single += ["certificate"] if certificates else []
    if len(files) > 1 and single:
        raise UsageError(
            f"a {single[0]} report is of one run, here are {len(files)}",
            expected=f"one file, or --to {' or '.join(sorted(OF_SEVERAL))} for several",
        )
    events = read_runs([options.events_of(str(file)) for file in files])
    only = next((e.only for e in events if isinstance(e, RunFinished) and e.only), "")
    shown = [
        *(form for form in forms if form == "badge"),
        *(["certificate"] if certificates else []),
    ]
    if shown and only and not filtered:
        raise UsageError(
            f"the run was over some of the catalogue alone: {only}",
            expected="a run without -k and PATHS",
            hint=f"--filtered makes the {shown[0]} nevertheless, and it says so",
        )
    for write in certifying:
        write(events)
    with ExitStack() as stack:
        for form, output in zip_longest(forms, outputs):
            if output is None:
                writer = WRITERS[form](sys.stdout.buffer)
                stack.callback(writer.close)
            else:
                writer = stack.enter_context(writing(form, output))
            for event in events:
                writer.handle(event)
            stack.close()  # in order, when several reports share standard output
    signed(events)
    return 0


def _signing(sign: Path | None, files: Sequence[Path]) -> Callable[[Sequence[Event]], None]:
    """Return what signs the files once they are written; UsageError where that cannot be."""
    from harness.model.events import RunStarted
    from harness.report.minisign import SUFFIX, secret_key

    if sign is None:
        return lambda _: None
    if not files:
        raise UsageError("--sign has nothing to sign", expected="--certificate, or -o")
    try:
        key = secret_key(sign.read_text(encoding="utf-8"), f"--sign {sign}")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"--sign {sign} cannot be read: {error}",
            expected="the secret key file that minisign made",
        ) from None

    def signed(events: Sequence[Event]) -> None:
        runs = ", ".join(event.run for event in events if isinstance(event, RunStarted))
        for file in files:
            text = key.signature(file.read_bytes(), f"file:{file.name}\trun:{runs}")
            _write(file.with_name(f"{file.name}{SUFFIX}"), text)

    return signed


def _certifying(paths: Sequence[Path]) -> Sequence[Callable[[Sequence[Event]], None]]:
    """Return what writes each certificate; UsageError for a file whose name ends in no form."""
    from harness.report.certificate import certificate
    from harness.report.certificate_forms import FORMS as ENDINGS

    for path in paths:
        if path.suffix not in ENDINGS:
            raise UsageError(
                f"--certificate {path}: the name does not say what to write",
                expected=f"a file that ends in {' or '.join(ENDINGS)}",
            )

    def writer(path: Path) -> Callable[[Sequence[Event]], None]:
        return lambda events: _write(path, ENDINGS[path.suffix](certificate(events)))

    return [writer(path) for path in paths]


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"cannot write {path}: {error.strerror}",
            expected="a path in a directory that exists",
        ) from None
