"""What shows that a setting changes what is sent: values, the settings beside it, a small log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.codecs.debezium.topics import STRATEGIES
from harness.codecs.debezium_vitess.reference import ORDERED_FACTORY

Settings = Mapping[str, Any]
Rows = Sequence[Mapping[str, Any]]


def ddl(sql: str) -> Mapping[str, Any]:
    """Return a step that runs a statement."""
    return {"emit": {"ddl": sql}}


def rows(name: str, *changes: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a step that commits a transaction."""
    return {"emit": {"transaction": {"name": name, "rows": list(changes)}}}


def put(table: str, **after: Any) -> Mapping[str, Any]:
    """Return an inserted row."""
    return {"insert": {"table": table, "after": after}}


def gone(table: str, **before: Any) -> Mapping[str, Any]:
    """Return a deleted row."""
    return {"delete": {"table": table, "before": before}}


def changed(table: str, before: Settings, **now: Any) -> Mapping[str, Any]:
    """Return an updated row; `now` are the columns that change."""
    return {"update": {"table": table, "before": before, "after": {**before, **now}}}


def without(settings: Settings, name: str) -> Settings:
    """Return settings but for one."""
    return {other: value for other, value in settings.items() if other != name}


T = {"id": 1, "n": 18446744073709551615, "d": "1.50", "s": "abc\U0001f600d", "b": "00FF"}
_TABLE = (
    "CREATE TABLE shop.t (id INT PRIMARY KEY, n BIGINT UNSIGNED, d DECIMAL(6,2), s VARCHAR(20),"
    " b VARBINARY(9))"
)
LOGS: Mapping[str, Rows] = {
    "rows": (
        ddl(_TABLE),
        rows("one", put("shop.t", **T), put("shop.t", **{**T, "id": 2, "s": None})),
        rows("two", changed("shop.t", T, s="x"), changed("shop.t", {**T, "s": "x"})),
        rows("moved", changed("shop.t", {**T, "id": 2, "s": None}, id=3)),
        rows("three", gone("shop.t", **{**T, "s": "x"})),
        ddl("ALTER TABLE shop.t ADD COLUMN c INT"),
    ),
    "truncated": (
        ddl("CREATE TABLE shop.t (id INT PRIMARY KEY, v INT)"),
        rows("one", put("shop.t", id=1, v=1), put("shop.t", id=2, v=1)),
        rows("two", changed("shop.t", {"id": 1, "v": 1}, v=2), gone("shop.t", id=2, v=1)),
        ddl("TRUNCATE TABLE shop.t"),
        rows("three", put("shop.t", id=3, v=3)),
    ),
    "two-tables": (
        ddl("CREATE TABLE shop.t (id INT PRIMARY KEY)"),
        ddl("CREATE TABLE shop.u (id INT PRIMARY KEY)"),
        rows("one", put("shop.t", id=1), put("shop.u", id=1)),
    ),
    "keyless": (ddl("CREATE TABLE shop.k (a INT)"), rows("one", put("shop.k", a=1))),
    "large": (
        ddl("CREATE TABLE shop.t (id INT PRIMARY KEY, s TEXT)"),
        rows("one", put("shop.t", id=1, s="x" * 900)),
    ),
    "unlisted-ddl": (
        ddl("CREATE TABLE shop.t (id INT PRIMARY KEY)"),
        ddl("CREATE TABLE shop.u (id INT PRIMARY KEY, t INT, INDEX by_t (t))"),
        ddl("ALTER TABLE shop.u ADD CONSTRAINT fk FOREIGN KEY (t) REFERENCES shop.t (id)"),
        rows("one", put("shop.t", id=1)),
    ),
    "unique": (
        ddl("CREATE TABLE shop.t (id INT PRIMARY KEY, u INT NOT NULL UNIQUE)"),
        rows("one", put("shop.t", id=1, u=1)),
        rows("two", changed("shop.t", {"id": 1, "u": 1}, u=2)),
    ),
    "moments": (
        ddl(
            "CREATE TABLE shop.t (id INT PRIMARY KEY, m DATETIME(3), h TIME, y DATE NOT NULL,"
            " s TIMESTAMP NULL)"
        ),
        rows(
            "one",
            put(
                "shop.t",
                id=1,
                m="2019-03-10 02:30:00.125",
                h="01:02:03",
                y="0000-00-00",
                s="2019-07-01 12:00:00",
            ),
        ),
    ),
    "unreadable": (
        ddl("CREATE TABLE shop.t (id INT PRIMARY KEY, m DATETIME)"),
        rows("one", put("shop.t", id=1, m="2019-00-10 00:00:00"), put("shop.t", id=2, m=None)),
    ),
    "bits": (
        ddl("CREATE TABLE shop.t (id INT PRIMARY KEY, u BIT(9))"),
        rows("one", put("shop.t", id=1, u=257)),
    ),
    "unsigned-key": (
        ddl("CREATE TABLE shop.t (id BIGINT UNSIGNED PRIMARY KEY)"),
        rows("one", put("shop.t", id=7)),
        rows("two", changed("shop.t", {"id": 7}, id=8)),
    ),
    "odd-names": (
        ddl("CREATE TABLE shop.`t-$1` (id INT PRIMARY KEY, `a-b` INT)"),
        rows("one", put("shop.t-$1", **{"id": 1, "a-b": 2})),
    ),
    "shards": (
        ddl("CREATE TABLE shop.t (id BIGINT UNSIGNED PRIMARY KEY, v INT)"),
        rows("one", put("shop.t", id=1, v=1), put("shop.t", id=1 << 63, v=1)),
        rows("two", changed("shop.t", {"id": 1, "v": 1}, v=2)),
        rows("three", changed("shop.t", {"id": 1 << 63, "v": 1}, v=2)),
    ),
}
SHARDS = {
    "shards": ["-80", "80-"],
    "vindexes": {"shop.t": {"column": "id", "type": "numeric"}},
    "reshards": [{"after": "one", "shards": ["-40", "40-80", "80-"]}],
}


