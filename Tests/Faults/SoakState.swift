/// What the clients of a soak share.

import Foundation
import SteleSystem

/// How long they go on, and what they have met.
final class SoakState: Sendable {
    private struct State {
        var statuses: [Int: Int] = [:]
        var kinds: [String: Int] = [:]
        var failures: [String] = []
        var unanswered = 0
        var exports = 0
        var leastExports = Int.max
        var stops = 0
    }

    let port: Int
    let people: Int
    let teams: Int
    private let end: ContinuousClock.Instant
    private let state = Mutex(State())
    private static let mostFailures = 20

    init(port: Int, people: Int, teams: Int, seconds: Double) {
        self.port = port
        self.people = people
        self.teams = teams
        end = .now + .seconds(seconds)
    }

    /// Whether the clients are to come to an end.
    var isOver: Bool { ContinuousClock.now >= end }

    /// Sleeps, but not beyond the end.
    func sleep(_ seconds: Double) {
        let wake = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < min(wake, end) {
            let left = (min(wake, end) - ContinuousClock.now).milliseconds
            usleep(UInt32(1_000 * min(left, 100)))
        }
    }

    func note(_ kind: String, _ status: Int, _ what: () -> String) {
        state.withLock { state in
            state.statuses[status, default: 0] += 1
            state.kinds[kind, default: 0] += 1
            if status == 500 { add(what(), &state) }
        }
    }

    /// Something that has no status, such as a stream that was left.
    func note(_ kind: String) { state.withLock { $0.kinds[kind, default: 0] += 1 } }

    func fail(_ text: String) { state.withLock { add(text, &$0) } }

    private func add(_ text: String, _ state: inout State) {
        if state.failures.count < Self.mostFailures { state.failures.append(text) }
    }

    func noteUnanswered() { state.withLock { $0.unanswered += 1 } }

    /// An export begins or ends.
    func noteExport(_ change: Int) {
        state.withLock { state in
            state.exports += change
            if change < 0, !isOver { state.leastExports = min(state.leastExports, state.exports) }
        }
    }

    func noteStop() { state.withLock { $0.stops += 1 } }

    var failures: [String] { state.withLock { $0.failures } }

    var answered: Int { state.withLock { $0.statuses.values.reduce(0, +) } }

    /// Answers of 500 and more.
    var refused: Int {
        state.withLock { $0.statuses.filter { $0.key >= 500 }.values.reduce(0, +) }
    }

    /// Once all have ended, what they did.
    var summary: String {
        state.withLock { state in
            func list<K: Comparable>(_ counts: [K: Int]) -> String {
                counts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
                    .joined(separator: ", ")
            }
            return "answers \(list(state.statuses)); \(list(state.kinds)); "
                + "\(state.unanswered) unanswered, \(state.stops) stops of a second, "
                + "never fewer than \(state.leastExports == .max ? 0 : state.leastExports) "
                + "exports open when one ended"
        }
    }

    static let model = """
        {"name": "Soak", "entities": [
          {"name": "Team", "attributes": [
             {"name": "name", "type": "String", "optional": false}, {"name": "city", "type": "String"}],
           "relationships": [
             {"name": "members", "destination": "Person", "inverse": "team", "toMany": true}],
           "uniquenessConstraints": [["name"]]},
          {"name": "Person", "attributes": [
             {"name": "name", "type": "String", "optional": false},
             {"name": "age", "type": "Integer 32", "minimum": 0}, {"name": "mark", "type": "String"},
             {"name": "salary", "type": "Decimal"}, {"name": "born", "type": "Date"},
             {"name": "photo", "type": "Binary", "externalStorage": true}],
           "relationships": [{"name": "team", "destination": "Team", "inverse": "members"}],
           "indexes": [{"name": "byName", "elements": ["name"]},
             {"name": "byMark", "elements": ["mark"]}]}]}
        """
}
