"""Promises of the archive of Java's classes; that it works is seen in `test_run`."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.spark


def names(directory: Path, jar: Path) -> tuple[str, bool]:
    """Return the archive's name for these jars, and whether it is there."""
    from cdc_spark.conformance import class_archive  # noqa: PLC0415 - needs PySpark

    found = class_archive.find({class_archive.DIRECTORY: str(directory)}, [str(jar)])
    assert found is not None
    assert any(str(directory) in option for option in found.options())
    return found.path.name, found.made


def test_without_a_directory_there_is_none() -> None:
    """Nobody gets an archive who did not ask for one."""
    from cdc_spark.conformance import class_archive  # noqa: PLC0415 - needs PySpark

    assert class_archive.find({}, []) is None


def test_an_archive_is_named_after_what_it_depends_on(tmp_path: Path) -> None:
    """The same jars have one archive; another content needs another."""
    jar = tmp_path / "x.jar"
    jar.write_bytes(b"1")
    name, made = names(tmp_path, jar)
    assert not made
    assert names(tmp_path, jar)[0] == name
    jar.write_bytes(b"22")
    assert names(tmp_path, jar)[0] != name


def test_an_archive_appears_whole(tmp_path: Path) -> None:
    """What Java left is found by the next run; what it did not leave is not."""
    from cdc_spark.conformance.class_archive import Archive  # noqa: PLC0415 - needs PySpark

    archive = Archive(tmp_path / "x.jsa", made=False)
    archive.keep()
    assert not archive.path.exists()
    archive.scratch.write_bytes(b"classes")
    archive.keep()
    assert archive.path.read_bytes() == b"classes"
