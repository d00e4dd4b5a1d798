"""A real broker that asks who you are, in each way that clients can say it; rights by user."""

from __future__ import annotations

import base64
import json
import subprocess
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.admin import (
    AdminClient,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)

from harness.services import Services, find_java, start
from harness.services.embedded import kafka
from harness.services.ports import HOST, free_ports

PASSWORDS = {"admin": "admin-Pa55", "reader": "reader-Pa55", "scrammed": "scrammed-Pa55"}
STORE = "keystore-Pa55"
SECRET = "client-Secr3t"
SCRAM: Mapping[str, Any] = {
    "SCRAM-SHA-256": ScramMechanism.SCRAM_SHA_256,
    "SCRAM-SHA-512": ScramMechanism.SCRAM_SHA_512,
}
MECHANISMS = ("PLAIN", *SCRAM, "OAUTHBEARER")


@dataclass(frozen=True, slots=True)
class Protected:
    """Where it listens: with SASL as it is, with SASL over TLS, with the client's certificate.

    `token_url` is where OAUTHBEARER's tokens come from; `identity` is the client's certificate and
    key in one PKCS#12 file, and as PEM files beside it.
    """

    services: Services
    sasl: str
    tls: str
    mutual: str
    ca: Path
    identity: Path
    token_url: str

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

    def client_by(self, way: str, *, wrong: bool = False) -> dict[str, str]:
        """Return the settings of a client by one of `WAYS`; `wrong` has another secret."""
        return WAYS[way](self, wrong)

    def oauth(self, wrong: bool) -> dict[str, str]:  # noqa: FBT001 - as in the table
        """Return a client's settings that fetches a token for its id and secret."""
        client = {
            "bootstrap.servers": self.sasl,
            "security.protocol": "SASL_PLAINTEXT",
            "sasl.mechanism": "OAUTHBEARER",
            "sasl.oauthbearer.method": "oidc",
            "sasl.oauthbearer.client.id": "admin",
            "sasl.oauthbearer.client.secret": "wrong-Secr3t" if wrong else SECRET,
            "sasl.oauthbearer.scope": "harness",
            "sasl.oauthbearer.token.endpoint.url": self.token_url,
        }
        return {f"kafka.{name}": value for name, value in client.items()}

    def certificate(self, wrong: bool, *, pem: bool = False) -> dict[str, str]:  # noqa: FBT001
        """Return a client's settings that has a certificate of its own; `wrong` has none."""
        client = {
            "bootstrap.servers": self.mutual,
            "security.protocol": "SSL",
            "ssl.ca.location": str(self.ca),
        }
        if pem and not wrong:
            client["ssl.certificate.location"] = str(self.identity.with_suffix(".crt"))
            client["ssl.key.location"] = str(self.identity.with_suffix(".key"))
        elif not wrong:
            client |= {
                "ssl.keystore.location": str(self.identity),
                "ssl.keystore.password": STORE,
            }
        return {f"kafka.{name}": value for name, value in client.items()}


def _by_password(mechanism: str, *, tls: bool) -> Callable[[Protected, bool], dict[str, str]]:
    def client(broker: Protected, wrong: bool) -> dict[str, str]:  # noqa: FBT001
        user = "scrammed" if mechanism in SCRAM else "admin"
        more = {"sasl_password": "wrong-Pa55"} if wrong else {}
        return broker.client(user, tls=tls, sasl_mechanism=mechanism, **more)

    return client


# How a client says who it is -> its settings, by whether its secret is wrong.
WAYS: Mapping[str, Callable[[Protected, bool], dict[str, str]]] = {
    "plain": _by_password("PLAIN", tls=False),
    "plain-tls": _by_password("PLAIN", tls=True),
    "scram-256": _by_password("SCRAM-SHA-256", tls=False),
    "scram-512-tls": _by_password("SCRAM-SHA-512", tls=True),
    "oauthbearer": Protected.oauth,
    "certificate": Protected.certificate,
    "certificate-pem": lambda broker, wrong: broker.certificate(wrong, pem=True),
}


@contextmanager
def protected_kafka(directory: Path) -> Generator[Protected]:
    """Start the embedded broker with three more listeners and an authorizer."""
    keystore, ca = _certificate(directory, "broker")
    identity, known = _certificate(directory, "client")
    ports = free_ports(3)
    plain = kafka._properties

    def properties(own: Sequence[int], log_dir: Path) -> str:
        extra = {**_listeners(own, ports), **_rights(), **_tls(keystore, known)}
        return plain(own, log_dir) + "".join(f"{name}={value}\n" for name, value in extra.items())

    with pytest.MonkeyPatch.context() as patch, _tokens() as token_url:
        patch.setattr(kafka, "_properties", properties)
        with start(["kafka"], run_dir=directory / "run", on_event=lambda _: None) as services:
            _scram(services.kafka.client)
            places = [f"{HOST}:{port}" for port in ports]
            yield Protected(services, *places, ca, identity, token_url)


