"""What every test run shares: the plugin and the Hypothesis profiles, and no more.

`dev` looks for new examples; `ci` repeats the same ones on every machine; `nightly` searches long.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

settings.register_profile("dev", deadline=None)
settings.register_profile(
    "ci", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("nightly", deadline=None, max_examples=5000, print_blob=True)
PROFILE = os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if "CI" in os.environ else "dev")
settings.load_profile(PROFILE)
if PROFILE == "ci":
    # Hypothesis draws literals of our own modules too, of those that happen to be imported by then:
    # another order of tests would try other examples.
    providers._get_local_constants = lambda: providers._local_constants  # noqa: SLF001


def pytest_addoption(pluginmanager: pytest.PytestPluginManager) -> None:
    """Load the plugin where it is not installed: scenario files are tests here too.

    Not by `pytest_plugins`, which pytest refuses when another project collects our scenarios.
    """
    pluginmanager.import_plugin("harness.pytest_plugin")
