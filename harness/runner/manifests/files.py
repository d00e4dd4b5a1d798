"""What `consumer.yaml` and lists of known failures may hold: types, schemas and reference page."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, ClassVar, Literal

import msgspec

from harness.documents.typed import key
from harness.model.level import Level
from harness.runner.manifest import Capability, Guarantee, Lossy, ProtocolName
from harness.runner.result import Holder, Result
from harness.verdict.design import Applies, Design, DroppedColumns, KeylessRows, OlderRows


class Excused(StrEnum):
    """The verdicts that a known failure may name; one that says nothing of a case is none."""

    FAIL = "fail"
    CRASH = "crash"
    TIMEOUT = "timeout"
    INVALID = "invalid"


VARIABLE = r"^[A-Za-z_][A-Za-z0-9_]*$"
ADDRESS = "^https?://"
VERSION = "The version of this grammar."
VariableName = Annotated[str, key("a variable's name", pattern=VARIABLE)]


class AttachedResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """Where the tables of a running system are."""

    holder: Annotated[
        Holder,
        key(
            "a holder",
            "`files`: JSON lines or Parquet below `directory`. `database`: a MySQL-compatible"
            " server of yours, where the harness reads and never writes.",
            enum=list(Holder),
        ),
    ] = msgspec.field(name="in")
    directory: Annotated[
        str,
        key(
            "a path such as ./out/{case}",
            "In files: the directory that holds `tables/`, relative to the manifest, with `{case}`"
            " as above.",
            minLength=1,
            maxLength=400,
            pattern=r"^(?:[^{}]|\{case\}|\{run\})+$",
        ),
    ] = ""
    url_from: Annotated[
        str,
        key(
            "a variable's name",
            "In a database: the environment variable that holds `mysql://user:password@host:port/`.",
            pattern=VARIABLE,
        ),
    ] = ""
    database: Annotated[
        str,
        key(
            "a pattern such as {case}_{schema}",
            "In a database: its name for a schema of the upstream, with `{case}` and `{schema}`.",
            maxLength=200,
            pattern=r"^(?:[^{}]|\{(?:case|run|schema)\})+$",
        ),
    ] = ""
    table: Annotated[
        str,
        key(
            "a pattern with {table}",
            "In a database: how the system names a table there.",
            maxLength=200,
            pattern=r"^(?:[^{}]|\{(?:case|run|schema)\})*\{table\}"
            r"(?:[^{}]|\{(?:case|run|schema|table)\})*$",
        ),
    ] = "{table}"


class AttachedSystem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A system that runs already."""

    topics: Annotated[
        str,
        key(
            "a pattern such as cdc.{case}.{topic}",
            "The topics that it reads, which the harness fills: a text that ends with `{topic}`,"
            " the upstream's name of the topic, behind a point, dash or underscore, and has"
            " `{case}` where more than one case is to be certified, such as `cdc.{case}.{topic}`.",
            maxLength=200,
            pattern=r"^(?:[A-Za-z0-9._-]|\{case\}|\{run\})+[._-]\{topic\}$",
        ),
    ]
    result: Annotated[AttachedResult, key("a result", "Where its tables are.")]
    group: Annotated[
        str,
        key(
            "the name of a consumer group",
            "Its consumer group in Kafka. When the group has committed the end of every partition,"
            " the result is taken as it is then; without it only by becoming right.",
            minLength=1,
            maxLength=200,
            pattern=r"^(?:[^{}]|\{case\}|\{run\})+$",
        ),
    ] = ""
    settle: Annotated[
        float,
        key(
            "a number of seconds",
            "For how long a result has to stay as it is before it is taken for final.",
            exclusiveMinimum=0,
            maximum=3600,
        ),
    ] = 5


