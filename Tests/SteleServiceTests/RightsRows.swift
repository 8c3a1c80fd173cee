// Who may do what, by which road: the rows of a table.

/// A request of the table. Each of a suite's requests that write is asked of a service of its own.
struct RightsRow: Sendable, CustomStringConvertible {
    let who: String
    let method: String
    let target: String
    let body: String?
    let expected: String

    init(_ who: String, _ request: String, _ body: String? = nil, _ expected: String) {
        self.who = who
        let parts = request.split(separator: " ", maxSplits: 1).map(String.init)
        method = parts[0]
        target = Self.encoded(parts[1])
        self.body = body
        self.expected = expected
    }

    private static func encoded(_ target: String) -> String {
        let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return target }
        let query = parts[1].split(separator: "&").map { pair in
            let halves = pair.split(separator: "=", maxSplits: 1).map(String.init)
            return halves.count == 2
                ? "\(halves[0])=\(SteleServiceTests.encoded(halves[1]))" : halves[0]
        }
        return "\(parts[0])?\(query.joined(separator: "&"))"
    }

    var description: String { "\(who) \(method) \(target) \(body ?? "")" }
}

/// The requests of the table.
extension RightsRow {
    static let reads: [RightsRow] = [
        // Tokens.
        .init("root", "GET /Document", nil, "200 [1 folder:1 2 folder:1 3 source:2 4 source:1 5]"),
        .init("nobody", "GET /Document", nil, "401 access.token"),
        .init("nobody", "GET /healthz", nil, "200 status=\"alive\""),
        .init("", "GET /healthz", nil, "200 status=\"alive\""),
        // Lists.
        .init("ann", "GET /Document", nil, "200 [1 3 4 source:1]"),
        .init("bob", "GET /Document", nil, "200 [2 3 source:2 4 5]"),
        .init("", "GET /Document", nil, "200 [3 4]"),
        .init("press", "GET /Document", nil, "200 [3 4 5]"),
        .init("press", "GET /Report", nil, "200 [5]"),
        .init("ann", "GET /Report", nil, "200 []"),
        .init("bob", "GET /Report", nil, "200 [5]"),
        .init("ann", "GET /Comment", nil, "200 [1 document:1 3 document:3 4 document:3]"),
        .init("bob", "GET /Comment", nil, "200 [2 document:2 3 document:3 4 document:3]"),
        .init("", "GET /Comment", nil, "200 []"),
        .init("press", "GET /Comment", nil, "403 access.right"),
        .init("ann", "GET /Folder", nil, "403 access.right"),
        .init("clerk", "GET /Folder", nil, "200 [1]"),
        .init("clerk", "GET /Document", nil, "200 [1 folder:1 2 folder:1 3 source:2 4 source:1 5]"),
        .init("ann", "GET /Document?where=title == 'b2'", nil, "200 []"),
        .init("ann", "GET /Document?where=TRUEPREDICATE", nil, "200 [1 3 4 source:1]"),
        .init("ann", "GET /Document?where=NOT (owner.login == 'ann')", nil, "200 [3]"),
        .init("ann", "GET /Document?where=_id IN {1,2,3}", nil, "200 [1 3]"),
        .init("ann", "GET /Document?sort=-pages&limit=2", nil, "200 [4 source:1 3]"),
        .init("ann", "GET /Document?sort=pages&offset=1&limit=1", nil, "200 [3]"),
        .init("ann", "GET /Document?where=owner.login == $USER&var.USER=bob", nil, "200 [3]"),
        .init("ann", "GET /Document?where=owner.login == $USER", nil, "400 predicate.variable"),
        .init("ann", "GET /Document?subentities=false", nil, "200 [1 3 4 source:1]"),
        .init("bob", "GET /Document?where=_entity == 'Report'", nil, "200 [5]"),
        .init("ann", "GET /Document?where=_entity == 'Report'", nil, "200 []"),
        .init("ann", "POST /Document/query", "{\"where\":\"pages > 0\"}", "200 [1 3 4 source:1]"),
        .init("ann", "GET /fetch/long", nil, "200 [3 4 source:1]"),
        .init("bob", "GET /fetch/long", nil, "200 [2 3 source:2 4 5]"),
        // Counts.
        .init("ann", "GET /Document/count", nil, "200 3"),
        .init("bob", "GET /Document/count", nil, "200 4"),
        .init("", "GET /Document/count", nil, "200 2"),
        .init("press", "GET /Document/count", nil, "200 3"),
        .init("ann", "GET /Document/count?where=pages == 20", nil, "200 0"),
        .init("ann", "GET /Folder/count", nil, "403 access.right"),
        .init("ann", "GET /Document?limit=1&count=true&select=_id", nil, "200 [1]"),
        // By id.
        .init("ann", "GET /Document/1", nil, "200 1"),
        .init("ann", "GET /Document/2", nil, "404 object.unknown"),
        .init("ann", "GET /Document/3", nil, "200 3"),
        .init("ann", "GET /Document/99", nil, "404 object.unknown"),
        .init("ann", "HEAD /Document/2", nil, "404 object.unknown"),
        .init("ann", "GET /Report/5", nil, "404 object.unknown"),
        .init("press", "GET /Report/5", nil, "200 5"),
        .init("press", "GET /Document/1", nil, "404 object.unknown"),
        .init("", "GET /Document/1", nil, "404 object.unknown"),
        .init("", "GET /Account/1", nil, "404 object.unknown"),
        .init("ann", "GET /Comment/2", nil, "404 object.unknown"),
        .init("ann", "GET /Folder/1", nil, "403 access.right"),
        .init("ann", "GET /Document/2?select=title", nil, "404 object.unknown"),
        .init("ann", "GET /Document/2/scan", nil, "404 object.unknown"),
        // To-one relationships.
        .init("ann", "GET /Document/3/source", nil, "200 null"),
        .init("bob", "GET /Document/3/source", nil, "200 2"),
        .init("ann", "GET /Document/4/source", nil, "200 1"),
        .init("bob", "GET /Document/4/source", nil, "200 null"),
        .init("ann", "GET /Document/1/folder", nil, "403 access.right"),
        .init("ann", "GET /Document/2/owner", nil, "404 object.unknown"),
        .init("ann", "GET /Comment/3/document", nil, "200 3"),
        .init(
            "ann", "GET /Document?select=_id,source.title&where=source.title != nil", nil,
            "200 [4]"),
        .init("ann", "GET /Document?where=source.title == 'b2'", nil, "200 []"),
        .init("bob", "GET /Document?where=source.title == 'b2'", nil, "200 [3 source:2]"),
        .init("ann", "GET /Document?where=source == nil", nil, "200 [1 3]"),
        .init("ann", "GET /Document?where=source == 2", nil, "200 []"),
        .init("ann", "GET /Document?where=source._id == 2", nil, "200 []"),
        .init("ann", "GET /Document?where=folder.name == 'vault'", nil, "200 []"),
        .init("ann", "GET /Document?where=folder != nil", nil, "200 []"),
        .init("ann", "GET /Document?sort=-source.pages,_id", nil, "200 [4 source:1 1 3]"),
        .init("ann", "GET /Document?include=source&where=_id == 3", nil, "200 [3]"),
        .init(
            "ann", "GET /Document?where=TERNARY(source == nil, 0, source.pages) > 15", nil,
            "200 []"),
        // A chain of steps costs one rule each.
        .init(
            "ann", "GET /Document?where=\(String(repeating: "source.", count: 9))title == 'x'", nil,
            "200 []"),
        .init(
            "bob", "GET /Document?where=source.source.title == nil AND source.title == 'b2'", nil,
            "200 [3 source:2]"),
        // To-many relationships.
        .init("ann", "GET /Account/2/documents", nil, "200 [3]"),
        .init("bob", "GET /Account/2/documents", nil, "200 [2 3 source:2 5]"),
        .init("ann", "GET /Account/2/documents/count", nil, "200 1"),
        .init("ann", "GET /Account/2/documents/2", nil, "404 object.not-a-member"),
        .init("ann", "GET /Account/2/documents/3", nil, "200 3"),
        .init("ann", "GET /Tag/1/documents", nil, "200 [1 3]"),
        .init("ann", "GET /Tag/2/documents", nil, "200 []"),
        .init("bob", "GET /Tag/1/documents", nil, "200 [2 3 source:2]"),
        .init("ann", "GET /Tag/1/documents/count", nil, "200 2"),
        .init("ann", "GET /Document/2/comments", nil, "404 object.unknown"),
        .init("ann", "GET /Document/3/comments", nil, "200 [3 document:3 4 document:3]"),
        .init("ann", "GET /Document/1/copies", nil, "200 [4 source:1]"),
        .init("bob", "GET /Document/2/copies", nil, "200 [3 source:2]"),
        .init(
            "ann", "GET /Account?include=documents", nil,
            "200 [1 documents:[1 4 source:1] 2 documents:[3]]"),
        .init(
            "ann", "GET /Account?include=documents.comments&where=_id == 2", nil,
            "200 [2 documents:[3 comments:[3 document:3 4 document:3]]]"),
        .init("ann", "GET /Tag?include=documents", nil, "200 [1 documents:[1 3] 2 documents:[]]"),
        .init("ann", "GET /Tag?where=ANY documents.title == 'b2'", nil, "200 []"),
        .init("bob", "GET /Tag?where=ANY documents.title == 'b2'", nil, "200 [1 2]"),
        .init("ann", "GET /Tag?where=documents.@count == 2", nil, "200 [1]"),
        .init("ann", "GET /Tag?where=documents.@count == 3", nil, "200 []"),
        .init("ann", "GET /Tag?where=NONE documents.pages == 20", nil, "200 [1 2]"),
        .init("ann", "GET /Tag?where=ALL documents.pages != 20", nil, "200 [1 2]"),
        .init("ann", "GET /Tag?where=2 IN documents", nil, "200 []"),
        .init(
            "ann", "GET /Tag?where=SUBQUERY(documents, $d, $d.pages == 20).@count > 0", nil,
            "200 []"),
        .init(
            "ann", "GET /Tag?where=SUBQUERY(documents, $d, $d.source.title == 'b2').@count > 0",
            nil, "200 []"),
        .init(
            "bob", "GET /Tag?where=SUBQUERY(documents, $d, $d.source.title == 'b2').@count > 0",
            nil, "200 [1]"),
        .init("ann", "GET /Account?where=ANY documents.comments.text == 'c2'", nil, "200 []"),
        .init("ann", "GET /Account?where=ANY documents.source.title == 'b2'", nil, "200 []"),
        .init("bob", "GET /Account?where=ANY documents.source.title == 'b2'", nil, "200 [2]"),
        // Aggregates.
        .init("ann", "GET /Document?select=n:count()", nil, "200 [n=3]"),
        .init("ann", "GET /Document?select=n:sum(pages)", nil, "200 [n=80]"),
        .init("bob", "GET /Document?select=n:sum(pages)", nil, "200 [n=140]"),
        .init("ann", "GET /Document?select=n:max(pages)", nil, "200 [n=40]"),
        .init("", "GET /Document?select=n:min(pages)", nil, "200 [n=30]"),
        .init(
            "ann", "GET /Document?select=owner.login,n:count()&groupBy=owner.login", nil,
            "200 [owner.login=\"ann\" n=2 owner.login=\"bob\" n=1]"),
        .init(
            "ann",
            "GET /Document?select=owner.login,n:sum(pages)&groupBy=owner.login&having=n > 40",
            nil, "200 [owner.login=\"ann\" n=50]"),
        .init(
            "ann", "GET /Document?select=source.title,n:count()&groupBy=source.title", nil,
            "200 [source.title=null n=2 source.title=\"a1\" n=1]"),
        .init(
            "ann", "GET /Document?select=title&distinct=true", nil,
            "200 [title=\"a1\" title=\"a4\" title=\"b3\"]"),
        .init(
            "ann", "GET /Tag?select=name,n:documents.@count", nil,
            "200 [name=\"red\" n=2 name=\"blue\" n=0]"),
        .init(
            "ann", "GET /Tag?select=name,n:documents.@sum.pages", nil,
            "200 [name=\"red\" n=40 name=\"blue\" n=0]"),
        .init(
            "ann", "GET /Tag?select=name,n:documents.@max.pages", nil,
            "200 [name=\"red\" n=30 name=\"blue\" n=null]"),
        .init(
            "ann", "GET /Account?select=login,n:documents.comments.@count", nil,
            "200 [login=\"ann\" n=1 login=\"bob\" n=2]"),
        // Fetched properties.
        .init("ann", "GET /Document/1/longer", nil, "200 [3 4 source:1]"),
        .init("bob", "GET /Document/3/longer", nil, "200 [4 5]"),
        .init("ann", "GET /Document/2/longer", nil, "404 object.unknown"),
        .init(
            "ann", "GET /Document?include=longer&where=_id == 1", nil,
            "200 [1 longer:[3 4 source:1]]"),
        // The service itself.
        .init("ann", "GET /model", nil, "200"),
        .init("ann", "GET /openapi.json", nil, "200"),
        .init("ann", "OPTIONS /Document", nil, "204"),
        .init("ann", "GET /metrics", nil, "403 access.right"),
        .init("ann", "GET /metadata", nil, "403 access.right"),
        .init("ann", "PATCH /metadata", "{\"a\":1}", "403 access.right"),
        .init("ann", "POST /backup", nil, "403 access.right"),
        .init("ann", "POST /contexts", nil, "403 access.right"),
        .init("ann", "DELETE /changes?before=0", nil, "403 access.right"),
        .init("ann", "GET /readyz", nil, "200 status=\"ready\""),
        .init("root", "GET /metadata", nil, "200"),
    ]

