"""From a changefeed to the configuration of its connectors."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

from confluent_kafka import Consumer, TopicPartition

Json = dict[str, Any]
JSON = "org.apache.kafka.connect.json.JsonConverter"
AVRO = "io.apicurio.registry.utils.converter.AvroConverter"
TIMEOUT_S = 30.0
NAIVE = {
    "connector.class": "io.debezium.connector.jdbc.JdbcSinkConnector",
    "tasks.max": "1",
    "connection.pool.min_size": "1",
    "connection.pool.max_size": "2",
    "connection.pool.acquire_increment": "1",
    "insert.mode": "upsert",
    "delete.enabled": "true",
    "primary.key.mode": "record_key",
    "schema.evolution": "basic",
    "use.time.zone": "UTC",
}
HARDENED = NAIVE | {
    "quote.identifiers": "true",
    "schema.evolution": "none",
    "header.converter": "org.apache.kafka.connect.storage.StringConverter",
}
UNWRAP = {
    "transforms": "unwrap,plain",
    "transforms.unwrap.type": "io.debezium.transforms.ExtractNewRecordState",
    "transforms.unwrap.delete.tombstone.handling.mode": "tombstone",
    "transforms.plain.type": "org.apache.kafka.connect.transforms.Cast$Value",
}
# Strings that are in a form which the sink does not read, or writes in a way that MariaDB does not.
LOGICAL = ("io.debezium.time.ZonedTimestamp", "io.debezium.data.")


def lacks(order: Json, feed: Json, *, hardened: bool) -> str | None:
    """Return what a changefeed needs that no configuration gives it, or None."""
    settings = feed["settings"]
    if feed["protocol"] not in {"avro", "vitess"}:
        return f"protocol:{feed['protocol']}"
    if settings.get("avro-enable-watermark"):
        return "avro-enable-watermark"
    if feed["protocol"] == "vitess":
        if settings.get("value.converter", JSON) != JSON:
            return "value.converter:" + str(settings["value.converter"])
        schemas = settings.get("value.converter.schemas.enable", True)
        if hardened and str(schemas).lower() == "false":
            return "value.converter.schemas.enable"
    several = [
        t for t in feed["topics"] if t["role"] == "data" and len(_tables(order, feed, t)) > 1
    ]
    return "topic:one-table" if hardened and several else None


def connectors(order: Json, feed: Json, *, hardened: bool) -> dict[str, Json]:
    """Return `config` and `ends`, (topic, partition) to offset, by name, of what is to be read."""
    found = {}
    for number, topic in enumerate(feed["topics"]):
        spans = list(enumerate(zip(topic["start_offsets"], topic["end_offsets"], strict=True)))
        ends = {(topic["name"], n): end for n, (start, end) in spans if start < end}
        tables = _tables(order, feed, topic) if topic["role"] == "data" and ends else []
        if tables:
            name = f"{order['kafka']['group_id']}-{feed['dir']}-{number}"
            config = _config(order, feed, topic, tables[-1], hardened=hardened)
            found[name] = {"config": config, "ends": ends}
    return found


def _config(
    order: Json, feed: Json, topic: Json, table: tuple[str, str], *, hardened: bool
) -> dict[str, str]:
    sink, schema = order["sink"], table[0]
    database = feed["databases"].get(schema) or next(iter(feed["databases"].values()))
    # Without the last word the sink finds a table of the same name in any other database.
    where = f"{sink['host']}:{sink['port']}/{database}"
    url = f"jdbc:mariadb://{where}?nullDatabaseMeansCurrent=true"
    given = {
        "topics": topic["name"],
        "collection.name.format": table[1],
        "connection.url": f"{url}&sessionVariables=sql_mode=''" if hardened else url,
        "connection.username": sink["user"],
        "connection.password": sink["password"],
    }
    config = (HARDENED if hardened else NAIVE) | given
    if feed["protocol"] == "avro":
        return config | _avro(order)
    settings = feed["settings"]
    for name in ("key.converter.schemas.enable", "value.converter.schemas.enable"):
        config |= {name.removesuffix(".schemas.enable"): JSON}
        config |= {name: str(settings.get(name, True)).lower()}
    if not hardened:
        return config
    casts = ",".join(f"{column}:string" for column in _logical(order, topic))
    plain = {"transforms.plain.spec": casts} if casts else {}
    return config | UNWRAP | ({"transforms": "unwrap"} if not casts else plain)


def _avro(order: Json) -> dict[str, str]:
    base = order["registry"]["url"].partition("/apis/")[0] + "/apis/registry/v2"
    own = {"": AVRO, ".apicurio.registry.url": base, ".apicurio.registry.as-confluent": "true"}
    own |= {".apicurio.registry.use-id": "contentId"}
    sides = ("key.converter", "value.converter")
    return {side + name: value for side in sides for name, value in own.items()}


def _tables(order: Json, feed: Json, topic: Json) -> list[tuple[str, str]]:
    """Return the tables of a topic, as its name or its subject's schemas tell them."""
    if feed["protocol"] == "vitess":
        parts = topic["canonical"].split(".")
        return [(parts[-2], parts[-1])] if len(parts) > 2 else []
    subject = f"{order['registry']['url']}/subjects/{topic['name']}-value/versions"
    found = []
    for version in _get(subject) or []:
        schema = json.loads(_get(f"{subject}/{version}")["schema"])
        found.append((schema["namespace"].rpartition(".")[2], schema["name"]))
    return list(dict.fromkeys(found))


def _get(url: str) -> Any:  # noqa: ANN401 - JSON
    try:
        with urllib.request.urlopen(url, timeout=TIMEOUT_S) as answer:
            return json.load(answer)
    except urllib.error.HTTPError:
        return None


def _logical(order: Json, topic: Json) -> list[str]:
    """Return the columns of a topic's schemas that are strings with a logical name."""
    found: dict[str, None] = {}
    for value in _values(order, topic):
        fields = json.loads(value).get("schema", {}).get("fields", [])
        for side in fields:
            for field in side.get("fields", []) if side["field"] in {"before", "after"} else []:
                if field["type"] == "string" and field.get("name", "").startswith(LOGICAL):
                    found[field["field"]] = None
    return list(found)


def _values(order: Json, topic: Json) -> list[bytes]:
    """Return the values of a topic that are none of a tombstone."""
    kafka = order["kafka"]["librdkafka"] | {"group.id": order["kafka"]["group_id"] + "-look"}
    consumer = Consumer(kafka | {"enable.auto.commit": False, "enable.partition.eof": True})
    spans = enumerate(zip(topic["start_offsets"], topic["end_offsets"], strict=True))
    places = [TopicPartition(topic["name"], n, start) for n, (start, end) in spans if start < end]
    consumer.assign(places)
    found, open_ones = [], {place.partition for place in places}
    while open_ones:
        message = consumer.poll(TIMEOUT_S)
        if message is None or message.error():
            open_ones.discard(message.partition() if message else open_ones.pop())
        elif message.value():
            found.append(message.value())
    consumer.close()
    return found
