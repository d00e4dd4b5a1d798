"""Somebody's Kafka: any librdkafka property, and a reason for whatever does not work.

The answer comes within ten seconds. librdkafka reports why it cannot connect only through its
error callback, so that is what we listen to while we wait.
"""

from __future__ import annotations

import difflib
import logging
import time
from collections.abc import Mapping, Sequence
from typing import Any

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient

from harness.errors import SetupError, UsageError
from harness.services.dialects import PROPERTIES
from harness.services.external.reached import Reached, refusal
from harness.services.launch import Startup
from harness.services.service import Kafka
from harness.services.settings import KAFKA, Settings, redacted

DEADLINE_S = 9.0
POLL_S = 0.5
GIVE_UP_AFTER = 8  # librdkafka tries again on its own; a broker that restarts is let off by that
SILENT = logging.Logger("librdkafka")  # noqa: LOG001 - one that nobody hears, not the root's child
SILENT.addHandler(logging.NullHandler())

# librdkafka's error -> what it means to a person, and the next step; the most specific come first.
MEANINGS: Mapping[int, tuple[str, str]] = {
    KafkaError._AUTHENTICATION: (  # noqa: SLF001 - that is its public name
        "refuses who we are",
        "check sasl.mechanism, sasl.username and sasl.password, and that the broker has that user",
    ),
    KafkaError._SSL: (  # noqa: SLF001
        "does not come to terms over TLS",
        "name its certificate authority with ssl.ca.location; the port must speak TLS",
    ),
    KafkaError._RESOLVE: (  # noqa: SLF001
        "has a name that does not resolve",
        "check bootstrap.servers for a typing mistake, and the DNS of this machine",
    ),
    KafkaError._TRANSPORT: (  # noqa: SLF001
        "cannot be reached",
        "check that it runs, host and port, and that the port speaks this security.protocol",
    ),
}
SILENCE = (
    "gives no answer that we understand",
    "check host, port and firewalls, and whether this port speaks TLS (security.protocol)",
)
FINAL = frozenset({KafkaError._AUTHENTICATION, KafkaError._SSL, KafkaError._RESOLVE})  # noqa: SLF001


def start(startup: Startup) -> Reached:
    """Return the cluster of the settings once it has answered; raises SetupError, UsageError."""
    kafka = address(startup.settings)
    startup.report("starting", f"looking for {kafka.bootstrap}")
    brokers = probe(kafka.client, startup.settings)
    return Reached("kafka", kafka, brokers)


def address(settings: Settings) -> Kafka:
    """Return the cluster that the settings name."""
    properties = settings.kafka()
    return Kafka(properties.pop("bootstrap.servers"), properties, shared=True)


def probe(client: Mapping[str, str], settings: Settings) -> Sequence[tuple[str, int]]:
    """Return host and port of every broker; raises SetupError with the cause."""
    errors: list[KafkaError] = []
    answers: list[KafkaError] = []  # less specific: "Broker transport failure", whatever the cause
    admin = _client(client, settings, errors)
    deadline = time.monotonic() + DEADLINE_S
    while True:
        try:
            metadata = admin.list_topics(timeout=POLL_S)
            break
        except KafkaException as error:
            answers.append(error.args[0])
        admin.poll(0)
        codes = {_code(error) for error in errors}
        refused = "refused" in " ".join(str(error) for error in errors)
        hopeless = refused or len(errors) >= GIVE_UP_AFTER
        if codes & FINAL or hopeless or time.monotonic() > deadline:
            raise _unusable(client, errors or answers)
    brokers = [(one.host, one.port) for one in metadata.brokers.values()]
    _advertised(client, brokers)
    return brokers


def _client(client: Mapping[str, str], settings: Settings, errors: list[KafkaError]) -> Any:  # noqa: ANN401
    try:
        conf: dict[str, Any] = {**client, "error_cb": errors.append}
        return AdminClient(conf, logger=SILENT)
    except KafkaException as error:
        text = str(error.args[0].str())
        named = [name for name in client if f'"{name}"' in text or f"`{name}`" in text]
        named = named or [name for name in client if name in text]
        close = difflib.get_close_matches(named[0], PROPERTIES, n=1) if named else []
        source = settings.source(KAFKA + named[0]) if named else "the Kafka settings"
        raise UsageError(
            f"{source}: librdkafka does not take it: {text}",
            expected="properties of librdkafka's CONFIGURATION.md",
            hint=f"did you mean {close[0]!r}?" if close and close[0] != named[0] else "",
        ) from error


def _code(error: KafkaError) -> int:
    """Return librdkafka's code: what OpenSSL refuses is now and then given as lost transport."""
    code: int = KafkaError._SSL if "SSL routines:" in error.str() else error.code()  # noqa: SLF001
    return code


def _unusable(client: Mapping[str, str], errors: Sequence[KafkaError]) -> SetupError:
    codes = {_code(error): error for error in reversed(errors)}
    code = next((code for code in MEANINGS if code in codes), None)
    what, hint = MEANINGS[code] if code is not None else SILENCE
    named = codes[code].str() if code is not None else ""
    return SetupError(
        f"Kafka at {client['bootstrap.servers']} {what}{': ' if named else ''}{named}\n"
        f"    tried with: {redacted(client)}",
        hint=hint,
    )


def _advertised(client: Mapping[str, str], brokers: Sequence[tuple[str, int]]) -> None:
    """Refuse a cluster that answers, but sends clients to addresses that they cannot reach."""
    problem = next((problem for broker in brokers if (problem := refusal(*broker))), "")
    if problem:
        raise SetupError(
            f"Kafka at {client['bootstrap.servers']} answers, but the broker that it advertises"
            f" cannot be reached: {problem}\n    tried with: {redacted(client)}",
            expected="advertised.listeners that this machine can reach",
            hint="mend advertised.listeners on the broker, or name the listener meant for clients"
            " outside with bootstrap.servers",
        )
