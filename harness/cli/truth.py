"""`harness truth`: vendors' own vectors beside what our encoders make of the same input."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

import click
import orjson

from harness.cli import options
from harness.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from harness.truth.run import FileReport

    Comparing = Callable[..., Iterator[FileReport]]

# The keys of harness.truth.kinds.COMPARISONS, repeated because `--help` imports nothing heavy.
KINDS = ("open", "avro", "vitess", "dispatch", "topics", "filters", "eligibility")


@click.command("truth", short_help="Compare with what vendors' own encoders emit.")
@click.argument("directory", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@click.option(
    "--protocol",
    "kinds",
    multiple=True,
    type=click.Choice(KINDS),
    help="Only vectors of this kind; may be repeated [all].",
)
@click.option("--fail-fast", is_flag=True, help="Stop at the first difference.")
@click.option(
    "--record",
    "recorded",
    is_flag=True,
    help="Run the vectors' own SQL on an embedded MariaDB, and compare what follows from its rows.",
)
@options.as_json
def command(
    directory: Path | None,
    kinds: tuple[str, ...],
    fail_fast: bool,  # noqa: FBT001
    recorded: bool,  # noqa: FBT001
    json_: bool,  # noqa: FBT001
) -> int:
    """Compare our encoders with what vendors' own encoders emitted, vector by vector.

    DIR holds files of vectors (*.jsonl), or is one such file; without it, a small set that comes
    with the package is compared.
    Each vector's input goes through our second stage, and what comes out must be what the vendor
    emitted: bytes for TiCDC, records field by field for Debezium. A line's kind is known by what
    it holds, never by its file's name. Examples: `harness truth`, or
    `harness truth DIR --protocol open --protocol avro --fail-fast`.

    With `--record` rows are not read from the vectors: their SQL runs on a database, is recorded as
    a scenario's is and goes through the source simulator. Vectors whose SQL changes no rows are not
    chosen then.

    Prints equal / total for each file with its first difference, then the exceptions that were
    applied with their reasons. Exits 1 when anything differs or could not be compared.
    """
    from harness.engine.catalogue.workspace import bundled
    from harness.truth.read import vector_files
    from harness.truth.show import as_data, closing_lines, file_lines

    directory = directory or bundled() / "golden" / "truth"
    paths = vector_files(directory)
    reports: list[FileReport] = []
    with _comparing(recorded=recorded) as compare, _Line(len(paths)) as line:
        for report in compare(paths, kinds, fail_fast=fail_fast, progress=line.at):
            reports.append(report)
            if not json_:
                line.clear()
                for text in file_lines(report, directory):
                    click.echo(text)
    if not reports:
        raise UsageError(
            f"{directory}: there are no vectors" + (f" of {', '.join(kinds)}" if kinds else ""),
            expected="JSON lines as in golden/truth",
        )
    if json_:
        click.echo(orjson.dumps(as_data(reports, directory)).decode())
    else:
        for text in closing_lines(reports, directory):
            click.echo(text)
    passed = all(report.passed for report in reports)
    return int(ExitCode.PASS if passed else ExitCode.FINDINGS)


@contextmanager
def _comparing(*, recorded: bool) -> Generator[Comparing]:
    """Yield what compares files of vectors; a database runs meanwhile for `--record`."""
    from harness.truth.run import compare_files

    if not recorded:
        yield compare_files
        return
    from harness.database.driver import require_recording

    require_recording()
    from harness.authoring.recording import embedded_upstream
    from harness.authoring.vectors import VectorRecorder, dml_of, recording
    from harness.engine.catalogue.workspace import new_run
    from harness.record.lasting import lasting
    from harness.truth.kinds import COMPARISONS

    space = options.space(None, None)
    source = options.source({}, space)
    click.echo(source.said(["mariadb"]), err=True)
    _, run_dir = new_run(space.runs / "runs")
    upstream = embedded_upstream(run_dir, lambda _: None, source)
    with upstream as server, lasting(server) as database:
        comparisons = recording(VectorRecorder(database), COMPARISONS)
        yield partial(compare_files, comparisons=comparisons, chosen=dml_of)


class _Line:
    """One line on a terminal that says which file is being read; nothing anywhere else."""

    def __init__(self, files: int) -> None:
        self._files = files
        self._seen: dict[Path, None] = {}
        self._shown = sys.stderr.isatty()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def at(self, path: Path, line: int) -> None:
        """Show where we are; every hundredth line is enough."""
        self._seen[path] = None
        if self._shown and line % 100 == 1:
            text = f"{len(self._seen)}/{self._files} {path.name}:{line}"
            click.echo(f"\r\x1b[K{text}", err=True, nl=False)

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            click.echo("\r\x1b[K", err=True, nl=False)
