// Answers of JSON without objects of the store, such as a ticket. Nobody may cache them.

import SteleHTTP
import SteleJSON
import SteleRequests

extension Service {
    /// A ticket with the rights, which opens one event stream.
    func ticket(_ rights: Rights) throws -> Response {
        Self.created([
            ("ticket", .string(try gate.access.tickets.make(rights))),
            ("seconds", .integer(Int64(Tickets.seconds))),
        ])
    }

    /// The answer with what a POST has made.
    static func created(_ members: [(String, JSONValue)]) -> Response {
        answer(201, .object(members))
    }

    /// An answer of JSON.
    static func answer(_ status: Int, _ json: JSONValue) -> Response {
        var writer = ByteWriter(capacity: 256)
        json.write(to: &writer)
        return Response(
            status: status,
            headers: [("Content-Type", MediaType.json.rawValue), ("Cache-Control", "no-store")],
            body: .bytes(writer.take()))
    }
}
