// Random saves and random queries of one store, and the listeners of the queries.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

/// A store, some queries of it, and the rows that their listeners have.
struct ResultsPlay {
    let fixture: Fixture
    var numbers: SeededNumbers
    var followers: [Follower] = []
    var tables: [Table] = []
    var token: Int64 = 0
    var compared = 0
    var told = 0
    var rewound = 0
    var failures: [String] = []

    /// A listener of a query: the rows that it has by applying differences.
    struct Follower {
        let name: String
        let query: ResultsQuery
        let include: [Relationship]
        var columns: [Expression] = []
        var results: FetchedResults
        var keys: [Int64]
        var sections: [Value]
        var shown: [Int64: Content]
        /// The results at the last saves.
        var former: [FetchedResults] = []
    }

    /// The content of a row.
    struct Content: Equatable {
        var objects: [Snapshot] = []
        var values: [Value] = []
    }

    /// A listener of rows of aggregates.
    struct Table {
        let name: String
        var results: RowResults
        var keys: [Int64]
        var rows: [Int64: [Value]]
    }

    init(_ model: Model, _ kind: StoreKind, _ numbers: SeededNumbers) throws {
        fixture = try Fixture(model, kind)
        self.numbers = numbers
        for _ in 0..<8 { try change() }
        token = try read { try $0.token }
        for _ in 0..<7 { followers.append(try follower()) }
        followers.append(try plainFollower())
        for _ in 0..<3 { followers.append(try columnFollower()) }
        for _ in 0..<2 { tables.append(try table()) }
    }

    mutating func run(saves: Int) throws {
        for _ in 0..<saves {
            // Sometimes several saves are followed at once.
            for _ in 0..<(Int.random(in: 0..<4, using: &numbers) == 0 ? 3 : 1) { try change() }
            try follow()
            if !failures.isEmpty { return }
        }
    }

    func read<R>(_ body: (any StoreReader) throws -> R) throws -> R {
        let reader = try fixture.store.reader()
        defer { reader.close() }
        return try body(reader)
    }

    mutating func pick<T>(_ all: [T]) throws -> T {
        try #require(all.randomElement(using: &numbers))
    }

    // MARK: Following

    mutating func follow() throws {
        let start = token
        let saves = try read { try $0.history(after: start, limit: .max, values: true) }
        var opened: (any StoreReader)?
        defer { opened?.close() }
        let view = SavesView(after: start, saves) { [store = fixture.store] in
            let reader = try store.reader()
            opened = reader
            return reader
        }
        let now = try fixture.store.reader()
        defer { now.close() }
        for index in followers.indices {
            var one = followers[index]
            one.former = one.former.suffix(4) + [one.results]
            try follow(&one, view, now)
            try takeBack(one, now)
            followers[index] = one
            compared += 1
        }
        for index in tables.indices {
            var one = tables[index]
            try follow(&one, view, now)
            tables[index] = one
            compared += 1
        }
        token = view.token
    }

    mutating func follow(
        _ it: inout Follower, _ view: SavesView, _ now: any StoreReader
    ) throws {
        for difference in try it.results.advance(in: view) {
            told += 1
            for (update, from) in zip(difference.updates, difference.formerIndexesOfUpdates)
            where it.keys.indices.contains(from) ? it.keys[from] != update.key : true {
                failures.append("\(it.name): row \(update.key) was not at \(from)")
            }
            it.keys = difference.applied(to: it.keys)
            for change in difference.sectionDeletes.reversed() {
                it.sections.remove(at: change.index)
            }
            for change in difference.sectionInserts {
                it.sections.insert(change.name, at: change.index)
            }
            for key in difference.objectKeys {
                it.shown[key] = try content(
                    key, of: it.query.request.entity, it.include, it.columns, now)
            }
        }
        let fresh = try now.fetch(it.query.request).map(\.key)
        if it.keys != fresh || it.results.keys != fresh || it.results.token != view.token {
            failures.append(
                "\(it.name): told \(it.keys), holds \(it.results.keys), the query gives \(fresh)")
        }
        for (index, key) in fresh.enumerated() {
            let shown = try content(
                key, of: it.query.request.entity, it.include, it.columns, now)
            if it.shown[key] != shown {
                failures.append(
                    "\(it.name): row \(key) shows \(it.shown[key] ?? Content()) and is \(shown)")
            }
            if it.results.key(at: index) != key || it.results.index(of: key) != index {
                failures.append("\(it.name): row \(key) is not at \(index)")
            }
        }
        let sections = try FetchedResults(it.query, now).sections
        if it.results.sections != sections || it.sections != sections.map(\.name) {
            failures.append(
                "\(it.name): told sections \(it.sections), holds \(it.results.sections), there are "
                    + "\(sections)")
        }
    }

    /// Rewinding by the history gives an earlier state, and advancing leads back.
    mutating func takeBack(_ it: Follower, _ now: any StoreReader) throws {
        guard let then = it.former.randomElement(using: &numbers) else { return }
        let saves = try now.history(after: then.token, limit: .max, values: true)
        guard var back = it.results.rewound(through: saves, to: then.token) else { return }
        rewound += 1
        if back.keys != then.keys || back.sections != then.sections || back.token != then.token {
            failures.append(
                "\(it.name): was \(then.keys) \(then.sections), taken back \(back.keys) \(back.sections)"
            )
        }
        var keys = back.keys
        for difference in try back.advance(in: SavesView(after: then.token, saves) { now }) {
            keys = difference.applied(to: keys)
        }
        if keys != it.keys || back.keys != it.keys {
            failures.append("\(it.name): is \(it.keys), and again \(keys), \(back.keys)")
        }
    }

    mutating func follow(
        _ it: inout Table, _ view: SavesView, _ now: any StoreReader
    ) throws {
        if let difference = try it.results.advance(in: view) {
            told += 1
            it.keys = difference.applied(to: it.keys)
            let rows = Dictionary(uniqueKeysWithValues: zip(it.results.keys, it.results.rows))
            for key in difference.objectKeys { it.rows[key] = rows[key] }
        }
        let fresh = try now.fetchRows(it.results.request)
        if it.keys.map({ it.rows[$0] ?? [] }) != fresh || it.results.token != view.token {
            failures.append("\(it.name): told \(it.keys), the query gives \(fresh)")
        }
    }
}
