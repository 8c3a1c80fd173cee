"""A CSV or NDJSON file is shown, checked and imported."""

import re
import unittest

from page import expect
from files import FileCase, MARKUP


class ImportTests(FileCase):
    """What is imported of a file, and as what."""

    def test_columns_are_matched_by_name_by_hand_and_left_out(self):
        page = self.choose(
            "Remarks,SKU,Sale price,sold_from,Title\n"
            "none,A-1,12.50,2024-05-01,Lamp\nfew,B-2,3,2024-05-02 09:30,Rug\n")
        for column, target in {
            "SKU": "sku", "sold_from": "soldFrom", "Title": "title", "Remarks": "do not import",
            "Sale price": "do not import",
        }.items():
            expect(self.target(column).locator("option:checked")).to_have_text(target)
        self.target("Sale price").select_option("price")
        self.target("Title").select_option("do not import")
        expect(self.check("Sale price")).to_have_text("fits")
        expect(self.check("Title")).to_have_text("")
        expect(page.get_by_text("2 rows: all fit")).to_be_visible()
        self.run_import("2 rows", "2 rows are")
        self.assertEqual(self.objects("sku,price,soldFrom,title"), [
            ["A-1", "12.5", "2024-05-01T00:00:00Z", None],
            ["B-2", "3", "2024-05-02T09:30:00Z", None]])

        # A file without names.
        self.choose_another("C-1,5\nC-2,6\n")
        expect(page.get_by_label("The first line has the names")).not_to_be_checked()
        self.target("Column 1").select_option("sku")
        self.target("Column 2").select_option("stock")
        self.run_import("2 rows", "2 rows are")
        self.assertEqual(self.objects("sku,stock")[2:], [["C-1", 5], ["C-2", 6]])

    def test_a_file_is_dropped_and_its_rows_are_shown(self):
        page = self.open("import/Item")
        place = page.get_by_text("Drop a file with objects of Item here")
        file = page.evaluate_handle("""() => {
          const data = new DataTransfer()
          data.items.add(new File(['sku,stock\\nA-1,4\\nA-2,\\n'], 'items.csv'))
          return data
        }""")
        place.dispatch_event("drop", {"dataTransfer": file})
        expect(page.get_by_role("heading", name="items.csv")).to_be_visible()
        expect(self.rows("All rows")).to_have_count(2)
        self.run_import("2 rows", "2 rows are")
        page.get_by_role("link", name="Show these rows").click()
        expect(page.get_by_role("grid", name="Objects of Item")).to_contain_text("A-2")
        # An empty cell is null, also where the attribute has a default.
        self.assertEqual(self.objects("sku,stock"), [["A-1", 4], ["A-2", None]])

    def test_a_to_one_is_found_by_an_attribute_of_its_destination(self):
        self.choose('sku,maker\nA-1,Bell\nA-2,\nA-3,Nobody\nA-4,"Åre ""Works"" \\"\n')
        expect(self.target("maker").locator("option:checked")).to_have_text("maker by name")
        expect(self.check("maker")).to_have_text(
            "1 wrong: Nobody in line 4: no Maker has this name")
        self.leave_out()
        self.run_import("3 rows", "3 rows are")
        self.assertEqual(self.objects("sku,maker"), [["A-1", 2], ["A-2", None], ["A-4", 1]])

        self.choose_another("sku,town\nB-1,Oslo\nB-2,Leeds\n")
        self.target("town").select_option("maker by first")
        expect(self.check("town")).to_contain_text("Leeds in line 3: 2 objects of Maker have it")
        self.leave_out()
        self.run_import("1 row", "1 row is")
        self.assertEqual(self.objects("sku,maker")[3:], [["B-1", 1]])

        self.choose_another("sku,maker\nC-1,3\nC-2,9\n")
        expect(self.target("maker").locator("option:checked")).to_have_text("maker by _id")
        expect(self.check("maker")).to_contain_text("9 in line 3: no Maker has this _id")

    def test_what_the_columns_lack_is_said(self):
        page = self.choose("title,name\nLamp,Rug\n")
        expect(page.get_by_text("Each Item needs sku, and no column")).to_be_visible()
        expect(self.button("Import 1 row")).to_be_disabled()
        self.target("title").select_option("sku")
        expect(self.button("Import 1 row")).to_be_enabled()
        self.target("name").select_option("sku")
        expect(page.get_by_text("Two columns are matched to sku.")).to_be_visible()
        expect(self.button("Import 1 row")).to_be_disabled()

    def test_wrong_cells_are_marked_and_left_out(self):
        page = self.choose(
            "sku,stock,price,isFresh,soldFrom,token\n"
            "A-1,5,1.50,yes,2024-02-29,8d7bb53a-0b0e-4a4c-9a0d-6f0b0e0a0001\n"
            "A-2,many,1,no,2024-01-01,\n"
            "A-3,1,-2,perhaps,2023-02-29,short\n"
            ",1,1,yes,2024-01-01,\n"
            "A-5,1,1,yes\n"
            "A-6,99999999999,1,0,2024-01-01,\n")
        reasons = {
            "sku": "1 wrong: line 5: a value is needed",
            "stock": "2 wrong: many in line 3: not a whole number",
            "price": "1 wrong: -2 in line 4: less than 0",
            "isFresh": "1 wrong: perhaps in line 4: neither true",
            "soldFrom": "1 wrong: 2023-02-29 in line 4: the month has no day 29",
            "token": "1 wrong: short in line 4: not a UUID",
        }
        for column, reason in reasons.items():
            expect(self.check(column)).to_contain_text(reason)
        expect(page.get_by_text("6 rows: 5 wrong")).to_be_visible()
        expect(page.get_by_title("not a whole number")).to_have_text("many")
        expect(page.get_by_title("less than 0")).to_have_text("-2")
        self.button("Wrong rows (5)").click()
        wrong = self.rows("Wrong rows (5)")
        expect(wrong).to_have_count(5)
        expect(wrong.nth(0)).to_contain_text("stock: not a whole number")
        expect(wrong.nth(3)).to_contain_text("4 cells in place of 6")
        expect(wrong.nth(4)).to_contain_text("stock: outside of the range of 32 bits")
        # Nothing is sent before the person agrees.
        expect(self.button("Import 1 row")).to_be_disabled()
        self.assertEqual(self.objects("sku"), [])
        self.leave_out()
        self.run_import("1 row", "1 row is")
        expect(page.get_by_text("5 rows are refused")).to_be_visible()
        expect(self.rows("Refused rows")).to_have_count(5)
        self.assertEqual(self.objects("sku,stock,price,isFresh,soldFrom,token"), [[
            "A-1", 5, "1.5", True, "2024-02-29T00:00:00Z", "8D7BB53A-0B0E-4A4C-9A0D-6F0B0E0A0001"]])

    def test_an_ambiguous_date_is_asked(self):
        page = self.choose("sku,soldFrom\nA-1,01/02/2024\nA-2,03/04/2024\n")
        expect(self.check("soldFrom")).to_have_text(
            "01/02/2024 in line 2 can be read in both ways.")
        expect(page.get_by_text("How is soldFrom written?")).to_be_visible()
        expect(self.button("Import 2 rows")).to_be_disabled()
        self.way("soldFrom").select_option("day/month/year")
        self.run_import("2 rows", "2 rows are")
        self.assertEqual(self.objects("soldFrom"), [
            ["2024-02-01T00:00:00Z"], ["2024-04-03T00:00:00Z"]])

        # One date shows how all are written.
        self.choose_another("sku,soldFrom\nB-1,01/02/2024\nB-2,12/31/2024\n")
        expect(self.way("soldFrom").locator("option:checked")).to_have_text(
            "found: month/day/year")
        self.run_import("2 rows", "2 rows are")
        self.assertEqual(self.objects("soldFrom")[2:], [
            ["2024-01-02T00:00:00Z"], ["2024-12-31T00:00:00Z"]])

        # Dates that contradict each other are asked, too.
        self.choose_another("sku,soldFrom\nC-1,31/12/2024\nC-2,12/31/2024\n")
        expect(self.check("soldFrom")).to_have_text(
            "31/12/2024 in line 2 contradicts 12/31/2024 in line 3.")
        self.leave_out()
        expect(self.button("Import 1 row")).to_be_disabled()

    def test_quotes_reach_over_lines(self):
        page = self.choose(
            'sku,title,stock\r\nA-1,"one, ""two""\r\nthree",1\r\nA-2,"",2\r\nA-3,,x\r\n')
        expect(self.check("stock")).to_have_text("1 wrong: x in line 5: not a whole number")
        self.leave_out()
        self.run_import("2 rows", "2 rows are")
        # The empty text in quotes is not null.
        self.assertEqual(self.objects("sku,title"), [
            ["A-1", 'one, "two"\r\nthree'], ["A-2", ""]])

        self.choose_another('sku,title\nB-1,"one\nB-2,two\n')
        expect(self.rows("All rows")).to_contain_text("a quote is not closed")
        expect(page.get_by_text("No row can be imported.")).to_be_visible()
        self.leave_out()
        expect(self.button("Import 0 rows")).to_be_disabled()

    def test_semicolons_and_a_decimal_comma(self):
        page = self.choose("\ufeffsku;price;weight;stock\nA-1;1.234,5;0,25;1.000\nA-2;7;3;2\n")
        separator = page.get_by_role("combobox", name="Separator").locator("option:checked")
        expect(separator).to_have_text("semicolon")
        expect(self.way("price").locator("option:checked")).to_have_text("found: 1.234,5")
        # 1.000 alone may be one or a thousand.
        expect(page.get_by_text("How is stock written?")).to_be_visible()
        self.way("stock").select_option("1.234,5")
        self.run_import("2 rows", "2 rows are")
        self.assertEqual(self.objects("sku,price,weight,stock"), [
            ["A-1", "1234.5", 0.25, 1000], ["A-2", "7", 3, 2]])

    def test_another_encoding_is_told_and_can_be_chosen(self):
        page = self.choose("sku,title\nA-1,Łódź café\n".encode("windows-1250"))
        expect(page.get_by_text("The file does not say its encoding")).to_be_visible()
        page.get_by_role("combobox", name="Encoding").select_option("WINDOWS-1250")
        expect(self.rows("All rows")).to_contain_text("Łódź café")
        self.run_import("1 row", "1 row is")
        self.assertEqual(self.objects("title"), [["Łódź café"]])

    def test_ndjson_keeps_types_and_digits(self):
        self.choose("\n".join([
            '{"sku":"A-1","serial":9007199254740993,"price":12345678901234567890.123456789,'
            '"isFresh":true,"maker":"Cord","notes":{"a":[1,"2"]},"size":{"width":2.5}}',
            '', '{"sku":"A-2","isFresh":false,"title":"x","stock":null}', '{"sku":"A-3"',
            '{"sku":"A-4","stock":[1]}',
        ]), name="items.ndjson")
        rows = self.rows("All rows")
        expect(rows).to_have_count(4)
        expect(rows.nth(2)).to_contain_text("not a JSON object")
        expect(rows.nth(3)).to_contain_text("stock: a list or an object is no value of this type")
        self.leave_out()
        self.run_import("2 rows", "2 rows are")
        self.assertEqual(self.objects("sku,serial,price,isFresh,maker,notes,%23size.width,stock"), [
            ["A-1", "9007199254740993", "12345678901234567890.123456789", True, 3,
             {"a": [1, "2"]}, 2.5, 0],
            ["A-2", None, None, False, None, None, None, None]])

    def test_a_file_that_has_no_rows_is_refused(self):
        page = self.open("import/Item")
        for content, reason in {
            b"": "The file is empty.",
            b" \n\n": "The file has no rows.",
            b"PK\x03\x04\x00\x01": "The file is no text.",
            b'[{"sku":"A-1"}]': "The file is a JSON array.",
        }.items():
            self.give(content, "file.csv")
            expect(page.get_by_role("alert")).to_contain_text(f"file.csv: {reason}")

    def test_markup_is_shown_and_never_run(self):
        quoted = '"' + MARKUP.replace('"', '""') + '"'
        page = self.choose(f"sku,{quoted},stock\nA-1,{quoted},1\n{quoted},x,{quoted}\n",
                           name='<img src=x onerror="window.hacked=1">.csv')
        expect(page.get_by_role("heading", name="<img src=x")).to_be_visible()
        self.target(MARKUP).select_option("title")
        expect(self.rows("All rows").first).to_contain_text(MARKUP)
        expect(self.check("stock")).to_contain_text("<img src=x")
        self.leave_out()
        self.run_import("1 row", "1 row is")
        expect(self.rows("Refused rows")).to_contain_text(MARKUP)
        page.get_by_role("link", name="Show these rows").click()
        expect(self.rows("Objects of Item")).to_contain_text(MARKUP)
        self.assertEqual(self.objects("title"), [[MARKUP]])
        self.assertIsNone(page.evaluate("window.hacked ?? null"))
        self.assertEqual(page.locator("img, body script").count(), 0)

    FILE = "sku,stock\nA-1,10\nA-2,20\n"

    def store_lamp(self):
        """Stores the object of the first row. Its id."""
        stored = {"sku": "A-1", "title": "Lamp", "stock": 1}
        return self.service.ask("POST", "Item", stored)["_id"]

    @property
    def policy(self):
        return self.page.get_by_role("combobox", name="An object with the same sku")

    def test_a_value_that_is_taken_refuses_the_row(self):
        lamp = self.store_lamp()
        page = self.choose(self.FILE + "A-2,30\n")
        expect(page.get_by_title(f"Item {lamp} has this value")).to_have_text("A-1")
        expect(page.get_by_title("line 3 has this value")).to_have_text("A-2")
        self.leave_out()
        self.run_import("1 row", "1 row is")
        expect(self.rows("Refused rows")).to_have_count(2)
        self.assertEqual(self.objects("sku,stock"), [["A-1", 1], ["A-2", 20]])

        # Others take a value behind the check.
        self.expected_errors = ["status of 409"]
        self.choose_another("sku,stock\nB-2,20\nB-3,30\nB-4,40\n")
        expect(page.get_by_text("3 rows: all fit")).to_be_visible()
        self.service.ask("POST", "Item", {"sku": "B-3", "stock": 3})
        self.run_import("3 rows", "2 rows are")
        refused = self.rows("Refused rows")
        expect(refused).to_have_count(1)
        expect(refused).to_contain_text(re.compile("has the same sku.*B-3"))
        self.assertEqual(self.objects("sku,stock", sort="sku")[2:], [
            ["B-2", 20], ["B-3", 3], ["B-4", 40]])

    def test_the_object_that_has_the_value_stays_or_is_updated(self):
        lamp = self.store_lamp()
        # The third row meets the object of the second.
        page = self.choose(self.FILE + "A-2,21\n")
        self.policy.select_option("stays as it is")
        self.run_import("3 rows", "1 row is")
        expect(page.get_by_text("2 rows are of objects that exist, and stay")).to_be_visible()
        self.assertEqual(self.objects("sku,stock"), [["A-1", 1], ["A-2", 20]])

        self.choose_another("sku,stock\nA-1,10\nA-3,30\n")
        self.policy.select_option("is updated")
        expect(page.get_by_text("2 rows: all fit")).to_be_visible()
        self.run_import("2 rows", "2 rows are")
        expect(page.get_by_text("1 row is of objects that existed, and are upd")).to_be_visible()
        # What the file does not have stays.
        self.assertEqual(self.objects("_id,sku,title,stock")[0], [lamp, "A-1", "Lamp", 10])
        self.assertEqual(self.objects("sku,stock")[1:], [["A-2", 20], ["A-3", 30]])


if __name__ == "__main__":
    unittest.main()
