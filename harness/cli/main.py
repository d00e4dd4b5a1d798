"""`harness`: one module a command, imported only when it is called.

`--help`, `check`, `list` and `preview` answer in under half a second because nothing heavy is
imported before it is needed.
"""

from __future__ import annotations

import difflib
import errno
import os
import select
import signal
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import cast

import click

from harness.errors import ExitCode, HarnessError

# name -> (module, one line of help); the help is here so that `harness --help` imports no command.
COMMANDS: dict[str, tuple[str, str]] = {
    "new": ("harness.cli.new", "Write a starting point: a scenario from your SQL, or a consumer."),
    "check": ("harness.cli.check", "Check scenario files, locks and goldens; no services needed."),
    "list": ("harness.cli.listing", "List scenarios and the cases that they expand to."),
    "preview": ("harness.cli.preview", "Show the decoded events of cases, partition by partition."),
    "explain": (
        "harness.cli.explain",
        "Explain a clause, case, scenario, setting or finding, and who fails it.",
    ),
    "record": (
        "harness.cli.record",
        "Run a scenario's SQL on a real database and lock its changes.",
    ),
    "produce": ("harness.cli.produce", "Fill topics of your own with a scenario's records."),
    "run": ("harness.cli.run", "Run scenarios against a bundled consumer (Spark by default)."),
    "certify": (
        "harness.cli.certify",
        "Certify a consumer: spark, reference, py:…, exec:…, image:… or its manifest.",
    ),
    "watch": (
        "harness.cli.watch",
        "Certify a consumer, and run what fails again after each saved file.",
    ),
    "debug": (
        "harness.cli.debug",
        "Fill the topics of a case, and judge the consumer that you start yourself.",
    ),
    "judge": ("harness.cli.judge", "Ask a `harness debug` in another terminal for its verdict."),
    "mutants": ("harness.cli.mutants", "Prove that scenarios catch wrong consumers; in memory."),
    "fuzz": ("harness.cli.fuzz", "Search for a scenario that a consumer fails, at random."),
    "replay": ("harness.cli.replay", "Show whether a finding of `fuzz` is fixed."),
    "coverage": ("harness.cli.coverage", "Show which scenarios cover which clauses."),
    "report": ("harness.cli.report", "Render runs' events as HTML, JUnit, Markdown or a badge."),
    "diff": ("harness.cli.diff", "Show what changed from one run to another."),
    "golden": ("harness.cli.golden", "Compare or accept golden files; no services needed."),
    "review": (
        "harness.cli.review",
        "Walk through changed goldens record by record, and accept them or not.",
    ),
    "truth": ("harness.cli.truth", "Compare with what vendors' own encoders emit."),
    "oracle": (
        "harness.cli.oracle",
        "Run vendors' own programs over the catalogue, and compare their records with ours.",
    ),
    "bench": ("harness.cli.bench", "Measure speed and memory beside the floor, in one run."),
    "load": ("harness.cli.load", "Fill topics with a workload of any size, made on Spark."),
    "verify": ("harness.cli.verify", "Compare an output with a workload's expected state."),
    "services": ("harness.cli.services", "Keep services warm; fetch what they need."),
    "completion": ("harness.cli.completion", "Print what a shell needs to complete commands."),
    "selftest": (
        "harness.cli.selftest",
        "Try whether runs survive faults of this machine: killed services, full disks, signals.",
    ),
    "clean": ("harness.cli.clean", "Remove what earlier runs left here."),
    "doctor": ("harness.cli.doctor", "Show what is missing for a run, and how to get it."),
}

# What somebody does who has just installed it; `doctor` ends with it too.
FIRST_STEPS = (
    ("harness doctor", "what is missing on this machine"),
    ("harness certify reference keys", "see a run: a consumer that passes, in half a minute"),
    ("harness new consumer mine --language python", "a small consumer that works, to begin with"),
    ("harness certify mine/consumer.yaml keys", "judge it; then change it, or name your own"),
    ("harness explain FINDING", "why it failed: a clause, a case or a finding of the report"),
    ("harness new scenario keys.mine", "your own case, from SQL: --from FILE.sql"),
)


# What is no command, and where it is.
ELSEWHERE = {
    "live": "Level live is `harness certify CONSUMER --live debezium-mariadb`, or with a FILE.yaml"
    " that names topics of your own."
}

# What a machine lacks when it has no room: none of our doing.
FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EMFILE, errno.ENFILE})

OUTPUTS = (1, 2)  # the descriptors of standard output and error
_ENDED_BY: list[int] = []  # the signal that somebody has ended us by


