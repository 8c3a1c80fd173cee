"""The map: dots are where their objects are, and lead to them."""

import json
import math
import re
import tempfile
import unittest
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe

from page import Service, expect
from views import ViewCase, number, parameters

PLACES = [
    {"name": "Zürich", "latitude": 47.37, "longitude": 8.54, "people": 443_000},
    {"name": "Bern", "latitude": 46.95, "longitude": 7.44, "people": 134_000},
    {"name": "Genève", "latitude": 46.2, "longitude": 6.15, "people": 204_000},
    {"name": "Oslo", "latitude": 59.91, "longitude": 10.75, "people": 709_000},
    {"name": "Quito", "latitude": -0.18, "longitude": -78.47, "people": 1_763_000},
    {"name": "Wellington", "latitude": -41.29, "longitude": 174.78, "people": 213_000},
    {"name": "Nowhere", "latitude": None, "longitude": None, "people": 0},
]
PLACED = PLACES[:-1]

# The number of the pixels of the map, within a distance of a point, that have the colour of dots.
INK = """(plane, {left, top, reach}) => {
  const canvas = plane.querySelector('canvas')
  const ratio = canvas.width / plane.clientWidth
  const dot = getComputedStyle(plane).fill.match(/[\\d.]+/g).map(Number)
  const size = 2 * reach * ratio
  const {data} = canvas.getContext('2d')
    .getImageData((left - reach) * ratio, (top - reach) * ratio, size, size)
  let count = 0
  for (let at = 0; at < data.length; at += 4) {
    const isNear = dot.slice(0, 3).every((it, index) => Math.abs(it - data[at + index]) < 12)
    if (isNear && data[at + 3] > 30) count += 1
  }
  return count
}"""


def places_model():
    """A model with places, and notes, which have no coordinates."""
    def attribute(name, kind):
        return {"name": name, "type": kind}

    path = Path(tempfile.mkdtemp()) / "Atlas.json"
    path.write_text(json.dumps({"name": "Atlas", "entities": [
        {"name": "Place", "attributes": [
            attribute("name", "String"), attribute("latitude", "Double"),
            attribute("longitude", "Double"), attribute("people", "Integer 32")]},
        {"name": "Note", "attributes": [attribute("title", "String")]},
    ]}))
    return str(path)


def kilometres(latitude, longitude, place):
    """The distance of a place along the sphere."""
    a, b = math.radians(latitude), math.radians(place["latitude"])
    turn = math.radians(place["longitude"] - longitude)
    return 6371.0088 * math.acos(min(1, math.sin(a) * math.sin(b)
                                     + math.cos(a) * math.cos(b) * math.cos(turn)))


def mercator(latitude, longitude):
    """The place in a world whose sides are 1, from the west and from the north."""
    angle = math.radians(latitude)
    return (longitude + 180) / 360, 0.5 - math.asinh(math.tan(angle)) / (2 * math.pi)


