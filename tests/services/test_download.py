"""The downloader against a real HTTP server that misbehaves in every way we know of."""

from __future__ import annotations

import hashlib
import http.server
import os
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from harness.errors import SetupError
from harness.services import download
from harness.services.artifacts import Artifact
from harness.services.download import Interrupted, fetch, place
from harness.services.ports import free_ports
from harness.services.repository import Repository

DATA = bytes(range(256)) * 4096  # 1 MiB


def artifact(name: str = "thing", data: bytes = DATA) -> Artifact:
    """Return an artifact with the digest of this content."""
    return Artifact("org.example", name, "1.0", len(data), hashlib.sha256(data).hexdigest())


class Repo(http.server.ThreadingHTTPServer):
    """A Maven repository with moods: `cuts` connections break midway, `ranges` may be off."""

    daemon_threads = True

    def __init__(self) -> None:
        """Listen on a free port; everything is served from `files`."""
        super().__init__(("127.0.0.1", 0), Handler)
        self.files: dict[str, bytes] = {f"/m/{artifact().path}": DATA}
        self.cuts = 0
        self.ranges = True
        self.stalled: threading.Event | None = None
        self.asked: list[tuple[str, str | None, str | None]] = []

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing when a client hangs up."""

    @property
    def url(self) -> str:
        """Return the repository's address."""
        return f"http://127.0.0.1:{self.server_port}/m"


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers GET with ranges."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Serve one file in the server's mood."""
        repo = self.server
        assert isinstance(repo, Repo)
        asked = self.headers.get("Range")
        repo.asked.append((self.path, asked, self.headers.get("Authorization")))
        data = repo.files.get(self.path)
        if data is None:
            self.send_error(404)
            return
        begin = int(asked.removeprefix("bytes=").rstrip("-")) if asked and repo.ranges else 0
        self.send_response(206 if begin else 200)
        self.send_header("Content-Length", str(len(data) - begin))
        self.end_headers()
        if repo.stalled is not None:
            self.wfile.write(data[begin : begin + 300_000])
            repo.stalled.wait(20)
            self.close_connection = True
            return
        if repo.cuts:
            repo.cuts -= 1
            self.wfile.write(data[begin : begin + (len(data) - begin) // 2])
            self.close_connection = True
            return
        self.wfile.write(data[begin:])

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Say nothing."""


@pytest.fixture
def repo() -> Iterator[Repo]:
    """Serve a repository while the test runs."""
    with Repo() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def repository(repo: Repo, tmp_path: Path) -> Repository:
    """Return settings that name the served repository and a fresh cache."""
    return Repository(cache=tmp_path / "cache", url=repo.url, local=tmp_path / "m2")


def test_a_file_is_downloaded_once(repo: Repo, repository: Repository) -> None:
    """The second call finds it in the cache; progress ends at the whole."""
    progress: list[tuple[int, int]] = []
    (file,) = fetch(
        [artifact()], repository, on_progress=lambda done, all_: progress.append((done, all_))
    )
    assert file.read_bytes() == DATA
    assert progress[-1] == (len(DATA), len(DATA))
    assert progress == sorted(progress)
    assert fetch([artifact()], repository) == (file,)
    assert len(repo.asked) == 1


def test_broken_connections_are_continued(repo: Repo, repository: Repository) -> None:
    """After a connection breaks, only the rest is asked for."""
    repo.cuts = 3
    (file,) = fetch([artifact()], repository)
    assert file.read_bytes() == DATA
    begins = [asked for _, asked, _ in repo.asked]
    assert begins == [None, "bytes=524288-", "bytes=786432-", "bytes=917504-"]


def test_an_interrupted_run_is_continued(repo: Repo, repository: Repository) -> None:
    """A `.part` file of an earlier run is the beginning of this one."""
    part = place(artifact(), repository).with_name("thing-1.0.jar.part")
    part.parent.mkdir(parents=True)
    part.write_bytes(DATA[:1000])
    (file,) = fetch([artifact()], repository)
    assert file.read_bytes() == DATA
    assert [asked for _, asked, _ in repo.asked] == ["bytes=1000-"]
    assert not part.exists()


@pytest.mark.parametrize("left", [b"wrong" * 100, DATA, DATA + b"more"])
def test_a_wrong_part_file_does_no_harm(repo: Repo, repository: Repository, left: bytes) -> None:
    """What an earlier run left may be anything: in the end the file is right."""
    part = place(artifact(), repository).with_name("thing-1.0.jar.part")
    part.parent.mkdir(parents=True)
    part.write_bytes(left)
    (file,) = fetch([artifact()], repository)
    assert file.read_bytes() == DATA
    assert repo.asked


def test_a_server_without_ranges_is_asked_for_the_whole(repo: Repo, repository: Repository) -> None:
    """A 200 to a Range request starts the file over."""
    repo.ranges = False
    repo.cuts = 1
    (file,) = fetch([artifact()], repository)
    assert file.read_bytes() == DATA


def test_a_wrong_file_is_refused_and_removed(repo: Repo, repository: Repository) -> None:
    """Neither the file nor a part of it stays; the error names artifact, expected and got."""
    repo.files[f"/m/{artifact().path}"] = DATA[:-1] + b"!"
    with pytest.raises(SetupError) as caught:
        fetch([artifact()], repository)
    message = str(caught.value)
    assert "org.example:thing:1.0" in message
    assert artifact().sha256 in message
    assert hashlib.sha256(DATA[:-1] + b"!").hexdigest() in message
    assert not list(repository.cache.rglob("*.jar")) + list(repository.cache.rglob("*.part"))


def test_a_flipped_byte_is_noticed_whenever_a_file_is_used(
    repo: Repo, repository: Repository
) -> None:
    """A file of the right size, its time set back, but with wrong content is fetched anew."""
    (file,) = fetch([artifact()], repository)
    fetch([artifact()], repository)
    before = file.stat()
    for spoilt in (bytes(len(DATA)), DATA[:-1] + b"!"):
        file.write_bytes(spoilt)
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
        fetch([artifact()], repository)
        assert file.read_bytes() == DATA
    assert len(repo.asked) == 3


def test_what_was_not_touched_is_not_read_again(
    repo: Repo, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stamp spares hashing hundreds of megabytes at every start; verifying trusts no stamp."""
    fetch([artifact()], repository)
    fetch([artifact()], repository)
    monkeypatch.setattr(download, "_sha256", lambda _: "wrong")
    fetch([artifact()], repository)
    assert len(repo.asked) == 1
    with pytest.raises(SetupError):
        fetch([artifact()], repository, verify=True)


def test_no_network_says_what_to_do(tmp_path: Path) -> None:
    """Offline: the URL, the cache, the mirror setting and how to fill the cache are named."""
    (port,) = free_ports(1)
    repository = Repository(cache=tmp_path / "cache", url=f"http://127.0.0.1:{port}/m")
    with pytest.raises(SetupError) as caught:
        fetch([artifact()], repository)
    message = str(caught.value)
    for part in (
        f"{repository.url}/{artifact().path}",
        str(tmp_path / "cache"),
        "HARNESS_MAVEN_MIRROR",
        "harness services fetch",
        "HARNESS_CACHE_DIR",
    ):
        assert part in message


def test_a_repository_that_lacks_it_is_named(repo: Repo, repository: Repository) -> None:
    """A 404 is the repository's fault, not the network's; nothing else is left half done."""
    with pytest.raises(SetupError, match="answers 404") as caught:
        fetch([artifact(), artifact("absent")], repository)
    assert "org.example:absent:1.0" in str(caught.value)
    assert repo.url in str(caught.value)


def test_maven_s_own_repository_is_reused(repo: Repo, repository: Repository) -> None:
    """A right artifact in ~/.m2/repository is copied, a wrong one ignored."""
    assert repository.local is not None
    for name, data in (("thing", DATA), ("spoilt", bytes(len(DATA)))):
        there = repository.local / artifact(name).path
        there.parent.mkdir(parents=True)
        there.write_bytes(data)
    repo.files[f"/m/{artifact('spoilt').path}"] = DATA
    files = fetch([artifact(), artifact("spoilt")], repository)
    assert [file.read_bytes() == DATA for file in files] == [True, True]
    assert [path for path, _, _ in repo.asked] == [f"/m/{artifact('spoilt').path}"]


def test_credentials_go_to_the_mirror(repo: Repo, repository: Repository) -> None:
    """User and password are sent as basic authentication."""
    fetch([artifact()], replace(repository, user="me", password="pw"))
    assert repo.asked[0][2] == "Basic bWU6cHc="


def test_a_proxy_from_the_environment_is_used(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HTTP_PROXY is asked for the whole URL, unless NO_PROXY names the host."""
    url = "http://repository.invalid/m"
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{repo.server_port}")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    repo.files[f"{url}/{artifact().path}"] = DATA
    (file,) = fetch([artifact()], Repository(cache=tmp_path, url=url))
    assert file.read_bytes() == DATA


def test_two_runs_do_not_collide(repo: Repo, repository: Repository) -> None:
    """Two callers at once: one downloads, the other waits and finds it."""
    threads = [threading.Thread(target=fetch, args=([artifact()], repository)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert place(artifact(), repository).read_bytes() == DATA
    assert len(repo.asked) == 1


def test_another_run_is_not_waited_for_without_end(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lock that is never released becomes an error that names it."""
    monkeypatch.setattr(download, "OTHER_RUN_DEADLINE_S", 0.05)
    with (
        download._only_us(place(artifact(), repository)),
        pytest.raises(SetupError, match=r"thing-1\.0\.jar\.lock"),
    ):
        fetch([artifact()], repository)


def test_a_given_up_download_ends_and_can_be_continued(repo: Repo, repository: Repository) -> None:
    """Setting the event ends the call soon; what had arrived is kept."""
    repo.stalled = threading.Event()
    given_up = threading.Event()

    def give_up(done: int, total: int) -> None:
        del total
        if done:
            given_up.set()
            assert repo.stalled is not None
            repo.stalled.set()

    with pytest.raises(Interrupted):
        fetch([artifact()], repository, on_progress=give_up, given_up=given_up)
    part = place(artifact(), repository).with_name("thing-1.0.jar.part")
    assert 0 < part.stat().st_size < len(DATA)
    repo.stalled = None
    assert fetch([artifact()], repository)[0].read_bytes() == DATA


def test_an_unwritable_cache_is_a_setup_error(repository: Repository) -> None:
    """A file where a directory should be: the cache is named, and the setting that moves it."""
    repository.cache.parent.mkdir(exist_ok=True)
    repository.cache.write_text("in the way")
    with pytest.raises(SetupError, match="HARNESS_CACHE_DIR"):
        fetch([artifact()], repository)
