"""Settings that say where artifacts come from and where they go."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import UsageError
from harness.services.repository import CENTRAL, Repository, repository

NAMESPACE = 'xmlns="http://maven.apache.org/SETTINGS/1.0.0"'


def settled(home: Path, inner: str, attributes: str = "", **env: str) -> Repository:
    """Read the settings of a home directory with this settings.xml."""
    (home / ".m2").mkdir(exist_ok=True)
    (home / ".m2" / "settings.xml").write_text(f"<settings {attributes}>{inner}</settings>")
    return repository({"HOME": str(home), **env})


def mirror(of: str, url: str = "https://nexus.example/maven/", more: str = "") -> str:
    """Return a mirrors element."""
    inner = f"<id>corp</id><mirrorOf>{of}</mirrorOf><url>{url}</url>{more}"
    return f"<mirrors><mirror>{inner}</mirror></mirrors>"


def test_without_settings_it_is_maven_central(tmp_path: Path) -> None:
    """Central, Maven's usual local repository, nobody's credentials."""
    found = repository({"HOME": str(tmp_path), "HARNESS_CACHE_DIR": str(tmp_path / "c")})
    assert found == Repository(
        cache=tmp_path / "c", url=CENTRAL, local=tmp_path / ".m2" / "repository"
    )


def test_the_mirror_setting_wins(tmp_path: Path) -> None:
    """HARNESS_MAVEN_MIRROR comes before settings.xml, and a closing slash does no harm."""
    found = settled(tmp_path, mirror("*"), HARNESS_MAVEN_MIRROR="http://here:81/m/")
    assert (found.url, found.user) == ("http://here:81/m", None)


@pytest.mark.parametrize("of", ["central", "*", "external:*", "snapshots, central", "*,!other"])
@pytest.mark.parametrize("attributes", ["", NAMESPACE])
def test_a_mirror_of_central_is_honoured(tmp_path: Path, of: str, attributes: str) -> None:
    """Each spelling that Maven reads as central counts, with and without the namespace."""
    assert settled(tmp_path, mirror(of), attributes).url == "https://nexus.example/maven"


@pytest.mark.parametrize(
    "inner",
    [
        mirror("other"),
        mirror("*,!central"),
        mirror("external:http:*"),
        mirror("*", more="<blocked>true</blocked>"),
        "",
    ],
)
def test_other_mirrors_are_not(tmp_path: Path, inner: str) -> None:
    """A mirror of something else, an exclusion and a blocking mirror leave Central alone."""
    assert settled(tmp_path, inner).url == CENTRAL


def test_a_mirror_s_credentials_come_from_its_server(tmp_path: Path) -> None:
    """The server of the mirror's id counts, with environment variables filled in."""
    servers = (
        "<servers><server><id>x</id><username>no</username></server>"
        "<server><id>corp</id><username>me</username><password>${env.TOKEN}</password></server></servers>"
    )
    found = settled(tmp_path, mirror("central") + servers, TOKEN="s3cret")
    assert (found.user, found.password) == ("me", "s3cret")


def test_local_repository_and_certificates(tmp_path: Path) -> None:
    """Maven's localRepository and the usual certificate variables are honoured."""
    inner = "<localRepository>${user.home}/repo</localRepository>"
    found = settled(tmp_path, inner, REQUESTS_CA_BUNDLE="/etc/ca.pem")
    assert found.local == tmp_path / "repo"
    assert found.ca_bundle == "/etc/ca.pem"


def test_a_broken_settings_file_is_a_usage_error(tmp_path: Path) -> None:
    """The file is named, and the way around it."""
    (tmp_path / ".m2").mkdir()
    (tmp_path / ".m2" / "settings.xml").write_text("<settings><mirrors>")
    with pytest.raises(UsageError, match=r"settings\.xml") as caught:
        repository({"HOME": str(tmp_path)})
    assert "HARNESS_MAVEN_MIRROR" in str(caught.value)
