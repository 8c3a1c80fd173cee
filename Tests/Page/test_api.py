"""The API: its operations to read and to try, and requests as code, which is executed here."""

import json
import os
import re
import subprocess
import unittest
from urllib.parse import quote

from page import PageCase, Service, expect, model
from test_access import rights_file

TOKEN = "root-token"
# A name of characters that mean something in a shell, an address or a program.
ODD = "$HOME `id` 'x' \"y\" \\ 100% + a&b=c #é🙂 ${1} !"
FORMS = ("curl", "JavaScript", "Swift")
METHODS = ("get", "post", "put", "patch", "delete")


def texts(text):
    """JSON whose numbers are texts: the page asks for some of them in that way."""
    return json.loads(text, parse_int=str, parse_float=str)


class APICase(PageCase):
    """What a person does with an operation."""

    @property
    def operations(self):
        return self.page.get_by_role("navigation", name="Operations")

    @property
    def form(self):
        return self.page.get_by_role("form", name="Try the operation")

    @property
    def answer(self):
        return self.page.get_by_role("region", name="Answer", exact=True)

    def field(self, name):
        return self.form.get_by_label(re.compile(rf"^{name}\b"))

    def try_operation(self, operation, status, **values):
        """Fills in an operation, and sends it. Gives the JSON of the answer."""
        self.open(f"api?operation={operation}")
        for name, value in values.items():
            self.field(name).fill(value)
        self.send(status)
        return json.loads(self.answer.get_by_role("group", name="Text").inner_text())

    def code(self, form):
        """The request of the view as code."""
        self.page.get_by_role("button", name="Code", exact=True).click()
        dialog = self.page.get_by_role("dialog")
        dialog.get_by_role("tab", name=form).click()
        text = dialog.get_by_role("tabpanel").evaluate("it => it.textContent")
        dialog.get_by_role("button", name="Close").click()
        expect(dialog).to_have_count(0)
        return text

    def send(self, status):
        self.form.get_by_role("button", name="Send").click()
        expect(self.answer.get_by_role("status")).to_contain_text(status)


