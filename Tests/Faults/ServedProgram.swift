/// A `stele serve` of its own process, and what the system knows of it.

import Foundation
import TestSupport

/// What cannot be tried, in one sentence.
struct FaultFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// The binary that stands beside this program, serving a store.
final class ServedProgram: Sendable {
    /// What the system has for it at one moment.
    struct Figures {
        /// VmRSS and RssAnon, in KiB.
        var resident = 0
        var anonymous = 0
        var threads = 0
        var descriptors = 0
        var sockets = 0
    }

    let port: Int
    let path: String
    private let process: Process
    private let errorPath: String

    static let file = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("stele").path

    /// - Parameters:
    ///   - arguments: those after `serve`, without the port.
    ///   - folder: for its messages.
    init(_ arguments: [String], folder: String) throws {
        process = Process()
        path = Self.file
        errorPath = folder + "/errors"
        try Data().write(to: URL(fileURLWithPath: errorPath))
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = ["serve"] + arguments + ["--port", "0"]
        process.environment = ProcessInfo.processInfo.environment
            .filter { !$0.key.hasPrefix("STELE_") }
        process.standardOutput = output
        process.standardError = FileHandle(forWritingAtPath: errorPath)
        do { try process.run() } catch {
            throw FaultFailure("\(path) cannot be run: \(error)")
        }
        var text = ""
        while text.count(where: { $0 == "\n" }) < 3 {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { break }
            text += String(decoding: data, as: UTF8.self)
        }
        guard let address = text.split(separator: "\n").dropFirst().first,
            let number = address.split(separator: ":").last.flatMap({ Int($0) })
        else { throw FaultFailure("stele did not start: \(text)") }
        port = number
    }

    var isRunning: Bool { process.isRunning }

    /// What it has said on standard error.
    var errors: String { (try? String(contentsOfFile: errorPath, encoding: .utf8)) ?? "" }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Ends it.
    /// - Returns: how, and nil where that is as it should be.
    func stop() -> String? {
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
        guard process.terminationReason != .exit || process.terminationStatus != 0 else {
            return nil
        }
        let how = process.terminationReason == .exit ? "status" : "signal"
        return "the service ended by \(how) \(process.terminationStatus)"
    }

    func figures() -> Figures {
        let place = "/proc/\(process.processIdentifier)"
        let status = (try? String(contentsOfFile: place + "/status", encoding: .utf8)) ?? ""
        func number(_ name: String) -> Int {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
            return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
        }
        var figures = Figures(
            resident: number("VmRSS"), anonymous: number("RssAnon"), threads: number("Threads"))
        for name in (try? FileManager.default.contentsOfDirectory(atPath: place + "/fd")) ?? [] {
            figures.descriptors += 1
            let target = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "\(place)/fd/\(name)")
            if target?.hasPrefix("socket:") == true { figures.sockets += 1 }
        }
        return figures
    }
}

/// A share as text, such as 1.012.
func ratioText(_ value: Double) -> String { String(format: "%.3f", value) }

/// KiB as MiB.
func mebibytes(_ kibibytes: Int) -> String { String(format: "%.1f MiB", Double(kibibytes) / 1_024) }

/// Prints a line at once, also into a pipe.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
