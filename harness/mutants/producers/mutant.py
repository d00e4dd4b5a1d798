"""One row of a table of wrong producers: which clause it violates, how, and by which patch."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from harness.mutants.producers.patch import Patch
from harness.protocols import PROTOCOLS
from harness.protocols.clauses import CLAUSES, governs

# What a decoder says of bytes that it cannot read at all, whatever they were to mean.
_BYTES: Final = re.compile(
    r"protocol version|exceeds its \d+ bytes|ends inside a length|event keys beside|no room for"
    r"|bytes are not |not JSON|not base64|base64 data|padding|magic byte|unknown schema id"
    r"|no body of|fewer or other bytes|does not fit schema|after the body of|can't decode"
    r"|without a key, beginning with",
    re.IGNORECASE,
)
# Clauses, and what is below them, that say how bytes are read: who violates one cannot be read.
UNREADABLE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "open.frame": "how a message is cut into events, and their values compressed",
        "open.resolved.empty-frame": "that a value without bytes is a frame all the same",
        "open.type.varchar.base64": "that the text of a value is Base64",
        "open.type.tinytext": "that the text of a value is Base64",
        "open.type.text": "that the text of a value is Base64",
        "open.type.mediumtext": "that the text of a value is Base64",
        "open.type.longtext": "that the text of a value is Base64",
        "open.flag.binary.blob-and-text": "that the flag decides whether bytes are read as text",
        "avro.message.one-row": "that nothing stands behind a row's body",
        "avro.message.avro-encoded": "that keys and values are Avro",
        "avro.consumer.confluent-deserializer": "what stands before the body",
        "avro.column.branch": "what stands before a value in a union",
        "avro.watermark.extension": "by which byte, and by no key, a watermark is known",
        "avro.watermark.not-avro": "by which byte other messages are known",
        "avro.ddl.extension": "by which byte, and by no key, a DDL event is known",
        "connect.avro.frame": "what stands before the body",
        "connect.avro.null": "that a null has no body, nor a frame",
        "connect.json.bytes": "that bytes are Base64",
        "connect.json.schema-types": "by which type the JSON of a value is read",
        "registry.frame": "what stands before the body, and nothing behind it",
        "registry.avro.union-index": "what stands before a value in a union",
    }
)


def unreadable(words: str) -> bool:
    """Tell whether a decoder says no more than that it cannot read the bytes."""
    return _BYTES.search(words) is not None


def about_bytes(clause: str) -> bool:
    """Tell whether a clause is about how bytes are read."""
    return any(f"{clause}.".startswith(f"{one}.") for one in UNREADABLE)


@dataclass(frozen=True, slots=True)
class WrongProducer:
    """A wrong producer.

    `name` is permanent. `clause` is the one that it violates, `also` a second one where the same
    wrong byte breaks both. `difference` is one sentence: what it does, where the right producer
    does otherwise. `protocols` are those whose scenarios can detect it; without any, all that the
    clause governs. `equivalent` says why no stream differs; such a row is not counted. `broker`
    says that what is patched is not the producer but what becomes of its records on their way, so
    that the right consumer reads what is delivered, and its answer must be wrong.
    """

    name: str
    clause: str
    difference: str
    patch: Patch
    also: str = ""
    protocols: tuple[str, ...] = ()
    equivalent: str = ""
    broker: bool = False

    @property
    def clauses(self) -> tuple[str, ...]:
        """Return the clauses that it violates."""
        return (self.clause, self.also) if self.also else (self.clause,)

    def of(self) -> tuple[str, ...]:
        """Return the protocols whose scenarios can detect it."""
        return self.protocols or tuple(
            name for name in PROTOCOLS if governs(CLAUSES[self.clause], name)
        )
