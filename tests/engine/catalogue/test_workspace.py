"""Where scenarios are, and the words that find them again from the same place."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.engine.catalogue import workspace as module
from harness.engine.catalogue.workspace import workspace


@pytest.mark.parametrize("inside", [True, False])
def test_what_comes_with_the_package_needs_no_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, inside: bool
) -> None:
    """Wherever the package is installed, in an environment below this directory as well."""
    bundle = tmp_path / (".venv/_bundle" if inside else "../elsewhere/_bundle")
    (bundle / "scenarios").mkdir(parents=True)
    monkeypatch.setattr(module, "BUNDLE", bundle.resolve())
    monkeypatch.chdir(tmp_path)
    assert workspace(tmp_path).options() == ()
    (tmp_path / "scenarios").mkdir()
    assert workspace(tmp_path).options() == ()
    assert workspace(tmp_path, Path("bundled")).options() == ("--scenarios", "bundled")
    (tmp_path / "other").mkdir()
    assert workspace(tmp_path, Path("other")).options() == ("--scenarios", "other")
