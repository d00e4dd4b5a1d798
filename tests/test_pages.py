"""What refers to something else refers to something that exists: pages, scenarios, goldens."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from harness.errors import ExitCode
from harness.protocols import OWN, PROTOCOLS
from harness.scenario.load import load_all
from tests.tree import ROOT, hold, line_of, text_of, tracked, under

LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)#\s]+)[^)]*\)")


def test_links_between_pages_lead_somewhere() -> None:
    """Every relative link of a page names a file or directory of the repository."""
    hold(
        f"{page}:{line_of(text, link.start())}: {link[1]} does not exist"
        for page in tracked()
        if page.suffix == ".md"
        for text in [text_of(page)]
        for link in LINK.finditer(text)
        if "://" not in link[1] and not (ROOT / page.parent / link[1]).exists()
    )


def test_every_page_is_on_the_index() -> None:
    """A page that docs/README.md does not link to is one that nobody finds."""
    index = {Path("docs") / link for link in LINK.findall(text_of("docs/README.md"))}
    hold(
        f"{page}: docs/README.md does not link to it"
        for page in under("docs", ".md")
        if page not in index and page != Path("docs/README.md")
    )


def test_the_map_shows_the_land() -> None:
    """ARCHITECTURE.md describes every package of the harness, and none that does not exist."""
    described = set(re.findall(r"^\| `(\w+)` \|", text_of("ARCHITECTURE.md"), re.MULTILINE))
    members = {path.parts[1].removesuffix(".py") for path in under("harness", ".py")}
    assert described == {name for name in members if not name.startswith("__")}


def test_ci_runs_what_the_readme_promises() -> None:
    """The README's two commands, each after `pip install tox`, are the two steps of .ci/run."""
    promised = re.findall(r"^pip install tox && (tox .+)$", text_of("README.md"), re.MULTILINE)
    steps = re.findall(r"^step \w+ (tox .+)$", text_of(".ci/run"), re.MULTILINE)
    assert sorted(promised) == sorted(steps)
    assert len(steps) == 2


def test_ci_repeats_what_failed(tmp_path: Path) -> None:
    """The end of .ci/run has each test that failed or broke, then the counts, and no more."""
    functions = re.findall(
        r"^(say\(\) .+?|summary\(\) \{\n.+?^\})$", text_of(".ci/run"), re.MULTILINE | re.DOTALL
    )
    assert len(functions) == 2
    failed = ["FAILED tests/a/test_b.py::test_c[x y] - AssertionError: no", "ERROR tests/test_d.py"]
    counts = "==== 1 failed, 1 error in 2.0s ===="
    said = [*failed[:1], "FAILED to do something", "ERROR: no", *failed[1:], counts, "bye"]
    (tmp_path / "1-tests.log").write_text("\n".join(said), encoding="utf-8")
    script = "\n".join([*functions, 'scratch="$1"', "summary"])
    told = subprocess.check_output(["bash", "-c", script, "bash", str(tmp_path)], text=True)
    assert told.splitlines()[2:] == [*failed, counts]


def test_the_readme_names_every_dialect() -> None:
    """The table of what is covered has a row for each protocol, with just its dialects."""
    rows = re.findall(
        r"^\| \[.+?\]\(docs/reference/protocols/([\w-]+)\.md\) \| (.+?) \|",
        text_of("README.md"),
        re.MULTILINE,
    )
    named = {protocol: sorted(re.findall(r"`([^`]+)`", cell)) for protocol, cell in rows}
    assert named == {name: sorted(PROTOCOLS[name].codec.dialects) for name in OWN}


def test_exit_codes_are_documented() -> None:
    """docs/reference/exit-codes.md lists exactly the codes that commands can end with."""
    page = text_of("docs/reference/exit-codes.md")
    rows = re.findall(r"^\| (\d) \| (\w+) \|", page, re.MULTILINE)
    listed = {name: int(code) for code, name in rows}
    assert listed == {code.name.lower(): code.value for code in ExitCode}


def test_scenarios_and_goldens_are_pairs() -> None:
    """Every scenario has its locked change log, and no golden outlives its scenario.

    `golden/truth/` is apart: what the vendors' own encoders emitted.
    """
    scenarios = {
        path.relative_to("scenarios").with_suffix("") for path in under("scenarios", ".yaml")
    }
    locks = {
        path.parent.relative_to("golden")
        for path in under("golden", ".jsonl")
        if path.name == "changes.jsonl"
    }
    homes = {
        path.parent.relative_to("golden") for path in under("golden") if path.parts[1] != "truth"
    }
    hold(
        [f"scenarios/{path}.yaml: no golden; run: harness record" for path in scenarios - locks]
        + [
            f"golden/{path}/: no scenario of that path; delete it"
            for path in homes - scenarios - {Path()}
        ]
    )


def test_scenarios_are_valid() -> None:
    """Every scenario keeps the grammar and the rules, and cites clauses that exist."""
    assert load_all(ROOT / "scenarios")


def test_the_tutorial_can_be_followed(tmp_path: Path) -> None:
    """The tutorial's scenario is valid, with and without what its last step adds."""
    first, more = re.findall(
        r"^```yaml\n(.*?)^```", text_of("docs/tutorial/first-scenario.md"), re.MULTILINE | re.DOTALL
    )
    file = tmp_path / "keys" / "my-first.yaml"
    file.parent.mkdir()
    for text in (first, first + more):
        file.write_text(text, encoding="utf-8")
        assert [scenario.id for scenario in load_all(tmp_path)] == ["keys.my-first"]
