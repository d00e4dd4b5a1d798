"""`harness new`: something valid to begin with."""

from __future__ import annotations

from pathlib import Path

import click

from harness.protocols import PROTOCOLS

LANGUAGES = ("python", "spark", "node", "go", "java")


@click.group("new", short_help="Write a starting point.")
def command() -> None:
    """Write a starting point that is valid as it stands, and say what to do next."""


@command.command("scenario")
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--from",
    "sources",
    multiple=True,
    metavar="FILE|URL",
    help="Take the steps from a file of SQL, where BEGIN and COMMIT delimit transactions; from a"
    " binary log; or tables and their rows from a server: mysql://user@host:port/shop.orders,shop."
    "items, with ?binlog=FILE what its logs say of them from that file on. The password is in the"
    " URL or in MYSQL_PWD. Given more than once, each goes on where the one before ends.",
)
@click.option(
    "--start-position",
    "start",
    type=click.IntRange(min=4),
    help="Where to begin in the binary log, as mysqlbinlog prints it [its beginning].",
)
@click.option(
    "--stop-position",
    "stop",
    type=click.IntRange(min=4),
    help="Where to stop in the binary log, before the event at this position [its end].",
)
@click.option(
    "--rows",
    type=click.IntRange(0, 10_000),
    default=20,
    help="How many rows of each table of a server are taken, those first by its key [20].",
)
@click.option(
    "--anonymise",
    is_flag=True,
    help="Replace texts and hexadecimal values of rows; numbers, dates and names stay.",
)
@click.option("--title", default="", help="One sentence that says what happens.")
@click.option(
    "--protocol",
    "protocols",
    multiple=True,
    type=click.Choice(sorted(PROTOCOLS)),
    help="A protocol whose messages follow; may be given more than once"
    f" [{next(iter(PROTOCOLS))}].",
)
@click.option(
    "--database",
    "databases",
    multiple=True,
    metavar="NAME",
    help="A database of the scenario; the first is that of tables named without one.",
)
@click.option(
    "--scenarios",
    type=click.Path(path_type=Path),
    help="Root of scenario files [./scenarios].",
)
def scenario(  # noqa: PLR0913 - one parameter an option
    path: Path,
    *,
    sources: tuple[str, ...],
    rows: int,
    start: int | None,
    stop: int | None,
    title: str,
    databases: tuple[str, ...],
    protocols: tuple[str, ...],
    scenarios: Path | None,
    anonymise: bool,
) -> int:
    """Write a new scenario to PATH, a file under the scenarios' root, or an id such as keys.moved.

    Nothing that exists is overwritten. FILE may be what mysqldump wrote, or a server's binary log.
    """
    from harness.authoring.new_scenario import DraftOptions, create

    made = create(
        scenarios or Path("scenarios"),
        DraftOptions(
            path,
            title,
            sources,
            databases,
            protocols,
            anonymise,
            rows,
            start=start or 0,
            stop=stop or 0,
        ),
    )
    for note in made.left_out:
        click.echo(f"left out  {note}", err=True)
    click.echo(f"wrote {made.path}, the scenario {made.id}. Complete it, then:")
    root = f" --scenarios {scenarios}" if scenarios else ""
    for verb, why in (
        ("check", "every mistake at once, with line and hint"),
        ("record", "runs the SQL once on a real database and locks its changes"),
        ("preview", "the events of each partition, decoded"),
        ("run", "judges the bundled Spark consumer; --consumer reference takes a second"),
    ):
        click.echo(f"    harness {verb} {made.path}{root}  # {why}")
    return 0


@command.command("consumer")
@click.argument("directory", required=False, type=click.Path(path_type=Path))
@click.option(
    "--language",
    required=True,
    type=click.Choice(LANGUAGES),
    help="What it is written in.",
)
@click.option(
    "--protocol",
    type=click.Choice(sorted(PROTOCOLS)),
    help="The messages that it reads: one protocol a consumer [avro].",
)
@click.option("--name", default="", metavar="NAME", help="Its name [that of its directory].")
def consumer(directory: Path | None, language: str, protocol: str | None, name: str) -> int:
    """Write a small consumer that works, with its manifest, to DIRECTORY [./NAME].

    Its README.md says how it is built and certified. A directory with something in it is refused.
    """
    from harness.authoring.new_consumer import ScaffoldOptions, create

    made = create(ScaffoldOptions(language, protocol or "", directory, name))
    click.echo(f"wrote {made.directory}, the consumer {made.name}, which reads {made.protocol}:")
    for file in made.files:
        click.echo(f"    {made.directory / file}")
    click.echo(f"{made.directory / 'README.md'} says how to build it. Then:")
    click.echo(f"    harness certify {made.directory / 'consumer.yaml'} -k types")
    return 0
