"""An import while it runs: a service that stops, a cancel, rows that are refused."""

import csv
import io
import json
import unittest

from page import expect
from files import FileCase


class RunTests(FileCase):
    """Faults and refusals while an import runs."""

    def readings(self):
        """The numbers of all readings."""
        lines = self.text("Reading?format=ndjson&sort=number").splitlines()
        return [json.loads(it)["number"] for it in lines]

    @staticmethod
    def file(count):
        return "number,text\n" + "".join(f"{it},reading {it}\n" for it in range(count))

    def on_post(self, entity, handle):
        """Gives each POST of an entity's objects to a function, with its number."""
        posts = []

        def receive(route):
            if route.request.method != "POST":
                return route.continue_()
            posts.append(route)
            handle(route, len(posts))

        self.page.route(f"**/{entity}", receive)

    def cancel_second_request(self, entity, start):
        """Starts an import, and cancels it while its second request is held back."""
        held = []
        self.on_post(entity, lambda route, number:
                     held.append(route) if number == 2 else route.continue_())
        start()
        self.until(lambda: held, "the second request is sent")
        self.button("Cancel").click()
        held[0].continue_()
        expect(self.page.get_by_text("The import was cancelled.")).to_be_visible()

    def test_each_row_is_saved_once_though_the_service_is_killed(self):
        self.expected_errors = ["ERR_"]

        def answer(route, number):
            if number == 2:
                # The rows are saved, and nobody hears of it.
                self.assertEqual(route.fetch().status, 201)
                self.service.kill()
                route.abort("connectionreset")
            elif number == 4:
                self.service.kill()
                route.continue_()
            else:
                route.continue_()
                if number == 6:
                    # The service dies before, in or after the save.
                    self.service.kill()

        self.on_post("Reading", answer)
        page = self.choose(self.file(4000), "Reading")
        self.button("Import 4,000 rows").click()
        for _ in range(3):
            self.until(lambda: self.service.process.poll() is not None, "the service is killed")
            expect(page.get_by_text("The import goes on when it can.")).to_be_visible()
            self.service.start()
        expect(page.get_by_role("heading", name="4,000 rows are saved")).to_be_visible()
        self.assertEqual(self.readings(), list(range(4000)))
        expect(self.button("Import another file")).to_be_visible()
        page.get_by_role("link", name="Show these rows").click()
        expect(page.get_by_text("4,000 objects", exact=True)).to_be_visible()

    def test_an_import_is_cancelled_and_goes_on(self):
        page = self.choose(self.file(1600), "Reading")

        def start():
            self.button("Import 1,600 rows").click()
            expect(page.get_by_text("500 of 1,600 rows")).to_be_visible()
            expect(page.get_by_role("progressbar", name="Rows that are done")
                   ).to_have_js_property("value", 500)

        self.cancel_second_request("Reading", start)
        expect(page.get_by_role("heading", name="1,000 rows are saved")).to_be_visible()
        self.assertEqual(len(self.readings()), 1000)
        self.button("Go on with the 600 left").click()
        expect(page.get_by_role("heading", name="1,600 rows are saved")).to_be_visible()
        self.assertEqual(self.readings(), list(range(1600)))

    def test_a_link_does_not_end_an_import_without_a_question(self):
        asked = []
        held = []
        self.page.on("dialog", lambda it: (asked.append(it.message), it.dismiss()))
        self.on_post("Reading", lambda route, number: held.append(route))
        page = self.choose(self.file(400), "Reading")
        self.button("Import 400 rows").click()
        self.until(lambda: held, "a request is sent")
        page.get_by_role("link", name="Feed").click()
        self.until(lambda: asked, "the question is asked")
        self.assertIn("still running", asked[0])
        self.assertIn("#/import/Reading", page.url)
        held[0].continue_()
        expect(page.get_by_role("heading", name="400 rows are saved")).to_be_visible()
        page.get_by_role("link", name="Feed").click()
        expect(page.locator("stele-feed")).to_be_visible()
        self.assertEqual(len(asked), 1)

    PARTS = 'code,label\nAB-1,one\nab-2,"two, or ""three"""\nCD-EF-3,three\n7,four\n'

    def test_rows_that_the_service_refuses_end_the_import_or_are_downloaded(self):
        self.expected_errors = ["status of 422"]
        page = self.choose(self.PARTS, "Part")
        page.get_by_label("A row that the service refuses").select_option("ends the import")
        self.run_import("4 rows", "0 rows are")
        expect(page.get_by_text("The import stopped at a refused row")).to_be_visible()
        self.assertEqual(self.objects("code", "Part"), [])

        self.choose_another(self.PARTS, "parts.csv")
        expect(page.get_by_text("4 rows: all fit")).to_be_visible()
        self.run_import("4 rows", "2 rows are")
        self.assertEqual(self.objects("code", "Part"), [["AB-1"], ["CD-EF-3"]])
        refused = self.rows("Refused rows")
        expect(refused).to_have_count(2)
        expect(refused.nth(0)).to_contain_text("code: code must match (?:[A-Z]{2}-)+[0-9]+")
        expect(refused.nth(1)).to_contain_text("four")
        name, data = self.download(self.button("Download the 2 refused"))
        self.assertEqual(name, "parts-refused.csv")
        reason = "code: code must match (?:[A-Z]{2}-)+[0-9]+"
        self.assertEqual(list(csv.reader(io.StringIO(data.decode(), newline=""))), [
            ["code", "label", "reason"], ["ab-2", 'two, or "three"', reason],
            ["7", "four", reason]])
        # The file can be mended, and imported as it is.
        mended = data.replace(b"ab-2", b"AB-2").replace(b"7,", b"EF-7,")
        self.choose_another(mended)
        expect(self.target("reason").locator("option:checked")).to_have_text("do not import")
        self.run_import("2 rows", "2 rows are")
        self.assertEqual(self.objects("code,label", "Part")[2:], [
            ["AB-2", 'two, or "three"'], ["EF-7", "four"]])

    def test_what_is_settled_before_a_cancel_is_not_sent_again(self):
        self.expected_errors = ["status of 422"]
        page = self.choose(self.PARTS, "Part")
        # The first request is refused. The second has half of the rows that are left.
        self.cancel_second_request("Part", self.button("Import 4 rows").click)
        expect(page.get_by_role("heading", name="1 row is saved")).to_be_visible()
        self.button("Go on with the 1 left").click()
        expect(page.get_by_role("heading", name="2 rows are saved")).to_be_visible()
        expect(self.rows("Refused rows")).to_have_count(2)
        self.assertEqual(self.objects("code", "Part"), [["AB-1"], ["CD-EF-3"]])

    def test_a_rule_that_no_row_can_keep(self):
        self.expected_errors = ["status of 422"]
        page = self.choose("name\nred\nblue\n", "Crew")
        self.run_import("2 rows", "0 rows are")
        expect(page.get_by_text("2 rows are refused.")).to_be_visible()
        expect(self.rows("Refused rows").first).to_contain_text("at least 1 member")
        self.assertEqual(self.service.ask("GET", "Crew/count")["count"], 0)


if __name__ == "__main__":
    unittest.main()
