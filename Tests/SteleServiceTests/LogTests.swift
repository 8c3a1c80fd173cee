// One line a request in the log, and none where nobody reads it.

import Logging
import SteleGraph
import SteleHTTP
import StelePersistence
import SteleSystem
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

/// Keeps what is logged.
final class LogBook: Sendable {
    let lines = Mutex<[String]>([])
}

struct LogBookHandler: LogHandler {
    let book: LogBook
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let shown = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map {
            "\($0.key)=\($0.value)"
        }
        book.lines.withLock { $0.append("\(event.message) \(shown.joined(separator: " "))") }
    }
}

@Suite struct LogTests {
    private func lines(_ level: Logger.Level) throws -> [String] {
        let book = LogBook()
        let store = InMemoryStore(model: try TestModels.league())
        let service = Service(
            coordinator: PersistentStoreCoordinator(store: store),
            logger: Logger(label: "test") { _ in LogBookHandler(book: book, logLevel: level) })
        _ = service.respond(to: Request(method: "GET", path: "/Team/7"))
        _ = service.respond(to: Request(method: "GET", path: "/nowhere"))
        return book.lines.withLock { $0 }
    }

    @Test func aRequestIsOneLineWithItsPatternAndStatus() throws {
        let lines = try lines(.debug)
        #expect(lines.count == 2)
        #expect(lines[0].contains("method=GET") && lines[0].contains("route=/{Entity}/{id}"))
        #expect(lines[0].contains("status=404") && lines[0].contains(" ms="))
        #expect(lines[1].contains("route=-"))
        #expect(try self.lines(.info).isEmpty)
    }
}
