"""The rows of a view are exported as a file."""

import json
import re
import unittest

from page import expect
from files import FileCase, ITEM


class ExportTests(FileCase):
    """The rows of a view as a file."""

    ITEMS = [
        {"sku": "A-1", "title": 'one, "two"\r\nthree; "', "price": "12345678901234567890.25",
         "weight": 0.1, "stock": 3, "serial": 9007199254740993, "isFresh": True,
         "soldFrom": "2024-05-01T09:30:00.125Z", "token": "8D7BB53A-0B0E-4A4C-9A0D-6F0B0E0A0001",
         "site": "https://example.org/?a=1,2", "picture": "AAECAw==", "notes": {"a": [1, "2"]},
         "size": {"width": 2.5, "unit": "cm"}, "maker": 1},
        {"sku": "A-2", "title": "", "price": "0.10", "weight": -2e300, "stock": None,
         "isFresh": False, "soldFrom": "0950-01-01T00:00:00Z", "notes": "5", "maker": 3},
        {"sku": "A-3", "title": "  =1+1 שלום ", "price": "7", "notes": 5, "size": {"unit": ""}},
        {"sku": "A-4", "title": None, "price": "7", "maker": 2},
        {"sku": "B-5", "title": "true"},
    ]

    def setUp(self):
        super().setUp()
        self.page.add_init_script("window.showSaveFilePicker = undefined")
        self.store_items()

    def store_items(self):
        self.service.ask("DELETE", "Item?where=TRUEPREDICATE")
        self.service.ask("POST", "Item", self.ITEMS)

    def export(self, view, form, columns):
        """The file of an export."""
        page = self.open(view)
        self.button("Export").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_role("radio", name=re.compile(f"^{form}")).check()
        dialog.get_by_role("radio", name=re.compile(f"^{columns}")).check()
        name, data = self.download(dialog.get_by_role("button", name="Export"))
        self.assertRegex(name, rf"^\w+-\d{{4}}-\d\d-\d\d\.{form.lower()}$")
        expect(dialog.get_by_role("status")).to_contain_text(f"saved as {name}", ignore_case=True)
        dialog.get_by_role("button", name="Close").click()
        return data

    WHERE = "where=sku%20BEGINSWITH%20%22A%22%20AND%20price%20%3E%201&sort=price,-sku"

    def test_an_export_has_what_the_service_lists(self):
        columns = "_id,sku,size:%23size,price,maker.name"
        for form in ("CSV", "NDJSON", "JSON"):
            for choice, select in {"Those of the table": f"&select={columns}", "Whole": ""}.items():
                with self.subTest(form, choice=choice):
                    data = self.export(
                        f"rows/Item?{self.WHERE}&columns=sku,size,price,maker.name", form, choice)
                    listed = self.text(f"Item?{self.WHERE}{select}&format={form.lower()}")
                    if form == "JSON":
                        data, listed = (
                            json.loads(it, parse_float=str, parse_int=str)
                            for it in (data, listed))
                    self.assertEqual(data, listed)
                    self.assertIn("A-1", str(data))
                    self.assertNotIn("A-2", str(data))

    def test_json_of_no_row_and_of_more_than_an_answer_has(self):
        view = "rows/Reading?sort=-number"
        self.assertEqual(json.loads(self.export(view, "JSON", "Whole")), [])
        for first in range(0, 10_002, 3334):
            self.service.ask("POST", "Reading", [
                {"number": it, "text": "x"} for it in range(first, first + 3334)])
        data = json.loads(self.export(view, "JSON", "Whole"))
        self.assertEqual([it["number"] for it in data], list(range(10_001, -1, -1)))

    def test_an_export_is_imported_again(self):
        # `size` is a word of the predicate language, and marked in a list.
        keys = ",".join(f"%23{it['name']}" for it in ITEM["attributes"]) + ",maker"
        for form, columns in (
                ("CSV", "Those of the table"), ("CSV", "Whole"), ("NDJSON", "Whole")):
            with self.subTest(form, columns=columns):
                self.store_items()
                stored = self.objects(keys)
                data = self.export("rows/Item?sort=_id", form, columns)
                self.service.ask("DELETE", "Item?where=TRUEPREDICATE")
                page = self.choose(data)
                expect(page.get_by_text("5 rows: all fit")).to_be_visible()
                self.run_import("5 rows", "5 rows are")
                self.assertEqual(self.objects(keys), stored)


if __name__ == "__main__":
    unittest.main()
