"""The reference page of settings, drawn from their table: `python -m harness.services.describe`.

`docs/reference/settings.md` is what `page` returns; a test holds the two together.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from harness.services.dialects import PROPERTIES, RENAMED, SAME
from harness.services.settings import ADDRESS_OF, SETTINGS, Setting, variable_of

HEAD = """\
<!-- Written by `python -m harness.services.describe`; a test holds it to the code's tables. -->

# Settings

Where services come from, and what is done there. How to choose:
[Choose services](../guides/choose-services.md).

The first of these that says something about a setting wins:

1. an option: `--set NAME=VALUE` takes any setting, `--kafka KEY=VALUE` any Kafka property;
   `--services`, `--registry` and `--keep-topics` are short for theirs
2. the environment: the variable in the table
3. `harness.toml` in the current directory: the name in the table, as a key or in tables
4. `[tool.harness]` in `pyproject.toml` there, likewise
5. the default

An unknown name, and a value that the setting does not take, is a usage error (exit code 2) that
names the option, the variable or the file and line.

## Services

| setting | variable | default | meaning |
| --- | --- | --- | --- |
"""
KAFKA = """
## Kafka

`kafka.` and any property of librdkafka's CONFIGURATION.md, which librdkafka itself judges. In a
variable's name `_` stands for a point and `__` for an underscore.

| for example | variable |
| --- | --- |
"""
JAVA = """
## What a Java consumer is given

`job.json` carries the client's properties twice, as librdkafka and as the Java client name them.
`security.protocol`, accounts (`sasl.jaas.config`), `ssl.ca.*`, `ssl.certificate.*`, `ssl.key.*`,
`ssl.keystore.*` and `ssl.endpoint.identification.algorithm` are translated; certificates and keys
as PEM, keys in PKCS #8. These keep their name, or have another:

| librdkafka | Java |
| --- | --- |
"""
LEFT_OUT = """
What only librdkafka knows is left out there: its threads, queues and socket settings, and
`enable.ssl.certificate.verification`, for which the Java client has no like.
"""
EXAMPLES = (
    "bootstrap.servers",
    "security.protocol",
    "sasl.mechanism",
    "sasl.username",
    "sasl.password",
    "ssl.ca.location",
    "client.id",
)


def page() -> str:
    """Return the page."""
    lines = [
        HEAD,
        *(f"{_row(one)}\n" for one in SETTINGS),
        *_addresses(),
        KAFKA,
        *(f"| `kafka.{name}` | `{variable_of(f'kafka.{name}')}` |\n" for name in EXAMPLES),
        JAVA,
        *(f"| `{name}` | `{RENAMED.get(name, name)}` |\n" for name in sorted({*SAME, *RENAMED})),
        LEFT_OUT,
    ]
    return "".join(lines)


def _row(setting: Setting) -> str:
    default = f"`{setting.default}`" if setting.default else ""
    meaning = setting.meaning.replace("|", "\\|")
    return f"| `{setting.name}` | `{setting.variable}` | {default} | {meaning} |"


def _addresses() -> Iterator[str]:
    yield "\nA service is external when its address is set (and `services` is not):\n\n"
    yield "| service | address |\n| --- | --- |\n"
    for service, address in ADDRESS_OF.items():
        assert address in {one.name for one in SETTINGS} or address[6:] in PROPERTIES
        yield f"| {service} | `{address}` |\n"


if __name__ == "__main__":
    sys.stdout.write(page())
