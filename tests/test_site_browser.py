"""The site in a real browser: quiet pages, the box, hostile texts, no network, a phone, the dark, the keyboard."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from built_site import Site
from explain_texts import OURS, UNRELATED
from lossguard.cli.main import main
from lossguard.rules.registry import all_rules
from site_browser import CHROMIUM, Watched, launched, served
from website.box import package

SITE = os.environ.get("LOSSGUARD_SITE", "")
MAIN = [
    "",
    "explain/",
    "errors/",
    "rules/",
    "rules/LG101/",
    "guide/run/",
    "guide/audit/",
    "reference/python/",
    "about/compare/",
]
#: Pages that have between them everything that has a colour.
COLOURED = ["", "rules/LG101/", "guide/audit/"]
TEN = [*(text for text, _ in OURS[::15]), UNRELATED[0], "it does not work"][-10:]
PROGRAM = """\
import torch
import torch.nn.functional as F

F.cross_entropy(torch.randn(4, 5), torch.tensor([1.0, 2.0, 0.0, 4.0]))
"""
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</textarea><svg onload=alert(1)>RuntimeError: expected scalar type Long but found Float",
    'File "<img src=x onerror=alert(1)>.py", line 3, in f\nRuntimeError: expected scalar type Long but found Float',
    "IndexError: Target <b onmouseover=alert(1)>10</b> is out of bounds. LG101 javascript:alert(1)",
)

pytestmark = [
    pytest.mark.site,
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif(not SITE, reason="`make test-site` builds the site first"),
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed"),
]
Opens = Callable[..., Watched]


@pytest.fixture(scope="module")
def opens(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opens]:
    """Opens a watched page of one browser, with the settings that are given."""
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright, served(Path(SITE).resolve(), tmp_path_factory.mktemp("web")) as home:
        browser = launched(playwright)

        def open_page(**settings: Any) -> Watched:
            context = browser.new_context(permissions=["clipboard-read", "clipboard-write"], **settings)
            return Watched(context.new_page(), home)

        yield open_page
        browser.close()


@pytest.fixture(scope="module")
def box(opens: Opens) -> Watched:
    """The box, loaded once."""
    watched = opens()
    watched.open("explain/")
    watched.page.focus("#paste")
    watched.page.wait_for_selector("#box[data-ready]", state="attached")
    return watched


def _copied(watched: Watched) -> Any:
    """The report that the box hands out as JSON."""
    watched.page.click("text=Copy as JSON")
    watched.page.wait_for_selector("text=Copied")
    return json.loads(watched.page.evaluate("navigator.clipboard.readText()"))


def _printed(text: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    (folder / "error.txt").write_text(text, encoding="utf-8")
    main(["explain", "--no-source", "--format", "json", str(folder / "error.txt")])
    return json.loads(capsys.readouterr().out)


def test_every_page_is_quiet_and_fits_a_phone(opens: Opens) -> None:
    watched = opens(viewport={"width": 390, "height": 844}, color_scheme="dark")
    for address in Site(Path(SITE)).pages:
        page = watched.open(address.lstrip("/"))
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, address
        assert watched.said == [], address
    assert watched.foreign() == []


def test_the_first_page_is_under_300_kb(opens: Opens) -> None:
    page = opens().open("")
    loaded = (
        "['navigation', 'resource'].flatMap(kind => performance.getEntriesByType(kind).map(e => e.decodedBodySize))"
    )
    sizes = page.evaluate(loaded)
    assert len(sizes) > 5
    assert 0 < min(sizes) <= sum(sizes) < 300_000


def test_python_is_loaded_when_the_box_gets_the_focus_and_not_before(opens: Opens) -> None:
    watched = opens()
    page = watched.open("explain/")
    assert not [url for url in watched.asked if "/python/" in url]
    page.focus("#paste")
    page.wait_for_selector("#progress:not([hidden])")
    watched.until("document.getElementById('progress').value > 0.5")
    page.wait_for_selector("#box[data-ready]", state="attached")
    assert watched.said == []
    assert watched.foreign() == []


def test_ten_texts_have_the_findings_of_the_command_line(
    box: Watched, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(TEN) == 10
    for text in TEN:
        box.explain(text)
        report = _copied(box)
        assert report == _printed(text, tmp_path, capsys), text
        shown = box.page.inner_text("#answer")
        for finding in report["findings"]:
            assert finding["message"] in shown
            assert box.page.locator(f'#answer a[href="../rules/{finding["code"]}/"]').count() >= 1
    assert box.said == []


def test_code_is_linted(box: Watched, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "train.py").write_text(PROGRAM, encoding="utf-8")
    main(["lint", "--format", "json", str(tmp_path / "train.py")])
    printed = json.loads(capsys.readouterr().out)
    box.take(tmp_path / "train.py")
    assert "it was linted" in box.page.inner_text("#state")
    report = _copied(box)
    assert [each["code"] for each in report["findings"]] == [each["code"] for each in printed["findings"]] == ["LG101"]
    assert report["findings"][0]["message"] == printed["findings"][0]["message"]
    box.explain(PROGRAM)
    assert _copied(box)["findings"][0]["code"] == "LG101"


def test_copy_buttons_copy_the_code(box: Watched) -> None:
    box.explain("RuntimeError: expected scalar type Long but found Float")
    box.page.click('#answer button[aria-label="Copy target.long()"]')
    box.page.wait_for_selector("text=Copied")
    assert box.page.evaluate("navigator.clipboard.readText()") == "target.long()"


def test_empty_binary_and_huge_input_get_clear_answers(box: Watched, tmp_path: Path) -> None:
    box.explain("   ")
    assert "is empty" in box.page.inner_text("#state")
    (tmp_path / "a.bin").write_bytes(bytes(range(256)) * 100)
    box.take(tmp_path / "a.bin")
    assert "a.bin is no text" in box.page.inner_text("#state")
    line = "step 12 loss 0.3141 lr 0.001\n"
    huge = line * (5_000_000 // len(line)) + "IndexError: Target 10 is out of bounds.\n"
    (tmp_path / "train.log").write_text(huge, encoding="utf-8")
    box.take(tmp_path / "train.log")
    assert _copied(box)["findings"][0]["code"] == "LG201"
    assert box.said == []


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_do_nothing(box: Watched, text: str, tmp_path: Path) -> None:
    box.explain(text)
    name = tmp_path / "<img src=x onerror=alert(1)>.py"
    name.write_text(text, encoding="utf-8")
    box.take(name)
    box.page.fill("#find", text)
    box.page.wait_for_selector("#found:not([hidden])")
    assert (
        box.page.locator("#answer :is(script, img, svg, b[onmouseover]), #found :is(script, img, svg, b)").count() == 0
    )
    box.page.fill("#find", "")
    before = int(box.page.evaluate("document.getElementById('box').dataset.answers"))
    box.page.evaluate("text => { location.hash = '#text=' + encodeURIComponent(text); }", text)
    box.answered(before)
    assert box.page.input_value("#paste") == text
    assert box.page.locator("#answer :is(script, img, svg)").count() == 0
    assert box.said == []


def test_a_link_holds_the_text_behind_the_hash_only(opens: Opens, box: Watched) -> None:
    text = "RuntimeError: expected scalar type Long but found Float\n\u00e4\u6f22\U0001f600"
    box.explain(text)
    box.page.click("#link")
    box.until("location.hash.startsWith('#z=')")
    link = box.page.url
    assert "expected" not in link
    other = opens()
    other.page.goto(link)
    other.page.wait_for_selector("#answer .lossguard")
    assert other.page.input_value("#paste") == text
    assert other.page.inner_text("#answer .lossguard") == box.page.inner_text("#answer .lossguard")
    assert not [url for url in other.asked if "#" not in url and "z=" in url]
    other.page.goto(link[:-9] + "!!")
    other.page.reload()
    other.until("document.getElementById('state').textContent.includes('damaged')")
    assert other.said == []


def test_the_first_page_hands_its_text_to_the_box_and_to_nobody_else(opens: Opens) -> None:
    watched = opens()
    page = watched.open("")
    page.fill("#hand-text", "IndexError: Target 10 is out of bounds.")
    page.click("#hand button")
    page.wait_for_selector("#answer .lossguard")
    assert page.url.rstrip("?") == watched.home + "explain/"
    assert page.input_value("#paste") == "IndexError: Target 10 is out of bounds."
    assert "LG201" in page.inner_text("#answer")
    assert not [url for url in watched.asked if "Target" in url]
    assert watched.said == []
    page = watched.open("explain/")
    assert page.input_value("#paste") == ""


def test_once_loaded_the_box_needs_no_network(box: Watched) -> None:
    box.page.context.set_offline(True)
    try:
        box.explain("IndexError: index out of range in self")
        assert _copied(box)["findings"][0]["code"] == "LG210"
    finally:
        box.page.context.set_offline(False)


def test_dark_and_light_follow_the_system_and_the_choice(opens: Opens) -> None:
    shade = "parseInt(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0])"
    for scheme in ("dark", "light"):
        watched = opens(color_scheme=scheme)
        page = watched.open("rules/LG101/")
        assert (page.evaluate(shade) < 80) == (scheme == "dark")
        page.click("form[data-md-component=palette] label:visible")
        assert (page.evaluate(shade) < 80) == (scheme == "light")
        page = watched.open("rules/LG201/")
        assert (page.evaluate(shade) < 80) == (scheme == "light")
        assert watched.said == []


def test_the_keyboard_alone_is_enough(opens: Opens) -> None:
    watched = opens()
    page = watched.open("")
    page.keyboard.press("/")
    page.keyboard.type("Target 10 is out of bounds")
    page.wait_for_selector("#found:not([hidden])")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/rules/LG201/**")
    page = watched.open("explain/")
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "paste":
            break
    page.keyboard.type("IndexError: Target 10 is out of bounds.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("#answer .lossguard")
    phone = opens(viewport={"width": 390, "height": 844})
    page = phone.open("")
    for _ in range(10):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "menu":
            break
    page.keyboard.press("Enter")
    phone.until("document.activeElement.closest('.md-nav--primary')")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "menu"
    assert watched.said == phone.said == []


def test_nothing_moves_where_no_motion_is_wanted(opens: Opens) -> None:
    page = opens(reduced_motion="reduce").open("rules/")
    moving = "[...document.querySelectorAll('*')].some(e => parseFloat(getComputedStyle(e).transitionDuration) > 0)"
    assert not page.evaluate(moving)


def _serious(page: Any) -> list[tuple[Any, ...]]:
    """The serious faults that axe finds on a page, the first few of each kind."""
    page.evaluate((package("axe-core") / "axe.min.js").read_text(encoding="utf-8"))
    return [
        (each["id"], node["target"], node["failureSummary"])
        for each in page.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
        if each["impact"] in {"serious", "critical"}
        for node in each["nodes"][:3]
    ]


@pytest.mark.parametrize(
    ("scheme", "width", "pages"),
    [("light", 1280, MAIN), ("dark", 390, MAIN), ("dark", 1280, COLOURED), ("light", 390, COLOURED)],
)
def test_axe_finds_no_serious_fault(opens: Opens, scheme: str, width: int, pages: list[str]) -> None:
    watched = opens(color_scheme=scheme, viewport={"width": width, "height": 844})
    for address in pages:
        assert _serious(watched.open(address)) == [], address


def test_axe_finds_no_serious_fault_in_answers(box: Watched) -> None:
    for text in ("RuntimeError: expected scalar type Long but found Float", PROGRAM):
        box.explain(text)
        for scheme in ("default", "slate"):
            box.page.evaluate(f"document.body.setAttribute('data-md-color-scheme', '{scheme}')")
            box.page.wait_for_timeout(500)  # colours change slowly
            assert _serious(box.page) == []


def test_the_names_of_rules_are_addresses_too(opens: Opens) -> None:
    watched = opens()
    rule = all_rules()[0]
    page = watched.open(f"rules/{rule.name}/")
    assert page.inner_text("h1").startswith(f"{rule.code} {rule.name}")
    assert page.url.endswith(f"/rules/{rule.name}/")