def _listeners(own: Sequence[int], ports: Sequence[int]) -> Mapping[str, str]:
    names = dict(zip(("BROKER", "SASL", "TLS", "MUTUAL"), (own[0], *ports), strict=True))
    texts = [f"{name}://{HOST}:{port}" for name, port in names.items()]
    users = " ".join(f'user_{name}="{word}"' for name, word in PASSWORDS.items())
    login = "org.apache.kafka.common.security"
    jaas = {
        "PLAIN": f"{login}.plain.PlainLoginModule required {users};",
        **dict.fromkeys(SCRAM, f"{login}.scram.ScramLoginModule required;"),
        "OAUTHBEARER": f"{login}.oauthbearer.OAuthBearerLoginModule required"
        ' unsecuredLoginStringClaim_sub="admin";',
    }
    return {
        "listeners": ",".join([*texts, f"CONTROLLER://{HOST}:{own[1]}"]),
        "advertised.listeners": ",".join(texts),
        "listener.security.protocol.map": "BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT,"
        "SASL:SASL_PLAINTEXT,TLS:SASL_SSL,MUTUAL:SSL",
        "sasl.enabled.mechanisms": ",".join(MECHANISMS),
        "listener.name.mutual.ssl.client.auth": "required",
        **{
            f"listener.name.{listener}.{mechanism.lower()}.sasl.jaas.config": text
            for listener in ("sasl", "tls")
            for mechanism, text in jaas.items()
        },
    }


def _rights() -> Mapping[str, str]:
    users = ("ANONYMOUS", "admin", "scrammed", "CN=client")
    return {
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": ";".join(f"User:{user}" for user in users),
    }


def _tls(keystore: Path, known: Path) -> Mapping[str, str]:
    return {
        "ssl.keystore.type": "PKCS12",
        "ssl.keystore.location": str(keystore),
        "ssl.keystore.password": STORE,
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(known),
    }


def _scram(client: Mapping[str, str]) -> None:
    """Give the user of SCRAM a password under each mechanism."""
    admin: Any = AdminClient(dict(client))
    word = PASSWORDS["scrammed"].encode()
    for mechanism in SCRAM.values():
        wanted = UserScramCredentialUpsertion(
            "scrammed", ScramCredentialInfo(mechanism, 4096), word
        )
        for future in admin.alter_user_scram_credentials([wanted]).values():
            future.result(60)


@contextmanager
def _tokens() -> Generator[str]:
    """Serve tokens to whoever has the secret; yield the address. Nobody signs them."""

    class Tokens(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            """Answer a request for a token by client credentials, as RFC 6749 §4.4 has it."""
            self.rfile.read(int(self.headers["Content-Length"]))
            account = base64.b64encode(f"admin:{SECRET}".encode()).decode()
            known = self.headers.get("Authorization") == f"Basic {account}"
            body = {"access_token": _token()} if known else {"error": "invalid_client"}
            answer = json.dumps({**body, "token_type": "Bearer", "expires_in": 3600}).encode()
            self.send_response(200 if known else 401)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as there
            """Say nothing."""

    server = ThreadingHTTPServer((HOST, 0), Tokens)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://{HOST}:{server.server_address[1]}/token"
    server.shutdown()
    server.server_close()


def _token() -> str:
    """Return a token without signature, which Kafka's default validator takes."""
    now = int(time.time())
    claims = {"sub": "admin", "scope": "harness", "iat": now, "exp": now + 3600}
    parts = [json.dumps(part).encode() for part in ({"alg": "none"}, claims)]
    words = [base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts]
    return ".".join([*words, ""])


def _certificate(directory: Path, name: str) -> tuple[Path, Path]:
    """Make a key and its own certificate; return both as PKCS#12, and the certificate as PEM.

    The key as PEM stands beside them, as `name.key`.
    """
    keystore, certificate = directory / f"{name}.p12", directory / f"{name}.crt"
    tool = str(find_java("kafka").home / "bin" / "keytool")
    store = ["-alias", name, "-keystore", str(keystore), "-storepass", STORE]
    subprocess.run(
        [
            *(tool, "-genkeypair", *store, "-storetype", "PKCS12", "-keyalg", "EC"),
            *("-dname", f"CN={name}", "-ext", f"san=ip:{HOST},dns:localhost", "-validity", "2"),
        ],
        check=True,
        capture_output=True,
    )
    subprocess.run(
        [tool, "-exportcert", "-rfc", *store, "-file", str(certificate)],
        check=True,
        capture_output=True,
    )
    _key_as_pem(keystore, name)
    return keystore, certificate


KEY_OUT = """
import java.io.*; import java.security.*; import java.util.*;
public class KeyOut {
  public static void main(String[] a) throws Exception {
    KeyStore store = KeyStore.getInstance(new File(a[0]), a[2].toCharArray());
    byte[] key = store.getKey(a[1], a[2].toCharArray()).getEncoded();
    System.out.println("-----BEGIN PRIVATE KEY-----");
    System.out.println(Base64.getMimeEncoder(64, "\\n".getBytes()).encodeToString(key));
    System.out.println("-----END PRIVATE KEY-----");
  }
}
"""


def _key_as_pem(keystore: Path, name: str) -> None:
    """Write the key as PEM where Java has a compiler; keytool exports none."""
    java = find_java("kafka")
    if "jdk.compiler" not in (java.home / "release").read_text(encoding="utf-8"):
        return
    source = keystore.with_name("KeyOut.java")
    source.write_text(KEY_OUT, encoding="utf-8")
    done = subprocess.run(
        [str(java.executable), str(source), str(keystore), name, STORE],
        check=True,
        capture_output=True,
        text=True,
    )
    keystore.with_suffix(".key").write_text(done.stdout, encoding="ascii")
