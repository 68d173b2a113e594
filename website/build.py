"""Build the site: `python -m website.build [--output FOLDER] [--without-box] [--without-transcripts]`.

Pages are written into a folder beside the output, from the project's documents, `website/pages` and the rules; MkDocs
makes the site of them, strictly; then the style sheet loses what no page uses, and the box gets Pyodide and the wheel.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from website.reference import command_page, python_page
from website.rule_pages import rule_list, rule_navigation, rule_pages, text_list
from website.searching import write_index
from website.transcripts import ROOT, with_transcripts
from website.trimming import trim_styles

_HERE: Final = ROOT / "website"
_INCLUDED: Final = re.compile(r"^<!-- include (\S+) -->$", re.MULTILINE)
#: A command that a document shows, with what it prints: on the site it is run again.
_CONSOLE: Final = re.compile(r"^```console\n\$ (.*?)\n.*?\n```$", re.MULTILINE | re.DOTALL)
_TABLE: Final = re.compile(r"^\|.*\|$", re.MULTILINE)
#: The code of a rule that is no link yet.
_CODE: Final = re.compile(r"(?<![\[`\w])(LG[1-5]\d\d)(?![\]`\w])")
_RULES_HERE: Final = "      # the builder puts the rules here\n"
#: Where links between the project's documents lead on the site.
_MOVED: Final = {
    "docs/tracing.md": "/guide/tracing.md",
    "docs/audit.md": "/guide/audit.md",
    "docs/integrations.md": "/guide/integrations.md",
    "docs/losses.md": "/rules/losses.md",
    "docs/rules.md": "/rules/windows.md",
    "docs/fixes.md": "/about/fixes.md",
    "ARCHITECTURE.md": "/about/how-it-works.md",
    "CONTRIBUTING.md": "/about/contributing.md",
    "CHANGELOG.md": "/about/changelog.md",
}


def main() -> int:
    """Build everything; say how long it took and how large it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "site", help="where the site goes")
    parser.add_argument("--without-box", action="store_true", help="leave Pyodide out: no npm is needed then")
    parser.add_argument("--without-transcripts", action="store_true", help="show commands without what they print")
    options = parser.parse_args()
    started = time.perf_counter()
    build(options.output.resolve(), box=not options.without_box, transcripts=not options.without_transcripts)
    files = [path for path in options.output.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files) / 1e6
    pages = sum(path.suffix == ".html" for path in files)
    taken = time.perf_counter() - started
    print(f"{options.output}: {pages} pages, {len(files)} files, {size:.1f} MB, in {taken:.0f} s")
    return 0


def build(output: Path, *, box: bool = True, transcripts: bool = True) -> None:
    """Write the pages, make the site, then add what MkDocs does not know of."""
    pages = output.with_name(output.name + "-pages")
    write_pages(pages, with_transcripts if transcripts else str)
    shutil.rmtree(output, ignore_errors=True)
    run_mkdocs(pages, output)
    write_index(output)
    trim_styles(output)
    remove_unused(output)
    if box:
        from website.box import add_box

        add_box(output)
    shutil.rmtree(pages)


def write_pages(folder: Path, finished: Callable[[str], str]) -> None:
    """All pages as Markdown, each as `finished` makes it, with the files that they need."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(_HERE / "pages", folder)
    shutil.copytree(_HERE / "static", folder, dirs_exist_ok=True)
    shutil.copytree(ROOT / "docs" / "images", folder / "guide" / "images")
    made = {
        "rules/index.md": rule_list(),
        "errors.md": text_list(),
        "reference/python.md": python_page(),
        "reference/command-line.md": command_page(),
        **rule_pages(),
    }
    for name, text in made.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    for page in folder.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        whole = finished(_INCLUDED.sub(lambda found: _document(found[1]), text))
        if whole != text:
            page.write_text(whole, encoding="utf-8")


def _document(name: str) -> str:
    """A document of the project without its title, its links turned to where its neighbours are on the site."""
    text = (ROOT / name).read_text(encoding="utf-8").partition("\n")[2]
    text = _CONSOLE.sub(r"```transcript\n\1\n```", text)
    for old, new in _MOVED.items():
        text = text.replace(f"]({old})", f"]({new})")
        if name.startswith("docs/"):
            text = text.replace(f"]({old.removeprefix('docs/')})", f"]({new})")
    return _TABLE.sub(lambda row: _CODE.sub(r"[\1](/rules/\1.md)", row[0]), text)


def run_mkdocs(pages: Path, output: Path) -> None:
    """MkDocs in a process of its own; any warning ends it."""
    config = output.with_name(output.name + "-mkdocs.yml")
    settings = (_HERE / "mkdocs.yml").read_text(encoding="utf-8").replace(_RULES_HERE, rule_navigation())
    placed = f"docs_dir: {pages}\nsite_dir: {output}\n" + settings.replace(
        "custom_dir: theme", f"custom_dir: {_HERE / 'theme'}"
    )
    config.write_text(placed, encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--config-file", str(config)]
    try:
        # The theme's advertisement of its successor is no warning; Zensical's scripts and styles are 60 KB larger.
        subprocess.run(command, check=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})  # noqa: S603 - our own command
    finally:
        config.unlink()


def remove_unused(site: Path) -> None:
    """What the theme brings and these pages do not use; a page for what is not found would need the site's address."""
    scripts = site / "assets" / "javascripts"
    for folder in (scripts / "lunr", scripts / "workers", site / "assets" / "images"):
        shutil.rmtree(folder)
    for file in (site / "404.html", site / "sitemap.xml", site / "sitemap.xml.gz", *site.rglob("*.map")):
        file.unlink()


if __name__ == "__main__":
    sys.exit(main())
