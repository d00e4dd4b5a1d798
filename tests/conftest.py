"""Thousands of tests are collected without work that nobody needs.

The collector of garbage rests meanwhile, for none of them is any: to look for some takes half of
the collection's time, and again a part of each test that comes. The harness is imported as it is:
pytest would rewrite the assertions of a plugin's whole package, 750 modules in each worker of a
fresh clone, and no test fails by them.
"""

from __future__ import annotations

import gc

import pytest

gc.disable()


def pytest_configure(config: pytest.Config) -> None:
    """Leave the harness's assertions as they are; pytest has no option for it."""
    hook = config.pluginmanager.rewrite_hook  # without that set under --assert=plain
    getattr(hook, "_must_rewrite", set[str]()).discard("harness")


def pytest_collection_finish() -> None:
    """Collect garbage from now on, but never look at what was collected as tests."""
    gc.freeze()
    gc.enable()
