"""A connector's properties, under Debezium's names and with the connector's defaults.

A connector ignores names that it does not know; for a scenario that is a mistake, which
`check_known` finds. Source: C:config/CommonConnectorConfig.java.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from types import MappingProxyType
from typing import Final

from harness.codecs.connect.errors import NULL_POINTER, OUT_OF_BOUNDS, JavaError
from harness.codecs.connect.java import split
from harness.codecs.connect.settings import APICURIO, AVRO, Converters
from harness.contracts import Setting
from harness.errors import UsageError, plural
from harness.model.settings import Settings

COLUMN_RULE: Final = re.compile(
    r"column\.(?:truncate\.to\.\d+\.chars|mask\.with\.\d+\.chars"
    r"|mask\.hash\.(?:v2\.)?[^.]+\.with\.salt\..+)\Z"
)
OPERATIONS: Final = frozenset("crudtm")
_TO_AVRO: Final = frozenset({AVRO, APICURIO})
_FLAGS: Final = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class ConnectorSettings:
    """One connector's properties as text, as they were given, over its defaults.

    `skipped` holds the letters of the operations that are not emitted, `to_avro` which of "key" and
    "value" a converter writes in Avro.
    """

    properties: Mapping[str, str]
    defaults: Mapping[str, str]
    to_avro: frozenset[str] = frozenset()
    skipped: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        """Read what is looked at for every row."""
        object.__setattr__(self, "skipped", _skipped(self.text("skipped.operations")))
        _check_key_columns(self.optional("message.key.columns"))

    def text(self, name: str) -> str:
        """Return a property, its default where it is not set."""
        return self.properties.get(name, self.defaults.get(name, ""))

    def optional(self, name: str) -> str | None:
        """Return a property, None where it is not set."""
        return self.properties.get(name)

    def flag(self, name: str) -> bool:
        """Return a property that is true or false; its default where it is neither."""
        for value in (self.text(name), self.defaults.get(name, "")):
            word = value.strip().lower()
            if word in _FLAGS:
                return _FLAGS[word]
        return False

    def mode(self, name: str) -> str:
        """Return one of a list of words, without regard to case or spaces around it."""
        return self.text(name).strip().lower()

    def number(self, name: str) -> int:
        """Return a property that is a whole number."""
        value = self.text(name).strip()
        try:
            return int(value)
        except ValueError as error:
            what = f"{name} is not a whole number: {value!r}"
            raise UsageError(what, expected="a whole number") from error

    def words(self, name: str) -> tuple[str, ...] | None:
        """Return the parts of a comma-separated property, None where it is not set."""
        value = self.properties.get(name)
        if not value:
            return None
        return tuple(part.strip() for part in value.split(","))

    @property
    def prefix(self) -> str:
        """Return the connector's logical name."""
        return self.text("topic.prefix")

    @property
    def field_names(self) -> str:
        """Return how names of fields are adjusted: for a converter to Avro even unasked.

        CommonConnectorConfig.java `fieldNameAdjuster`, `isUsingAvroConverter`.
        """
        mode = self.mode("field.name.adjustment.mode")
        return "avro" if mode == "none" and self._has_avro() else mode

    def _has_avro(self) -> bool:
        return bool(self.to_avro)

    @property
    def metadata(self) -> bool:
        """Return whether transaction metadata is provided."""
        return self.flag("provide.transaction.metadata")


def with_converters(settings: ConnectorSettings, converters: Converters) -> ConnectorSettings:
    """Return settings that know which converters write Avro."""
    types = {"key": converters.key.type, "value": converters.value.type}
    to_avro = frozenset(part for part, type_ in types.items() if type_ in _TO_AVRO)
    return replace(settings, to_avro=to_avro)


def read(values: Settings, defaults: Mapping[str, str]) -> ConnectorSettings:
    """Read properties; JavaError where the connector would not start."""
    given = {name: _text(value) for name, value in values.items() if value is not None}
    return ConnectorSettings(MappingProxyType(given), defaults)


def check_known(values: Settings, rows: Sequence[Setting], connector: str) -> None:
    """Refuse a name that a connector does not know, and one that no scenario can have.

    Raises UsageError, which names the nearest name or says why.
    """
    known = {row.name: row for row in rows if "<" not in row.name}
    for name in values:
        if name in known and known[name].refused:
            raise UsageError(
                f"`{name}` is refused: {known[name].refused}", expected="a scenario without it"
            )
        if name not in known and not COLUMN_RULE.match(name):
            near = get_close_matches(name, known, n=1)
            raise UsageError(
                f"the {connector} connector has no property {name!r}",
                expected=f"one of its {plural(len(known), 'property', 'properties')}",
                hint=f"did you mean {near[0]!r}?" if near else "see the table of its settings",
            )


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _skipped(operations: str) -> frozenset[str]:
    """C:config/CommonConnectorConfig.java determineSkippedOperations; vector skipped_ops.x."""
    if operations.strip().lower() == "none":
        return frozenset()
    letters = [letter.strip() for letter in operations.split(",")]
    if any(letter.lower() not in OPERATIONS for letter in letters):
        raise JavaError(
            NULL_POINTER,
            'Cannot invoke "java.lang.Enum.getDeclaringClass()" because "e" is null',
        )
    return frozenset(letter.lower() for letter in letters)


def _check_key_columns(listed: str | None) -> None:
    """Stop where C:relational/Key.java CustomKeyMapper looks for columns and finds no colon."""
    entries = () if listed is None else split(listed, ";")
    if any(len(split(entry, ":")) == 1 for entry in entries):
        raise JavaError(OUT_OF_BOUNDS, "Index 1 out of bounds for length 1")
