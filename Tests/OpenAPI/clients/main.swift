// The client that openapi-generator makes for Swift, with URLSession. main URL

import Client
import Foundation

struct Failure: Error {
    let what: String
}

func check(_ fits: Bool, _ what: Any = "") throws {
    if !fits { throw Failure(what: "\(what)") }
}

/// The status and body of an error.
func refusal<T>(_ call: () async throws(ErrorResponse) -> T) async throws -> (Int, String) {
    do {
        _ = try await call()
    } catch .error(let status, let body, _, _) {
        return (status, String(decoding: body ?? Data(), as: UTF8.self))
    }
    throw Failure(what: "no error")
}

ClientAPIConfiguration.shared.basePath = CommandLine.arguments[1]

// Create and read.
let team = try await TeamAPI.createTeam(teamCreate: TeamCreate(founded: 1999, name: "Crew"))
let ida = try await PlayerAPI.createPlayer(
    playerCreate: PlayerCreate(
        goals: 3, joinedAt: Date(timeIntervalSince1970: 1_714_554_000), name: "Ida", salary: 12.5,
        team: .typeInt64(team.id)))
try check(ida.goals == 3 && ida.salary == 12.5 && ida.team == .typeInt64(team.id), ida)
try check(ida.joinedAt?.timeIntervalSince1970 == 1_714_554_000, ida)
let bo = try await PlayerAPI.createPlayer(
    playerCreate: PlayerCreate(name: "Bo", team: .typeTeamChange(TeamChange(name: "Made with Bo"))))
_ = try await PlayerAPI.createPlayer(playerCreate: PlayerCreate(name: "Cy"))
guard case .typeTeam(let made)? = try await PlayerAPI.getPlayer(id: bo.id, include: "team").team
else { throw Failure(what: "no team") }
try check(made.name == "Made with Bo", made)
let its = try await PlayerAPI.getPlayerTeam(id: ida.id)
try check(its.name == "Crew", its)

// Lists: a filter, and pages by their Link. Variables are for queryPlayer alone, because this client
// sends an object of parameters as one parameter.
let found = try await PlayerAPI.listPlayer(_where: #"name == "Ida""#)
try check(found.map(\.id) == [ida.id], found)
var names: [String] = []
var after: String?
repeat {
    let page = try await PlayerAPI.listPlayerWithRequestBuilder(
        _where: #"name IN {"Ida","Bo","Cy"}"#, sort: "name", limit: 2, after: after
    ).execute()
    names += page.body.map(\.name)
    let link = page.header.first { $0.key.lowercased() == "link" }?.value ?? ""
    after = link.firstMatch(of: /after=([^&>]+)/).map { String($0.1) }
} while after != nil
try check(names == ["Bo", "Cy", "Ida"], names)
let rows = try await PlayerAPI.queryPlayer(
    listQuery: ListQuery(
        _where: "goals >= $least AND team == $team", select: "name,goals",
        _var: ["least": .int(3), "team": .int(Int(team.id))]))
try check(rows == [JSONValue(["name": JSONValue("Ida"), "goals": JSONValue(3)])], rows)

// Change, replace, and a relationship.
let changed = try await PlayerAPI.changePlayer(id: ida.id, playerChange: PlayerChange(goals: 4))!
try check(changed.goals == 4 && changed.name == "Ida", changed)
let replaced = try await PlayerAPI.replacePlayer(
    id: ida.id, playerReplace: PlayerReplace(name: "Ada"))!
try check(replaced.name == "Ada" && replaced.team == nil, replaced)
let id = try await PlayerAPI.setPlayerTeam(id: ida.id, teamLink: .typeInt64(team.id))
try check(id == team.id, id as Any)

// A transaction.
let results = try await SteleAPI.executeTransaction(operation: [
    .typeInsertOperation(
        InsertOperation(
            op: .insert, entity: .team, values: ["name": .string("New")], _as: "new")),
    .typeUpdateOperation(
        UpdateOperation(
            op: .update, object: .typeString("Player/\(ida.id)"),
            values: ["team": .dictionary(["_ref": .string("new")])])),
    .typeDeleteOperation(
        DeleteOperation(op: .delete, object: .typeString("Player/\(bo.id)"))),
])!
try check(results[1]?["team"] == results[0]?["_id"], results)
try check(results[2]?["deleted"] == JSONValue(true), results)

// Errors, and a deletion.
let invalid = try await refusal { () async throws(ErrorResponse) in
    try await PlayerAPI.createPlayer(playerCreate: PlayerCreate(name: ""))
}
try check(invalid.0 == 422 && invalid.1.contains(#""code":1670"#), invalid)
try await PlayerAPI.deletePlayer(id: ida.id)
let gone = try await refusal { () async throws(ErrorResponse) in
    try await PlayerAPI.getPlayer(id: ida.id)
}
try check(gone.0 == 404 && gone.1.contains("object.unknown"), gone)
