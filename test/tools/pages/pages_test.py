# SPDX-License-Identifier: Apache-2.0
"""Tests in headless Chromium that pages written with --html are drawn completely and usable with a keyboard alone.

    pages_test.py BIN_DIR

Exit code 77 if Chromium is not installed."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "script" / "lib"))
from browser import Browser, Unavailable

TAB, RIGHT, LEFT, END, ENTER = "\ue004", "\ue014", "\ue012", "\ue010", "\ue007"
MODEL = ROOT / "examples/models/nest_squeeze_cifar10.onnx"
QUANTIZED = ("--quantize", "s8", "--calibrate", ROOT / "examples/images", "--mean", "128", "--scale", "0.015625", "--resize",
             "32", "--target", "zcu102")
HOSTILE = "</script><script>document.title='taken'</script><img src=x onerror=alert(1)>"


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.plan, cls.float_plan = (str(pathlib.Path(cls.folder.name) / name) for name in ("s8.nest", "f32.nest"))
        for plan, options in ((cls.plan, QUANTIZED), (cls.float_plan, ())):
            subprocess.run([f"{BIN}/nestc", "compile", MODEL, "-o", plan, *options], check=True, capture_output=True)
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.folder.cleanup()

    def page(self, program, *arguments):
        """Opens the page that a command writes. Fails if the page does not draw all of its figures."""
        path = pathlib.Path(self.folder.name) / f"{self.id()}.html"
        done = subprocess.run([f"{BIN}/{program}", *arguments, "--html", path], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.browser.open(path)
        figures = self.browser.run("return document.querySelectorAll('section').length")
        self.assertGreater(figures, 0)
        self.assertEqual(self.browser.run("return document.body.dataset.drawn"), str(figures))
        self.assertEqual(self.browser.errors(), [])
        return path

    def kinds(self):
        return self.browser.run("return [...document.querySelectorAll('section')].map(s => s.dataset.kind)")

    def count(self, selector):
        return self.browser.run(f"return document.querySelectorAll({selector!r}).length")

    def test_inspect_shows_every_operator_and_buffer(self):
        self.page("nestc", "inspect", self.plan)
        self.assertEqual(self.kinds(), ["facts", "graph", "table", "table", "memory", "table"])
        rows = self.count("#figure-2 tbody tr")
        self.assertEqual(self.count("#figure-1 g.item"), rows - 1)  # the last one is the total
        self.assertGreater(self.count("#figure-4 g.item"), 1)

    def test_explain_shows_which_operators_a_unit_supports(self):
        self.page("nestc", "explain", self.plan)
        self.assertEqual(self.kinds(), ["table", "graph", "table"])
        self.assertIn("has a program", self.browser.run("return document.querySelector('.legend').textContent"))

    def test_simulate_shows_the_schedule_on_its_units(self):
        self.page("nestrt", "simulate", self.plan, "--board", "zcu102")
        self.assertEqual(self.kinds(), ["bars", "timeline", "table", "graph", "table"])
        steps = self.browser.run("return [...document.querySelectorAll('#figure-1 g.item')].filter("
                                 "g => g.getAttribute('aria-label').includes('(step)')).length")
        self.assertEqual(steps, self.count("#figure-2 tbody tr"))

    def test_bench_shows_operators_units_and_runs(self):
        self.page("nestrt", "bench", self.plan, "--units", "cpu,evta:sim", "--threads", "1", "--schedule", "file-order", "--runs", "5",
                  "--warmup", "1")
        self.assertEqual(self.kinds(), ["table", "table", "timeline", "bars", "roofline", "table", "bars"])
        self.assertEqual(self.count("#figure-3 g.item"), self.count("#figure-5 tbody tr"))
        self.assertEqual(self.count("#figure-6 g.item"), 5)

    def test_profile_shows_the_costs_of_each_unit(self):
        self.page("nestrt", "profile", self.plan, "--units", "cpu,evta:sim", "--threads", "1", "--max-runs", "3")
        self.assertEqual(self.kinds(), ["bars", "table", "table"])

    def test_check_shows_the_error_of_each_operator(self):
        probe = subprocess.run([sys.executable, "-c", "import onnxruntime"], capture_output=True, check=False)
        private = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "nestrt"
        if probe.returncode != 0 and not private.is_dir():
            self.skipTest("ONNX Runtime is not installed")
        self.page("nestc", "check", MODEL, self.float_plan, "--layers")
        self.assertEqual(self.kinds(), ["table", "bars", "table"])

    def test_names_of_a_model_are_text_not_markup(self):
        hostile = pathlib.Path(self.folder.name) / f"{HOSTILE.replace('/', '_')}.nest"
        hostile.write_bytes(pathlib.Path(self.plan).read_bytes())
        self.page("nestc", "explain", str(hostile))
        self.assertIn("document.title", self.browser.run("return document.title"))
        self.assertEqual(self.count("img"), 0)
        self.assertEqual(self.count("script"), 2)

    def test_figures_are_reached_and_read_with_the_keyboard(self):
        self.page("nestrt", "simulate", self.plan, "--board", "zcu102")
        self.browser.run("document.querySelector('#figure-1 g.item').focus()")
        first = self.browser.run("return document.querySelector('#figure-1 .details').textContent")
        self.browser.press(RIGHT)
        second = self.browser.run("return document.querySelector('#figure-1 .details').textContent")
        self.assertNotEqual(first, second)
        self.browser.press(LEFT)
        self.assertEqual(self.browser.run("return document.querySelector('#figure-1 .details').textContent"), first)
        width = self.browser.run("return Number(document.querySelector('#figure-1 svg').getAttribute('width'))")
        self.browser.press("+")
        zoomed = self.browser.run("return Number(document.querySelector('#figure-1 svg').getAttribute('width'))")
        self.assertGreater(zoomed, 1.5 * width)
        self.assertEqual(self.browser.run("return document.querySelector('#figure-1 .details').textContent"), first)

    def test_tabs_lead_to_every_figure(self):
        self.page("nestc", "inspect", self.plan)
        reached = set()
        for _ in range(60):
            self.browser.press(TAB)
            section = self.browser.run("const s = document.activeElement.closest('section'); return s ? s.dataset.kind : null")
            reached.add(section)
        self.assertLessEqual({"graph", "table", "memory"}, reached)

    def test_tables_are_sorted_by_their_headers(self):
        self.page("nestc", "inspect", self.plan)
        column = "[...document.querySelectorAll('#figure-2 tbody tr')].map(r => parseFloat(r.children[8].textContent) || 0)"
        self.browser.run("document.querySelectorAll('#figure-2 th button')[8].focus()")
        self.browser.press(ENTER)
        self.assertEqual(self.browser.run("return document.querySelectorAll('#figure-2 th')[8].ariaSort"), "ascending")
        numbers = [value for value in self.browser.run(f"return {column}") if value > 0]
        self.assertEqual(numbers, sorted(numbers))


if __name__ == "__main__":
    BIN = sys.argv[1]
    try:
        Browser().__exit__()
    except Unavailable as why:
        print(f"skipped: {why}")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], "-v"])
