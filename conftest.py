"""What every test run shares: the plugin and the Hypothesis profiles, and no more.

`dev` looks for new examples; `ci` repeats the same ones on every machine; `nightly` searches long.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("dev", deadline=None)
settings.register_profile(
    "ci", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("nightly", deadline=None, max_examples=5000, print_blob=True)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if "CI" in os.environ else "dev")
)


def pytest_addoption(pluginmanager: pytest.PytestPluginManager) -> None:
    """Load the plugin where it is not installed: scenario files are tests here too.

    Not by `pytest_plugins`, which pytest refuses when another project collects our scenarios.
    """
    pluginmanager.import_plugin("harness.pytest_plugin")
