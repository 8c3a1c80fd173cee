// A service with roles, and the rows of a table of who may do what.

import Foundation
import SteleHTTP
import SteleJSON
import TestSupport

@testable import SteleRequests
@testable import SteleService

/// A service with roles and data.
struct RightsFixture {
    let fixture: ServiceFixture

    init(inMemory: Bool = false, rights text: String = RightsModel.rights) throws {
        let rights = try RightsFile(text)
        fixture = try ServiceFixture(RightsModel.model(), inMemory: inMemory) {
            $0.rights = rights
        }
        let made = ask("root", "POST", "/transactions", RightsModel.data)
        guard made.status == 200 else { throw Failure(text: made.text) }
    }

    struct Failure: Error { let text: String }

    func ask(
        _ who: String, _ method: String, _ target: String, _ body: String? = nil,
        _ headers: [(name: String, value: String)] = []
    ) -> Answer {
        let token = who.isEmpty ? [] : [(name: "Authorization", value: "Bearer token-\(who)")]
        return fixture.ask(method, target, body, token + headers)
    }

    /// What an answer tells, in short: its status, and the ids, the count, the value or the code.
    func told(_ answer: Answer) -> String {
        guard answer.status < 400 else { return "\(answer.status) \(answer.code)" }
        guard let json = try? answer.json else { return "\(answer.status)" }
        return "\(answer.status) \(Self.short(json))"
    }

    private static func short(_ json: JSONValue) -> String {
        if case .array(let all) = json {
            return "[" + all.map(short).joined(separator: " ") + "]"
        }
        if let count = json["count"] { return count.compact }
        if case .object(let members) = json {
            if let id = json["_id"] {
                // Keys and embedded objects show what relationships lead to.
                let links = members.compactMap { name, value -> String? in
                    switch value {
                    case .array: "\(name):\(short(value))"
                    case .integer where ["source", "folder", "document"].contains(name):
                        "\(name):\(value.compact)"
                    default: nil
                    }
                }
                return ([id.compact] + links).joined(separator: " ")
            }
            return members.map { "\($0.0)=\(short($0.1))" }.joined(separator: " ")
        }
        return json.compact
    }
}