class Commands(click.Group):
    """A group that imports a command when it is asked for, and suggests names for a typo."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order of a person's work."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command; None when there is none of that name."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module = import_module(COMMANDS[cmd_name][0])
        return cast("click.Command", module.command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Add a suggestion to click's message about an unknown command."""
        name = args[0] if args else ""
        if name and name not in COMMANDS and not name.startswith("-"):
            close = difflib.get_close_matches(name, COMMANDS, n=1)
            hint = f" Did you mean `{close[0]}`?" if close else ""
            hint = f" {ELSEWHERE[name]}" if name in ELSEWHERE else hint
            ctx.fail(f"No such command {name!r}.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Say what to do first."""
        del ctx
        with formatter.section("First steps"):
            formatter.write_dl(FIRST_STEPS, col_max=45)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="cdc-conformance", prog_name="harness")
def cli() -> None:
    """Certify consumers of change-data-capture streams from Kafka.

    Exit codes: 0 pass, 1 findings, 2 bad scenario or usage, 3 environment.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line, return its exit code; nobody sees a traceback for their own mistake."""
    if arguments is not None:
        return _run(arguments)
    _be_a_program()
    try:
        code = _run(None)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    except (OSError, SystemExit):
        # Whoever read our output is gone, as `head` is: no verdict, and no defect of ours.
        unread = _unread()
        if not unread:
            raise
        nowhere = os.open(os.devnull, os.O_WRONLY)  # takes what is still to be written
        for descriptor in unread:
            os.dup2(nowhere, descriptor)
        return 128 + (_ENDED_BY[0] if _ENDED_BY else signal.SIGPIPE)
    return code


def _run(arguments: Sequence[str] | None) -> int:
    try:
        result = cli.main(
            args=None if arguments is None else list(arguments),
            prog_name="harness",
            standalone_mode=False,
        )
        return int(result or 0)
    except HarnessError as error:
        click.echo(f"error: {_shown(str(error))}", err=True)
        return int(error.exit_code)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        error.show()
        return int(ExitCode.USAGE)
    except (click.Abort, KeyboardInterrupt) as stop:
        cause = stop.__cause__ or stop
        return _interrupted(cause.number if isinstance(cause, EndedError) else signal.SIGINT)
    except Exception as error:
        if isinstance(error, OSError) and error.errno == errno.EPIPE and _unread():
            raise
        # What fails once a signal has ended us follows from that.
        return _interrupted(_ENDED_BY[0]) if _ENDED_BY else _broken(error)


def _interrupted(number: int) -> int:
    click.echo("interrupted; services and consumers are stopped", err=True)
    return 128 + number


def _unread() -> list[int]:
    """Return which of our outputs nobody reads any more."""
    poll = select.poll()
    for descriptor in OUTPUTS:
        poll.register(descriptor, 0)
    return [one for one, state in poll.poll(0) if state & (select.POLLERR | select.POLLHUP)]


def _shown(text: str) -> str:
    """Return an error without passwords: of addresses, and of our own variables by value."""
    if not any(name.startswith("HARNESS_") for name in os.environ) and "@" not in text:
        return text
    from harness.services.hidden import Secrets, without_accounts

    return without_accounts(Secrets.of(os.environ).hidden(text))


def _be_a_program() -> None:
    """Take the process over: its encoding, its streams, the signals that end it."""
    if sys.getfilesystemencoding() != "utf-8":
        # A locale that cannot say `ü` would break paths, children and messages one by one.
        again = [sys.executable, "-X", "utf8", *sys.orig_argv[1:]]
        os.execv(sys.executable, again)  # noqa: S606 - this very program
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that knows no `ü` is shown its number
            stream.reconfigure(errors="backslashreplace")
    signal.signal(signal.SIGTERM, _ended)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # `nohup` means it
        signal.signal(signal.SIGHUP, _ended)


class EndedError(KeyboardInterrupt):
    """Somebody ends the program by a signal: it stops what it started, as after Ctrl-C."""

    def __init__(self, number: int) -> None:
        """Take the signal's number."""
        self.number = number


def _ended(number: int, _frame: object) -> None:
    signal.signal(number, signal.SIG_DFL)  # whoever insists ends it at once
    _ENDED_BY.append(number)
    raise EndedError(number)


def _broken(error: Exception) -> int:
    """Say what ended the program: a machine without room, or a defect of ours."""
    if isinstance(error, OSError) and error.errno in FULL:
        where = f": {error.filename}" if error.filename else ""
        click.echo(f"error: {error.strerror}{where}\n    hint: make room, run again", err=True)
        return int(ExitCode.ENVIRONMENT)
    trace = "".join(traceback.format_exception(error))
    path = Path(".harness", "bug.txt").resolve()
    try:
        path.parent.mkdir(exist_ok=True)
        path.with_name(".gitignore").write_text("*\n", encoding="utf-8")
        path.write_text(trace, encoding="utf-8")
        where = f"the traceback is in {path}"
    except OSError:
        where = trace
    last = _shown(trace.strip().splitlines()[-1])
    click.echo(f"error: a defect of the harness, not of a consumer: {last}\n    {where}", err=True)
    return int(ExitCode.ENVIRONMENT)


if __name__ == "__main__":
    sys.exit(main())
