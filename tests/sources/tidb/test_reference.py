"""The personality's settings: the reference names what is read, no more and no less."""

from __future__ import annotations

from harness.protocols.clauses import CLAUSES
from harness.scenario.grammar import grammar
from harness.sources.tidb.config_keys import KEYS
from harness.sources.tidb.reference import SETTINGS
from harness.sources.tidb.source import CHANGEFEED

# What is ours and in no changefeed file.
OURS = {"ddl-rules", CHANGEFEED}


def test_settings_are_known_to_grammar_and_file() -> None:
    """Each setting may be written in a scenario, and is a key of a changefeed file unless ours."""
    names = [setting.name for setting in SETTINGS]
    assert len(set(names)) == len(names)
    assert set(names) <= set(grammar()["$defs"]["open-settings"]["properties"])
    assert set(names) - OURS <= {name for name, key in KEYS.items() if key.wire}


def test_settings_cite_clauses() -> None:
    """A setting cites clauses that there are."""
    assert {clause for setting in SETTINGS for clause in setting.clauses} <= set(CLAUSES)
