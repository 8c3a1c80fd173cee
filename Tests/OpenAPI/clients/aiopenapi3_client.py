"""The client that aiopenapi3 makes while it runs. aiopenapi3_client.py FOLDER URL"""

import sys

import aiopenapi3

api = aiopenapi3.OpenAPI.load_sync(sys.argv[2] + "/openapi.json")
call = api._

# Create and read. A member with an underscore before it has it behind.
team = call.createTeam(data={"name": "Crew", "founded": 1999})
ida = call.createPlayer(data={"name": "Ida", "goals": 3, "salary": 12.5, "team": team.id_})
assert (ida.name, ida.goals, ida.team) == ("Ida", 3, team.id_), ida
bo = call.createPlayer(data={"name": "Bo", "team": {"name": "Made with Bo"}})
call.createPlayer(data={"name": "Cy"})
read = call.getPlayer(parameters={"id": bo.id_, "include": "team"})
assert read.team.root.name == "Made with Bo", read
assert call.getPlayerTeam(parameters={"id": ida.id_}).name == "Crew"

# Lists: a filter, and pages.
names = []
while True:
    page = call.listPlayer(parameters={"sort": "name", "limit": 2, "offset": len(names)})
    names += [it.name for it in page]
    if len(page) < 2:
        break
assert names == ["Bo", "Cy", "Ida"], names
assert [it.id_ for it in call.listPlayer(parameters={"where": 'name == "Ida"'})] == [ida.id_]
rows = call.queryPlayer(data={"where": "goals >= $least", "select": "name", "var": {"least": 3}})
assert [it.model_dump() for it in rows] == [{"name": "Ida"}], rows

# Change, replace, a transaction, and a deletion.
changed = call.changePlayer(parameters={"id": ida.id_}, data={"goals": 4})
assert (changed.goals, changed.name) == (4, "Ida"), changed
replaced = call.replacePlayer(parameters={"id": ida.id_}, data={"name": "Ada"})
assert (replaced.name, replaced.team) == ("Ada", None), replaced
# It sends no body that is a number, so the team is set as a member.
linked = call.changePlayer(parameters={"id": ida.id_}, data={"team": team.id_})
assert linked.team == team.id_, linked
results = call.executeTransaction(data=[
    {"op": "insert", "entity": "Team", "values": {"name": "New"}, "as": "new"},
    {"op": "update", "object": f"Player/{ida.id_}", "values": {"team": {"_ref": "new"}}}])
assert len(results) == 2, results
call.deletePlayer(parameters={"id": ida.id_})
try:
    call.getPlayer(parameters={"id": ida.id_})
    raise AssertionError("no error")
except aiopenapi3.errors.HTTPError as error:
    assert "404" in repr(error) or error.http_status == 404, error
