"""Files: a CSV or NDJSON file is checked and imported, and the rows of a view are exported."""

import csv
import io
import json
import re
import shutil
import tempfile
import unittest
import urllib.request
from pathlib import Path

from page import PageCase, Service, expect

MARKUP = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>"\'&'

ITEM = {
    "name": "Item",
    "attributes": [
        {"name": "sku", "type": "String", "optional": False, "minimum": 1, "maximum": 20},
        {"name": "title", "type": "String"},
        {"name": "price", "type": "Decimal", "minimum": 0},
        {"name": "weight", "type": "Double"},
        {"name": "stock", "type": "Integer 32", "minimum": 0, "default": 0},
        {"name": "serial", "type": "Integer 64"},
        {"name": "isFresh", "type": "Boolean"},
        {"name": "soldFrom", "type": "Date"},
        {"name": "token", "type": "UUID"},
        {"name": "site", "type": "URI"},
        {"name": "picture", "type": "Binary"},
        {"name": "notes", "type": "Transformable", "valueTransformer": "JSONTransformer"},
        {"name": "size", "type": "Composite", "composite": "Size"},
    ],
    "relationships": [{"name": "maker", "destination": "Maker", "inverse": "items"}],
    "uniquenessConstraints": [["sku"]],
}

MODEL = {
    "name": "Shop",
    "composites": [{"name": "Size", "attributes": [
        {"name": "width", "type": "Double"}, {"name": "unit", "type": "String"}]}],
    "entities": [
        ITEM,
        {
            "name": "Maker",
            # `first` is a word of the predicate language.
            "attributes": [{"name": "name", "type": "String"}, {"name": "first", "type": "String"}],
            "relationships": [
                {"name": "items", "destination": "Item", "inverse": "maker", "toMany": True}],
            "uniquenessConstraints": [["name"]],
        },
        {"name": "Reading", "attributes": [
            {"name": "number", "type": "Integer 64"}, {"name": "text", "type": "String"}]},
        # What only the service checks: a pattern that JavaScript may read in another way, and a
        # number of members that no row of a file can give.
        {"name": "Part", "attributes": [
            {"name": "code", "type": "String", "regularExpression": "(?:[A-Z]{2}-)+[0-9]+"},
            {"name": "label", "type": "String"}]},
        {
            "name": "Crew",
            "attributes": [{"name": "name", "type": "String"}],
            "relationships": [{
                "name": "members", "destination": "Member", "inverse": "crew", "toMany": True,
                "optional": False, "minimumCount": 1}],
        },
        {"name": "Member", "relationships": [
            {"name": "crew", "destination": "Crew", "inverse": "members"}]},
    ],
}


class FileCase(PageCase):
    """A case with makers 1 to 3, and nothing else."""

    @classmethod
    def make_service(cls):
        folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, folder)
        path = Path(folder) / "Shop.json"
        path.write_text(json.dumps(MODEL))
        service = Service(str(path))
        service.ask("POST", "Maker", [
            {"name": 'Åre "Works" \\', "first": "Oslo"}, {"name": "Bell", "first": "Leeds"},
            {"name": "Cord", "first": "Leeds"}])
        return service

    def setUp(self):
        super().setUp()
        for entity in ("Item", "Reading", "Part"):
            self.service.ask("DELETE", f"{entity}?where=TRUEPREDICATE")

    def choose(self, content, entity="Item", name="file.csv"):
        """Opens the import of an entity, and chooses a file."""
        page = self.open(f"import/{entity}")
        self.give(content, name)
        return page

    def choose_another(self, content, name="file.csv"):
        """Chooses a file after an import."""
        self.button("Import another file").click()
        self.give(content, name)

    def give(self, content, name):
        data = content if isinstance(content, bytes) else content.encode()
        self.page.get_by_label("Drop a file with objects of").set_input_files(
            {"name": name, "mimeType": "application/octet-stream", "buffer": data})

    def target(self, column):
        return self.page.get_by_role("combobox", name=f"What {column} is imported as", exact=True)

    def way(self, column):
        return self.page.get_by_role("combobox", name=f"How {column} is written", exact=True)

    def check(self, column):
        """The cell that says whether a column fits."""
        table = self.page.get_by_role("table", name="Columns of the file")
        head = self.page.get_by_role("rowheader", name=column, exact=True)
        return table.get_by_role("row").filter(has=head).get_by_role("cell").last

    def rows(self, table):
        """The rows of a table, without its head."""
        return self.page.get_by_role("grid", name=table).get_by_role("row").filter(
            has=self.page.get_by_role("gridcell"))

    def button(self, name):
        return self.page.get_by_role("button", name=name, exact=True)

    def leave_out(self):
        self.page.get_by_label("Leave out what is wrong").check()

    def run_import(self, offered, saved):
        """Starts the import of rows that are offered, and waits until some are saved."""
        self.button(f"Import {offered}").click()
        expect(self.page.get_by_role("heading", name=f"{saved} saved", exact=True)).to_be_focused()

    def text(self, path):
        """The service's own answer."""
        with urllib.request.urlopen(self.service.url + path) as answer:
            return answer.read()

    def objects(self, select, entity="Item", sort="_id"):
        """The values of all objects, as lists."""
        path = f"{entity}?sort={sort}&select={select}&numbers=string"
        return [list(it.values()) for it in self.service.ask("GET", path)]

    def download(self, button):
        with self.page.expect_download() as download:
            button.click()
        return download.value.suggested_filename, Path(download.value.path()).read_bytes()


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
        columns = "_id,_entity,_version,sku,price,maker.name"
        for form in ("CSV", "NDJSON", "JSON"):
            for choice, select in {"Those of the table": f"&select={columns}", "Whole": ""}.items():
                with self.subTest(form, choice=choice):
                    data = self.export(
                        f"rows/Item?{self.WHERE}&columns=sku,price,maker.name", form, choice)
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
