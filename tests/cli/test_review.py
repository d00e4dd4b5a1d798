"""`harness review` shows goldens record by record, and writes what is accepted whole."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from harness.cli.main import main
from tests.cli.spoilt_goldens import RECORDS, SCENARIO, TABLES, stand_in


@pytest.fixture(autouse=True)
def _workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in a copy of one scenario whose goldens say something else."""
    stand_in(tmp_path, monkeypatch, (RECORDS, TABLES))


class Terminal(io.StringIO):
    """What somebody types."""

    def isatty(self) -> bool:
        """Say that it is a terminal."""
        return True


def typed(monkeypatch: pytest.MonkeyPatch, answers: str) -> None:
    """Let somebody type these letters, a line each."""
    monkeypatch.setattr(sys, "stdin", Terminal("".join(f"{letter}\n" for letter in answers)))


def test_without_a_terminal_it_shows_and_asks_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """Each change has its place, parts and lines of the scenario; nothing is written; exit 1."""
    before = RECORDS.read_bytes()
    assert main(["review"]) == 1
    out = capsys.readouterr().out
    assert f"{RECORDS}  1 of 1\n  ticdc/0@2: what a decoder reads, the value\n" in out
    assert "accept? " not in out
    assert f"made by scenarios/{SCENARIO}.yaml:" in out
    assert "  - shop.cart {id: 3, item: 'peppers', n: 7}" in out
    assert "  + shop.cart {id: 3, item: 'pepper', n: 7}" in out
    assert "nothing was asked: `--accept all`" in out
    assert RECORDS.read_bytes() == before


def test_options_accept_a_record_and_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    """A record named by its place is written, the other file stays; then all is taken."""
    assert main(["review", "--accept", f"{RECORDS}:ticdc/0@2"]) == 1
    out = capsys.readouterr().out
    assert f"wrote   {RECORDS}" in out
    assert f"left    {TABLES}: 0 of 1 change accepted" in out
    assert "peppers" not in RECORDS.read_text("utf-8")
    assert "peppers" in TABLES.read_text("utf-8")
    assert main(["review", "--accept", "all"]) == 0
    assert main(["review"]) == 0
    assert "no golden file differs" in capsys.readouterr().out
    assert main(["golden", "diff"]) == 0


def test_a_name_that_nothing_has_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """A typo is a usage error with the nearest name, and nothing is written."""
    assert main(["review", "--accept", f"{RECORDS}:ticdc/0@3"]) == 2
    assert f"did you mean '{RECORDS}:ticdc/0@2'?" in capsys.readouterr().err
    assert "peppers" in RECORDS.read_text("utf-8")


def spoil_two_records() -> tuple[str, str]:
    """Let two records of the file differ, and one row of the other; return the records' places."""
    text = RECORDS.read_text("utf-8")
    RECORDS.write_text(text.replace("resolved", "resolute", 1), "utf-8")
    return "ticdc/0@1", "ticdc/0@2"


def written() -> set[Path]:
    """Return the goldens that are as the scenario gives them."""
    return {
        file
        for file in (RECORDS, TABLES)
        if not any(word in file.read_text("utf-8") for word in ("peppers", "resolute"))
    }


# What is typed at two records of a file and one row of another -> what is written, how often it
# asks, and how many of the records' changes are accepted.
TYPED = {
    "yyy": ({RECORDS, TABLES}, 3, 2),
    "nny": ({TABLES}, 3, 0),
    "yny": ({TABLES}, 3, 1),
    "nyy": ({TABLES}, 3, 1),
    "an": ({RECORDS}, 2, 2),
    "ay": ({RECORDS, TABLES}, 2, 2),
    "na": ({RECORDS}, 3, 2),
    "sy": ({TABLES}, 2, 0),
    "ysy": ({TABLES}, 3, 1),
    "sn": (set[Path](), 2, 0),
    "qyy": (set[Path](), 1, 0),
    "yqy": (set[Path](), 2, 1),
    "yyq": ({RECORDS}, 3, 2),
    "y": (set[Path](), 2, 1),
    "": (set[Path](), 1, 0),
}


