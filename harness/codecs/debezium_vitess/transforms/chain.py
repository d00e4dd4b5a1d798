"""The chain that a connector's configuration names: `transforms`, `transforms.<alias>.*`.

Source: Kafka 4.1 connect-runtime `ConnectorConfig.transformationStages`, `TransformationChain`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from harness.codecs.connect.schema import ConnectRecord
from harness.codecs.debezium_vitess.transforms.filter_transactions import filter_transactions
from harness.codecs.debezium_vitess.transforms.predicates import Predicate, predicate
from harness.codecs.debezium_vitess.transforms.remove_field import remove_field
from harness.codecs.debezium_vitess.transforms.replace_field_value import replace_field_value
from harness.codecs.debezium_vitess.transforms.transform import (
    Options,
    Transform,
    with_value,
)
from harness.codecs.debezium_vitess.transforms.use_local_vgtid import use_local_vgtid
from harness.contracts import Setting
from harness.errors import SourceStopped, UsageError

_PACKAGE: Final = "io.debezium.connector.vitess.transforms"
TRANSFORMS: Final[Mapping[str, Callable[[Options], Transform]]] = {
    f"{_PACKAGE}.FilterTransactionTopicRecords": filter_transactions,
    f"{_PACKAGE}.RemoveField": remove_field,
    f"{_PACKAGE}.ReplaceFieldValue": replace_field_value,
    f"{_PACKAGE}.UseLocalVgtid": use_local_vgtid,
}
_IN_PLACE: Final = frozenset({f"{_PACKAGE}.ReplaceFieldValue"})
TRANSFORM_SETTINGS: Final[tuple[Setting, ...]] = (
    Setting("transforms", "", "aliases", "The chain's aliases, in order, separated by commas."),
    Setting("transforms.<alias>.type", "", " | ".join(TRANSFORMS), "The transform's class."),
    Setting(
        "transforms.<alias>.field_names",
        "",
        "paths",
        "RemoveField, ReplaceFieldValue: full paths of the fields, separated by commas.",
    ),
    Setting("transforms.<alias>.field_value", "", "text", "ReplaceFieldValue: what is put there."),
    Setting(
        "transforms.<alias>.schema.name.adjustment.mode",
        "none",
        "none | avro | avro_unicode",
        "FilterTransactionTopicRecords: how the connector adjusts the transaction schemas' names.",
    ),
    Setting("transforms.<alias>.predicate", "", "alias", "Only records of this predicate."),
    Setting("transforms.<alias>.negate", "false", "true | false", "Only records it is false of."),
    Setting("predicates", "", "aliases", "The predicates' aliases, separated by commas."),
    Setting(
        "predicates.<alias>.type",
        "",
        "TopicNameMatches | RecordIsTombstone | HasHeaderKey",
        "The predicate's class, of org.apache.kafka.connect.transforms.predicates.",
    ),
    Setting("predicates.<alias>.pattern", "", "regex", "TopicNameMatches: the whole topic's name."),
    Setting("predicates.<alias>.name", "", "text", "HasHeaderKey: the header's key."),
)


@dataclass(frozen=True, slots=True)
class Stage:
    """One transform, and the records that it is for: all without a predicate.

    `in_place`: the real one writes into the value that it is given.
    """

    transform: Transform
    predicate: Predicate | None = None
    negate: bool = False
    in_place: bool = False

    def apply(self, record: ConnectRecord) -> ConnectRecord | None:
        """Return the record transformed, or as it is, or None when it is dropped."""
        if self.predicate is not None and self.predicate(record) is self.negate:
            return record
        return self.transform(record)


@dataclass(frozen=True, slots=True)
class Chain:
    """The stages in order."""

    stages: tuple[Stage, ...] = ()

    def apply(self, record: ConnectRecord) -> ConnectRecord | None:
        """Return what comes out of the last stage; None as soon as one drops the record."""
        current: ConnectRecord | None = record
        for stage in self.stages:
            if current is None:
                return None
            current = stage.apply(current)
        return current

    def left_behind(self, record: ConnectRecord) -> ConnectRecord:
        """Return what the real chain makes of the very record it is given.

        Ours changes no value; the real `ReplaceFieldValue` writes into the struct itself, which
        shows when one record is given to several chains, as in the vectors.
        """
        current = record
        for stage in self.stages:
            try:
                changed = stage.apply(current)
            except SourceStopped:
                break
            if changed is None or (changed.value is not current.value and not stage.in_place):
                break
            current = changed
        return with_value(record, record.value_schema, current.value)

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
    """Tell whether a setting is about transforms or their predicates."""
    return name in {"transforms", "predicates"} or name.startswith(("transforms.", "predicates."))


def chain(values: Mapping[str, Any]) -> Chain:
    """Return the chain of a configuration; other settings in it are passed over.

    Raises UsageError for aliases and classes that are not known, SourceStopped where a
    transform's own configuration is refused.
    """
    texts = {name: _text(value) for name, value in values.items() if is_chain_setting(name)}
    predicates: dict[str, Predicate] = {}
    for alias in _aliases(texts, "predicates"):
        options = _options(texts, "predicates", alias)
        predicates[alias] = predicate(_type(options, "predicates", alias), options)
    stages = (_stage(texts, alias, predicates) for alias in _aliases(texts, "transforms"))
    return Chain(tuple(stages))


def stage(type_name: str, options: Options) -> Stage:
    """Return a stage of a transform's class, for all records; UsageError for an unknown class."""
    if type_name not in TRANSFORMS:
        raise UsageError(
            f"unknown transform {type_name!r}", expected="one of " + ", ".join(TRANSFORMS)
        )
    return Stage(TRANSFORMS[type_name](options), in_place=type_name in _IN_PLACE)


def _stage(texts: Options, alias: str, predicates: Mapping[str, Predicate]) -> Stage:
    options = _options(texts, "transforms", alias)
    made = stage(_type(options, "transforms", alias), options)
    name = options.get("predicate")
    if name is None:
        return made
    if name not in predicates:
        raise UsageError(
            f"transforms.{alias}.predicate names {name!r}",
            expected="an alias of `predicates`",
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
