"""Small consumers that work, one directory a language: what `harness new consumer` copies.

Each is a program of its own with its own dependencies: it imports nothing of the harness but, in
Spark, the public functions of its consumers. Nothing here imports it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

SCAFFOLDS = Path(__file__).parent
NAME = "my-consumer"  # what the programs are called in their files
# Language -> the protocols whose scaffold there is, the default one first.
OFFERED: Mapping[str, tuple[str, ...]] = {
    "python": ("avro",),
    "spark": ("avro",),
    "node": ("avro",),
    "go": ("avro",),
    "java": ("avro",),
}
