"""What a run leaves on systems that outlive it besides topics: consumer groups and subjects.

Only names that begin with the run's own are touched. What cannot be taken away is said, and breaks
no run: a group that has members goes with its offsets' retention.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from harness.engine.deliver.topics import CRITICAL, first_refusal
from harness.engine.run.context import RunContext
from harness.errors import SetupError
from harness.model.events import ServiceChanged
from harness.services import HttpRegistry, Kafka, Registry, Services

TIMEOUT_S = 5.0
MEMBERS_S = 10.0  # a client that was ended leaves its group within its session's timeout, or sooner
PAUSE_S = 0.5


@contextmanager
def taken_away(context: RunContext, services: Services) -> Generator[None]:
    """Take the run's groups and subjects away at its end, unless `topics.keep` asks for them."""
    try:
        yield
    finally:
        for name, words in _left(context, services).items():
            if words:
                context.bus.publish(ServiceChanged(name, "left", words))


def _left(context: RunContext, services: Services) -> Mapping[str, str]:
    found: dict[str, str] = {}
    if context.topics.keep:
        return found
    if services.kafka.shared:
        found["kafka"] = groups_left(services.kafka, context.group)
    outlives = context.source.settings.backend("registry") == "external"
    if services.has("registry") and (outlives or "registry" in context.source.warm):
        found["registry"] = subjects_left(services.registry, context.group)
    return found


def groups_left(kafka: Kafka, prefix: str) -> str:
    """Delete the groups that begin so; say what remains, "" for nothing."""
    conf: dict[str, Any] = {**kafka.client, "log_level": CRITICAL}
    admin: Any = AdminClient(conf)
    ends = time.monotonic() + MEMBERS_S
    try:
        while names := _groups(admin, prefix):
            problem = _deleted(admin, names)
            if not problem:
                break
            if time.monotonic() > ends:
                return f"keeps groups of this run ({prefix}…): {problem}"
            time.sleep(PAUSE_S)
    except KafkaException as error:
        return f"its groups of this run ({prefix}…) cannot be seen: {error.args[0].str()}"
    return ""


def _groups(admin: Any, prefix: str) -> Sequence[str]:  # noqa: ANN401 - the driver has no types
    listed: Any = admin.list_consumer_groups(request_timeout=TIMEOUT_S).result()
    return [str(one.group_id) for one in listed.valid if str(one.group_id).startswith(prefix)]


def _deleted(admin: Any, names: Sequence[str]) -> str:  # noqa: ANN401 - the driver has no types
    """Delete groups; return the first refusal."""
    return first_refusal(admin.delete_consumer_groups(list(names), request_timeout=TIMEOUT_S))


def subjects_left(registry: Registry, prefix: str) -> str:
    """Delete the subjects that begin so, in either spelling; say what remains, "" for nothing."""
    client = HttpRegistry(registry, patience_s=TIMEOUT_S)
    spellings = (prefix, prefix.replace(".", "_"))
    try:
        for subject in client.subjects():
            if subject.startswith(spellings):
                client.remove(subject)
    except SetupError as error:
        return f"keeps subjects of this run ({prefix}…): {error.what}"
    return ""
