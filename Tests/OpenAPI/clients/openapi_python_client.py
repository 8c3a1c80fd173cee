"""Makes, reads, changes and deletes objects of the League sample by a generated client.

openapi_python_client.py FOLDER URL: FOLDER has the package `client` that openapi-python-client has generated.
"""

import sys

sys.path.insert(0, sys.argv[1])

from client import Client  # noqa: E402
from client.api.player import (  # noqa: E402
    change_player,
    create_player,
    delete_player,
    get_player,
    get_player_team,
    list_player,
    query_player,
    replace_player,
    set_player_team,
)
from client.api.stele import execute_transaction  # noqa: E402
from client.api.team import create_team, list_team_players  # noqa: E402
from client.models import (  # noqa: E402
    InsertOperation,
    InsertOperationEntity,
    ListQuery,
    OperationValues,
    Player,
    PlayerChange,
    PlayerCreate,
    PlayerReplace,
    Problem404,
    Problem422,
    Team,
    TeamCreate,
    UpdateOperation,
)

client = Client(base_url=sys.argv[2])

# Create, with an error of validation first.
refused = create_player.sync(client=client, body=PlayerCreate(name=""))
assert isinstance(refused, Problem422) and refused.code == 1670, refused
team = create_team.sync(client=client, body=TeamCreate(name="Crew", founded=1999))
assert isinstance(team, Team) and team.founded == 1999, team
player = create_player.sync(
    client=client, body=PlayerCreate(name="Ida", goals=3, salary=12.5, team=team.field_id)
)
assert isinstance(player, Player) and player.goals == 3 and player.team == team.field_id, player
several = [create_player.sync(client=client, body=PlayerCreate(name=name)) for name in "AB"]
assert [one.name for one in several] == ["A", "B"], several

# Read: one object, lists, a relationship.
read = get_player.sync(player.field_id, client=client)
assert isinstance(read, Player) and read == player, read
page = list_player.sync_detailed(client=client, where='name == "Ida"', count=True)
assert page.parsed == [player] and page.headers["Total-Count"] == "1", page
pages = list_player.sync_detailed(client=client, sort="name", limit=2)
assert [it.name for it in pages.parsed] == ["A", "B"], pages
after = pages.headers["Link"].split("after=")[1].split("&")[0].split(">")[0]
assert [it.name for it in list_player.sync(client=client, sort="name", after=after)] == ["Ida"]
query = ListQuery(select="name", where=f"_id == {player.field_id}")
rows = query_player.sync(client=client, body=query)
assert [row.to_dict() for row in rows] == [{"name": "Ida"}], rows
assert get_player_team.sync(player.field_id, client=client) == team
assert list_team_players.sync(team.field_id, client=client) == [player]

# Change, replace, and a relationship.
changed = change_player.sync(
    player.field_id, client=client, body=PlayerChange(goals=4, field_version=player.field_version)
)
assert isinstance(changed, Player) and changed.goals == 4 and changed.name == "Ida", changed
replaced = replace_player.sync(player.field_id, client=client, body=PlayerReplace(name="Ada"))
assert isinstance(replaced, Player) and replaced.name == "Ada" and replaced.goals == 0, replaced
assert replaced.team is None, replaced
assert set_player_team.sync(player.field_id, client=client, body=team.field_id) == team.field_id

# A transaction.
results = execute_transaction.sync(client=client, body=[
    InsertOperation(op="insert", entity=InsertOperationEntity("Team"), as_="new",
                    values=OperationValues.from_dict({"name": "New"})),
    UpdateOperation(op="update", object_=f"Player/{player.field_id}",
                    values=OperationValues.from_dict({"team": {"_ref": "new"}}))])
assert results[1]["team"] == results[0]["_id"], results

# Delete.
assert delete_player.sync_detailed(player.field_id, client=client).status_code == 204
gone = get_player.sync(player.field_id, client=client)
assert isinstance(gone, Problem404) and gone.code == "object.unknown", gone
