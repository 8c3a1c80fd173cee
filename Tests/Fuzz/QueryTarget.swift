/// Query strings: on every kind of route that takes one.

/// What stands after `?`, on lists, counts, objects, the feed and live queries.
struct QueryTarget: FuzzTarget {
    private let stage: RequestStage
    let seeds: [[UInt8]]
    let words =
        PredicateWords.all + RequestSeeds.words + ["%27", "%2B", "%00", "%zz", "%C3%A9", "&", "="]
    private static let lines = [
        "GET /Item?$", "GET /Item/count?$", "GET /Item/1?$", "GET /Item/1/parts?$",
        "GET /changes?$", "GET /live?$", "GET /live?q.a=/Item?$", "GET /fetch/above?$",
        "GET /contexts/$CONTEXT/Item?$", "DELETE /Item?$", "PATCH /Item/1?$\n\n{\"small\":1}",
        "GET /Item?$\nAccept: text/event-stream",
    ]

    init() throws {
        stage = try RequestStage()
        seeds = FuzzText.bytes(
            RequestSeeds.reads.compactMap { request in
                let target = request.prefix { $0 != "\n" }
                return target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
            })
    }

    func attempt(_ input: [UInt8]) throws {
        let query = String(decoding: input, as: UTF8.self).filter { !$0.isNewline }
        for line in Self.lines { try stage.ask(line.replacing("?$", with: "?" + query)) }
    }
}
