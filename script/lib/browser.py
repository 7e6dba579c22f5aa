# SPDX-License-Identifier: Apache-2.0
"""Controls headless Chromium through WebDriver (https://www.w3.org/TR/webdriver2/)."""

import base64
import json
import pathlib
import re
import shutil
import subprocess
import urllib.request


class Unavailable(Exception):
    """Chromium or its driver is not installed."""


class Browser:
    """A browser window; a context manager."""

    def __init__(self, width=1280, height=1600):
        driver = shutil.which("chromedriver")
        chromium = shutil.which("chromium")
        if driver is None or chromium is None:
            raise Unavailable("chromium or chromium-driver is not installed; run script/bootstrap host tests")
        self._process = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self._base = f"http://127.0.0.1:{self._port()}"
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={width},{height}"]
        options = {"binary": chromium, "args": arguments}
        capabilities = {"browserName": "chrome", "goog:chromeOptions": options,
                        "goog:loggingPrefs": {"browser": "ALL"}}
        self._session = ""
        session = self._call("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        self._session = f"/session/{session['sessionId']}"

    def _port(self):
        for line in self._process.stdout:
            found = re.search(r"successfully on port (\d+)", line)
            if found:
                return int(found[1])
        raise Unavailable("chromedriver did not start")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._call("DELETE", "", None)
        finally:
            self._process.terminate()
            self._process.wait()
            self._process.stdout.close()

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._base + self._session + path, data=data, method=method)
        request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)["value"]

    def open(self, page):
        """Opens a file or an http URL."""
        url = page if str(page).startswith("http:") else pathlib.Path(page).resolve().as_uri()
        self._call("POST", "/url", {"url": url})

    def run(self, script):
        """Runs a script in the page and returns its result."""
        return self._call("POST", "/execute/sync", {"script": script, "args": []})

    def press(self, *keys):
        """Presses and releases each key, by WebDriver's codes; "\\ue004" is Tab."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self._call("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def errors(self):
        """Returns the errors on the page's console, such as failed scripts and blocked loads."""
        return [entry["message"] for entry in self._call("POST", "/se/log", {"type": "browser"}) if entry["level"] == "SEVERE"]

    def image(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self._call("GET", "/screenshot")))
