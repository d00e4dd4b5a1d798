"""What every test run shares: the plugin and the Hypothesis profiles, and no more.

`same` draws the same examples on every machine, CI or not; `nightly` looks for new ones, and long.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

SLOW = [HealthCheck.too_slow]
settings.register_profile("same", deadline=None, derandomize=True, suppress_health_check=SLOW)
settings.register_profile("nightly", deadline=None, max_examples=5000, print_blob=True)
profile = os.environ.get("HYPOTHESIS_PROFILE") or "same"
settings.load_profile(profile)
if profile == "same":
    # It also draws literals of the modules imported so far: another order, other examples.
    providers._get_local_constants = lambda: providers._local_constants  # noqa: SLF001


def pytest_addoption(pluginmanager: pytest.PytestPluginManager) -> None:
    """Load the plugin where it is not installed: scenario files are tests here too.

    Not by `pytest_plugins`, which pytest refuses when another project collects our scenarios.
    """
    pluginmanager.import_plugin("harness.pytest_plugin")
