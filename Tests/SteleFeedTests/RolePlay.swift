// Random saves, and the live queries and feeds of random roles: what each subscriber has is what its
// list gives.

import Foundation
import SteleJSON
import StelePersistence
import TestSupport

@testable import SteleFeed
@testable import SteleHTTP
@testable import SteleRequests
@testable import SteleService

/// A service with roles, and the subscribers of each role.
struct RolePlay {
    let stage: RightsStage
    var numbers: SeededNumbers
    private var subscribers: [Subscriber] = []
    private var mirrors: [FeedMirror] = []
    private(set) var saves = 0
    private(set) var compared = 0
    /// The queries, and those that lists refuse.
    private(set) var asked = 0
    private(set) var refused = 0
    /// The changes that streams of several queries have been sent, and feeds have reported.
    var changes: Int {
        subscribers.reduce(0) { $0 + $1.all.names.count { $0.hasSuffix(".change") } }
            + mirrors.reduce(0) { $0 + $1.changes }
    }
    private(set) var failures: [String] = []

    /// The streams of one role: one of each query, and one of all those of entities, which
    /// nothing ends.
    private struct Subscriber {
        let role: Role
        let targets: [String]
        let all: Listener
        var single: [Listener]
    }

    /// A role, whose name is that of its token.
    struct Role {
        let name: String
        let entities: String
        /// Whether it does not see everything.
        let isLimited: Bool
    }

    /// - Parameter ofFeeds: whether the subscribers are clients of the change feed, with rules of each
    ///   kind of expression, and not of live queries.
    init(_ kind: StoreKind, seed: UInt64, ofFeeds: Bool = false) throws {
        numbers = SeededNumbers(seed: seed)
        var roles: [Role] = []
        if ofFeeds {
            for place in 0..<8 { roles.append(Self.roleOfEachKind("x\(place)", &numbers)) }
        } else {
            for name in ["x", "y", "z"] { roles.append(Self.role(name, &numbers)) }
        }
        stage = try RightsStage(
            kind, rights: RightsModel.rights(roles: roles.map { ($0.name, $0.entities) }),
            model: RoleModel.model(), data: "[]"
        ) {
            // The tests' program is slow, and the streams of several queries would end.
            $0.limits.liveJudging = JudgingLimits(
                nanoseconds: 60_000_000_000, nanosecondsAChange: 0,
                matchNanoseconds: 200_000_000)
            $0.limits.feedJudging = $0.limits.liveJudging
        }
        for _ in 0..<20 { try save() }
        if ofFeeds {
            for role in roles { mirrors.append(try FeedMirror(role, stage)) }
        } else {
            for role in roles { try subscribe(role) }
        }
    }

    private static func role(_ name: String, _ numbers: inout SeededNumbers) -> Role {
        var entities: [String] = []
        // Some roles see nearly everything.
        let isOpen = numbers.one(in: 2)
        for (entity, rules) in RoleModel.rules.sorted(by: { $0.key < $1.key }) {
            let rule = isOpen && !numbers.one(in: 3) ? "true" : numbers.pick(rules, or: nil)
            if rule == "inherited" { continue }
            let text = rule.map { $0 == "true" ? $0 : "\"\($0)\"" } ?? "false"
            entities.append("\"\(entity)\": {\"read\": \(text)}")
        }
        return Role(
            name: name, entities: "{\(entities.joined(separator: ", "))}",
            isLimited: entities.contains { !$0.hasSuffix(": true}") })
    }

    private static func roleOfEachKind(_ name: String, _ numbers: inout SeededNumbers) -> Role {
        var maker = RuleMaker(numbers)
        var entities: [String] = []
        for entity in RoleModel.paths.keys.sorted() {
            let rule = "\"\(maker.rule(of: entity))\""
            entities.append("\"\(entity)\": {\"read\": \(rule)}")
        }
        numbers = maker.numbers
        return Role(
            name: name, entities: "{\(entities.joined(separator: ", "))}", isLimited: true)
    }

    // MARK: Subscribers

    private mutating func subscribe(_ role: Role) throws {
        var targets: [String] = []
        for _ in 0..<40 where targets.count < 6 {
            let target = query()
            switch stage.ask(role.name, "GET", target).status {
            case 200: targets.append(target)
            case 403, 404: continue
            default: refused += 1
            }
        }
        asked += targets.count
        guard targets.contains(where: Self.isOfEntity) else { return }
        subscribers.append(
            Subscriber(
                role: role, targets: targets,
                all: Listener(try stage.stream(role.name, Self.live(targets))),
                single: try targets.map { Listener(try stage.stream(role.name, $0)) }))
    }

    /// Whether a list is of an entity, and not of the members of an object's relationship.
    private static func isOfEntity(_ target: String) -> Bool {
        target.prefix { $0 != "?" }.count { $0 == "/" } == 1
    }

    private static func live(_ targets: [String]) -> String {
        let queries = targets.enumerated().filter { isOfEntity($1) }
            .map { "q.n\($0)=\($1.percentEncoded)" }
        return "/live?\(queries.joined(separator: "&"))"
    }

