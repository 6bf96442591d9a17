"""A real browser, driven without a screen, and a page opened in it with everything that it requested."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome, ChromeOptions, ChromeService

QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    """Start Chromium; only a user's machine may do without it."""
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if program is None or driver is None:
        missing = "this test needs chromium and chromedriver on the path"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    options = ChromeOptions()
    options.binary_location = program
    for argument in (*QUIET, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    chrome = Chrome(options=options, service=ChromeService(driver))
    yield chrome
    chrome.quit()


class Opened:
    """A page in the browser, at a width of its own.

    Attributes
    ----------
    requests
        Addresses that the page requested, the page's own included.
    """

    def __init__(self, chrome: Chrome, path: Path) -> None:
        self.chrome = chrome
        self.media()
        self.width(1280)
        self.log("performance")
        self.log("browser")
        chrome.get(path.as_uri())
        messages = [json.loads(entry["message"])["message"] for entry in self.log("performance")]
        sent = [each["params"] for each in messages if each["method"] == "Network.requestWillBeSent"]
        self.requests = [str(each["request"]["url"]) for each in sent]

    def log(self, kind: str) -> list[dict[str, Any]]:
        """Return what the browser has logged since it was last requested."""
        return list(self.chrome.get_log(kind))  # type: ignore[no-untyped-call]  # selenium leaves it untyped

    def script(self, text: str) -> Any:
        """Return what a function body evaluates to in the page."""
        return self.chrome.execute_script(text)

    def command(self, name: str, **parameters: object) -> Any:
        """Return the answer to a command of the browser's own protocol."""
        return self.chrome.execute_cdp_cmd(name, parameters)

    def width(self, pixels: int) -> None:
        """Lay the page out for a screen of that width."""
        self.command(
            "Emulation.setDeviceMetricsOverride",
            width=pixels,
            height=900,
            deviceScaleFactor=1,
            mobile=pixels < 600,
        )

    def media(self, kind: str = "screen", scheme: str = "light") -> None:
        """Show the page as on a screen or on paper, in light or dark colors."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.command("Emulation.setEmulatedMedia", media=kind, features=features)

    def press(self, *keys: tuple[str, int]) -> None:
        """Press keys, given as (name, code), one after the other."""
        for name, code in keys:
            for kind in ("keyDown", "keyUp"):
                self.command(
                    "Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=code
                )


@pytest.fixture
def opened(browser: Chrome, tmp_path: Path) -> Callable[[bytes], Opened]:
    """Return what opens a page, given as the bytes of its file."""

    def open_page(content: bytes) -> Opened:
        path = tmp_path / "page.html"
        path.write_bytes(content)
        return Opened(browser, path)

    return open_page
