"""Charts and maps: what they show is what the service says, and each mark leads to its objects."""

import json
import math
import re
import tempfile
import unittest
from collections import Counter
from pathlib import Path
from urllib.parse import parse_qs, quote, urlencode

from page import PageCase, Service, expect

# The size and the place of the shape of each mark.
SHAPES = """links => links.map(link => {
  const {left, top, width, height} =
    (link.querySelector('circle') ?? link.querySelector('rect:last-of-type'))
      .getBoundingClientRect()
  return {left, top, width, height}
})"""


def number(text):
    """The number in a text of the page; none in a dash."""
    return None if text == "–" else float(text.replace(",", ""))


def parameters(address):
    """The parameters of an address of a view."""
    return {name: values[0] for name, values in parse_qs(address.partition("?")[2]).items()}


class ViewCase(PageCase):
    """What charts and maps have in common."""

    def list(self, entity, **query):
        """The rows of a list."""
        return self.service.ask("GET", f"{entity}?{urlencode(query, quote_via=quote)}")

    def count(self, entity, where):
        query = urlencode({"where": where}, quote_via=quote)
        return self.service.ask("GET", f"{entity}/count?{query}")["count"]

    def expect_objects(self, count):
        """The table has so many rows."""
        words = "1 object" if count == 1 else f"{count} objects"
        expect(self.page.locator("stele-rows").get_by_text(words, exact=True)).to_be_visible()

    def tab(self, name):
        return self.page.get_by_role("navigation", name="Views of").get_by_role("link", name=name)

    def choose(self, name, option):
        self.page.get_by_role("combobox", name=name, exact=True).select_option(option)

    def narrow(self, predicate):
        bar = self.page.get_by_role("combobox", name="Predicate")
        bar.fill(predicate)
        bar.press("Enter")


