"""The view of the model: the graph, the tables, finding, and the versions with what differs."""

import re
import unittest

from page import PageCase, Service, expect, model

# Where the heads of each line are: the names of the box and of the row that their tips touch. The
# lines are a picture, and their titles name them.
HEADS = """() => {
  const boxes = [...document.querySelectorAll('stele-model-graph li')]
  const above = ({top, bottom}, {y}) => Math.max(0, top - y, y - bottom)
  const away = (area, point) =>
    Math.hypot(Math.max(0, area.left - point.x, point.x - area.right), above(area, point))
  const nearest = (elements, point, distance) => elements.toSorted((a, b) => distance(
    a.getBoundingClientRect(), point) - distance(b.getBoundingClientRect(), point))[0]
  const lines = [...document.querySelectorAll('stele-model-graph g:has(> title)')]
  return Object.fromEntries(lines.map(line => {
    const path = line.querySelector('path:last-of-type')
    const heads = path.getAttribute('d').split('M').slice(2)
    return [line.querySelector('title').textContent, heads.map(head => {
      const isTriangle = head.endsWith('Z')
      const tip = head.replace('Z', '').split('L')[isTriangle ? 0 : 1].split(',').map(Number)
      const point = new DOMPoint(...tip).matrixTransform(path.getScreenCTM())
      const box = nearest(boxes, point, away)
      if (away(box.getBoundingClientRect(), point) > 10) return 'nothing'
      const name = box.querySelector('a').textContent
      if (isTriangle) return `triangle at ${name}`
      const row = nearest([...box.querySelectorAll('a, dt')], point, above)
      return `arrow at ${name}.${row.textContent}`
    }).sort()]
  }))
}"""


class ModelCase(PageCase):
    """What a person sees of a model."""

    @property
    def graph(self):
        return self.page.get_by_role("list", name="Entities")

    def link(self, name):
        return self.graph.get_by_role("link", name=name, exact=True)

    def box(self, name):
        link = self.page.get_by_role("link", name=name, exact=True)
        return self.graph.get_by_role("listitem").filter(has=link)

    def table(self, name):
        return self.page.get_by_role("table", name=name, exact=True)

    def cells(self, table, row):
        """The texts of a row by the heads of their columns."""
        found = self.table(table).get_by_role("row").filter(
            has=self.page.get_by_role("rowheader", name=row, exact=True))
        heads = self.table(table).get_by_role("columnheader").all_inner_texts()
        texts = found.get_by_role("cell").all_inner_texts()
        return {head: text for head, text in zip(heads[1:], texts, strict=True) if text}

    def choice(self, name):
        return self.page.get_by_role("combobox", name=name, exact=True)

    @property
    def search(self):
        return self.page.get_by_role("searchbox", name="Find in the model")


