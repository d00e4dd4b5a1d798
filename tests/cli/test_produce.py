"""`harness produce`, `--changefeed`, `preview --delivery`: what is refused, and in which words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.cli.main import main
from harness.errors import ExitCode
from tests.tree import ROOT

ONE = "keys.pk-chain[open,p1]"
NOWHERE = "localhost:1"
# Arguments of `harness produce` -> exit code and part of what is said.
REFUSED: dict[tuple[str, ...], tuple[ExitCode, str]] = {
    (): (ExitCode.USAGE, "say what to produce"),
    ("keys.pk-chain", "--bootstrap", NOWHERE): (ExitCode.USAGE, "a topic takes one stream"),
    ("keys.pk-chain", "-k", ONE): (ExitCode.USAGE, "nothing says where Kafka is"),
    ("keys.pk-chain", "-k", ONE, "--bootstrap", NOWHERE): (
        ExitCode.ENVIRONMENT,
        "cannot be reached",
    ),
    ("keys.pk-chain", "-k", ONE, "--bootstrap", NOWHERE, "--rate", "fast"): (
        ExitCode.USAGE,
        "--rate fast",
    ),
    ("keys.pk-chain", "-k", ONE, "--bootstrap", NOWHERE, "--rate", "0/s"): (
        ExitCode.USAGE,
        "--rate 0/s",
    ),
    ("keys.pk-chain", "-k", ONE, "--kafka-config", "nowhere.properties"): (
        ExitCode.USAGE,
        "cannot be read",
    ),
    ("keys.pk-chain", "-k", "keys.pk-chain[avro,p1]", "--bootstrap", NOWHERE): (
        ExitCode.USAGE,
        "--registry URL",
    ),
    ("keys.pk-chain", "-k", ONE, "--delivery", "nope"): (
        ExitCode.USAGE,
        "no chosen case has the delivery",
    ),
    ("keys.pk-chain", "-k", ONE, "--bootstrap", NOWHERE, "--set", "a=1"): (
        ExitCode.USAGE,
        "no setting 'a'",
    ),
    ("keys.pk-chain", "-k", ONE, "--changefeed", "nowhere.toml"): (
        ExitCode.USAGE,
        "nowhere.toml cannot be read",
    ),
}


@pytest.fixture(autouse=True)
def in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run in the repository's root, without anybody's own settings."""
    monkeypatch.chdir(ROOT)
    for name in ("HARNESS_KAFKA_BOOTSTRAP_SERVERS", "HARNESS_REGISTRY_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("arguments", REFUSED, ids=" ".join)
def test_what_cannot_be_produced(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever is missing is told before anything is sent, and nothing is claimed to be sent."""
    code, said = REFUSED[arguments]
    assert main(["produce", *arguments]) == code
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""


def test_deliveries_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    """One delivery, or all of them, as lines and as JSON; --bytes has no place there."""
    assert (
        main(
            ["preview", "keys.pk-chain", "-k", "'keys.pk-chain[open,p4'", "--delivery", "replayed"]
        )
        == 0
    )
    assert "step 1: replay {from: moved}" in capsys.readouterr().out
    assert (
        main(
            ["preview", "keys.pk-chain", "-k", "'keys.pk-chain[open,p4'", "--deliveries", "--json"]
        )
        == 0
    )
    assert len(json.loads(capsys.readouterr().out)) == 3
    assert main(["preview", "keys.pk-chain", "-k", ONE, "--deliveries"]) == ExitCode.USAGE
    assert main(["preview", "keys.pk-chain", "--deliveries", "--bytes"]) == ExitCode.USAGE


def test_a_changefeed_is_laid_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`check` and `preview` plan under the file, and say what it changes about the scenario."""
    file = tmp_path / "feed.toml"
    file.write_text('[filter]\nrules = ["none.*"]\n', encoding="utf-8")
    assert main(["preview", "keys.pk-chain", "-k", ONE, "--changefeed", str(file)]) == 0
    shown = capsys.readouterr()
    assert "resolved" in shown.out
    assert "insert" not in shown.out
    assert "note: goldens are not compared" in shown.err
    assert main(["check", "keys.pk-chain", "--changefeed", str(file), "--json"]) == 0
    counted = json.loads(capsys.readouterr().out)
    assert counted["problems"] == []
    assert 0 < counted["cases"] < 20


def test_a_wrong_changefeed_is_a_problem(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Mistakes in the file are told with line and column, by `check` as by `run`."""
    file = tmp_path / "feed.toml"
    file.write_text("\nforce-replicate = 1\n", encoding="utf-8")
    assert main(["check", "keys.pk-chain", "--changefeed", str(file)]) == ExitCode.USAGE
    assert f"{file}:2:1: force-replicate is 1" in capsys.readouterr().err
    words = [
        "run",
        "keys.pk-chain",
        "-k",
        ONE,
        "--consumer",
        "reference",
        "--changefeed",
        str(file),
    ]
    assert main(words) == ExitCode.USAGE
    assert f"{file}:2:1: force-replicate is 1" in capsys.readouterr().err