@dataclass(frozen=True, slots=True)
class Trial:
    """What a setting is tried with; without values those that its row lists.

    `refuses` says that every other value than the default is refused, which is its effect.
    """

    values: tuple[Any, ...] = ()
    log: str = "rows"
    base: Settings = field(default_factory=dict[str, Any])
    keyspace: Settings | None = None
    refuses: bool = False


LARGE = "sink.kafka-config.large-message-handle."
# The commit ts of a log's first transaction, less one.
START_TS = 415508857170165765
STORAGE = {LARGE + "claim-check-storage-uri": "file:///checks"}
EXTENSION, WATERMARK = "enable-tidb-extension", "avro-enable-watermark"
STRINGS = {
    "avro-decimal-handling-mode": "string",
    "avro-bigint-unsigned-handling-mode": "string",
}
DDL = {EXTENSION: True, WATERMARK: True}


def _changefeed(base: Settings) -> Mapping[str, Trial]:
    """Return the trials of what a changefeed's source takes; under `base` it sends DDL."""
    return {
        "case-sensitive": Trial(base={**base, "filter.rules": ["SHOP.*"]}),
        "bdr-mode": Trial(base=base),
        "filter.rules": Trial((["shop.u"],)),
        "filter.ignore-txn-start-ts": Trial(([START_TS],)),
        "filter.event-filters": Trial(([{"matcher": ["shop.t"], "ignore-event": ["delete"]}],)),
        "sink.dispatchers": Trial(([{"matcher": ["*.*"], "partition": "ts"}],)),
        "sink.kafka-config.output-raw-change-event": Trial(log="unique"),
        "ddl-rules": Trial(log="unlisted-ddl", base=base),
        "changefeed": Trial(("[filter]\nrules = ['shop.u']\n",)),
    }


OPEN: Mapping[str, Trial] = {
    "tz": Trial(("Asia/Shanghai", "America/New_York"), log="moments"),
    **_changefeed({}),
    "force-replicate": Trial(log="keyless"),
    "max-batch-size": Trial((1,)),
    "max-message-bytes": Trial((500,)),
    "sink.open.output-old-value": Trial(),
    "only-output-updated-columns": Trial(),
    "sink.delete-only-output-handle-key-columns": Trial(),
    LARGE + "large-message-handle-option": Trial(
        log="large", base={"max-message-bytes": 600, **STORAGE}
    ),
    LARGE + "large-message-handle-compression": Trial(),
    LARGE + "claim-check-storage-uri": Trial(
        ("file:///a", "file:///b"),
        log="large",
        base={"max-message-bytes": 600, LARGE + "large-message-handle-option": "claim-check"},
    ),
}

