# SPDX-License-Identifier: Apache-2.0
"""Opens the built site in headless Chromium: navigation leads to pages, and the search finds them."""

import functools
import http.server
import pathlib
import sys
import threading
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "lib"))
from browser import Browser, Unavailable  # noqa: F401

SEARCHES = {"winograd": "Numerics", "NESTRT_COST_CACHE": "Environment variables", "quarantine": "EVTA"}


def wait_for(browser, script, what, seconds=20):
    """Returns the first true value of a script, polled."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = browser.run(script)
        if value:
            return value
        time.sleep(0.2)
    raise RuntimeError(f"the site: {what} within {seconds} s")


def check_navigation(browser, site):
    browser.open(f"{site}/index.html")
    links = browser.run("return [...new Set([...document.querySelectorAll('.md-tabs a, .md-nav a')]"
                        ".map(a => a.href.split('#')[0]).filter(h => h.startsWith('http:')))]")
    if len(links) < 30:
        raise RuntimeError(f"the site: navigation has {len(links)} pages, expected at least 30")
    browser.run("[...document.querySelectorAll('.md-tabs a')].find(a => a.textContent.trim() == 'Concepts').click()")
    wait_for(browser, "return document.querySelector('article h1')?.textContent.startsWith('Plans')",
             "the tab 'Concepts' does not open its first page")


def check_search(browser, site):
    for words, title in SEARCHES.items():
        browser.open(f"{site}/index.html")
        browser.run("const box = document.querySelector('.md-search__input'); box.focus(); box.value = arguments[0] || "
                    f"{words!r}; box.dispatchEvent(new Event('keyup')); box.dispatchEvent(new Event('input'));")
        found = f"return [...document.querySelectorAll('.md-search-result__link')].some(a => a.textContent.includes({title!r}))"
        wait_for(browser, found, f"the search for '{words}' does not find '{title}'")
        browser.run(f"[...document.querySelectorAll('.md-search-result__link')].find(a => a.textContent.includes({title!r})).click()")
        wait_for(browser, f"return document.querySelector('article h1')?.textContent.includes({title!r})",
                 f"the result '{title}' of the search for '{words}' does not open")


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        """Logs nothing."""


def check_site(folder):
    """Raises if navigation or search do not work, or if a page reports an error to the console."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(QuietHandler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    site = f"http://127.0.0.1:{server.server_port}"
    with Browser(1400, 1000) as browser:
        check_navigation(browser, site)
        check_search(browser, site)
        errors = browser.errors()
        if errors:
            raise RuntimeError("the site reports errors:\n" + "\n".join(errors))
