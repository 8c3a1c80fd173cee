/// `stele watch`: printing changes as they happen.

import ArgumentParser
import Glibc
import SteleJSON

/// Prints a service's change feed, or a live query, until it is interrupted.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Print the changes of a running service as they happen.",
        discussion: """
            The URL is that of the service, for its change feed, or of any event stream of it: \
            'http://127.0.0.1:8080/changes?entity=Player&values=true'. Spaces and quotes need no \
            escapes. Where the connection is lost it reconnects and resumes.
            """)

    @Argument(help: ArgumentHelp("The service, or one of its event streams.", valueName: "url"))
    var url: String

    @Option(help: ArgumentHelp("The bearer token (also STELE_TOKEN).", valueName: "token"))
    var token: String?

    @Option(
        help: ArgumentHelp(
            "A file with certificates that are trusted besides the system's.", valueName: "file"))
    var tlsCertificate: String?

    /// Seconds that connecting may take. A service may be silent for longer, by its heartbeat
    /// setting, so the system checks the connection after that.
    private static let patience = 60

    func run() throws {
        try Failure.reporting {
            let address = try ServiceAddress(url)
            var lastID = ""
            var isFirst = true
            while true {
                let reader: EventReader
                do {
                    reader = try follow(address, lastID)
                } catch  where !isFirst && mayPass(error) {
                    printError("stele: \(Failure.sentence(error)); trying again")
                    sleep(2)
                    continue
                }
                isFirst = false
                lastID = reader.lastID
                printError("stele: the connection has ended; reconnecting")
                usleep(UInt32(reader.retry) * 1_000)
            }
        }
    }

    /// Whether a later attempt may succeed.
    private func mayPass(_ error: any Error) -> Bool {
        (error as? StreamRefusal)?.mayPass ?? (error is Failure)
    }

    /// Prints one connection's events until it ends.
    private func follow(_ address: ServiceAddress, _ lastID: String) throws -> EventReader {
        let socket = try ClientSocket(
            host: address.host, port: address.port,
            trust: address.isTLS ? .system(and: tlsCertificate) : nil, seconds: Self.patience)
        let bearer = token ?? getenv("STELE_TOKEN").map { String(cString: $0) }
        var request = "GET \(target(address)) HTTP/1.1\r\nHost: \(address.host):\(address.port)\r\n"
        request += "Accept: text/event-stream\r\n"
        if let bearer { request += "Authorization: Bearer \(bearer)\r\n" }
        if !lastID.isEmpty { request += "Last-Event-ID: \(lastID)\r\n" }
        socket.send(request + "\r\n")
        var reader = EventReader(lastID: lastID)
        var isNew = true
        while let bytes = socket.receive() {
            let events = try reader.take(bytes)
            if let status = reader.status, status != 200 {
                throw StreamRefusal(status: status, body: try body(socket, &reader))
            }
            if isNew, reader.status != nil {
                guard reader.isStream else { throw NoStream(target: address.target) }
                socket.waitsWhileAnswered()
                isNew = false
            }
            for event in events {
                write(EventPrinter.lines(event).joined(separator: "\n") + "\n", to: 1)
            }
        }
        guard reader.status != nil else {
            throw Failure("\(address.host) port \(address.port) does not answer")
        }
        return reader
    }

    private func target(_ address: ServiceAddress) -> String {
        let path = address.target.prefix { $0 != "?" }
        guard path.isEmpty || path == "/" else { return address.target }
        return "/changes" + address.target.dropFirst(path.count)
    }

    /// The body of a refusal, which is short and comes at once.
    private func body(_ socket: ClientSocket, _ reader: inout EventReader) throws -> String {
        while (try? JSONDocument(reader.rest)) == nil, let more = socket.receive() {
            _ = try reader.take(more)
        }
        return reader.rest
    }
}

/// A response that is not an event stream.
private struct NoStream: Error, CustomStringConvertible {
    let target: String

    var description: String {
        "\(target) is not an event stream: give the service's address, its /changes, or a list"
    }
}

/// A service's refusal of a stream.
private struct StreamRefusal: Error, CustomStringConvertible {
    let status: Int
    let body: String

    /// Whether a later attempt may succeed: too many streams, or a service or proxy that starts.
    var mayPass: Bool { status == 429 || status >= 500 }

    var description: String {
        guard let problem = try? JSONDocument(body).root, let detail = problem["detail"]?.string
        else { return "the service responds with status \(status)" }
        return detail + (problem["hint"]?.string.map { " (\($0))" } ?? "")
    }
}
