/// The time and the memory of one part in one process.

import Foundation

/// What a process has measured, which it prints as JSON.
struct Measurement: Codable {
    /// One time or several, which the part determines.
    var seconds: [Double]
    /// A sum over all rows that were read, or a count of those written. It is equal for both
    /// libraries.
    var sum: Int
    /// The resident memory before the work, in KiB.
    var before: Int
    /// The highest resident memory during the work, in KiB.
    var peak: Int

    /// Measures work that returns its sum.
    static func of(_ work: () throws -> Int) throws -> Measurement {
        try measuring { seconds in
            var sum = 0
            seconds = [try time { sum = try work() }]
            return sum
        }
    }

    /// Measures the memory of work that measures its times itself.
    static func of(times work: (inout [Double]) throws -> Int) throws -> Measurement {
        try measuring(work)
    }

    private static func measuring(_ work: (inout [Double]) throws -> Int) throws -> Measurement {
        var seconds: [Double] = []
        try Memory.resetPeak()
        let before = try Memory.kibibytes("VmRSS")
        let sum = try work(&seconds)
        return Measurement(
            seconds: seconds, sum: sum, before: before, peak: try Memory.kibibytes("VmHWM"))
    }

    /// The seconds that work takes.
    static func time(_ work: () throws -> Void) rethrows -> Double {
        try ContinuousClock().measure(work) / .seconds(1)
    }
}

/// The memory of this process as the kernel reports it.
enum Memory {
    /// A line of `/proc/self/status`, such as `VmRSS` or `VmHWM`.
    static func kibibytes(_ name: String) throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        for line in status.split(separator: "\n") where line.hasPrefix(name + ":") {
            let words = line.split(whereSeparator: \.isWhitespace)
            if words.count > 1, let number = Int(words[1]) { return number }
        }
        throw Failure("/proc/self/status has no \(name)")
    }

    /// Sets `VmHWM` to the memory that is resident now.
    static func resetPeak() throws {
        guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else {
            throw Failure("/proc/self/clear_refs cannot be written")
        }
        try file.write(contentsOf: Data("5".utf8))
        try file.close()
    }
}

/// A reason to end the program.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
