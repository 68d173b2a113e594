"""The Python that runs in the box: Pyodide from npm, and the wheel of lossguard.

`python -m website.box` only fetches what the site and its tests take from npm.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Final

from website.transcripts import ROOT

_CACHE: Final = ROOT / "build" / "npm"
_WHEELS: Final = ROOT / "build" / "wheel"
_PYODIDE: Final = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "pyodide-lock.json",
    "python_stdlib.zip",
)


def add_box(site: Path) -> None:
    """Put Pyodide and the wheel into the site, with a list of what is loaded and how large it is."""
    folder = site / "assets" / "python"
    folder.mkdir(parents=True)
    for name in _PYODIDE:
        shutil.copy2(package("pyodide") / name, folder)
    wheel = shutil.copy2(built_wheel(), folder)
    sizes = {path.name: path.stat().st_size for path in sorted(folder.iterdir())}
    (folder / "box.json").write_text(json.dumps({"wheel": Path(wheel).name, "sizes": sizes}), encoding="utf-8")


def package(name: str) -> Path:
    """The folder of an npm package in the version that `website/package.json` names, fetched if it is not here."""
    wanted = versions()[name]
    folder = _CACHE / f"{name}-{wanted}"
    if folder.is_dir():
        return folder
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("the box needs npm, to fetch Pyodide: apt-get install npm, then run this again")
    _CACHE.mkdir(parents=True, exist_ok=True)
    command = [npm, "pack", "--silent", "--pack-destination", str(_CACHE), f"{name}@{wanted}"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own command
    unpacked = _CACHE / f"{name}-unpacked"
    with tarfile.open(_CACHE / f"{name}-{wanted}.tgz") as archive:
        archive.extractall(unpacked, filter="data")
    (unpacked / "package").rename(folder)
    return folder


def versions() -> dict[str, str]:
    """The npm packages and their versions."""
    listed = json.loads((ROOT / "website" / "package.json").read_text(encoding="utf-8"))
    return dict(listed["devDependencies"])


def built_wheel() -> Path:
    """The wheel that `make test` has built and tested, if no source is newer than it; otherwise a new one."""
    known = sorted(_WHEELS.glob("*.whl"))
    newest = max(path.stat().st_mtime for path in (ROOT / "src").rglob("*.py"))
    if not known or known[-1].stat().st_mtime < newest:
        shutil.rmtree(_WHEELS, ignore_errors=True)
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
        subprocess.run([*command, "--wheel-dir", str(_WHEELS), str(ROOT)], check=True)  # noqa: S603 - our own command
        known = sorted(_WHEELS.glob("*.whl"))
    return known[-1]


if __name__ == "__main__":
    for each in versions():
        package(each)
