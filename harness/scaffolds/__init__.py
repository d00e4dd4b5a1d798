"""Small consumers that work: what `harness new consumer` puts together, one directory a language.

A program is the files of `<language>/runner`, which find the job, read Kafka and answer, and those
of `<language>/<protocol>`, which say what messages mean, `debezium` those of all its connectors;
`json` is what protocols that speak JSON have in common, `python/rows` what Python has with and
without Spark.

Each is a program of its own with its own dependencies, and nothing here imports it. In Spark it
imports the public functions of `cdc_spark`, and `harness.services.jars`, which finds Spark's jars.
No other imports anything of ours. So languages repeat one
another on purpose, and so do the fold of Spark, which has a whole changefeed before it, and the
reader of Python, which is handed one message: whoever takes one takes all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from harness.protocols import PROTOCOLS

SCAFFOLDS = Path(__file__).parent
NAME = "my-consumer"  # what the programs are called in their files
PROTOCOL = "my-protocol"  # what their manifests say that they read
LANGUAGES = ("python", "spark", "node", "go", "java")
# Language -> the protocols whose scaffold there is, the default one first.
OFFERED: Mapping[str, tuple[str, ...]] = {
    language: tuple(
        name
        for name in sorted(PROTOCOLS)
        if PROTOCOLS[name].scaffold_parts
        and (SCAFFOLDS / language / PROTOCOLS[name].scaffold_parts[-1]).is_dir()
    )
    for language in LANGUAGES
}
ROWS = "python/rows"
# Language -> the directories that all of its programs have files of.
_ALWAYS: Mapping[str, tuple[str, ...]] = {
    "python": (ROWS, "python/runner"),
    "spark": (ROWS, "spark/runner"),
}


def parts(language: str, protocol: str) -> Iterator[Path]:
    """Yield the directories whose files make a program."""
    for name in _ALWAYS.get(language, (f"{language}/runner",)):
        yield SCAFFOLDS / name
    for name in PROTOCOLS[protocol].scaffold_parts:
        if (SCAFFOLDS / language / name).is_dir():
            yield SCAFFOLDS / language / name
