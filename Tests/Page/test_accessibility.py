"""axe-core's rules in every view, in both themes and on a phone; test_map has those of the map."""

import unittest

from axe_playwright_python.sync_playwright import Axe

from page import PageCase, Service, expect, model

VIEWS = {
    "model": "model", "model as a table": "model?view=table",
    "rows": "rows/Player?sort=-goals", "an object": "rows/Player?open=1",
    "a predicate with an error": "rows/Player?where=gaols%20%3E%201",
    "chart": "chart/Player", "feed": "feed", "history": "feed?since=0",
    "api": "api", "an operation": "api?operation=listPlayer", "import": "import/Player",
    "nothing": "nothing/here",
}


class AccessibilityTests(PageCase):
    @classmethod
    def make_service(cls):
        return Service(model("League"), seed="League", keys=["Team.name"])

    def check(self, name, view):
        page = self.open(view)
        page.wait_for_selector("#main > *")
        page.wait_for_timeout(400)
        result = Axe().run(page)
        self.assertEqual(result.violations_count, 0, f"{name}: {result.generate_report()[:2000]}")

    def test_every_view_in_the_light(self):
        self.expected_errors = ["400"]
        for name, view in VIEWS.items():
            with self.subTest(name):
                self.check(name, view)

    def test_every_view_in_the_dark(self):
        self.expected_errors = ["400"]
        self.page.emulate_media(color_scheme="dark")
        for name, view in VIEWS.items():
            with self.subTest(name):
                self.check(name, view)

    def test_every_view_on_a_phone(self):
        self.expected_errors = ["400"]
        self.page.set_viewport_size({"width": 390, "height": 780})
        for name, view in VIEWS.items():
            with self.subTest(name):
                self.check(name, view)
                wide = self.page.evaluate("document.documentElement.scrollWidth > innerWidth")
                self.assertFalse(wide, "the page is wider than the phone")

    def test_dialogs(self):
        page = self.open("rows/Player")
        for button in ("Columns", "Export", "Code"):
            with self.subTest(button):
                page.get_by_role("button", name=button).click()
                expect(page.get_by_role("dialog")).to_be_visible()
                result = Axe().run(page)
                self.assertEqual(result.violations_count, 0, result.generate_report()[:2000])
                page.keyboard.press("Escape")
                expect(page.get_by_role("dialog")).to_have_count(0)

    def test_the_table_by_keys_alone(self):
        page = self.open("rows/Player?sort=name")
        expect(page.locator("stele-rows .footer")).to_contain_text("21 objects")
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
        page.keyboard.press("Enter")
        for _ in range(30):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.getAttribute('role')") == "grid":
                break
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(page.locator("stele-object-panel h2")).to_be_visible()


if __name__ == "__main__":
    unittest.main()
