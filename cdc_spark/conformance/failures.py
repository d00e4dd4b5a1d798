"""Spark's failures in our own words.

A person gets a sentence and where the rest is; stack traces stay in the log. What we raised
ourselves, on an executor or in a micro-batch, comes out as it was raised. A table has the other
causes that are known, with topic, partition and offsets where Kafka's client names them; everything
else is reported by its first line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from cdc_spark.errors import CdcSparkError, InternalError, SetupError, error_of

LOST = "messages of the job are gone from Kafka"
_RETENTION = "check the topics' retention; what is lost has to be loaded from its source again"
# What an exception's text holds -> what it means and what to do.
KNOWN: Mapping[str, tuple[str, str]] = {
    "UnknownTopicOrPartition": ("a topic of the job does not exist", "fill the topics first"),
    "OffsetOutOfRange": (LOST, _RETENTION),
    "data was lost": (LOST, _RETENTION),
    "end offset should have lower or equal": (
        "a topic ends before what the checkpoint has read of it",
        "it lost messages, or was deleted and made again: begin with an empty work directory",
    ),
    "should provide the same topic partitions": (
        "the checkpoint is of another job",
        "give each job a work directory of its own",
    ),
    "data may have been": (LOST, _RETENTION),
    "KAFKA_DATA_LOSS": (LOST, _RETENTION),
    # A stream's thread that is at work still when the deadline ends the wait for it.
    "failed to stop within": (
        "the work was not done by the deadline",
        "give it more time (--deadline), or fewer changefeeds in a start",
    ),
    "No resolvable bootstrap": ("Kafka's address cannot be resolved", "check bootstrap.servers"),
    "Timed out waiting for a node": ("Kafka does not answer", "check that it is up"),
    "TimeoutException": ("Kafka does not answer in time", "check that it is up"),
    "DisconnectException": ("Kafka went away", "check that it is up"),
    "AuthenticationException": ("Kafka refuses our credentials", "check the client properties"),
    "No space left": ("the disk is full", "make room in the work directory"),
    "OutOfMemoryError": ("Java's memory is not enough", "give the job fewer changefeeds"),
}
# How Kafka's client and Spark's source say which partition and which offsets.
_PLACES = (
    re.compile(
        r"[Pp]artition (?P<at>\S+?)(?:'s)? offset was changed from (?P<from>\d+) to (?P<now>\d+)"
    ),
    re.compile(r"offset \[(?P<from>\d+), \d+\) for topic partition (?P<at>\S+)"),
    re.compile(r"offset (?P<from>\d+) \(GroupId: .*?TopicPartition: (?P<at>[^)\s]+)\)"),
    re.compile(r"offset=(?P<from>\d+).*? is out of range for partition (?P<at>\S+)"),
)
_PYTHON = "PythonException"


def explained(error: Exception, log: Path) -> CdcSparkError:
    """Return a failure of Spark as one of ours; `log` is where Java wrote the rest."""
    text = str(error)
    where = f"{log} has the whole of it"
    ours = error_of(error)
    if ours is not None:
        return type(ours)(
            ours.what, expected=ours.expected, hint="; ".join(filter(None, (ours.hint, where)))
        )
    for sign, (meaning, hint) in KNOWN.items():
        if sign in text:
            return SetupError(f"{meaning}{_place(text)}", hint=f"{hint}; {where}")
    if _PYTHON in text:
        return InternalError(f"the Spark consumer failed: {_last_python_line(text)}; {where}")
    first = text.strip().splitlines()[0] if text.strip() else type(error).__name__
    return SetupError(f"Spark failed: {first[:300]}", hint=where)


def _place(text: str) -> str:
    """Return topic, partition and offset in words, "" where the text has none."""
    for pattern in _PLACES:
        found = pattern.search(text)
        if found is not None:
            topic, _, partition = found["at"].strip(".,").rpartition("-")
            now = found.groupdict().get("now")
            beyond = "" if now is None else f", the nearest that is there is {now}"
            return f": topic {topic}, partition {partition}, offset {found['from']}{beyond}"
    return ""


def _last_python_line(text: str) -> str:
    """Return the exception's own line, the last before Java's frames."""
    lines = text.splitlines()
    java = next((at for at, line in enumerate(lines) if line.startswith("\tat ")), len(lines))
    said = [line for line in lines[:java] if line.strip()]
    return said[-1][:300] if said else text[:300]
