"""What MkDocs lacks for pages that live in a repository: files outside docs/ are pages too.

A page may link to any file or directory of the repository, as it does where the repository is
browsed. On the site each such file is a page below source/ that shows its text, and each directory
one that lists its files, so no link leaves the site and everything can be read offline.

What is where on the site is written once, in docs/README.md: its headings are the sections.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"(?<!!)(\[[^\]]*\]\()([^)#\s]+)")
HEADING = re.compile(r"(##|###) (.+)")
FETCHED = re.compile(
    r"""<(?!a\b)\w+\b[^>]*\s(?:src|srcset|poster|data)=["']?(?:https?:)?//[^>]*"""
    r"""|<link\b[^>]*\shref=["']?(?:https?:)?//[^>]*"""
    r"""|(?:url\(|@import )\s*["']?(?:https?:)?//[^)"';]*"""
)
SHOWN_BYTES = 200_000  # a reader's browser lays out no more at once
LANGUAGES = {".json": "json", ".py": "python", ".toml": "toml", ".yaml": "yaml"}
HIDDEN_FROM_SEARCH = "---\nsearch: {exclude: true}\n---\n"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Take the navigation from the index: its headings, and each page where it is linked first."""
    index = (ROOT / "docs/README.md").read_text(encoding="utf-8")
    nav: list[Any] = [{"Overview": "README.md"}]
    placed = {"README.md"}
    pages = section = nav
    for line in index[index.index("\n## ") :].splitlines():
        if heading := HEADING.match(line):
            pages = []
            (nav if heading[1] == "##" else section).append({heading[2]: pages})
            section = pages if heading[1] == "##" else section
        for link in LINK.finditer(line):
            if link[2].endswith(".md") and link[2][0] != "." and link[2] not in placed:
                placed.add(link[2])
                pages.append({link[1][1:-2]: link[2]})
    config.nav = nav
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for each file and directory that pages link to and that is no page itself."""
    waiting = [
        (Path("docs") / file.src_uri, file.content_string) for file in files.documentation_pages()
    ]
    while waiting:
        here, text = waiting.pop()
        for target in _targets(here, text):
            name = _page_of(target)
            if name is None or files.get_file_from_path(name):
                continue
            content = _content(target)
            files.append(
                File.generated(config, name, content=content, inclusion=InclusionLevel.NOT_IN_NAV)
            )
            if target.suffix == ".md":
                waiting.append((target, content))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Lead links to what is outside docs/ to the pages below source/."""
    uri = PurePosixPath(page.file.src_uri)
    here = _origin(uri)

    def led(link: re.Match[str]) -> str:
        target = _target(here, link[2])
        name = target and _page_of(target)
        if target is None:
            return link[0]
        place = name or str(target.relative_to("docs"))
        return link[1] + os.path.relpath(place, uri.parent)

    return LINK.sub(led, markdown)


def on_post_build(config: MkDocsConfig) -> None:
    """Refuse a site of which a reader's browser would fetch a part from elsewhere."""
    site = Path(config.site_dir)
    found = [
        f"{path.relative_to(site)} fetches {part[0]}"
        for path in sorted(site.rglob("*"))
        if path.suffix in {".css", ".html"}
        for part in FETCHED.finditer(path.read_text(encoding="utf-8"))
    ]
    if found:
        raise PluginError("readers shall need no network:\n" + "\n".join(found))


def _origin(uri: PurePosixPath) -> Path:
    """Return the file of the repository that a page of the site shows."""
    return Path(*uri.parts[1:]) if uri.parts[0] == "source" else Path("docs") / uri


def _targets(here: Path, text: str) -> Iterator[Path]:
    """Yield the paths in the repository that a file's links name."""
    for link in LINK.finditer(text):
        target = _target(here, link[2])
        if target is not None:
            yield target


def _target(here: Path, link: str) -> Path | None:
    """Return the path in the repository that a link names; None if it names none."""
    if ":" in link:
        return None
    target = Path(os.path.normpath(here.parent / link))
    return target if (ROOT / target).exists() and ".." not in target.parts else None


def _page_of(target: Path) -> str | None:
    """Return the name of the page below source/ that shows a path; None for a file of docs/."""
    inside = target.parts[:1] == ("docs",)
    if inside and not (ROOT / target).is_dir() and target.suffix != ".py":
        return None
    return f"source/{target}" if target.suffix == ".md" else f"source/{target}.md"


def _content(target: Path) -> str:
    """Return the Markdown that shows a file or lists a directory."""
    path = ROOT / target
    if path.is_dir():
        names = sorted(member.name for member in path.iterdir() if member.name[0] not in "._")
        return f"{HIDDEN_FROM_SEARCH}# {target}/\n\n" + "".join(f"- `{name}`\n" for name in names)
    text = path.read_text(encoding="utf-8")
    if target.suffix == ".md":
        return text
    if len(text) > SHOWN_BYTES:
        text = text[:SHOWN_BYTES] + "\n… the rest is in the repository\n"
    fence = "~" * (3 + max(map(len, re.findall("~+", text)), default=0))
    language = LANGUAGES.get(target.suffix, "text")
    return f"{HIDDEN_FROM_SEARCH}# {target}\n\n{fence}{language}\n{text}\n{fence}\n"
