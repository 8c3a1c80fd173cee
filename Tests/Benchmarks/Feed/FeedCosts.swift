/// What the change feed and live queries cost, against `stele serve` over sockets.

import Foundation

/// `Benchmarks feed [PART]`: everything in one run, as ratios; or the part that is named.
enum FeedCosts {
    private static let parts: [(name: String, run: @Sendable (String) throws -> Void)] = [
        ("fan-out", { try FanOutCosts.run($0) }), ("delivery", { try DeliveryCosts.run($0) }),
        ("live", { try LiveQueryCosts.run($0) }), ("turnover", { try TurnoverCosts.run($0) }),
    ]

    static func run(_ folder: String, _ part: String?) throws {
        guard part == nil || parts.contains(where: { $0.name == part }) else {
            return print("the parts are \(parts.map(\.name).joined(separator: ", "))")
        }
        // Also for the servers, which inherit it.
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard limit.rlim_max >= 11_000 else {
            return print(
                "10,000 subscribers take 11,000 open files; the limit is \(limit.rlim_max)")
        }
        for (name, run) in parts where part == nil || part == name {
            let own = "\(folder)/\(name)"
            try FileManager.default.createDirectory(
                atPath: own, withIntermediateDirectories: true)
            try run(own)
        }
    }

    /// Prints a line: what, how much, and the bound that it has.
    static func tell(_ what: String, _ value: Double, _ bound: Bound? = nil, _ more: String = "") {
        var line = "\(what): \(short(value))"
        if let bound { line += " (\(bound.text)\(bound.holds(value) ? "" : ": MISSED"))" }
        print(more.isEmpty ? line : "\(line); \(more)")
        // Also into a pipe as it comes.
        fflush(nil)
    }

    enum Bound {
        case atMost(Double)
        case atLeast(Double)

        var text: String {
            switch self {
            case .atMost(let bound): "at most \(bound)"
            case .atLeast(let bound): "at least \(bound)"
            }
        }

        func holds(_ value: Double) -> Bool {
            switch self {
            case .atMost(let bound): value <= bound
            case .atLeast(let bound): value >= bound
            }
        }
    }

    static func short(_ number: Double) -> String {
        if abs(number) >= 1000 { return String(Int(number.rounded())) }
        return abs(number) < 0.1
            ? String((number * 10_000).rounded() / 10_000) : String((number * 100).rounded() / 100)
    }
}

extension [Double] {
    /// The middle one; NaN where there are none.
    var median: Double { quantile(0.5) }

    /// The value below which that part of them lies.
    func quantile(_ part: Double) -> Double {
        guard !isEmpty else { return .nan }
        return sorted()[Swift.min(Int(Double(count) * part), count - 1)]
    }
}
