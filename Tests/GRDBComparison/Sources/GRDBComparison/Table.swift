/// The table of results.

import Foundation

/// Medians over the rounds, with the least and the greatest, as a table in Markdown.
struct Table {
    /// The rounds' measurements of a part.
    let measurements: (Part, Way) -> [Measurement]

    /// One line: a way of Stele against ways of GRDB, of which the fastest counts.
    private struct Line: Sendable {
        let title: String
        let part: Part
        let stele: Way
        let grdb: [Way]
        /// The value of one process.
        let value: @Sendable ([Double]) -> Double
    }

    private static let lines = [
        Line(
            title: "insert", part: .insert, stele: .stele, grdb: [.grdb, .grdbCodable],
            value: { $0[0] }),
        Line(
            title: "fetch", part: .fetch, stele: .stele, grdb: [.grdb, .grdbCodable],
            value: { $0[0] }),
        Line(
            title: "release what was fetched", part: .fetch, stele: .stele,
            grdb: [.grdb, .grdbCodable], value: { $0[1] }),
        lookup("cold", .lookupCold, .stele, .grdb),
        lookup("warm", .lookupWarm, .stele, .grdb),
        lookup("cold, in one view, by a statement", .lookupCold, .steleOneView, .grdbStatement),
        lookup("warm, in one view, by a statement", .lookupWarm, .steleOneView, .grdbStatement),
        lookup("cold, each in its own view", .lookupCold, .stele, .grdbEach),
        Line(
            title: "observe, median", part: .observe, stele: .stele, grdb: [.grdb, .grdbConstant],
            value: median),
        Line(
            title: "observe, 95th percentile", part: .observe, stele: .stele,
            grdb: [.grdb, .grdbConstant], value: { $0.sorted()[$0.count * 95 / 100] }),
    ]

    private static func lookup(_ title: String, _ part: Part, _ stele: Way, _ grdb: Way) -> Line {
        Line(title: "look up, \(title)", part: part, stele: stele, grdb: [grdb], value: { $0[0] })
    }

    @Sendable private static func median(_ values: [Double]) -> Double {
        values.sorted()[values.count / 2]
    }

    var text: String {
        """
        | part | Stele, ms | GRDB, ms | ratio | Stele, MiB | GRDB, MiB |
        | --- | --- | --- | --- | --- | --- |
        \(Self.lines.map(row).joined(separator: "\n"))
        """
    }

    private func row(_ line: Line) -> String {
        let stele = values(line, line.stele)
        let all = line.grdb.map { (way: $0, values: values(line, $0)) }
        let fastest = all.min { Self.median($0.values) < Self.median($1.values) }
        guard let fastest else { return "" }
        // Of the same rounds.
        let ratios = zip(stele, fastest.values).map { $0 / $1 }
        let ratio = Self.median(stele) / Self.median(fastest.values)
        let grdb = all.map { "\($0.way.rawValue) \(times($0.values))" }
        let cells = [
            line.title, "\(line.stele.rawValue) \(times(stele))", grdb.joined(separator: "; "),
            "\(three(ratio)) (\(three(ratios.min() ?? 0)) to \(three(ratios.max() ?? 0)))",
            memory(line.part, line.stele), memory(line.part, fastest.way),
        ]
        return "| \(cells.joined(separator: " | ")) |"
    }

    private func values(_ line: Line, _ way: Way) -> [Double] {
        measurements(line.part, way).map { line.value($0.seconds) }
    }

    private func times(_ values: [Double]) -> String {
        let milliseconds = values.map { $0 * 1_000 }
        return "\(two(Self.median(milliseconds))) "
            + "(\(two(milliseconds.min() ?? 0)) to \(two(milliseconds.max() ?? 0)))"
    }

    /// The highest memory, and by how much it is above that before the work.
    private func memory(_ part: Part, _ way: Way) -> String {
        let all = measurements(part, way)
        func mebibytes(_ values: [Int]) -> Int { Int(Self.median(values.map(Double.init))) / 1_024 }
        return "\(mebibytes(all.map(\.peak))) (+\(mebibytes(all.map { $0.peak - $0.before })))"
    }

    private func two(_ number: Double) -> String { String(format: "%.2f", number) }

    private func three(_ number: Double) -> String { String(format: "%.3f", number) }
}
