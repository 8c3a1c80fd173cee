/// How far an import is, on a terminal; and what it came to.

import Glibc
import SteleModel
import SteleService
import SteleSystem

/// A line on standard error that is written over and over, where that is a terminal.
final class ProgressBar {
    private let isTerminal = isatty(2) == 1
    private let start = MonotonicClock.now
    /// Nil before it is shown.
    private var shownAt: UInt64?

    /// Seconds since it was created.
    var seconds: Double { Double(MonotonicClock.now - start) / 1e9 }

    /// Shows it, ten times a second at most.
    func show(_ summary: Import.Summary) {
        guard isTerminal else { return }
        let now = MonotonicClock.now
        if let shownAt, now - shownAt < 100_000_000 { return }
        shownAt = now
        write("\r\u{1B}[K" + Self.line(summary), to: 2)
    }

    /// Takes the line away.
    func clear() {
        if shownAt != nil { write("\r\u{1B}[K", to: 2) }
    }

    /// `[########            ]  40 %  13602 objects`
    static func line(_ summary: Import.Summary) -> String {
        let total = max(summary.bytesTotal, 1)
        let share = min(Double(summary.bytesRead) / Double(total), 1)
        let full = Int(share * 30)
        let bar = String(repeating: "#", count: full) + String(repeating: " ", count: 30 - full)
        let percent = "\(Int(share * 100))"
        let padding = String(repeating: " ", count: max(0, 3 - percent.count))
        let what = summary.isLinking ? "linking" : "\(summary.total) objects"
        return "[\(bar)] \(padding)\(percent) %  \(what)"
    }
}

/// What an import came to.
enum ImportReport {
    /// A line an entity in the model's order, and one with the sum, the seconds and the rate.
    static func text(_ summary: Import.Summary, _ model: Model, seconds: Double) -> String {
        var lines: [String] = []
        for entity in model.entities {
            guard let count = summary.objects[entity.name] else { continue }
            lines.append("\(entity.name)  \(count)")
        }
        let tenths = Int((seconds * 10).rounded())
        let rate = seconds > 0 ? Int(Double(summary.total) / seconds) : 0
        lines.append(
            "\(summary.total) objects in \(tenths / 10).\(tenths % 10) s, \(rate) a second")
        return lines.joined(separator: "\n") + "\n"
    }
}
