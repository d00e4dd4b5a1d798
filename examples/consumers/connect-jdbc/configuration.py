"""From a changefeed to the configuration of its connectors."""

from __future__ import annotations

import json

from adapter import DEBEZIUM, JSON, Json, table_of
from topics import ends, records, schemas

APICURIO = "io.apicurio.registry.utils.converter.AvroConverter"
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
    if feed["protocol"] not in {"avro", *DEBEZIUM}:
        return f"protocol:{feed['protocol']}"
    if settings.get("avro-enable-watermark"):
        return "avro-enable-watermark"
    if settings.get("tz", "UTC") != "UTC":
        return f"tz:{settings['tz']}"  # TIMESTAMPs are texts to it
    if feed["protocol"] in DEBEZIUM:
        if settings.get("value.converter", JSON) != JSON:
            return "value.converter:" + str(settings["value.converter"])
        schemas = settings.get("value.converter.schemas.enable", True)
        if hardened and str(schemas).lower() == "false":
            return "value.converter.schemas.enable"
    several = [topic for topic in feed["topics"] if len(_tables(order, feed, topic)) > 1]
    return "topic:one-table" if hardened and several else None


def connectors(order: Json, feed: Json, *, hardened: bool) -> dict[str, Json]:
    """Return `config` and `ends`, (topic, partition) to offset, by name, of what is to be read."""
    found = {}
    for number, topic in enumerate(feed["topics"]):
        awaited = {(topic["name"], partition): end for partition, end in ends(topic).items()}
        tables = _tables(order, feed, topic) if awaited else []
        if tables:
            name = f"{order['kafka']['group_id']}-{feed['dir']}-{number}"
            config = _config(order, feed, topic, tables[-1], hardened=hardened)
            found[name] = {"config": config, "ends": awaited}
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
    own = {"": APICURIO, ".apicurio.registry.url": base, ".apicurio.registry.as-confluent": "true"}
    own |= {".apicurio.registry.use-id": "contentId"}
    sides = ("key.converter", "value.converter")
    return {side + name: value for side in sides for name, value in own.items()}


def _tables(order: Json, feed: Json, topic: Json) -> list[tuple[str, str]]:
    """Return the tables of a topic, as its name or its subject's schemas tell them."""
    if feed["protocol"] in DEBEZIUM or topic["role"] != "data":
        named = table_of(topic)
        return [named] if named else []
    registered = schemas(order, topic, "value")
    return list(
        dict.fromkeys((one["namespace"].rpartition(".")[2], one["name"]) for one in registered)
    )


def _logical(order: Json, topic: Json) -> list[str]:
    """Return the columns of a topic's schemas that are strings with a logical name."""
    found: dict[str, None] = {}
    for _, value in records(order, topic):
        fields = json.loads(value).get("schema", {}).get("fields", [])
        for side in fields:
            for field in side.get("fields", []) if side["field"] in {"before", "after"} else []:
                if field["type"] == "string" and field.get("name", "").startswith(LOGICAL):
                    found[field["field"]] = None
    return list(found)