class ChartTests(ViewCase):
    def chart(self, name, view=None):
        """Opens a view, if one is given. Gives the marks of the chart with a name."""
        if view:
            self.open(view)
        expect(self.page.get_by_role("heading", name=name, exact=True)).to_be_visible()
        marks = self.page.get_by_role("group", name=name, exact=True).get_by_role("link")
        expect(marks.first).to_be_visible()
        return marks

    @staticmethod
    def values(marks):
        """The texts of the values of marks, by the names of the marks."""
        names = marks.evaluate_all("all => all.map(it => it.getAttribute('aria-label'))")
        return dict(name.rsplit(": ", 1) for name in names)

    def numbers(self, marks):
        return {name: number(text) for name, text in self.values(marks).items()}

    def counts(self, key, where="goals >= 0"):
        """The numbers of the players by something that a function gives for each."""
        return dict(Counter(map(key, self.list("Player", where=where))))

    # Numbers

    def test_the_first_chart_has_the_groups_of_a_relationship(self):
        marks = self.chart("Number of objects by team", "chart/Player")
        teams = {it["_id"]: it["name"] for it in self.list("Team")}
        self.assertEqual(self.numbers(marks),
                         self.counts(lambda it: teams.get(it["team"], "no value")))
        expect(self.page.get_by_text("5 groups.")).to_be_visible()

    def test_each_aggregate_is_that_of_the_service(self):
        titles = {"sum": "Sum", "average": "Average", "min": "Smallest", "max": "Largest",
                  "median": "Median"}
        for aggregate, title in titles.items():
            with self.subTest(aggregate):
                marks = self.chart(f"{title} of salary by team.city",
                                   f"chart/Player?show={aggregate}(salary)&by=team.city")
                groups = self.list("Player", groupBy="by",
                                   select=f"by:team.city,value:{aggregate}(salary)")
                # The player without a team has no salary: the sum is 0, and nothing else is known.
                numbers = self.numbers(marks)
                self.assertEqual(numbers, {
                    group["by"] or "no value": group["value"] for group in groups})
                values = [-1 if it is None else it for it in numbers.values()]
                self.assertEqual(values, sorted(values, reverse=True), "the largest first")

    def test_the_table_has_the_values_of_the_chart(self):
        marks = self.chart("Sum of goals by team", "chart/Player?show=sum(goals)&by=team")
        self.page.get_by_text("The values as a table").click()
        table = self.page.get_by_role("table")
        expect(table.get_by_role("columnheader")).to_have_text(["team", "Sum of goals"])
        names = table.get_by_role("rowheader").all_inner_texts()
        texts = table.get_by_role("cell").all_inner_texts()
        self.assertEqual(dict(zip(names, texts, strict=True)), self.values(marks))
        table.get_by_role("link", name="Harbour City").click()
        self.expect_objects(5)

    # Kinds

    def test_bars_are_as_long_as_their_values(self):
        marks = self.chart("Number of objects by country", "chart/Player?by=country")
        numbers = self.numbers(marks)
        self.assertEqual(numbers, self.counts(lambda it: it["country"]))
        shapes = marks.evaluate_all(SHAPES)
        unit = shapes[0]["width"] / list(numbers.values())[0]
        for shape, value in zip(shapes, numbers.values(), strict=True):
            self.assertEqual(shape["left"], shapes[0]["left"])
            self.assertAlmostEqual(shape["width"] / unit, value, places=1)

    def test_a_date_is_a_line_of_periods_or_bars(self):
        marks = self.chart("Number of objects by joinedAt", "chart/Player?by=joinedAt")
        years = self.counts(lambda it: it["joinedAt"][:4], "joinedAt != nil")
        self.assertEqual(self.numbers(marks), years)
        self.assertEqual(list(self.values(marks)), sorted(years), "in the order of time")
        expect(self.page.get_by_text("1 object has no joinedAt.")).to_be_visible()
        # One value more is one step higher.
        shapes = marks.evaluate_all(SHAPES)
        values = list(self.numbers(marks).values())
        lowest, highest = values.index(min(values)), values.index(max(values))
        step = (shapes[lowest]["top"] - shapes[highest]["top"]) / (max(values) - min(values))
        self.assertGreater(step, 10)
        for shape, value in zip(shapes, values):
            self.assertAlmostEqual(
                (shapes[lowest]["top"] - shape["top"]) / step, value - min(values), places=1)
        # Another unit, and bars.
        self.choose("per", "month")
        expect(self.page).to_have_url(re.compile(r"by=joinedAt&per=month$"))
        expect(self.page.get_by_role("link", name="Jul 2017: 1", exact=True)).to_be_visible()
        self.choose("as", "Bars")
        expect(self.page).to_have_url(re.compile(r"per=month&kind=bar$"))
        months = self.counts(lambda it: it["joinedAt"][:7], "joinedAt != nil")
        # Bars are of the months that have players, and a line is of all of them.
        expect(marks).to_have_count(len(months))
        self.assertEqual(list(self.numbers(marks).values()),
                         sorted(months.values(), reverse=True))

    def test_a_number_is_a_histogram_of_classes_or_bars(self):
        marks = self.chart("Number of objects by goals", "chart/Player?by=goals")
        self.assertEqual(sum(self.numbers(marks).values()), 21)
        self.choose("in classes of", "5")
        expect(self.page).to_have_url(re.compile(r"by=goals&width=5$"))
        expect(marks).to_have_count(5)
        classes = self.counts(lambda it: it["goals"] // 5 * 5)
        self.assertEqual(self.numbers(marks),
                         {f"{low} to {low + 4}": count for low, count in sorted(classes.items())})
        heights = [it["height"] for it in marks.evaluate_all(SHAPES)]
        for height, value in zip(heights, self.numbers(marks).values(), strict=True):
            self.assertAlmostEqual(height / heights[0] * classes[0], value, places=1)
        # Classes of growing widths, and a bar for each number.
        self.choose("in classes of", "1, 2, 5, 10, 20 …")
        expect(self.page).to_have_url(re.compile(r"width=growing$"))
        expect(marks).to_have_count(6)
        bounds = {"0": (0, 1), "1": (1, 2), "2 to 4": (2, 5), "5 to 9": (5, 10),
                  "10 to 19": (10, 20), "20 to 49": (20, 50)}
        self.assertEqual(self.numbers(marks), {
            name: self.count("Player", f"goals >= {low} AND goals < {high}")
            for name, (low, high) in bounds.items()})
        self.choose("as", "Bars")
        each = self.counts(lambda it: str(it["goals"]))
        expect(marks).to_have_count(len(each))
        self.assertEqual(self.numbers(marks), each)

    # Choices

    def test_choices_are_in_the_address(self):
        page = self.open("chart/Player")
        self.chart("Number of objects by team")
        self.choose("Show", "Sum")
        self.choose("of", "salary")
        self.chart("Sum of salary by team")
        self.choose("by", "country")
        values = self.values(self.chart("Sum of salary by country"))
        expect(page).to_have_url(
            f"{self.service.url}#/chart/Player?show=sum(salary)&by=country")
        page.reload()
        self.assertEqual(self.values(self.chart("Sum of salary by country")), values)
        page.go_back()
        self.chart("Sum of salary by team")

    def test_a_predicate_narrows_the_chart(self):
        page = self.open("chart/Player?by=country")
        self.chart("Number of objects by country")
        self.narrow("goals > 12")
        expect(page.get_by_text("4 groups.")).to_be_visible()
        marks = self.chart("Number of objects by country")
        self.assertEqual(self.numbers(marks),
                         self.counts(lambda it: it["country"], "goals > 12"))
        self.tab("Table").click()
        self.expect_objects(4)

    def test_an_error_of_a_choice_is_shown_at_the_choices(self):
        self.expected_errors = ["400"]
        page = self.open("chart/Player?show=sum(gaols)&by=team")
        alert = page.locator("#chart-error")
        expect(alert).to_contain_text("gaols")
        self.open("chart/Player?by=goals&width=0.001")
        expect(alert).to_contain_text("would be more than 1,000")
        self.choose("in classes of", "5")
        expect(alert).to_be_empty()
        expect(self.chart("Number of objects by goals")).to_have_count(5)

    # The objects of a mark

    def test_each_mark_has_the_predicate_of_its_objects(self):
        where = quote("goals < 3 OR goals > 5")
        for view in ("by=team", "by=country", "by=team.city", "by=goals&width=5", "by=joinedAt",
                     "by=salary&kind=bar", "by=joinedAt&per=month&kind=bar", "by=number&kind=bar"):
            with self.subTest(view):
                by = re.search(r"by=([\w.]+)", view)[1]
                marks = self.chart(
                    f"Number of objects by {by}", f"chart/Player?{view}&where={where}")
                links = marks.evaluate_all("all => all.map(it => it.getAttribute('href'))")
                for link, (name, value) in zip(links, self.numbers(marks).items(), strict=True):
                    self.assertTrue(link.startswith("#/rows/Player?where="), link)
                    found = self.count("Player", parameters(link)["where"])
                    self.assertEqual(found, value, name)

    def test_a_click_on_a_mark_leads_to_its_rows(self):
        for view, by, name, count in (
                ("by=team", "team", "Real Olivar", 5), ("by=team", "team", "no value", 1),
                ("by=goals&width=5", "goals", "10 to 14", 5),
                ("by=joinedAt", "joinedAt", "2022", 4)):
            with self.subTest(name):
                marks = self.chart(f"Number of objects by {by}", f"chart/Player?{view}")
                self.assertEqual(self.numbers(marks)[name], count)
                self.page.get_by_role("link", name=f"{name}: {count}", exact=True).click()
                self.expect_objects(count)

    def test_the_arrow_keys_go_from_mark_to_mark(self):
        marks = self.chart("Number of objects by goals", "chart/Player?by=goals&width=5")
        self.page.get_by_role("button", name="Code").focus()
        self.page.keyboard.press("Tab")
        expect(marks.nth(0)).to_be_focused()
        self.page.keyboard.press("ArrowRight")
        expect(marks.nth(1)).to_be_focused()
        self.page.keyboard.press("End")
        expect(marks.nth(4)).to_be_focused()
        # The chart is one stop of the Tab key.
        self.page.keyboard.press("Tab")
        expect(self.page.get_by_text("The values as a table")).to_be_focused()
        self.page.keyboard.press("Shift+Tab")
        self.page.keyboard.press("ArrowLeft")
        self.page.keyboard.press("Enter")
        self.expect_objects(1)


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