    static let writes: [RightsRow] = [
        // Inserts.
        .init("ann", "POST /Document", "{\"title\":\"n\",\"owner\":1}", "201 6"),
        .init("ann", "POST /Document", "{\"title\":\"n\",\"owner\":2}", "403 access.right"),
        .init("ann", "POST /Document", "{\"title\":\"n\"}", "403 access.right"),
        .init(
            "ann", "POST /Document", "{\"title\":\"n\",\"owner\":1,\"source\":2}",
            "422 object.missing-destination"),
        .init(
            "ann", "POST /Document", "{\"title\":\"n\",\"owner\":1,\"source\":3}", "201 6 source:3"),
        .init("ann", "POST /Document", "{\"title\":\"b2\",\"owner\":1}", "409 133021"),
        .init("ann", "POST /Tag", "{\"name\":\"new\"}", "403 access.right"),
        .init("ann", "POST /Account", "{\"login\":\"eve\"}", "403 access.right"),
        .init("", "POST /Document", "{\"title\":\"n\"}", "403 access.right"),
        .init("clerk", "POST /Folder", "{\"name\":\"new\"}", "201 2"),
        .init("clerk", "POST /Folder", "{\"name\":\"n\",\"documents\":[1]}", "403 access.right"),
        .init(
            "ann", "POST /Comment", "{\"text\":\"n\",\"author\":1,\"document\":3}",
            "201 5 document:3"),
        .init(
            "ann", "POST /Comment", "{\"text\":\"n\",\"author\":1,\"document\":2}",
            "422 object.missing-destination"),
        .init(
            "ann", "POST /Comment", "{\"text\":\"n\",\"author\":2,\"document\":3}",
            "403 access.right"),
        .init(
            "ann", "POST /Document",
            "{\"title\":\"n\",\"owner\":1,\"comments\":[{\"text\":\"x\",\"author\":1}]}", "201 6"),
        .init(
            "ann", "POST /Document",
            "{\"title\":\"n\",\"owner\":1,\"comments\":[{\"text\":\"x\",\"author\":2}]}",
            "403 access.right"),
        .init(
            "ann", "POST /Document", "{\"title\":\"n\",\"owner\":{\"login\":\"eve\"}}",
            "403 access.right"),
        .init("ann", "POST /Document", "{\"title\":\"n\",\"owner\":1,\"tags\":[1]}", "201 6"),
        .init(
            "ann", "POST /Document",
            "[{\"title\":\"n\",\"owner\":1},{\"title\":\"m\",\"owner\":2}]",
            "403 access.right"),
        // Updates.
        .init("ann", "PATCH /Document/1", "{\"title\":\"x\"}", "200 1"),
        .init("ann", "PATCH /Document/2", "{\"title\":\"x\"}", "404 object.unknown"),
        .init("ann", "PATCH /Document/3", "{\"title\":\"x\"}", "403 access.right"),
        .init("ann", "PATCH /Document/1", "{\"owner\":2}", "403 access.right"),
        .init("ann", "PATCH /Document/1", "{\"source\":2}", "422 object.missing-destination"),
        .init("ann", "PATCH /Document/1", "{\"tags\":[1,2]}", "200 1"),
        .init("ann", "PATCH /Document/3", "{\"tags\":[]}", "403 access.right"),
        .init("ann", "PUT /Document/1", "{\"title\":\"x\",\"owner\":1}", "200 1"),
        .init("ann", "PUT /Document/2", "{\"title\":\"x\",\"owner\":1}", "404 object.unknown"),
        .init(
            "ann", "PATCH /Document/1", "{\"owner\":{\"_id\":2,\"login\":\"x\"}}",
            "403 access.right"),
        .init("ann", "PATCH /Account/1", "{\"login\":\"x\"}", "403 access.right"),
        .init("ann", "PATCH /Account/1", "{\"documents\":[3]}", "403 access.right"),
        .init("ann", "PATCH /Document?where=TRUEPREDICATE", "{\"pages\":1}", "403 access.right"),
        .init(
            "ann", "PATCH /Document?where=owner.login == 'ann'", "{\"pages\":1}", "200 updated=2"),
        .init("ann", "PATCH /Document?where=title == 'b2'", "{\"pages\":1}", "200 updated=0"),
        .init("ann", "PATCH /Comment/3", "{\"text\":\"x\"}", "200 3 document:3"),
        .init("ann", "PATCH /Comment/4", "{\"text\":\"x\"}", "403 access.right"),
        .init("ann", "PATCH /Comment/2", "{\"text\":\"x\"}", "404 object.unknown"),
        .init("ann", "PATCH /Comment/3", "{\"document\":1}", "200 3 document:1"),
        .init("ann", "PATCH /Comment/3", "{\"document\":2}", "422 object.missing-destination"),
        // Relationships.
        .init("ann", "PUT /Document/1/tags", "[1,2]", "200 [1 2]"),
        .init("ann", "PUT /Document/3/tags", "[]", "403 access.right"),
        .init("ann", "POST /Document/1/tags", "2", "200 [1 2]"),
        .init("ann", "DELETE /Document/1/tags/1", nil, "204"),
        .init("ann", "PUT /Tag/1/documents", "[1]", "403 access.right"),
        .init("ann", "PUT /Document/1/source", "3", "200 3"),
        .init("ann", "PUT /Document/1/source", "2", "422 object.missing-destination"),
        .init("ann", "DELETE /Document/4/source", nil, "204"),
        .init("ann", "PUT /Document/1/copies", "[3]", "403 access.right"),
        .init("ann", "PUT /Document/1/copies", "[]", "200 []"),
        .init("ann", "PUT /Document/1/folder", "1", "403 access.right"),
        // Deletes.
        .init("ann", "DELETE /Document/1", nil, "204"),
        .init("ann", "DELETE /Document/2", nil, "404 object.unknown"),
        .init("ann", "DELETE /Document/3", nil, "403 access.right"),
        .init("ann", "DELETE /Comment/3", nil, "403 access.right"),
        .init("ann", "DELETE /Document?where=TRUEPREDICATE", nil, "403 access.right"),
        .init("ann", "DELETE /Document?where=pages == 20", nil, "200 deleted=0"),
        .init("ann", "DELETE /Document?where=owner.login == 'ann'", nil, "200 deleted=2"),
        .init("clerk", "DELETE /Folder/1", nil, "204"),
        // Transactions.
        .init(
            "ann", "POST /transactions",
            "[{\"op\":\"update\",\"object\":\"Document/1\",\"values\":{\"pages\":1}}]",
            "200 [1]"),
        .init(
            "ann", "POST /transactions",
            "[{\"op\":\"update\",\"object\":\"Document/2\",\"values\":{\"pages\":1}}]",
            "404 object.unknown"),
        .init(
            "ann", "POST /transactions",
            "[{\"op\":\"delete\",\"object\":\"Document/3\"}]", "403 access.right"),
        .init(
            "ann", "POST /transactions", "[{\"op\":\"delete\",\"object\":\"Document/1\"}]", "200"),
        .init(
            "ann", "POST /transactions",
            "[{\"op\":\"insert\",\"entity\":\"Tag\",\"values\":{\"name\":\"x\"}}]",
            "403 access.right"),
    ]
}
