// How much the tests of the seams try, and what they report.

import Foundation
import SteleModel
import TestSupport
import Testing

/// A run over stores of a kind.
///
/// `make seams` makes STELE_SEAMS rounds of each; without it there is a part of one. STELE_SEED
/// repeats a run.
struct SeamRun {
    static let rounds = given ?? 1
    /// More than a page of 7.
    static let objects = given == nil ? 8 : 10
    private static let given =
        ProcessInfo.processInfo.environment["STELE_SEAMS"].flatMap { Int($0) }

    let name: String
    let kind: StoreKind
    var values: SeamValues
    private let seed: UInt64
    private var counts: [String: Int] = [:]

    init(_ name: String, _ kind: StoreKind) {
        (self.name, self.kind) = (name, kind)
        seed = drawSeed("\(name)(\(kind))")
        values = SeamValues(numbers: SeededNumbers(seed: seed))
    }

    /// A stage with random things.
    mutating func filled() throws -> SeamStage {
        let stage = try SeamStage(kind)
        try stage.fill(Self.objects, &values)
        return stage
    }

    /// Some of the items at random; all of them in `make seams`.
    mutating func some<T>(_ items: [T], _ count: Int) -> [T] {
        guard Self.given == nil else { return items }
        return Array(items.shuffled(using: &values.numbers).prefix(count))
    }

    mutating func count(_ road: String) { counts[road, default: 0] += 1 }

    func fail(_ what: String) { Issue.record("seed \(seed), \(kind): \(what)") }

    /// Prints how many values each road has had.
    func report() {
        guard Self.given != nil else { return }
        let all = counts.sorted { $0.key < $1.key }.map { "\($0) \($1)" }.joined(separator: ", ")
        print("seams, \(name), \(kind): seed \(seed), \(all)")
    }

    /// The first 200 characters.
    static func short(_ text: String?) -> String { text.map { String($0.prefix(200)) } ?? "-" }
}

/// One value on its way from one road to another, in stores of its own.
struct SeamJourney: CustomStringConvertible {
    let kind: StoreKind
    let name: String
    let reading: ReadingRoad
    let writing: WritingRoad

    var description: String { "\(name) from \(reading) by \(writing)" }

    private struct Fault {
        let text: String
        let outcome: SeamOutcome
    }

    /// What is wrong with a value that the library sets; nil where it comes back as it was.
    private func fault(_ value: Value) throws -> Fault? {
        let stage = try SeamStage(kind)
        let key = try stage.insert([name: value])
        guard let token = try reading.read(stage)[key]?[name] else { return nil }
        let outcome = try writing.write(name, token, on: SeamStage(kind))
        let wanted = SeamStage.exact(try stage.stored()[key]?[name])
        if outcome == .stored(wanted) { return nil }
        return Fault(
            text: "\(SeamRun.short(token)) of \(wanted) is \(outcome)", outcome: outcome)
    }

    /// The fault of the smallest value that has one with the same outcome; nil where the value has
    /// none by itself, and for a composite and JSON, which the library does not set.
    func smallest(_ value: Value, _ outcome: SeamOutcome) -> String? {
        if name == "part" || name == "json" { return nil }
        var value = value
        if case .external(let file) = value, let bytes = file.bytes { value = .data(bytes) }
        guard var found = fault(value, outcome) else { return nil }
        var attempts = 0
        while attempts < 40, let next = smaller(than: value, outcome, &attempts) {
            (value, found) = next
        }
        return found
    }

    /// The fault of a value; nil where it fails in another way.
    private func fault(_ value: Value, _ outcome: SeamOutcome) -> String? {
        guard let found = try? fault(value), found.outcome.sort == outcome.sort else { return nil }
        return found.text
    }

    private func smaller(
        than value: Value, _ outcome: SeamOutcome, _ attempts: inout Int
    ) -> (value: Value, fault: String)? {
        for candidate in Self.smaller(than: value) {
            attempts += 1
            if let fault = fault(candidate, outcome) { return (candidate, fault) }
        }
        return nil
    }

    private static func smaller(than value: Value) -> [Value] {
        switch value {
        case .string(let text):
            let characters = Array(text.unicodeScalars)
            return characters.indices.map { index in
                var fewer = String.UnicodeScalarView()
                for (other, scalar) in characters.enumerated() where other != index {
                    fewer.append(scalar)
                }
                return .string(String(fewer))
            }
        case .data(let bytes) where !bytes.isEmpty:
            return [.data(Array(bytes.prefix(bytes.count / 2))), .data(Array(bytes.dropFirst()))]
        case .int(let it) where it != 0: return [.int(it / 10)]
        case .double(let it) where it != it.rounded(): return [.double(it.rounded())]
        case .date(let it) where it != it.rounded(): return [.date(it.rounded())]
        default: return []
        }
    }
}
