"""What the tests of imports and exports have in common."""

import json
import shutil
import tempfile
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
