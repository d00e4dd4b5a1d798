"""The commands on the pages are ones that their programs take; those that need nothing are run."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from packaging.requirements import Requirement

from harness.cli.main import cli
from tests.docs.pages import Command, commands
from tests.tree import ROOT, hold, pyproject, text_of

COMMANDS = tuple(commands())
WHOLE = tuple(one for one in COMMANDS if one.whole)

# Commands of `harness` that are only parsed here, and why; other tests run them on real parts.
NEEDS = {
    "certify": "starts Kafka and a consumer: tests/system, and the main job itself",
    "diff": "compares runs that you have: tests/cli/test_diff.py",
    "coverage": "tries mutants, for minutes: `tox run -e unit` runs it whole",
    "doctor": "asks this machine: `tox run -e packaging` runs it",
    "debug": "waits for somebody who debugs: tests/system/test_debug.py",
    "fuzz": "needs a database and minutes: tests/fuzz",
    "load": "needs Spark and Kafka: tests/load",
    "mutants": "takes minutes; `tox run -e unit` runs it whole",
    "oracle": "needs a vendor's program: tests/oracles",
    "produce": "needs your Kafka: tests/system/test_produce.py",
    "record": "needs a database: tests/system/test_author_loop.py",
    "replay": "needs what fuzz found: tests/fuzz",
    "report": "renders runs that you have: tests/cli/test_report.py",
    "review": "asks about goldens that differ: tests/cli/test_review.py",
    "run": "starts Kafka and Spark: tests/system",
    "selftest": "takes ten minutes: tests/selftest, tests/system/test_selftest.py",
    "services": "starts services that stay: tests/services",
    "verify": "needs Spark and an output: tests/load",
    "watch": "goes on until somebody ends it: tests/system/test_watch.py",
}
# Command lines that need something of the reader's own, and what.
YOURS = {
    "harness check --changefeed changefeed.toml": "your changefeed file",
    "harness check scenarios/keys/my-first.yaml": "the tutorial's file: tests/test_pages.py",
    "harness check": "takes half a minute: `tox run -e packaging` runs it",
    "harness golden diff": "takes half a minute: tests/cli/test_golden.py",
    "harness golden accept keys.pk-chain": "rewrites goldens: tests/cli/test_golden.py",
    "harness preview --scenarios found --golden found/golden fuzz.extra-row-df5a57": "a finding",
    "harness preview scenarios/keys/my-case.yaml": "your scenario",
    "harness preview scenarios/keys/my-first.yaml": "the tutorial's scenario",
    "harness preview tally": "a protocol of another distribution: tests/fourth_protocol",
    "harness truth golden/truth --record": "needs a database: tests/truth",
    "harness new scenario scenarios/keys/my-case.yaml --from my-case.sql": "your SQL",
    "harness new scenario bugs.lost-update --from steps.sql": "your SQL",
    "harness new scenario bugs.lost-order --from dump.sql --database shop --anonymise": "your dump",
    "harness new scenario bugs.wrong-price --from mysql://me@db.test:3306/shop.orders,shop.items"
    " --rows 5": "your server: tests/authoring/test_from_server.py",
    "harness new scenario bugs.lost-row --from schema.sql --from binlog.000003"
    " --start-position 4711": "your server's log: tests/authoring/test_from_binlog.py",
    "harness new scenario bugs.last-hour"
    " --from mysql://me@db.test:3306/shop.orders?binlog=binlog.000003": "the same",
}
PLACEHOLDER = re.compile(r"^[A-Z]+$|^…$|^\[.*\]$|\|")


def of(name: str) -> list[Command]:
    """Return the commands of one program, outside of sentences."""
    return [one for one in WHOLE if one.words[0] == name]


def refusal(words: tuple[str, ...]) -> click.ClickException | None:
    """Return why the real command line refuses words; None if it takes them. Nothing is run."""
    rest = list(words[1:])
    command: click.Command = cli
    context = click.Context(cli, info_name="harness")
    while isinstance(command, click.Group) and rest and rest[0] not in {"--help", "--version"}:
        inner = command.get_command(context, rest.pop(0))
        if inner is None:
            return click.UsageError("there is no such command")
        command, context = inner, click.Context(inner, parent=context)
    if isinstance(command, click.Group):
        return None
    try:
        command.make_context(command.name, rest, parent=context.parent)
    except click.exceptions.Exit:
        return None
    except click.ClickException as error:
        return error
    return None


def excused(command: Command, error: click.ClickException) -> bool:
    """Return whether a refusal is of what the reader has and we have not, or of a short mention."""
    if isinstance(error, click.BadParameter) and "does not exist" in error.message:
        return True
    short = isinstance(error, (click.MissingParameter, click.BadOptionUsage))
    short |= any(map(PLACEHOLDER.search, command.words))
    return short and not command.whole and not isinstance(error, click.NoSuchOption)


def test_harness_takes_every_command() -> None:
    """The real parser reads options and arguments of each `harness` on a page."""
    ours = [one for one in COMMANDS if one.words[0] == "harness"]
    assert len(ours) > 150
    hold(
        f"{one.place}: {' '.join(one.words)}: {error.format_message()}"
        for one in ours
        for error in [refusal(one.words)]
        if error is not None and not excused(one, error) and "sequenced" not in one.words
    )


RUN = sorted(
    {
        one.words
        for one in of("harness")
        if one.words[1] not in NEEDS and " ".join(one.words) not in YOURS
    }
)


@pytest.mark.parametrize("words", RUN, ids=" ".join)
def test_what_needs_nothing_is_run(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command that needs neither services nor a file of the reader's does what its page shows."""
    for name in ("golden", "scenarios"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, [*words[1:]], catch_exceptions=False)
    assert result.exit_code == 0, result.output


