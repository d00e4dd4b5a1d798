"""Names of topics: their parts, the strategies, and which records share one."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Final

from harness.codecs.connect.schema import ConnectRecord
from harness.codecs.debezium.settings import ConnectorSettings
from harness.codecs.debezium.topics import NameParts, Strategy, TableKey, TopicNames, joined
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, entry, instead, patch, result, returns
from harness.mutants.producers.records import BOUNDARY, CHANGE, Records, kind, op
from harness.mutants.producers.vitess.edits import by_default, each, one, with_settings

TOPICS: Final = "harness.codecs.debezium.topics"
BY_CATALOG: Final = "io.debezium.schema.DefaultTopicNamingStrategy"
BY_TABLE: Final = "io.debezium.connector.vitess.TableTopicNamingStrategy"
OWN: Final = "harness.codecs.debezium_vitess.topics:_OWN"
ESCAPING: Final = "io.debezium.schema.SchemaUnicodeTopicNamingStrategy"
# The topic prefix where no scenario says another.
PREFIX: Final = "vitess"
_FOREIGN: Final = re.compile(r"[^A-Za-z0-9._-]")


def _parts(*parts: str, strategy: str = "schema") -> Patch:
    """Return the patch that makes a strategy's names, the default's, of other parts of a table."""

    def name(settings: ConnectorSettings, key: TableKey) -> str:
        known = {
            "prefix": settings.prefix,
            "shard": key.catalog,
            "keyspace": key.schema,
            "table": key.table,
        }
        return joined(settings, *(known[part] for part in parts))

    return instead(f"{TOPICS}:_{strategy}_parts", name)


def _replaced_by(text: str) -> Patch:
    return returns(f"{TOPICS}:_replaced_unit", text)


def _unsanitised(_: Callable[[str], str]) -> Callable[[str], str]:
    return lambda name: name


def _first_sanitised(original: Callable[[str], str]) -> Callable[[str], str]:
    def sanitised(name: str) -> str:
        found = _FOREIGN.search(name)
        return original(name[: found.end()]) + name[found.end() :] if found else original(name)

    return sanitised


def _under_the_old_prefix_too(record: ConnectRecord) -> Records:
    if kind(record) != CHANGE:
        return (record,)
    prefix: str = record.value["source"]["name"]
    if prefix == PREFIX or not record.topic.startswith(prefix):
        return (record,)
    return (record, replace(record, topic=record.topic.replace(prefix, PREFIX, 1)))


def _apart(operation: str, record: ConnectRecord) -> ConnectRecord:
    own = op(record) == operation
    return replace(record, topic=f"{record.topic}.{operation}") if own else record


def _found_within(original: Callable[..., str | None]) -> Callable[..., str | None]:
    """Replace the first part of a name that matches, and leave the rest of it behind."""

    def replaced(pattern: re.Pattern[str], replacement: str, name: str) -> str | None:
        found = pattern.search(name)
        if found is None:
            return original(pattern, replacement, name)
        return f"{original(pattern, replacement, found[0])}{name[found.end() :]}"

    return replaced


def _prefix_for_nothing(original: Callable[..., str | None]) -> Callable[..., str | None]:
    def replaced(pattern: re.Pattern[str], replacement: str, name: str) -> str | None:
        found = original(pattern, replacement, name)
        return name.partition(".")[0] if found == "" else found

    return replaced


def _of_one_part(part: NameParts, original: Strategy) -> Strategy:
    """Name data topics otherwise, and all others as they are."""
    return lambda settings: replace(original(settings), data=partial(part, settings))


def _overridden_too(field: str, original: Strategy) -> Strategy:
    """Put the prefix of data topics into the name of another topic that has the topic prefix."""

    def names(settings: ConnectorSettings) -> TopicNames:
        found = original(settings)
        prefix = settings.optional("override.data.change.topic.prefix") or settings.prefix
        name = getattr(found, field).replace(settings.prefix, prefix)
        changed: dict[str, Any] = {field: name}
        return replace(found, **changed)

    return names


def _not_escaping(own: dict[str, Any]) -> None:
    if "topic.naming.strategy" in own:
        own["topic.naming.strategy"] = own["topic.naming.strategy"].replace("Unicode", "")


def _default_regex(own: dict[str, Any]) -> None:
    strategy = str(own.get("topic.naming.strategy", ""))
    own["topic.naming.strategy"] = strategy.replace("SchemaRegex", "DefaultRegex")
    if not strategy:
        del own["topic.naming.strategy"]


ROWS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "vitess-tables-share-one-topic",
        "vitess.topic.per-table",
        "It sends all tables of a keyspace to one topic.",
        _parts("prefix", "keyspace"),
        also="vitess.topic.name",
    ),
    *(
        WrongProducer(
            f"vitess-{what}s-in-another-topic",
            "vitess.topic.one-per-table",
            f"It sends {what}s to another topic than the other changes.",
            one(CHANGE, partial(_apart, operation)),
        )
        for what, operation in (("insert", "c"), ("delete", "d"), ("update", "u"))
    ),
    WrongProducer(
        "vitess-topic-without-prefix",
        "vitess.topic.name",
        "It leaves the prefix out of a topic's name.",
        _parts("keyspace", "table"),
    ),
    WrongProducer(
        "vitess-topic-without-keyspace",
        "vitess.topic.name",
        "It leaves the keyspace out of a topic's name.",
        _parts("prefix", "table"),
    ),
    WrongProducer(
        "vitess-topic-table-first",
        "vitess.topic.name",
        "It writes the table before the keyspace in a topic's name.",
        _parts("prefix", "table", "keyspace"),
    ),
    WrongProducer(
        "vitess-topic-in-small-letters",
        "vitess.topic.name",
        "It writes topics' names in small letters.",
        result(f"{TOPICS}:_schema_parts", str.lower),
    ),
    WrongProducer(
        "vitess-topic-joined-by-dashes",
        "vitess.topic.name",
        "It joins the parts of a topic's name by dashes.",
        by_default(topic_delimiter="-"),
        also="vitess.txn.topic",
    ),
    WrongProducer(
        "vitess-topic-with-shard",
        "vitess.topic.no-shard",
        "It puts the shard into a topic's name.",
        _parts("prefix", "shard", "keyspace", "table"),
    ),
    WrongProducer(
        "vitess-topic-never-of-a-shard",
        "vitess.topic.no-shard",
        "It has the keyspace in a topic's name under DefaultTopicNamingStrategy too.",
        _parts("prefix", "keyspace", "table", strategy="database"),
        also="vitess.topic.one-per-table",
    ),
    WrongProducer(
        "vitess-topic-prefix-stays",
        "vitess.topic.prefix-changed",
        "It goes on under the old prefix.",
        with_settings(lambda own: own.update({"topic.prefix": PREFIX})),
    ),
    WrongProducer(
        "vitess-topic-prefix-of-both",
        "vitess.topic.prefix-changed",
        "It sends a change to the topic of the old prefix, too.",
        each(_under_the_old_prefix_too),
    ),
    *(
        WrongProducer(
            f"vitess-topic-override-of-{what}",
            "vitess.topic.override-prefix",
            f"It takes the prefix for data topics for the topic of {words} as well.",
            entry(OWN, BY_TABLE, partial(_overridden_too, field)),
        )
        for what, words, field in (
            ("boundaries", "transactions", "transaction"),
            ("heartbeats", "heartbeats", "heartbeat"),
            ("statements", "schema changes", "schema_change"),
        )
    ),
    *(
        WrongProducer(
            f"vitess-topic-of-tables-without-{what}",
            "vitess.topic.table-strategy",
            f"It leaves the {what} out of a topic's name under TableTopicNamingStrategy.",
            entry(OWN, BY_TABLE, partial(_of_one_part, part)),
        )
        for what, part in (
            ("prefix", lambda _, key: key.table),
            ("table", lambda settings, _: settings.prefix),
        )
    ),
    WrongProducer(
        "vitess-topic-of-catalogs-by-default",
        "vitess.topic.schema-strategy",
        "It names topics by the shard in the place of the keyspace by default.",
        by_default(topic_naming_strategy=BY_CATALOG),
    ),
    WrongProducer(
        "vitess-topic-of-tables-by-default",
        "vitess.topic.schema-strategy",
        "It names topics by the table alone by default.",
        by_default(topic_naming_strategy=BY_TABLE),
    ),
    WrongProducer(
        "vitess-topic-regex-unused",
        "vitess.topic.regex-strategy",
        "It leaves names as they are, whatever `topic.regex` says.",
        returns(f"{TOPICS}:replaced", ""),
    ),
    WrongProducer(
        "vitess-topic-regex-of-catalogs",
        "vitess.topic.regex-strategy",
        "It takes SchemaRegexTopicNamingStrategy for the one that names the shard.",
        with_settings(_default_regex),
    ),
    WrongProducer(
        "vitess-topic-regex-found-within",
        "vitess.topic.regex-strategy",
        "It replaces what `topic.regex` finds within a name that does not match as a whole.",
        patch(f"{TOPICS}:replaced", _found_within),
    ),
    WrongProducer(
        "vitess-topic-regex-to-nothing",
        "vitess.topic.regex-strategy",
        "It sends to the topic of the prefix where `topic.replacement` leaves nothing of a name.",
        patch(f"{TOPICS}:replaced", _prefix_for_nothing),
    ),
    WrongProducer(
        "vitess-boundaries-joined-by-points",
        "vitess.topic.delimiter",
        "It joins the parts of the transaction topic by a point whatever `topic.delimiter` says.",
        one(BOUNDARY, lambda record: replace(record, topic=record.topic.replace("_", ".", 1))),
        also="vitess.txn.topic",
    ),
    WrongProducer(
        "vitess-topic-regex-in-part",
        "vitess.topic.regex-strategy",
        "It drops the groups of `topic.replacement`.",
        with_settings(
            lambda own: own.update(
                {"topic.replacement": own["topic.replacement"].replace("$1", "all")}
                if "topic.replacement" in own
                else {}
            )
        ),
    ),
    WrongProducer(
        "vitess-topic-characters-dashed",
        "vitess.topic.sanitised",
        "It writes `-` for a character that a topic's name may not have.",
        _replaced_by("-"),
    ),
    WrongProducer(
        "vitess-topic-characters-dropped",
        "vitess.topic.sanitised",
        "It leaves characters out that a topic's name may not have.",
        _replaced_by(""),
    ),
    WrongProducer(
        "vitess-topic-characters-escaped",
        "vitess.topic.sanitised",
        "It writes the code of a character that a topic's name may not have.",
        by_default(topic_naming_strategy=ESCAPING),
        also="vitess.topic.per-table",
    ),
    WrongProducer(
        "vitess-topic-characters-never-escaped",
        "vitess.topic.sanitised",
        "It writes `_` for what a topic's name may not have under a Unicode strategy too.",
        with_settings(_not_escaping),
    ),
    WrongProducer(
        "vitess-topic-first-character-replaced",
        "vitess.topic.sanitised",
        "It replaces the first alone of the characters that a topic's name may not have.",
        patch(f"{TOPICS}:underscored", _first_sanitised),
    ),
    WrongProducer(
        "vitess-topic-characters-kept",
        "vitess.topic.sanitised",
        "It keeps characters that a topic's name may not have.",
        patch(f"{TOPICS}:underscored", _unsanitised),
    ),
)
