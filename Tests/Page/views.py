"""What the tests of charts and of the map have in common."""

from urllib.parse import parse_qs, quote, urlencode

from page import PageCase, expect


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
