"""What a shell is given completes commands, ids and clauses."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from harness.cli.completion import LOADED, VARIABLE
from harness.cli.main import main
from tests.tree import ROOT


@pytest.mark.parametrize("shell", LOADED)
def test_each_shell_has_its_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The script asks this program, by its variable."""
    assert main(["completion", shell]) == 0
    assert VARIABLE in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("harness expl", "explain"),
        ("harness list key", "keys/"),
        ("harness list keys.pk-ch", "keys.pk-chain"),
        ("harness list --protocol v", "vitess"),
        ("harness list --clause open.txn.net", "open.txn.net-effect"),
        ("harness explain stale", "stale-row"),
        ("harness explain avro-decimal", "avro-decimal-handling-mode"),
        ("harness explain xpa", "xpass"),
        ("harness certify reference --last", "--last-failed"),
    ],
)
def test_a_shell_completes(words: str, wanted: str) -> None:
    """What bash asks is answered with the word that is meant."""
    asked = {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    done = subprocess.run(
        [sys.executable, "-c", "import sys; from harness.cli.main import main; sys.exit(main())"],
        env={**os.environ, **asked, VARIABLE: "bash_complete"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert wanted in [line.partition(",")[2] for line in done.stdout.splitlines()], done.stderr
