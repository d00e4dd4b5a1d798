"""The collector of garbage rests while thousands of tests are collected, none of them garbage.

To look for some takes half of the collection's time, and again a part of each test that comes.
"""

from __future__ import annotations

import gc

gc.disable()


def pytest_collection_finish() -> None:
    """Collect garbage from now on, but never look at what was collected as tests."""
    gc.freeze()
    gc.enable()
