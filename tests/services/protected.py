"""A real broker that asks who you are: PLAIN over plain text and over TLS, rights by user."""

from __future__ import annotations

import subprocess
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.services import Services, find_java, start
from harness.services.embedded import kafka
from harness.services.ports import HOST, free_ports

PASSWORDS = {"admin": "admin-Pa55", "reader": "reader-Pa55"}
STORE = "keystore-Pa55"


@dataclass(frozen=True, slots=True)
class Protected:
    """Where it listens: for anybody (on behalf of the test), with PLAIN, with PLAIN over TLS."""

    services: Services
    sasl: str
    tls: str
    ca: Path

    def client(self, user: str = "admin", *, tls: bool = False, **more: str) -> dict[str, str]:
        """Return the settings of a client, by their dotted names; `more` has _ for a point."""
        client = {
            "bootstrap.servers": self.tls if tls else self.sasl,
            "security.protocol": "SASL_SSL" if tls else "SASL_PLAINTEXT",
            "sasl.mechanism": "PLAIN",
            "sasl.username": user,
            "sasl.password": PASSWORDS.get(user, "unknown-Pa55"),
        }
        client |= {"ssl.ca.location": str(self.ca)} if tls else {}
        client |= {name.replace("_", "."): value for name, value in more.items()}
        return {f"kafka.{name}": value for name, value in client.items()}


@contextmanager
def protected_kafka(directory: Path) -> Generator[Protected]:
    """Start the embedded broker with two more listeners and an authorizer."""
    keystore, ca = _certificate(directory)
    ports = free_ports(2)
    plain = kafka._properties

    def properties(own: Sequence[int], log_dir: Path) -> str:
        extra = {**_listeners(own, ports), **_rights(), **_tls(keystore)}
        return plain(own, log_dir) + "".join(f"{name}={value}\n" for name, value in extra.items())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kafka, "_properties", properties)
        with start(["kafka"], run_dir=directory / "run", on_event=lambda _: None) as services:
            sasl, tls = (f"{HOST}:{port}" for port in ports)
            yield Protected(services, sasl, tls, ca)


def _listeners(own: Sequence[int], ports: Sequence[int]) -> Mapping[str, str]:
    names = {"BROKER": own[0], "SASL": ports[0], "TLS": ports[1]}
    texts = [f"{name}://{HOST}:{port}" for name, port in names.items()]
    users = " ".join(f'user_{name}="{word}"' for name, word in PASSWORDS.items())
    module = "org.apache.kafka.common.security.plain.PlainLoginModule required"
    jaas = f"{module} {users};"
    return {
        "listeners": ",".join([*texts, f"CONTROLLER://{HOST}:{own[1]}"]),
        "advertised.listeners": ",".join(texts),
        "listener.security.protocol.map": "BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT,"
        "SASL:SASL_PLAINTEXT,TLS:SASL_SSL",
        "sasl.enabled.mechanisms": "PLAIN",
        "listener.name.sasl.plain.sasl.jaas.config": jaas,
        "listener.name.tls.plain.sasl.jaas.config": jaas,
    }


def _rights() -> Mapping[str, str]:
    return {
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:ANONYMOUS;User:admin",
    }


def _tls(keystore: Path) -> Mapping[str, str]:
    return {
        "ssl.keystore.type": "PKCS12",
        "ssl.keystore.location": str(keystore),
        "ssl.keystore.password": STORE,
    }


def _certificate(directory: Path) -> tuple[Path, Path]:
    keystore, ca = directory / "broker.p12", directory / "ca.pem"
    tool = str(find_java("kafka").home / "bin" / "keytool")
    store = ["-alias", "broker", "-keystore", str(keystore), "-storepass", STORE]
    subprocess.run(
        [
            *(tool, "-genkeypair", *store, "-storetype", "PKCS12", "-keyalg", "EC"),
            *("-dname", "CN=localhost", "-ext", f"san=ip:{HOST},dns:localhost", "-validity", "2"),
        ],
        check=True,
        capture_output=True,
    )
    subprocess.run(
        [tool, "-exportcert", "-rfc", *store, "-file", str(ca)], check=True, capture_output=True
    )
    return keystore, ca
