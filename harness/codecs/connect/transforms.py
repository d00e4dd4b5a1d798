"""The chain that a connector's configuration names: `transforms`, and `predicates` for them.

Source: Kafka 4.1 connect-runtime `ConnectorConfig.transformationStages`, `TransformationChain`;
connect-transforms `TopicNameMatches`, `RecordIsTombstone`, `HasHeaderKey`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from harness.codecs.connect.errors import CONFIG_EXCEPTION, INVALID_TOPIC, stopped
from harness.codecs.connect.java import replaced
from harness.codecs.connect.schema import ConnectRecord
from harness.contracts import Setting
from harness.errors import SourceStopped, UsageError
from harness.model.settings import Settings
from harness.wire.java_regex import compiled

Predicate = Callable[[ConnectRecord], bool]
Options = Mapping[str, str]
_TOPIC: Final = re.compile(r"[a-zA-Z0-9._-]{1,249}")
_PACKAGE: Final = "org.apache.kafka.connect.transforms.predicates"


def topic_name_matches(options: Options) -> Predicate:
    """Return whether the whole topic's name matches `pattern`."""
    pattern = _pattern(options, "pattern")
    return lambda record: pattern.fullmatch(record.topic) is not None


def record_is_tombstone(options: Options) -> Predicate:
    """Return whether the value is null."""
    del options
    return lambda record: record.value is None


def has_header_key(options: Options) -> Predicate:
    """Return whether there is a header called `name`."""
    name = _required(options, "name")
    return lambda record: any(header.key == name for header in record.headers)


PREDICATES: Final[Mapping[str, Callable[[Options], Predicate]]] = {
    f"{_PACKAGE}.TopicNameMatches": topic_name_matches,
    f"{_PACKAGE}.RecordIsTombstone": record_is_tombstone,
    f"{_PACKAGE}.HasHeaderKey": has_header_key,
}


def predicate(type_name: str, options: Options) -> Predicate:
    """Return a predicate by its class; UsageError for one that is not known."""
    if type_name not in PREDICATES:
        raise UsageError(
            f"unknown predicate {type_name!r}", expected="one of " + ", ".join(PREDICATES)
        )
    return PREDICATES[type_name](options)


def _required(options: Options, name: str) -> str:
    text = options.get(name, "")
    if not text.strip():
        raise _missing(name)
    return text


def _missing(name: str) -> SourceStopped:
    what = f'Missing required configuration "{name}" which has no default value.'
    return stopped(CONFIG_EXCEPTION, what)


def _pattern(options: Options, name: str) -> re.Pattern[str]:
    text = _required(options, name)
    try:
        return compiled(text)
    except re.error as error:
        raise stopped(
            CONFIG_EXCEPTION,
            f"Invalid value {text} for configuration {name}: entry must be a Java-compatible "
            f"regular expression: {error}",
        ) from error


# None drops the record; SourceStopped is the exception that would stop the task.
Transform = Callable[[ConnectRecord], ConnectRecord | None]
# What makes a transform of its options, by the transform's class.
TransformTable = Mapping[str, Callable[[Options], Transform]]


def filter_records(options: Options) -> Transform:
    """Return the transform that drops every record that comes to it: a predicate chooses them."""
    del options
    return lambda _: None


def regex_router(options: Options) -> Transform:
    """Return the transform that renames topics which match `regex` as a whole."""
    pattern = _pattern(options, "regex")
    if "replacement" not in options:
        raise _missing("replacement")
    replacement = options["replacement"]

    def apply(record: ConnectRecord) -> ConnectRecord:
        topic = replaced(pattern, replacement, record.topic)
        if topic == record.topic:
            return record
        if not _TOPIC.fullmatch(topic) or topic in {".", ".."}:
            raise stopped(INVALID_TOPIC, f"Invalid topics: [{topic}]")
        return replace(record, topic=topic)

    return apply


_TRANSFORMS: Final = "org.apache.kafka.connect.transforms"
# Kafka's own transforms that leave key and value as they are.
OF_KAFKA: Final[TransformTable] = {
    f"{_TRANSFORMS}.Filter": filter_records,
    f"{_TRANSFORMS}.RegexRouter": regex_router,
}
OF_KAFKA_SETTINGS: Final = (
    Setting("transforms.<alias>.regex", "", "regex", "RegexRouter: the whole topic's name."),
    Setting(
        "transforms.<alias>.replacement",
        "",
        "text",
        "RegexRouter: the topic's new name, with `$1` for a group.",
    ),
)


