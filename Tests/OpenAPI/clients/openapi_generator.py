"""The client that openapi-generator makes for Python. openapi_generator.py FOLDER URL"""

import re
import sys

sys.path.insert(0, sys.argv[1])

import stele_client  # noqa: E402
from stele_client import (  # noqa: E402
    DeleteOperation, InsertOperation, ListQuery, Operation, OperationObject, PlayerChange,
    PlayerCreate, PlayerReplace, TeamChange, TeamCreate, TeamLink, UpdateOperation)

api = stele_client.ApiClient(stele_client.Configuration(host=sys.argv[2]))
players, teams = stele_client.PlayerApi(api), stele_client.TeamApi(api)
stele = stele_client.SteleApi(api)

# Create and read.
team = teams.create_team(TeamCreate(name="Crew", founded=1999))
ida = players.create_player(PlayerCreate(
    name="Ida", goals=3, salary=12.5, joined_at="2024-05-01T09:00:00Z", team=TeamLink(team.id)))
assert (ida.goals, ida.salary, ida.team.actual_instance) == (3, 12.5, team.id), ida
assert ida.joined_at.year == 2024, ida
new = players.create_player(PlayerCreate(
    name="Bo", team=TeamLink(TeamChange(name="Made with Bo"))))
assert players.get_player(ida.id) == ida
embedded = players.get_player(new.id, include="team").team.actual_instance
assert embedded.name == "Made with Bo", embedded
assert players.get_player_team(ida.id).name == "Crew"
assert players.get_player_team(players.create_player(PlayerCreate(name="Cy")).id) is None

# Lists: a filter with a variable, and pages by their Link.
found = players.list_player(where="name == $name", variables={"var.name": "Ida"})
assert found == [ida], found
names, after = [], None
while True:
    page = players.list_player_with_http_info(
        where='name IN {"Ida","Bo","Cy"}', sort="name", limit=2, after=after)
    names += [it.name for it in page.data]
    link = re.search(r"after=([^&>]+)", page.headers.get("Link") or "")
    if not link:
        break
    after = link.group(1)
assert names == ["Bo", "Cy", "Ida"], names
rows = players.query_player(ListQuery(
    where="goals >= $least AND team == $team", select="name,goals",
    var={"least": 3, "team": team.id}))
assert rows == [{"name": "Ida", "goals": 3}], rows
assert players.count_player(where='name == "Ida"').count == 1
assert [it.id for it in teams.list_team_players(team.id)] == [ida.id]

# Change, replace, and a relationship.
changed = players.change_player(ida.id, PlayerChange(goals=4, version=ida.version))
assert (changed.goals, changed.name) == (4, "Ida"), changed
replaced = players.replace_player(ida.id, PlayerReplace(name="Ada"))
assert (replaced.name, replaced.team) == ("Ada", None), replaced
assert players.set_player_team(ida.id, TeamLink(team.id)) == team.id
assert players.change_player(ida.id, PlayerChange(goals=9), prefer="return=minimal") is None

# A transaction.
results = stele.execute_transaction([
    Operation(InsertOperation(op="insert", entity="Team", values={"name": "New"}, var_as="new")),
    Operation(UpdateOperation(op="update", object=OperationObject(f"Player/{ida.id}"),
                              values={"team": {"_ref": "new"}})),
    Operation(DeleteOperation(op="delete", object=OperationObject(f"Player/{new.id}")))])
assert results[1]["team"] == results[0]["_id"] and results[2]["deleted"], results

# Errors, and a deletion.
for status, code, call in (
        (422, 1670, lambda: players.create_player(PlayerCreate.model_construct(name=""))),
        (404, "object.unknown", lambda: players.get_player(999999))):
    try:
        call()
        raise AssertionError("no error")
    except stele_client.ApiException as error:
        assert error.status == status and f'"code":{code!r}'.replace("'", '"') in error.body, error
assert players.delete_player(ida.id) is None
assert players.list_player(where=f"_id == {ida.id}") == []