class DeclaredDesign(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """How a consumer is built where several ways are right."""

    applies: Annotated[
        Applies,
        key(
            "a moment",
            "`when-resolved`: tables hold what the least resolved ts completes. `on-arrival`: they"
            " hold every row that was sent, the newest version of each, whether a resolved event"
            " has completed it or not; so do they at the end of a case.",
            enum=list(Applies),
        ),
    ] = Applies.WHEN_RESOLVED
    dropped_columns: Annotated[
        DroppedColumns,
        key(
            "a treatment",
            "`kept`: a column that the upstream drops stays in the table. Rows that did not change"
            " since keep its value, later ones keep it or have NULL, new ones have NULL.",
            enum=list(DroppedColumns),
        ),
    ] = DroppedColumns.REMOVED
    keyless_rows: Annotated[
        KeylessRows,
        key(
            "a treatment",
            "Of a table without a key, `counted` holds equal rows as often as the upstream does,"
            " `by-image` once; a deletion removes that one.",
            enum=list(KeylessRows),
        ),
    ] = KeylessRows.COUNTED
    older_rows: Annotated[
        OlderRows,
        key(
            "a value",
            "What rows of before an ADD COLUMN … DEFAULT hold in the new column where the wire"
            " does not carry the default: `null`, or with `upstream` the default, which the"
            " consumer has from elsewhere. In a database either is right without a declaration.",
            enum=list(OlderRows),
        ),
    ] = OlderRows.NULL

    def design(self) -> Design:
        """Return the design as verdicts take it."""
        return Design(self.applies, self.dropped_columns, self.keyless_rows, self.older_rows)


class ManifestFile(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"
):
    """What a consumer declares, so that `harness certify consumer.yaml` needs no other words."""

    schema_keywords: ClassVar = {
        "title": "a consumer's manifest",
        "oneOf": [{"required": [one]} for one in ("command", "callable", "attach")],
    }

    manifest: Annotated[Literal[1], key("the manifest's version", VERSION)]
    name: Annotated[
        str,
        key(
            "a name",
            "What reports call the consumer.",
            pattern="^[A-Za-z0-9][A-Za-z0-9._-]*$",
            maxLength=60,
        ),
    ]
    version: Annotated[
        str,
        key(
            "a version",
            "The consumer's own version, in quotes where it looks like a number.",
            minLength=1,
            maxLength=60,
        ),
    ] = ""
    homepage: Annotated[str, key("an address", "Where people read about it.", pattern=ADDRESS)] = ""
    command: Annotated[
        tuple[Annotated[str, key("a word", minLength=1)], ...],
        key(
            "a command",
            "The command, word by word. Words that begin with ./ or ../ are paths beside the"
            " manifest.",
            minItems=1,
        ),
    ] = ()
    callable: Annotated[
        str,
        key(
            "a callable",
            "Instead of a command: a Python function, package.module:function, importable from"
            " beside the manifest.",
            pattern="^[A-Za-z_][A-Za-z0-9_.]*:[A-Za-z_][A-Za-z0-9_]*$",
        ),
    ] = ""
    attach: Annotated[
        AttachedSystem | None,
        key(
            "a running system",
            "Instead of a command: a system that runs already. The harness fills the topics"
            " that it reads and looks at its tables until they are right and stay so, or the"
            " deadline passes.",
        ),
    ] = None
    protocols: Annotated[
        frozenset[ProtocolName] | None,
        key(
            "a list of protocols",
            "The protocols that it reads; cases of others are not-applicable. Without the key"
            " it is asked about all.",
            minItems=1,
        ),
    ] = None
    levels: Annotated[
        frozenset[Annotated[Level, key("a level", enum=list(Level))]] | None,
        key(
            "a list of levels",
            "The levels that it claims: a run without `--level` certifies each of them but"
            " live, which needs `--live` as well; `--level` with another one is refused."
            " Without the key materialise and stream are run, and any level may be asked for.",
            minItems=1,
        ),
    ] = None
    max_changefeeds: Annotated[
        int,
        key(
            "a number of changefeeds",
            "How many changefeeds one start of it takes.",
            minimum=1,
            maximum=10000,
        ),
    ] = 1
    max_starts: Annotated[
        int | None,
        key(
            "a number of starts",
            "How many starts of it run at once at most: 1 where it has a port, a file or a server"
            " that only one can have. Without the key as many as this machine has cores, each with"
            " a job of its own.",
            minimum=1,
        ),
    ] = None
    guarantee: Annotated[
        Guarantee,
        key(
            "a guarantee",
            "What it promises of its tables after duplicates and restarts.",
            enum=list(Guarantee),
        ),
    ] = Guarantee.EXACTLY_ONCE
    capabilities: Annotated[
        frozenset[Annotated[Capability, key("a capability")]],
        key("a list of capabilities", "What it can do beyond the contract's least."),
    ] = frozenset()
    crash_points: Annotated[
        frozenset[Annotated[str, key("a crash point", pattern="^[a-z][a-z0-9-]*$")]],
        key(
            "a list of crash points",
            "The names at which it kills itself when HARNESS_CRASHPOINT says so.",
        ),
    ] = frozenset()
    environment: Annotated[
        Mapping[VariableName, Annotated[str, key("a value")]],
        key(
            "a mapping of variables",
            "Variables that it is started with besides those of the contract.",
        ),
    ] = {}
    pass_environment: Annotated[
        tuple[VariableName, ...],
        key(
            "a list of variables",
            "Variables that it is given as the harness has them.",
            uniqueItems=True,
        ),
    ] = ()
    design: Annotated[
        DeclaredDesign,
        key(
            "a design",
            "How it is built where several ways are right; each is judged by its own rule. Level"
            " live compares with the upstream's tables, and no design changes that.",
        ),
    ] = DeclaredDesign()
    lossy: Annotated[
        tuple[Annotated[Lossy, key("a lossy mapping")], ...],
        key(
            "a list of lossy mappings",
            "Column types whose values it keeps with a loss that it owns up to: a wrong value of"
            " such a column makes a case declared-lossy instead of failed.",
        ),
    ] = ()
    result: Annotated[
        Result | None,
        key(
            "a result",
            "Where its tables are when it has ended; without the key, in files.",
        ),
    ] = None
    expectations: Annotated[
        str, key("a path", "A file of known failures, beside the manifest.", minLength=1)
    ] = ""


class KnownFailure(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A case that a consumer is known to fail."""

    cases: Annotated[
        str,
        key("a pattern of cases", "A case's id, or an expression as -k takes it.", minLength=1),
    ]
    finding: Annotated[
        str,
        key(
            "a part of the finding",
            "Words that a finding's kind, message or clause holds: only such findings are expected,"
            " and each finding of the case has to be one, of this entry or of another. A pattern"
            " that is no list of whole ids needs them.",
            minLength=1,
        ),
    ] = ""
    verdict: Annotated[
        Excused,
        key(
            "a verdict",
            "What the case comes to. A crash, an answer after the deadline and an answer that"
            " cannot be read are expected only where they are named.",
            enum=list(Excused),
        ),
    ] = Excused.FAIL
    reason: Annotated[str, key("a reason", "Why it fails, in a sentence.", minLength=1)]
    link: Annotated[str, key("an address", "The consumer's own bug or page.", pattern=ADDRESS)]
    expires: Annotated[
        str,
        key(
            "a date",
            "In quotes. From that day on the failure is a failure again.",
            pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
        ),
    ]
    versions: Annotated[
        str,
        key(
            "a version specifier",
            'The consumer\'s versions that it holds for, such as "<2.1".',
            minLength=1,
        ),
    ] = ""


class ExpectationsFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Cases that a consumer is known to fail, each with its reason."""

    schema_keywords: ClassVar = {"title": "a file of known failures"}

    expectations: Annotated[Literal[1], key("the file's version", VERSION)]
    known: Annotated[
        tuple[Annotated[KnownFailure, key("a known failure")], ...],
        key(
            "a list of known failures",
            "What is known to fail. A known failure that does not happen is a finding (`xpass`).",
        ),
    ]
