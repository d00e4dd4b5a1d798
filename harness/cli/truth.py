"""`harness truth`: vendors' own vectors beside what our encoders make of the same input."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Self

import click
import orjson

from harness.cli import options
from harness.errors import ExitCode, UsageError

# The keys of harness.truth.kinds.COMPARISONS, repeated because `--help` imports nothing heavy.
KINDS = ("open", "avro", "vitess", "dispatch", "topics", "filters", "eligibility")


@click.command("truth", short_help="Compare with what vendors' own encoders emit.")
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--protocol",
    "kinds",
    multiple=True,
    type=click.Choice(KINDS),
    help="Only vectors of this kind; may be repeated [all].",
)
@click.option("--fail-fast", is_flag=True, help="Stop at the first difference.")
@options.as_json
def command(
    directory: Path,
    kinds: tuple[str, ...],
    fail_fast: bool,  # noqa: FBT001
    json_: bool,  # noqa: FBT001
) -> int:
    """Compare our encoders with what vendors' own encoders emitted, vector by vector.

    DIR holds files of vectors (*.jsonl), or is one such file; golden/truth is a small set of them.
    Each vector's input goes through our second stage, and what comes out must be what the vendor
    emitted: bytes for TiCDC, records field by field for Debezium. A line's kind is known by what
    it holds, never by its file's name. Examples: `harness truth golden/truth`, or
    `harness truth DIR --protocol open --protocol avro --fail-fast`.

    Prints equal / total for each file with its first difference, then the exceptions that were
    applied with their reasons. Exits 1 when anything differs or could not be compared.
    """
    from harness.truth.read import vector_files
    from harness.truth.run import FileReport, compare_files
    from harness.truth.show import as_data, closing_lines, file_lines

    paths = vector_files(directory)
    reports: list[FileReport] = []
    with _Line(len(paths)) as line:
        for report in compare_files(paths, kinds, fail_fast=fail_fast, progress=line.at):
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
    equal = all(report.equal == report.total for report in reports)
    return int(ExitCode.PASS if equal else ExitCode.FINDINGS)


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