    // MARK: Saves

    mutating func run(saves count: Int) throws {
        let end = saves + count
        try compare()
        while saves < end, failures.isEmpty {
            // Sometimes several saves are followed at once.
            for _ in 0..<(numbers.one(in: 4) ? 3 : 1) {
                try save()
                try followFeeds()
            }
            try compare()
        }
    }

    /// A save of one to four random changes.
    private mutating func save() throws {
        var steps: [String] = []
        var keys: [String: [Int]] = [:]
        for entity in ["Owner", "Node", "Item", "Tag"] { keys[entity] = try ids(entity) }
        for _ in 0..<(1 + numbers.below(4)) { steps.append(step(keys)) }
        let response = stage.ask(
            "root", "POST", "/transactions", "[\(steps.joined(separator: ","))]")
        // One step may contradict another one.
        if response.status < 300 { saves += 1 }
        if response.status >= 500 {
            failures.append("\(response.status) for \(steps): \(LiveStage.text(response))")
        }
    }

    private func ids(_ entity: String) throws -> [Int] {
        let text = LiveStage.text(stage.ask("root", "GET", "/\(entity)?select=_id"))
        guard case .array(let rows) = JSONValue(try JSONDocument(text).root) else { return [] }
        return rows.compactMap { row in
            if case .integer(let key)? = row["_id"] { Int(key) } else { nil }
        }
    }

    // MARK: Comparing

    private mutating func followFeeds() throws {
        // Some clients read several saves at once, when objects are no longer as they were.
        for index in mirrors.indices where !numbers.one(in: 2) {
            compared += 1
            guard let difference = try mirrors[index].follow(stage) else { continue }
            failures.append("after save \(saves), \(difference)")
        }
    }

    private mutating func compare() throws {
        let place = try stage.place
        for index in subscribers.indices {
            var one = subscribers[index]
            try compare(&one, at: place)
            subscribers[index] = one
        }
    }

    private mutating func compare(_ one: inout Subscriber, at place: Int64) throws {
        let (role, all) = (one.role, one.all)
        if try !all.wait(until: { (all.place ?? -1) >= place }) {
            failures.append("\(role): \(one.targets): at \(all.place ?? -1), not at \(place)")
            return
        }
        for (index, target) in one.targets.enumerated() {
            let response = stage.ask(role.name, "GET", target)
            let text = LiveStage.text(response)
            if response.status == 404, !Self.isOfEntity(target) {
                // The object was deleted, or is hidden.
                let single = one.single[index]
                if try !single.wait(until: { single.names.last == "error" }) {
                    failures.append("\(role): \(target): \(text), and the stream goes on")
                }
                continue
            }
            guard response.status == 200 else {
                failures.append("\(role): \(target): \(response.status) \(text)")
                continue
            }
            let list = JSONValue(try JSONDocument(text).root)
            if Self.isOfEntity(target) {
                check(all.objects("n\(index)"), list, role, target, "of several")
            }
            try single(&one.single[index], list, role, target, at: place)
            if numbers.one(in: 4) { try new(list, role, target) }
        }
    }

    private mutating func single(
        _ listener: inout Listener, _ list: JSONValue, _ role: Role, _ target: String,
        at place: Int64
    ) throws {
        try listener.read()
        let isLost = listener.names.last == "error"
        if isLost || numbers.one(in: 12) {
            // A client that was away resumes.
            listener.client.stream.closed()
            let client = try stage.stream(
                role.name, target, resuming: isLost ? "" : listener.client.lastEventID)
            listener = Listener(client, isLost ? nil : listener)
            let back = listener
            if try !back.wait(until: { (back.place ?? -1) >= place }) {
                failures.append("\(role): \(target): resumed, and not at \(place)")
            }
        }
        let one = listener
        // The stream of all queries, which has the position, may be told first.
        _ = try one.wait { one.objects() == list }
        check(one.objects(), list, role, target, "of one, \(one.names)")
    }

    /// A new stream of a limited role has the list in its first event. Others may have it after the
    /// changes since a snapshot that was kept.
    private mutating func new(_ list: JSONValue, _ role: Role, _ target: String) throws {
        let new = Listener(try stage.stream(role.name, target))
        _ = try new.wait { role.isLimited ? !new.names.isEmpty : new.objects() == list }
        if role.isLimited, new.names != ["snapshot"] {
            failures.append("\(role): \(target): a new stream has \(new.names)")
        }
        check(new.objects(), list, role, target, "new")
        new.client.stream.closed()
    }

    private mutating func check(
        _ shown: JSONValue, _ list: JSONValue, _ role: Role, _ target: String, _ which: String
    ) {
        compared += 1
        if shown == list { return }
        failures.append(
            """
            after save \(saves), role \(role.name) \(role.entities), a stream \(which):
            \(target.removingPercentEncoding ?? target)
            shows \(shown.compact)
            list  \(list.compact)
            """)
    }
}

extension String {
    var percentEncoded: String {
        addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? self
    }
}
