"""The file that describes live topics: read, checked, and every mistake told with its line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from harness.contracts import Wire
from harness.documents.nearest import did_you_mean
from harness.documents.yaml_file import YamlFile
from harness.errors import HarnessError, Problem, ScenarioError, UsageError
from harness.model.table import TableId
from harness.protocols import PROTOCOLS
from harness.record.server import Upstream, upstream_from_url
from harness.runner.contract.job import Role
from harness.runner.manifests.document import document

PASSWORD = "HARNESS_LIVE_PASSWORD"  # noqa: S105 - the variable's name


@dataclass(frozen=True, slots=True)
class LiveTopic:
    """A topic that is there: its name, the name that its producer was configured with, its role."""

    name: str
    canonical: str
    role: Role
    line: int


@dataclass(frozen=True, slots=True)
class LiveFile:
    """One changefeed whose topics somebody filled, and the upstream that is the truth.

    `wire` is the protocol bound to the settings; `kafka` and `registry` are "" or empty where the
    file leaves them to the settings. `lines` are those of the tables, by name.
    """

    shown: str
    protocol: str
    dialect: str
    settings: Mapping[str, Any]
    wire: Wire
    topics: tuple[LiveTopic, ...]
    upstream: Upstream
    tables: tuple[TableId, ...]
    lines: Mapping[TableId, int]
    kafka: Mapping[str, str]
    registry: str

    @property
    def names_schemas(self) -> bool:
        """Tell whether the messages name schemas of a registry."""
        return PROTOCOLS[self.protocol].needs_registry(self.settings)

    def told(self) -> Mapping[str, str]:
        """Return what the file says of services, as settings."""
        kafka = {f"kafka.{name}": value for name, value in self.kafka.items()}
        return kafka | ({"registry.url": self.registry} if self.registry else {})


def read_live(path: Path, environment: Mapping[str, str]) -> LiveFile:
    """Return what a file says; ScenarioError with every problem, UsageError for the upstream."""
    source = document(path, str(path), "live", "harness.engine.run.external_topics")
    data: Mapping[str, Any] = source.data
    protocol, dialect = data["protocol"], data.get("dialect", "current")
    settings: Mapping[str, Any] = data.get("settings", {})
    problems = list(_problems(source))
    if problems:
        raise ScenarioError(tuple(problems))
    tables = tuple(TableId(*name.split(".", 1)) for name in data["tables"])
    return LiveFile(
        str(path),
        protocol,
        dialect,
        settings,
        PROTOCOLS[protocol].bind(settings, dialect),
        tuple(
            LiveTopic(
                one["name"],
                one.get("canonical", one["name"]),
                Role(one.get("role", "data")),
                source.place(("topics", number)).line,
            )
            for number, one in enumerate(data["topics"])
        ),
        _upstream(source, environment),
        tables,
        {table: source.place(("tables", n)).line for n, table in enumerate(tables)},
        {name: _text(value) for name, value in data.get("kafka", {}).items()},
        data.get("registry", "").rstrip("/"),
    )


def _problems(source: YamlFile) -> Iterator[Problem]:
    data = source.data
    codec = PROTOCOLS[data["protocol"]]
    dialect = data.get("dialect", "current")
    if dialect not in codec.dialects:
        known = ", ".join(codec.dialects)
        hint = did_you_mean(dialect, codec.dialects)
        what = f"{codec.title} has no dialect {dialect!r}"
        yield Problem(source.place(("dialect",)), what, f"one of {known}", hint)
        return
    try:
        codec.bind(data.get("settings", {}), dialect)
    except HarnessError as error:
        yield Problem(source.place(("settings",)), error.what, error.expected, error.hint)
    names = [topic["name"] for topic in data["topics"]]
    for number, name in enumerate(names):
        if name in names[:number]:
            yield Problem(source.place(("topics", number)), f"the topic {name} is listed twice")


def _upstream(source: YamlFile, environment: Mapping[str, str]) -> Upstream:
    data = source.data
    where = source.place(("upstream",))
    try:
        upstream = upstream_from_url(data["upstream"])
    except UsageError as error:
        what = error.what.replace("--upstream", "`upstream`")
        problem = Problem(where, what, "mysql://user@host:port/")
        raise ScenarioError((problem,)) from error
    if upstream.password:
        hint = f"take it out, and set {data.get('password-from', PASSWORD)}"
        problem = Problem(where, "a password stands in the file", "mysql://user@host:port/", hint)
        raise ScenarioError((problem,))
    named = data.get("password-from", PASSWORD)
    if "password-from" in data and named not in environment:
        place = source.place(("password-from",))
        raise ScenarioError((Problem(place, f"the variable {named} is not set"),))
    return replace(upstream, password=environment.get(named, ""))


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
