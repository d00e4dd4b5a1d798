"""A Vitess keyspace, followed by VStream, as the source of a protocol."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from harness.errors import UsageError
from harness.model.change import Change, ChangeLog, Transaction
from harness.model.columns import ColumnKind
from harness.model.settings import Settings
from harness.model.table import Table, TableId
from harness.sources.message_keys import Keys, message_keys
from harness.sources.source import Source, SourceConfig, SourceOutput, SourceStream
from harness.sources.vitess.fields import key_ordinals, sent
from harness.sources.vitess.simulator import Cluster, replayed
from harness.sources.vitess.simulator import stream as followed
from harness.sources.vitess.topology import Topology, Vindex, topology
from harness.wire.java_regex import expressions

VITESS = "vitess"
TOPIC_PREFIX = "vitess"
# The connector's `snapshot.mode` that starts with a copy of what is there; its default.
COPYING = "initial"
# The position from which everything is streamed that happens from now on.
CURRENT = "current"
UNSUPPORTED = frozenset({ColumnKind.BIT, ColumnKind.VECTOR})


def vitess_source() -> Source:
    """Return a Vitess keyspace with a connector that follows it."""
    return Source(VITESS, simulate, stream)


def simulate(log: ChangeLog, config: SourceConfig) -> SourceOutput:
    """Simulate a keyspace; it is the scenario's database, or the one that the settings name."""
    over, keys = keyspace_of(config)
    _check_start(log, config, copies=over.copies)
    streamed = followed(log, over, config.databases, keys)
    found = connector_settings(config, over.keyspace)
    return SourceOutput(streamed.responses, streamed.rows, found, topic=str(found["topic.prefix"]))


def stream(changes: Iterable[Change], config: SourceConfig) -> SourceStream:
    """Simulate a keyspace for changes that come one by one."""
    over, keys = keyspace_of(config)
    cluster = Cluster(over, config.databases, keys, meant=False)
    return SourceStream(_responses(cluster, changes), connector_settings(config, over.keyspace))


def _responses(cluster: Cluster, changes: Iterable[Change]) -> Iterator[Any]:
    yield from cluster.responses  # the end of an empty copy comes before any change
    cluster.responses.clear()
    for _ in replayed(cluster, changes):
        yield from cluster.responses
        cluster.responses.clear()


def keyspace_of(config: SourceConfig) -> tuple[Topology, Keys]:
    """Return the keyspace that a config names, and the columns that its connector keys by."""
    keyspace = str(config.settings.get("vitess.keyspace", config.databases[0]))
    if keyspace not in config.databases:
        raise UsageError(
            f"vitess.keyspace {keyspace!r} is not one of the scenario's databases",
            expected="one of " + ", ".join(config.databases),
        )
    vindexes = {
        TableId(keyspace, name.partition(".")[2]): Vindex(column, kind)
        for name, (column, kind) in config.vindexes.items()
        if name.partition(".")[0] == keyspace
    }
    shards = list(dict.fromkeys((*config.shards, *chain(*config.resharded.values()))))
    keys = message_keys(
        str(config.settings.get("message.key.columns", "")), key_ordinals, shards, sent
    )
    copies = str(config.settings.get("snapshot.mode", COPYING)).strip().lower() == COPYING
    over = replace(
        topology(keyspace, config.shards, vindexes),
        copied_after=config.copied_after,
        copies=copies,
        tasks=_tasks(config),
        starts=_starts(config, copies=copies),
        followed=_followed(config),
        stops_at_reshard=_flag(config, "vitess.stop_on_reshard"),
        listed=_listed(str(config.settings.get("table.include.list") or ""), keyspace),
        failovers=config.failovers,
        lasting=config.lasting,
        resharded={
            name: topology(keyspace, shards, vindexes) for name, shards in config.resharded.items()
        },
    )
    return over, keys if _flag(config, "include.unknown.datatypes") else _supported(keys)


def _supported(keys: Keys) -> Keys:
    """Return keys without columns whose type the connector does not support, as it makes them.

    A key of these alone stays what it is: no row can be found by what is left of it.
    Source: C:relational/TableSchemaBuilder.java addField.
    """

    def left(table: Table) -> tuple[int, ...]:
        found = keys(table)
        return tuple(n for n in found if table.columns[n].kind not in UNSUPPORTED) or found

    return left


