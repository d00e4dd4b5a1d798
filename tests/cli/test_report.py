"""`harness report` renders a run again, and the options of a run are the table of writers."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from harness.cli import report
from harness.cli.main import main
from harness.cli.options import REPORTS
from harness.errors import UsageError
from harness.report.minisign import secret_key
from harness.report.writers import WRITERS, writing
from tests.report.samples import every_judgement, run, written
from tests.report.test_certificate import PASSED, certified
from tests.report.test_minisign import KEY


@pytest.fixture
def events(tmp_path: Path) -> Path:
    """A file with the events of a run."""
    path = tmp_path / "events.ndjson"
    path.write_bytes(written("ndjson", run(*every_judgement())))
    return path


def test_every_form_is_a_writer() -> None:
    """Options and forms name writers that exist, and every writer can be asked for."""
    assert set(REPORTS) | set(report.FORMS) == set(WRITERS)


@pytest.mark.parametrize("form", report.FORMS)
def test_a_report_from_a_file_is_the_report_of_the_run(
    form: str, events: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """What is rendered later, to standard output or a file, equals what the run itself wrote."""
    expected = written(form, run(*every_judgement()))
    assert main(["report", str(events), "--to", form]) == 0
    assert capfdbinary.readouterr().out == expected
    target = tmp_path / "out"
    assert main(["report", str(events), "--to", form, "-o", str(target)]) == 0
    assert target.read_bytes() == expected


def test_several_forms_at_once(
    events: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Outputs belong to forms in order; forms without one go to standard output."""
    target = tmp_path / "junit.xml"
    forms = ["--to", "junit", "--to", "markdown", "-o", str(target)]
    assert main(["report", str(events), *forms]) == 0
    assert ET.parse(target).getroot().tag == "testsuites"
    assert capfdbinary.readouterr().out.startswith(b"## Certification")


def test_without_a_form_the_console_speaks(
    events: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """The default is what a person saw, headline last."""
    assert main(["report", str(events)]) == 0
    assert capfdbinary.readouterr().out.splitlines()[-1].startswith(b"passed 1 / applicable 11")


def test_bad_input_is_the_users(events: Path, tmp_path: Path) -> None:
    """A file that is none, too many outputs, an output that cannot be: exit 2."""
    assert main(["report", str(tmp_path / "nothing")]) == 2
    assert main(["report", str(events), "-o", "a", "-o", "b"]) == 2
    assert main(["report", str(events), "-o", str(tmp_path / "no" / "where")]) == 2
    assert main(["report", str(events), "--to", "pdf"]) == 2


def test_a_report_that_cannot_be_written_is_a_usage_error(tmp_path: Path) -> None:
    """A path in no directory is told before anything starts."""
    with pytest.raises(UsageError, match="junit"), writing("junit", tmp_path / "no" / "file"):
        pass


def test_each_written_file_is_signed(events: Path, tmp_path: Path) -> None:
    """A signature stands beside each file, over its bytes, and names file and run."""
    key = tmp_path / "key"
    key.write_text(KEY)
    events.write_bytes(written("ndjson", certified(PASSED)))
    files = [tmp_path / name for name in ("c.md", "c.html", "j.xml")]
    words = ["--certificate", str(files[0]), "--certificate", str(files[1]), "--sign", str(key)]
    assert main(["report", str(events), *words, "--to", "junit", "-o", str(files[2])]) == 0
    for file in files:
        signed = file.with_name(f"{file.name}.minisig").read_text()
        comment = signed.splitlines()[2].removeprefix("trusted comment: ")
        assert comment.startswith(f"file:{file.name}\trun:")
        assert signed == secret_key(KEY, "").signature(file.read_bytes(), comment)


def test_what_cannot_sign_is_said_before_anything_is_written(
    events: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No key, another file, or nothing to sign: a usage error, and no certificate without one."""
    certificate = tmp_path / "c.html"
    other = tmp_path / "other"
    other.write_text("something else")
    for sign in (tmp_path / "nowhere", other):
        words = ["--certificate", str(certificate), "--sign", str(sign)]
        assert main(["report", str(events), *words]) == 2
        assert str(sign) in capsys.readouterr().err
    assert main(["report", str(events), "--sign", str(other)]) == 2
    assert "nothing to sign" in capsys.readouterr().err
    assert not certificate.exists()