AVRO: Mapping[str, Trial] = {
    "tz": Trial(("Asia/Shanghai", "America/New_York"), log="moments"),
    **_changefeed(DDL),
    "force-replicate": Trial(refuses=True),
    EXTENSION: Trial(),
    "avro-decimal-handling-mode": Trial(),
    "avro-bigint-unsigned-handling-mode": Trial(),
    WATERMARK: Trial(base={EXTENSION: True}),
    "max-message-bytes": Trial((50,), refuses=True),
    "integrity.integrity-check-level": Trial(base={EXTENSION: True, **STRINGS}),
    "namespace": Trial(("other",)),
    LARGE + "large-message-handle-option": Trial(refuses=True),
}

METADATA = {"provide.transaction.metadata": True}
ORDERED = {**METADATA, "transaction.metadata.factory": ORDERED_FACTORY}
VGTID = (
    '[{"keyspace":"shop","shard":"0","gtid":"MySQL56/aaaaaaaa-0000-11ec-8e20-0242ac110004:1-3"}]'
)
PER_TASK = {
    "vitess.offset.storage.per.task": True,
    "vitess.offset.storage.task.key.gen": 0,
    "vitess.prev.num.tasks": 1,
    "tasks.max": 2,
}
BY_TABLE = {"topic.naming.strategy": "io.debezium.connector.vitess.TableTopicNamingStrategy"}
OVERRIDE = {**BY_TABLE, "override.data.change.topic.prefix": "other"}
NOTIFIED = {
    "snapshot.mode": "never",
    "notification.enabled.channels": "sink",
    "notification.sink.topic.name": "notes",
}
JSON = "org.apache.kafka.connect.json.JsonConverter"
PRECISE = {"bigint.unsigned.handling.mode": "precise"}
TRANSFORM = "io.debezium.connector.vitess.transforms."
CHAIN = {
    "transforms": "a",
    "transforms.a.type": TRANSFORM + "RemoveField",
    "transforms.a.field_names": "source.db",
    "tombstones.on.delete": False,
}
FILTER = TRANSFORM + "FilterTransactionTopicRecords"
REPLACE = {
    **CHAIN,
    "transforms.a.type": TRANSFORM + "ReplaceFieldValue",
    "transforms.a.field_value": "x",
}
_PREDICATES = "org.apache.kafka.connect.transforms.predicates."
PREDICATE = {
    **CHAIN,
    "transforms.a.predicate": "p",
    "predicates": "p",
    "predicates.p.type": _PREDICATES + "TopicNameMatches",
    "predicates.p.pattern": "none",
}
HEADER = {
    **without(PREDICATE, "predicates.p.pattern"),
    "predicates.p.type": _PREDICATES + "HasHeaderKey",
    "predicates.p.name": "none",
}


