/// A `stele serve` of its own process, and what it takes of the machine.

import Foundation
import SteleModel
import SteleModelFiles

/// The release binary that stands beside this program, serving a store of players.
final class ServedStore {
    let port = Int.random(in: 20_000..<30_000)
    private let process = Process()

    struct Failure: Error { let text: String }

    static let modelPath = "Config/Models/League.xcdatamodeld"

    /// Makes the store and serves it.
    /// - Parameters:
    ///   - path: a file that is not there yet.
    ///   - settings: of `stele serve`, beyond those that every benchmark of the feed has.
    init(_ path: String, players: Int, settings: [String] = []) throws {
        let stage = try GraphStage(path, ModelFile.read(Self.modelPath).model())
        try stage.insert(players)
        stage.store.close()
        let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent()
        process.executableURL = folder.appendingPathComponent("stele")
        // A heartbeat would count as an event.
        process.arguments =
            ["serve", Self.modelPath, "--store", path, "--port", String(port)]
            + ["--heartbeat", "3600", "--log-level", "error"] + settings
        process.standardOutput = FileHandle.nullDevice
        do { try process.run() } catch {
            throw Failure(text: "\(folder.path)/stele cannot be run (make build): \(error)")
        }
        for _ in 0..<200 {
            if let door = try? connection(), (try? door.ask("GET", "/healthz"))?.status == 200 {
                return
            }
            Thread.sleep(forTimeInterval: 0.05)
        }
        process.terminate()
        throw Failure(text: "stele does not answer on port \(port)")
    }

    /// A connection of its own.
    func connection() throws -> PlainConnection { try PlainConnection(port: port) }

    /// Anonymous memory that is in use, in KiB.
    func anonymousKibibytes() throws -> Int {
        let status = try String(
            contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("RssAnon:") }),
            let kibibytes = line.split(separator: " ").dropLast().last.flatMap({ Int($0) })
        else { throw Failure(text: "there is no RssAnon in /proc") }
        return kibibytes
    }

    /// What all its threads have had of the processors.
    func processorSeconds() throws -> Double {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(process.processIdentifier, &clock) == 0,
            clock_gettime(clock, &time) == 0
        else { throw Failure(text: "the processors' time of another process cannot be read") }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }
}