@pytest.mark.parametrize("answers", TYPED)
def test_a_terminal_is_asked_about_each(
    answers: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`y`, `n` answer for one change, `a`, `s` for the rest of a file, `q` and the end for all."""
    expected, asked, accepted = TYPED[answers]
    spoil_two_records()
    typed(monkeypatch, answers)
    assert main(["review"]) == (0 if len(expected) == 2 else 1)
    assert written() == expected
    out = capsys.readouterr().out
    assert out.count("accept? yes, no, all of this file, skip this file, quit") == asked
    if RECORDS in expected:
        assert f"wrote   {RECORDS}\n" in out
    else:
        assert f"left    {RECORDS}: {accepted} of 2 changes accepted\n" in out
    assert "nothing was asked" not in out


def test_a_file_is_written_once_all_of_it_is_accepted(capsys: pytest.CaptureFixture[str]) -> None:
    """One record of two accepted by its name leaves the file; both names write it."""
    first, second = (f"{RECORDS}:{place}" for place in spoil_two_records())
    before = RECORDS.read_bytes()
    for name in (first, second):
        assert main(["review", "--accept", name]) == 1
        assert f"left    {RECORDS}: 1 of 2 changes accepted\n" in capsys.readouterr().out
        assert RECORDS.read_bytes() == before
    assert main(["review", "--accept", first, "--accept", second]) == 1
    assert written() == {RECORDS}


@pytest.mark.parametrize("name", [RECORDS, TABLES])
def test_a_file_is_accepted_alone(name: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--accept FILE` takes all changes of that file and none of another; only those are shown."""
    spoil_two_records()
    (other,) = {RECORDS, TABLES} - {name}
    before = other.read_bytes()
    assert main(["review", "--accept", str(name)]) == 1
    out = capsys.readouterr().out
    assert (written(), other.read_bytes()) == ({name}, before)
    assert f"{name}  1 of " not in out
    assert f"{other}  1 of " in out


def test_what_is_accepted_is_not_shown_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of two records the accepted one is not shown, the other is, and no terminal is asked."""
    first, _ = spoil_two_records()
    typed(monkeypatch, "yy")
    main(["review", "--accept", f"{RECORDS}:{first}"])
    out = capsys.readouterr().out
    assert f"{RECORDS}  1 of 2\n" not in out
    assert f"{RECORDS}  2 of 2\n" in out
    assert not any(asked in out for asked in ("accept? ", "nothing was asked"))


def test_a_list_accepts_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--list` asks nothing on a terminal either, and is refused beside `--accept`."""
    typed(monkeypatch, "yy")
    assert main(["review", "--list"]) == 1
    assert "accept? " not in capsys.readouterr().out
    assert main(["review", "--list", "--accept", "all"]) == 2
    assert "--list accepts nothing" in capsys.readouterr().err
    assert written() == set()


def test_missing_and_stale_files_are_changes(capsys: pytest.CaptureFixture[str]) -> None:
    """A missing file is new and written, one of no variant is gone and removed."""
    stale = TABLES.with_name("open-p7.tables.txt")
    TABLES.rename(stale)
    RECORDS.unlink()
    assert main(["review", "--list"]) == 1
    out = capsys.readouterr().out
    assert "  shop.cart {id: 1, item: 'tea', n: 1}: it is gone\n" in out
    assert "  ticdc/0@2: it is new\n" in out
    assert main(["review", "--accept", "all"]) == 0
    assert f"removed {stale}\n" in capsys.readouterr().out
    assert not stale.exists()
    assert main(["golden", "diff"]) == 0


def test_a_record_more_changes_no_other(capsys: pytest.CaptureFixture[str]) -> None:
    """Records behind one that is gone differ by their place alone, and say so."""
    first, second, *rest = RECORDS.read_text("utf-8").split("\n\n")
    RECORDS.write_text("\n\n".join([first, *rest]), encoding="utf-8")
    assert second.startswith("ticdc/0@0 ")
    assert main(["review", "--list"]) == 1
    assert "ticdc/0@0: it is new" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["--accept", "all"], []])
def test_ci_accepts_nothing(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Where CI is set, neither options nor a terminal accept: exit 2. It may list."""
    monkeypatch.setenv("CI", "true")
    typed(monkeypatch, "yy")
    assert main(["review", *arguments]) == 2
    assert written() == set()
    assert main(["review", "--list"]) == 1


def test_what_an_author_expects_must_hold(capsys: pytest.CaptureFixture[str]) -> None:
    """A golden never blesses itself: with a failing expectation nothing is written."""
    scenario = Path(f"scenarios/{SCENARIO}.yaml")
    text = scenario.read_text("utf-8")
    expect = text.index("expect:")
    scenario.write_text(text[:expect] + text[expect:].replace("pepper", "salt"), "utf-8")
    assert main(["review", "--accept", "all"]) == 2
    assert "expect.tables does not hold" in capsys.readouterr().err
    assert "peppers" in TABLES.read_text("utf-8")
