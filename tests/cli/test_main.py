"""The command line itself: quick help, suggestions, exit codes, JSON that parses."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from harness.cli.main import COMMANDS, cli, main
from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.workspace import workspace
from harness.errors import ExitCode
from harness.scenario.expand import select, words_of
from tests.tree import ROOT

HEAVY = ("pyspark", "confluent_kafka", "mysql", "pymysqlreplication", "pandas", "pyarrow")
# Command lines that answer without any service -> what they may not import.
# The scenario has cases of every protocol.
LIGHT = {
    ("--help",): (*HEAVY, "sqlglot", "rich", "orjson", "yaml", "harness.ddl"),
    ("list", "keys.pk-chain"): HEAVY,
    ("check", "--no-cache", "keys.pk-chain"): HEAVY,
    ("preview", "keys.pk-chain", "-k", "p1"): HEAVY,
}
PROBE = """
import sys
from harness.cli.main import main
code = main(sys.argv[2:])
print([name for name in sys.argv[1].split(",") if name in sys.modules], code, file=sys.stderr)
"""


@pytest.fixture(autouse=True)
def in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run in the repository's root, as `harness` finds its scenarios there."""
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("arguments", LIGHT, ids=" ".join)
def test_light_commands_import_nothing_heavy(arguments: tuple[str, ...]) -> None:
    """What needs no service imports no client of any, so that it answers at once."""
    probe = [sys.executable, "-c", PROBE, ",".join(LIGHT[arguments]), *arguments]
    done = subprocess.run(probe, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "[] 0"
    assert done.stdout


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    """The help names each command in the order of a person's work, and the exit codes."""
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    commands, first_steps = out.split("Commands:")[1].split("First steps:")
    assert first_steps.split()[:2] == ["harness", "doctor"]
    listed = commands.split("\n  ")
    assert [line.split()[0] for line in listed if line.strip() and line[0] != " "] == list(COMMANDS)
    assert "0 pass, 1 findings, 2 bad scenario or usage, 3 environment" in out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_there(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each command of the table can be imported and explains itself."""
    assert main([name, "--help"]) == 0
    assert f"Usage: harness {name}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("word", "hint"), [("chekc", "`check`"), ("certfy", "`certify`"), ("xyzzy", None)]
)
def test_a_typo_gets_a_suggestion(
    word: str, hint: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    """A command that does not exist is a usage error, with the one that was meant."""
    assert main([word]) == ExitCode.USAGE
    err = capsys.readouterr().err
    assert f"No such command {word!r}." in err
    assert ("Did you mean" in err) == (hint is not None)
    assert hint is None or hint in err


# Command line -> part of what is said on standard error.
MISTAKES = {
    ("list", "--nope"): "No such option",
    ("list", "-k", "nothing-like-this"): "selects none of",
    ("list", "-k", "("): "",
    ("list", "scenarios/nope.yaml"): "no such file",
    ("check", "--scenarios", "nowhere"): "nowhere",
    ("preview", "--scenarios", "nowhere"): "nowhere",
    ("certify",): "Missing argument",
    ("certify", "sparc"): "did you mean spark?",
    ("certify", "reference", "--deadline", "soon"): "Invalid value",
    ("certify", "reference", "-k", "nothing-like-this"): "selects none of",
    ("bench", "nope"): "no bench 'nope'",
}


@pytest.mark.parametrize("arguments", MISTAKES, ids=" ".join)
def test_mistakes_are_usage_errors(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """A mistake on the command line exits 2 with a sentence, never with a traceback."""
    assert main(arguments) == ExitCode.USAGE
    captured = capsys.readouterr()
    assert MISTAKES[arguments] in captured.err
    assert captured.err.strip()
    assert "Traceback" not in captured.err
    assert not captured.out


@pytest.mark.parametrize(
    "arguments",
    [
        ("list",),
        ("check", "keys.pk-chain"),
        ("preview", "dml.no-net-change"),
        ("preview", "keys.pk-chain"),
    ],
    ids=" ".join,
)
def test_json_parses(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """With `--json` standard output is one JSON document and nothing else."""
    assert main([*arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)


def test_list_and_check_agree(capsys: pytest.CaptureFixture[str]) -> None:
    """`check` counts the cases that `list` shows, and the repository's own files are sound."""
    assert main(["list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert main(["check", "--json"]) == 0
    checked = json.loads(capsys.readouterr().out)
    assert checked["cases"] == len(listed)
    assert checked["problems"] == []


def test_every_case_can_be_repeated() -> None:
    """A case's id, as a finding's repeat command names it, selects that case and no other."""
    scenarios = load(workspace(ROOT))
    every = selected(scenarios, None)
    assert every
    words = {word.lower() for case in every for word in words_of(case)}
    text = "\n".join(sorted(words))
    for case in every:
        assert select([case], case.id) == (case,)
        assert text.count(case.id.lower()) == 1


def test_bad_files_exit_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`check` tells a bad file's problems with file and line, also as JSON, and exits 2."""
    bad = tmp_path / "scenarios" / "bad.yaml"
    bad.parent.mkdir()
    bad.write_text("id: bad\ntitel: x\n", encoding="utf-8")
    assert main(["check", "--scenarios", str(bad.parent)]) == ExitCode.USAGE
    assert f"{bad}:2:1: unknown key `titel`" in capsys.readouterr().err
    assert main(["check", "--json", "--scenarios", str(bad.parent)]) == ExitCode.USAGE
    problems = json.loads(capsys.readouterr().out)["problems"]
    assert any(problem["line"] == 2 and "titel" in problem["what"] for problem in problems)


def test_a_defect_of_ours_is_no_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An error that nobody foresaw exits 3 with one line; the traceback is kept in a file."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(COMMANDS, "list", ("harness.cli.nowhere", "broken on purpose"))
    assert main(["list"]) == ExitCode.ENVIRONMENT
    err = capsys.readouterr().err
    assert "a defect of the harness, not of a consumer: ModuleNotFoundError" in err
    kept = next(tmp_path.rglob("*bug*.txt"))
    assert "Traceback" in kept.read_text(encoding="utf-8")


def test_interrupt(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Ctrl-C exits 130, as shells expect of it, and says that nothing is left running."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "invoke", interrupted)
    assert main(["list"]) == 130
    assert "interrupted" in capsys.readouterr().err


CLOSED = (
    ["--help"],
    ["list"],
    ["check", "keys.pk-chain"],
    ["preview", "keys.pk-chain"],
    ["explain", "open.row.insert"],
    ["coverage", "--documents"],
    ["completion", "bash"],
    ["selftest", "--list"],
    ["certify", "nobody"],
    ["chekc"],
)
ENDED = """
import os, signal, sys, time
import click
from harness.cli import main as it
@click.command()
def command():
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(60)
@click.command()
def fails():
    try:
        command.callback()
    except KeyboardInterrupt:
        raise ValueError("something that followed") from None
it.Commands.get_command = lambda *_: {"check": fails}.get(sys.argv[1], command)
sys.exit(it.main())
"""


def unread(words: list[str], here: Path, *, stderr: bool) -> tuple[int, str]:
    """Run a program whose output nobody reads; return exit status and standard error."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [sys.executable, *words],
            cwd=here,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=writer,
            stderr=writer if stderr else subprocess.PIPE,
            check=False,
            timeout=120,
        )
    finally:
        os.close(writer)
    return done.returncode, "" if stderr else done.stderr.decode()


@pytest.mark.parametrize("words", CLOSED, ids=" ".join)
def test_a_closed_pipe_is_neither_a_verdict_nor_a_defect(words: list[str], tmp_path: Path) -> None:
    """Whoever ends reading early ends the command as SIGPIPE would, whatever it prints where."""
    there = ["--scenarios", str(ROOT / "scenarios"), "--golden", str(ROOT / "golden")]
    more = there if words[0] in {"list", "check", "preview"} else []
    code, said = unread(["-m", "harness", *words, *more], tmp_path, stderr=False)
    if words[0] in {"certify", "chekc"}:  # they have nothing to say but why not
        assert code == ExitCode.USAGE
        code, _ = unread(["-m", "harness", *words], tmp_path, stderr=True)
        said = ""
    assert code == 128 + signal.SIGPIPE
    assert said == ""
    assert not (tmp_path / ".harness" / "bug.txt").exists()


@pytest.mark.parametrize("word", ["coverage", "check"])
@pytest.mark.parametrize("stderr", [False, True])
def test_what_follows_from_a_signal_is_no_defect(
    word: str, tmp_path: Path, *, stderr: bool
) -> None:
    """A command that is ended while nobody reads, or fails for it, ends as by that signal."""
    code, said = unread(["-c", ENDED, word], tmp_path, stderr=stderr)
    assert code == 128 + signal.SIGTERM
    assert "defect" not in said
    assert not (tmp_path / ".harness" / "bug.txt").exists()


def test_any_locale_and_any_directory_will_do(tmp_path: Path) -> None:
    """Under a locale that knows ASCII alone, paths and messages are UTF-8 all the same."""
    there = tmp_path / "ü ß"
    (there / "scenarios").mkdir(parents=True)
    (there / "scenarios" / "ä.yaml").write_text("id: [", encoding="utf-8")
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "harness", "check"],
        cwd=there,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **plain},
        capture_output=True,
        check=False,
    )
    assert done.returncode == ExitCode.USAGE
    assert "scenarios/ä.yaml:" in done.stdout.decode("utf-8") + done.stderr.decode("utf-8")
