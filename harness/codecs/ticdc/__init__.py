"""What TiCDC's codecs share."""

from __future__ import annotations
