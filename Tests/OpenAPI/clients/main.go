// The client that openapi-generator makes for Go. main URL
package main

import (
	"client"
	"context"
	"fmt"
	"os"
	"regexp"
	"time"
)

func check(fits bool, what ...any) {
	if !fits {
		fmt.Println(what...)
		os.Exit(1)
	}
}

// value is that of a call, which must succeed.
func value[T any](it T, _ any, err error) T {
	check(err == nil, err)
	return it
}

func main() {
	configuration := client.NewConfiguration()
	configuration.Servers = client.ServerConfigurations{{URL: os.Args[1]}}
	api := client.NewAPIClient(configuration)
	ctx := context.Background()
	players, teams := api.PlayerAPI, api.TeamAPI

	// Create and read.
	team := value(teams.CreateTeam(ctx).TeamCreate(*client.NewTeamCreate("Crew")).Execute())
	create := client.NewPlayerCreate("Ida")
	create.SetGoals(3)
	create.SetSalary(12.5)
	create.SetJoinedAt(time.Date(2024, 5, 1, 9, 0, 0, 0, time.UTC))
	create.SetTeam(client.Int64AsTeamLink(&team.Id))
	ida := value(players.CreatePlayer(ctx).PlayerCreate(*create).Execute())
	check(ida.GetGoals() == 3 && ida.GetSalary() == 12.5, ida)
	check(*ida.Team.Get().Int64 == team.Id && ida.GetJoinedAt().Year() == 2024, ida)
	create = client.NewPlayerCreate("Bo")
	made := client.NewTeamChange()
	made.SetName("Made with Bo")
	create.SetTeam(client.TeamChangeAsTeamLink(made))
	bo := value(players.CreatePlayer(ctx).PlayerCreate(*create).Execute())
	value(players.CreatePlayer(ctx).PlayerCreate(*client.NewPlayerCreate("Cy")).Execute())
	read := value(players.GetPlayer(ctx, bo.Id).Include("team").Execute())
	check(read.Team.Get().Team.Name == "Made with Bo", read)
	check(value(players.GetPlayerTeam(ctx, ida.Id).Execute()).Name == "Crew")

	// Lists: a filter with a variable, and pages by their Link.
	found := value(players.ListPlayer(ctx).Where("name == $name").
		Variables(map[string]string{"var.name": "Ida"}).Execute())
	check(len(found) == 1 && found[0].Id == ida.Id, found)
	names, after := "", ""
	for {
		request := players.ListPlayer(ctx).Where(`name IN {"Ida","Bo","Cy"}`).Sort("name").Limit(2)
		if after != "" {
			request = request.After(after)
		}
		page, answer, err := request.Execute()
		check(err == nil, err)
		for _, it := range page {
			names += it.Name + " "
		}
		link := regexp.MustCompile("after=([^&>]+)").FindStringSubmatch(answer.Header.Get("Link"))
		if link == nil {
			break
		}
		after = link[1]
	}
	check(names == "Bo Cy Ida ", names)
	query := client.NewListQuery()
	query.SetWhere("goals >= $least AND team == $team")
	query.SetSelect("name,goals")
	query.SetVar(map[string]any{"least": 3, "team": team.Id})
	rows := value(players.QueryPlayer(ctx).ListQuery(*query).Execute())
	check(len(rows) == 1 && rows[0]["name"] == "Ida", rows)

	// Change, replace, and a relationship.
	change := client.NewPlayerChange()
	change.SetGoals(4)
	changed := value(players.ChangePlayer(ctx, ida.Id).PlayerChange(*change).Execute())
	check(changed.GetGoals() == 4 && changed.Name == "Ida", changed)
	replaced := value(players.ReplacePlayer(ctx, ida.Id).
		PlayerReplace(*client.NewPlayerReplace("Ada")).Execute())
	check(replaced.Name == "Ada" && replaced.Team.Get() == nil, replaced)
	id := value(players.SetPlayerTeam(ctx, ida.Id).
		TeamLink(client.Int64AsTeamLink(&team.Id)).Execute())
	check(id == team.Id, id)

	// A transaction.
	insert := client.NewInsertOperation("insert", "Team")
	insert.Values = map[string]any{"name": "New"}
	insert.SetAs("new")
	one, two := fmt.Sprintf("Player/%d", ida.Id), fmt.Sprintf("Player/%d", bo.Id)
	update := client.NewUpdateOperation("update", client.StringAsOperationObject(&one))
	update.Values = map[string]any{"team": map[string]any{"_ref": "new"}}
	remove := client.NewDeleteOperation("delete", client.StringAsOperationObject(&two))
	results := value(api.SteleAPI.ExecuteTransaction(ctx).Operation([]client.Operation{
		client.InsertOperationAsOperation(insert), client.UpdateOperationAsOperation(update),
		client.DeleteOperationAsOperation(remove)}).Execute())
	check(len(results) == 3, results)
	check((*results[1])["team"] == (*results[0])["_id"] && (*results[2])["deleted"] == true, results)

	// Errors, and a deletion.
	_, answer, err := players.CreatePlayer(ctx).PlayerCreate(*client.NewPlayerCreate("")).Execute()
	check(err != nil && answer.StatusCode == 422, err)
	problem, isProblem := err.(*client.GenericOpenAPIError).Model().(client.Problem422)
	check(isProblem && *problem.Code.Int32 == 1670, err)
	_, err = players.DeletePlayer(ctx, ida.Id).Execute()
	check(err == nil, err)
	_, answer, err = players.GetPlayer(ctx, ida.Id).Execute()
	check(err != nil && answer.StatusCode == 404, err)
}
