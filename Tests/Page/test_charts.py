"""Charts: what they show is what the service says, and each mark leads to its objects."""

import re
import unittest
from collections import Counter
from urllib.parse import quote

from page import expect
from views import ViewCase, number, parameters

# The size and the place of the shape of each mark.
SHAPES = """links => links.map(link => {
  const {left, top, width, height} =
    (link.querySelector('circle') ?? link.querySelector('rect:last-of-type'))
      .getBoundingClientRect()
  return {left, top, width, height}
})"""


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

    @staticmethod
    def shapes(marks):
        """Where marks are on the screen. Those that are just drawn again are nowhere."""
        for _ in range(50):
            shapes = marks.evaluate_all(SHAPES)
            if all(it["width"] and it["height"] for it in shapes):
                break
            marks.page.wait_for_timeout(20)
        return shapes

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
        shapes = self.shapes(marks)
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
        shapes = self.shapes(marks)
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
        heights = [it["height"] for it in self.shapes(marks)]
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


if __name__ == "__main__":
    unittest.main()
