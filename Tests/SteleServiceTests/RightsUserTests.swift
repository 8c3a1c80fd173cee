// The value of $USER in rules.

import TestSupport
import Testing

@testable import SteleRequests
@testable import SteleService

@Suite struct RightsUserTests {
    /// A user may be called anything, as the issuer of a token decides. What would be an expression,
    /// a list or null as the value of `var.NAME` is a text.
    @Test(arguments: [true, false])
    func aUserIsAText(inMemory: Bool) throws {
        let rules = [
            "title IN $USER", "owner.login == $USER", "title == $USER", "$USER IN tags.name",
            #"CAST(pages, \"NSString\") == $USER"#, "ANY tags.name IN $USER",
            "folder.name IN $USER",
        ]
        let expected: [(user: String, told: [String])] = [
            ("{title}", ["[]", "[]", "[]", "[]", "[]", "[]", "[]"]),
            ("{tags.name}", ["[]", "[]", "[]", "[]", "[]", "[]", "[]"]),
            ("{folder.name, nil}", ["[]", "[]", "[]", "[]", "[]", "[]", "[]"]),
            ("nil", ["[]", "[]", "[]", "[]", "[]", "[]", "[]"]),
            ("40", ["[]", "[]", "[]", "[]", "[4]", "[]", "[]"]),
            ("red", ["[]", "[]", "[]", "[1 2 3]", "[]", "[1 2 3]", "[]"]),
            ("bob", ["[]", "[2 3 5]", "[]", "[]", "[]", "[]", "[]"]),
        ]
        for (index, rule) in rules.enumerated() {
            let roles = expected.map {
                (name: $0.user, entities: #"{"Document": {"read": "\#(rule)"}}"#)
            }
            let stage = try RightsFixture(
                inMemory: inMemory, rights: RightsModel.rights(roles: roles))
            for (user, told) in expected {
                let answer = stage.ask(user, "GET", "/Document", nil)
                let ids = answer.text.matches(of: #/"_id":(\d+)/#).map { $0.1 }
                let short = "[\(ids.joined(separator: " "))]"
                #expect(
                    answer.status == 200 && short == told[index],
                    "\(user), \(rule): \(answer.text)")
            }
        }
    }
}
