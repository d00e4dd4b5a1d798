"""Starts a consumer with a job, waits, and reads what it answered: the contract's runner.

What a consumer does is data (`exit_status` says which); a command that cannot run is the user's
mistake; a Kafka that died is the environment's fault and no finding about the consumer.
Whatever happens, nothing that was started is left running.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

import msgspec

from harness.contracts import Child
from harness.errors import HarnessBug, SetupError, UsageError, next_step
from harness.model.observed import Observed
from harness.process import spawn
from harness.runner import container, exit_status, several
from harness.runner.contract import results
from harness.runner.contract.job import ChangefeedJob, Job
from harness.runner.contract.job_file import KafkaJob, Mode, RegistryJob, SinkJob
from harness.runner.contract.taken import moment
from harness.runner.manifest import Capability, Consumer
from harness.runner.output import Output

LOOK_AROUND_S = 0.1  # how often we ask whether to go on; the child's end is noticed at once
PASSED_ON = ("PATH", "HOME", "LANG", "JAVA_HOME")
GRACE_S = 5.0
LOG_LENGTH = 16_000
UNRUNNABLE = frozenset({errno.ENOENT, errno.EACCES, errno.ENOEXEC, errno.ENOTDIR, errno.EPERM})

Abort = Callable[[], None]


@dataclass(frozen=True, slots=True)
class RunPlan:
    """What to ask a consumer, and where: `run_dir` gets one directory for each start.

    `deadline_s` is for each start, `grace_s` what a stopped consumer gets between SIGTERM and
    SIGKILL; `parallelism` starts run at once.
    """

    changefeeds: tuple[ChangefeedJob, ...]
    kafka: KafkaJob | None
    run_dir: Path
    deadline_s: float
    registry: RegistryJob | None = None
    grace_s: float = GRACE_S
    parallelism: int = 1
    mode: Mode = Mode.BOUNDED
    sink: SinkJob | None = None


@dataclass(frozen=True, slots=True)
class Start:
    """One start of the command: its job, and its directory, which `prepare` creates."""

    directory: Path
    job: Job

    @property
    def job_file(self) -> Path:
        """Return the path that HARNESS_JOB holds."""
        return self.directory / "job.json"

    @property
    def log(self) -> Path:
        """Return the file that keeps what the command prints."""
        return self.directory / "output.log"

    @property
    def tmp(self) -> Path:
        """Return the command's own TMPDIR."""
        return self.directory / "tmp"

    def given(self, more: Sequence[Path]) -> Sequence[Path]:
        """Return what the command is to read of its start's files."""
        return (self.job_file, self.directory / several.LISTING, self.job.inputs, *more)

    def prepare(self) -> None:
        """Create every directory and write the job; raises SetupError when the disk refuses."""
        document = self.job.to_json()
        folders = [self.job.out_dir / feed.dir / results.TABLES for feed in self.job.changefeeds]
        try:
            self.directory.mkdir(parents=True)
            for folder in (self.job.work_dir, self.tmp, *folders):
                folder.mkdir(parents=True)
            self._give()
            self.job_file.write_text(json.dumps(document, indent=1), encoding="utf-8")
        except OSError as error:
            raise SetupError(
                f"cannot prepare a run in {self.directory}: {error.strerror}",
                hint=next_step(error),
            ) from None

    def _give(self) -> None:
        """Write the records of the changefeeds that read no topics."""
        for feed in self.job.changefeeds:
            if feed.given is not None:
                folder = self.job.inputs / feed.dir
                folder.mkdir(parents=True)
                feed.given.write(folder)


def run(
    consumer: Consumer,
    plan: RunPlan,
    *,
    environment: Mapping[str, str],
    should_abort: Abort = lambda: None,
) -> dict[str, Observed]:
    """Return what the consumer answered, by changefeed id.

    Changefeeds are split into as many jobs as `consumer.max_changefeeds` asks for, and jobs into as
    many starts, unless the consumer can do several in one. `environment` is the harness's own;
    little of it reaches the consumer. `should_abort` is asked many times a second, from several
    threads, and again before an exit status is judged: what it raises (SetupError) stops the
    consumer and is raised here.

    Raises UsageError when the command cannot be run at all.
    """
    ids = [feed.id for feed in plan.changefeeds]
    if len(set(ids)) < len(ids):
        raise HarnessBug("changefeed ids are not unique within a run")
    halted = threading.Event()

    def ask() -> None:
        if halted.is_set():
            raise SetupError("the run was given up")  # nobody hears it: another start's error wins
        should_abort()

    starts = list(_starts(plan, consumer.max_changefeeds))
    groups = [[start] for start in starts]
    if Capability.JOBS in consumer.capabilities:
        groups = several.dealt(starts, plan.parallelism)
    observed: dict[str, Observed] = {}
    with ThreadPoolExecutor(plan.parallelism, thread_name_prefix="consumer") as pool:
        futures: list[Future[dict[str, Observed]]] = [
            pool.submit(_attempt, consumer, group, plan.grace_s, environment, ask)
            for group in groups
        ]
        try:
            for future in as_completed(futures):
                observed |= future.result()
        except BaseException:
            halted.set()
            pool.shutdown(cancel_futures=True)
            raise
    return {name: observed[name] for name in ids}


def result_folders(consumer: Consumer, plan: RunPlan) -> Mapping[str, Path]:
    """Return where each changefeed's answer is written, by its id."""
    return {
        feed.id: start.job.out_dir / feed.dir
        for start in _starts(plan, consumer.max_changefeeds)
        for feed in start.job.changefeeds
    }


