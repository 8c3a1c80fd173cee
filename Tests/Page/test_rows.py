"""The table of objects: rows, sorting, predicates, editing."""

import re
import unittest

from page import PageCase, expect


class RowsTests(PageCase):
    def rows(self):
        return self.page.locator("stele-table .layer .row:not([hidden])")

    def test_rows_are_sorted_by_a_click_on_a_head(self):
        page = self.open("rows/Player")
        expect(page.locator("stele-rows .footer")).to_contain_text("21 objects")
        head = page.get_by_role("columnheader", name="goals")
        head.get_by_role("button").click()
        expect(head).to_have_attribute("aria-sort", "ascending")
        head.get_by_role("button").click()
        expect(head).to_have_attribute("aria-sort", "descending")
        expect(self.rows().first).to_contain_text("João Conceição")
        self.assertIn("sort=-goals", page.url)

    def test_rows_are_sorted_by_the_number_of_members(self):
        page = self.open("rows/Team")
        head = page.get_by_role("columnheader", name="players")
        head.get_by_role("button").click()
        expect(head).to_have_attribute("aria-sort", "ascending")
        head.get_by_role("button").click()
        expect(head).to_have_attribute("aria-sort", "descending")
        most = self.service.ask("GET", "Team?sort=-players.@count&limit=1")[0]
        expect(self.cell(0, "_id")).to_have_text(str(most["_id"]))

    def test_a_predicate_narrows_the_rows(self):
        page = self.open("rows/Player")
        bar = page.get_by_role("combobox", name="Predicate")
        bar.fill("goals > 12")
        bar.press("Enter")
        expect(page.locator("stele-rows .footer")).to_contain_text("4 objects")
        self.assertIn("where=goals", page.url)

    def test_an_error_is_shown_at_its_position_while_typing(self):
        self.expected_errors = ["400"]
        page = self.open("rows/Player")
        bar = page.get_by_role("combobox", name="Predicate")
        bar.press_sequentially("gaols > 12")
        error = page.locator(".predicate-error")
        expect(error.locator("mark")).to_have_text("gaols")
        expect(error).to_contain_text("did you mean goals?")
        expect(bar).to_have_attribute("aria-invalid", "true")

    def test_names_operators_and_stored_values_are_completed(self):
        # What is typed is no predicate until it is whole.
        self.expected_errors = ["400"]
        page = self.open("rows/Player")
        bar = page.get_by_role("combobox", name="Predicate")
        bar.press_sequentially("tea")
        options = page.get_by_role("option")
        expect(options.first).to_contain_text("team")
        bar.press("ArrowDown")
        bar.press("Tab")
        bar.press_sequentially(".ci")
        expect(options.first).to_contain_text("city")
        bar.press("ArrowDown")
        bar.press("Enter")
        bar.press_sequentially("== ")
        bar.press_sequentially('"Le')
        expect(options.first).to_contain_text('"Leeds"')
        bar.press("ArrowDown")
        bar.press("Enter")
        bar.press("Escape")
        bar.press("Enter")
        expect(page.locator("stele-rows .footer")).to_contain_text("5 objects")
        expect(bar).to_have_value('team.city == "Leeds"')

    def test_words_that_are_no_predicate_are_looked_for_in_texts(self):
        self.expected_errors = ["400"]
        page = self.open("rows/Player")
        bar = page.get_by_role("combobox", name="Predicate")
        bar.fill("diallo")
        bar.press("Enter")
        page.get_by_role("button", name='Find "diallo" in name, country').click()
        expect(page.locator("stele-rows .footer")).to_contain_text("1 object")
        expect(self.rows().first).to_contain_text("Amara Diallo")

    def test_no_rows_are_said_to_be_none(self):
        page = self.open("rows/Player?where=goals%20%3E%20100")
        expect(page.get_by_text("No object satisfies the predicate.")).to_be_visible()
        page = self.open("rows/Player")
        expect(page.get_by_text("No object satisfies the predicate.")).to_be_hidden()

    def test_an_id_opens_its_object(self):
        page = self.open("rows/Player?where=_id%20%3D%3D%203")
        self.cell(0, "_id").get_by_role("link").click()
        expect(page.get_by_role("heading", name="Amara Diallo")).to_be_visible()
        self.assertIn("where=", page.url)

    def test_the_row_of_an_open_object_is_brought_into_view(self):
        for number in range(300):
            self.service.ask("POST", "Team", {"name": f"Team {number}"})
        last = self.service.ask("GET", "Team?sort=-_id&limit=1")[0]["_id"]
        page = self.open(f"rows/Team?open={last - 3}")
        active = page.locator("stele-table .row.active")
        expect(active).to_contain_text("Team 296")
        expect(active).to_be_in_viewport()
        # One that the list does not have is open beside it.
        page = self.open(f"rows/Team?where=_id%20%3E%20{last - 2}&open={last - 3}")
        expect(page.get_by_role("heading", name="Team 296")).to_be_visible()
        expect(active).to_contain_text("Team 298")
        # The panel may still be reading.
        page.goto("about:blank")
        self.service.ask("DELETE", "Team?where=name%20BEGINSWITH%20%22Team%22")

    def test_a_link_leads_to_the_other_end(self):
        page = self.open("rows/Player?where=_id%20%3D%3D%201")
        page.get_by_role("link", name="Northgate Rovers").click()
        expect(page.get_by_role("heading", name="Northgate Rovers")).to_be_visible()
        self.assertIn("rows/Team?open=1", page.url)

    def test_an_expression_with_commas_is_one_column(self):
        page = self.open("rows/Player?columns=name,most:max({goals,%20number}),goals"
                         "&sort=name&where=_id%20%3D%3D%203")
        heads = page.get_by_role("columnheader")
        expect(heads).to_have_text(["_id", "name", "most:max({goals, number})", "goals"])
        values = self.service.ask("GET", "Player/3")
        expect(self.cell(0, "most:max({goals, number})")).to_have_text(
            str(max(values["goals"], values["number"])))

    def test_a_link_in_a_cell_is_followed_with_a_key(self):
        page = self.open("rows/Player?sort=_id")
        self.cell(0, "team").click()
        page.keyboard.press("o")
        expect(page).to_have_url(re.compile("#/rows/Team[?]open=1$"))
        expect(page.locator("stele-object-panel")).to_be_visible()

    def test_a_column_that_is_wrong_is_said_in_the_dialog(self):
        self.expected_errors = ["status of 400", "Player has no property bogus"]
        page = self.open("rows/Player?where=goals%20%3E%203")
        page.get_by_role("button", name="Columns").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Key paths, one a line").fill("name\nbogus")
        dialog.get_by_role("button", name="Show").click()
        expect(dialog.get_by_role("alert")).to_contain_text("bogus")
        expect(page.locator("#predicate-error")).to_be_empty()
        dialog.get_by_label("Key paths, one a line").fill("name\ngoals")
        dialog.get_by_role("button", name="Show").click()
        expect(dialog).to_have_count(0)
        expect(page.get_by_role("columnheader")).to_have_count(3)
        # In an address that was typed it is no error of the predicate either.
        page.goto(f"{self.service.url}#/rows/Player?where=goals%20%3E%203&columns=bogus")
        expect(page.locator("#notices")).to_contain_text("bogus")
        expect(page.locator("#predicate-error")).to_be_empty()

    def test_rows_from_before_are_no_answer_to_a_wrong_predicate(self):
        self.expected_errors = ["status of 400"]
        page = self.open("rows/Player?where=goals%20%3E%203")
        expect(page.locator("stele-rows .footer")).to_contain_text("objects")
        page.get_by_role("combobox", name="Predicate").fill("goals >")
        page.keyboard.press("Enter")
        expect(page.locator("stele-rows .footer")).to_have_text("These are the rows from before.")
        page.get_by_role("combobox", name="Predicate").fill("name LIKE 'A%'")
        page.keyboard.press("Enter")
        expect(page.get_by_text("The wildcards of LIKE are * and ?.")).to_be_visible()

    def test_ids_stay_in_view_beside_columns_that_are_scrolled(self):
        self.page.set_viewport_size({"width": 390, "height": 700})
        page = self.open("rows/Player")
        expect(self.cell(0, "_id")).to_have_text("1")
        left = self.cell(0, "_id").bounding_box()["x"]
        page.locator("stele-table .scroller").focus()
        page.keyboard.press("End")
        self.until(lambda: page.locator("stele-table .scroller").evaluate("it => it.scrollLeft") > 99,
                   "the columns are scrolled")
        first, second = (page.locator(f'stele-table .row[data-index="0"] .cell[data-column="{it}"]')
                         for it in (0, 1))
        self.assertEqual(first.bounding_box()["x"], left)
        # A cell that is moved to is not below the ids.
        for _ in range(20):
            page.keyboard.press("ArrowLeft")
            if page.locator("stele-table .cell.active").get_attribute("data-column") == "1":
                break
        end = first.bounding_box()["x"] + first.bounding_box()["width"]
        self.assertGreaterEqual(second.bounding_box()["x"], end - 1)


if __name__ == "__main__":
    unittest.main()
