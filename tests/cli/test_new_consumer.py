"""`harness new consumer` writes a whole consumer that the harness accepts, or nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.authoring import new_consumer
from harness.authoring.new_consumer import GUIDE
from harness.cli.main import main
from harness.cli.new import LANGUAGES
from harness.protocols import OWN, PROTOCOLS
from harness.runner.commands import Whereabouts
from harness.runner.targets import parse
from harness.scaffolds import NAME, OFFERED, PROTOCOL, SCAFFOLDS
from tests.tree import text_of

README_LINES_MAX = 30
TABLE = [(language, protocol) for language, names in OFFERED.items() for protocol in names]


@pytest.fixture(autouse=True)
def _in_a_directory_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def scaffold(language: str, *more: str) -> Path:
    """Write a consumer called teas-2; return its directory."""
    assert main(["new", "consumer", "here/teas-2", "--language", language, *more]) == 0
    return Path("here/teas-2")


def test_every_language_and_no_other_has_a_directory() -> None:
    """What the command line offers is what the package holds."""
    assert (
        set(LANGUAGES)
        == set(OFFERED)
        == {path.parents[1].name for path in SCAFFOLDS.glob("*/runner/consumer.yaml")}
    )
    readers = {(path.parents[1].name, path.parent.name) for path in SCAFFOLDS.glob("*/*/README.md")}
    assert {(language, PROTOCOLS[name].scaffold_parts[-1]) for language, name in TABLE} == readers
    assert {protocol for _, protocol in TABLE} == set(OWN)


@pytest.mark.parametrize(("language", "protocol"), TABLE)
def test_what_is_written_bears_the_name(language: str, protocol: str) -> None:
    """The directory's name is the consumer's, in every file; nothing of ours is left in it."""
    directory = scaffold(language, "--protocol", protocol)
    files = [path for path in directory.rglob("*") if path.is_file()]
    assert {"README.md", "consumer.yaml", "tox.ini", ".gitignore"} <= {p.name for p in files}
    texts = {path: path.read_text(encoding="utf-8") for path in files}
    assert not [path for path, text in texts.items() if NAME in text or PROTOCOL in text]
    assert "teas-2" in texts[directory / "consumer.yaml"]
    assert "teas-2" in texts[directory / "README.md"]
    assert len(texts[directory / "README.md"].splitlines()) <= README_LINES_MAX
    assert not list(directory.parent.glob(".*"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_manifest_is_accepted(language: str) -> None:
    """The manifest declares its protocol, and is right but for what is still to be built."""
    directory = scaffold(language)
    tools = Path("tools")
    tools.mkdir()
    for name in ("python", "node", "java"):
        (tools / name).write_text("#!/bin/sh\n", encoding="utf-8")
        (tools / name).chmod(0o755)
    built = directory / "bin" / "teas-2"
    built.parent.mkdir()
    built.write_text("#!/bin/sh\n", encoding="utf-8")
    built.chmod(0o755)
    here = Whereabouts(Path.cwd(), {"PATH": str(tools.resolve()), "JAVA_HOME": "/jvm"})
    consumer = parse(str(directory / "consumer.yaml"), here)
    assert consumer.name == "teas-2"
    assert consumer.protocols == {OFFERED[language][0]}


@pytest.mark.parametrize(("language", "protocol"), TABLE)
def test_each_protocol_that_is_offered_is_declared(language: str, protocol: str) -> None:
    """`--protocol` decides what the manifest says that the consumer reads."""
    directory = scaffold(language, "--protocol", protocol)
    manifest = (directory / "consumer.yaml").read_text(encoding="utf-8")
    assert f"protocols: [{protocol}]" in manifest


OURS = tuple(f"{word} {name}" for word in ("from", "import") for name in ("harness", "cdc_spark"))


@pytest.mark.parametrize(("language", "protocol"), TABLE)
def test_each_is_a_program_of_its_own(language: str, protocol: str) -> None:
    """No scaffold imports our packages but Spark's: public functions, and the connector's jars."""
    directory = scaffold(language, "--protocol", protocol)
    lines = [line for path in directory.glob("*.py") for line in path.read_text().splitlines()]
    ours = {line for line in lines if line.startswith(OURS)}
    names = {
        "open": "DecodingError, Replica, decode_open",
        "avro": "decode_avro",
    }.get(protocol, "decode_debezium, decode_vitess")
    taken = {f"from cdc_spark import {names}", "from harness.services import jars"}
    assert ours == (taken if language == "spark" else set())


def test_another_protocol_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What no scaffold reads is said with what there is, and nothing is written."""
    monkeypatch.setattr(new_consumer, "OFFERED", {**OFFERED, "python": ("avro",)})
    assert main(["new", "consumer", "a", "--language", "python", "--protocol", "vitess"]) == 2
    output = capsys.readouterr().err
    assert "no scaffold in python for vitess" in output
    assert "--protocol avro" in output
    assert not Path("a").exists()


