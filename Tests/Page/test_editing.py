"""Editing: in the table and beside it, undo, conflicts."""

import re
import unittest

from editing import EditingCase
from files import FileCase
from page import expect


class EditingTests(EditingCase):
    def test_a_value_that_the_model_refuses_is_said_at_the_cell(self):
        page = self.open("rows/Player?where=_id%20%3D%3D%202")
        self.type_into(0, "goals", "-3")
        expect(page.locator(".editor .error-text")).to_have_text("goals must be at least 0")
        page.keyboard.press("Escape")
        expect(self.cell(0, "goals")).to_have_text("0")
        expect(self.bar).to_be_hidden()

    def test_a_change_is_undone_and_done_again(self):
        page = self.open("rows/Player?where=_id%20%3D%3D%203")
        self.type_into(0, "goals", "18")
        expect(self.cell(0, "goals")).to_have_text("18")
        expect(self.bar).to_contain_text("Unsaved: 1 changed")
        self.button("Undo").click()
        expect(self.cell(0, "goals")).to_have_text("17")
        self.button("Redo").click()
        expect(self.cell(0, "goals")).to_have_text("18")
        self.assertEqual(self.service.ask("GET", "Player/3")["goals"], 17, "not saved yet")
        self.button("Save").click()
        expect(page.locator("#notices")).to_contain_text("1 object is saved")
        self.assertEqual(self.service.ask("GET", "Player/3")["goals"], 18)
        expect(self.bar).to_be_hidden()

    def test_a_new_object_needs_what_the_model_asks_for(self):
        page = self.open("rows/Player")
        page.get_by_role("button", name="New").click()
        expect(page).to_have_url(self.service.url + "#/rows/Player?open=t1")
        self.button("Save").click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("name must have a value")
        dialog.get_by_role("button").click()
        page.get_by_label("name", exact=True).fill("Nea")
        page.get_by_label("name", exact=True).press("Tab")
        self.button("Save").click()
        expect(page.locator("#notices")).to_contain_text("is saved")
        found = self.service.ask("GET", "Player?where=name%20%3D%3D%20%22Nea%22")
        self.assertEqual(len(found), 1)
        expect(page).to_have_url(self.service.url + f"#/rows/Player?open={found[0]['_id']}")

    def test_what_is_unsaved_is_marked_and_can_be_reviewed_by_name(self):
        page = self.open("rows/Player?where=_id%20%3D%3D%2014&columns=name,goals,team")
        self.type_into(0, "goals", "3")
        expect(self.cell(0, "goals")).to_have_attribute("data-changed", "")
        expect(page.locator("[data-changed]")).to_have_count(1)
        expect(page.locator('.row[data-index="0"]')).to_have_attribute("data-state", "updated")
        self.cell(0, "_id").get_by_role("link").click()
        panel = page.locator("stele-object-panel")
        panel.get_by_role("link", name="Real Olivar").click()
        expect(panel.locator("h2")).to_have_text("Real Olivar")
        panel.get_by_role("button", name="Remove Núria").click()
        expect(page.locator("#notices")).to_contain_text("The object itself stays.")
        expect(panel.get_by_role("button", name="Remove Núria")).to_have_count(0)
        self.button("Review").click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("goals: 9 → 3")
        expect(dialog).to_contain_text("players: Núria Puig")
        dialog.get_by_role("button", name="Close").click()
        self.button("Discard").click()
        dialog.get_by_role("button", name="Discard").click()
        expect(page.locator("[data-changed]")).to_have_count(0)

    def test_a_row_is_deleted_and_brought_back(self):
        page = self.open("rows/Team")
        self.cell(0, "name").click()
        page.keyboard.press("Delete")
        expect(self.bar).to_contain_text("Unsaved: 6 deleted")
        expect(page.locator("stele-rows .footer")).to_contain_text("3 objects")
        page.keyboard.press("Control+z")
        expect(page.locator("stele-rows .footer")).to_contain_text("4 objects")
        self.button("Discard").click()
        page.get_by_role("dialog").get_by_role("button", name="Discard").click()
        expect(self.bar).to_be_hidden()
        self.assertEqual(self.service.ask("GET", "Team/count")["count"], 4)

    def conflict(self, row_id):
        page = self.open(f"rows/Player?where=_id%20%3D%3D%20{row_id}")
        self.type_into(0, "goals", "50")
        expect(self.bar).to_contain_text("Unsaved: 1 changed")
        self.service.ask("PATCH", f"Player/{row_id}", {"goals": 51, "number": 90})
        self.button("Save").click()
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_role("row")).to_have_count(2)
        return dialog

    def test_a_conflict_is_shown_side_by_side_and_mine_is_kept(self):
        dialog = self.conflict(4)
        expect(dialog).to_contain_text("50")
        expect(dialog).to_contain_text("51")
        dialog.get_by_role("button", name="Save the chosen values").click()
        expect(self.page.locator("#notices")).to_contain_text("is saved")
        stored = self.service.ask("GET", "Player/4")
        self.assertEqual((stored["goals"], stored["number"]), (50, 90))

    def test_the_stored_value_can_be_chosen(self):
        dialog = self.conflict(5)
        dialog.get_by_label("goals: keep the stored value").check()
        dialog.get_by_role("button", name="Save the chosen values").click()
        expect(self.bar).to_be_hidden()
        self.assertEqual(self.service.ask("GET", "Player/5")["goals"], 51)

    def test_an_object_that_others_have_deleted(self):
        page = self.open("rows/Player?where=_id%20%3D%3D%207")
        self.type_into(0, "goals", "9")
        expect(self.bar).to_contain_text("Unsaved: 1 changed")
        self.service.ask("DELETE", "Player/7")
        self.button("Save").click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("deleted by others")
        dialog.get_by_label("Leave it deleted").check()
        dialog.get_by_role("button", name="Save the chosen values").click()
        expect(self.bar).to_be_hidden()
        self.assertEqual(
            self.service.ask("GET", "Player/count?where=_id%20%3D%3D%207")["count"], 0)

    def test_what_is_typed_while_the_object_is_read_again_stays(self):
        page = self.open("rows/Player?where=_id%20%3D%3D%202&open=9")
        field = page.get_by_label("goals", exact=True)
        expect(field).to_be_visible()
        held = []
        page.route("**/Player/9?**", lambda route: held.append(route))
        self.type_into(0, "goals", "5")
        self.until(lambda: held, "the object is read again")
        field.fill("31")
        with page.expect_event("requestfinished", lambda it: "/Player/9?" in it.url):
            held[0].continue_()
        page.unroute("**/Player/9?**")
        page.wait_for_timeout(100)
        expect(field).to_be_focused()
        expect(field).to_have_value("31")
        field.press("Tab")
        expect(self.bar).to_contain_text("Unsaved: 2 changed")
        self.button("Discard").click()
        page.get_by_role("dialog").get_by_role("button", name="Discard").click()
        expect(self.bar).to_be_hidden()

    def test_a_field_that_has_the_focus_while_a_save_is_read(self):
        page = self.open("rows/Player?open=10")
        field = page.get_by_label("goals", exact=True)
        field.fill("7")
        field.press("Tab")
        expect(self.bar).to_contain_text("Unsaved: 1 changed")
        held = []
        page.route(re.compile(r"/Player/10\?"), lambda route: held.append(route)
                   if route.request.method == "GET" else route.continue_())
        self.button("Save").click()
        self.until(lambda: held, "the object is read again")
        field.focus()
        with page.expect_event("requestfinished", lambda it: "/Player/10?" in it.url):
            for route in held:
                route.continue_()
        page.unroute(re.compile(r"/Player/10\?"))
        # The change is made to the version that the save has given.
        field.fill("8")
        field.press("Tab")
        expect(self.bar).to_contain_text("Unsaved: 1 changed")
        self.button("Save").click()
        expect(self.bar).to_be_hidden()
        self.assertEqual(self.service.ask("GET", "Player/10")["goals"], 8)

    def test_the_open_object_says_what_the_model_refuses(self):
        page = self.open("rows/Player?open=9")
        field = page.get_by_label("goals", exact=True)
        field.fill("-1")
        field.press("Tab")
        expect(page.locator("stele-object-panel")).to_contain_text("goals must be at least 0")
        expect(field).to_have_attribute("aria-invalid", "true")
        self.button("Discard").click()
        page.get_by_role("dialog").get_by_role("button", name="Discard").click()
        expect(self.bar).to_be_hidden()

    def test_a_new_object_is_undone_while_its_members_are_read(self):
        held = []
        self.page.route("**/Team/t1/players**", lambda route: held.append(route))
        page = self.open("rows/Team")
        page.get_by_role("button", name="New").click()
        expect(self.bar).to_contain_text("Unsaved: 1 new")
        self.until(lambda: len(held) == 2, "the requests for the members")
        self.button("Undo").click()
        expect(self.bar).to_contain_text("Nothing is unsaved")
        with page.expect_event("requestfinished", lambda it: it.url.endswith("players/count")):
            for route in held:
                route.continue_()
        expect(page.locator("stele-object-panel")).to_be_hidden()
        # An error would be shown before the answer to a later request.
        page.get_by_role("link", name="Player").first.click()
        expect(page.locator("stele-rows .footer")).to_contain_text("21 objects")
        expect(page.locator("#notices")).not_to_contain_text("there is no Team")

    def test_members_that_cannot_be_read_are_said_in_their_place(self):
        problem = {"status": 503, "title": "Service Unavailable", "detail": "too many requests"}
        self.page.route("**/Team/1/players**", lambda route: route.fulfill(
            status=503, content_type="application/problem+json", json=problem))
        self.expected_errors.append("status of 503")
        page = self.open("rows/Team?open=1")
        expect(page.locator("stele-object-panel .members")).to_contain_text("too many requests")
        expect(page.get_by_label("name", exact=True)).to_be_enabled()

    def test_the_save_key_takes_what_is_typed_as_the_first_change(self):
        page = self.open("rows/Player?where=_id%20%3D%3D%2011&open=11")
        field = page.get_by_label("goals", exact=True)
        field.fill("33")
        page.keyboard.press("Control+s")
        expect(page.locator("#notices")).to_contain_text("1 object is saved")
        self.assertEqual(self.service.ask("GET", "Player/11")["goals"], 33)

    def test_a_new_object_begins_with_its_first_field(self):
        page = self.open("rows/Team")
        page.get_by_role("button", name="New").click()
        panel = page.locator("stele-object-panel")
        expect(panel.get_by_role("heading", name="New Team")).to_be_visible()
        expect(panel.locator(".field :is(input, textarea)").first).to_be_focused()
        expect(panel.get_by_role("link", name="History")).to_have_count(0)
        # The save key in the dialog of a refused save opens no second one.
        page.keyboard.press("Control+s")
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("name must have a value")
        page.keyboard.press("Control+s")
        page.wait_for_timeout(300)
        expect(dialog).to_have_count(1)
        dialog.get_by_role("button").click()
        self.button("Discard").click()
        dialog.get_by_role("button", name="Discard").click()
        expect(self.bar).to_be_hidden()

    def test_the_bar_is_in_view_beside_an_object_on_a_phone(self):
        self.page.set_viewport_size({"width": 390, "height": 700})
        page = self.open("rows/Player?where=_id%20%3D%3D%2012&open=12")
        field = page.get_by_label("goals", exact=True)
        field.fill("34")
        field.press("Tab")
        self.button("Save").click()
        expect(page.locator("#notices")).to_contain_text("1 object is saved")

    def test_the_numbers_of_objects_follow_saves(self):
        page = self.open("rows/Team")
        count = page.locator('#entities a[data-entity="Team"] .count')
        expect(count).to_have_text("4")
        self.new_team("Fifth")
        self.button("Save").click()
        expect(count).to_have_text("5")
        last = self.service.ask("GET", "Team?sort=-_id&limit=1")[0]
        self.service.ask("DELETE", f"Team/{last['_id']}")


class LongNumberTests(EditingCase, FileCase):
    """Integers beyond 2^53, which are none of JavaScript."""

    def test_a_conflict_has_all_digits(self):
        row = self.service.ask("POST", "Reading", {"number": 1})["_id"]
        page = self.open("rows/Reading")
        self.type_into(0, "number", "9007199254740993")
        expect(self.bar).to_contain_text("Unsaved: 1 changed")
        self.service.ask("PATCH", f"Reading/{row}", {"number": 9007199254740995})
        self.button("Save").click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("9007199254740993")
        dialog.get_by_label("number: keep the stored value").check()
        dialog.get_by_role("button", name="Save the chosen values").click()
        expect(self.bar).to_be_hidden()
        self.assertEqual(self.service.ask("GET", f"Reading/{row}")["number"], 9007199254740995)


if __name__ == "__main__":
    unittest.main()
