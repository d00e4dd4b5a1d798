"""What can be set about services: one table, one order, and every value with where it came from.

Option, environment, `harness.toml`, `[tool.harness]` of `pyproject.toml`, default; the first
that says something about a setting wins, and nothing unknown is passed over. Kafka's properties are
a family: `kafka.` and any librdkafka property, which librdkafka itself judges.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from harness.documents.toml_file import parse
from harness.errors import UsageError

KAFKA = "kafka."
PREFIX = "HARNESS_"
FILES = ("harness.toml", "pyproject.toml")
BACKENDS = ("embedded", "container", "external")
# Which setting says where a service runs already.
ADDRESS_OF: Mapping[str, str] = {
    "kafka": "kafka.bootstrap.servers",
    "registry": "registry.url",
    "mariadb": "database.url",
}


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its dotted name, its default, what it means; `takes` is a pattern of values."""

    name: str
    default: str
    meaning: str
    takes: str = ".*"
    expected: str = "a text"

    @property
    def variable(self) -> str:
        """Return the environment variable of the setting."""
        return PREFIX + re.sub(r"[.-]", "_", self.name).upper()


FLAG = ("true|false", "true or false")
WHOLE = (r"[1-9]\d*", "a whole number above zero")
AMOUNT = (r"\d{1,6}(\.\d+)?", "a number of seconds")
URL = (r"https?://[^/\s]+\S*", "an address such as http://localhost:8081")

SETTINGS: tuple[Setting, ...] = (
    Setting(
        "services",
        "",
        "Where services come from: `embedded` (started here from jars), `container` (started here "
        "in Docker) or `external` (running already). Not set: each service is external when its "
        "address is set, and embedded otherwise.",
        "|".join(("", *BACKENDS)),
        "embedded, container or external",
    ),
    Setting("start.wait-seconds", "180", "How long an embedded service or a container may take "
            "until it answers; a slow machine needs more.", *AMOUNT),
    Setting("topics.prefix", "harness-", "How the names of topics and consumer groups of a run "
            "begin, before the run's id: for brokers that grant rights by prefix.",
            r"[\w.-]{1,100}",
            "letters, digits, points, dashes and underscores, as Kafka allows in a topic's name"),
    Setting("topics.keep", "false", "Whether topics stay on a broker that outlives the run.",
            *FLAG),
    Setting("kafka.count-fetches", "true", "Whether an embedded broker's answers to a consumer are "
            "counted: what was answered without being read is inconclusive.", *FLAG),
    Setting("topics.replication-factor", "", "How many brokers keep each topic; not set: as the "
            "broker has it by default.", rf"|{WHOLE[0]}", WHOLE[1]),
    Setting("topics.retention-ms", "-1", "How long an external broker keeps messages of a run's "
            "topics: -1 is for ever, since records carry times that may be long ago; `default`: as "
            "the broker does.", "-1|default", "-1 or default"),
    Setting("registry.url", "", "Base address of a Confluent-compatible schema registry.",
            f"|{URL[0]}", URL[1]),
    Setting("registry.user", "", "User for the registry's basic authentication."),
    Setting("registry.password", "", "Password for the registry's basic authentication."),
    Setting("registry.ca", "", "File with the certificates (PEM) to trust for the registry."),
    Setting("database.url", "", "A MySQL-compatible server for recordings, and "
            "for consumers that write into a database.",
            r"|mysql://\S+", "mysql://user:password@host:port/"),
    Setting("container.kafka", "confluentinc/cp-kafka:7.9.2", "Image of the Kafka container.",
            r"\S+", "an image"),
    Setting("container.registry", "apicurio/apicurio-registry:3.0.9",
            "Image of the registry's container.", r"\S+", "an image"),
    Setting("container.database", "mysql:8.4", "Image of the database's container; "
            "`pingcap/tidb:v8.5.3` records on TiDB.", r"\S+", "an image"),
    Setting("warm.use", "true", "Whether runs use the warm set of `harness services up`.", *FLAG),
    Setting("warm.idle-hours", "8", "After how many hours without a run a warm set ends itself.",
            r"\d+(\.\d+)?", "a number of hours, 0 for never"),
)  # fmt: skip
NAMES: Mapping[str, Setting] = {one.name: one for one in SETTINGS}
# The first words of our own names: a variable that begins so is ours, and must be a known one.
FAMILIES = tuple(sorted({one.variable.split("_")[1] for one in SETTINGS} | {"KAFKA"}))
SECRET = re.compile(
    r"password|secret|\.pem$|[._]key$|jaas|oauthbearer\.config|assertion|credential"
)


@dataclass(frozen=True, slots=True)
class SourcedValue:
    """A value, and where it was said: an option, a variable, or `file:line`."""

    value: str
    source: str


