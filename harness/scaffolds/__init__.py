"""Small consumers that work, one directory a language: what `harness new consumer` puts together.

Each is a program of its own with its own dependencies: it imports nothing of the harness but, in
Spark, the public functions of its consumers. Nothing here imports it. A program is the files of
`<language>/runner`, which find the job, read Kafka, keep rows and answer, and those of
`<language>/<protocol>`, which say what messages mean; `<language>/json` is what the two protocols
that speak JSON have in common.

No program shares code with another, so what every consumer does is written once a language, on
purpose: whoever takes one takes all of it, and reads nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

SCAFFOLDS = Path(__file__).parent
# Protocol -> the directories below a language's whose files make its program.
PARTS: Mapping[str, tuple[str, ...]] = {
    "avro": ("runner", "avro"),
    "open": ("runner", "json", "open"),
    "vitess": ("runner", "json", "vitess"),
}
NAME = "my-consumer"  # what the programs are called in their files
PROTOCOL = "my-protocol"  # what their manifests say that they read
# Language -> the protocols whose scaffold there is, the default one first.
OFFERED: Mapping[str, tuple[str, ...]] = {
    "python": ("avro", "open", "vitess"),
    "spark": ("avro",),
    "node": ("avro", "open", "vitess"),
    "go": ("avro", "open", "vitess"),
    "java": ("avro", "open", "vitess"),
}
