/// The bodies that an editing context's own routes take.

import SteleGraph
import SteleJSON
import SteleModel
import SteleRequests

/// What `PATCH /contexts/{context}` changes, and what a new context may begin with.
struct ContextSettings: Sendable {
    var undoLevels: Int?
    var isUndoEnabled: Bool?
    var mergePolicy: MergePolicy?
    /// With nil inside for nobody.
    var author: String??

    /// - Throws: `Problem`, 400, that names the setting and what it takes.
    init(_ body: JSONDocument?, _ limits: Limits) throws {
        try BodyMembers.read(body, ["undoLevels", "undoEnabled", "mergePolicy", "author"]) {
            switch $0 {
            case "undoLevels": undoLevels = try Self.levels($1, limits)
            case "undoEnabled": isUndoEnabled = try BodyMembers.truth($1, $0)
            case "mergePolicy": mergePolicy = try Self.policy($1)
            default: author = .some(try Self.author($1))
            }
        }
    }

    /// Sets them; what is not given stays as it is.
    func apply(to context: EditingContext) {
        if let undoLevels { context.undoLevels = undoLevels }
        if let isUndoEnabled { context.isUndoEnabled = isUndoEnabled }
        if let mergePolicy { context.graph.mergePolicy = mergePolicy }
        if let author { context.graph.author = author }
    }

    private static func levels(_ node: JSONNode, _ limits: Limits) throws -> Int {
        let range = 1...limits.maximumUndoLevels
        if let number = node.integer, range.contains(Int(number)) { return Int(number) }
        throw Problem(
            .body,
            "undoLevels is a whole number from 1 to \(range.upperBound), "
                + ValueReader.shown(node), hint: "\"undoEnabled\": false is without any")
    }

    private static func policy(_ node: JSONNode) throws -> MergePolicy {
        if let policy = node.string.flatMap(MergePolicy.init) { return policy }
        let names = MergePolicy.allCases.map(\.rawValue)
        throw Problem(
            .body, "mergePolicy is \(names.joined(separator: ", ")), \(ValueReader.shown(node))",
            hint: Nearest.hint(to: node.string ?? "", among: names))
    }

    private static func author(_ node: JSONNode) throws -> String? {
        if node.isNull { return nil }
        if let name = node.string, (1...255).contains(name.utf8.count) { return name }
        throw Problem(
            .body, "author is null, or a text of 1 to 255 bytes, \(ValueReader.shown(node))")
    }
}

/// What `POST /contexts/{context}/undo-group` is asked for.
enum UndoGroupName {
    /// The name of an undo group; nil where none is given.
    static func read(_ body: JSONDocument?) throws -> String? {
        var name: String?
        try BodyMembers.read(body, ["name"]) { _, node in
            guard let text = node.string, text.utf8.count <= 255 else {
                throw Problem(
                    .body, "name is a text of at most 255 bytes, \(ValueReader.shown(node))")
            }
            name = text
        }
        return name
    }
}

/// What `POST /contexts/{context}/refresh` is asked for.
struct ContextRefresh: Sendable {
    /// Whether unsaved changes stay on top of what is read.
    var merges = true
    /// The objects; nil for all.
    var objects: [Owner]?

    /// - Parameter address: what reads an object's address.
    /// - Throws: `Problem`, 400, as other bodies; 422 for more objects than a context may have
    ///   changed; what `address` throws.
    init(
        _ body: JSONDocument?, _ limits: Limits, address: (String) throws -> Owner
    ) throws {
        try BodyMembers.read(body, ["merge", "objects"]) { name, node in
            if name == "merge" { return merges = try BodyMembers.truth(node, name) }
            guard node.kind == .array else {
                throw Problem(
                    .body, "objects is an array of addresses, \(ValueReader.shown(node))",
                    hint: #"such as ["Person/42"]"#)
            }
            var found: [Owner] = []
            try node.forEachElement { element in
                guard let text = element.string else {
                    throw Problem(
                        .body,
                        "objects has addresses such as \"Person/42\", "
                            + ValueReader.shown(element))
                }
                guard found.count < limits.contextObjects else {
                    throw Problem(
                        .contextFull, "objects names at most \(limits.contextObjects)",
                        hint: "without objects all are refreshed")
                }
                found.append(try address(text))
            }
            objects = found
        }
    }
}
