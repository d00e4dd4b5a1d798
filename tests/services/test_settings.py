"""Settings: one order, nothing unknown, every value with where it came from, no secret shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import UsageError
from harness.services.dialects import PROPERTIES, java_properties
from harness.services.settings import (
    ADDRESS_OF,
    NAMES,
    SETTINGS,
    Setting,
    redacted,
    settings,
    variable_of,
)

# A value that each setting takes; the test below holds the table complete.
EXAMPLES = {
    "services": "container",
    "start.wait-seconds": "12.5",
    "topics.prefix": "team.cdc-",
    "topics.keep": "true",
    "kafka.count-fetches": "false",
    "topics.replication-factor": "3",
    "topics.retention-ms": "default",
    "registry.url": "https://registry:8081/base",
    "registry.user": "me",
    "registry.password": "hidden",
    "registry.ca": "ca.pem",
    "database.url": "mysql://me:hidden@host:4000/",
    "container.kafka": "confluentinc/cp-kafka:8.0.0",
    "container.registry": "apicurio/apicurio-registry:latest",
    "container.database": "pingcap/tidb:v8.5.3",
    "warm.use": "false",
    "warm.idle-hours": "0.5",
}


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda one: one.name)
def test_every_setting_by_every_way(setting: Setting, tmp_path: Path) -> None:
    """Option, variable, file and pyproject reach each setting; its default is one that it takes."""
    value = EXAMPLES[setting.name]
    by_option = settings({setting.name: value}, env={}, here=tmp_path)
    by_variable = settings({}, env={setting.variable: value}, here=tmp_path)
    (tmp_path / "harness.toml").write_text(f'{setting.name} = "{value}"\n')
    by_file = settings({}, env={}, here=tmp_path)
    (tmp_path / "harness.toml").rename(tmp_path / "pyproject.toml")
    text = (tmp_path / "pyproject.toml").read_text()
    (tmp_path / "pyproject.toml").write_text(f"[tool.harness]\n{text}")
    by_project = settings({}, env={}, here=tmp_path)
    assert {one.text(setting.name) for one in (by_option, by_variable, by_file, by_project)} == {
        value
    }
    assert by_variable.source(setting.name) == setting.variable
    assert by_file.source(setting.name) == "harness.toml:1"
    assert by_project.source(setting.name) == "pyproject.toml:2"
    assert settings({setting.name: setting.default}, env={}, here=tmp_path)


def test_the_order_is_option_environment_file_project(tmp_path: Path) -> None:
    """Each way wins over those after it."""
    (tmp_path / "pyproject.toml").write_text('[tool.harness.topics]\nprefix = "d"\n')
    assert settings({}, env={}, here=tmp_path).text("topics.prefix") == "d"
    (tmp_path / "harness.toml").write_text('topics.prefix = "c"\n')
    assert settings({}, env={}, here=tmp_path).text("topics.prefix") == "c"
    env = {"HARNESS_TOPICS_PREFIX": "b"}
    assert settings({}, env=env, here=tmp_path).text("topics.prefix") == "b"
    assert settings({"topics.prefix": "a"}, env=env, here=tmp_path).text("topics.prefix") == "a"


@given(st.sampled_from(PROPERTIES))
def test_every_kafka_property_has_a_variable(name: str) -> None:
    """What `variable_of` says is what the environment is read by, underscores included."""
    given = settings({}, env={variable_of(f"kafka.{name}"): "x"}, here=Path("/nonexistent"))
    assert given.kafka() == {name: "x"}


@pytest.mark.parametrize(
    ("options", "env", "file", "expected"),
    [
        ({"registry.ulr": "http://x"}, {}, "", "did you mean 'registry.url'"),
        ({}, {"HARNESS_REGISTRY_ULR": "x"}, "", "did you mean HARNESS_REGISTRY_URL"),
        ({}, {}, "\n[topics]\nkep = true\n", "harness.toml:3: there is no setting 'topics.kep'"),
        ({}, {}, 'services = "docker"\n', "expected: embedded, container or external"),
        ({}, {}, "[topics]\nreplication-factor = 0\n", "harness.toml:2"),
        ({"database.url": "postgres://me:hidden@x"}, {}, "", "expected: mysql://"),
        ({}, {}, "services = ", "harness.toml"),
    ],
)
def test_what_is_wrong_is_named(
    tmp_path: Path, options: dict[str, str], env: dict[str, str], file: str, expected: str
) -> None:
    """Unknown names and values end as usage errors with place and hint, and show no secret."""
    (tmp_path / "harness.toml").write_text(file)
    with pytest.raises(UsageError) as caught:
        settings(options, env=env, here=tmp_path)
    assert expected in str(caught.value)
    assert "hidden" not in str(caught.value)


def test_other_programs_variables_are_left_alone(tmp_path: Path) -> None:
    """HARNESS_ variables of other parts, or of other programs, are none of our business."""
    env = {"HARNESS_CACHE_DIR": "x", "HARNESS_JOB": "y", "HARNESS_OF_SOMEBODY": "z"}
    assert not settings({}, env=env, here=tmp_path).given


def test_an_address_makes_a_service_external(tmp_path: Path) -> None:
    """Without a word all is embedded; an address moves its service; `services` moves all."""
    addresses = {"kafka.bootstrap.servers": "k:1"} | {
        name: EXAMPLES[name] for name in ADDRESS_OF.values() if name in EXAMPLES
    }
    nothing = settings({}, env={}, here=tmp_path)
    for service, address in ADDRESS_OF.items():
        assert nothing.backend(service) == "embedded"
        given = settings({address: addresses[address]}, env={}, here=tmp_path)
        moved = {name for name in ADDRESS_OF if given.backend(name) == "external"}
        assert moved == {service}
        alone = settings({"services": "external"}, env={}, here=tmp_path)
        with pytest.raises(UsageError, match=service) as caught:
            alone.backend(service)
        assert variable_of(address) in caught.value.hint
    contained = settings({**addresses, "services": "container"}, env={}, here=tmp_path)
    assert {contained.backend(name) for name in ADDRESS_OF} == {"container"}


def test_secrets_are_not_shown() -> None:
    """Whatever could let somebody in is three stars; the rest can be read."""
    shown = redacted(
        {
            "sasl.username": "me",
            "sasl.password": "hidden1",
            "ssl.key.pem": "hidden2",
            "ssl.key.password": "hidden3",
            "sasl.oauthbearer.client.secret": "hidden4",
            "sasl.jaas.config": "hidden5",
            "sasl.oauthbearer.config": "hidden6",
            "ssl_key": "hidden7",
            "ssl.ca.location": "ca.pem",
        }
    )
    assert "hidden" not in shown
    assert shown.count("***") == 7
    assert "sasl.username=me" in shown
    assert "ssl.ca.location=ca.pem" in shown


def test_settings_documentation_names_are_unique() -> None:
    """No two settings share a name or a variable."""
    assert len(NAMES) == len(SETTINGS) == len({one.variable for one in SETTINGS})


def test_java_says_the_same(tmp_path: Path) -> None:
    """Accounts, trust and keys have Java's names; what is librdkafka's alone is left out."""
    (tmp_path / "cert.pem").write_text("CERT")
    (tmp_path / "key.pem").write_text("KEY")
    java = java_properties(
        {
            "bootstrap.servers": "k:1",
            "security.protocol": "sasl_ssl",
            "sasl.mechanisms": "SCRAM-SHA-512",
            "sasl.username": "me",
            "sasl.password": 'a"b\\c',
            "ssl.ca.location": str(tmp_path / "ca.pem"),
            "ssl.certificate.location": str(tmp_path / "cert.pem"),
            "ssl.key.location": str(tmp_path / "key.pem"),
            "ssl.endpoint.identification.algorithm": "none",
            "fetch.wait.max.ms": "5",
            "socket.timeout.ms": "9",
            "isolation.level": "read_committed",
        }
    )
    assert java == {
        "bootstrap.servers": "k:1",
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.jaas.config": "org.apache.kafka.common.security.scram.ScramLoginModule required"
        ' username="me" password="a\\"b\\\\c";',
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(tmp_path / "ca.pem"),
        "ssl.keystore.type": "PEM",
        "ssl.keystore.certificate.chain": "CERT",
        "ssl.keystore.key": "KEY",
        "ssl.endpoint.identification.algorithm": "",
        "fetch.max.wait.ms": "5",
        "isolation.level": "read_committed",
    }


def test_plain_text_stays_plain_in_java() -> None:
    """An unprotected cluster needs nothing but its address."""
    client = {"bootstrap.servers": "k:1", "security.protocol": "PLAINTEXT"}
    assert java_properties(client) == client
