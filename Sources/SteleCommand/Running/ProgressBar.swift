/// The progress of an import, and its report.

import Glibc
import SteleMigration
import SteleModel
import SteleService
import SteleSystem

/// The progress on standard error: a bar where that is a terminal, otherwise a line every five
/// seconds.
final class ProgressBar {
    private let isTerminal = isatty(2) == 1
    private let start = MonotonicClock.now
    /// Nil before it is shown.
    private var shownAt: UInt64?

    /// Seconds since it was created.
    var seconds: Double { Double(MonotonicClock.now - start) / 1e9 }

    /// The same with one decimal.
    var tenths: String {
        let tenths = Int((seconds * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// Updates it, ten times a second at most.
    func show(_ summary: Import.Summary) {
        show(
            done: summary.bytesRead, of: summary.bytesTotal,
            summary.isLinking ? "linking" : summary.total.counted("object"))
    }

    /// Updates it with the rows of a migration and the time left.
    func show(_ progress: MigrationProgress) {
        let rows = "\(progress.done) of \(progress.total.counted("row"))"
        // Of the beginning the time cannot be told.
        let isTold = seconds >= 1 && progress.fraction >= 0.01
        let left = isTold ? seconds * (1 / progress.fraction - 1) : 0
        show(
            done: progress.done, of: progress.total,
            isTold ? "\(rows), \(Int(left)) s left" : rows)
    }

    /// Updates it.
    /// - Parameter total: 0 if it is not known.
    func show(done: Int, of total: Int, _ what: @autoclosure () -> String) {
        let now = MonotonicClock.now
        guard isTerminal else {
            guard now - (shownAt ?? start) >= 5_000_000_000 else { return }
            shownAt = now
            let share = total > 0 ? "\(min(done * 100 / total, 100)) %, " : ""
            return printError("\(share)\(what()), \(Int(seconds)) s")
        }
        if let shownAt, now - shownAt < 100_000_000 { return }
        shownAt = now
        write("\r\u{1B}[K" + Self.line(done: done, of: total, what()), to: 2)
    }

    /// Removes the bar.
    func clear() {
        if isTerminal, shownAt != nil { write("\r\u{1B}[K", to: 2) }
        shownAt = nil
    }

    /// `[########            ]  40 %  13602 objects`
    static func line(done: Int, of total: Int, _ what: String) -> String {
        let share = min(Double(done) / Double(max(total, 1)), 1)
        let full = Int(share * 30)
        let bar = String(repeating: "#", count: full) + String(repeating: " ", count: 30 - full)
        let percent = "\(Int(share * 100))"
        let padding = String(repeating: " ", count: max(0, 3 - percent.count))
        return "[\(bar)] \(padding)\(percent) %  \(what)"
    }
}

/// The report of an import.
enum ImportReport {
    /// A line for each entity in the model's order, what was left out, and one with the sum, the
    /// seconds and the rate.
    static func text(
        _ summary: Import.Summary, _ model: Model, isDryRun: Bool = false, seconds: Double
    ) -> String {
        var lines: [String] = []
        for entity in model.entities {
            let count = summary.objects[entity.name]
            let updated = summary.updated[entity.name].map { "\($0) updated" }
            if count == nil, updated == nil { continue }
            lines.append(
                "\(entity.name)  "
                    + [count.map { "\($0)" }, updated].compactMap { $0 }.joined(separator: ", "))
        }
        for file in summary.filesSkipped {
            lines.append("\(file) was imported before, and is left out")
        }
        if summary.missing.count > 0 {
            let lead =
                summary.missing.count == 1
                ? "leads to an object that does" : "lead to objects that do"
            lines.append("\(summary.missing.count.counted("link")) \(lead) not exist:")
            lines.append(summary.missing.description)
        }
        if summary.skipped > 0 {
            let verb = summary.skipped == 1 ? "is" : "are"
            lines.append("\(summary.skipped.counted("record")) \(verb) left out")
        }
        let tenths = Int((seconds * 10).rounded())
        let rate = seconds > 0 ? Int(Double(summary.total) / seconds) : 0
        lines.append(
            "\(summary.total.counted("object")) in \(tenths / 10).\(tenths % 10) s, \(rate) a second"
                + (isDryRun ? "; nothing is saved, because this is a dry run" : ""))
        return lines.joined(separator: "\n") + "\n"
    }
}