def scoped_environment(
    consumer: Consumer, start: Start, environment: Mapping[str, str]
) -> dict[str, str]:
    """Return all of a consumer's environment: of ours, what the contract names and no more."""
    passed_on = {name: environment[name] for name in PASSED_ON if environment.get(name)}
    return {
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        **passed_on,
        "TZ": "UTC",
        "TMPDIR": str(start.tmp),
        **consumer.environment,
        "HARNESS_JOB": str(start.job_file),
    }


def _starts(plan: RunPlan, size: int) -> Iterator[Start]:
    """Split the changefeeds into starts of at most `size`, each with a group of its own."""
    firsts = range(0, len(plan.changefeeds), size)
    for number, first in enumerate(firsts, start=1):
        directory = plan.run_dir.absolute() / f"{number:04}"
        job = Job(
            work_dir=directory / "work",
            out_dir=directory / "out",
            kafka=regrouped(plan.kafka, f"{number:04}"),
            changefeeds=plan.changefeeds[first : first + size],
            deadline_s=plan.deadline_s,
            registry=plan.registry,
            sink=plan.sink,
            mode=plan.mode,
        )
        yield Start(directory, job)


def regrouped(kafka: KafkaJob | None, suffix: str) -> KafkaJob | None:
    """Return Kafka's part of a job with a consumer group of its own; None where there is none."""
    return kafka and msgspec.structs.replace(kafka, group_id=f"{kafka.group_id}-{suffix}")


def _attempt(
    consumer: Consumer,
    group: Sequence[Start],
    grace_s: float,
    environment: Mapping[str, str],
    should_abort: Abort,
) -> dict[str, Observed]:
    """Run the command until each job of a group was tried; return what was answered."""
    should_abort()
    for start in group:
        start.prepare()
    observed: dict[str, Observed] = {}
    todo = list(group)
    while todo:
        end, log, taken = _started(consumer, todo, grace_s, environment, should_abort)
        done = several.over([start.job for start in todo], end)
        for start in todo[:done]:
            observed |= exit_status.observe(start.job, exit_status.Ending(None), log, taken)
        if done < len(todo):
            observed |= exit_status.observe(todo[done].job, end, log, taken)
        todo = todo[done + 1 :]
    return observed


def _started(
    consumer: Consumer,
    group: Sequence[Start],
    grace_s: float,
    environment: Mapping[str, str],
    should_abort: Abort,
) -> tuple[exit_status.Ending, str, int]:
    """Run the command once, in the first one's directory.

    Returns how it ended, what it said, and the moment at which its answers are taken: at its own
    end, whatever of it still runs then; at a deadline, once it was stopped.
    """
    should_abort()
    first = group[0]
    env = scoped_environment(consumer, first, environment)
    if len(group) > 1:
        env[several.JOBS] = str(_listed(group))
    with Output(first.log) as output:
        process = launched(consumer, first, env, output.pipe)
        try:
            code = _await(process, several.Clock([start.job for start in group]), should_abort)
            at_exit = moment(first.directory)
        finally:
            process.stop(grace_s)
    taken = moment(first.directory) if code is None else at_exit
    should_abort()
    shutil.rmtree(first.tmp, ignore_errors=True)
    log = output.text(LOG_LENGTH)
    refuse_unusable(consumer, code, log)
    return exit_status.ending(code, first.job.deadline_s), log, taken


def _listed(group: Sequence[Start]) -> Path:
    """Write the file that names a group's jobs."""
    listing = group[0].directory / several.LISTING
    try:
        listing.write_text("".join(f"{start.job_file}\n" for start in group), encoding="utf-8")
    except OSError as error:
        raise SetupError(
            f"cannot write {listing}: {error.strerror}", hint=next_step(error)
        ) from None
    return listing


def refuse_unusable(consumer: Consumer, code: int | None, log: str) -> None:
    """Raise UsageError when an exit status says that what the user named cannot be loaded."""
    if code is not None and code == consumer.unusable_code:
        raise UsageError(f"the consumer {consumer.name} cannot be loaded", hint=log.strip())


def launched(consumer: Consumer, start: Start, env: Mapping[str, str], pipe: Path) -> Child:
    """Run the consumer's command, or its image.

    Raises UsageError when it cannot be run, SetupError when the machine cannot run more.
    """
    if consumer.image:
        large = [feed.large_messages for feed in start.job.changefeeds if feed.large_messages]
        made = container.made(consumer.image, start.directory, start.job.work_dir, env, large)
        return container.launched(made, pipe)
    argv: Sequence[str] = consumer.argv
    if consumer.sandbox is not None:
        large = [feed.large_messages for feed in start.job.changefeeds if feed.large_messages]
        named = consumer.environment
        argv = consumer.sandbox.around(argv, start.job, start.given(large), env, named)
    if consumer.launcher is not None:
        return consumer.launcher(argv, start.job.work_dir, env)
    try:
        return spawn(
            argv,
            cwd=start.job.work_dir,
            env=env,
            stdout=pipe,
            stderr=pipe,
            scratch=(start.tmp,),
        )
    except OSError as error:
        what = f"the command {consumer.argv[0]} cannot be run: {error.strerror}"
        if error.errno not in UNRUNNABLE:
            raise SetupError(what, hint="the machine may be out of processes or memory") from None
        raise UsageError(
            what,
            expected="an executable: a binary for this machine, or a script with a #! line",
            hint="run it by hand from an empty directory",
        ) from None


def _await(process: Child, clock: several.Clock, should_abort: Abort) -> int | None:
    """Return the exit status once the command has ended; None when a deadline came first."""
    while (left_s := clock.left_s()) > 0:
        try:
            return process.wait(min(LOOK_AROUND_S, left_s))
        except TimeoutError:
            should_abort()
            clock.look()
    return None
