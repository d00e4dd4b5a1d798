"""`image:`: a container is asked to be the right thing, and treated as a process is.

What it is asked to be is read from testcontainers' own object. Its life is played by a stand-in for
Docker's client, which has the calls that we make and no other.
"""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from harness.cli.main import main
from harness.errors import SetupError, UsageError
from harness.runner import container
from harness.runner.commands import Whereabouts
from harness.runner.output import Output
from harness.runner.targets import parse

docker: Any = pytest.importorskip("docker", reason="the extra `containers` is missing")
docker_errors = pytest.importorskip("docker.errors", reason="the extra `containers` is missing")
DockerContainer = pytest.importorskip("testcontainers.core.container").DockerContainer

# Docker's library leaves its socket to the garbage collector when no engine answers.
pytestmark = pytest.mark.filterwarnings(
    "ignore:unclosed:ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
HERE = Whereabouts(Path.cwd(), {})


@pytest.fixture(autouse=True)
def collected() -> Generator[None]:
    """Let what the library left behind be collected here, where its warning is expected."""
    gc.freeze()  # what earlier tests keep is not looked through again
    yield
    gc.collect()


class Engine:
    """A container as Docker's client shows it: a status, an exit code, a log that ends with it."""

    def __init__(self, code: int = 0, log: bytes = b"") -> None:
        """Run, with what it will print and exit with when it is asked to end."""
        self.status = "running"
        self.attrs: dict[str, Any] = {"State": {"Pid": 4711, "ExitCode": 0}}
        self.calls: list[str] = []
        self.ended = threading.Event()
        self._code = code
        self._log = log

    def reload(self) -> None:
        """Answer for what is."""

    def end(self, code: int) -> None:
        """End as Docker tells it."""
        self.status = "exited"
        self.attrs = {"State": {"Pid": 0, "ExitCode": code}}
        self.ended.set()

    def kill(self, name: str = "SIGKILL") -> None:
        """Take a signal."""
        self.calls.append(f"kill {name}")
        if name == "SIGKILL":
            self.end(128 + signal.SIGKILL)

    def stop(self, timeout: int) -> None:
        """End in good order."""
        self.calls.append(f"stop {timeout}")
        self.end(self._code)

    def pause(self) -> None:
        """Stand still."""
        self.calls.append("pause")
        self.status = "paused"

    def unpause(self) -> None:
        """Go on."""
        self.calls.append("unpause")
        self.status = "running"

    def logs(self, *, stream: bool, follow: bool) -> Iterator[bytes]:
        """Give the log in pieces, and wait for the end."""
        assert stream
        assert follow
        yield from (self._log[at : at + 1000] for at in range(0, len(self._log), 1000))
        self.ended.wait(10)


class Started:
    """testcontainers' object after its start."""

    image = "teas:2"

    def __init__(self, engine: Engine) -> None:
        """Take what Docker shows of it."""
        self.engine = engine
        self.removed = 0

    def start(self) -> None:
        """Run."""

    def get_wrapped_container(self) -> Engine:
        """Give Docker's own object."""
        return self.engine

    def stop(self) -> None:
        """Remove it, running or not."""
        self.removed += 1


@pytest.fixture
def output(tmp_path: Path) -> Generator[Output]:
    """Yield what keeps a container's output."""
    with Output(tmp_path / "output.log") as kept:
        yield kept


def test_the_target_names_an_image() -> None:
    """Names with a registry, a path, a tag and a digest are taken; the name is the target."""
    digest = "sha256:" + "0" * 64
    for name in ("teas", "teas:2.1", "host:5000/a/b-c:x", f"ghcr.io/a/teas@{digest}"):
        consumer = parse(f"image:{name}", HERE)
        assert (consumer.name, consumer.image) == (f"image:{name}", name)


@pytest.mark.parametrize("name", ["", "Teas", "teas --quiet", "teas:", "-x", "a//b:"])
def test_what_is_no_image_is_refused(name: str) -> None:
    """Upper case, arguments and empty parts are told before anything starts."""
    with pytest.raises(UsageError, match="does not name an image"):
        parse(f"image:{name}", HERE)


def test_it_is_given_what_any_consumer_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The job's directory is at its own path, the network and the user are ours, the log bounded.

    Of the environment there is nothing that speaks of this machine's programs.
    """
    engine = SimpleNamespace(client=SimpleNamespace(info=lambda: {"SecurityOptions": None}))
    monkeypatch.setitem(
        DockerContainer.__init__.__globals__, "DockerClient", lambda *_, **__: engine
    )
    env = {"PATH": "/usr/bin", "HOME": "/h", "HARNESS_JOB": str(tmp_path / "job.json"), "TZ": "UTC"}
    large = tmp_path.parent / "large"
    made = container.made("teas:2", tmp_path, tmp_path / "work", env, [large])
    assert made.image == "teas:2"
    assert made.env == {"HARNESS_JOB": str(tmp_path / "job.json"), "TZ": "UTC"}
    assert {path: (m["bind"], m["mode"]) for path, m in made.volumes.items()} == {
        str(tmp_path): (str(tmp_path), "rw"),
        str(large): (str(large), "ro"),
    }
    options = made._kwargs
    assert options["network_mode"] == "host"
    assert options["user"] == f"{os.getuid()}:{os.getgid()}"
    assert options["init"] is True  # or SIGTERM would end nothing that does not handle it
    assert options["security_opt"] == ["label=disable"]
    assert options["working_dir"] == str(tmp_path / "work")
    assert options["log_config"].config == {"max-size": "1m", "max-file": "2"}


OURS = f"{os.getuid()}:{os.getgid()}"


@pytest.mark.parametrize(
    ("options", "who"),
    [
        (None, {"user": OURS}),
        (["name=seccomp,profile=builtin", "name=cgroupns"], {"user": OURS}),
        (["name=seccomp,profile=builtin", "name=rootless"], {"user": "0:0"}),
        (["name=userns"], {"user": OURS, "userns_mode": "host"}),
    ],
)
def test_what_it_writes_is_ours(options: list[str] | None, who: dict[str, str]) -> None:
    """The user is ours, whatever the engine makes of users' numbers."""
    assert container.identity({"SecurityOptions": options}) == who


@pytest.mark.parametrize(
    ("address", "refused"),
    [
        ("unix:///var/run/docker.sock", False),
        ("tcp://127.0.0.1:2375", False),
        ("tcp://build.example.org:2375", True),
    ],
)
def test_an_engine_elsewhere_is_refused(address: str, *, refused: bool) -> None:
    """A container on another machine sees neither job.json nor Kafka."""
    client = docker.DockerClient(base_url=address, version="1.41")
    base = str(client.api.base_url)
    client.close()
    if not refused:
        container.refuse_remote(base)
        return
    with pytest.raises(SetupError, match=r"the Docker engine is on build\.example\.org"):
        container.refuse_remote(base)


class Images:
    """The images of an engine and of its registry, as Docker's client gives them."""

    def __init__(self, *there: str, error: Exception | None = None) -> None:
        """Take what the engine has, and what a pull comes to."""
        self.images = self
        self.there = there
        self.error = error
        self.pulled: list[str] = []

    def get(self, name: str) -> None:
        """Find an image."""
        if name not in self.there:
            raise docker_errors.ImageNotFound("404", explanation="not here")

    def pull(self, name: str) -> None:
        """Fetch an image."""
        if self.error is not None:
            raise self.error
        self.pulled.append(name)


def test_an_image_is_pulled_once_and_before_services_start() -> None:
    """What the engine has is taken; what nobody has is the user's mistake, with the reason."""
    for engine, pulled in ((Images("teas:2"), []), (Images(), ["teas:2"])):
        container.pull(engine, "teas:2")
        assert engine.pulled == pulled
    denied = docker_errors.APIError("403", explanation="pull access denied for teas")
    with pytest.raises(UsageError, match="pull access denied") as caught:
        container.pull(Images(error=denied), "teas:2")
    assert caught.value.hint.endswith("docker run --rm teas:2")
    with pytest.raises(SetupError, match="no Docker engine answers"):
        container.pull(Images(error=ConnectionResetError("gone")), "teas:2")


def test_a_container_that_somebody_removed_blames_nobody(output: Output) -> None:
    """What Docker does not know any more was not the consumer's end: an environment error."""

    class Removed(Engine):
        def reload(self) -> None:
            raise docker_errors.NotFound("404", explanation="no such container")

    started = Started(Removed())
    running = container.launched(started, output.pipe)
    with pytest.raises(SetupError, match="Docker has lost the container of teas:2"):
        running.wait(1)
    started.engine.ended.set()
    with pytest.raises(SetupError):
        running.stop(0)
    assert started.removed == 1


def test_a_container_that_nothing_ends_is_reported(
    output: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that survives SIGKILL is an environment error, and is removed by force."""

    class Immortal(Engine):
        def kill(self, name: str = "SIGKILL") -> None:
            self.calls.append(f"kill {name}")

    monkeypatch.setattr(container, "LAST_WORDS_S", 0.2)
    started = Started(Immortal())
    running = container.launched(started, output.pipe)
    with pytest.raises(SetupError, match=r"cannot end the container: it still runs 0\.2 s after"):
        running.stop(0)
    started.engine.ended.set()
    assert started.removed == 1


@pytest.mark.parametrize(("code", "status"), [(0, 0), (3, 3), (137, -9), (143, -15), (255, 255)])
def test_its_exit_code_is_reported_like_a_process(output: Output, code: int, status: int) -> None:
    """A code above 128 is the signal that ended it; the container is removed once."""
    started = Started(Engine())
    running = container.launched(started, output.pipe)
    assert running.poll() is None
    assert running.pid == 4711
    with pytest.raises(TimeoutError):
        running.wait(0.01)
    started.engine.end(code)
    assert running.wait(1) == status
    assert running.stop(5) == running.stop(5) == status
    assert started.removed == 1
    assert not started.engine.calls


def test_its_output_is_kept_within_bounds(tmp_path: Path) -> None:
    """A container that prints without end leaves the first and the last of it."""
    engine = Engine(log=b"first" + b"x" * 3_000_000 + b"last")
    with Output(tmp_path / "output.log") as output:
        running = container.launched(Started(engine), output.pipe)
        engine.end(0)
        assert running.stop(1) == 0
    log = (tmp_path / "output.log").read_bytes()
    assert log.startswith(b"first")
    assert log.endswith(b"last")
    assert len(log) < 1_000_000


SIGNALS: dict[str, tuple[Callable[[container.Contained], object], list[str]]] = {
    "kill -9": (lambda one: one.signal(signal.SIGKILL), ["kill SIGKILL"]),
    "stopped for a while": (
        lambda one: (one.signal(signal.SIGSTOP), one.signal(signal.SIGCONT), one.stop(0)),
        ["pause", "unpause", "kill SIGKILL"],
    ),
    "its deadline": (lambda one: one.stop(5), ["stop 5"]),
    "its deadline while it stands still": (
        lambda one: (one.signal(signal.SIGSTOP), one.stop(5)),
        ["pause", "unpause", "stop 5"],
    ),
    "given up": (lambda one: one.stop(0), ["kill SIGKILL"]),
}


@pytest.mark.parametrize("what", SIGNALS)
def test_what_happens_to_it_happens_to_the_container(output: Output, what: str) -> None:
    """Signals become Docker's own verbs, and whatever happens the container is removed."""
    act, calls = SIGNALS[what]
    started = Started(Engine())
    running = container.launched(started, output.pipe)
    act(running)
    running.stop(0)
    running.signal(signal.SIGKILL)  # nothing is there to take it
    assert started.engine.calls == calls
    assert started.removed == 1


def test_an_image_that_is_not_there_is_the_users_mistake(output: Output) -> None:
    """What Docker says of an image is told with a command to try, and nothing is left."""

    class Missing(Started):
        def start(self) -> None:
            raise docker_errors.ImageNotFound("404", explanation="no such image: teas:2")

    missing = Missing(Engine())
    with pytest.raises(UsageError, match="no such image: teas:2") as caught:
        container.launched(missing, output.pipe)
    assert caught.value.hint.endswith("docker run --rm teas:2")
    assert missing.removed == 1


def test_an_engine_that_goes_away_is_the_environments(output: Output) -> None:
    """A Docker that does not answer at the start is told as such."""

    class Lost(Started):
        def start(self) -> None:
            raise docker_errors.DockerException("connection refused")

    with pytest.raises(SetupError, match="no Docker engine answers: connection refused"):
        container.launched(Lost(Engine()), output.pipe)


def test_without_docker_the_run_ends_with_exit_code_3(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No service is started for an image that nothing can run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:1")
    assert main(["certify", "image:teas:2", "-k", "keys"]) == 3
    output = capsys.readouterr()
    assert "no Docker engine answers" in output.err
    assert "starting" not in output.out


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the library the hint is the extra that brings it."""
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(SetupError) as caught:
        container.require("teas:2")
    assert "cdc-conformance[containers]" in caught.value.hint
