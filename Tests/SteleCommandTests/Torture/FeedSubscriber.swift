/// A subscriber that loses its connection as often as it can, and comes back by its last id.

import Foundation
import SteleDifferential
import TestSupport

/// One subscriber's way, on a thread of its own.
struct FeedSubscriber {
    /// What it has seen.
    struct Report: Sendable {
        let filter: FeedFilter
        /// The first place that it was told: what it is told is what comes after.
        var start: String?
        /// The saves that came whole, with all their parts, by the number of their `id`.
        var saves: [(number: Int64, parts: [[UInt8]])] = []
        var connections = 0
        /// How often it was cut off, or left, within an event.
        var cuts = 0
        var failures: [String] = []
    }

    private let state: TortureState
    private var numbers: SeededNumbers
    /// Whether it begins with the oldest save, or with what comes.
    private let isFromTheOldest: Bool
    private var report: Report
    private var lastID: String?

    private enum Leaving: CaseIterable {
        case never, closing, resetting
    }

    init(_ state: TortureState, _ filter: FeedFilter, seed: UInt64) {
        self.state = state
        numbers = SeededNumbers(seed: seed)
        isFromTheOldest = !numbers.one(in: 4)
        report = Report(filter: filter)
    }

    /// Follows the feed up to the goal.
    mutating func follow() -> Report {
        var deadline: Date?
        while !isDone, report.failures.isEmpty {
            if state.goal != nil {
                let end = deadline ?? Date(timeIntervalSinceNow: 60)
                deadline = end
                if end < Date() {
                    report.failures.append("came to \(lastID ?? "nothing") and no further")
                }
            }
            guard let port = state.port, let socket = Caller(port: port).connected() else {
                usleep(5_000)
                continue
            }
            connect(socket, Caller(port: port))
            usleep(UInt32(numbers.below(50_000)))
        }
        return report
    }

    private var isDone: Bool {
        guard let goal = state.goal, let lastID else { return false }
        return Torture.number(lastID) >= goal
    }

    private mutating func connect(_ socket: Int32, _ caller: Caller) {
        report.connections += 1
        let leaving = numbers.pick(Leaving.allCases, or: .never)
        var left = leaving == .never ? Int.max : numbers.below(1 << (4 + numbers.below(14)))
        var stream = EventBytes()
        var parts: [[UInt8]] = []
        defer {
            if stream.isWithinAnEvent || !parts.isEmpty { report.cuts += 1 }
            if leaving == .resetting { caller.resetsWhenClosed(socket) }
            close(socket)
        }
        let parameters = [report.filter.query, isFromTheOldest ? "since=0" : ""]
        let path = "/changes?" + parameters.filter { !$0.isEmpty }.joined(separator: "&")
        let headers = lastID.map { ["Last-Event-ID: \($0)"] } ?? []
        guard caller.sends("GET", path, ["Accept: text/event-stream"] + headers, to: socket) else {
            return
        }
        do {
            while left > 0, !isDone {
                let most = min(left, 1 << numbers.below(17))
                guard let bytes = Caller.read(socket, atMost: most) else { return }
                left -= bytes.count
                for event in try stream.take(bytes) { take(event, &parts, stream.lastID) }
                if let id = stream.lastID {
                    lastID = id
                    report.start = report.start ?? stream.firstID
                }
                if numbers.one(in: 30) { usleep(UInt32(numbers.below(100_000))) }
            }
        } catch {
            report.failures.append("\(path): \(error)")
        }
    }

    private mutating func take(_ event: EventBytes.Event, _ parts: inout [[UInt8]], _ id: String?) {
        guard event.name == "save" else {
            report.failures.append("\(event.name): \(String(decoding: event.data, as: UTF8.self))")
            return
        }
        parts.append(event.data)
        guard event.hasID else { return }
        let data = String(decoding: event.data.prefix(60), as: UTF8.self)
        report.saves.append((Torture.saveNumber(ofEvent: data), parts))
        parts = []
    }
}
