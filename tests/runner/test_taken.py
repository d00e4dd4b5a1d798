"""An answer is taken when the command ends: what is written later, or elsewhere, is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.model.observed import Outcome
from harness.model.table import TableId
from tests.runner.test_run import FINISH, run_one

# A process that the command leaves behind, which writes once it is asked to end. That is after the
# answer was taken; a tenth of a second later a file's time is another one on every file system.
LATER = """
put(first, "tables/shop.t.jsonl", '{"a": 1}')
FINISH
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
if os.fork() == 0:
    os.setsid()
    signal.sigwait([signal.SIGTERM])
    time.sleep(0.1)
    WRITE
    time.sleep(30)
""".replace("FINISH", FINISH.strip())


@pytest.mark.parametrize(
    "write",
    [
        """put(first, "tables/shop.t.jsonl", '{"a": 2}')""",
        """put(first, "tables/shop.u.jsonl", '{"a": 2}')""",
        """put(first, "events.jsonl", '')""",
        "done(first)",
        'os.remove(os.path.join(job["out_dir"], first["dir"], "tables/shop.t.jsonl"))',
        (
            """put(first, "tables/shop.t.jsonl", '{"a": 2}'); os.utime(os.path.join("""
            """job["out_dir"], first["dir"], "tables/shop.t.jsonl"), (1, 1))"""
        ),
    ],
    ids=["rewritten", "added", "events", "status", "removed", "dated-back"],
)
def test_what_is_written_after_the_end_is_no_answer(tmp_path: Path, write: str) -> None:
    """A process that outlives exit 0 cannot correct what the command answered."""
    observed = run_one(tmp_path, LATER.replace("WRITE", write))
    assert observed.outcome is Outcome.INVALID
    assert "after the command had ended" in observed.detail


def test_what_runs_on_without_writing_changes_nothing(tmp_path: Path) -> None:
    """A leftover process is ended, and the answer that was there at exit counts."""
    observed = run_one(tmp_path, LATER.replace("WRITE", "pass"))
    assert observed.outcome is Outcome.DONE
    assert observed.tables == {TableId("shop", "t"): ({"a": 1},)}


LINKS = {
    "symlink": """
elsewhere = os.path.join(job["work_dir"], "rows.jsonl")
open(elsewhere, "w").write('{"a": 1}')
os.symlink(elsewhere, os.path.join(home, "tables/shop.t.jsonl"))
""",
    "hard-link": """
elsewhere = os.path.join(job["work_dir"], "rows.jsonl")
open(elsewhere, "w").write('{"a": 1}')
os.link(elsewhere, os.path.join(home, "tables/shop.t.jsonl"))
""",
    "folder": """
elsewhere = os.path.join(job["work_dir"], "tables")
os.mkdir(elsewhere)
open(os.path.join(elsewhere, "shop.t.jsonl"), "w").write('{"a": 1}')
os.rmdir(os.path.join(home, "tables"))
os.symlink(elsewhere, os.path.join(home, "tables"))
""",
    "whole": """
elsewhere = os.path.join(job["work_dir"], "answer")
os.rename(home, elsewhere)
os.symlink(elsewhere, home)
put(first, "tables/shop.t.jsonl", '{"a": 1}')
""",
}


@pytest.mark.parametrize("links", LINKS)
def test_an_answer_that_lies_elsewhere_is_none(tmp_path: Path, links: str) -> None:
    """A link out of the result directory is refused, for a file, a folder or all of it."""
    home = 'home = os.path.join(job["out_dir"], first["dir"])\n'
    observed = run_one(tmp_path, home + LINKS[links] + FINISH)
    assert observed.outcome is Outcome.INVALID
    assert "link" in observed.detail


def test_a_link_within_the_result_directory_is_followed(tmp_path: Path) -> None:
    """Tables may be put in place by a link to a folder beside it."""
    body = """
home = os.path.join(job["out_dir"], first["dir"])
os.rename(os.path.join(home, "tables"), os.path.join(home, "v1"))
os.symlink("v1", os.path.join(home, "tables"))
put(first, "tables/shop.t.jsonl", '{"a": 1}')
"""
    observed = run_one(tmp_path, body + FINISH)
    assert observed.tables == {TableId("shop", "t"): ({"a": 1},)}