def _debezium(strategy: str) -> Mapping[str, Trial]:
    """Return the trials of what connectors share; `strategy` replaces in names of topics."""
    regex = {
        "topic.naming.strategy": strategy,
        "topic.regex": "(.*)shop(.*)",
        "topic.replacement": "$1all$2",
    }
    return {
        "include.schema.changes": Trial(),
        "topic.prefix": Trial(("other",)),
        "table.include.list": Trial(("shop.u",)),
        "table.exclude.list": Trial(("shop.t",)),
        "column.include.list": Trial(("shop.t.(id|s)",)),
        "column.exclude.list": Trial(("shop.t.s",)),
        "column.truncate.to.<n>.chars": Trial(("shop.t.s",)),
        "column.mask.with.<n>.chars": Trial(("shop.t.s",)),
        "column.mask.hash.<algorithm>.with.salt.<salt>": Trial(("shop.t.s",)),
        "column.mask.hash.v2.<algorithm>.with.salt.<salt>": Trial(("shop.t.s",)),
        "column.propagate.source.type": Trial(("shop.t.s",)),
        "datatype.propagate.source.type": Trial((".*VARCHAR",)),
        "message.key.columns": Trial(("shop.t:s",)),
        "binary.handling.mode": Trial(),
        "tombstones.on.delete": Trial(),
        "skip.messages.without.change": Trial(),
        "provide.transaction.metadata": Trial(),
        "schema.name.adjustment.mode": Trial(log="odd-names"),
        "field.name.adjustment.mode": Trial(log="odd-names"),
        "extended.headers.enabled": Trial(),
        "topic.delimiter": Trial(("_",)),
        "topic.transaction": Trial(("other",), base=METADATA),
        "topic.heartbeat.prefix": Trial(("other",), base={"heartbeat.interval.ms": 1}),
        "heartbeat.interval.ms": Trial((1,)),
        "topic.regex": Trial(("(.*)t(.*)",), base=regex),
        "topic.replacement": Trial(("$1other$2",), base=regex),
        "topic.key.enforce.uniqueness": Trial(base=regex),
        "topic.key.field.name": Trial(("other",), base=regex),
        "topic.key.field.regex": Trial(
            ("(.*)shop(.*)",), base={**regex, "topic.key.field.replacement": "$2"}
        ),
        "topic.key.field.replacement": Trial(
            ("$1", "$2"), base={**regex, "topic.key.field.regex": "(.*)shop(.*)"}
        ),
        "topic.creation.default.partitions": Trial((7,)),
        "key.converter": Trial(),
        "key.converter.schemas.enable": Trial(),
        "key.converter.decimal.format": Trial(log="unsigned-key", base=PRECISE),
        "value.converter": Trial(),
        "value.converter.schemas.enable": Trial(log="two-tables"),
        "value.converter.decimal.format": Trial(base=PRECISE),
        "value.converter.replace.null.with.default": Trial(),
        "header.converter": Trial(),
        "header.converter.schemas.enable": Trial(base={"header.converter": JSON}),
        "header.converter.decimal.format": Trial(
            log="unsigned-key", base={"header.converter": JSON, **PRECISE}
        ),
    }


