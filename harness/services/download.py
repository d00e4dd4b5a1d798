"""The one downloader: resumable, verified, shared between runs.

A file appears under its final name only when its sha256 is the locked one. What arrived of an
interrupted download stays in a `.part` file and is continued; a lock file beside it keeps two runs
apart.
"""

from __future__ import annotations

import hashlib
import shutil
import ssl
import threading
import urllib.request
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import certifi
import filelock
import urllib3
from urllib3.exceptions import HTTPError, IncompleteRead, ProtocolError, ReadTimeoutError, SSLError

from harness.errors import SetupError
from harness.services.artifacts import Artifact
from harness.services.repository import Repository

Progress = Callable[[int, int], None]  # bytes done, bytes in all; called from several threads

CHUNK = 1 << 18
WORKERS = 6
ATTEMPTS = 5  # connections that bring nothing; one that brought something does not count
OTHER_RUN_DEADLINE_S = 900.0  # how long to wait for another run that downloads the same file
TIMEOUT = urllib3.Timeout(connect=10.0, read=10.0)
RETRIES = urllib3.Retry(
    total=3, connect=1, backoff_factor=0.3, status_forcelist=(429, 500, 502, 503, 504)
)


class Interrupted(Exception):  # noqa: N818 - nobody is at fault, and no message ever shows it
    """The run was given up while a download was under way."""


def fetch(
    artifacts: Sequence[Artifact],
    repository: Repository,
    *,
    on_progress: Progress | None = None,
    given_up: threading.Event | None = None,
    verify: bool = False,
) -> tuple[Path, ...]:
    """Return the artifacts' files in the cache, downloading what is missing.

    Files that were there already are held against their sha256 as well, with `verify` even those
    that were not touched since the last time. Setting `given_up`
    from another thread ends the call with Interrupted. Raises SetupError when a file cannot be had
    or is not the locked one.
    """
    missing = [one for one in artifacts if not is_there(one, repository, verify=verify)]
    if missing:
        _Fetching(missing, repository, on_progress, given_up or threading.Event()).run()
    return tuple(place(one, repository) for one in artifacts)


def place(artifact: Artifact, repository: Repository) -> Path:
    """Return where the artifact is kept, whether or not it is there."""
    return repository.cache / "maven" / artifact.path


def is_there(artifact: Artifact, repository: Repository, *, verify: bool) -> bool:
    """Return whether the cache has the artifact as it is locked.

    A file whose stamp says that it was not touched since its sha256 was last right is not read
    again, but for `verify`.
    """
    file = place(artifact, repository)
    stamp = file.with_name(f"{file.name}.verified")
    try:
        now = _state(artifact, file)
        if not verify and stamp.is_file() and stamp.read_text(encoding="utf-8") == now:
            return True
        if file.stat().st_size != artifact.size or _sha256(file) != artifact.sha256:
            return False
    except OSError:
        return False
    with suppress(OSError):  # a cache that is only read is read whole each time
        stamp.write_text(now, encoding="utf-8")
    return True


def _state(artifact: Artifact, file: Path) -> str:
    """Return what no write to a file leaves as it was: its inode, size and both times in ns."""
    found = file.stat()
    times = (found.st_mtime_ns, found.st_ctime_ns)
    return " ".join(map(str, (artifact.sha256, found.st_ino, found.st_size, *times)))


class _Fetching:
    """One call of `fetch`: its connections, and how far it has come."""

    def __init__(
        self,
        missing: Sequence[Artifact],
        repository: Repository,
        on_progress: Progress | None,
        given_up: threading.Event,
    ) -> None:
        self.missing = missing
        self.repository = repository
        self.on_progress = on_progress
        self.http = _http(repository)
        self.total = sum(one.size for one in missing)
        self.done = 0
        self.lock = threading.Lock()
        self.given_up = given_up
        self.failed = threading.Event()

    def run(self) -> None:
        with self.http, ThreadPoolExecutor(WORKERS, "download") as pool:
            under_way = [pool.submit(self.one, artifact) for artifact in self.missing]
            try:
                done, _ = wait(under_way, return_when=FIRST_EXCEPTION)
                for one in done:
                    one.result()
            except BaseException:  # Ctrl-C too: let the other threads see it and end
                self.failed.set()
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def one(self, artifact: Artifact) -> None:
        file = place(artifact, self.repository)
        with _only_us(file):
            if is_there(artifact, self.repository, verify=True):  # another run was faster
                self.advance(artifact.size)
                return
            file.unlink(missing_ok=True)
            if not self.reuse(artifact, file):
                self.download(artifact, file)

    def reuse(self, artifact: Artifact, file: Path) -> bool:
        """Copy the artifact out of Maven's own repository when it is there and right."""
        if self.repository.local is None:
            return False
        candidate = self.repository.local / artifact.path
        if not candidate.is_file() or candidate.stat().st_size != artifact.size:
            return False
        part = _part(file)
        shutil.copyfile(candidate, part)
        if _sha256(part) != artifact.sha256:
            part.unlink()
            return False
        part.replace(file)
        self.advance(artifact.size)
        return True

    def download(self, artifact: Artifact, file: Path) -> None:
        part = _part(file)
        url = f"{self.repository.url}/{artifact.path}"
        resumed = 0 < _size(part) < artifact.size
        if resumed:
            self.advance(_size(part))
        else:  # nothing, or a leftover that was never verified: start anew
            part.unlink(missing_ok=True)
        actual = self.complete(artifact, url, part)
        if actual != artifact.sha256 and resumed:  # what an earlier run left may be what is wrong
            part.unlink()
            self.advance(-artifact.size)
            actual = self.complete(artifact, url, part)
        if actual != artifact.sha256:
            part.unlink()
            raise _wrong(artifact, url, actual)
        part.replace(file)

    def complete(self, artifact: Artifact, url: str, part: Path) -> str:
        """Receive the whole file, continuing where a connection broke; return its sha256."""
        failures = 0
        while True:
            had = _size(part)
            try:
                self.receive(artifact, url, part)
                return _sha256(part)
            except (ProtocolError, ReadTimeoutError) as error:
                failures = 0 if _size(part) > had else failures + 1
                if failures == ATTEMPTS:
                    raise _unreachable(artifact, url, error, self.repository) from error
            except HTTPError as error:
                raise _unreachable(artifact, url, error, self.repository) from error

    def receive(self, artifact: Artifact, url: str, part: Path) -> None:
        """Append what is missing to the `.part` file; raises HTTPError when the network fails."""
        had = _size(part)
        headers = dict(self.http.headers) | ({"Range": f"bytes={had}-"} if had else {})
        response = self.http.request("GET", url, headers=headers, preload_content=False)
        try:
            self.append(artifact, response, part)
        except BaseException:
            response.close()  # a connection in an unknown state is of no use to anybody
            raise
        response.release_conn()

    def append(self, artifact: Artifact, response: urllib3.BaseHTTPResponse, part: Path) -> None:
        had = _size(part)
        if response.status == 200 and had:  # the server knows no ranges
            self.advance(-had)
            had = 0
        if response.status not in {200, 206}:
            raise _refused(artifact, response.status, self.repository)
        with part.open("ab" if had else "wb") as out:
            while chunk := response.read1(CHUNK):  # keeps what arrived before a break
                if self.given_up.is_set() or self.failed.is_set():
                    raise Interrupted
                out.write(chunk)
                self.advance(len(chunk))
        if _size(part) < artifact.size:
            raise IncompleteRead(_size(part), artifact.size)

    def advance(self, count: int) -> None:
        with self.lock:
            self.done += count
            if self.on_progress is not None:
                self.on_progress(self.done, self.total)


