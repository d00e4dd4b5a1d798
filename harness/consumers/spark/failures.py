"""Spark's failures in our own words.

Law: a person gets a sentence and where the rest is; stack traces stay in the log. A table tells the
causes that are known, everything else is told by its first line.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from harness.consumers.spark.registry import AWAY
from harness.errors import HarnessBug, HarnessError, SetupError

# What an exception's text holds -> what it means and what to do.
KNOWN: Mapping[str, tuple[str, str]] = {
    "UnknownTopicOrPartition": ("a topic of the job does not exist", "fill the topics first"),
    "OffsetOutOfRange": ("messages of the job are gone from Kafka", "check the topics' retention"),
    "data was lost": ("messages of the job are gone from Kafka", "check the topics' retention"),
    "No resolvable bootstrap": ("Kafka's address cannot be resolved", "check bootstrap.servers"),
    "Timed out waiting for a node": ("Kafka does not answer", "check that it is up"),
    "TimeoutException": ("Kafka does not answer in time", "check that it is up"),
    "DisconnectException": ("Kafka went away", "check that it is up"),
    "AuthenticationException": ("Kafka refuses our credentials", "check the client properties"),
    AWAY: ("the schema registry does not answer", "check that it is up, and its address"),
    "No space left": ("the disk is full", "make room in the work directory"),
    "OutOfMemoryError": ("Java's memory is not enough", "give the job fewer changefeeds"),
}
_PYTHON = "PythonException"


def explained(error: Exception, log: Path) -> HarnessError:
    """Return a failure of Spark as one of ours; `log` is where Java wrote the rest."""
    text = str(error)
    where = f"{log} has the whole of it"
    for sign, (meaning, hint) in KNOWN.items():
        if sign in text:
            return SetupError(meaning, hint=f"{hint}; {where}")
    if _PYTHON in text:
        return HarnessBug(f"the Spark consumer failed: {_last_python_line(text)}; {where}")
    first = text.strip().splitlines()[0] if text.strip() else type(error).__name__
    return SetupError(f"Spark failed: {first[:300]}", hint=where)


def _last_python_line(text: str) -> str:
    """Return the exception's own line, the last before Java's frames."""
    lines = text.splitlines()
    java = next((at for at, line in enumerate(lines) if line.startswith("\tat ")), len(lines))
    said = [line for line in lines[:java] if line.strip()]
    return said[-1][:300] if said else text[:300]
