"""No secret is shown, whatever carries it: found by value, wherever it stands."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.engine.run.event_bus import EventBus
from harness.report.ndjson import event_json
from harness.services import settings
from harness.services.hidden import Secrets, without_accounts
from tests.report.samples import every_judgement, run
from tests.tree import ROOT

ENVIRONMENT = {
    "HARNESS_KAFKA_SASL_PASSWORD": "kafka-Pa55",
    "HARNESS_MAVEN_MIRROR": "https://me:mirror%2FPa55@repo.example/maven",
    "https_proxy": "http://me:proxy-Pa55@proxy:3128",
    "HARNESS_REGISTRY_PASSWORD": "regis",
    "PASSWORD": "not-ours",
}
SECRET = ("kafka-Pa55", "mirror%2FPa55", "mirror/Pa55", "proxy-Pa55")


class Heard:
    """Keeps what is published."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.lines: list[str] = []

    def handle(self, event: object) -> None:
        """Keep an event as the file has it."""
        self.lines.append(str(event_json(event)))  # type: ignore[arg-type]  # an event


@given(st.text(), st.sampled_from(SECRET), st.text())
def test_a_secret_in_any_text_is_hidden(before: str, secret: str, after: str) -> None:
    """Around a secret all stays as it is; texts without one are the same."""
    found = Secrets.of(ENVIRONMENT)
    hidden = found.hidden(f"{before}\n{secret}\n{after}")
    assert not any(one in hidden for one in SECRET)
    assert "***" in hidden
    assert found.hidden("not-ours regis") == "not-ours regis"


def test_no_listener_hears_a_secret(tmp_path: Path) -> None:
    """In whatever text of whatever event it stands: evidence, logs, details, versions."""
    options = {"registry.password": "option-Pa55", "kafka.bootstrap.servers": "a:1"}
    given_here = settings(options, env={}, here=tmp_path)
    words = ("kafka-Pa55", "option-Pa55")

    def spoilt(secrets: Secrets) -> str:
        heard = Heard()
        bus = EventBus([heard], secrets)
        for event in run(*every_judgement()):
            bus.publish(Spoil(words).hidden_in(event))
        return "\n".join(heard.lines)

    assert all(spoilt(Secrets(())).count(word) > 20 for word in words)
    shown = spoilt(Secrets.of(ENVIRONMENT, given_here))
    assert not any(word in shown for word in words)
    assert shown.count("***") > 40


class Spoil(Secrets):
    """Puts words into all texts of an event."""

    def __init__(self, words: tuple[str, ...]) -> None:
        """Take the words."""
        super().__init__(["a value that makes it look"])
        self._words = " ".join(words)

    def hidden(self, text: str) -> str:
        """Add the words."""
        return f"{text} {self._words}"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("at mysql://me:pw@host:1/ there", "at mysql://***@host:1/ there"),
        ("https://token@host", "https://***@host"),
        ("who@host and http://host/a@b", "who@host and http://host/a@b"),
    ],
)
def test_accounts_of_addresses_are_hidden(text: str, shown: str) -> None:
    """An address keeps its host, and nothing else is taken for an account."""
    assert without_accounts(text) == shown


def test_a_mirror_s_password_is_not_printed(tmp_path: Path) -> None:
    """An error about a mirror names the mirror, without the account in its address."""
    done = subprocess.run(
        [sys.executable, "-m", "harness", "services", "fetch"],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "HOME": str(tmp_path),
            "HARNESS_CACHE_DIR": str(tmp_path / "cache"),
            "HARNESS_MAVEN_MIRROR": "http://me:mirror-Pa55@127.0.0.1:9/maven",
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 3
    assert "127.0.0.1:9" in done.stderr
    assert "mirror-Pa55" not in done.stderr + done.stdout
