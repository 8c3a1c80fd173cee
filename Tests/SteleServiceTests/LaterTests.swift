// What the contract has and this version has not: 501, with a problem that says so.

import SteleHTTP
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct LaterTests {
    @Test(arguments: [
        ("GET", "/Page?where=drafts%20==%201", "")
    ])
    func laterRoutesAndParametersSaySo(_ method: String, _ target: String, _ body: String) throws {
        let zoo = try ServiceFixture.zoo()
        let answer = zoo.ask(method, target, body)
        #expect(answer.status == 501, "\(answer.text)")
        #expect(answer.code == "feature.not-built")
    }

    @Test func whatAsksForNothingNewIsTaken() throws {
        let zoo = try ServiceFixture.zoo()
        #expect(zoo.post("/Page?mergePolicy=error", "{}").status == 201)
        #expect(zoo.get("/Page", [("Accept", "text/html, */*;q=0.8")]).status == 200)
        #expect(zoo.get("/Page", [("Accept", "text/csv;q=0.1, application/json")]).status == 200)
    }
}
