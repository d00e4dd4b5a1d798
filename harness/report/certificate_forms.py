"""A certificate as one self-contained HTML file, or as one page of Markdown.

Every text is escaped where it is written; the HTML asks nothing of any network, and runs nothing.
"""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Callable, Iterable, Iterator, Mapping

from harness.report.certificate import Certificate, Section
from harness.report.escapes import fenced, markdown_text, visible

STYLE = """
:root { color-scheme: light dark; --line: #c9ccd1; --soft: #f2f2ef;
  --good: #136235; --bad: #a3211a; }
@media (prefers-color-scheme: dark) {
  :root { --line: #363b41; --soft: #262a2f; --good: #6bd194; --bad: #ff9a90; }
}
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
.result { border-left: .4rem solid var(--bad); padding: .5rem 1rem; font-size: 1.2rem; }
.result.passed { border-color: var(--good); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { border: 1px solid var(--line); padding: .25rem .6rem; text-align: left;
  vertical-align: top; overflow-wrap: anywhere; }
pre { background: var(--soft); padding: .7rem; white-space: pre-wrap; overflow-wrap: anywhere; }
@media print { body { margin: 0; max-width: none; } h2 { break-after: avoid; } }
"""
LIMITS = (
    "It shows that the answers to these cases were right, no more;"
    " docs/explanation/certificates.md says what that is worth."
)


def html_page(one: Certificate) -> str:
    """Return the HTML file."""
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    title, state = _html(one.title), "result passed" if one.passed else "result"
    body = "\n".join(line for section in one.sections for line in _html_section(section))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f'<h1>{title}</h1>\n<p class="{state}"><strong>{_html(one.result)}</strong></p>\n'
        f"<p>{_html(LIMITS)}</p>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _html(text: str) -> str:
    return html.escape(visible(text))


def _html_section(section: Section) -> Iterator[str]:
    yield f"<h2>{_html(section.title)}</h2>"
    yield from (f"<p>{_html(sentence)}</p>" for sentence in section.sentences)
    if section.rows:
        yield '<div class="wide" tabindex="0"><table>'
        if any(section.columns):
            cells = "".join(f'<th scope="col">{_html(name)}</th>' for name in section.columns)
            yield f"<thead><tr>{cells}</tr></thead>"
        yield "<tbody>"
        for first, *others in section.rows:
            cells = "".join(f"<td>{_html(cell)}</td>" for cell in others)
            yield f'<tr><th scope="row">{_html(first)}</th>{cells}</tr>'
        yield "</tbody></table></div>"
    if section.code:
        yield f"<pre><code>{_html(section.code)}</code></pre>"


def markdown_page(one: Certificate) -> str:
    """Return the page of Markdown."""
    lines = [f"# {markdown_text(one.title)}", "", f"**{markdown_text(one.result)}**", ""]
    lines += [markdown_text(LIMITS), ""]
    for section in one.sections:
        lines += _markdown_section(section)
    return "\n".join(lines)


def _markdown_section(section: Section) -> Iterator[str]:
    yield from (f"## {section.title}", "")
    for sentence in section.sentences:
        yield from (markdown_text(sentence), "")
    if section.rows:
        yield _row(section.columns)
        yield f"|{' --- |' * len(section.columns)}"
        yield from (_row(map(markdown_text, row)) for row in section.rows)
        yield ""
    if section.code:
        yield from (fenced([section.code]), "")


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


FORMS: Mapping[str, Callable[[Certificate], str]] = {".html": html_page, ".md": markdown_page}
