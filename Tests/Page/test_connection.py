"""Unsaved changes and a service that restarts, or whose answers are lost."""

import unittest

from editing import EditingCase
from page import expect


class ConnectionTests(EditingCase):
    def test_new_objects_are_the_same_after_a_restart(self):
        """Temporary ids begin anew in the next context: t2 may be another object there."""
        page = self.open("rows/Team")
        page.get_by_role("button", name="New").click()
        expect(self.bar).to_contain_text("Unsaved: 1 new")
        self.button("Undo").click()
        expect(self.bar).to_contain_text("Nothing is unsaved")
        self.new_team("Second")
        self.new_team("Third")
        self.service.kill()
        self.service.start()
        # The rows are read in the context that follows.
        page.goto(f"{self.service.url}#/rows/Team?sort=name")
        expect(page.locator("stele-table").get_by_text("t1", exact=True)).to_be_visible()
        last = page.locator('stele-table .layer .row:has-text("Third")')
        last.get_by_role("gridcell").nth(1).dblclick()
        editor = page.locator("stele-table .editor input")
        editor.fill("Third again")
        editor.press("Enter")
        expect(page.locator("stele-table")).to_contain_text("Third again")
        self.button("Save").click()
        expect(self.bar).to_be_hidden()
        names = [it["name"] for it in self.service.ask("GET", "Team?where=_id%20%3E%204&sort=_id")]
        self.assertEqual(names, ["Second", "Third again"])
        for found in self.service.ask("GET", "Team?where=_id%20%3E%204"):
            self.service.ask("DELETE", f"Team/{found['_id']}")

    def test_nothing_typed_is_lost_in_a_restart_and_a_reload(self):
        page = self.open("rows/Player?where=_id%20%3D%3D%208")
        self.type_into(0, "goals", "77")
        expect(self.bar).to_contain_text("Unsaved: 1 changed")
        self.service.kill()
        page.get_by_role("link", name="Team").click()
        expect(page.locator("#notices")).to_contain_text("does not answer")
        self.service.start()
        expect(page.locator("#notices")).to_contain_text("is back")
        page.go_back()
        # The service has no context any more: the next step makes another with the same changes.
        self.button("Undo").click()
        self.button("Redo").click()
        expect(self.cell(0, "goals")).to_have_text("77")
        page.reload()
        expect(self.bar).to_contain_text("Unsaved: 1 changed")
        expect(self.cell(0, "goals")).to_have_text("77")
        self.button("Save").click()
        expect(self.bar).to_be_hidden()
        self.assertEqual(self.service.ask("GET", "Player/8")["goals"], 77)

    def save_and_lose_the_answer(self, route, restarts):
        """Makes the save of a request, and ends the connection without the answer."""
        self.assertEqual(route.fetch().status, 200)
        if restarts:
            self.service.kill()
        route.abort("connectionreset")

    def check_that_it_was_saved_once(self, name):
        expect(self.page.locator("#notices")).to_contain_text("were saved before")
        expect(self.bar).to_be_hidden()
        self.check_that_there_is_one(name)

    def check_that_there_is_one(self, name):
        found = self.service.ask("GET", f"Team?where=name%20%3D%3D%20%22{name}%22")
        self.assertEqual(len(found), 1)
        self.service.ask("DELETE", f"Team/{found[0]['_id']}")

    def test_a_save_whose_answer_is_lost_with_the_service_is_not_made_again(self):
        self.expected_errors.append("does not answer")
        page = self.open("rows/Team")
        self.new_team("Lost")
        page.route("**/save?*", lambda route: self.save_and_lose_the_answer(route, restarts=True))
        self.button("Save").click()
        expect(page.locator("#notices")).to_contain_text("does not answer")
        self.service.start()
        self.check_that_it_was_saved_once("Lost")

    def test_a_save_whose_answer_alone_is_lost_is_not_made_again(self):
        self.expected_errors += ["does not answer", "ERR_CONNECTION_RESET"]
        page = self.open("rows/Team")
        self.new_team("Alone")
        page.route("**/save?*", lambda route: self.save_and_lose_the_answer(route, restarts=False))
        self.button("Save").click()
        self.check_that_it_was_saved_once("Alone")

    def test_a_reload_after_a_save_whose_answer_is_lost(self):
        self.expected_errors += ["does not answer", "ERR_FAILED"]
        page = self.open("rows/Team")
        self.new_team("Reload")
        page.route("**/save?*", lambda route: self.save_and_lose_the_answer(route, restarts=True))
        self.button("Save").click()
        expect(page.locator("#notices")).to_contain_text("does not answer")
        # The page cannot ask while it is being left.
        page.route("**/healthz", lambda route: route.abort())
        self.service.start()
        page.reload()
        self.check_that_it_was_saved_once("Reload")

    def save_through_a_proxy(self, name, status):
        """Saves a new team. Saves are made, and answered with an error of a proxy."""
        def make(route):
            self.assertEqual(route.fetch().status, 200)
            route.fulfill(status=status, content_type="text/html", body="<h1>Later</h1>")

        self.expected_errors += ["does not answer", "Later", f"status of {status}"]
        self.open("rows/Team")
        self.new_team(name)
        self.page.route("**/save?*", make)
        self.button("Save").click()

    def test_a_save_that_a_proxy_has_given_up_is_not_made_again(self):
        self.save_through_a_proxy("Slow", 504)
        self.check_that_it_was_saved_once("Slow")

    def test_the_next_save_looks_for_the_one_before(self):
        self.save_through_a_proxy("Late", 520)
        expect(self.page.locator("#notices")).to_contain_text("Later")
        self.button("Save").click()
        self.check_that_it_was_saved_once("Late")

    def test_discarding_what_was_saved_says_so(self):
        self.save_through_a_proxy("Discarded", 520)
        expect(self.page.locator("#notices")).to_contain_text("Later")
        self.button("Discard").click()
        self.page.get_by_role("dialog").get_by_role("button", name="Discard").click()
        self.check_that_it_was_saved_once("Discarded")

    def test_what_cannot_be_made_again_after_a_reload_is_shown(self):
        page = self.open("rows/Team")
        made = self.service.ask("POST", "Team", {"name": "Gone"})
        page.goto(f"{self.service.url}#/rows/Team?where=_id%20%3D%3D%20{made['_id']}")
        self.type_into(0, "name", "Typed")
        expect(self.bar).to_contain_text("Unsaved: 1 changed")
        self.service.ask("DELETE", f"Team/{made['_id']}")
        page.goto(f"{self.service.url}#/model")
        page.reload()
        expect(page.get_by_role("dialog")).to_contain_text('"Typed"')

    def test_a_history_that_does_not_reach_back_is_asked_about(self):
        page = self.open("rows/Team")
        self.expected_errors += ["does not answer", "ERR_CONNECTION_RESET"]
        gone = {"type": "/docs/errors#134301", "title": "gone", "status": 410, "code": 134301}
        page.route("**/changes?since=**", lambda route: route.fulfill(
            status=410, content_type="application/problem+json", json=gone))
        for button in ("Make them again", "They are saved"):
            self.new_team("Asked")
            page.route("**/save?*", lambda route: route.abort("connectionreset"))
            self.button("Save").click()
            page.get_by_role("dialog").get_by_role("button", name=button).click()
            page.unroute("**/save?*")
            if button == "Make them again":
                expect(self.bar).to_contain_text("Unsaved: 1 new")
                self.button("Save").click()
            expect(self.bar).to_be_hidden()
        self.check_that_there_is_one("Asked")

    def test_a_save_that_does_not_arrive_is_made_again_by_the_next(self):
        self.expected_errors += ["does not answer", "ERR_CONNECTION_RESET"]
        page = self.open("rows/Team")
        self.new_team("Again")
        page.route("**/save?*", lambda route: route.abort("connectionreset"))
        self.button("Save").click()
        expect(page.locator("#notices")).to_contain_text("is back")
        page.unroute("**/save?*")
        expect(self.bar).to_contain_text("Unsaved: 1 new")
        self.button("Save").click()
        expect(self.bar).to_be_hidden()
        self.check_that_there_is_one("Again")

    def test_a_proxy_whose_service_is_away(self):
        self.expected_errors += ["does not answer", "status of 502"]
        page = self.open("rows/Team")
        self.new_team("Proxy")
        page.route("**", lambda route: route.fulfill(
            status=502, content_type="text/html", body="<h1>502 Bad Gateway</h1>"))
        self.button("Save").click()
        expect(page.locator("#notices")).to_contain_text("What you have typed stays here")
        page.get_by_role("link", name="Player").first.click()
        page.unroute("**")
        expect(page.locator("#notices")).to_contain_text("is back")
        expect(self.cell(0, "name")).not_to_be_empty()
        expect(self.bar).to_contain_text("Unsaved: 1 new")
        self.button("Save").click()
        expect(self.bar).to_be_hidden()
        self.check_that_there_is_one("Proxy")

    def test_changes_that_the_browser_cannot_keep(self):
        self.expected_errors.append("too large for the browser")
        page = self.open("rows/Team")
        page.evaluate("() => { Storage.prototype.setItem = () => { throw new DOMException('full') } }")
        self.new_team("Large")
        expect(page.locator("#notices")).to_contain_text("too large for the browser to keep")
        self.button("Discard").click()
        page.get_by_role("dialog").get_by_role("button", name="Discard").click()
        expect(self.bar).to_be_hidden()


if __name__ == "__main__":
    unittest.main()
