"""Tokens: the login, and what is offered to a role."""

import hashlib
import json
import tempfile
import unittest
from pathlib import Path

from page import PageCase, Service, expect, model


def rights_file():
    """Rights with a token that may do all, one that may read and change players alone, and one that may
    create them."""
    def digest(token):
        return hashlib.sha256(token.encode()).hexdigest()

    path = Path(tempfile.mkdtemp()) / "rights.json"
    path.write_text(json.dumps({
        "roles": {
            "scout": {"Player": {"read": "goals > 5", "update": True}},
            "clerk": {"Player": {"read": True, "create": True}, "Team": {"read": True}}},
        "tokens": [
            {"name": "root", "role": "all", "sha256": digest("root-token")},
            {"name": "clerk", "role": "clerk", "sha256": digest("clerk-token")},
            {"name": "scout", "role": "scout", "sha256": digest("scout-token")},
        ]}))
    return str(path)


class AccessTests(PageCase):
    @classmethod
    def make_service(cls):
        return Service(
            model("League"), "--rights", rights_file(), seed="League", keys=["Team.name"])

    def setUp(self):
        super().setUp()
        self.expected_errors = ["status of 4"]

    def log_in(self, token, view="rows/Player"):
        page = self.open(view)
        page.get_by_label("Token").fill(token)
        page.get_by_role("button", name="Log in").click()
        return page

    def test_the_page_asks_for_a_token(self):
        page = self.log_in("wrong")
        expect(page.get_by_role("alert")).to_be_visible()
        page.get_by_label("Token").fill("root-token")
        page.get_by_role("button", name="Log in").click()
        expect(page.locator("stele-rows .footer")).to_contain_text("21 objects")
        # It stays in the tab over a reload, and no other tab has it.
        page.reload()
        expect(page.locator("stele-rows .footer")).to_contain_text("21 objects")
        other = self.context.new_page()
        other.goto(self.service.url)
        expect(other.get_by_label("Token")).to_be_visible()

    def test_logging_out_forgets_the_token(self):
        page = self.log_in("root-token")
        page.get_by_role("button", name="Log out").click()
        expect(page.get_by_label("Token")).to_be_visible()
        self.assertNotIn("root-token", page.evaluate("JSON.stringify({...sessionStorage})"))

    def test_what_a_role_may_not_do_is_not_offered(self):
        page = self.log_in("scout-token")
        # Players with more than five goals, and no teams.
        expect(page.locator("stele-rows .footer")).to_contain_text("11 objects")
        expect(page.locator("#entities a")).to_have_count(1)
        expect(page.get_by_role("button", name="New")).to_have_count(0)
        expect(page.get_by_role("link", name="Import")).to_have_count(0)
        expect(page.get_by_role("columnheader", name="team")).to_have_count(0)
        page.locator("stele-table .layer .row").first.dblclick()
        page.keyboard.press("Escape")
        page.goto(f"{self.service.url}#/rows/Player?open=1")
        expect(page.get_by_role("heading", name="Ann Whitfield")).to_be_visible()
        expect(page.get_by_role("button", name="Delete the object")).to_have_count(0)

    def test_a_role_changes_what_it_may(self):
        page = self.log_in("scout-token", "rows/Player?open=3")
        field = page.get_by_label("goals", exact=True)
        field.fill("20")
        field.press("Tab")
        # A role has no editing contexts: the change is saved at once.
        self.until(lambda: self.service.ask(
            "GET", "Player/3", headers={"Authorization": "Bearer root-token"})["goals"] == 20,
            "the change is saved")

    def test_a_role_creates_an_object_with_its_values(self):
        page = self.log_in("clerk-token")
        count = page.locator("stele-rows .footer")
        expect(count).to_contain_text("21 objects")
        page.get_by_role("button", name="New").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("goals", exact=True).fill("-3")
        dialog.get_by_role("button", name="Create").click()
        # What is typed stays, with the model's messages beside it. Nothing is saved.
        expect(dialog).to_contain_text("name must have a value")
        expect(dialog).to_contain_text("goals must be at least 0")
        dialog.get_by_label("name", exact=True).fill("Nea")
        dialog.get_by_label("goals", exact=True).fill("4")
        dialog.get_by_label("team", exact=True).fill("harb")
        dialog.get_by_role("option", name="Harbour City").click()
        dialog.get_by_role("button", name="Create").click()
        expect(page.get_by_role("heading", name="Nea")).to_be_visible()
        expect(count).to_contain_text("22 objects")
        expect(page.locator("stele-object-panel")).to_contain_text("Harbour City")
        self.service.ask("DELETE", "Player/22", headers={"Authorization": "Bearer root-token"})


if __name__ == "__main__":
    unittest.main()
