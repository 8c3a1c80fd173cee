/// JSON Patch (RFC 6902): operations on the JSON of an object.

import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

extension ObjectWriter {
    /// Applies a patch to one object, in its order.
    /// - Throws: `Problem` with the number of the operation.
    func patch(_ object: ManagedObject, by node: JSONNode) throws {
        guard node.kind == .array else {
            throw Problem(
                .body, "a JSON Patch must be an array of operations, not \(node.kindName)",
                hint: #"[{"op":"replace","path":"/name","value":"Ann"}]"#)
        }
        let patch = ObjectPatch(self, object)
        do {
            try node.forEachElement { try patch.apply($0) }
            try patch.closeAll()
        } catch let problem as Problem {
            throw problem.inOperation(patch.operation)
        }
    }
}

final class ObjectPatch {
    private enum Kind: String, OperationKind {
        case add, remove, replace, move, copy, test
    }

    /// What a pointer points to.
    enum Place {
        case attribute(Attribute)
        case json(JSONPlace)
        case toOne(Relationship)
        case toMany(Relationship)
        /// A place in a to-many relationship, from 0; nil is the end (`-`).
        case member(Relationship, Int?)
        /// `_id`, `_entity` and `_version`, which can only be read; other names are refused.
        case own(String)
    }

    /// What an operation puts at a place.
    private enum Added {
        case sent(JSONNode)
        /// A copy of what was stored, whose numbers have all their digits.
        case stored(JSONNode)
        /// A copy of a part of an open value.
        case part(MutableJSON)

        var json: MutableJSON {
            switch self {
            case .sent(let node), .stored(let node): MutableJSON(node)
            case .part(let part): part
            }
        }

        var isSent: Bool { if case .sent = self { true } else { false } }

        func node() throws -> JSONNode {
            switch self {
            case .sent(let node), .stored(let node): node
            case .part(let part): try part.document().root
            }
        }
    }

    let writer: ObjectWriter
    let object: ManagedObject
    /// The operation at work, from 0.
    var operation = 0
    /// The values into which operations have led, until they are written.
    var opened: [ObjectIdentifier: OpenedValue] = [:]
    /// What the changes of values have cost.
    var effort = JSONPlace.Effort()
    /// The weight of what operations have copied.
    private var copied = 0

    init(_ writer: ObjectWriter, _ object: ManagedObject) {
        self.writer = writer
        self.object = object
    }

    /// Applies one operation.
    func apply(_ node: JSONNode) throws {
        try writer.countObject()
        let kind = try Kind.read(node)
        let place = try self.place("path", node)
        switch kind {
        case .add: try add(.sent(try value(node, kind)), at: place)
        case .replace: try replace(place, by: .sent(try value(node, kind)))
        case .remove: try remove(place)
        case .test: try test(place, try value(node, kind))
        case .copy: try add(try copy(from: self.place("from", node)), at: place)
        case .move: try move(node, to: place)
        }
        // The next operation may read the relationship.
        if writer.hasPendingLinks { try writer.resolveLinks() }
        operation += 1
    }

    private func value(_ node: JSONNode, _ kind: Kind) throws -> JSONNode {
        if let value = node["value"] { return value }
        throw Problem(.body, "\(kind.rawValue) needs a value")
    }

    // MARK: Pointers

    private func place(_ member: String, _ node: JSONNode) throws -> Place {
        guard let text = node[member]?.string else {
            throw Problem(.body, "an operation needs \(member), a JSON pointer such as \"/name\"")
        }
        guard let names = JSONPointer.steps(of: text) else {
            throw Problem(
                .pointer,
                text.isEmpty
                    ? "\(member) points to the whole object, which a patch cannot replace"
                    : "\(member) is not a JSON pointer: \(text.prefix(100))",
                hint: text.isEmpty ? "PUT replaces it" : "it begins with /, such as \"/name\"")
        }
        return try place(names, text)
    }

    private func place(_ names: [String], _ text: String) throws -> Place {
        var name = names[0]
        let key = name.withUTF8 { writer.forms[object.entity].keys[$0] }
        let place: Place
        switch key {
        case .attribute(let it): return try self.place(in: it, names.dropFirst())
        case .toOne(let it):
            try writer.checkPatch(it, of: object)
            place = .toOne(it)
        case .toMany(let it) where names.count == 2:
            try writer.checkPatch(it, of: object)
            return .member(it, try index(names[1], it))
        case .toMany(let it):
            try writer.checkPatch(it, of: object)
            place = .toMany(it)
        case .readOnly:
            if let it = object.entity.attribute(named: name) {
                return try self.place(in: it, names.dropFirst())
            }
            place = .own(name)
        case .id, .entity, .version, .store: place = .own(name)
        case nil: throw name.withUTF8 { writer.unknownKey($0, object.entity) }
        }
        guard names.count == 1 else {
            throw Problem(
                .pointer, "\(text.prefix(100)) points into \(name), which is written as a whole")
        }
        return place
    }

    /// The place that the steps after an attribute's name lead to: an attribute of a composite, or a
    /// place in the JSON of a Transformable attribute.
    private func place(in attribute: Attribute, _ names: ArraySlice<String>) throws -> Place {
        var part = attribute
        var rest = names
        while part.type != .transformable, let name = rest.popFirst() {
            guard part.isComposite else {
                throw Problem(
                    .pointer, "\(part.name) has no parts: it is written as a whole")
            }
            guard let inner = part.elements.first(where: { $0.key == name }) else {
                throw Problem(
                    .pointer,
                    "\(part.name) of \(object.entity.name) has no attribute "
                        + "\(name.prefix(60))",
                    hint: Nearest.hint(to: name, among: part.elements.lazy.map(\.key)))
            }
            part = inner
        }
        return rest.isEmpty
            ? .attribute(part) : .json(JSONPlace(attribute: part, steps: Array(rest)))
    }

