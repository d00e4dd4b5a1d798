"""What TiCDC's consumer is told: its command line, and the changefeed's settings as a file.

It computes each row's partition again and reads large messages itself, so that it needs the
producer's settings under the producer's own names. Places are of tiflow at c7b2588.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from adapter import Json

PROTOCOLS = {"open": "open-protocol", "avro": "avro"}
# Of the sink URI (pkg/sink/codec/common/config.go:157); every other setting is of the file.
OF_URI = (
    "enable-tidb-extension",
    "max-batch-size",
    "max-message-bytes",
    "avro-decimal-handling-mode",
    "avro-bigint-unsigned-handling-mode",
    "only-output-updated-columns",
)
LARGE = "sink.kafka-config.large-message-handle."
OF_FILE = (
    "case-sensitive",
    "force-replicate",
    "sink.dispatchers",
    f"{LARGE}large-message-handle-option",
    f"{LARGE}large-message-handle-compression",
    f"{LARGE}claim-check-storage-uri",
    f"{LARGE}claim-check-raw-value",
)
SYSTEM = {"mysql", "sys", "information_schema", "performance_schema"}


def lacks(feed: Json) -> str | None:
    """Return what a changefeed needs that the consumer does not do, or None."""
    protocol, settings = feed["protocol"], feed["settings"]
    watermark = settings.get("avro-enable-watermark")
    large = settings.get(f"{LARGE}large-message-handle-option")
    system = sorted(SYSTEM & {schema.lower() for schema in feed["databases"]})
    needs = {
        f"protocol:{protocol}": protocol not in PROTOCOLS,
        f"dialect:{feed['dialect']}": feed["dialect"] != "current",  # it is of one release
        "topics:one": len(feed["topics"]) != 1,  # it counts progress by partition alone
        # It writes when a resolved event comes (cmd/kafka-consumer/writer.go:313), which Avro sends
        # where both settings are on.
        "settings:avro-enable-watermark": protocol == "avro" and not watermark,
        "settings:enable-tidb-extension": protocol == "avro"
        and not settings.get("enable-tidb-extension"),
        "large-message-handle:handle-key-only": large == "handle-key-only",  # it asks a TiDB
        # Its `time-zone` is the sink's, and a server without zone tables takes none.
        f"tz:{settings.get('tz')}": settings.get("tz", "UTC") != "UTC",
        "tables:without-rows": any(table["rows"] for table in feed["tables"]),
        f"database:{'/'.join(system)}": bool(system),
    }
    return next((need for need, is_needed in needs.items() if is_needed), None)


def changefeed_file(feed: Json) -> str:
    """Return the changefeed's configuration as TOML, with claim checks where they are here."""
    given = {name: feed["settings"][name] for name in OF_FILE if name in feed["settings"]}
    if f"{LARGE}claim-check-storage-uri" in given:
        given[f"{LARGE}claim-check-storage-uri"] = Path(feed["large_messages"]).as_uri()
    if any(name.startswith(LARGE) for name in given):
        # A server puts this in; the consumer takes nothing for a compression that it does not know.
        given.setdefault(f"{LARGE}large-message-handle-compression", "none")
    return "".join(f"{name} = {_toml(value)}\n" for name, value in given.items())


def command(order: Json, feed: Json, admin: Json, work: Path, *, vectors: bool) -> list[str]:
    """Return the consumer's arguments; `vectors` says that a table has columns of that type."""
    topic, settings = feed["topics"][0], feed["settings"]
    told = {"protocol": PROTOCOLS[feed["protocol"]], "partition-num": topic["partitions"]}
    told |= {name: _text(settings[name]) for name in OF_URI if name in settings}
    servers = order["kafka"]["librdkafka"]["bootstrap.servers"]
    account = f"{quote(admin['user'], safe='')}:{quote(admin['password'], safe='')}"
    # An empty time zone: a server without zone tables makes it panic. The first two are those of
    # TiCDC's own tests. `has-vector-type` makes text of vectors, and restores every statement with
    # what only TiDB takes in plain text (cdc/sink/ddlsink/mysql/format_ddl.go).
    how = "safe-mode=true&batch-dml-enable=false&time-zone="
    how += "&has-vector-type=true" if vectors else ""
    line = ["-upstream-uri", f"kafka://{servers}/{topic['name']}?{urlencode(told)}"]
    line += ["-downstream-uri", f"mysql://{account}@{admin['host']}:{admin['port']}/?{how}"]
    line += ["-config", str(work / "changefeed.toml"), "-log-file", str(work / "consumer.log")]
    line += ["-consumer-group-id", group(order, feed), "-tz", "UTC"]
    if order["registry"]:
        line += ["-schema-registry-uri", order["registry"]["url"]]
    return line


def group(order: Json, feed: Json) -> str:
    """Return the consumer group of one changefeed."""
    return f"{order['kafka']['group_id']}-{feed['dir']}"


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _toml(value: Any) -> str:  # noqa: ANN401 - whatever a setting is
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {_toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_toml(one) for one in value) + "]"
    return json.dumps(value)  # text, numbers and booleans are written alike
