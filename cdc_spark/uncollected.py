"""Python's search for cycles, off while a batch is worked on.

Law: what is done meanwhile makes many objects that live until the batch ends and refer to each
other in no circle. Python looks through all of them again and again: a fifth of decoding.
"""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Generator[None]:
    """Look for no cycles while the body runs; afterwards as it was before."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
