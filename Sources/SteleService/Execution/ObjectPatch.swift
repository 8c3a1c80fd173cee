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
        var index = 0
        try node.forEachElement { operation in
            do {
                try countObject()
                try patch.apply(operation)
            } catch let problem as Problem {
                throw problem.inOperation(index)
            }
            index += 1
        }
    }
}

struct ObjectPatch {
    private enum Kind: String, OperationKind {
        case add, remove, replace, move, copy, test
    }

    /// What a pointer points to.
    private enum Place {
        case attribute(Attribute)
        case json(JSONPlace)
        case toOne(Relationship)
        case toMany(Relationship)
        /// A place in a to-many relationship, from 0; nil is the end (`-`).
        case member(Relationship, Int?)
        /// `_id`, `_entity` and `_version`, which can only be read; other names are refused.
        case own(String)
    }

    private let writer: ObjectWriter
    private let object: ManagedObject

    init(_ writer: ObjectWriter, _ object: ManagedObject) {
        self.writer = writer
        self.object = object
    }

    /// Applies one operation.
    func apply(_ node: JSONNode) throws {
        let kind = try Kind.read(node)
        let place = try self.place("path", node)
        switch kind {
        case .add: try add(try value(node, kind), at: place)
        case .replace: try replace(place, by: try value(node, kind))
        case .remove: try remove(place)
        case .test: try test(place, try value(node, kind))
        case .copy: try add(json(at: self.place("from", node)).root, at: place, isStored: true)
        case .move: try move(node, to: place)
        }
        // The next operation may read the relationship.
        if writer.hasPendingLinks { try writer.resolveLinks() }
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
        let steps = text.split(separator: "/", omittingEmptySubsequences: false)
        guard steps.first == "", steps.count > 1 else {
            throw Problem(
                .pointer,
                text.isEmpty
                    ? "\(member) points to the whole object, which a patch cannot replace"
                    : "\(member) is not a JSON pointer: \(text.prefix(100))",
                hint: text.isEmpty ? "PUT replaces it" : "it begins with /, such as \"/name\"")
        }
        let names = steps.dropFirst().map {
            String($0).replacing("~1", with: "/").replacing("~0", with: "~")
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

    /// - Parameter isStored: whether the value is a stored one, whose numbers have all their digits.
    private func add(_ value: JSONNode, at place: Place, isStored: Bool = false) throws {
        switch place {
        case .attribute(let it):
            try checkWritable(it)
            try writer.replace(it, of: object, by: value, keepsDigits: isStored)
        case .json(let it): try change(it, .add(JSONValue(value)))
        case .toOne(let it): try writer.setToOne(it, of: object, value, 0)
        case .toMany(let it): try writer.setToMany(it, of: object, value, 0)
        case .member(let it, let index): try add(writer.member(value, it), to: it, at: index)
        case .own(let name): throw readOnly(name)
        }
    }

    private func replace(_ place: Place, by value: JSONNode) throws {
        if case .json(let it) = place { return try change(it, .replace(JSONValue(value))) }
        guard case .member(let relationship, let index) = place else {
            return try add(value, at: place)
        }
        let old = try member(index, relationship)
        let new = try writer.member(value, relationship)
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
            let value = try json(at: from)
            try remove(from)
            try add(value.root, at: place, isStored: true)
        }
    }

    private static var inside: Problem {
        Problem(.pointer, "path is a part of what from points to")
    }

    /// Changes the JSON of a Transformable attribute at a place.
    private func change(_ place: JSONPlace, _ change: JSONPlace.Change) throws {
        try checkWritable(place.attribute)
        let stored = try json(at: .attribute(place.attribute))
        var changed = ByteWriter()
        try place.changed(JSONValue(stored.root), by: change).write(to: &changed)
        try writer.replace(
            place.attribute, of: object, by: JSONDocument(changed.take()).root)
    }

    /// Derived and transient attributes can only be tested and copied.
    private func checkWritable(_ attribute: Attribute) throws {
        guard attribute.isDerived || attribute.isTransient else { return }
        throw ObjectWriter.readOnly(attribute.name, of: object.entity)
    }

    private func readOnly(_ name: String) -> Problem {
        Problem(.readOnly, "\(name) of \(object.entity.name) is not written by a patch")
    }

    // MARK: Members

    /// The member at a place, in the order of the relationship or else by id.
    private func member(_ index: Int?, _ relationship: Relationship) throws -> ManagedObject {
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

    // MARK: Values

    private func json(at place: Place) throws -> JSONDocument {
        try JSONDocument(bytes(at: place))
    }

    /// The JSON at a place, as an answer has it.
    private func bytes(at place: Place) throws -> [UInt8] {
        var bytes = ByteWriter()
        switch place {
        case .attribute(let it) where it.isComposite:
            writer.renderer.writeValue(
                of: CompositeField(it), of: object.snapshot.values, to: &bytes)
        case .attribute(let it) where it.isTransient && it.name == it.key:
            // Its class may compute it.
            writer.renderer.writeValue(ofProperty: it.name, of: object.snapshot, to: &bytes)
        case .attribute(let it):
            writer.renderer.writeValue(object.value(it), of: .attribute(it), to: &bytes)
        case .json(let it):
            try it.value(in: json(at: .attribute(it.attribute)).root).write(to: &bytes)
        case .toOne(let it):
            writer.renderer.writeValue(object.value(it.slot), of: .relationship(it), to: &bytes)
        case .toMany(let it): bytes.keys(try object.memberKeys(it))
        case .member(let it, let index): bytes.key(try member(index, it).objectID.key)
        case .own("_id"): bytes.key(object.objectID.key)
        case .own("_version"): bytes.integer(object.version)
        case .own("_entity"): bytes.string(object.entity.name)
        case .own(let name): throw readOnly(name)
        }
        if let unreadable = bytes.failure as? UnreadableValue {
            throw unreadable.problem(of: object.entity)
        }
        return bytes.take()
    }

    private func test(_ place: Place, _ value: JSONNode) throws {
        let stored = try bytes(at: place)
        if try isEqual(value, stored, place) { return }
        var sent = ByteWriter()
        value.write(to: &sent)
        throw Problem(
            .patchTest, "test: the stored value is not the expected one",
            members: [("yours", .raw(sent.bytes)), ("stored", .raw(stored))])
    }

    /// Whether a value equals the one at a place. An attribute's value is read as its type, so that
    /// a date may have any offset. The members of a to-many without an order may be in any order.
    private func isEqual(_ value: JSONNode, _ bytes: [UInt8], _ place: Place) throws -> Bool {
        let stored = try JSONDocument(bytes).root
        switch place {
        case .attribute(let it) where it.isComposite && stored.kind == .object:
            guard value.kind == .object, value.count == stored.count else { return false }
            return try it.elements.allSatisfy { element in
                guard let part = value[element.key] else { return false }
                let place = Place.attribute(element)
                return try isEqual(part, self.bytes(at: place), place)
            }
        case .attribute(let it) where it.type == .decimal && value.isLongNumber:
            // The sender's JSON library may have rounded what an answer has.
            return value.real == stored.real
        case .attribute(let it) where it.type != .transformable && !it.isComposite:
            return reading(of: value, as: it) == bytes
        case .attribute(let it) where it.type == .transformable:
            return isEqual(value, stored, in: it)
        case .json(let it): return isEqual(value, stored, in: it.attribute)
        case .toMany(let it) where !it.isOrdered:
            guard value.kind == .array, value.count == stored.count else { return false }
            var keys = Set<Int64>()
            let destination = writer.context.model.destination(of: it)
            value.forEachElement { element in
                if let key = writer.key(element, of: destination) { keys.insert(key) }
            }
            return keys == Set(try object.memberKeys(it))
        case .attribute, .toOne, .toMany, .member, .own: return value.isEqual(to: stored)
        }
    }

    /// Whether values in a Transformable attribute are equal, or are what its transformer makes
    /// equal, such as sets in another order.
    private func isEqual(_ value: JSONNode, _ stored: JSONNode, in attribute: Attribute) -> Bool {
        if value.isEqual(to: stored) { return true }
        guard let bytes = reading(of: value, as: attribute), let read = try? JSONDocument(bytes)
        else { return false }
        return read.root.isEqual(to: stored)
    }

    /// The JSON that an answer has for a value once it is stored; nil for one that does not fit.
    private func reading(of value: JSONNode, as attribute: Attribute) -> [UInt8]? {
        guard let read = try? ValueReader.read(value, for: attribute, of: object.entity) else {
            return nil
        }
        var bytes = ByteWriter()
        writer.renderer.writeValue(read, of: .attribute(attribute), to: &bytes)
        return bytes.failure == nil ? bytes.take() : nil
    }
}