VITESS: Mapping[str, Trial] = {
    **_debezium("io.debezium.schema.SchemaRegexTopicNamingStrategy"),
    "event.processing.failure.handling.mode": Trial(log="unreadable"),
    "notification.enabled.channels": Trial(
        ("sink",), base=without(NOTIFIED, "notification.enabled.channels")
    ),
    "notification.sink.topic.name": Trial(("other",), base=NOTIFIED),
    "user.timezone": Trial(("America/New_York",), log="moments"),
    "vitess.keyspace": Trial(("other",)),
    "vitess.shard": Trial(("-80",), log="shards", keyspace=SHARDS),
    "vitess.vgtid": Trial(
        (VGTID,),
        base={"snapshot.mode": "never", "vitess.shard": "0"},
    ),
    "vitess.shard.epoch.map": Trial(('{"0":7}',), base=ORDERED),
    "vitess.inherit.epoch": Trial(
        log="shards",
        base={**ORDERED, "vitess.shard.epoch.map": '{"-80":7,"80-":7}'},
        keyspace=SHARDS,
    ),
    "vitess.stop_on_reshard": Trial(log="shards", keyspace=SHARDS),
    "vitess.offset.storage.per.task": Trial(
        base=without(without(PER_TASK, "vitess.offset.storage.per.task"), "tasks.max"),
        log="shards",
        keyspace=SHARDS,
    ),
    "vitess.offset.storage.task.key.gen": Trial((1,), base=PER_TASK, refuses=True),
    "vitess.prev.num.tasks": Trial((-1,), base=PER_TASK, refuses=True),
    "tasks.max": Trial((1,), log="shards", base=PER_TASK, keyspace=SHARDS),
    "snapshot.mode": Trial(keyspace={"copied-after": "one"}, refuses=True),
    "bigint.unsigned.handling.mode": Trial(),
    "include.unknown.datatypes": Trial(log="bits"),
    "override.datetime.to.nullable": Trial(log="moments"),
    "transaction.metadata.factory": Trial(base=METADATA),
    "topic.naming.strategy": Trial(
        tuple(STRATEGIES)[1:] + tuple(BY_TABLE.values()),
        log="odd-names",
        base={"topic.regex": "(.*)t(.*)", "topic.replacement": "$1all$2"},
    ),
    "override.data.change.topic.prefix": Trial(("other",), base=BY_TABLE),
    "override.data.change.topic.prefix.exclude.list": Trial(("shop.t",), base=OVERRIDE),
    "override.schema.change.topic": Trial(
        ("changes",), base={**BY_TABLE, "include.schema.changes": True}
    ),
    "time.precision.mode": Trial(
        ("adaptive", "connect", "isostring", "microseconds", "nanoseconds"), log="moments"
    ),
    "skipped.operations": Trial(("c", "u", "d")),
    "transforms": Trial(("a",), base=without(CHAIN, "transforms")),
    "transforms.<alias>.type": Trial(
        (TRANSFORM + "RemoveField", TRANSFORM + "UseLocalVgtid", FILTER),
        base={**METADATA, **REPLACE},
        log="shards",
        keyspace=SHARDS,
    ),
    "transforms.<alias>.field_names": Trial(("source.sequence",), base=CHAIN),
    "transforms.<alias>.field_value": Trial(("y",), base=REPLACE),
    "transforms.<alias>.predicate": Trial(
        ("p",), base=without(PREDICATE, "transforms.a.predicate")
    ),
    "transforms.<alias>.negate": Trial(base=PREDICATE),
    "predicates": Trial(("p",), base=without(PREDICATE, "predicates")),
    "predicates.<alias>.type": Trial(
        (_PREDICATES + "RecordIsTombstone",),
        base={**PREDICATE, "transforms.a.negate": True, "tombstones.on.delete": True},
    ),
    "predicates.<alias>.pattern": Trial((".*",), base=PREDICATE),
    "predicates.<alias>.name": Trial(("__debezium.newkey",), base=HEADER),
}
ROUTED = {
    "transforms": "a",
    "transforms.a.type": "org.apache.kafka.connect.transforms.RegexRouter",
    "transforms.a.regex": "(.*)shop(.*)",
    "transforms.a.replacement": "$1all$2",
}
GONE = {"transforms.a.predicate": "p", "predicates": "p"}
TOMBSTONES = {**GONE, "predicates.p.type": _PREDICATES + "RecordIsTombstone"}
NAMED = {
    **ROUTED,
    **GONE,
    "predicates.p.type": _PREDICATES + "TopicNameMatches",
    "predicates.p.pattern": "none",
}
HEADED = {
    **without(NAMED, "predicates.p.pattern"),
    "predicates.p.type": _PREDICATES + "HasHeaderKey",
    "predicates.p.name": "none",
}
MYSQL: Mapping[str, Trial] = {
    **_debezium("io.debezium.schema.DefaultRegexTopicNamingStrategy"),
    "time.precision.mode": Trial(log="moments"),
    "decimal.handling.mode": Trial(),
    "bigint.unsigned.handling.mode": Trial(),
    "skipped.operations": Trial(("c", "u", "d", "none"), log="truncated"),
    "snapshot.mode": Trial(("initial_only", "no_data"), keyspace={"copied-after": "one"}),
    "transforms": Trial(("a",), base=without(ROUTED, "transforms")),
    "transforms.<alias>.type": Trial(
        ("org.apache.kafka.connect.transforms.Filter",), base={**ROUTED, **TOMBSTONES}
    ),
    "transforms.<alias>.regex": Trial(("(.*)t(.*)",), base=ROUTED),
    "transforms.<alias>.replacement": Trial(("$1other$2",), base=ROUTED),
    "transforms.<alias>.predicate": Trial(("p",), base=without(NAMED, "transforms.a.predicate")),
    "transforms.<alias>.negate": Trial(base=NAMED),
    "predicates": Trial(("p",), base=without(NAMED, "predicates")),
    "predicates.<alias>.type": Trial((_PREDICATES + "RecordIsTombstone",), base=NAMED),
    "predicates.<alias>.pattern": Trial((".*",), base=NAMED),
    "predicates.<alias>.name": Trial(("__debezium.newkey",), base=HEADED),
    "topic.naming.strategy": Trial(
        tuple(STRATEGIES)[:1] + tuple(STRATEGIES)[2:],
        log="odd-names",
        base={"topic.regex": "(.*)t(.*)", "topic.replacement": "$1all$2"},
    ),
}
TRIALS: Mapping[str, Mapping[str, Trial]] = {
    "open": OPEN,
    "avro": AVRO,
    "vitess": VITESS,
    "debezium-mysql": MYSQL,
}
PLACEHOLDERS = {
    "<n>": "2",
    "<alias>": "a",
    "<algorithm>": "SHA-256",
    "<salt>": "pepper",
}
