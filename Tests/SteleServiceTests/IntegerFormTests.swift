// Ids, versions and settings are integers in any form that JSON has for them.

import Testing

@testable import SteleAnswers
@testable import SteleRequests
@testable import SteleService

@Suite struct IntegerFormTests {
    @Test(arguments: [false, true])
    func idsAndVersionsMayHaveAFractionOfZeros(_ inMemory: Bool) throws {
        let league = try ServiceFixture(TestModels.league(), inMemory: inMemory)
        _ = league.post("/Team", #"{"name":"Crew"}"#)
        #expect(league.post("/Player", #"{"name":"Ann","team":1.0}"#).text.contains("\"team\":1}"))
        let patched = league.patch("/Player/1", #"{"_id":1.0,"_version":1.0,"goals":2e0}"#)
        #expect(patched.status == 200 && patched.text.contains("\"goals\":2,"), "\(patched.text)")
        let stale = league.patch("/Player/1", #"{"_version":1.0,"goals":3}"#)
        #expect(stale.status == 409 && stale.text.contains("\"yourVersion\":1,"), "\(stale.text)")
        let members = league.ask("PUT", "/Team/1/players", "[1.0]")
        #expect(members.status == 200, "\(members.text)")
        let refused = league.patch("/Player/1", #"{"_version":1.5}"#)
        #expect(refused.status == 400 && refused.detail.contains("whole number"))
        for beyond in ["1e19", "\"1e19\"", "\"-1e19\"", "\"10000000000000000000\"", "\"1e400\""] {
            let answer = league.patch("/Player/1", "{\"goals\":\(beyond)}")
            let code = beyond.contains("-") ? "1620" : "1610"
            #expect(
                answer.status == 422 && answer.text.contains("\"code\":\(code)"),
                "\(beyond): \(answer.text)")
        }
        let editor = try Editor(league, #"{"undoLevels":5.0}"#)
        #expect(try editor.state("undoLevels") == 5)
        #expect(editor.patch("", #"{"undoLevels":1e1}"#).status == 200)
        #expect(try editor.state("undoLevels") == 10)
    }
}