class MapTests(ViewCase):
    @classmethod
    def make_service(cls):
        service = Service(places_model())
        service.ask("POST", "Place", PLACES)
        service.ask("POST", "Note", [{"title": f"note {it}"} for it in range(60)])
        return service

    def setUp(self):
        super().setUp()
        # The tests read the canvas, and the browser advises against it.
        self.expected_errors = ["Canvas2D: Multiple readback"]

    @property
    def map(self):
        return self.page.get_by_role("application", name="Map of Place")

    @property
    def nearest(self):
        return self.page.get_by_role("complementary", name="Nearest to the middle")

    def show(self, view="map/Place"):
        """Opens a map, and waits until its places are there."""
        page = self.open(view)
        expect(self.nearest.get_by_role("link").first).to_be_visible()
        return page

    def at(self):
        """The latitude, the longitude and the zoom in the address."""
        return [float(it) for it in parameters(self.page.url).get("at", "nan").split(",")]

    def until_at(self, holds, what):
        """Waits until the address has such numbers: it follows the map when that rests."""
        self.until(lambda: len(self.at()) == 3 and holds(*self.at()), what)

    def point(self, place, middle):
        """Where a place is on the map, for a middle and a zoom."""
        *middle, zoom = middle
        area = self.map.bounding_box()
        x, y = mercator(place["latitude"], place["longitude"])
        middle_x, middle_y = mercator(*middle)
        size = 256 * 2 ** zoom
        return (area["width"] / 2 + (x - middle_x) * size,
                area["height"] / 2 + (y - middle_y) * size)

    def ink(self, point, reach=3):
        left, top = point
        return self.map.evaluate(INK, {"left": left, "top": top, "reach": reach})

    def to_point(self, point):
        """Moves the pointer there."""
        area = self.map.bounding_box()
        self.page.mouse.move(area["x"] + point[0], area["y"] + point[1])

    # Dots

    def test_each_place_is_a_dot_where_it_lies(self):
        middle = (53, 8, 4)
        self.show("map/Place?at=53,8,4")
        for place in PLACED[:4]:
            point = self.point(place, middle)
            self.until(lambda: self.ink(point) > 4, f"a dot at {place['name']}")
            self.to_point(point)
            tip = self.map.locator(".tip")
            expect(tip).to_contain_text(place["name"])
            expect(tip).to_contain_text(f"{place['latitude']:.4f}, {place['longitude']:.4f}")
        self.assertEqual(self.ink(self.point({"latitude": 50, "longitude": 0}, middle)), 0)
        self.narrow('name != "Oslo"')
        # The map is empty for a moment.
        bern = self.point(PLACES[1], middle)
        self.until(lambda: self.ink(point) == 0 and self.ink(bern) > 4, "no dot at Oslo")

    def test_dots_have_the_size_of_a_number(self):
        page = self.show("map/Place?at=47,7.5,7")
        zuerich, bern = (self.point(PLACES[it], (47, 7.5, 7)) for it in (0, 1))
        self.until(lambda: self.ink(zuerich, 12) > 4, "a dot at Zürich")
        same = self.ink(zuerich, 12)
        self.assertEqual(self.ink(bern, 12), same)
        options = page.get_by_role("combobox", name="Size by").get_by_role("option")
        expect(options).to_have_text(["nothing", "people"])
        self.choose("Size by", "people")
        expect(page).to_have_url(re.compile(r"size=people"))
        self.until(lambda: self.ink(zuerich, 12) > 2 * same, "Zürich is larger")
        self.assertGreater(self.ink(zuerich, 12), self.ink(bern, 12))
        expect(self.nearest).to_contain_text("people: 443,000")

    # The nearest

    def test_the_nearest_are_listed_in_their_order(self):
        self.show("map/Place?at=46.95,7.44,6")
        near = sorted(PLACED, key=lambda it: kilometres(46.95, 7.44, it))
        expect(self.nearest.get_by_role("link")).to_have_text([it["name"] for it in near])
        items = self.nearest.get_by_role("listitem").all_inner_texts()
        for text, place in zip(items[1:], near[1:], strict=True):
            shown = number(re.search(r"([\d.,]+) km", text)[1])
            there = kilometres(46.95, 7.44, place)
            self.assertLess(abs(shown - there), 0.006 * there, text)

    # Moving

    def test_zooming_is_in_the_address_and_no_step_of_the_history(self):
        page = self.open("rows/Place")
        self.expect_objects(7)
        self.show("map/Place?at=47,8,5")
        page.get_by_role("button", name="Zoom in").click()
        self.until_at(lambda *it: it == (47, 8, 6), "one level closer")
        page.get_by_role("button", name="Zoom out").click()
        page.get_by_role("button", name="Zoom out").click()
        self.until_at(lambda *it: it == (47, 8, 4), "two levels further away")
        page.reload()
        expect(self.nearest.get_by_role("link").first).to_have_text("Bern")
        self.until_at(lambda *it: it == (47, 8, 4), "as before")
        oslo = self.point(PLACES[3], (47, 8, 4))
        self.until(lambda: self.ink(oslo) > 4, "a dot at Oslo")
        page.go_back()
        self.expect_objects(7)

    def test_keys_move_zoom_and_open(self):
        page = self.show("map/Place?at=47,8,5")
        self.map.focus()
        page.keyboard.press("+")
        self.until_at(lambda *it: it[2] == 5.5, "half a level closer")
        page.keyboard.press("-")
        page.keyboard.press("ArrowRight")
        self.until_at(lambda latitude, longitude, zoom:
                      latitude == 47 and longitude > 9 and zoom == 5, "to the east")
        page.keyboard.press("ArrowUp")
        self.until_at(lambda latitude, *_: latitude > 48, "to the north")
        # The middle is to the north-east of Zürich by now.
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Zürich")).to_be_visible()

    def test_the_wheel_zooms_at_the_pointer_and_a_drag_moves(self):
        page = self.show("map/Place?at=53,8,4")
        oslo = self.point(PLACES[3], (53, 8, 4))
        self.to_point(oslo)
        page.mouse.wheel(0, -300)
        self.until_at(lambda *it: it[2] == 5, "one level closer")
        middle = self.at()
        # The middle in the address is rounded.
        self.assertLess(math.dist(self.point(PLACES[3], self.at()), oslo), 3)
        # A drag opens nothing, though a dot is below the pointer.
        goal = oslo[0] - 100, oslo[1] + 60
        page.mouse.down()
        self.to_point(goal)
        page.mouse.up()
        self.until_at(lambda latitude, *_: latitude > middle[0], "to the north")
        self.assertLess(math.dist(self.point(PLACES[3], self.at()), goal), 3)
        expect(self.map).to_be_visible()

    def test_all_places_are_shown_at_first_and_by_a_button(self):
        page = self.show()
        expect(page.get_by_text("6 objects. 1 without coordinates.")).to_be_visible()
        self.until_at(lambda *_: True, "the address says what is shown")
        first = self.at()
        area = self.map.bounding_box()
        for place in PLACED:
            left, top = self.point(place, first)
            self.assertTrue(0 < left < area["width"] and 0 < top < area["height"], place["name"])
        page.get_by_role("button", name="Zoom in").click()
        self.until_at(lambda *it: it[2] == first[2] + 1, "closer")
        page.get_by_role("button", name="All").click()
        self.until_at(lambda *it: list(it) == first, "all")

    # Opening

    def test_a_click_on_a_dot_opens_the_object(self):
        page = self.show("map/Place?at=53,8,4")
        point = self.point(PLACES[3], (53, 8, 4))
        self.until(lambda: self.ink(point) > 4, "a dot at Oslo")
        self.map.click(position={"x": point[0] + 100, "y": point[1]})
        expect(self.map).to_be_visible()
        self.map.click(position={"x": point[0], "y": point[1]})
        expect(page.get_by_role("heading", name="Oslo")).to_be_visible()
        self.assertIn("#/rows/Place?open=", page.url)

    # The predicate

    def test_the_predicate_goes_along(self):
        self.expected_errors = ["400"]
        page = self.show("map/Place?at=47,7.5,7")
        self.narrow("poeple > 200000")
        expect(page.get_by_text("did you mean people?")).to_be_visible()
        self.narrow("people > 200000 OR people < 1")
        expect(page.get_by_text("5 objects. 1 without coordinates.")).to_be_visible()
        expect(self.nearest.get_by_role("link", name="Bern")).to_have_count(0)
        self.assertEqual(self.at(), [47, 7.5, 7], "the map stays where it is")
        self.tab("Chart").click()
        expect(page.get_by_role("combobox", name="Predicate")).to_have_value(
            "people > 200000 OR people < 1")
        page.go_back()
        page.get_by_role("link", name="The objects in view").click()
        # Zürich and Genève.
        self.expect_objects(2)
        page.go_back()
        self.nearest.get_by_role("link", name="Zürich").click()
        expect(page.get_by_role("heading", name="Zürich")).to_be_visible()
        # These and the one without coordinates.
        self.expect_objects(6)

    def test_it_keeps_the_rules_of_accessibility(self):
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme)
            self.show()
            result = Axe().run(self.page)
            self.assertEqual(result.violations_count, 0, result.generate_report()[:2000])

    # Other entities of the model

    def test_an_entity_without_coordinates_has_no_map(self):
        page = self.open("rows/Note")
        expect(self.tab("Chart")).to_be_visible()
        expect(self.tab("Map")).to_have_count(0)
        self.open("map/Note")
        expect(page.get_by_text("Note has no attributes latitude and longitude")).to_be_visible()

    def test_only_the_largest_of_many_groups_are_bars(self):
        page = self.open("chart/Note?by=title")
        expect(page.get_by_text("The 50 largest of 60 groups are shown.")).to_be_visible()
        expect(page.get_by_text("The others have 10 in all.")).to_be_visible()
        marks = page.get_by_role("group", name="Number of objects by title").get_by_role("link")
        expect(marks).to_have_count(50)


if __name__ == "__main__":
    unittest.main()
