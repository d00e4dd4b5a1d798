"""Kafka's client properties in two dialects: librdkafka's, and the Java client's.

Setting librdkafka's properties also sets Java's. What means the same is translated by the
table; what exists in librdkafka only (threads, queues, timeouts of its own) is left out, because
the Java client would warn about it or, worse, take another meaning from it.
Sources: librdkafka's CONFIGURATION.md; Apache Kafka, §Consumer Configs, §Security.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from harness.errors import SetupError

Properties = Mapping[str, str]

# The same name and the same values in both.
SAME = (
    "bootstrap.servers",
    "check.crcs",
    "client.dns.lookup",
    "client.id",
    "client.rack",
    "connections.max.idle.ms",
    "fetch.max.bytes",
    "fetch.min.bytes",
    "heartbeat.interval.ms",
    "isolation.level",
    "max.poll.interval.ms",
    "metadata.max.age.ms",
    "reconnect.backoff.max.ms",
    "reconnect.backoff.ms",
    "retry.backoff.max.ms",
    "retry.backoff.ms",
    "sasl.kerberos.service.name",
    "session.timeout.ms",
    "socket.connection.setup.timeout.ms",
    "ssl.key.password",
)
# librdkafka's name -> Java's, the value unchanged.
RENAMED: Mapping[str, str] = {
    "metadata.broker.list": "bootstrap.servers",
    "sasl.mechanisms": "sasl.mechanism",
    "sasl.mechanism": "sasl.mechanism",
    "fetch.wait.max.ms": "fetch.max.wait.ms",
    "max.partition.fetch.bytes": "max.partition.fetch.bytes",
    "fetch.message.max.bytes": "max.partition.fetch.bytes",
    "sasl.oauthbearer.token.endpoint.url": "sasl.oauthbearer.token.endpoint.url",
    "ssl.keystore.password": "ssl.keystore.password",
    "socket.send.buffer.bytes": "send.buffer.bytes",
    "socket.receive.buffer.bytes": "receive.buffer.bytes",
}
# Known to librdkafka, and meant for it alone or translated together with others below.
OTHER = (
    "security.protocol",
    "sasl.username",
    "sasl.password",
    "sasl.kerberos.principal",
    "sasl.kerberos.keytab",
    "sasl.kerberos.kinit.cmd",
    "sasl.oauthbearer.client.id",
    "sasl.oauthbearer.client.secret",
    "sasl.oauthbearer.config",
    "sasl.oauthbearer.extensions",
    "sasl.oauthbearer.method",
    "sasl.oauthbearer.scope",
    "ssl.ca.location",
    "ssl.ca.pem",
    "ssl.certificate.location",
    "ssl.certificate.pem",
    "ssl.cipher.suites",
    "ssl.crl.location",
    "ssl.curves.list",
    "ssl.endpoint.identification.algorithm",
    "ssl.key.location",
    "ssl.key.pem",
    "ssl.keystore.location",
    "ssl.sigalgs.list",
    "enable.ssl.certificate.verification",
    "api.version.request",
    "broker.address.family",
    "broker.address.ttl",
    "broker.version.fallback",
    "debug",
    "log_level",
    "message.max.bytes",
    "receive.message.max.bytes",
    "request.timeout.ms",
    "socket.keepalive.enable",
    "socket.nagle.disable",
    "socket.timeout.ms",
    "statistics.interval.ms",
)
PROPERTIES: tuple[str, ...] = (*SAME, *RENAMED, *OTHER)

LOGIN = "org.apache.kafka.common.security"
JAAS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    # mechanism -> login module, and its options by librdkafka's property
    "PLAIN": (
        f"{LOGIN}.plain.PlainLoginModule",
        {"username": "sasl.username", "password": "sasl.password"},
    ),
    "SCRAM-SHA-256": (
        f"{LOGIN}.scram.ScramLoginModule",
        {"username": "sasl.username", "password": "sasl.password"},
    ),
    "SCRAM-SHA-512": (
        f"{LOGIN}.scram.ScramLoginModule",
        {"username": "sasl.username", "password": "sasl.password"},
    ),
    "GSSAPI": (
        "com.sun.security.auth.module.Krb5LoginModule",
        {"principal": "sasl.kerberos.principal", "keyTab": "sasl.kerberos.keytab"},
    ),
    "OAUTHBEARER": (
        f"{LOGIN}.oauthbearer.OAuthBearerLoginModule",
        {
            "clientId": "sasl.oauthbearer.client.id",
            "clientSecret": "sasl.oauthbearer.client.secret",
            "scope": "sasl.oauthbearer.scope",
        },
    ),
}
KEYTAB = {"useKeyTab": "true", "storeKey": "true"}
OAUTH_HANDLER = f"{LOGIN}.oauthbearer.OAuthBearerLoginCallbackHandler"


def java_properties(client: Properties) -> dict[str, str]:
    """Return the same client for Java; raises SetupError when a file named there is unreadable."""
    java = {name: client[name] for name in SAME if name in client}
    java |= {RENAMED[name]: client[name] for name in RENAMED if name in client}
    java["security.protocol"] = client.get("security.protocol", "PLAINTEXT").upper()
    if java["security.protocol"].startswith("SASL"):
        java |= _sasl(client, java.get("sasl.mechanism", "GSSAPI"))
    if java["security.protocol"].endswith("SSL"):
        java |= dict(_trust(client))
        java |= dict(_identity(client))
    return java


def _sasl(client: Properties, mechanism: str) -> Iterator[tuple[str, str]]:
    mechanism = mechanism.upper()
    yield "sasl.mechanism", mechanism
    if mechanism not in JAAS:
        return
    module, options = JAAS[mechanism]
    given = {name: client[source] for name, source in options.items() if client.get(source)}
    given |= KEYTAB if "keyTab" in given else {}
    words = [f'{name}="{_escaped(value)}"' for name, value in given.items()]
    yield "sasl.jaas.config", f"{' '.join([module, 'required', *words])};"
    if mechanism == "OAUTHBEARER":
        yield "sasl.login.callback.handler.class", OAUTH_HANDLER


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')


def _trust(client: Properties) -> Iterator[tuple[str, str]]:
    """Say whom Java trusts; without a word it is the JVM's own list."""
    if client.get("ssl.ca.location"):
        yield "ssl.truststore.type", "PEM"
        yield "ssl.truststore.location", str(Path(client["ssl.ca.location"]).absolute())
    if client.get("ssl.ca.pem"):
        yield "ssl.truststore.type", "PEM"
        yield "ssl.truststore.certificates", client["ssl.ca.pem"]
    named = client.get("ssl.endpoint.identification.algorithm")
    if named is not None:
        yield "ssl.endpoint.identification.algorithm", "" if named == "none" else named


def _identity(client: Properties) -> Iterator[tuple[str, str]]:
    """Say who we are: a PKCS#12 file under one name, or PEM texts, which Java takes inline."""
    if client.get("ssl.keystore.location"):
        yield "ssl.keystore.type", "PKCS12"
        yield "ssl.keystore.location", str(Path(client["ssl.keystore.location"]).absolute())
        return
    chain = _pem(client, "ssl.certificate")
    if chain:
        yield "ssl.keystore.type", "PEM"
        yield "ssl.keystore.certificate.chain", chain
        yield "ssl.keystore.key", _pem(client, "ssl.key")


def _pem(client: Properties, name: str) -> str:
    if client.get(f"{name}.pem"):
        return client[f"{name}.pem"]
    location = client.get(f"{name}.location")
    if not location:
        return ""
    try:
        return Path(location).read_text(encoding="ascii")
    except (OSError, ValueError) as error:
        raise SetupError(
            f"{name}.location: {location} cannot be read: {error}", expected="a PEM file"
        ) from error