@contextmanager
def _only_us(file: Path) -> Generator[None]:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        lock = filelock.FileLock(file.with_name(file.name + ".lock"))
        with lock.acquire(timeout=OTHER_RUN_DEADLINE_S):
            yield
    except filelock.Timeout as error:
        raise SetupError(
            f"another run has held {error.lock_file} for {OTHER_RUN_DEADLINE_S:g} s",
            hint="end that run; the lock is released with it",
        ) from error
    except OSError as error:
        raise SetupError(
            f"the cache in {file.parent} cannot be written: {error.strerror}",
            hint="make room or give rights there, or name another place with HARNESS_CACHE_DIR",
        ) from error


def _part(file: Path) -> Path:
    return file.with_name(file.name + ".part")


def _size(part: Path) -> int:
    return part.stat().st_size if part.exists() else 0


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _http(repository: Repository) -> urllib3.PoolManager:
    """Return a client that goes through the proxy, and trusts whom, the environment names."""
    context = ssl.create_default_context(cafile=repository.ca_bundle)
    if not repository.ca_bundle and not ssl.get_default_verify_paths().cafile:
        context.load_verify_locations(certifi.where())  # a Python without certificates of its own
    headers = {"User-Agent": "cdc-conformance"}
    if repository.user is not None:
        credentials = f"{repository.user}:{repository.password or ''}"
        headers |= urllib3.make_headers(basic_auth=credentials)
    parts = urlsplit(repository.url)
    proxy = urllib.request.getproxies().get(parts.scheme)
    if proxy and not urllib.request.proxy_bypass(parts.hostname or ""):
        return urllib3.ProxyManager(
            proxy,
            ssl_context=context,
            headers=headers,
            proxy_headers=_proxy_headers(proxy),
            timeout=TIMEOUT,
            retries=RETRIES,
            maxsize=WORKERS,
        )
    return urllib3.PoolManager(
        ssl_context=context, headers=headers, timeout=TIMEOUT, retries=RETRIES, maxsize=WORKERS
    )


def _proxy_headers(proxy: str) -> dict[str, str]:
    parts = urlsplit(proxy)
    if parts.username is None:
        return {}
    return dict(urllib3.make_headers(proxy_basic_auth=f"{parts.username}:{parts.password or ''}"))


def _unreachable(
    artifact: Artifact, url: str, error: Exception, repository: Repository
) -> SetupError:
    reason = getattr(error, "reason", None) or error
    what = f"cannot download {artifact.coordinates} from {url}: {reason}"
    if isinstance(reason, SSLError):
        return SetupError(
            what,
            expected="a certificate that this machine trusts",
            hint="name your organisation's certificates with SSL_CERT_FILE or REQUESTS_CA_BUNDLE",
        )
    return SetupError(
        what,
        expected=f"a network on the first run, or a filled cache in {repository.cache}",
        hint=(
            "set HARNESS_MAVEN_MIRROR to a Maven repository that can be reached; or run"
            " `harness services fetch` (for an oracle with `--oracles`) where there is a network,"
            " copy that directory here, and name it with HARNESS_CACHE_DIR"
        ),
    )


def _refused(artifact: Artifact, status: int, repository: Repository) -> SetupError:
    return SetupError(
        f"{repository.url}/{artifact.path} answers {status} instead of {artifact.coordinates}",
        expected=f"a Maven repository at {repository.url} that has, or fetches, every artifact",
        hint="look at HARNESS_MAVEN_MIRROR and at the mirrors in ~/.m2/settings.xml",
    )


def _wrong(artifact: Artifact, url: str, actual: str) -> SetupError:
    return SetupError(
        f"{artifact.coordinates} from {url} is not the artifact that was locked: sha256 {actual}",
        expected=f"sha256 {artifact.sha256}",
        hint="the file was removed; try again, and distrust that repository if this stays",
    )
