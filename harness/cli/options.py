"""Options and arguments that several commands share."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.cli import completion
from harness.engine.catalogue.workspace import RUNS, Workspace, workspace
from harness.errors import UsageError
from harness.model.level import Level

if TYPE_CHECKING:  # imported when a command needs it: it brings Kafka's client along
    from harness.engine.catalogue.repartitioned import Repartitioned
    from harness.engine.catalogue.selection import Selection
    from harness.engine.catalogue.with_changefeed import WithChangefeed
    from harness.scenario.expand import Case
    from harness.services import Settings, Source

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def paths(command: Callable[..., Any]) -> Callable[..., Any]:
    """Take scenario files, folders, ids and patterns."""
    return click.argument(
        "paths", nargs=-1, type=click.Path(path_type=Path), shell_complete=completion.places
    )(command)


def selection(command: Callable[..., Any]) -> Callable[..., Any]:
    """Take PATHS, `-k`, `--protocol` and `--clause`; the command gets `selection`."""

    @functools.wraps(command)
    def collected(
        *,
        paths: tuple[Path, ...],
        expression: str | None,
        protocols: tuple[str, ...],
        clauses: tuple[str, ...],
        **values: Any,  # noqa: ANN401  (whatever click hands over)
    ) -> Any:  # noqa: ANN401
        from harness.engine.catalogue.selection import Selection

        chosen = Selection(tuple(map(str, paths)), expression, protocols, clauses)
        return command(selection=chosen, **values)

    clause = click.option(
        "--clause",
        "clauses",
        multiple=True,
        metavar="ID",
        shell_complete=completion.clauses,
        help="Only cases that rest on this clause, or on one below it (`open.key`).",
    )
    return paths(keyword(protocol(clause(collected))))


def protocol(command: Callable[..., Any]) -> Callable[..., Any]:
    """Take `--protocol NAME`."""
    return click.option(
        "--protocol",
        "protocols",
        multiple=True,
        metavar="NAME",
        shell_complete=completion.protocols,
        help="Only cases of this protocol.",
    )(command)


def last_failed(command: Callable[..., Any]) -> Callable[..., Any]:
    """Take `--last-failed`."""
    return click.option(
        "--last-failed",
        "--lf",
        "again",
        is_flag=True,
        help="Only cases that failed when they were last run here; all where none did.",
    )(command)


def fail_fast(command: Callable[..., Any]) -> Callable[..., Any]:
    """Take `--fail-fast`."""
    return click.option(
        "--fail-fast",
        "-x",
        "fail_fast",
        is_flag=True,
        help="Stop at the first finding: the consumer is stopped, other cases are not tried.",
    )(command)


def narrowed_to_failed(
    space: Workspace, selection: Selection, consumer: str = "", *, again: bool
) -> Selection:
    """Return a selection of what failed last, with a note where there is nothing of the kind."""
    if not again:
        return selection
    from harness.engine.catalogue.workspace import kept_runs
    from harness.report.last_failed import last_failed as found

    failed = found(kept_runs(space.here), consumer)
    if failed:
        return replace(selection, failed=failed)
    of = f" of {consumer}" if consumer else ""
    said = f"no run{of} is kept here" if failed is None else f"nothing{of} failed last"
    click.echo(f"note: {said}; --last-failed leaves nothing out", err=True)
    return selection


def keyword(command: Callable[..., Any]) -> Callable[..., Any]:
    """Take `-k EXPRESSION`."""
    return click.option(
        "-k",
        "expression",
        metavar="EXPRESSION",
        help="Only cases whose id or tags match, as in pytest: 'keys and not p4'.",
    )(command)


def as_json(command: Callable[..., Any]) -> Callable[..., Any]:
    """Take `--json`."""
    return click.option("--json", "json_", is_flag=True, help="Print JSON on standard output.")(
        command
    )


def deadline(command: Callable[..., Any]) -> Callable[..., Any]:
    """Take `--deadline SECONDS`."""
    return click.option(
        "--deadline",
        type=click.FloatRange(min=1),
        default=300.0,
        show_default=True,
        metavar="SECONDS",
        help="How long each start of the consumer may take before it counts as hung.",
    )(command)


# Name of a report -> what `--NAME FILE` does; names are keys of `harness.report.writers.WRITERS`.
REPORTS = {
    "ndjson": "Write the run's events to this file as well, one JSON object a line.",
    "junit": "Write a JUnit XML report to this file as well.",
    "markdown": "Write a Markdown summary to this file as well.",
    "html": "Write an HTML report, one self-contained file, to this file as well.",
}


def reports(command: Callable[..., Any]) -> Callable[..., Any]:
    """Take a file for each of REPORTS; the command gets `reports`, name to path."""

    @functools.wraps(command)
    def collected(**values: Any) -> Any:  # noqa: ANN401  (whatever click hands over)
        named = {name: values.pop(name) for name in REPORTS}
        chosen = {name: path for name, path in named.items() if path is not None}
        return command(reports=chosen, **values)

    file = click.Path(path_type=Path, dir_okay=False)
    decorated: Callable[..., Any] = collected
    for name, text in reversed(REPORTS.items()):
        decorated = click.option(f"--{name}", type=file, help=text)(decorated)
    return decorated


def consumer_or_mutant(command: Callable[..., Any]) -> Callable[..., Any]:
    """Take `--consumer`, a mutant too."""
    return click.option(
        "--consumer",
        default="reference",
        show_default=True,
        help="As in `harness certify`, or mutant:NAME.",
    )(command)


def setting(command: Callable[..., Any]) -> Callable[..., Any]:
    """Take `--set NAME=VALUE`; the command gets `pairs`."""
    return click.option(
        "--set",
        "pairs",
        multiple=True,
        metavar="NAME=VALUE",
        help="Any setting of docs/reference/settings.md; may be repeated.",
    )(command)


def _level(_context: click.Context, _parameter: click.Parameter, value: str | None) -> Level | None:
    return Level(value) if value else None


def level(command: Callable[..., Any]) -> Callable[..., Any]:
    """Take `--level LEVEL`, any but live; the command gets a `Level` or None."""
    return click.option(
        "--level",
        type=click.Choice([one.value for one in Level if one is not Level.LIVE]),
        callback=_level,
        help="As in `harness certify`.",
    )(command)


def strict(command: Callable[..., Any]) -> Callable[..., Any]:
    """Take `--strict`."""
    return click.option(
        "--strict",
        is_flag=True,
        help="Judge as if nothing were declared: no known failures, no lossy mappings.",
    )(command)


def expectations(command: Callable[..., Any]) -> Callable[..., Any]:
    """Take `--expectations FILE`."""
    return click.option(
        "--expectations",
        type=click.Path(path_type=Path, dir_okay=False, exists=True),
        help="A file of known failures, in the place of the manifest's own.",
    )(command)


def kafka_config(command: Callable[..., Any]) -> Callable[..., Any]:
    """Take `--kafka-config FILE`."""
    return click.option(
        "--kafka-config",
        type=click.Path(path_type=Path, dir_okay=False),
        help="File of librdkafka properties (name=value), such as those of security.",
    )(command)


def cluster(
    bootstrap: str | None, registry: str | None, file: Path | None, pairs: Sequence[str] = ()
) -> dict[str, str]:
    """Return the settings of a cluster; what an option says goes before the file of properties."""
    from harness.engine.deliver.kafka_file import read_properties

    properties: Mapping[str, str] = {} if file is None else read_properties(file)
    found = {f"kafka.{name}": value for name, value in properties.items()}
    found |= name_values(pairs)
    found |= {"kafka.bootstrap.servers": bootstrap} if bootstrap else {}
    found |= {"registry.url": registry} if registry else {}
    return found


def services(command: Callable[..., Any]) -> Callable[..., Any]:
    """Take what says where services come from; the command gets `overrides`, setting to text."""

    @functools.wraps(command)
    def collected(
        *,
        backend: str | None,
        kafka: tuple[str, ...],
        registry: str | None,
        keep_topics: bool,
        pairs: tuple[str, ...],
        **values: Any,  # noqa: ANN401  (whatever click hands over)
    ) -> Any:  # noqa: ANN401
        settings = name_values(pairs)
        settings |= {
            f"kafka.{name}": value for name, value in name_values(kafka, "--kafka").items()
        }
        settings |= {"services": backend} if backend else {}
        settings |= {"registry.url": registry} if registry else {}
        settings |= {"topics.keep": "true"} if keep_topics else {}
        return command(overrides=settings, **values)

    decorated: Callable[..., Any] = collected
    for option in reversed(SERVICES):
        decorated = option(decorated)
    return decorated


SERVICES = (
    click.option(
        "--services",
        "backend",
        type=click.Choice(("embedded", "container", "external")),
        help="Where services come from [external where an address is set, else embedded].",
    ),
    click.option(
        "--kafka",
        multiple=True,
        metavar="KEY=VALUE",
        help="A librdkafka property, such as bootstrap.servers=host:9092; may be repeated.",
    ),
    click.option("--registry", metavar="URL", help="A Confluent-compatible schema registry."),
    click.option("--keep-topics", is_flag=True, help="Leave the run's topics on the broker."),
    setting,
)


def beyond(command: Callable[..., Any]) -> Callable[..., Any]:
    """Take `--beyond`."""
    return click.option(
        "--beyond",
        is_flag=True,
        help="Count the cases too that nobody promises; without it they are run and shown apart.",
    )(command)


def sandbox(command: Callable[..., Any]) -> Callable[..., Any]:
    """Take `--sandbox`."""
    return click.option(
        "--sandbox",
        is_flag=True,
        help="Run the consumer where it sees its program, its job and the services alone (Linux).",
    )(command)


def changefeed(command: Callable[..., Any]) -> Callable[..., Any]:
    """Take `--changefeed FILE`."""
    return click.option(
        "--changefeed",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE.toml",
        help="A TiCDC changefeed file, laid over the settings of cases of open and avro.",
    )(command)


NOTES_SHOWN = 20


def laid_under(
    space: Workspace, cases: Sequence[Case], file: Path, shown: int | None = NOTES_SHOWN
) -> WithChangefeed:
    """Plan the cases under a changefeed file, and print notes about it."""
    from harness.engine.catalogue.with_changefeed import lay_over

    found = lay_over(space, cases, file)
    for note in found.notes[:shown]:
        click.echo(f"note: {note}", err=True)
    more = len(found.notes) - len(found.notes[:shown])
    if more:
        click.echo(f"note: {more} more; `harness check --changefeed {file}` shows all", err=True)
    return found


def laid_over(space: Workspace, cases: Sequence[Case], partitions: int) -> Repartitioned:
    """Plan the cases over so many partitions, and note which are left out."""
    from harness.engine.catalogue.repartitioned import repartition

    found = repartition(space, cases, partitions)
    for note in found.notes[:NOTES_SHOWN]:
        click.echo(f"note: {note}", err=True)
    more = len(found.notes) - NOTES_SHOWN
    if more > 0:
        click.echo(f"note: {more} more; `--json` shows all", err=True)
    return found


def name_values(texts: Sequence[str], option: str = "--set") -> dict[str, str]:
    """Return what an option of pairs says, each NAME=VALUE; UsageError for what is no pair."""
    return dict(_pair(option, text) for text in texts)


def _pair(option: str, text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageError(f"{option} {name}: there is no value", expected=f"{option} NAME=VALUE")
    return name, value


def source(overrides: Mapping[str, str], space: Workspace) -> Source:
    """Return where the services of this command line come from; raises UsageError."""
    from harness.services import settings as resolved
    from harness.services import source as found

    return found(resolved(overrides), space.runs)


def events_of(name: str) -> Path:
    """Return the file of a run's events: of a run kept here, by its name, or by a path."""
    path, kept = Path(name), Path.cwd() / RUNS / "runs"
    for candidate in (path, path / "events.ndjson", kept / name / "events.ndjson"):
        if candidate.is_file():
            return candidate
    raise UsageError(
        f"there is no run {name!r}",
        expected=f"the name of a run kept in {kept}, or the path of an events.ndjson",
        hint="`harness certify` and `harness run` keep each run there",
    )


def repeated_settings(settings: Settings) -> tuple[str, ...]:
    """Return `--set` words for what options and the environment said; a secret's value is `***`."""
    from harness.engine.run.conditions import hidden

    pairs = (f"{name}={hidden(name, one.value)}" for name, one in sorted(settings.given.items()))
    return tuple(word for pair in pairs for word in ("--set", pair))


def roots(command: Callable[..., Any]) -> Callable[..., Any]:
    """Take `--scenarios DIR` and `--golden DIR`."""
    scenarios = click.option(
        "--scenarios",
        type=click.Path(path_type=Path),
        help="Root of scenario files; `bundled` is the package's own, the default where there is no"
        " ./scenarios [./scenarios].",
    )
    golden = click.option(
        "--golden",
        type=click.Path(path_type=Path),
        help="Root of locks and goldens [golden/ beside the scenarios].",
    )
    return scenarios(golden(command))


def space(scenarios: Path | None, golden: Path | None) -> Workspace:
    """Return the workspace of this command line."""
    return workspace(Path.cwd(), scenarios, golden)
