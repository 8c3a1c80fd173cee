/// The bodies of an editing context's own routes.

import SteleGraph
import SteleJSON
import SteleModel
import SteleRequests

/// The settings that `PATCH /contexts/{context}` changes, and that a new context may be given.
struct ContextSettings: Sendable {
    var undoLevels: Int?
    var isUndoEnabled: Bool?
    var mergePolicy: MergePolicy?
    /// `.some(nil)` removes the author.
    var author: String??
    /// `.some(nil)` removes the name.
    var name: String??

    /// - Throws: `Problem`, 400, that names the setting and the values that it takes.
    init(_ body: JSONDocument?, _ limits: Limits) throws {
        let names = ["undoLevels", "undoEnabled", "mergePolicy", "author", "name"]
        try BodyMembers.read(body, names) {
            switch $0 {
            case "undoLevels": undoLevels = try Self.levels($1, limits)
            case "undoEnabled": isUndoEnabled = try BodyMembers.truth($1, $0)
            case "mergePolicy": mergePolicy = try Self.policy($1)
            case "author": author = .some(try Self.text($1, $0))
            default: name = .some(try Self.text($1, $0))
            }
        }
    }

    /// Applies the settings that are given.
    func apply(to context: EditingContext) {
        if let undoLevels { context.undoLevels = undoLevels }
        if let isUndoEnabled { context.isUndoEnabled = isUndoEnabled }
        if let mergePolicy { context.graph.mergePolicy = mergePolicy }
        if let author { context.graph.transactionAuthor = author }
        if let name { context.name = name }
    }

    private static func levels(_ node: JSONNode, _ limits: Limits) throws -> Int {
        let range = 1...limits.maximumUndoLevels
        if let number = node.wholeNumber, range.contains(Int(number)) { return Int(number) }
        throw Problem(
            .body,
            "undoLevels must be a whole number from 1 to \(range.upperBound), "
                + ValueReader.shown(node), hint: "\"undoEnabled\": false turns undo off")
    }

    private static func policy(_ node: JSONNode) throws -> MergePolicy {
        if let policy = node.string.flatMap(MergePolicy.init) { return policy }
        let names = MergePolicy.allCases.map(\.rawValue)
        throw Problem(
            .body,
            "mergePolicy must be one of \(names.joined(separator: ", ")), "
                + ValueReader.shown(node),
            hint: Nearest.hint(to: node.string ?? "", among: names))
    }

    private static func text(_ node: JSONNode, _ setting: String) throws -> String? {
        if node.isNull { return nil }
        if let text = node.string, (1...255).contains(text.utf8.count) { return text }
        throw Problem(
            .body,
            "\(setting) must be null or a text of 1 to 255 bytes, \(ValueReader.shown(node))")
    }
}

/// The body of `POST /contexts/{context}/undo-group`.
enum UndoGroupName {
    /// The name of the undo group; nil if none is given.
    static func read(_ body: JSONDocument?) throws -> String? {
        var name: String?
        try BodyMembers.read(body, ["name"]) { _, node in
            guard let text = node.string, text.utf8.count <= 255 else {
                throw Problem(
                    .body, "name must be a text of at most 255 bytes, \(ValueReader.shown(node))")
            }
            name = text
        }
        return name
    }
}

/// The body of `POST /contexts/{context}/refresh`.
struct ContextRefresh: Sendable {
    /// Whether unsaved changes are kept on top of what is read.
    var merges = true
    /// The objects to refresh; nil for all.
    var objects: [ObjectAddress]?

    /// - Parameter address: reads the address of an object.
    /// - Throws: `Problem`: 400 for another body, 422 for more objects than a context may have
    ///   changed; and what `address` throws.
    init(
        _ body: JSONDocument?, _ limits: Limits, address: (String) throws -> ObjectAddress
    ) throws {
        try BodyMembers.read(body, ["merge", "objects"]) { name, node in
            if name == "merge" { return merges = try BodyMembers.truth(node, name) }
            guard node.kind == .array else {
                throw Problem(
                    .body, "objects must be an array of addresses, \(ValueReader.shown(node))",
                    hint: #"such as ["Person/42"]"#)
            }
            var found: [ObjectAddress] = []
            try node.forEachElement { element in
                guard let text = element.string else {
                    throw Problem(
                        .body,
                        "objects must contain addresses such as \"Person/42\", "
                            + ValueReader.shown(element))
                }
                guard found.count < limits.contextObjects else {
                    throw Problem(
                        .contextFull, "objects names more than \(limits.contextObjects) objects",
                        hint: "leave objects out to refresh all")
                }
                found.append(try address(text))
            }
            objects = found
        }
    }
}
