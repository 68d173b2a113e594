"""The built site in Chromium: a server below some path, and pages that tell what they said and asked for."""

from __future__ import annotations

import functools
import http.server
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
#: Nothing waits longer than this: a busy machine is slow, and only what hangs is red.
PATIENCE = 300_000


def launched(playwright: Any) -> Any:
    """Chromium, which on a busy machine takes its time to start and in a container has little shared memory."""
    arguments = ["--no-sandbox", "--disable-dev-shm-usage"]
    return playwright.chromium.launch(executable_path=CHROMIUM, args=arguments, timeout=PATIENCE)


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Files, without a word."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def served(site: Path, folder: Path) -> Iterator[str]:
    """The address of the site on this machine, below a path of its own."""
    (folder / "some").mkdir()
    (folder / "some" / "where").symlink_to(site, target_is_directory=True)
    handler = functools.partial(_Handler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/some/where/"
        server.shutdown()
        thread.join()


@dataclass
class Watched:
    """A page of the browser, and everything about it that should not be."""

    page: Any
    home: str
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(PATIENCE)
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", self._asked)
        # What is still on its way when the browser goes to another page is aborted, and nothing is wrong with that.
        self.page.on("requestfailed", self._failed)
        self.page.on("response", lambda got: self.said.append(f"{got.status} {got.url}") if got.status >= 400 else None)
        self.page.on("request", lambda request: self.asked.append(request.url))

    def _asked(self, dialog: Any) -> None:
        self.said.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def _failed(self, request: Any) -> None:
        if "ERR_ABORTED" not in (request.failure or ""):
            self.said.append(f"failed {request.url}")

    def open(self, address: str) -> Any:
        """Go to a page of the site and wait until it has all that it loads."""
        self.page.goto(self.home + address, wait_until="load")
        return self.page

    def foreign(self) -> list[str]:
        """Requests to anywhere else."""
        return [url for url in self.asked if not url.startswith((self.home, "data:", "blob:"))]

    def explain(self, text: str) -> None:
        """Put a text into the box and wait for the answer."""
        before = self._answers()
        self.page.fill("#paste", text)
        self.page.click("#box .main")
        self.answered(before)

    def take(self, file: Path) -> None:
        """Give a file to the box and wait for the answer."""
        before = self._answers()
        self.page.set_input_files("#file", str(file))
        self.answered(before)

    def _answers(self) -> int:
        return int(self.page.evaluate("document.getElementById('box').dataset.answers ?? 0"))

    def answered(self, before: int = 0) -> None:
        """Wait until the box has given more answers than before."""
        self.until(f"(document.getElementById('box').dataset.answers ?? 0) > {before}")

    def until(self, expression: str) -> None:
        """Wait until an expression is true; the browser's own way to wait needs `eval`, which the pages forbid."""
        for _ in range(PATIENCE // 50):
            if self.page.evaluate(expression):
                return
            self.page.wait_for_timeout(50)
        raise TimeoutError(expression)
