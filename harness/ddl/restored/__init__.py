"""Syntax tree to text, exactly as TiCDC sends it: TiDB's `Restore` under TiCDC's flags.

The flags are upper-case keywords, back-quoted names, single-quoted strings, TiDB's own features in
`/*T![feature] ... */` comments, placement left out, TTL_ENABLE forced to 'OFF'. What looks odd in
the output (a lone space where placement stood, `/*T! IF NOT EXISTS  */` before a name) is TiDB's.
Source: tiflow c7b2588 cdc/owner/ddl_sink.go:432; TiDB pkg/parser/ast/ddl.go.
"""

from __future__ import annotations