class ShapesTests(ModelCase):
    @classmethod
    def make_service(cls):
        return Service(model("Shapes"), seed="Shapes",
                       keys=["Shape.name", "Transform.scale", "Vertex.index"])

    # The graph

    def test_every_entity_is_a_box_with_its_properties(self):
        self.open("model")
        entities = self.service.ask("GET", "model")["entities"]
        expect(self.graph.get_by_role("listitem")).to_have_count(len(entities))
        for entity in entities:
            box = self.box(entity["name"])
            expect(box).to_be_visible()
            for attribute in entity.get("attributes", []):
                expect(box).to_contain_text(attribute["name"] + attribute["type"])
            for relationship in entity.get("relationships", []):
                arrow = "↠" if relationship.get("toMany") else "→"
                expect(box).to_contain_text(
                    f'{relationship["name"]}{arrow} {relationship["destination"]}')
        # What is inherited is in the box of the parent.
        expect(self.box("Circle")).not_to_contain_text("color")
        expect(self.page.get_by_text("6 entities, 10 attributes, 6 relationships")).to_be_visible()

    def test_lines_have_an_arrowhead_for_one_and_two_for_many(self):
        self.open("model")
        expect(self.box("Shape")).to_be_visible()
        self.assertEqual(self.page.evaluate(HEADS), {
            "Canvas.shapes ↠ Shape\nShape.canvases ↠ Canvas":
                ["arrow at Canvas.shapes"] * 2 + ["arrow at Shape.canvases"] * 2,
            "Canvas.transform → Transform\nTransform.canvas → Canvas":
                ["arrow at Canvas.transform", "arrow at Transform.canvas"],
            "Polygon.vertices ↠ Vertex\nVertex.polygon → Polygon":
                ["arrow at Polygon.vertices"] + ["arrow at Vertex.polygon"] * 2,
            "Circle inherits from Shape": ["triangle at Shape"],
            "Polygon inherits from Shape": ["triangle at Shape"],
        })

    def test_a_click_on_a_name_leads_to_the_rows(self):
        for name in ("Canvas", "Circle", "Polygon", "Shape", "Transform", "Vertex"):
            page = self.open("model")
            self.link(name).click()
            expect(page).to_have_url(f"{self.service.url}#/rows/{name}")
            expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible()
            count = self.service.ask("GET", f"{name}/count")["count"]
            expect(page.get_by_text(f"{count} objects", exact=True)).to_be_visible()

    def test_a_click_beside_the_name_focuses_the_box(self):
        page = self.open("model")
        self.box("Vertex").get_by_text("index").click()
        expect(self.link("Vertex")).to_be_focused()
        self.assertTrue(page.url.endswith("#/model"))

    # The keyboard

    def to_graph(self):
        """Goes from the field before the graph into it, by the Tab key."""
        self.search.focus()
        for _ in range(4):
            self.page.keyboard.press("Tab")
            if self.focused():
                return
        self.fail("the Tab key does not lead into the graph")

    def focused(self):
        """The name of the box with the focus."""
        return self.graph.evaluate(
            "it => it.contains(document.activeElement) ? document.activeElement.textContent : ''")

    def test_the_arrow_keys_lead_to_every_box(self):
        page = self.open("model")
        expect(self.box("Shape")).to_be_visible()
        self.to_graph()
        reached = [self.focused()]
        for name in reached:
            for key in ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"):
                self.link(name).focus()
                page.keyboard.press(key)
                if self.focused() not in reached:
                    reached.append(self.focused())
                    expect(self.link(self.focused())).to_be_in_viewport()
        self.assertEqual(
            sorted(reached), ["Canvas", "Circle", "Polygon", "Shape", "Transform", "Vertex"])

    def test_an_arrow_key_goes_in_its_direction(self):
        page = self.open("model")
        self.link("Shape").focus()
        before = self.box("Shape").bounding_box()
        page.keyboard.press("ArrowRight")
        after = self.box(self.focused()).bounding_box()
        self.assertGreater(after["x"], before["x"] + before["width"])
        page.keyboard.press("ArrowLeft")
        expect(self.link("Shape")).to_be_focused()

    def test_the_graph_is_one_stop_of_the_tab_key(self):
        page = self.open("model")
        expect(self.box("Shape")).to_be_visible()
        self.to_graph()
        page.keyboard.press("ArrowRight")
        name = self.focused()
        page.keyboard.press("Tab")
        expect(page.get_by_role("button", name="Zoom out")).to_be_focused()
        page.keyboard.press("Shift+Tab")
        expect(self.link(name)).to_be_focused()
        page.keyboard.press("Shift+Tab")
        self.assertEqual(self.focused(), "", "the graph is left")

    def test_enter_leads_to_the_rows(self):
        page = self.open("model")
        expect(self.box("Shape")).to_be_visible()
        self.to_graph()
        name = self.focused()
        page.keyboard.press("Enter")
        expect(page).to_have_url(f"{self.service.url}#/rows/{name}")

    def test_keys_and_buttons_zoom(self):
        page = self.open("model")
        group = page.get_by_role("group", name="Zoom")
        level = group.get_by_role("status")
        expect(level).to_have_text(re.compile(r"^\d+ %$"))
        first = level.inner_text()
        self.link("Shape").focus()
        width = self.box("Shape").bounding_box()["width"]
        page.keyboard.press("+")
        expect(level).not_to_have_text(first)
        larger = self.box("Shape").bounding_box()["width"]
        self.assertAlmostEqual(larger / width, 1.25, places=2)
        page.keyboard.press("-")
        expect(level).to_have_text(first)
        group.get_by_role("button", name="Zoom in").click()
        group.get_by_role("button", name="Zoom in").click()
        group.get_by_role("button", name="Fit").click()
        for name in ("Canvas", "Circle", "Polygon", "Shape", "Transform", "Vertex"):
            expect(self.box(name)).to_be_in_viewport(ratio=0.99)

    # The tables

    def test_the_tables_have_the_settings_of_each_property(self):
        page = self.open("model")
        page.get_by_role("link", name="Table", exact=True).click()
        expect(page).to_have_url(f"{self.service.url}#/model?view=table")
        expect(self.table("Properties of Circle")).to_be_visible()
        self.assertEqual(self.cells("Properties of Circle", "diameter"), {
            "Type": "Float", "Default": "2", "Minimum": "2", "Maximum": "100"})
        self.assertEqual(self.cells("Properties of Polygon", "vertices"), {
            "Type": "↠ Vertex", "Minimum": "3", "Maximum": "6", "Inverse": "polygon",
            "Delete rule": "Cascade"})
        self.assertEqual(self.cells("Properties of Canvas", "shapes"), {
            "Type": "↠ Shape", "Optional": "yes", "Inverse": "canvases",
            "Delete rule": "Nullify", "Further": "ordered"})
        region = page.get_by_role("region", name="Entities")
        expect(region.get_by_text("abstract", exact=True)).to_have_count(1)
        expect(region.get_by_text("parent Shape", exact=True)).to_have_count(2)

    def test_links_of_the_tables(self):
        page = self.open("model?view=table")
        self.table("Properties of Polygon").get_by_role("link", name="Vertex").click()
        expect(self.table("Properties of Vertex")).to_be_visible()
        expect(self.table("Properties of Circle")).to_have_count(0)
        page.get_by_role("heading", name="Vertex").get_by_role("link").click()
        expect(page).to_have_url(f"{self.service.url}#/rows/Vertex")

    # Finding

    def test_what_is_found_is_marked_in_the_graph(self):
        page = self.open("model")
        expect(self.box("Circle")).to_be_visible()
        border = "it => getComputedStyle(it).borderTopColor"
        self.assertEqual(*[self.box(it).evaluate(border) for it in ("Circle", "Canvas")])
        self.search.fill("diam")
        expect(page.get_by_text("1 of 6 entities")).to_be_visible()
        expect(page).to_have_url(f"{self.service.url}#/model?find=diam")
        self.assertNotEqual(*[self.box(it).evaluate(border) for it in ("Circle", "Canvas")])
        self.search.press("Enter")
        expect(self.link("Circle")).to_be_focused()

    def test_the_tables_show_what_is_found(self):
        page = self.open("model?view=table")
        self.search.fill("vert")
        expect(page.get_by_text("2 of 6 entities")).to_be_visible()
        heads = page.get_by_role("region", name="Entities").get_by_role("heading")
        # What has the text in its own name comes first.
        expect(heads).to_have_text(["Vertex", "Polygon"])
        expect(self.table("Properties of Polygon").get_by_role("rowheader")).to_have_text(
            ["vertices"])
        self.search.fill("zebra")
        expect(page.get_by_text("Nothing in the model has “zebra” in its name")).to_be_visible()

    # Versions

    def test_every_version_is_shown(self):
        page = self.open("model")
        version = self.choice("Version")
        expect(version.get_by_role("option")).to_have_text(
            ["Shapes", "Shapes 2", "Shapes 3", "Shapes 4", "Shapes 5 (current)"])
        expect(version).to_have_value("Shapes 5")
        version.select_option("Shapes")
        expect(self.box("Circle")).to_contain_text("radius")
        expect(self.box("Circle")).not_to_contain_text("diameter")
        expect(page).to_have_url(f"{self.service.url}#/model?version=Shapes")
        page.reload()
        expect(self.box("Circle")).to_contain_text("radius")
        page.get_by_role("link", name="Table", exact=True).click()
        self.assertEqual(self.cells("Properties of Circle", "radius")["Maximum"], "50")
        version.select_option("Shapes 5 (current)")
        expect(self.table("Properties of Circle")).to_contain_text("diameter")
        expect(page).to_have_url(f"{self.service.url}#/model?view=table")

    def test_a_version_is_compared_with_another(self):
        page = self.open("model")
        expect(self.box("Circle")).not_to_contain_text("radius")
        self.choice("compared with").select_option("Shapes 2")
        expect(page).to_have_url(f"{self.service.url}#/model?with=Shapes%202")
        changes = page.get_by_role("region", name="Changes")
        expect(changes.get_by_role("heading", name="From Shapes 2 to Shapes 5")).to_be_visible()
        items = changes.get_by_role("listitem")
        for text in (
                "changed entity Canvas", "changed relationship shapes", "ordered: false → true",
                "changed attribute name was label",
                "added attribute diameter: Float, required, default 2, 2 to 100",
                "removed attribute radius: Float, required, default 1, 1 to 50"):
            expect(items.filter(has_text=text).last).to_be_visible()
        for name in ("Polygon", "Transform", "Vertex"):
            expect(items.filter(has_text=name)).to_have_count(0)
        for line in self.service.ask("GET", "model/changes?from=Shapes%202")["migration"]:
            expect(changes).to_contain_text(line)

    def test_the_graph_shows_what_differs(self):
        self.open("model?version=Shapes%203&with=Shapes%202")
        expect(self.box("Shape")).to_contain_text("changed name (was label)")
        expect(self.box("Circle")).not_to_contain_text(re.compile("added|removed|changed"))
        self.open("model?version=Shapes%204&with=Shapes%203")
        expect(self.box("Circle")).to_contain_text("changed Circle")
        expect(self.box("Circle")).to_contain_text("added diameter")
        expect(self.box("Circle")).to_contain_text("removed radius")
        # The other way round.
        self.open("model?version=Shapes%203&with=Shapes%204")
        expect(self.box("Circle")).to_contain_text("removed diameter")
        expect(self.box("Circle")).to_contain_text("added radius")

    def test_a_version_is_not_compared_with_itself(self):
        page = self.open("model?with=Shapes%202")
        expect(self.choice("compared with").get_by_role("option", name="Shapes 5")).to_be_disabled()
        self.choice("Version").select_option("Shapes 2")
        expect(page).to_have_url(f"{self.service.url}#/model?version=Shapes%202")
        expect(page.get_by_role("region", name="Changes")).to_have_count(0)
        expect(self.choice("compared with")).to_have_value("")

    def test_a_version_that_is_not_there(self):
        self.expected_errors = ["404"]
        page = self.open("model?version=Squares")
        expect(page.get_by_text("the model has no version Squares")).to_be_visible()
        self.choice("Version").select_option("Shapes 2")
        expect(self.box("Circle")).to_contain_text("radius")


class LeagueTests(ModelCase):
    def test_nothing_is_said_of_versions_where_there_is_one(self):
        with self.page.expect_response("**/model/versions"):
            page = self.open("model")
        expect(self.box("Player")).to_be_visible()
        view = page.get_by_role("main")
        expect(view.get_by_role("combobox")).to_have_count(0)
        expect(view.get_by_text(re.compile("version|compared", re.I))).to_have_count(0)

    def test_the_tables_have_indexes_and_limits(self):
        page = self.open("model?view=table")
        expect(page.get_by_text("index byName: name")).to_be_visible()
        self.assertEqual(self.cells("Properties of Player", "country"), {
            "Type": "String", "Optional": "yes", "Minimum": "2", "Maximum": "2"})


if __name__ == "__main__":
    unittest.main()
