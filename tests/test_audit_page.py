"""The page of an audit: everything is escaped, nothing is fetched, and a browser shows it without complaint."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")
pytest.importorskip("vl_convert")

import lossguard  # noqa: E402 - after the look whether it is there
from lossguard.audit.page import render  # noqa: E402 - as above
from lossguard.cli.main import main  # noqa: E402 - as above
from site_browser import CHROMIUM, PATIENCE, launched  # noqa: E402 - as above


def _page() -> str:
    random = np.random.default_rng(0)
    train = [*map(float, random.geometric(0.3, 2000).clip(1, 12) - 1), None, 2.5, 255.0]
    return render(lossguard.audit(splits={"train": pa.array(train), "val": random.integers(0, 9, 300)}, classes=12))


def test_the_page_tells_all_and_needs_nothing() -> None:
    page = _page()
    assert page.index("broken: cross_entropy will not take these labels") < page.index("LG203") < page.index("<svg")
    for words in ("3 of 12 classes have no label", "row 2001", "the labels of the smallest", "are not in val", "dtype"):
        assert words in page, words
    for outside in ("<script", "src=", "url(http", "@import", 'href="http'):
        assert outside not in page


def test_labels_are_escaped_also_in_charts() -> None:
    page = render(lossguard.audit(pa.array(["<script>alert(1)</script>", "\x1b[31m&amp;", "b"])))
    assert "<script" not in page
    assert "\x1b" not in page


def test_what_is_no_class_stands_out_and_long_labels_are_cut() -> None:
    page = render(lossguard.audit(np.array([0, 1, 1, 7]), classes=3))
    assert page.count("#e45756") == 2  # one bar, in the wide and in the narrow chart
    assert "#e45756" not in render(lossguard.audit(np.array([0, 1, 1]), classes=3))
    page = render(lossguard.audit(pa.array(["b" * 500, "cat"])))
    assert "b" * 100 not in page
    assert "1.0 times" not in page


def test_thousands_of_classes_are_no_wall_of_labels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(tmp_path / "a.npy", np.random.default_rng(0).zipf(1.3, 50000) % 5000)
    assert main(["audit", str(tmp_path / "a.npy"), "--html", str(tmp_path / "a.html")]) == 0
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "labels, the most frequent first" in page
    assert page.count("<text") < 100
    assert len(page) < 500_000
    assert capsys.readouterr().out.startswith("labels")


@pytest.mark.browser
@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_a_browser_shows_it(tmp_path: Path) -> None:
    sync_api = pytest.importorskip("playwright.sync_api")
    (tmp_path / "page.html").write_text(_page(), encoding="utf-8")
    said: list[str] = []
    asked: list[str] = []
    with sync_api.sync_playwright() as playwright:
        browser = launched(playwright)
        for width, scheme in ((1200, "light"), (390, "dark")):
            page: Any = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
            page.set_default_timeout(PATIENCE)
            page.on("console", lambda message: said.append(message.text))
            page.on("pageerror", lambda error: said.append(str(error)))
            page.on("request", lambda request: asked.append(request.url))
            page.goto((tmp_path / "page.html").as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.locator("figure:visible svg").count() == 3
            dark = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(21, 24, 28)"
            assert dark == (scheme == "dark")
            page.close()
        browser.close()
    assert said == []
    assert {url.partition(":")[0] for url in asked} <= {"file", "data"}