def transform_settings(transforms: Iterable[str], *own: Setting) -> tuple[Setting, ...]:
    """Return the settings of a chain; `transforms` are the classes, `own` their options' rows."""
    return (
        Setting("transforms", "", "aliases", "The chain's aliases, in order, separated by commas."),
        Setting("transforms.<alias>.type", "", " | ".join(transforms), "The transform's class."),
        *own,
        Setting("transforms.<alias>.predicate", "", "alias", "Only records of this predicate."),
        Setting(
            "transforms.<alias>.negate", "false", "true | false", "Only records it is false of."
        ),
        Setting("predicates", "", "aliases", "The predicates' aliases, separated by commas."),
        Setting(
            "predicates.<alias>.type",
            "",
            "TopicNameMatches | RecordIsTombstone | HasHeaderKey",
            "The predicate's class, of org.apache.kafka.connect.transforms.predicates.",
        ),
        Setting(
            "predicates.<alias>.pattern", "", "regex", "TopicNameMatches: the whole topic's name."
        ),
        Setting("predicates.<alias>.name", "", "text", "HasHeaderKey: the header's key."),
    )


@dataclass(frozen=True, slots=True)
class TransformStage:
    """One transform, and the records that it is for: all without a predicate."""

    transform: Transform
    predicate: Predicate | None = None
    negate: bool = False

    def apply(self, record: ConnectRecord) -> ConnectRecord | None:
        """Return the record transformed, or as it is, or None when it is dropped."""
        if self.predicate is not None and self.predicate(record) is self.negate:
            return record
        return self.transform(record)


@dataclass(frozen=True, slots=True)
class TransformChain:
    """The stages in order."""

    stages: tuple[TransformStage, ...] = ()

    def apply(self, record: ConnectRecord) -> ConnectRecord | None:
        """Return what comes out of the last stage; None as soon as one drops the record."""
        current: ConnectRecord | None = record
        for stage in self.stages:
            if current is None:
                return None
            current = stage.apply(current)
        return current

    def transformed(self, records: Iterable[ConnectRecord]) -> Iterator[ConnectRecord]:
        """Yield what is left of the records; raises SourceStopped where a transform fails."""
        if not self.stages:
            yield from records
            return
        for record in records:
            changed = self.apply(record)
            if changed is not None:
                yield changed


def is_chain_setting(name: str) -> bool:
    """Return whether a setting is about transforms or their predicates."""
    return name in {"transforms", "predicates"} or name.startswith(("transforms.", "predicates."))


def transform_chain(values: Settings, known: TransformTable) -> TransformChain:
    """Return the chain of a configuration, of `known` classes; other settings are passed over.

    Raises UsageError for aliases and classes that are not known, SourceStopped where a
    transform's own configuration is refused.
    """
    texts = {name: _text(value) for name, value in values.items() if is_chain_setting(name)}
    predicates: dict[str, Predicate] = {}
    for alias in _aliases(texts, "predicates"):
        options = _options(texts, "predicates", alias)
        predicates[alias] = predicate(_type(options, "predicates", alias), options)
    stages = (_stage(texts, alias, predicates, known) for alias in _aliases(texts, "transforms"))
    return TransformChain(tuple(stages))


def _stage(
    texts: Options, alias: str, predicates: Mapping[str, Predicate], known: TransformTable
) -> TransformStage:
    options = _options(texts, "transforms", alias)
    kind = _type(options, "transforms", alias)
    if kind not in known:
        raise UsageError(f"unknown transform {kind!r}", expected="one of " + ", ".join(known))
    made = TransformStage(known[kind](options))
    name = options.get("predicate")
    if name is None:
        return made
    if name not in predicates:
        raise UsageError(
            f"transforms.{alias}.predicate names {name!r}", expected="an alias of `predicates`"
        )
    negate = options.get("negate", "false").lower() == "true"
    return replace(made, predicate=predicates[name], negate=negate)


def _aliases(texts: Options, name: str) -> tuple[str, ...]:
    return tuple(alias.strip() for alias in texts.get(name, "").split(",") if alias.strip())


def _options(texts: Options, part: str, alias: str) -> Options:
    prefix = f"{part}.{alias}."
    return {key[len(prefix) :]: text for key, text in texts.items() if key.startswith(prefix)}


def _type(options: Options, part: str, alias: str) -> str:
    if "type" not in options:
        raise UsageError(
            f"{part}.{alias}.type is missing", expected="the class of the " + part[:-1]
        )
    return options["type"]


def _text(value: object) -> str:
    """Return a setting's text as a properties file has it."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)
