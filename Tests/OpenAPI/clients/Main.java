// The client that openapi-generator makes for Java, with the HTTP client of the JDK. Main URL

import java.time.OffsetDateTime;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.*;
import org.openapitools.client.model.*;

class Main {
    interface Call {
        Object run() throws ApiException;
    }

    static void check(boolean fits, Object what) {
        if (!fits) throw new AssertionError(what);
    }

    static void refused(int status, String code, Call call) throws ApiException {
        try {
            call.run();
        } catch (ApiException error) {
            check(error.getCode() == status && error.getResponseBody().contains(code), error);
            return;
        }
        throw new AssertionError("no error");
    }

    public static void main(String[] arguments) throws Exception {
        ApiClient api = new ApiClient();
        api.updateBaseUri(arguments[0]);
        PlayerApi players = new PlayerApi(api);
        TeamApi teams = new TeamApi(api);
        SteleApi stele = new SteleApi(api);

        // Create and read.
        Team team = create(teams, new TeamCreate().name("Crew").founded(1999));
        Player ida = create(players, new PlayerCreate().name("Ida").goals(3)
            .salary(new BigDecimal("12.5")).joinedAt(OffsetDateTime.parse("2024-05-01T09:00:00Z"))
            .team(new TeamLink(team.getId())));
        check(ida.getGoals() == 3 && ida.getSalary().compareTo(new BigDecimal("12.5")) == 0, ida);
        check(ida.getTeam().getLong().equals(team.getId()), ida);
        check(ida.getJoinedAt().getYear() == 2024, ida);
        Player bo = create(players, new PlayerCreate().name("Bo")
            .team(new TeamLink(new TeamChange().name("Made with Bo"))));
        create(players, new PlayerCreate().name("Cy"));
        Player read = players.getPlayer(bo.getId(), "team", null, null, null, null);
        check(read.getTeam().getTeam().getName().equals("Made with Bo"), read);
        Team its = players.getPlayerTeam(ida.getId(), null, null, null, null, null);
        check(its.getName().equals("Crew"), its);

        // Lists: a filter, and pages by their Link. Variables are for queryPlayer alone, because
        // this client sends an object of parameters as one parameter.
        var found = list(players, "name == \"Ida\"", null, null).getData();
        check(found.size() == 1 && found.get(0).getId().equals(ida.getId()), found);
        List<String> names = new ArrayList<>();
        String after = null;
        do {
            var page = list(players, "name IN {\"Ida\",\"Bo\",\"Cy\"}", 2L, after);
            for (Player it : page.getData()) names.add(it.getName());
            var link = Pattern.compile("after=([^&>]+)")
                .matcher(String.join("", page.getHeaders().getOrDefault("link", List.of())));
            after = link.find() ? link.group(1) : null;
        } while (after != null);
        check(names.equals(List.of("Bo", "Cy", "Ida")), names);
        List<Object> rows = players.queryPlayer(
            new ListQuery().where("goals >= $least AND team == $team").select("name,goals")
                .putVarItem("least", 3).putVarItem("team", team.getId()), null, null, null);
        check(rows.equals(List.of(Map.of("name", "Ida", "goals", 3))), rows);

        // Change, replace, and a relationship.
        Player changed = players.changePlayer(
            ida.getId(), new PlayerChange().goals(4), null, null, null, null, null, null);
        check(changed.getGoals() == 4 && changed.getName().equals("Ida"), changed);
        Player replaced = players.replacePlayer(
            ida.getId(), new PlayerReplace().name("Ada"), null, null, null, null, null, null);
        check(replaced.getName().equals("Ada") && replaced.getTeam() == null, replaced);
        Long id = players.setPlayerTeam(
            ida.getId(), new TeamLink(team.getId()), null, null, null, null, null, null);
        check(id.equals(team.getId()), id);

        // A transaction.
        List<Object> results = stele.executeTransaction(List.of(
            new Operation(new InsertOperation().op(InsertOperation.OpEnum.INSERT)
                .entity(InsertOperation.EntityEnum.TEAM).values(Map.of("name", "New")).as("new")),
            new Operation(new UpdateOperation().op(UpdateOperation.OpEnum.UPDATE)
                ._object(new OperationObject("Player/" + ida.getId()))
                .values(Map.of("team", Map.of("_ref", "new")))),
            new Operation(new DeleteOperation().op(DeleteOperation.OpEnum.DELETE)
                ._object(new OperationObject("Player/" + bo.getId())))), null, null, null, null, null);
        Map<?, ?> made = (Map<?, ?>) results.get(0), linked = (Map<?, ?>) results.get(1);
        check(linked.get("team").equals(made.get("_id")), results);
        check(((Map<?, ?>) results.get(2)).get("deleted").equals(true), results);

        // Errors, and a deletion.
        refused(422, "\"code\":1670", () -> create(players, new PlayerCreate().name("")));
        players.deletePlayer(ida.getId(), null, null, null);
        refused(404, "object.unknown",
            () -> players.getPlayer(ida.getId(), null, null, null, null, null));
    }

    static Team create(TeamApi teams, TeamCreate it) throws ApiException {
        return teams.createTeam(it, null, null, null, null, null, null);
    }

    static Player create(PlayerApi players, PlayerCreate it) throws ApiException {
        return players.createPlayer(it, null, null, null, null, null, null);
    }

    static org.openapitools.client.ApiResponse<List<Player>> list(
        PlayerApi players, String where, Long limit, String after
    ) throws ApiException {
        return players.listPlayerWithHttpInfo(where, "name", limit, null, after, null, null, null,
            null, null, null, null, null, null, null, null);
    }
}
