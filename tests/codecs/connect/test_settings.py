"""What is said of the converters' settings."""

from __future__ import annotations

import pytest

from harness.codecs.connect.settings import APICURIO, CONVERTER_SETTINGS
from harness.contracts import Setting

OWN = [row for row in CONVERTER_SETTINGS if not row.name.endswith(".converter")]
CLASSES = [row for row in CONVERTER_SETTINGS if APICURIO in row.values]


@pytest.mark.parametrize("row", OWN, ids=lambda row: row.name)
def test_a_converters_setting_counts_beside_its_class(row: Setting) -> None:
    """Each setting says that a connector's own is ignored unless it names the converter."""
    part = row.name.partition(".")[0]
    assert f"counts only beside a `{part}.converter`" in row.meaning


@pytest.mark.parametrize("row", CLASSES, ids=lambda row: row.name)
def test_apicurios_frame_and_rule_are_named(row: Setting) -> None:
    """Who may write Apicurio's form reads what makes it Confluent's, and whose rule refuses."""
    for words in ("as-confluent=true", "headers.enabled=false", "use-id=contentId", "BACKWARD"):
        assert words in row.meaning
