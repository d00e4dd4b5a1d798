"""What was sent to somebody's own topics, as lines and as JSON, with commands that read it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.engine.deliver.production import Account, Filled, FilledPartition
from harness.errors import plural

FORMAT = r"%t/%p@%o %k => %s\n"


@dataclass(frozen=True, slots=True)
class Reader:
    """How topics are read with kcat: where they are, and what its properties are taken from."""

    bootstrap: str
    properties: Path | None = None
    registry: str = ""

    def commands(self, filled: Filled) -> Iterator[str]:
        """Yield a command line for each topic; for each partition when they do not start at 0."""
        topics: dict[str, list[FilledPartition]] = {}
        for part in filled.partitions:
            topics.setdefault(part.topic, []).append(part)
        for topic, parts in topics.items():
            if all(part.first == 0 for part in parts):
                yield self._command(topic, "-o", "beginning", "-e")
                continue
            for part in parts:
                words = ("-p", str(part.partition), "-o", str(part.first), "-c", str(part.records))
                yield self._command(topic, *words)

    def _command(self, topic: str, *words: str) -> str:
        config = ("-F", str(self.properties)) if self.properties else ()
        schemas = ("-s", "avro", "-r", self.registry) if self.registry else ()
        where = ("-b", self.bootstrap, "-C", "-t", topic)
        return shlex.join(["kcat", *config, *where, *words, *schemas, "-f", FORMAT])


def document(account: Account, consume: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return an account as JSON data; `consume` has the commands by case."""
    return {
        "interrupted": account.interrupted,
        "created": list(account.made),
        "withdrawn": list(account.withdrawn),
        "cases": [
            {
                "case": one.case,
                "records": one.records,
                "of": one.wanted,
                "partitions": [
                    {
                        "topic": part.topic,
                        "canonical": part.canonical,
                        "partition": part.partition,
                        "first": part.first,
                        "next": part.next,
                        "records": part.records,
                    }
                    for part in one.partitions
                ],
                "consume": list(consume.get(one.case, ())),
            }
            for one in account.filled
        ],
    }


def lines(account: Account, consume: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield an account as a person reads it."""
    for one in account.filled:
        yield f"{one.case}: {one.records} of {plural(one.wanted, 'record')} sent"
        width = max((len(part.topic) for part in one.partitions), default=0)
        for part in one.partitions:
            made = "  (topic made)" if part.topic in account.made else ""
            span = f"offsets {part.first}-{part.next - 1}"
            place = f"{part.topic:{width}}/{part.partition}"
            yield f"    {place}  {span:18} {part.records:6} records{made}"
    commands = [command for one in account.filled for command in consume.get(one.case, ())]
    if commands:
        yield "read them with:"
        yield from (f"    {command}" for command in commands)
    if account.withdrawn:
        yield f"nothing arrived, so the topics made for it are gone: {', '.join(account.withdrawn)}"
    if account.interrupted:
        yield "interrupted: what is listed arrived, nothing else will"