def test_every_exception_is_needed() -> None:
    """What is left out of the run stands on a page, so the two tables hold nothing old."""
    shown = {one.words[1] for one in of("harness") if len(one.words) > 1}
    assert set(NEEDS) <= shown
    assert set(YOURS) <= {" ".join(one.words) for one in of("harness")}


def test_pip_installs_what_there_is() -> None:
    """Extras that pages install are declared, and directories are distributions."""
    project = pyproject()["project"]
    for one in of("pip"):
        for word in one.words[2:]:
            if word.startswith("cdc-conformance"):
                extras = Requirement(word).extras
            else:
                extras = set(re.findall(r"^\.\[(\w+)\]$", word))
            assert extras <= set(project["optional-dependencies"]), one


def test_tox_has_every_environment() -> None:
    """An environment that a page runs is one of tox.ini."""
    known = set(re.findall(r"^ {4}(\w+): ", text_of("tox.ini"), re.MULTILINE))
    known |= set(re.findall(r"^\[testenv:\{?([\w,]+)\}?\]", text_of("tox.ini"), re.MULTILINE))
    known = {name for names in known for name in names.split(",")}
    runs = [one for one in of("tox") if "-e" in one.words]
    assert runs
    for one in runs:
        assert set(one.words[one.words.index("-e") + 1].split(",")) <= known, one


def test_scripts_and_modules_exist() -> None:
    """What `python` and `spark-submit` are given is in the repository, or made on the page."""
    for one in [*of("python"), *of("spark-submit")]:
        for word in one.words:
            if word.endswith(".py") and "/" in word:
                assert (ROOT / word).is_file(), one
        if one.words[:2] == ("python", "-m"):
            assert importlib.util.find_spec(one.words[2]) is not None, one


def test_pytest_knows_every_option() -> None:
    """The plugin has the options that pages give to pytest, and paths are there."""
    options = set(re.findall(r'"(--harness-[a-z-]+)"', _plugin()))
    for one in of("pytest"):
        for word in one.words[1:]:
            if word.startswith("--harness-"):
                assert word in options, one
            elif word.startswith("scenarios"):
                assert (ROOT / word.partition("::")[0]).exists(), one


def _plugin() -> str:
    return "".join(
        path.read_text("utf-8") for path in (ROOT / "harness/pytest_plugin").glob("*.py")
    )