@dataclass(frozen=True, slots=True)
class Settings:
    """What was set, by name; what was not has its default."""

    given: Mapping[str, SourcedValue] = field(default_factory=dict[str, SourcedValue])

    def text(self, name: str) -> str:
        """Return a setting's value."""
        setting = NAMES.get(name)
        default = setting.default if setting else ""
        return self.given[name].value if name in self.given else default

    def flag(self, name: str) -> bool:
        """Return a setting that is true or false."""
        return self.text(name) == "true"

    def source(self, name: str) -> str:
        """Return where a setting was said, "the default" when nowhere."""
        return self.given[name].source if name in self.given else "the default"

    def kafka(self) -> dict[str, str]:
        """Return the Kafka client properties, under librdkafka's names."""
        return {
            name.removeprefix(KAFKA): given.value
            for name, given in self.given.items()
            if name.startswith(KAFKA)
        }

    def backend(self, service: str) -> str:
        """Return where a service comes from; UsageError when that needs an address not given."""
        address = ADDRESS_OF[service]
        asked = self.text("services") or ("external" if self.text(address) else "embedded")
        if asked == "external" and not self.text(address):
            raise UsageError(
                f"{self.source('services')} asks for an external {service}, but nothing says"
                " where it is",
                expected=f"the setting {address}",
                hint=f"set {variable_of(address)}, or {address} in harness.toml; or leave"
                " `services` unset, and what has no address is embedded",
            )
        return asked


def variable_of(name: str) -> str:
    """Return the environment variable of a setting or of a Kafka property."""
    if name.startswith(KAFKA):
        return PREFIX + name.replace("_", "__").replace(".", "_").upper()
    return NAMES[name].variable


def settings(
    options: Mapping[str, str],
    *,
    env: Mapping[str, str] = os.environ,
    here: Path | None = None,
) -> Settings:
    """Return what options (by dotted name), environment and the files in `here` say.

    Raises UsageError for an unknown name or a value that the setting does not take.
    """
    given: dict[str, SourcedValue] = {}
    for source in (
        _from_files(here or Path.cwd()),
        _from_environment(env),
        ((name, SourcedValue(value, "the command line")) for name, value in options.items()),
    ):
        for name, one in source:
            _check(name, one)
            given[name] = one
    return Settings(given)


def redacted(properties: Mapping[str, str]) -> str:
    """Return properties as one line for people: no secret in it."""
    return ", ".join(
        f"{name}={'***' if SECRET.search(name) and value else value}"
        for name, value in sorted(properties.items())
    )


def _check(name: str, given: SourcedValue) -> None:
    if name.startswith(KAFKA) and name != KAFKA:
        return
    setting = NAMES.get(name)
    if setting is None:
        close = difflib.get_close_matches(name, [*NAMES, ADDRESS_OF["kafka"]], n=1)
        raise UsageError(
            f"{given.source}: there is no setting {name!r}",
            expected="a setting of docs/reference/settings.md",
            hint=f"did you mean {close[0]!r}?" if close else "Kafka's own begin with `kafka.`",
        )
    if not re.fullmatch(setting.takes, given.value):
        value = "a value" if SECRET.search(name) or "://" in given.value else repr(given.value)
        raise UsageError(f"{given.source}: {name} cannot be {value}", expected=setting.expected)


def _from_environment(env: Mapping[str, str]) -> Iterator[tuple[str, SourcedValue]]:
    known = {one.variable: one.name for one in SETTINGS}
    for variable, value in sorted(env.items()):
        if not variable.startswith(PREFIX) or variable.split("_")[1] not in FAMILIES:
            continue
        given = SourcedValue(value, variable)
        if variable in known:
            yield known[variable], given
        elif variable.startswith(f"{PREFIX}KAFKA_"):
            yield KAFKA + _property(variable.removeprefix(f"{PREFIX}KAFKA_")), given
        else:
            close = difflib.get_close_matches(variable, known, n=1)
            raise UsageError(
                f"the environment sets {variable}, which is not a setting",
                expected="a variable of docs/reference/settings.md",
                hint=f"did you mean {close[0]}?" if close else "",
            )


def _property(words: str) -> str:
    """Return a librdkafka property: `_` stands for a point, `__` for an underscore."""
    return "_".join(part.replace("_", ".") for part in words.lower().split("__"))


def _from_files(here: Path) -> Iterator[tuple[str, SourcedValue]]:
    for name in reversed(FILES):
        path = here / name
        if not path.is_file():
            continue
        try:
            text = path.read_text(encoding="utf-8")
            document: Any = parse(text)
        except (OSError, ValueError) as error:
            raise UsageError(f"{name}: {error}", expected="a readable TOML file") from error
        if name == "pyproject.toml":
            for key in ("tool", "harness"):
                document = _table(document).get(key, {}) if isinstance(document, dict) else document
        if not isinstance(document, dict):
            raise UsageError(f"{name}: `tool.harness` is no table", expected="[tool.harness]")
        for key, value in _flat(_table(document)):
            yield key, SourcedValue(value, f"{name}{_line(text, key)}")


def _table(value: Any) -> Mapping[str, Any]:  # noqa: ANN401 - whatever TOML says
    return cast("Mapping[str, Any]", value)


def _flat(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(cast("Mapping[str, Any]", value), f"{before}{key}.")
        else:
            text = str(value).lower() if isinstance(value, bool) else str(value)
            yield before + key, text


def _line(text: str, name: str) -> str:
    """Return `:line` of a dotted name in TOML text, "" when it cannot be given."""
    parts = name.split(".")
    for first in range(len(parts)):
        tail = re.escape(".".join(parts[first:]))
        for number, line in enumerate(text.splitlines(), 1):
            if re.match(rf"""\s*["']?{tail}["']?\s*=""", line):
                return f":{number}"
    return ""
