"""What a run says of its conditions is complete, the same everywhere, and holds no secret."""

from __future__ import annotations

import shutil
from pathlib import Path

from harness.cli.options import repeated_settings
from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.fingerprint import fingerprint
from harness.engine.catalogue.workspace import workspace
from harness.engine.run.conditions import given, settings_of
from harness.engine.run.provenance import ARTIFACTS, IMAGES, services
from harness.services import SERVICES, settings
from harness.services.artifacts import LOCK, read
from tests.tree import ROOT

PASSWORDS = {
    "kafka.sasl.password": "hunter2",
    "registry.password": "hunter2",
    "database.url": "mysql://me:hunter2@db:3306/",
    "kafka.ssl.key.pem": "hunter2",
}


def test_no_secret_is_written_down() -> None:
    """Passwords, keys and accounts in addresses stand in no condition and in no command."""
    found = settings(PASSWORDS, env={}, here=Path("/"))
    text = f"{given(found)} {repeated_settings(found)}"
    assert "hunter2" not in text
    assert "mysql://***@db:3306/" in text


def test_equal_files_have_equal_fingerprints(tmp_path: Path) -> None:
    """The digest knows no path; one byte of a scenario, a lock or a golden changes it."""
    name = "dml/no-net-change"
    for root in ("scenarios", "golden"):
        (tmp_path / root / "dml").mkdir(parents=True)
    shutil.copy(ROOT / "scenarios" / f"{name}.yaml", tmp_path / "scenarios" / f"{name}.yaml")
    shutil.copytree(ROOT / "golden" / name, tmp_path / "golden" / name)

    def digest(root: Path) -> str:
        space = workspace(root, root / "scenarios")
        return fingerprint(space, selected(load(space, [space.scenarios / f"{name}.yaml"]), None))

    first = digest(ROOT)
    assert digest(tmp_path) == first
    for file in sorted((tmp_path / "golden" / name).iterdir()):
        content = file.read_bytes()
        file.write_bytes(content + b"\n")
        assert digest(tmp_path) != first
        file.write_bytes(content)
    scenario = tmp_path / "scenarios" / f"{name}.yaml"
    scenario.write_bytes(scenario.read_bytes() + b"# more\n")
    assert digest(tmp_path) != first


def test_every_service_has_a_version() -> None:
    """The lock names the artifact that an embedded service is, the settings a container's image."""
    assert ARTIFACTS.keys() == IMAGES.keys() == set(SERVICES)
    embedded = services(settings({}, env={}, here=Path("/")), list(SERVICES))
    for name, said in embedded.items():
        assert said.removeprefix("embedded ") in {one.coordinates for one in read(LOCK)[name]}
    contained = services(settings({"services": "container"}, env={}, here=Path("/")), ["kafka"])
    assert contained["kafka"].startswith("image ")


def test_settings_of_cases_are_listed_by_protocol() -> None:
    """Every protocol that has cases is there, each setting once with its values."""
    space = workspace(ROOT, ROOT / "scenarios")
    cases = selected(load(space, [ROOT / "scenarios" / "dml" / "no-net-change.yaml"]), None)
    assert settings_of(cases).keys() == {case.protocol for case in cases}
