"""Table, partition and database options as TiDB writes them back.

Source: TiDB pkg/parser/ast/ddl.go, `TableOption`, `DatabaseOption`,
`tableOptionsWithRestoreTTLFlag`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from harness.ddl.expressions import quote_name, quote_string, restore_expression
from harness.ddl.restored.columns import special
from harness.ddl.syntax import DatabaseOption, TableOption, table_text

PLACEMENT = "PLACEMENT POLICY"
_FORCED_OFF = TableOption("TTL_ENABLE", text="OFF")


def sent_options(options: tuple[TableOption, ...]) -> tuple[TableOption, ...]:
    """Return the options with TTL switched off: TTL_ENABLE='OFF' after TTL, and nowhere else."""
    kept: list[TableOption] = []
    for option in options:
        if option.kind == "TTL_ENABLE":
            continue
        kept.append(option)
        if option.kind == "TTL":
            kept.append(_FORCED_OFF)
    return tuple(kept)


def only_placement(options: tuple[TableOption, ...]) -> bool:
    """Tell whether every option is about placement; such a specification is not sent."""
    return all(option.kind == PLACEMENT for option in options)


def table_option(option: TableOption) -> str:
    """Return one table option; placement comes out empty."""
    rule = _RULES.get(option.kind)
    if rule is not None:
        return rule(option)
    if option.default:
        return f"{option.kind} = DEFAULT"
    return f"{option.kind} = {option.number}"


def _engine(option: TableOption) -> str:
    return f"ENGINE = {option.text or quote_string('')}"


def _charset(option: TableOption) -> str:
    value = "DEFAULT" if option.default else option.text.upper()
    if option.convert:
        return f"CONVERT TO CHARACTER SET {value}"
    return f"DEFAULT CHARACTER SET = {value}"


def _collate(option: TableOption) -> str:
    return f"DEFAULT COLLATE = {option.text.upper()}"


def _forced(option: TableOption) -> str:
    # The blank before what is forced stands inside the comment (TiDB pkg/parser/ast/ddl.go).
    return special("force_inc", "FORCE ") if option.force else ""


def _auto_increment(option: TableOption) -> str:
    return f"{_forced(option)}AUTO_INCREMENT = {option.number}"


def _auto_random_base(option: TableOption) -> str:
    return _forced(option) + special("auto_rand_base", f"AUTO_RANDOM_BASE = {option.number}")


def _text(option: TableOption) -> str:
    if option.default:
        return f"{option.kind} = DEFAULT"
    return f"{option.kind} = {quote_string(option.text)}"


def _word(option: TableOption) -> str:
    return f"{option.kind} = {option.text.upper()}"


def _secondary_engine(option: TableOption) -> str:
    return f"{option.kind} = {'NULL' if option.default else quote_string(option.text)}"


def _name(option: TableOption) -> str:
    return f"{option.kind} = {quote_name(option.text)}"


def _tidb(feature: str) -> Callable[[TableOption], str]:
    def rule(option: TableOption) -> str:
        return special(feature, f"{option.kind} = {option.number}")

    return rule


def _affinity(option: TableOption) -> str:
    return special("affinity", _text(option))


def _unsupported(name: str) -> Callable[[TableOption], str]:
    def rule(option: TableOption) -> str:
        return f"{option.kind} = DEFAULT /* {name} is not supported */ "

    return rule


def _storage(option: TableOption) -> str:
    return f"STORAGE {option.text}"


def _union(option: TableOption) -> str:
    return f"UNION = ({','.join(table_text(table) for table in option.tables)})"


def _ttl(option: TableOption) -> str:
    interval = restore_expression(option.expr) if option.expr else ""
    return special("ttl", f"TTL = {quote_name(option.text)} + INTERVAL {interval}")


def _ttl_text(option: TableOption) -> str:
    return special("ttl", f"{option.kind} = {quote_string(option.text)}")


def _plain(option: TableOption) -> str:
    return f"{option.kind} = {'DEFAULT' if option.default else option.text}"


def _nothing(option: TableOption) -> str:
    del option
    return ""


_RULES: Mapping[str, Callable[[TableOption], str]] = {
    "ENGINE": _engine,
    "CHARSET": _charset,
    "COLLATE": _collate,
    "AUTO_INCREMENT": _auto_increment,
    "AUTO_RANDOM_BASE": _auto_random_base,
    "AFFINITY": _affinity,
    "AUTO_ID_CACHE": _tidb("auto_id_cache"),
    "SHARD_ROW_ID_BITS": _tidb(""),
    "PRE_SPLIT_REGIONS": _tidb(""),
    **dict.fromkeys(
        (
            "COMMENT",
            "CONNECTION",
            "PASSWORD",
            "COMPRESSION",
            "ENCRYPTION",
            "DATA DIRECTORY",
            "INDEX DIRECTORY",
            "STATS_COL_CHOICE",
            "STATS_COL_LIST",
            "SECONDARY_ENGINE_ATTRIBUTE",
        ),
        _text,
    ),
    "ROW_FORMAT": _word,
    "INSERT_METHOD": _word,
    "SECONDARY_ENGINE": _secondary_engine,
    "TABLESPACE": _name,
    "STATS_PERSISTENT": _unsupported("TableOptionStatsPersistent"),
    "PACK_KEYS": _unsupported("TableOptionPackKeys"),
    "STORAGE": _storage,
    "UNION": _union,
    "TTL": _ttl,
    "TTL_ENABLE": _ttl_text,
    "TTL_JOB_INTERVAL": _ttl_text,
    "STATS_SAMPLE_RATE": _plain,
    "AUTOEXTEND_SIZE": _plain,
    "IETF_QUOTES": _plain,
    PLACEMENT: _nothing,
}


def database_option(option: DatabaseOption) -> str:
    """Return one database option; placement comes out empty."""
    if option.kind == PLACEMENT:
        return ""
    quoted = option.kind in ("ENCRYPTION", "COMMENT")
    return f"{option.kind} = {quote_string(option.text) if quoted else option.text}"
