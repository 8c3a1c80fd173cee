"""What the tests of unsaved changes share."""

from page import PageCase, expect


class EditingCase(PageCase):
    def setUp(self):
        super().setUp()
        # What is refused is an error to the browser as well.
        self.expected_errors = ["status of 4", "ERR_CONNECTION", "ERR_EMPTY_RESPONSE",
                                "ERR_SOCKET_NOT_CONNECTED"]

    def type_into(self, row, name, text):
        self.cell(row, name).dblclick()
        editor = self.page.locator("stele-table .editor input")
        editor.fill(text)
        editor.press("Enter")

    @property
    def bar(self):
        return self.page.locator("stele-editing-bar")

    def button(self, name):
        return self.bar.get_by_role("button", name=name, exact=True)

    def new_team(self, name):
        self.page.get_by_role("button", name="New").click()
        field = self.page.get_by_label("name", exact=True)
        expect(field).to_have_value("")
        field.fill(name)
        field.press("Tab")
        expect(self.page.get_by_role("heading", name=name, exact=True).or_(
            self.page.locator("stele-table").get_by_text(name, exact=True)).first).to_be_visible()
