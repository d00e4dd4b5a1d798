"""Where Spark runs, and with which settings besides ours.

| environment | meaning |
| --- | --- |
| `HARNESS_SPARK_MASTER` | the master's URL (default: two threads of this process's own Java) |
| `HARNESS_SPARK_CONF` | a JSON object of Spark's settings, instead of ours of these names |

Options of Java come behind ours, not instead of them.

On a cluster the executors need this package and its dependencies, PySpark's `spark.submit.pyFiles`
or an image that has them, and the directories of job.json must be theirs, too: a shared file
system. Nothing else assumes one machine.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from cdc_spark.errors import UsageError

MASTER, CONF = "HARNESS_SPARK_MASTER", "HARNESS_SPARK_CONF"
JAVA_OPTIONS = "spark.driver.extraJavaOptions"
# What is right where all of Spark is on this machine, and wrong elsewhere.
_HERE = ("spark.driver.bindAddress", "spark.driver.host", "spark.driver.extraClassPath")


def settled(
    ours: Mapping[str, str], jar_files: Sequence[str], environment: Mapping[str, str]
) -> dict[str, str]:
    """Return the settings of the session; raises UsageError for settings that are none."""
    users = user_settings(environment)
    settings = {**ours, **users}
    if JAVA_OPTIONS in users:
        settings[JAVA_OPTIONS] = f"{ours.get(JAVA_OPTIONS, '')} {users[JAVA_OPTIONS]}".strip()
    master = environment.get(MASTER) or users.get("spark.master", "")
    if not master:
        return settings
    settings["spark.master"] = master
    if master.startswith("local[") or master == "local":
        return settings
    for name in _HERE:
        if name not in users:
            settings.pop(name, None)
    given = [jar for jar in users.get("spark.jars", "").split(",") if jar]
    # Executors fetch them from the driver.
    return {**settings, "spark.jars": ",".join([*given, *jar_files])}


_OBJECT = 'an object of texts: {"setting": "value"}'


def user_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the settings that the user wants; raises UsageError for settings that are none."""
    text = environment.get(CONF, "")
    if not text:
        return {}
    try:
        document: object = json.loads(text)
    except ValueError as error:
        raise UsageError(f"{CONF} is not JSON: {error}", expected=_OBJECT) from error
    if not isinstance(document, dict):
        raise UsageError(f"{CONF} is {text[:60]!r}", expected=_OBJECT)
    found = cast("dict[str, Any]", document)
    wrong = [name for name, value in found.items() if type(value) is not str]
    if wrong:
        raise UsageError(f"{CONF} has a value of {wrong[0]} that is not text", expected=_OBJECT)
    return found
