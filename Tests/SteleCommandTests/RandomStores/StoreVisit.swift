// A service over a store's file, opened as `stele serve` opens it.

import Foundation
import Logging
import SteleGraph
import StelePersistence
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleCommand
@testable import SteleFeed
@testable import SteleHTTP
@testable import SteleRequests
@testable import SteleService

/// A service until its end.
final class StoreVisit {
    struct Reply {
        let status: Int
        let text: String
        let link: String?

        /// The objects of a list, or the only one.
        var objects: [[String: Any]] {
            let found = try? JSONSerialization.jsonObject(
                with: Data(text.utf8), options: .fragmentsAllowed)
            return (found as? [[String: Any]]) ?? (found as? [String: Any]).map { [$0] } ?? []
        }
    }

    let coordinator: PersistentStoreCoordinator
    private let service: Service
    private(set) var asked = 0

    /// - Parameter model: the path of the model, which may be that of the store.
    init(_ store: String, _ model: String) throws {
        let opened = try StoresOpening(store, type: nil, try ModelPackage(model)).open(.refuse)
        coordinator = PersistentStoreCoordinator(store: opened)
        service = try Service(
            coordinator: coordinator, options: Service.Options(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        opened.findForeignValues()
    }

    func close() {
        service.liveQueries.stop()
        coordinator.store.close()
    }

    private func respond(
        _ method: String, _ target: String, _ body: String, _ accept: String?
    ) -> Response {
        asked += 1
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        return service.answer(
            Request(
                method: method, path: String(parts[0]),
                query: parts.count > 1 ? String(parts[1]) : nil,
                headers: HTTPHeaders(accept.map { [("Accept", $0)] } ?? []),
                body: Array(body.utf8)), at: .unhurried
        ).response()
    }

    func ask(_ method: String, _ target: String, _ body: String = "") -> Reply {
        let response = respond(method, target, body, nil)
        let link = response.headers.first { $0.name.lowercased() == "link" }?.value
        guard case .bytes(let bytes) = response.body else {
            return Reply(status: response.status, text: "", link: link)
        }
        return Reply(
            status: response.status, text: String(decoding: bytes, as: UTF8.self), link: link)
    }

    func get(_ target: String) -> Reply { ask("GET", target) }

    /// The rows of a live query's snapshot; nil where there is none.
    func snapshot(_ target: String) -> [[String: Any]]? {
        guard case .events(let stream) = respond("GET", target, "", "text/event-stream").body else {
            return nil
        }
        // The next listener begins with a snapshot of its own.
        defer { stream.closed() }
        var bytes: [UInt8] = []
        for _ in 0..<5_000 {
            withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { room in
                while stream.queuedBytes > 0 {
                    let count = stream.read(into: room)
                    guard count > 0 else { break }
                    bytes += room.prefix(count)
                }
            }
            let text = String(decoding: bytes, as: UTF8.self)
            if let start = text.range(of: "event: snapshot\n"),
                let end = text.range(of: "\n\n", range: start.upperBound..<text.endIndex)
            {
                let lines = text[start.upperBound..<end.lowerBound].split(separator: "\n")
                let data = lines.filter { $0.hasPrefix("data: ") }.map { $0.dropFirst(6) }
                    .joined(separator: "\n")
                let found = try? JSONSerialization.jsonObject(with: Data(data.utf8))
                return (found as? [String: Any])?["rows"] as? [[String: Any]]
            }
            usleep(1_000)
        }
        return nil
    }
}

/// A parameter's value as it stands in a target.
func escaped(_ text: String) -> String {
    text.utf8.map { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: String(UnicodeScalar(byte))
        default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
    }.joined()
}