class OperationTests(APICase):
    def setUp(self):
        super().setUp()
        # An answer that is an error is one to the browser as well.
        self.expected_errors = ["status of 4"]

    # Reading

    def test_all_operations_of_the_document_are_listed(self):
        paths = self.service.ask("GET", "openapi.json")["paths"]
        declared = [method.upper() + path + item[method]["summary"]
                    for path, item in paths.items() for method in METHODS if method in item]
        self.open("api")
        expect(self.operations.get_by_role("status")).to_have_text(f"{len(declared)} operations")
        links = self.operations.get_by_role("listitem").get_by_role("link")
        expect(links).to_have_count(len(declared))
        self.assertEqual(sorted(links.all_text_contents()), sorted(declared))

    def test_an_operation_says_what_it_takes_and_gives(self):
        page = self.open("api")
        self.operations.get_by_role("link", name="GET /Player Objects of Player.").click()
        expect(page).to_have_url(f"{self.service.url}#/api?operation=listPlayer")
        expect(page.get_by_role("heading", name="GET /Player", exact=True)).to_be_visible()
        document = self.service.ask("GET", "openapi.json")
        parameters = document["components"]["parameters"]
        for reference in document["paths"]["/Player"]["get"]["parameters"]:
            parameter = parameters[reference["$ref"].split("/")[-1]] \
                if "$ref" in reference else reference
            if parameter["in"] == "query":
                field = self.field(parameter["name"])
                expect(field).to_be_visible()
                expect(field).to_have_accessible_description(
                    re.compile(re.escape(parameter["description"])))
        # Those that the document has in the body of a query alone.
        for name in ("select", "groupBy", "having", "distinct", "numbers"):
            expect(self.field(name)).to_be_visible()
        answers = page.get_by_role("region", name="Answers")
        expect(answers).to_contain_text("200 A page of the list.")
        expect(answers).to_contain_text("Errors: 400, ")

    def test_operations_are_found_by_words(self):
        self.open("api")
        search = self.operations.get_by_role("searchbox")
        links = self.operations.get_by_role("listitem").get_by_role("link")
        search.fill("team count")
        expect(self.operations.get_by_role("status")).to_have_text("2 operations")
        expect(links).to_contain_text(["/Team/count", "/Team/{id}/players/count"])
        expect(self.page).to_have_url(f"{self.service.url}#/api?find=team%20count")
        links.first.click()
        expect(self.page.get_by_role("heading", name="GET /Team/count")).to_be_visible()
        expect(links).to_have_count(2)
        search.fill("zebra")
        expect(self.operations.get_by_role("status")).to_have_text("0 operations")

    def test_the_arrow_keys_go_from_operation_to_operation(self):
        self.open("api")
        links = self.operations.get_by_role("listitem").get_by_role("link")
        links.first.focus()
        self.page.keyboard.press("ArrowDown")
        expect(links.nth(1)).to_be_focused()
        self.page.keyboard.press("Enter")
        expect(self.page.get_by_role("heading", name="POST /Player")).to_be_visible()
        expect(links.nth(1)).to_have_attribute("aria-current", "true")

    # Schemas

    def test_the_schemas(self):
        page = self.open("api?operation=getPlayer")
        answers = page.get_by_role("region", name="Answers")
        answers.get_by_text("The object.").click()
        for member in ("name string required", "goals integer or null", "joinedAt string or null"):
            expect(answers.get_by_role("listitem").filter(has_text=member).first).to_be_visible()
        # What it refers to is below it.
        answers.get_by_text("Team", exact=True).first.click()
        expect(answers.get_by_role("listitem").filter(has_text="founded").first).to_be_visible()
        # A schema has an address of its own.
        self.open("api?schema=Team")
        expect(page.get_by_role("heading", name="Team", exact=True)).to_be_visible()
        members = page.get_by_role("main").get_by_role("listitem").filter(has_text="required")
        expect(members.filter(has_text="founded")).to_be_visible()
        self.open("api?schema=Zebra")
        expect(page.get_by_text("The document has no Zebra.")).to_be_visible()

    # Trying

    def test_an_object_and_a_list_are_read(self):
        found = self.try_operation("getPlayer", "200 OK", id="3")
        self.assertEqual(found, self.service.ask("GET", "Player/3"))
        # The values are in the address.
        expect(self.page).to_have_url(re.compile(r"operation=getPlayer&p\.id=3$"))
        self.page.reload()
        expect(self.field("id")).to_have_value("3")

        found = self.try_operation("listPlayer", "200 OK", where='team.city == "Zürich"',
                                   sort="-goals,name", limit="3")
        self.assertEqual([it["name"] for it in found],
                         ["Élodie Chevalier", "Nguyễn Thị Hạnh", "Miloš Đorđević"])

    def test_a_list_gives_rows(self):
        found = self.try_operation("listPlayer", "200 OK", select="name", where="_id == 3")
        self.assertEqual([list(it) for it in found], [["name"]])

    def test_errors_are_shown_as_they_are(self):
        problem = self.try_operation("getPlayer", "404 Not Found", id="999")
        self.assertEqual(problem["status"], 404)
        self.assertIn("999", problem["detail"])
        problem = self.try_operation("listPlayer", "400 Bad Request", where="gaols > 1")
        self.assertIn("gaols", problem["detail"])

    def test_a_value_that_is_needed_is_asked_for(self):
        page = self.open("api?operation=getPlayer")
        sent = []
        page.on("request", lambda it: sent.append(it.url) if "Player/%7B" in it.url else None)
        self.form.get_by_role("button", name="Send").click()
        expect(self.field("id")).to_be_focused()
        expect(self.answer).to_be_hidden()
        self.assertEqual(sent, [])

    def test_an_object_is_created(self):
        self.open("api?operation=createPlayer")
        body = self.form.get_by_role("textbox", name="Body")
        # The example has what the model asks for.
        self.assertIn("name", json.loads(body.input_value()))
        body.fill('{"name": "Nea", "goals": 3}')
        self.send("201 Created")
        found = self.service.ask("GET", "Player?where=name%20%3D%3D%20%22Nea%22")
        self.assertEqual([it["goals"] for it in found], [3])

    def test_a_body_is_sent_as_it_is_typed(self):
        self.open("api?operation=createPlayer")
        body = '{"name": "Nea", "salary": 12345678901234567.25}'
        self.form.get_by_role("textbox", name="Body").fill(body)
        for form in FORMS:
            self.assertIn("12345678901234567.25", self.code(form), form)
        # JavaScript would round the number. The service refuses it, and says what it got.
        self.send("422 Unprocessable")
        expect(self.answer.get_by_role("group", name="Text")).to_contain_text(
            "12345678901234567.25")

    # What destroys

    def players(self, row_id):
        return self.service.ask("GET", f"Player/count?where=_id%20%3D%3D%20{row_id}")["count"]

    def test_a_deletion_asks_first(self):
        player = self.service.ask("POST", "Player", {"name": "Leo"})["_id"]
        page = self.open(f"api?operation=deletePlayer&p.id={player}")
        send = self.form.get_by_role("button", name="Send")
        dialog = page.get_by_role("dialog")
        send.click()
        expect(dialog).to_contain_text(f"DELETE Player/{player}")
        dialog.get_by_role("button", name="Cancel").click()
        expect(dialog).to_have_count(0)
        send.click()
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        expect(self.answer).to_be_hidden()
        self.assertEqual(self.players(player), 1)
        send.click()
        dialog.get_by_role("button", name="Send DELETE").click()
        expect(self.answer.get_by_role("status")).to_contain_text("204 No Content")
        self.assertEqual(self.players(player), 0)

    def test_only_what_destroys_asks(self):
        dialog = self.page.get_by_role("dialog")
        for operation in ("replacePlayer", "changeAllPlayer", "deleteAllPlayer",
                          "clearPlayerTeam", "rollbackContext", "deleteChanges"):
            with self.subTest(operation):
                self.open(f"api?operation={operation}")
                expect(self.form).to_be_visible()
                for field in self.form.get_by_label(re.compile("required")).all():
                    field.fill("1")
                self.form.get_by_role("button", name="Send").click()
                expect(dialog).to_be_visible()
                self.page.keyboard.press("Escape")
                expect(self.answer).to_be_hidden()
        self.open("api?operation=queryPlayer")
        self.send("200 OK")
        expect(dialog).to_have_count(0)

    def test_code_without_a_token(self):
        self.open("api?operation=listPlayer")
        for form in FORMS:
            self.assertNotRegex(self.code(form), "(?i)token|authorization")


