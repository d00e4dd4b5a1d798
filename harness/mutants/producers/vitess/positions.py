"""Positions and order: the text of a VGTID, where a stream starts, its shards, heartbeats."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Final

from harness.codecs.connect.schema import ConnectRecord
from harness.codecs.debezium_vitess.vgtid import VgtidPosition
from harness.model.vstream import ShardGtid
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, patch, result, returns
from harness.mutants.producers.records import CHANGE, HEARTBEAT, Records, kind
from harness.mutants.producers.vitess.edits import ignoring, one, stream, valued
from harness.mutants.producers.vitess.restarts import under_way

VGTID: Final = "harness.codecs.debezium_vitess.vgtid"
POSITION: Final = f"{VGTID}:position"
SOURCE: Final = "harness.sources.vitess.source"
STREAMS: Final = "harness.sources.vitess.streams"
ENTRY: Final = ("keyspace", "shard", "gtid")


def _entries(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Patch:
    """Return the patch that changes the object of each shard in a VGTID."""
    return result(f"{VGTID}:_shard", change)


def _texts(change: Callable[[str], str]) -> Patch:
    """Return the patch that changes the text of each VGTID."""
    return result(POSITION, lambda found: VgtidPosition(found.shards, change(found.text)))


def _without(name: str, entry: dict[str, Any]) -> dict[str, Any]:
    return {member: value for member, value in entry.items() if member != name}


def _renamed(name: str, entry: dict[str, Any]) -> dict[str, Any]:
    return {f"{name}_" if member == name else member: value for member, value in entry.items()}


def _form() -> Iterator[WrongProducer]:
    for name in ENTRY:
        yield WrongProducer(
            f"vitess-vgtid-without-{name}",
            "vitess.vgtid.form",
            f"It leaves `{name}` out of a VGTID.",
            _entries(partial(_without, name)),
        )
        yield WrongProducer(
            f"vitess-vgtid-{name}-renamed",
            "vitess.vgtid.form",
            f"It calls `{name}` of a VGTID otherwise.",
            _entries(partial(_renamed, name)),
        )


def _swapped(given: Records) -> Iterator[ConnectRecord]:
    """Yield changes of a topic two by two the other way round, tombstones behind their deletes."""
    held: list[ConnectRecord] = []
    for record in given:
        if record.value is None and held and held[-1].topic == record.topic:
            held.append(record)
        elif kind(record) == CHANGE and held and held[0].topic == record.topic:
            yield record
            yield from held
            held = []
        elif kind(record) == CHANGE:
            yield from held
            held = [record]
        else:
            yield from held
            yield record
            held = []
    yield from held


def _later(original: Callable[[Any, str, str], int]) -> Callable[[Any, str, str], int]:
    """Return what starts a stream one transaction behind the position that is asked for."""
    return lambda self, shard, gtid: original(self, shard, gtid) + 1


def _stopping(*, stops: bool) -> Patch:
    """Return the patch by which a stream stops at a resharding, or never does."""

    def changed(original: Callable[..., Any]) -> Callable[..., Any]:
        return lambda streams, before, after: original(
            streams, replace(before, stops_at_reshard=stops), after
        )

    return patch(f"{STREAMS}:resharded", changed)


def _of_shards(shards: tuple[ShardGtid, ...]) -> tuple[ShardGtid, ...]:
    return shards[:1]


def _fewer(original: Callable[..., VgtidPosition]) -> Callable[..., VgtidPosition]:
    return lambda shards, **how: VgtidPosition(shards, original(_of_shards(shards), **how).text)


def _first_shards(given: Records) -> Iterator[ConnectRecord]:
    """Leave out what comes from a shard that the first VGTID of its task does not name."""
    first: dict[object, set[str]] = {}
    for record in given:
        source = (record.value or {}).get("source")
        if source:
            task = record.source_partition.get("task_key")
            named = {entry["shard"] for entry in json.loads(source["vgtid"])}
            if source["shard"] not in first.setdefault(task, named):
                continue
        yield record


def _without_last_shard(given: Records) -> Iterator[ConnectRecord]:
    """Leave out what comes from the last shard that a VGTID names, where it names several."""
    for record in given:
        source = (record.value or {}).get("source")
        shards = [entry["shard"] for entry in json.loads(source["vgtid"])] if source else []
        if source is None or len(shards) == 1 or shards[-1] != source["shard"]:
            yield record


ROWS: tuple[WrongProducer, ...] = (
    *_form(),
    WrongProducer(
        "vitess-vgtid-an-object",
        "vitess.vgtid.form",
        "It writes a VGTID as an object by shard.",
        _texts(lambda text: json.dumps({e["shard"]: e for e in json.loads(text)})),
    ),
    WrongProducer(
        "vitess-vgtid-gtid-first",
        "vitess.vgtid.form",
        "It writes the members of a VGTID in the order of their names.",
        _entries(lambda entry: dict(sorted(entry.items()))),
    ),
    WrongProducer(
        "vitess-vgtid-shard-first",
        "vitess.vgtid.form",
        "It writes the shard before the keyspace in a VGTID.",
        _entries(lambda entry: {"shard": entry["shard"], **entry}),
    ),
    WrongProducer(
        "vitess-vgtid-with-blanks",
        "vitess.vgtid.form",
        "It writes blanks between the members of a VGTID.",
        _texts(lambda text: json.dumps(json.loads(text))),
    ),
    WrongProducer(
        "vitess-vgtid-without-table-p-ks",
        "vitess.vgtid.table-p-ks",
        "It leaves `table_p_ks` out of a VGTID.",
        _entries(partial(_without, "table_p_ks")),
    ),
    WrongProducer(
        "vitess-vgtid-table-p-ks-null",
        "vitess.vgtid.table-p-ks",
        "It writes `table_p_ks` as null where there are none.",
        _entries(lambda entry: {**entry, "table_p_ks": entry.get("table_p_ks") or None}),
    ),
    WrongProducer(
        "vitess-vgtid-copy-without-table-keys",
        "vitess.vgtid.table-p-ks",
        "It leaves `table_p_ks` empty during a copy, too.",
        _entries(lambda entry: {**entry, "table_p_ks": []}),
    ),
    WrongProducer(
        "vitess-vgtid-of-one-shard",
        "vitess.vgtid.all-shards",
        "It names one shard in each VGTID.",
        patch(POSITION, _fewer),
        also="vitess.vgtid.form",
    ),
    WrongProducer(
        "vitess-changes-swapped",
        "vitess.order.as-generated",
        "It sends each two changes of a topic the other way round.",
        stream(_swapped),
    ),
    WrongProducer(
        "vitess-heartbeat-of-a-gtid",
        "vitess.heartbeat.content",
        "It writes the GTID of a shard into a heartbeat for the VGTID.",
        valued(HEARTBEAT, "vgtid", lambda text: json.loads(text)[0]["gtid"]),
    ),
    WrongProducer(
        "vitess-position-under-way-stored",
        "vitess.offset.restart-vgtid",
        "It stores the position of a transaction before its commit.",
        under_way(),
        also="vitess.heartbeat.content",
    ),
    WrongProducer(
        "vitess-heartbeats-to-the-prefix",
        "vitess.heartbeat.topic",
        "It sends heartbeats to the topic of the prefix alone.",
        one(HEARTBEAT, lambda record: replace(record, topic=record.topic.rpartition(".")[2])),
    ),
    WrongProducer(
        "vitess-heartbeats-without-the-topic-prefix",
        "vitess.heartbeat.topic",
        "It sends heartbeats to the topic of topic.heartbeat.prefix, without the topic prefix.",
        one(HEARTBEAT, lambda record: replace(record, topic=record.topic.rpartition(".")[0])),
    ),
    WrongProducer(
        "vitess-heartbeat-prefix-ignored",
        "vitess.heartbeat.topic",
        "It pays no heed to topic.heartbeat.prefix.",
        ignoring("topic.heartbeat.prefix"),
    ),
    WrongProducer(
        "vitess-heartbeats-to-partition-1",
        "vitess.heartbeat.partition",
        "It sends heartbeats to partition 1.",
        one(HEARTBEAT, lambda record: replace(record, partition=1)),
    ),
    WrongProducer(
        "vitess-no-heartbeats",
        "vitess.heartbeat.topic",
        "It sends no heartbeats.",
        ignoring("heartbeat.interval.ms"),
    ),
    WrongProducer(
        "vitess-heartbeat-of-another-server",
        "vitess.heartbeat.content",
        "It writes another name into the key of a heartbeat.",
        one(
            HEARTBEAT,
            lambda record: replace(record, key={"serverName": f"{record.key['serverName']}_"}),
        ),
    ),
    WrongProducer(
        "vitess-heartbeat-without-a-position",
        "vitess.heartbeat.content",
        "It writes an empty position into a heartbeat.",
        valued(HEARTBEAT, "vgtid", lambda _: ""),
    ),
    WrongProducer(
        "vitess-heartbeat-in-seconds",
        "vitess.heartbeat.content",
        "It writes the time of a heartbeat in seconds.",
        valued(HEARTBEAT, "ts_ms", lambda ms: ms // 1000),
    ),
    WrongProducer(
        "vitess-shard-ignored",
        "vitess.shard.one",
        "It streams the shards too that vitess.shard does not name.",
        returns(f"{SOURCE}:_followed", ()),
    ),
    WrongProducer(
        "vitess-first-shard-named-alone",
        "vitess.shard.one",
        "It streams the first alone of the shards that vitess.shard names.",
        result(f"{SOURCE}:_followed", lambda names: names[:1]),
    ),
    WrongProducer(
        "vitess-new-shards-unseen",
        "vitess.shard.all",
        "It streams none of the shards that a resharding adds.",
        stream(_first_shards),
    ),
    WrongProducer(
        "vitess-parts-of-a-split-unseen",
        "vitess.task.follows-reshard",
        "It streams none of the parts of a task's shard that is split.",
        stream(_first_shards),
    ),
    WrongProducer(
        "vitess-last-shard-unseen",
        "vitess.shard.all",
        "It streams all shards but the last where none is named.",
        stream(_without_last_shard),
    ),
    WrongProducer(
        "vitess-position-ignored",
        "vitess.shard.gtid",
        "It streams from the beginning, whatever vitess.vgtid says.",
        returns(f"{SOURCE}:_starts", {}),
    ),
    WrongProducer(
        "vitess-position-one-too-far",
        "vitess.shard.gtid",
        "It leaves out the first transaction behind the position that it starts from.",
        patch("harness.sources.vitess.position:Position._start", _later),
    ),
    WrongProducer(
        "vitess-stop-on-reshard-ignored",
        "vitess.reshard.stop",
        "It goes on behind a resharding although it is to stop.",
        _stopping(stops=False),
        also="vitess.task.follows-reshard",
    ),
    WrongProducer(
        "vitess-always-stops-on-reshard",
        "vitess.reshard.stop",
        "It stops at a resharding although it is to go on.",
        _stopping(stops=True),
    ),
)
