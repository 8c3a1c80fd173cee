"""A service and a browser for the tests of the page.

The tests drive Debian's Chromium with playwright. STELE names the program (.build/debug/stele), CHROMIUM
the browser (/usr/bin/chromium).
"""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import urllib.request
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
STELE = os.environ.get("STELE", str(ROOT / ".build/debug/stele"))
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
SEEDS = ROOT / "Config/Seeds"
FILES = ROOT / "Sources/CPage/Files"

# A debug build is slow, and the machine may be busy.
expect.set_options(timeout=15_000)


def model(name):
    """The path of a model that ships."""
    return str(ROOT / f"Config/Models/{name}.xcdatamodeld")


class Service:
    """A service over a store of its own, in a folder that is removed at the end."""

    def __init__(self, model_path, *arguments, seed=None, keys=()):
        self.folder = tempfile.mkdtemp()
        self.store = f"{self.folder}/store.sqlite"
        self.model = model_path
        self.arguments = list(arguments)
        self.port = 0
        self.process = None
        if seed:
            files = sorted(str(it) for it in (SEEDS / seed).glob("*.ndjson"))
            flags = [flag for key in keys for flag in ("--key", key)]
            self.run("import", model_path, "--store", self.store, *flags, *files)
        self.start()

    @staticmethod
    def run(*arguments):
        """Runs a command of the program to its end."""
        subprocess.run([STELE, *arguments], check=True, stdout=subprocess.DEVNULL)

    def start(self):
        """Starts the service, on the port that it had before."""
        command = [STELE, "serve", self.model, "--store", self.store, "--port", str(self.port)]
        self.process = subprocess.Popen(
            command + self.arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.process.stdout.readline()
        line = self.process.stdout.readline()
        self.port = int(re.search(r":(\d+)", line.split("//")[1]).group(1))
        self.url = f"http://127.0.0.1:{self.port}/"

    def kill(self):
        """Ends the service as a power cut does."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()

    def close(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def ask(self, method, path, body=None, headers=None):
        """The JSON of an answer."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.url + path, data, {"Content-Type": "application/json", **(headers or {})},
            method=method)
        with urllib.request.urlopen(request) as answer:
            text = answer.read()
        return json.loads(text) if text else None


class PageCase(unittest.TestCase):
    """A case with a browser. `service` is made by `make_service`, once for the class."""

    @classmethod
    def make_service(cls):
        return Service(model("League"), seed="League", keys=["Team.name"])

    @classmethod
    def setUpClass(cls):
        cls.service = cls.make_service()
        cls.playwright = sync_playwright().start()
        cls.browser = cls.playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"])

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.playwright.stop()
        cls.service.close()

    def setUp(self):
        self.context = self.browser.new_context(
            viewport={"width": 1280, "height": 800}, accept_downloads=True)
        self.page = self.context.new_page()
        self.errors = []
        self.expected_errors = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self.hear)

    def hear(self, message):
        """Notes what the page or the browser calls an error or a warning: a breach of the policy, an
        error that a view did not expect."""
        if message.type in ("error", "warning"):
            self.errors.append(message.text)

    def tearDown(self):
        self.context.close()
        left = [it for it in self.errors
                if not any(re.search(pattern, it) for pattern in self.expected_errors)]
        self.assertEqual(left, [], "errors in the browser's console")

    def open(self, view=""):
        """Opens a view such as `rows/Player?sort=name`."""
        self.page.goto(f"{self.service.url}#/{view}")
        return self.page

    def cell(self, row, name):
        """The cell of a table in a row, and in the column of that name."""
        head = self.page.get_by_role("columnheader", name=name, exact=True)
        column = head.get_attribute("data-column")
        return self.page.locator(
            f'stele-table .layer .row[data-index="{row}"] .cell[data-column="{column}"]')

    def until(self, holds, what, seconds=15):
        """Waits until something holds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if holds():
                return
            self.page.wait_for_timeout(50)
        self.fail(f"not within {seconds} s: {what}")
