"""The file that describes live topics: read, checked, and every mistake reported with its line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from harness.contracts import DEFAULT_DIALECT, BoundCodec
from harness.documents.nearest import did_you_mean
from harness.documents.typed import key, read_yaml
from harness.documents.yaml_file import YamlFile
from harness.errors import HarnessError, Problem, ScenarioError, UsageError
from harness.model.table import TableId
from harness.protocols import PROTOCOLS
from harness.record.server import Upstream, upstream_from_url
from harness.runner.contract.job_file import Role

PASSWORD = "HARNESS_LIVE_PASSWORD"  # noqa: S105 - the variable's name


class TopicRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A topic as the file names it."""

    name: Annotated[str, key("a topic's name", pattern="^[A-Za-z0-9._-]{1,249}$")]
    canonical: Annotated[str, key("a topic's name", minLength=1)] = ""
    role: Annotated[Role, key("a role", enum=list(Role))] = Role.DATA


class LiveDocument(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"
):
    """What `harness certify CONSUMER --level live --live FILE` reads.

    One changefeed, its topics, and the upstream whose tables are the truth.
    """

    schema_keywords: ClassVar = {"title": "a description of live topics"}

    live: Annotated[Literal[1], key("the grammar's version", "The version of this grammar.")]
    protocol: Annotated[str, key("a protocol", "What is on the topics.", enum=list(PROTOCOLS))]
    dialect: Annotated[
        str,
        key("a dialect", "The version of the protocol, where versions differ.", minLength=1),
    ] = DEFAULT_DIALECT
    settings: Annotated[
        Mapping[str, Any],
        key(
            "a mapping of settings",
            "The producer's settings that decide bytes and are not the vendor's defaults, under the"
            " vendor's names.",
        ),
    ] = {}
    kafka: Annotated[
        Mapping[str, Any],
        key(
            "a mapping of properties",
            "librdkafka's properties of the broker, such as bootstrap.servers. Passwords belong"
            " into the environment (HARNESS_KAFKA_SASL_PASSWORD).",
            additionalProperties={"title": "a value", "type": ["string", "number", "boolean"]},
        ),
    ] = {}
    registry: Annotated[
        str,
        key(
            "an address",
            "The schema registry, where messages name schemas.",
            pattern="^https?://",
        ),
    ] = ""
    topics: Annotated[
        tuple[Annotated[TopicRow, key("a topic")], ...],
        key(
            "a list of topics",
            "The topics of the changefeed, all of them; they are read from their first message to"
            " where they end when the run begins.",
            minItems=1,
        ),
    ]
    upstream: Annotated[
        str,
        key(
            "a mysql:// address",
            "mysql://user@host:port/ of the upstream: TiDB, vtgate, or what speaks MySQL. It is"
            " read only.",
            pattern="^mysql://",
        ),
    ]
    password_from: Annotated[
        str,
        key(
            "a variable's name",
            "The environment variable with the user's password.",
            pattern="^[A-Za-z_][A-Za-z0-9_]*$",
        ),
    ] = PASSWORD
    tables: Annotated[
        tuple[Annotated[str, key("a table, schema.name", pattern=r"^[^.]+\..+$")], ...],
        key(
            "a list of tables",
            "The tables to be judged; each is a case.",
            minItems=1,
            uniqueItems=True,
        ),
    ]


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
    wire: BoundCodec
    topics: tuple[LiveTopic, ...]
    upstream: Upstream
    tables: tuple[TableId, ...]
    lines: Mapping[TableId, int]
    kafka: Mapping[str, str]
    registry: str

    @property
    def names_schemas(self) -> bool:
        """Return whether the messages name schemas of a registry."""
        return PROTOCOLS[self.protocol].codec.needs_registry(self.settings)

    def overrides(self) -> Mapping[str, str]:
        """Return what the file says of services, as settings."""
        kafka = {f"kafka.{name}": value for name, value in self.kafka.items()}
        return kafka | ({"registry.url": self.registry} if self.registry else {})


def read_live(path: Path, environment: Mapping[str, str]) -> LiveFile:
    """Return what a file says; ScenarioError with every problem."""
    file, live = read_yaml(path, str(path), LiveDocument)
    problems = tuple(_problems(file, live))
    if problems:
        raise ScenarioError(problems)
    tables = tuple(TableId(*name.split(".", 1)) for name in live.tables)
    return LiveFile(
        str(path),
        live.protocol,
        live.dialect,
        live.settings,
        PROTOCOLS[live.protocol].codec.bind(live.settings, live.dialect),
        tuple(
            LiveTopic(
                one.name, one.canonical or one.name, one.role, file.place(("topics", at)).line
            )
            for at, one in enumerate(live.topics)
        ),
        _upstream(file, live, environment),
        tables,
        {table: file.place(("tables", at)).line for at, table in enumerate(tables)},
        {name: _text(value) for name, value in live.kafka.items()},
        live.registry.rstrip("/"),
    )


def _problems(file: YamlFile, live: LiveDocument) -> Iterator[Problem]:
    protocol = PROTOCOLS[live.protocol]
    codec = protocol.codec
    if live.dialect not in codec.dialects:
        known = ", ".join(codec.dialects)
        hint = did_you_mean(live.dialect, codec.dialects)
        what = f"{protocol.description.title} has no dialect {live.dialect!r}"
        yield Problem(file.place(("dialect",)), what, f"one of {known}", hint)
        return
    try:
        codec.bind(live.settings, live.dialect)
    except HarnessError as error:
        yield Problem(file.place(("settings",)), error.what, error.expected, error.hint)
    names = [topic.name for topic in live.topics]
    for number, name in enumerate(names):
        if name in names[:number]:
            yield Problem(
                file.place(("topics", number)),
                f"the topic {name} is listed twice",
                "each topic once",
            )


def _upstream(file: YamlFile, live: LiveDocument, environment: Mapping[str, str]) -> Upstream:
    def refuse(what: str, hint: str = "") -> ScenarioError:
        problem = Problem(file.place(("upstream",)), what, "mysql://user@host:port/", hint)
        return ScenarioError((problem,))

    try:
        upstream = upstream_from_url(live.upstream)
    except UsageError as error:
        raise refuse(error.what.replace("--upstream", "`upstream`")) from error
    named = live.password_from
    if upstream.password:
        raise refuse("a password stands in the file", f"take it out, and set {named}")
    if "password-from" in file.data and named not in environment:
        place = file.place(("password-from",))
        what = f"the variable {named} is not set"
        hint = "set it, or take `password-from` out"
        raise ScenarioError((Problem(place, what, hint=hint),))
    return replace(upstream, password=environment.get(named, ""))


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