class RightsTests(APICase):
    """A service with tokens."""

    @classmethod
    def make_service(cls):
        service = Service(
            model("League"), "--rights", rights_file(), seed="League", keys=["Team.name"])
        service.ask("POST", "Player", {"name": ODD}, {"Authorization": f"Bearer {TOKEN}"})
        return service

    def setUp(self):
        super().setUp()
        self.expected_errors = ["status of 40"]
        self.page.on("dialog", lambda it: it.accept(TOKEN))

    def log_in(self, token=TOKEN):
        page = self.open("model")
        page.get_by_label("Token").fill(token)
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("heading", name="League")).to_be_visible()
        return page

    def open_and_hear(self, view, mark):
        """Opens a view. Gives the JSON that the page gets by a request that has a mark in it."""
        def is_meant(response):
            request = response.request
            return mark in request.url or mark in (request.post_data or "")

        with self.page.expect_response(is_meant) as heard:
            self.open(view)
        return texts(heard.value.text())

    def curl(self, text, token=TOKEN):
        """Executes a command, and gives what it prints."""
        ended = subprocess.run(
            ["sh", "-c", text], env={"PATH": os.environ["PATH"], "TOKEN": token},
            capture_output=True, check=True, timeout=30, text=True)
        return ended.stdout

    def javascript(self, text):
        """Executes a program in the page, and gives what it prints, as JSON."""
        with self.page.expect_console_message() as printed:
            self.page.evaluate(f";{text}")
        self.assertEqual(printed.value.type, "log", printed.value.text)
        return json.dumps(printed.value.args[0].json_value())

    def expect_code(self, expected):
        """Executes the code of the view that is shown: it gives what the page got."""
        expect(self.page.get_by_role("button", name="Code", exact=True)).to_be_visible()
        self.assertEqual(texts(self.curl(self.code("curl"))), expected)
        self.assertEqual(texts(self.javascript(self.code("JavaScript"))), expected)

    # Roles

    def test_what_the_token_may_not_do_cannot_be_sent(self):
        page = self.log_in("scout-token")
        self.open("api?operation=deletePlayer")
        expect(page.get_by_text("does not give the right to delete objects of Player")
               ).to_be_visible()
        expect(page.get_by_role("button", name="Send")).to_have_count(0)
        refused = self.operations.get_by_role("link", name="DELETE /Player/{id} Deletes")
        expect(refused).to_contain_text("No right.")
        self.open("api?operation=changePlayer")
        expect(page.get_by_role("button", name="Send")).to_be_visible()

    # Requests as code

    def test_the_code_of_a_table(self):
        self.log_in()
        for where, count in (
                ('team.city == "Zürich" AND goals > 3', 3), (f"name == {json.dumps(ODD)}", 1),
                ("name LIKE '*O\\'R*'", 1)):
            with self.subTest(where):
                rows = self.open_and_hear(
                    f"rows/Player?where={quote(where)}&sort=-goals,name"
                    "&columns=name,goals,salary,team.name,pay:salary%20*%2012", "select=")
                self.assertEqual(len(rows), count)
                self.expect_code(rows)

    def test_the_code_of_a_predicate_that_is_too_long_for_an_address(self):
        self.log_in()
        names = ", ".join(f'"name {it}"' for it in range(600))
        where = f'NOT name IN {{{names}}} AND country == "ES"'
        rows = self.open_and_hear(f"rows/Player?where={quote(where)}", "Player/query")
        self.assertEqual(len(rows), 2)
        self.assertIn("/query", self.code("curl"))
        self.expect_code(rows)

    def test_the_code_of_a_chart(self):
        self.log_in()
        for view in ("show=average(goals)&by=team", "by=goals&width=5&where=goals%20%3E%203"):
            with self.subTest(view):
                groups = self.open_and_hear(f"chart/Player?{view}", "groupBy")
                self.expect_code(groups)

    def test_the_code_of_an_operation(self):
        self.log_in()
        found = self.try_operation(
            "listPlayer", "200 OK", where='name BEGINSWITH "Ł" OR name CONTAINS "ł"', limit="2")
        self.expect_code(texts(json.dumps(found)))

    def test_the_code_of_a_change(self):
        self.log_in()
        for form, execute, salary in (("curl", self.curl, "98765432109876543.21"),
                                      ("JavaScript", self.javascript, "12345678901234567.25")):
            with self.subTest(form):
                self.open("api?operation=changePlayer&p.id=4")
                self.form.get_by_role("textbox", name="Body").fill(
                    json.dumps({"salary": salary, "country": None}))
                execute(self.code(form))
                stored = self.service.ask("GET", "Player/4?numbers=string",
                                          headers={"Authorization": f"Bearer {TOKEN}"})
                self.assertEqual((stored["salary"], stored["country"]), (salary, None))

    def test_the_token_is_in_no_code(self):
        page = self.log_in()
        for view in ("rows/Player", "chart/Player", "api?operation=createPlayer"):
            self.open(view)
            for form in FORMS:
                text = self.code(form)
                self.assertNotIn(TOKEN, text)
                self.assertIn("TOKEN", text)
        # Without the token the code reads nothing.
        self.open("rows/Player")
        refused = json.loads(self.curl(self.code("curl"), token="wrong"))
        self.assertEqual(refused["status"], 401)
        self.open("api")
        command = page.get_by_role("main").get_by_role("group", name="Text")
        expect(command).to_contain_text("TOKEN")
        expect(command).not_to_contain_text(TOKEN)
        self.assertNotIn(TOKEN, page.evaluate("JSON.stringify({...localStorage})"))

    def test_the_code_is_copied(self):
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page = self.log_in()
        self.open("rows/Player")
        text = self.code("Swift")
        # The dialog shows the form that was chosen last.
        page.get_by_role("button", name="Code", exact=True).click()
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_role("tab", name="Swift")).to_have_attribute("aria-selected", "true")
        dialog.get_by_role("button", name="Copy").click()
        expect(dialog.get_by_role("status")).to_have_text("Copied")
        self.assertEqual(page.evaluate("navigator.clipboard.readText()"), text)


if __name__ == "__main__":
    unittest.main()
