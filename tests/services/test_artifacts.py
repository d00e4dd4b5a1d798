"""The lock file: what we ship, how it is read and written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness.errors import HarnessBug, SetupError
from harness.oracles.mariadb import lock as mariadb
from harness.oracles.vitess import lock as vitess
from harness.services.artifacts import LOCK, Artifact, locked, read, this_platform, written
from harness.services.lock import GROUPS

# Each lock with the groups that it is resolved from, and the module that writes it.
LOCKS = {
    LOCK: (GROUPS, "harness.services.lock"),
    vitess.LOCK: (vitess.GROUPS, "harness.oracles.vitess.lock"),
    mariadb.LOCK: (mariadb.GROUPS, "harness.oracles.mariadb.lock"),
}
EVERY = [
    (lock, group, one)
    for lock in LOCKS
    for group, artifacts in read(lock).items()
    for one in artifacts
]


@pytest.mark.parametrize(("lock", "group", "artifact"), EVERY, ids=lambda part: str(part)[-60:])
def test_every_locked_artifact_is_pinned(lock: Path, group: str, artifact: Artifact) -> None:
    """Each has a sha256, a plausible size, a fixed version, and a group with roots."""
    assert re.fullmatch(r"[0-9a-f]{64}", artifact.sha256)
    assert artifact.size > 200  # the smallest jar holds its manifest alone
    assert not re.search(r"SNAPSHOT|[\[\](),]", artifact.version)
    assert group in LOCKS[lock][0]


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: str(lock.parent.name))
def test_the_lock_follows_from_the_generator_s_roots(lock: Path) -> None:
    """Roots are locked in just the versions that are named, and nothing dropped is there."""
    groups, wanted_groups = read(lock), LOCKS[lock][0]
    assert list(groups) == list(wanted_groups)
    for name, group in wanted_groups.items():
        coordinates = {one.coordinates for one in groups[name]}
        assert coordinates >= set(group.roots)
        assert not {c.rpartition(":")[0] for c in coordinates} & group.dropped
        for where, wanted in (group.platforms or {}).items():
            assert [o.coordinates for o in groups[name] if o.platform == where] == [wanted]
        for where, program in (group.executables or {}).items():
            found = [f"{o.coordinates}:{o.ending}" for o in groups[name] if o.platform == where]
            coordinates_, _, classifier = program.rpartition(":")
            assert found == [f"{coordinates_}:-{classifier}.exe"]


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: str(lock.parent.name))
def test_no_artifact_is_locked_twice(lock: Path) -> None:
    """A classpath with two versions of one thing would load either."""
    for artifacts in read(lock).values():
        names = [(one.group, one.name, one.platform) for one in artifacts]
        assert len(names) == len(set(names))


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: str(lock.parent.name))
def test_written_and_read_are_inverse(lock: Path, tmp_path: Path) -> None:
    """The shipped file is what the writer writes for what the reader reads."""
    text = written(read(lock), LOCKS[lock][1])
    assert text == lock.read_text(encoding="utf-8")
    copy = tmp_path / "jars.lock"
    copy.write_text(text, encoding="utf-8")
    assert read(copy) == read(lock)


def test_paths_are_maven_s() -> None:
    """Coordinates become the path that every Maven repository uses."""
    artifact = Artifact("org.apache.kafka", "kafka_2.13", "4.1.2", 1, "0")
    assert artifact.path == "org/apache/kafka/kafka_2.13/4.1.2/kafka_2.13-4.1.2.jar"


def test_a_group_for_other_platforms_only_is_a_setup_error() -> None:
    """An unserved platform is told which ones are, and that a server of one's own will do."""
    assert len(locked("mariadb", where="linux-x86_64")) == 1
    assert len(locked("kafka", where="plan9-mips")) == len(read(LOCK)["kafka"])
    with pytest.raises(SetupError, match="plan9-mips") as caught:
        locked("mariadb", where="plan9-mips")
    assert "linux-x86_64" in str(caught.value)
    assert "--upstream" in str(caught.value)


def test_this_platform_is_named_as_in_the_lock() -> None:
    """System and machine, machines under one name each."""
    assert re.fullmatch(r"[a-z]+-[a-z0-9_]+", this_platform())
    assert not this_platform().endswith(("AMD64", "aarch64"))


@pytest.mark.parametrize(
    "text", ["no toml [", "[kafka]\n", '[kafka]\nartifacts = [{coordinates = "a:b:1"}]\n']
)
def test_a_malformed_lock_is_our_defect(tmp_path: Path, text: str) -> None:
    """We ship the lock, so a broken one is never the user's fault."""
    broken = tmp_path / "jars.lock"
    broken.write_text(text, encoding="utf-8")
    with pytest.raises(HarnessBug, match=r"jars\.lock"):
        read(broken)
