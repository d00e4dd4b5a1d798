"""Topics of a real broker, dumped and compared."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.cli.main import main
from harness.oracles.recordings.form import read
from harness.services import Services

CASES = ("keys.pk-chain[open,p1]", "keys.pk-chain[avro,p1]", "keys.pk-chain[vitess,p1]")


@pytest.mark.services
def test_what_a_broker_holds_is_recorded_and_compared(
    shared: Callable[..., Services], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Topics that were filled with a case are dumped, schemas and all, and are equal to ours."""
    file = tmp_path / "all.ndjson"
    running = shared("kafka", "registry")
    places = ["--bootstrap", running.kafka.bootstrap, "--registry", running.registry.url]
    for number, case in enumerate(CASES):
        prefix = f"p{number}."
        produced = ["produce", "-k", case, "--topic-prefix", prefix, "--json", *places]
        assert main(produced) == 0
        (topic,) = set(re.findall(rf'"({prefix}[^"]+)"', capsys.readouterr().out))
        recorded = ["oracle", "record", case, "--topic", topic, "--origin", "us"]
        assert main([*recorded, *places, "--output", str(file)]) == 0
    missing = ["oracle", "record", CASES[0], "--topic", "none", "--origin", "us", *places]
    assert main([*missing, "--output", str(file)]) == 2
    assert any(one.value_schema for one in read(file)[1].messages)
    capsys.readouterr()
    assert main(["oracle", "compare", str(file)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "equal 3 / compared 3 / total 3"
