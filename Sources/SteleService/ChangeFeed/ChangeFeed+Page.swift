/// The history as JSON, page by page.

import SteleHTTP
import SteleJSON
import StelePersistence

extension ChangeFeed {
    /// The JSON form: transactions from the call's place on, and a link to the next page.
    /// - Throws: `Problem` for a token that cannot be used, `StoreError`.
    func page(_ call: ChangesCall, of request: Request) throws -> Response {
        var call = call
        if call.start == nil { call.since = "0" }
        let start: Int64
        switch try place(call) {
        case .at(let position): start = position
        case .expired(let problem, _): throw problem
        }
        let limit = min(call.limit ?? options.defaultLimit, options.maximumLimit)
        guard let (body, next) = try render(after: start, limit: limit, call.filter) else {
            // It was there a moment ago.
            guard case .expired(let problem, _) = try place(call) else { return try page(call, of: request) }
            throw problem
        }
        var headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
        if let next { headers.append(("Link", NextLink.text(
                        request, replacing: [.since], by: "since=\(renderer.token(next))"))) }
        return Response(status: 200, headers: headers, body: .bytes(body))
    }

    /// The entries, and the last one's number where there is another one after it; nil where what
    /// comes next has been deleted.
    private func render(
        after start: Int64, limit: Int, _ filter: ChangeFilter
    ) throws(StoreError) -> (body: [UInt8], next: Int64?)? {
        let reader = try store.reader()
        defer { reader.close() }
        if try reader.lacksHistory(after: start) { return nil }
        var writer = ByteWriter(capacity: 4096)
        var position = start
        var last = start
        var count = 0
        var size = min(HistoryPages.firstSize, limit + 1)
        let judge = ChangeJudge(filter, model: store.model)
        while true {
            let saves = try reader.history(after: position, limit: size, values: filter.needsValues)
            for save in saves {
                let changes = judge.told(of: save)
                if changes.isEmpty { continue }
                if count == limit {
                    writer.byte(UInt8(ascii: "]"))
                    return (writer.take(), last)
                }
                writer.raw(count == 0 ? "[" : ",")
                renderer.entry(save, changes, values: filter.values, to: &writer)
                count += 1
                last = save.number
            }
            guard saves.count == size, let end = saves.last else { break }
            position = end.number
            size = HistoryPages.nextSize(size, saves)
        }
        if count == 0 { writer.byte(UInt8(ascii: "[")) }
        writer.byte(UInt8(ascii: "]"))
        return (writer.take(), nil)
    }
}