def _listed(text: str, keyspace: str) -> Callable[[str], bool] | None:
    """Return whether an include list names a table of a keyspace, None where there is no list.

    Raises UsageError for what is no list of expressions.
    """
    try:
        names = expressions(text)
    except re.error as error:
        raise UsageError(
            f"table.include.list cannot be {text!r}: {error}",
            expected="regular expressions of Java with commas between",
        ) from error
    if not names:
        return None
    return lambda table: any(name.fullmatch(f"{keyspace}.{table}") for name in names)


def _flag(config: SourceConfig, name: str) -> bool:
    return str(config.settings.get(name)).lower() == "true"


def _tasks(config: SourceConfig) -> int:
    """Return how many tasks may have streams of their own, 0 for one stream over all shards."""
    if not _flag(config, "vitess.offset.storage.per.task"):
        return 0
    number = str(config.settings.get("tasks.max", 1))
    return max(int(number), 1) if number.isdecimal() else 1


def _starts(config: SourceConfig, *, copies: bool) -> Mapping[str, str]:
    """Return the GTID set behind which each shard starts; those that start now are left out.

    A connector that copies first starts from no position, whatever it is given; what it would
    refuse is refused all the same. It looks at `vitess.gtid` no further.

    Source: V:VitessConnectorConfig.java VGTID, GTID, getVgtid, validateVgtids;
    V:connection/VitessReplicationConnection.java startStreaming (from 1-61, 1-62 is the first).
    """
    for name in ("vitess.vgtid", "vitess.gtid"):
        given = str(config.settings.get(name) or CURRENT)
        if given != CURRENT and not config.settings.get("vitess.shard"):
            raise UsageError(
                f"`{name}` without `vitess.shard`: the connector refuses its configuration: "
                "If GTIDs are specified, there must be shards specified",
                expected=f"`vitess.shard` with the shards that `{name}` names",
            )
    text = str(config.settings.get("vitess.vgtid") or CURRENT)
    if copies or text == CURRENT:
        return {}
    try:
        return {
            str(entry["shard"]): str(entry["gtid"])
            for entry in json.loads(text)
            if entry["gtid"] != CURRENT
        }
    except (ValueError, TypeError, KeyError) as error:
        raise UsageError(
            f"`vitess.vgtid` is no VGTID: {text!r}",
            expected='[{"keyspace":"shop","shard":"0","gtid":"MySQL56/…:1-3"}]',
        ) from error


def _followed(config: SourceConfig) -> tuple[str, ...]:
    """Return the shards that `vitess.shard` lists, which the keyspace must have."""
    listed = str(config.settings.get("vitess.shard") or "")
    names = tuple(filter(None, listed.split(",")))
    for name in names:
        if name not in config.shards:
            raise UsageError(
                f"`vitess.shard` names {name!r}, which the keyspace does not have",
                expected="one of " + ", ".join(config.shards),
            )
    return names


def connector_settings(config: SourceConfig, keyspace: str) -> Settings:
    """Return a config's settings, completed by what only the keyspace knows."""
    return {
        "topic.prefix": TOPIC_PREFIX,
        "vitess.shard": ",".join(config.shards),
        # Connect creates topics with this many partitions; the producer hashes keys over them.
        "topic.creation.default.partitions": config.partitions,
        **config.settings,
        "vitess.keyspace": keyspace,
    }


def _check_start(log: ChangeLog, config: SourceConfig, *, copies: bool) -> None:
    """Refuse names of no transaction, and a copy where the connector makes none."""
    names = [change.name for change in log.changes if isinstance(change, Transaction)]
    for name in (config.copied_after, *config.resharded, *config.failovers, *config.lasting):
        if name is not None and name not in names:
            raise UsageError(
                f"`keyspace` names transaction {name!r}, which does not exist",
                expected="one of " + ", ".join(names),
            )
    if config.broken_off is not None:
        raise UsageError(
            "`keyspace` breaks a copy off, which a Vitess connector does not begin anew",
            expected="`copied-after` alone: it goes on with the copy behind the last key it stored",
        )
    if config.copied_after is not None and not copies:
        raise UsageError(
            "a copy needs `snapshot.mode: initial`, the connector's default",
            hint="leave `snapshot.mode` out, or `copied-after`",
        )
