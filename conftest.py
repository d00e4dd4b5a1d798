"""What every test run shares: plugins and the Hypothesis profiles, and no more.

`dev` looks for new examples; `ci` repeats the same ones on every machine; `nightly` searches long.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# Scenario files are tests, here as where the package is installed; pytester tests the plugin.
pytest_plugins = ["harness.pytest_plugin", "pytester"]

settings.register_profile("dev", deadline=None)
settings.register_profile(
    "ci", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("nightly", deadline=None, max_examples=5000, print_blob=True)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if "CI" in os.environ else "dev")
)
