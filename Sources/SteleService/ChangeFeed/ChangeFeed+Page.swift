/// The history as JSON, page by page.

import SteleHTTP
import SteleJSON
import StelePersistence

extension ChangeFeed {
    /// The JSON form: transactions from the call's place on, and a link to the next page.
    /// - Throws: `Problem` for a token that cannot be used, `StoreError`.
    func page(_ call: ChangesCall) throws -> Response {
        var call = call
        if call.start == nil { call.since = "0" }
        let start: Int64
        switch try place(call) {
        case .at(let position): start = position
        case .expired(let problem, _): throw problem
        }
        let limit = min(call.limit ?? options.defaultLimit, options.maximumLimit)
        let (body, next) = try render(after: start, limit: limit, call.filter)
        var headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
        if let next { headers.append(("Link", link(call, after: next))) }
        return Response(status: 200, headers: headers, body: .bytes(body))
    }

    /// The entries, and the last one's number where there is another one after it.
    private func render(
        after start: Int64, limit: Int, _ filter: ChangeFilter
    ) throws(StoreError) -> (body: [UInt8], next: Int64?) {
        let reader = try store.reader()
        defer { reader.close() }
        var writer = ByteWriter(capacity: 4096)
        var position = start
        var last = start
        var count = 0
        var size = min(HistoryPages.firstSize, limit + 1)
        while true {
            let saves = try reader.history(after: position, limit: size, values: filter.values)
            for save in saves {
                if count == limit {
                    guard save.changes.contains(where: { filter.tells($0.entity) }) else {
                        continue
                    }
                    writer.byte(UInt8(ascii: "]"))
                    return (writer.take(), last)
                }
                if renderer.entry(save, filter, to: &writer, after: count == 0 ? "[" : ",") {
                    count += 1
                    last = save.number
                }
            }
            guard saves.count == size, let end = saves.last else { break }
            position = end.number
            size = HistoryPages.nextSize(size, saves)
        }
        if count == 0 { writer.byte(UInt8(ascii: "[")) }
        writer.byte(UInt8(ascii: "]"))
        return (writer.take(), nil)
    }

    private func link(_ call: ChangesCall, after last: Int64) -> String {
        var query = "since=\(renderer.token(last))"
        if let entities = call.entities {
            query += "&entity=" + entities.map(\.name).joined(separator: ",")
        }
        if call.values { query += "&values=true" }
        if let limit = call.limit { query += "&limit=\(limit)" }
        return "<\(options.basePath)/changes?\(query)>; rel=\"next\""
    }
}
