"""The fixtures of the doors, and a Chromium."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.api.fixtures import client, home, known_as_testserver, live_server, no_settings_from_outside  # noqa: F401

expect.set_options(timeout=30_000)
"""A busy machine paints late; what never comes fails all the same."""
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"))), None
)
"""The same engine without windows comes first: a page takes it 0.3 s of CPU, and the whole browser 1.0 s on a machine without a graphics card."""


@contextmanager
def chromium(*arguments: str) -> Iterator[Browser]:
    """A Chromium until the block ends; skips where there is none. Within it the thread's event loop is Playwright's: no test asks for its own."""
    if CHROMIUM is None:
        pytest.skip(
            "no Chromium on this machine: install it (Debian: apt-get install chromium-headless-shell) to run the browser tests"
        )
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", *arguments])
        yield running
        running.close()


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One for the files of this folder that come one after the other."""
    with chromium() as running:
        yield running


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    fresh = browser.new_context(locale="en-US")
    yield fresh
    fresh.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page on which any script error or refused resource fails the test."""
    tab = context.new_page()
    complaints: list[str] = []
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    tab.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    yield tab
    assert complaints == []
