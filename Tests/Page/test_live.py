"""What others save, as it happens: rows that are followed, and the feed."""

import unittest

from page import PageCase, expect


class LiveTests(PageCase):
    def setUp(self):
        super().setUp()
        self.expected_errors = ["ERR_CONNECTION", "ERR_EMPTY_RESPONSE", "ERR_INCOMPLETE"]

    def change(self, goals, player=9):
        self.service.ask("PATCH", f"Player/{player}", {"goals": goals})

    def test_rows_move_with_what_is_saved(self):
        self.change(8)
        page = self.open("rows/Player?sort=-goals&live=1")
        expect(page.get_by_role("button", name="Live")).to_have_attribute("aria-pressed", "true")
        expect(self.cell(0, "name")).to_have_text("João Conceição")
        self.change(30)
        expect(self.cell(0, "name")).to_have_text("Björk Þórsdóttir")
        expect(self.cell(0, "goals")).to_have_text("30")
        self.change(8)
        expect(self.cell(0, "name")).to_have_text("João Conceição")

    def test_followed_rows_outlive_a_restart(self):
        self.change(8)
        page = self.open("rows/Player?where=_id%20%3D%3D%209&live=1")
        expect(self.cell(0, "goals")).to_have_text("8")
        self.service.kill()
        self.service.start()
        self.change(12)
        expect(self.cell(0, "goals")).to_have_text("12")
        self.assertEqual(page.locator(".notice.error").count(), 0)

    def test_the_feed_shows_each_save_with_its_values(self):
        self.change(8)
        page = self.open("feed")
        feed = page.locator("stele-feed")
        expect(feed).to_contain_text("Following")
        self.change(9)
        expect(feed).to_contain_text("PATCH /Player/{id}")
        expect(feed).to_contain_text("Björk Þórsdóttir")

    def test_the_feed_goes_on_after_a_restart_and_misses_nothing(self):
        page = self.open("feed")
        feed = page.locator("stele-feed")
        expect(feed).to_contain_text("Following")
        created = "POST /Team"
        self.service.ask("POST", "Team", {"name": "Before"})
        expect(feed).to_contain_text(created)
        self.service.kill()
        self.service.start()
        for number in range(3):
            self.service.ask("POST", "Team", {"name": f"After {number}"})
        for number in range(3):
            expect(feed).to_contain_text(f"After {number}")

    def test_the_feed_is_filtered_by_the_service(self):
        page = self.open("feed?entity=Team")
        feed = page.locator("stele-feed")
        expect(feed).to_contain_text("Following")
        self.change(10)
        self.service.ask("POST", "Team", {"name": "Filtered"})
        expect(feed).to_contain_text("Filtered")
        self.assertNotIn("Björk", feed.inner_text())

    def test_older_saves_are_each_shown_once_also_those_before_a_restart(self):
        for number in range(130):
            self.change(100 + number)
        self.service.kill()
        self.service.start()
        self.change(300)
        saves = len(self.service.ask("GET", "changes?limit=1000"))
        page = self.open("feed")
        feed = page.locator("stele-feed")
        older = feed.get_by_role("button", name="Older saves")
        footer = feed.locator(".footer")
        expect(footer).to_contain_text("50 saves")
        while older.is_visible():
            older.click()
            expect(feed.get_by_role("button", name="Reading")).to_have_count(0)
            page.wait_for_timeout(100)
        expect(footer).to_contain_text(f"{saves:,} saves · back to the oldest one")
        # The history of an object, in the same tab.
        self.open("feed?object=Player/9")
        own = len(self.service.ask("GET", "changes?limit=1000&entity=Player&where=_id==9"))
        expect(footer).to_contain_text(f"{own} saves")

    def test_a_save_that_the_history_does_not_have_is_said_to_be_missing(self):
        token = self.service.ask("GET", "changes?limit=1")[0]["transaction"]
        page = self.open(f"feed?entity=Player&where=_id==99999&open={token}")
        expect(page.locator("stele-feed aside")).to_contain_text("does not have the save after")

    def test_history_begins_at_a_token(self):
        token = self.service.ask("GET", "changes?limit=1")[0]["transaction"]
        self.service.ask("POST", "Team", {"name": "Long ago"})
        page = self.open(f"feed?since={token}")
        expect(page.locator("stele-feed")).to_contain_text("Long ago")


if __name__ == "__main__":
    unittest.main()
