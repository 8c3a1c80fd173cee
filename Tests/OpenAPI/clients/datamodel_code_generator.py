"""The models that datamodel-code-generator makes, for pydantic, with Python's own HTTP client.
datamodel_code_generator.py FOLDER URL"""

import json
import sys
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(0, sys.argv[1])

import models  # noqa: E402


def plain(it):
    return it.model_dump(mode="json", by_alias=True, exclude_unset=True)


def ask(method, path, body=None):
    value = [plain(it) for it in body] if isinstance(body, list) else body and plain(body)
    request = urllib.request.Request(
        sys.argv[2] + path, method=method, data=value and json.dumps(value).encode(),
        headers={"Content-Type": "application/json"})
    return urllib.request.urlopen(request).read()


# Create, read, list, change, delete.
team = models.Team.model_validate_json(ask("POST", "/Team", models.TeamCreate(name="Crew")))
ida = models.Player.model_validate_json(ask("POST", "/Player", models.PlayerCreate(
    name="Ida", goals=3, salary=12.5, team=models.TeamLink(team.field_id))))
assert (ida.goals, ida.salary) == (3, 12.5), ida
where = urllib.parse.quote('name == "Ida"')
found = [models.Player.model_validate(it)
         for it in json.loads(ask("GET", f"/Player?where={where}&include=team"))]
assert found[0].team.name == "Crew", found
changed = models.Player.model_validate_json(
    ask("PATCH", f"/Player/{ida.field_id.root}", models.PlayerChange(goals=4)))
assert (changed.goals, changed.name) == (4, "Ida"), changed

# A transaction, and an error.
results = json.loads(ask("POST", "/transactions", [
    models.InsertOperation.model_validate(
        {"op": "insert", "entity": "Team", "values": {"name": "New"}, "as": "new"}),
    models.DeleteOperation(op="delete", object=f"Player/{ida.field_id.root}")]))
assert results[1]["deleted"], results
try:
    ask("POST", "/Player", models.PlayerCreate.model_construct(name=""))
    raise AssertionError("no error")
except urllib.error.HTTPError as error:
    assert models.Problem422.model_validate_json(error.read()).code == 1670
