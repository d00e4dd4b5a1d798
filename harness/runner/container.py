"""A consumer in a container image: `image:NAME[:tag]`, through testcontainers (extra `containers`).

It finds what any other finds: the job's directory stands at the same path, and the network is the
host's, so that the addresses in job.json hold. What of the environment speaks of this machine's
programs (PATH, HOME, JAVA_HOME, PYTHONPATH) stays outside: an image brings its own.

That holds for an engine on this Linux machine. An engine elsewhere is refused; Docker Desktop's
machine has the host's network only where its setting "host networking" is on.

A container is as bounded as a process. Docker keeps little of its log, the runner keeps the
rest as it does of others; it is removed when it has ended, and by testcontainers' own reaper when
the harness is killed.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import signal
import threading
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from harness.errors import SetupError, UsageError

OF_THE_HOST = frozenset({"PATH", "HOME", "JAVA_HOME", "PYTHONPATH"})
POLL_S = 0.1
LAST_WORDS_S = 5.0
SIGNALLED = 128  # a shell's and Docker's way to say that a signal ended a command
# What Docker itself keeps of the output; we read along.
LOG_SIZE = {"max-size": "1m", "max-file": "2"}
HERE = frozenset({None, "", "localhost", "127.0.0.1", "::1"})
ENDED = frozenset({"exited", "dead"})
LOOK_AT_DOCKER = "look at Docker's own log, and remove the container by hand"
# Signal -> what Docker calls it; any other is handed on.
_VERBS = {signal.SIGSTOP: "pause", signal.SIGCONT: "unpause"}


def require(image: str) -> None:
    """Make ready for containers of an image, pulling it where it is not there yet.

    Raises SetupError when no container can be started here, UsageError for an image that cannot be
    had: both before any service starts.
    """
    if importlib.util.find_spec("testcontainers") is None:
        raise SetupError(
            "a consumer in an image needs testcontainers, which is not installed",
            hint="pip install 'cdc-conformance[containers]'",
        )
    from docker.errors import DockerException  # noqa: PLC0415 - comes with the extra
    from testcontainers.core.config import testcontainers_config  # noqa: PLC0415 - an extra
    from testcontainers.core.docker_client import DockerClient  # noqa: PLC0415 - an extra

    try:
        docker: Any = DockerClient().client
        docker.ping()
    except (DockerException, OSError) as error:
        raise _no_docker(error) from error
    refuse_remote(str(docker.api.base_url))
    if not testcontainers_config.ryuk_disabled:
        _reaper()
    pull(docker, testcontainers_config.hub_image_name_prefix + image)


def refuse_remote(address: str) -> None:
    """Raise SetupError for an engine on another machine, which has neither our files nor ports."""
    host = urlsplit(address).hostname
    # A socket's address is `http+docker://localhost`, in Docker's own library.
    if host in HERE:
        return
    raise SetupError(
        f"the Docker engine is on {host}, and a consumer's job is on this machine",
        expected="an engine here: a container reads files and ports of this machine",
        hint="unset DOCKER_HOST, or run the harness where the engine is",
    )


def pull(docker: Any, image: str) -> None:  # noqa: ANN401 - the library is optional
    """Have an image, from the engine or from its registry; raises UsageError, SetupError."""
    from docker.errors import (  # noqa: PLC0415 - comes with the extra
        APIError,
        DockerException,
        ImageNotFound,
    )

    try:
        try:
            docker.images.get(image)
        except ImageNotFound:
            docker.images.pull(image)
    except APIError as error:
        raise _unrunnable(image, error) from error
    except (DockerException, OSError) as error:
        raise _no_docker(error) from error


def _reaper() -> None:
    """Start what removes containers when we are killed: once, before threads ask for it."""
    from docker.errors import DockerException  # noqa: PLC0415 - comes with the extra
    from testcontainers.core.container import Reaper  # noqa: PLC0415 - an extra

    try:
        Reaper.get_instance()
    except (DockerException, OSError, RuntimeError) as error:
        raise SetupError(
            f"testcontainers' reaper (the image testcontainers/ryuk) does not start: {error}",
            hint="let Docker have the image, or set TESTCONTAINERS_RYUK_DISABLED=true: then a"
            " harness that is killed leaves its containers running",
        ) from error


def identity(info: Mapping[str, Any]) -> dict[str, str]:
    """Return who the container runs as, so that what it writes is ours, by the engine's own words.

    A rootless engine's root is us; where users are renamed (`userns-remap`) they are not, for this
    container.
    """
    options = ",".join(info.get("SecurityOptions") or ())
    if "name=rootless" in options:
        return {"user": "0:0"}
    own = {"user": f"{os.getuid()}:{os.getgid()}"}
    return own | ({"userns_mode": "host"} if "name=userns" in options else {})


def made(
    image: str, directory: Path, work_dir: Path, env: Mapping[str, str], more: Iterable[Path] = ()
) -> Any:  # noqa: ANN401 - the library is optional
    """Return testcontainers' object for one start, not yet started.

    `directory` is the start's own and is written to; `more` are directories to be read.
    Raises SetupError when Docker cannot be used.
    """
    from docker.errors import DockerException  # noqa: PLC0415 - comes with the extra
    from docker.types import LogConfig  # noqa: PLC0415 - likewise
    from testcontainers.core.container import DockerContainer  # noqa: PLC0415 - an extra

    kwargs: dict[str, Any] = {
        "network_mode": "host",
        # Its command is no process 1, which a signal without a handler would not end.
        "init": True,
        # SELinux keeps containers from files without its label, which ours do not have.
        "security_opt": ["label=disable"],
        "working_dir": str(work_dir),
        "log_config": LogConfig(type="json-file", config=LOG_SIZE),
    }
    own = {name: value for name, value in env.items() if name not in OF_THE_HOST}
    try:
        container = DockerContainer(image, env=own, **kwargs)
        engine: Any = container.get_docker_client().client
        container.with_kwargs(**kwargs, **identity(engine.info()))
    except (DockerException, OSError) as error:
        raise _no_docker(error) from error
    container.with_volume_mapping(str(directory), str(directory), "rw")
    for path in more:
        container.with_volume_mapping(str(path), str(path), "ro")
    return container


def launched(container: Any, pipe: Path) -> Contained:  # noqa: ANN401 - the library is optional
    """Start a container whose output goes into a FIFO.

    Raises UsageError for an image that is not there or cannot be run, SetupError without Docker.
    """
    from docker.errors import APIError, DockerException  # noqa: PLC0415 - comes with the extra

    try:
        container.start()
    except APIError as error:
        _remove(container)
        raise _unrunnable(container.image, error) from error
    except (DockerException, OSError) as error:
        _remove(container)
        raise _no_docker(error) from error
    return Contained(container, pipe)


class Contained:
    """A running container, asked and signalled like a process."""

    def __init__(self, container: Any, pipe: Path) -> None:  # noqa: ANN401 - the library is optional
        """Listen to a started container; `launched` is the only caller."""
        self._container = container
        self._docker = container.get_wrapped_container()
        self._status: int | None = None
        self._removed = False
        self._reader = threading.Thread(
            target=self._listen, args=(pipe,), name="container's log", daemon=True
        )
        self._reader.start()

    @property
    def pid(self) -> int:
        """Return the id of its first process on the machine of the Docker engine, 0 when ended."""
        self._reload()
        return int(self._docker.attrs["State"].get("Pid", 0))

    def poll(self) -> int | None:
        """Return the exit status as `subprocess` does (-9 for SIGKILL), None while it runs."""
        if self._status is None:
            self._look()
        return self._status

    def wait(self, timeout_s: float) -> int:
        """Return the exit status; raises TimeoutError when it still runs after the timeout."""
        until = time.monotonic() + timeout_s
        while (status := self.poll()) is None:
            if time.monotonic() >= until:
                raise TimeoutError
            time.sleep(min(POLL_S, timeout_s))
        return status

    def signal(self, signum: int) -> None:
        """Send a signal, SIGSTOP and SIGCONT to all of it; nothing happens when it has ended."""
        if self.poll() is not None:
            return
        from docker.errors import DockerException  # noqa: PLC0415 - comes with the extra

        try:
            if signum in _VERBS:
                getattr(self._docker, _VERBS[signal.Signals(signum)])()
            else:
                self._docker.kill(signal.Signals(signum).name)
        except (DockerException, OSError) as error:
            if self.poll() is None:
                raise SetupError(
                    f"the container takes no signal: {error}", hint=LOOK_AT_DOCKER
                ) from error

    def stop(self, grace_s: float) -> int:
        """End it, with SIGKILL after the grace period, and remove it; return its status."""
        from docker.errors import DockerException  # noqa: PLC0415 - comes with the extra

        if not self._removed:
            try:
                if self.poll() is None:
                    self._end(grace_s)
                self._reader.join(LAST_WORDS_S)
            except (DockerException, OSError) as error:  # a timeout is an OSError, too
                what = str(error) or f"it still runs {LAST_WORDS_S:g} s after SIGKILL"
                raise SetupError(
                    f"Docker cannot end the container: {what}", hint=LOOK_AT_DOCKER
                ) from error
            finally:
                self._removed = True
                _remove(self._container)
        return -signal.SIGKILL if self._status is None else self._status

    def _end(self, grace_s: float) -> None:
        """Stop what runs; Docker itself kills it when the grace period is over."""
        if self._docker.status == "paused":
            self._docker.unpause()
        if grace_s:
            self._docker.stop(timeout=round(grace_s))
        else:
            self._docker.kill()
        self.wait(LAST_WORDS_S)

    def _reload(self) -> None:
        """Ask Docker how it stands; SetupError when it is gone or nobody answers."""
        from docker.errors import DockerException  # noqa: PLC0415 - comes with the extra

        try:
            self._docker.reload()
        except (DockerException, OSError) as error:
            raise SetupError(
                f"Docker has lost the container of {self._container.image}: {error}",
                hint="somebody removed it, or the engine was restarted; nothing was judged",
            ) from error

    def _look(self) -> None:
        self._reload()
        if self._docker.status in ENDED:
            code = int(self._docker.attrs["State"]["ExitCode"])
            is_signal = SIGNALLED < code <= SIGNALLED + int(signal.SIGRTMAX)
            self._status = SIGNALLED - code if is_signal else code

    def _listen(self, pipe: Path) -> None:
        """Hand the output on until it ends, or nobody wants it any more."""
        from docker.errors import DockerException  # noqa: PLC0415 - comes with the extra

        with contextlib.suppress(OSError, DockerException), pipe.open("wb", buffering=0) as out:
            for chunk in self._docker.logs(stream=True, follow=True):
                out.write(chunk)


def _remove(container: Any) -> None:  # noqa: ANN401 - the library is optional
    """Remove a container, its volumes too; one that is gone already is no failure."""
    from docker.errors import DockerException  # noqa: PLC0415 - comes with the extra

    with contextlib.suppress(DockerException, OSError):
        container.stop()


def _unrunnable(image: str, error: Any) -> UsageError:  # noqa: ANN401 - docker's APIError
    return UsageError(
        f"the image {image} cannot be run: {error.explanation or error}",
        expected="an image that Docker has or may pull, with a command of its own",
        hint=f"try it by hand: docker run --rm {image}",
    )


def _no_docker(error: Exception) -> SetupError:
    return SetupError(
        f"no Docker engine answers: {error}",
        expected="a running Docker engine, for a consumer in an image",
        hint="start Docker, or let DOCKER_HOST name an engine; or certify the command itself,"
        " by exec:",
    )
