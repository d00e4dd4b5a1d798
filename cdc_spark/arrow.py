"""PyArrow and NumPy, whose types are missing, or made at run time where nobody can see them."""

# pyright: reportMissingTypeStubs=false
from __future__ import annotations

from typing import Any

import numpy as _numpy  # noqa: ICN001 - the short name is the untyped one
import pyarrow as _pyarrow  # noqa: ICN001 - as above
import pyarrow.compute as _compute

np: Any = _numpy
pa: Any = _pyarrow
pc: Any = _compute
