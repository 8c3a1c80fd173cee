// Live queries show what another program leaves as lists do.

import SteleJSON
import TestSupport
import Testing

@Suite struct LiveForeignTests {
    @Test(arguments: [
        "/Person?where=team%20==%20nil", "/Person?where=salary%20==%20nil", "/Person?sort=salary",
        "/Person?sort=-team",
    ])
    func liveQueriesShowForeignValuesAsListsDo(_ target: String) throws {
        let stage = try LiveStage(.sqlite)
        try stage.people()
        let listener = try stage.listen(target)
        #expect(try listener.becomes(stage, target))
        try stage.changeElsewhere(
            "UPDATE ZPERSON SET ZTEAM = 99, ZSALARY = 9e999 WHERE Z_PK = 2")
        for round in 1...2 {
            let listener = round == 1 ? listener : try stage.listen(target)
            #expect(try listener.becomes(stage, target))
            guard case .array(let people) = try stage.list(target) else { return }
            let person = people.first { $0["_id"] == .integer(2) }
            #expect(person?["team"] == .null && person?["salary"] == .null, "\(round)")
            // Another process finds the same.
            try stage.reopen()
        }
    }
}