def test_a_protocol_of_no_language_is_refused_with_where_to_begin(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where no scaffold reads a protocol, the hint names the guide, which has an example of it."""
    monkeypatch.setattr(new_consumer, "OFFERED", dict.fromkeys(OFFERED, ("avro",)))
    begin = ["new", "consumer", "a", "--language", "go", "--protocol", "debezium-mysql"]
    assert main(begin) == 2
    assert f"no language has one; begin with the example of {GUIDE}" in capsys.readouterr().err
    assert "debezium_consumer.py" in text_of(GUIDE)


def test_without_a_directory_the_name_decides(capsys: pytest.CaptureFixture[str]) -> None:
    """The name is the directory; without either both are my-consumer."""
    assert main(["new", "consumer", "--language", "python", "--name", "teas"]) == 0
    assert "harness certify teas/consumer.yaml" in capsys.readouterr().out
    assert main(["new", "consumer", "--language", "python"]) == 0
    assert Path("teas/consumer.yaml").is_file()
    assert Path(NAME, "consumer.yaml").is_file()


@pytest.mark.parametrize("name", ["Teas", "a b", "-a", "a--b", "a" * 61, "../a"])
def test_a_name_that_some_tool_refuses_is_refused(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A name that npm, Maven or a manifest would not take is refused with one that they do."""
    assert main(["new", "consumer", "x", "--language", "python", f"--name={name}"]) == 2
    assert "such as my-consumer" in capsys.readouterr().err
    assert not Path("x").exists()


def test_nothing_is_overwritten(capsys: pytest.CaptureFixture[str]) -> None:
    """A directory with something in it, and a file, stay as they are; an empty one is taken."""
    for name in ("full", "empty"):
        Path(name).mkdir()
    Path("full/notes").write_text("mine", encoding="utf-8")
    Path("file").write_text("mine", encoding="utf-8")
    assert main(["new", "consumer", "full", "--language", "python"]) == 2
    assert "full is not empty" in capsys.readouterr().err
    assert main(["new", "consumer", "file", "--language", "python"]) == 2
    assert "file is a file" in capsys.readouterr().err
    assert [path.name for path in Path("full").iterdir()] == ["notes"]
    assert main(["new", "consumer", "empty", "--language", "python"]) == 0
    assert Path("empty/consumer.py").is_file()


def test_a_failure_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A disk that is full in the middle leaves neither half a consumer nor a scratch directory."""
    real = Path.write_text

    def full(path: Path, text: str, encoding: str) -> int:
        if path.name == "tox.ini":
            raise OSError(28, "No space left on device")
        return real(path, text, encoding=encoding)

    monkeypatch.setattr(new_consumer.Path, "write_text", full)
    assert main(["new", "consumer", "a", "--language", "python"]) == 2
    assert "cannot write a: No space left on device" in capsys.readouterr().err
    assert not list(Path.cwd().iterdir())
