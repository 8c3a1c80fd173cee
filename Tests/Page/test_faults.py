"""Hostile data and faults: markup in values, a large model, a query that takes too long."""

import json
import tempfile
import unittest
from pathlib import Path

from page import PageCase, Service, expect

MARKUP = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>"\'&'
LONG = "N" * 200


def hostile_model():
    """300 entities with names of 200 letters, one of which has rows."""
    entities = [{
        "name": "Note",
        "attributes": [{"name": "title", "type": "String"}, {"name": "size", "type": "Integer 32"}],
        "relationships": [{"name": "about", "destination": f"{LONG[:-3]}001", "inverse": "notes"}],
    }]
    for number in range(1, 300):
        name = f"{LONG[:-3]}{number:03}"
        entity = {"name": name, "attributes": [{"name": "title", "type": "String"}]}
        if number == 1:
            entity["relationships"] = [
                {"name": "notes", "destination": "Note", "inverse": "about", "toMany": True}]
        elif number % 3 == 0:
            entity["parent"] = f"{LONG[:-3]}{number - 1:03}"
            entity["attributes"] = []
        entities.append(entity)
    folder = tempfile.mkdtemp()
    path = Path(folder) / "Hostile.json"
    path.write_text(json.dumps({"name": "Hostile", "entities": entities}))
    return str(path)


class FaultTests(PageCase):
    @classmethod
    def make_service(cls):
        service = Service(hostile_model())
        service.ask("POST", "Note", [
            {"title": MARKUP, "size": 1}, {"title": "שלום עולם", "size": 2},
            {"title": "a" * 30 + "!", "size": 3}])
        return service

    def test_markup_is_shown_and_never_run(self):
        page = self.open("rows/Note?open=1")
        expect(page.locator("stele-object-panel h2")).to_have_text(MARKUP)
        cell = page.locator('stele-table .layer .row[data-index="0"] .cell').nth(1)
        expect(cell).to_have_text(MARKUP)
        for view in ("feed?since=0", "chart/Note", "model", "api"):
            self.open(view)
            page.wait_for_timeout(500)
        self.assertIsNone(page.evaluate("window.hacked ?? null"))
        self.assertEqual(page.locator("img, #main script").count(), 0)

    def test_text_from_right_to_left_has_its_direction(self):
        page = self.open("rows/Note?open=2")
        heading = page.locator("stele-object-panel h2")
        expect(heading).to_have_text("שלום עולם")
        self.assertEqual(heading.evaluate("it => getComputedStyle(it).direction"), "rtl")

    def test_a_large_model_is_usable(self):
        page = self.open("model")
        expect(page.locator("stele-model")).to_contain_text("300 entities")
        page.get_by_label("Find an entity").fill("note")
        links = page.locator("#entities a:visible")
        expect(links).to_have_count(1)
        links.first.click()
        expect(page.locator("stele-rows .footer")).to_contain_text("3 objects")
        wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
        self.assertFalse(wide)

    def test_a_predicate_that_takes_too_long_is_said(self):
        self.expected_errors = ["status of 4"]
        page = self.open("rows/Note?where=" + "title%20MATCHES%20%22(a%2B)%2B%24%22")
        expect(page.locator(".predicate-error, #notices")).to_contain_text(["MATCHES"])
        # The page goes on.
        bar = page.get_by_role("combobox", name="Predicate")
        bar.fill("#size == 2")
        bar.press("Enter")
        expect(page.locator("stele-rows .footer")).to_contain_text("1 object")

    def test_an_address_that_names_nothing(self):
        page = self.open("rows/Nothing")
        expect(page.get_by_role("heading", name="Not found")).to_be_visible()
        page.get_by_role("link", name="All entities").click()
        expect(page.locator("stele-model")).to_be_visible()

    def test_an_object_that_is_gone(self):
        self.expected_errors = ["404"]
        page = self.open("rows/Note?open=99")
        expect(page.locator("stele-object-panel")).to_contain_text("there is no Note 99")


if __name__ == "__main__":
    unittest.main()