    private func index(_ text: String, _ relationship: Relationship) throws -> Int? {
        if text == "-" { return nil }
        guard let index = Int(text), index >= 0, text == String(index) else {
            throw Problem(
                .pointer, "\(text.prefix(40)) is not a place in \(relationship.name)",
                hint: "places are whole numbers from 0, and - is behind the last")
        }
        return index
    }

    // MARK: Operations

    private func add(_ value: Added, at place: Place) throws {
        switch place {
        case .attribute(let it):
            try checkWritable(it)
            discard(it)
            try writer.replace(it, of: object, by: value.node(), keepsDigits: !value.isSent)
        case .json(let it): try change(it, .add(value.json))
        case .toOne(let it):
            try closeAll()
            try writer.setToOne(it, of: object, value.node(), 0)
        case .toMany(let it):
            try closeAll()
            try writer.setToMany(it, of: object, value.node(), 0)
        case .member(let it, let index):
            try closeAll()
            try add(writer.member(value.node(), it), to: it, at: index)
        case .own(let name): throw readOnly(name)
        }
    }

    private func replace(_ place: Place, by value: Added) throws {
        if case .json(let it) = place { return try change(it, .replace(value.json)) }
        guard case .member(let relationship, let index) = place else {
            return try add(value, at: place)
        }
        try closeAll()
        let old = try member(index, relationship)
        let new = try writer.member(value.node(), relationship)
        if old === new { return }
        try object.removeMember(relationship, old)
        try add(new, to: relationship, at: index)
    }

    private func add(
        _ member: ManagedObject, to relationship: Relationship, at index: Int?
    ) throws {
        if try object.hasMember(relationship, key: member.objectID.key) {
            let id = TemporaryID.text(member.objectID.key)
            throw Problem(
                .body, "\(id) is already in \(relationship.name)",
                hint: relationship.isOrdered ? "use move to put it elsewhere" : nil)
        }
        if let index { try check(index, relationship, mayBeEnd: true) }
        try object.addMember(relationship, member, at: relationship.isOrdered ? index : nil)
    }

    private func remove(_ place: Place) throws {
        switch place {
        case .attribute(let it):
            try checkWritable(it)
            discard(it)
            try writer.clear(it, of: object)
        case .json(let it): try change(it, .remove)
        case .toOne(let it): try writer.clear(it, of: object)
        case .toMany(let it): try writer.setMembers(it, of: object, [])
        case .member(let it, let index): try object.removeMember(it, member(index, it))
        case .own(let name): throw readOnly(name)
        }
    }

    private func move(_ node: JSONNode, to place: Place) throws {
        let from = try self.place("from", node)
        switch (from, place) {
        case (.member(let one, let start), .member(let other, let end)) where one === other:
            let moved = try member(start, one)
            guard one.isOrdered else {
                throw Problem(
                    .pointer, "\(one.name) has no order: its members are given by their ids")
            }
            if let end { try check(end, one, mayBeEnd: false) }
            try object.addMember(one, moved, at: end ?? .max)
        case (.toMany(let one), .member(let other, _)) where one === other: throw Self.inside
        case (.attribute(let one), .json(let other))
        where one.nested.contains(where: { $0 === other.attribute }):
            throw Self.inside
        case (.json(let one), .json(let other)) where other.isInside(one): throw Self.inside
        default:
            let value = try copy(from: from)
            try remove(from)
            try add(value, at: place)
        }
    }

    private static var inside: Problem {
        Problem(.pointer, "path is a part of what from points to")
    }

    /// The value at a place, for a copy or move. It counts.
    private func copy(from place: Place) throws -> Added {
        if let part = try self.part(at: place) {
            try count(copied: part.measure.weight)
            return .part(part)
        }
        let bytes = try self.bytes(at: place)
        try count(copied: MutableJSON.weight(of: bytes))
        return .stored(try JSONDocument(bytes).root)
    }

    /// Counts values that the patch copies.
    func count(copied weight: Int) throws {
        let before = max(copied, writer.uncountedCopies)
        copied += weight
        if copied > before { try writer.countCopied(copied - before) }
    }

    /// Derived and transient attributes can only be tested and copied.
    func checkWritable(_ attribute: Attribute) throws {
        guard attribute.isDerived || attribute.isTransient else { return }
        throw ObjectWriter.readOnly(attribute.name, of: object.entity)
    }

    func readOnly(_ name: String) -> Problem {
        Problem(.readOnly, "\(name) of \(object.entity.name) is not written by a patch")
    }

    // MARK: Members

    /// The member at a place, in the order of the relationship or else by id.
    func member(_ index: Int?, _ relationship: Relationship) throws -> ManagedObject {
        let keys = try object.memberKeys(relationship)
        guard let index, keys.indices.contains(index),
            let found = try writer.object(
                entity: writer.context.model.destination(of: relationship), key: keys[index])
        else { throw outside(index, relationship, keys.count) }
        return found
    }

    private func check(_ index: Int, _ relationship: Relationship, mayBeEnd: Bool) throws {
        let count = try object.memberKeys(relationship).count
        guard index < count || mayBeEnd && index == count else {
            throw outside(index, relationship, count)
        }
    }

    private func outside(_ index: Int?, _ relationship: Relationship, _ count: Int) -> Problem {
        Problem(
            .pointer,
            "\(relationship.name) has \(count) members, and none at "
                + (index.map(String.init) ?? "-"))
    }
}
