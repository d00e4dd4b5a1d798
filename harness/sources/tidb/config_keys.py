"""The keys of a changefeed file, what each holds, and whether it shows on the wire.

Keys are joined by dots, as scenarios write them. A key that cannot show on the wire of a message
queue (threads, intervals, other sinks, the connection) is read and listed, nothing more; what would
show but is not simulated here is refused by name.

Source: tiflow c7b2588 pkg/config/replica_config.go, filter.go, sink.go, large_message.go;
pkg/integrity.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from types import MappingProxyType


class Form(Enum):
    """What a key holds; the value is for `SECTION` anything at all."""

    SWITCH = auto()
    NUMBER = auto()
    TEXT = auto()
    TEXTS = auto()
    NUMBERS = auto()
    RULES = auto()
    SECTION = auto()
    ANY = auto()


@dataclass(frozen=True, slots=True)
class Key:
    """One key; `wire` says whether it shows in what consumers read.

    `name` is the scenario's own name for it, where that is another (a sink URI parameter). `values`
    lists the texts that it takes, empty when any will do. `refused` says why it is refused.
    """

    form: Form
    wire: bool = False
    name: str = ""
    values: tuple[str, ...] = ()
    refused: str = ""


_SWITCH, _NUMBER, _TEXT = Key(Form.SWITCH), Key(Form.NUMBER), Key(Form.TEXT)
_SECTION, _ANY = Key(Form.SECTION), Key(Form.ANY)
_ON_WIRE = Key(Form.SWITCH, wire=True)
# What the files of TiCDC call a protocol -> what scenarios call it.
PROTOCOLS: Mapping[str, str] = MappingProxyType(
    {"open-protocol": "open", "default": "open", "avro": "avro", "flat-avro": "avro"}
)


def _uri(form: Form, name: str, *values: str) -> Key:
    return Key(form, wire=True, name=name, values=values)


_TOP = {
    "case-sensitive": _ON_WIRE,
    "force-replicate": _ON_WIRE,
    "bdr-mode": _ON_WIRE,
    **dict.fromkeys(
        (
            "check-gc-safe-point",
            "enable-sync-point",
            "enable-table-monitor",
            "ignore-ineligible-table",
        ),
        _SWITCH,
    ),
    **dict.fromkeys(
        ("sync-point-interval", "sync-point-retention", "changefeed-error-stuck-duration"), _ANY
    ),
    "memory-quota": _NUMBER,
    "sql-mode": _TEXT,
    **dict.fromkeys(("mounter", "consistent", "scheduler", "synced-status"), _SECTION),
}
_FILTER = {
    "filter.rules": Key(Form.TEXTS, wire=True),
    "filter.ignore-txn-start-ts": Key(Form.NUMBERS, wire=True),
    "filter.event-filters": Key(Form.RULES, wire=True),
}
_SINK = {
    "sink.protocol": Key(Form.TEXT, wire=True, values=tuple(PROTOCOLS)),
    "sink.dispatchers": Key(Form.RULES, wire=True),
    "sink.column-selectors": Key(
        Form.RULES, refused="columns are not selected here: every consumer gets all of them"
    ),
    "sink.transaction-atomicity": Key(Form.TEXT, values=("", "none")),
    "sink.delete-only-output-handle-key-columns": _ON_WIRE,
    "sink.only-output-updated-columns": _uri(Form.SWITCH, "only-output-updated-columns"),
    # Of Canal-JSON; switched on, it switches the other on whatever the protocol (`mergeConfig`).
    "sink.content-compatible": _uri(Form.SWITCH, "only-output-updated-columns"),
    "sink.open.output-old-value": _ON_WIRE,
    **dict.fromkeys(
        (
            "sink.enable-kafka-sink-v2",
            "sink.enable-partition-separator",
            "sink.safe-mode",
            "sink.send-bootstrap-to-all-partition",
            "sink.send-all-bootstrap-at-start",
            "sink.debezium-disable-schema",
        ),
        _SWITCH,
    ),
    **dict.fromkeys(
        (
            "sink.encoder-concurrency",
            "sink.file-index-digit",
            "sink.advance-timeout-in-sec",
            "sink.send-bootstrap-interval-in-sec",
            "sink.send-bootstrap-in-msg-count",
        ),
        _NUMBER,
    ),
    **dict.fromkeys(("sink.schema-registry", "sink.terminator", "sink.date-separator"), _TEXT),
    **dict.fromkeys(
        (
            "sink.csv",
            "sink.debezium",
            "sink.pulsar-config",
            "sink.mysql-config",
            "sink.cloud-storage-config",
        ),
        _SECTION,
    ),
}
_CODEC = {
    "enable-tidb-extension": _uri(Form.SWITCH, "enable-tidb-extension"),
    "max-batch-size": _uri(Form.NUMBER, "max-batch-size"),
    "avro-enable-watermark": _uri(Form.SWITCH, "avro-enable-watermark"),
    "avro-decimal-handling-mode": _uri(
        Form.TEXT, "avro-decimal-handling-mode", "precise", "string"
    ),
    "avro-bigint-unsigned-handling-mode": _uri(
        Form.TEXT, "avro-bigint-unsigned-handling-mode", "long", "string"
    ),
    "encoding-format": _TEXT,
}
_LARGE = {
    "large-message-handle-option": Key(
        Form.TEXT, wire=True, values=("none", "handle-key-only", "claim-check")
    ),
    "large-message-handle-compression": Key(Form.TEXT, wire=True, values=("none", "snappy", "lz4")),
    "claim-check-storage-uri": Key(Form.TEXT, wire=True),
    "claim-check-raw-value": _ON_WIRE,
}
_KAFKA = {
    "output-raw-change-event": _ON_WIRE,
    "max-message-bytes": _uri(Form.NUMBER, "max-message-bytes"),
    **{f"codec-config.{name}": key for name, key in _CODEC.items()},
    **{f"large-message-handle.{name}": key for name, key in _LARGE.items()},
    "glue-schema-registry-config": Key(
        Form.SECTION,
        refused="AWS Glue frames Avro in another way; the registry here is Confluent's",
    ),
    **dict.fromkeys(("auto-create-topic", "enable-tls", "insecure-skip-verify"), _SWITCH),
    **dict.fromkeys(("partition-num", "replication-factor", "required-acks"), _NUMBER),
    **dict.fromkeys(
        (
            "kafka-version",
            "compression",
            "kafka-client-id",
            "dial-timeout",
            "write-timeout",
            "read-timeout",
            "ca",
            "cert",
            "key",
        ),
        _TEXT,
    ),
    **dict.fromkeys(
        (
            "sasl-user",
            "sasl-password",
            "sasl-mechanism",
            "sasl-gssapi-auth-type",
            "sasl-gssapi-keytab-path",
            "sasl-gssapi-kerberos-config-path",
            "sasl-gssapi-service-name",
            "sasl-gssapi-user",
            "sasl-gssapi-password",
            "sasl-gssapi-realm",
            "sasl-gssapi-disable-pafxfast",
            "sasl-oauth-client-id",
            "sasl-oauth-client-secret",
            "sasl-oauth-token-url",
            "sasl-oauth-scopes",
            "sasl-oauth-grant-type",
            "sasl-oauth-audience",
        ),
        _ANY,
    ),
}
_INTEGRITY = {
    "integrity.integrity-check-level": Key(Form.TEXT, wire=True, values=("none", "correctness")),
    "integrity.corruption-handle-level": Key(Form.TEXT, values=("warn", "error")),
}

KEYS: Mapping[str, Key] = MappingProxyType(
    {
        **_TOP,
        **_FILTER,
        **_SINK,
        **{f"sink.kafka-config.{name}": key for name, key in _KAFKA.items()},
        **_INTEGRITY,
    }
)

# The keys of one rule in a list of rules.
RULE_KEYS: Mapping[str, Mapping[str, Key]] = MappingProxyType(
    {
        "filter.event-filters": {
            **dict.fromkeys(("matcher", "ignore-event", "ignore-sql"), Key(Form.TEXTS)),
            **dict.fromkeys(
                (
                    "ignore-insert-value-expr",
                    "ignore-update-new-value-expr",
                    "ignore-update-old-value-expr",
                    "ignore-delete-value-expr",
                ),
                _TEXT,
            ),
        },
        "sink.dispatchers": {
            **dict.fromkeys(("matcher", "columns"), Key(Form.TEXTS)),
            **dict.fromkeys(("dispatcher", "partition", "index", "topic"), _TEXT),
        },
        "sink.column-selectors": dict.fromkeys(("matcher", "columns"), Key(Form.TEXTS)),
    }
)
