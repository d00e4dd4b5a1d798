"""The page of settings is the table of settings."""

from __future__ import annotations

from harness.services.describe import page
from harness.services.settings import SETTINGS
from tests.tree import text_of


def test_the_page_is_up_to_date() -> None:
    """The page is the code's; else: python -m harness.services.describe > it."""
    assert text_of("docs/reference/settings.md") == page()


def test_every_setting_is_on_the_page() -> None:
    """Name, variable and meaning of each setting can be looked up."""
    for setting in SETTINGS:
        assert f"| `{setting.name}` | `{setting.variable}` |" in page()
