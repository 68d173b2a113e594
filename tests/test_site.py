"""The site without a browser: it builds strictly, no link is dead, every rule has its page with its texts."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import warnings
from html import escape
from pathlib import Path

import pytest
import torch

from built_site import Site
from lossguard.rules.registry import all_rules
from website.examples import before_and_after, fixed, program
from website.pictures import PICTURES, kept, stale, words_of
from website.terminal import terminal
from website.texts import all_texts, texts_of
from website.trimming import trimmed

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The site that LOSSGUARD_SITE names, or a new one, without the box's Python and the output of commands."""
    pytest.importorskip("material")
    if "LOSSGUARD_SITE" in os.environ:
        return Site(Path(os.environ["LOSSGUARD_SITE"]).resolve())
    folder = tmp_path_factory.mktemp("built") / "site"
    command = [sys.executable, "-m", "website.build", "--without-box", "--without-transcripts", "--output", str(folder)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=3600)
    assert built.returncode == 0, built.stdout + built.stderr
    return Site(folder)


def test_no_link_and_no_anchor_is_dead(site: Site) -> None:
    assert len(site.pages) > 100
    assert site.dead() == []


def test_every_rule_has_its_page_by_code_and_by_name_with_every_text(site: Site) -> None:
    for rule in all_rules():
        page = site.pages[f"rules/{rule.code}/"].html
        other = site.pages[f"rules/{rule.name}/"].html
        article = re.compile(r"<article.*?</article>", re.DOTALL)
        assert article.findall(page) == article.findall(other), rule.code
        assert f'<link rel="canonical" href="../{rule.code}/">' in other
        for text in texts_of(rule):
            item = f"<li><code>{escape(text.words)}</code><span>{escape(text.when)}"
            assert item in page, f"{rule.code}: {text.words}"
        for heading in ("What torch says", "What it looks like", "Why it matters", "Usual causes", "How to fix it"):
            assert f">{heading}<" in page, f"{rule.code}: {heading}"


def test_the_index_by_text_has_every_text_with_its_rule(site: Site) -> None:
    page = site.pages["errors/"].html
    for rule, text in all_texts():
        start = page.index(f"<li><code>{escape(text.words)}</code>")
        assert f'href="../rules/{rule.code}/"' in page[start : page.index("</li>", start)]


def test_pages_have_a_strict_content_policy_and_keep_to_it(site: Site) -> None:
    for address, page in site.pages.items():
        policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page.html)
        assert policy is not None, address
        assert "default-src 'none'" in policy[1]
        assert "unsafe-inline" not in policy[1]
        assert ("'wasm-unsafe-eval'" in policy[1]) == (address == "explain/")
        assert page.inline == [], address
        assert page.html.index("Content-Security-Policy") < page.html.index("<script")


def test_pages_load_nothing_from_elsewhere(site: Site) -> None:
    for address, page in site.pages.items():
        assert not [load for load in page.loads if "//" in load], address
    for sheet in site.folder.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(https?:)?//|@import", sheet.read_text(encoding="utf-8")), sheet.name


def test_the_first_page_is_small(site: Site) -> None:
    first = site.pages["/"]
    files = {site.folder / load for load in first.loads}
    assert sum(file.stat().st_size for file in files) + len(first.html.encode()) < 300_000


def test_pages_say_nothing_of_the_machine_that_built_them(site: Site) -> None:
    for address, page in site.pages.items():
        for words in (str(ROOT), str(Path.home()), sys.prefix, "Traceback (most recent call last):\n  File"):
            assert words not in page.html, address


def test_the_search_index_has_texts_and_sections(site: Site) -> None:
    rows = json.loads((site.folder / "assets" / "search.json").read_text(encoding="utf-8"))
    assert {text.words for _, text in all_texts()} == {words for _, _, words, is_text in rows if is_text}
    for address, *_ in rows:
        page, _, anchor = address.partition("#")
        assert not anchor or anchor in site.pages[page or "/"].anchors, address
        assert (site.folder / page / "index.html").is_file(), address


def test_the_pictures_show_what_the_commands_print() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    printed = dict(re.findall(r"```console\n\$ (.*?)\n(.*?)```", readme, re.DOTALL))
    # Another test runs what the README shows; only the others are run here, and all of them by `make test-site`.
    run = [name for name, command in PICTURES.items() if command not in printed or "LOSSGUARD_SITE" in os.environ]
    assert stale(run) == [], "`make pictures` draws them again"
    for name in PICTURES.keys() - run:
        words = re.sub(r"\s", "", printed[PICTURES[name]])
        assert words in words_of(kept(name)), f"`make pictures` draws {name}.svg again"


def test_every_rule_shows_a_program_that_breaks_and_one_that_does_not() -> None:
    changed = 0
    for rule in all_rules():
        broken, kept = before_and_after(rule)
        if broken.torch != "corrupts":
            assert _raises(str(program(broken))) == broken.torch.startswith("raises"), rule.code
        if found := fixed(rule, broken):
            changed += 1
            assert not _raises(str(found[1])), rule.code
        elif kept is not None:
            assert kept.loss == broken.loss or "logits" in kept.loss, f"{rule.code}: {kept.call} is another loss"
            assert not _raises(str(program(kept))), rule.code
    assert changed >= 25


def _raises(code: str) -> bool:
    torch.manual_seed(0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(code, {})  # noqa: S102 - our own examples
    except Exception:  # noqa: BLE001 - whatever torch raises
        return True
    return False


def test_what_a_terminal_shows_is_text_in_lines_and_nothing_else() -> None:
    shown = terminal("lossguard run <x>.py", "error[LG101] a: <b>\n  at       x.py:1    f(y)\n\nbroken: f & g")
    assert shown == (
        '<div class="terminal"><div class="command">$ lossguard run &lt;x&gt;.py</div>'
        '<div class="line"><span class="mark error">error[LG101]</span> a: &lt;b&gt;</div>'
        '<div class="line labelled"><span class="label">  at       </span>x.py:1    f(y)</div>'
        '<div class="line">&nbsp;</div><div class="line verdict error">broken: f &amp; g</div></div>'
    )


def test_trimming_keeps_what_can_apply_and_nothing_else() -> None:
    css = "@charset 'x';a.b,.c{d:'};'}@media print{.e{f:g}.b:not(.c,.h){i:j}}.k{l:m}@keyframes n{to{o:p}}:root{q:r}"
    assert trimmed(css, {"b"}) == "@charset 'x';a.b{d:'};'}@keyframes n{to{o:p}}:root{q:r}"
    assert (
        trimmed(css, {"b", "c", "h"})
        == "@charset 'x';a.b,.c{d:'};'}@media print{.b:not(.c,.h){i:j}}@keyframes n{to{o:p}}:root{q:r}"
    )
