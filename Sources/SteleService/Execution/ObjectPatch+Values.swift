// The values of attributes in a patch: those that are changed in place, and tests.

import SteleAnswers
import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

/// The JSON of an attribute into which operations of a patch lead, until it is written.
struct OpenedValue {
    let attribute: Attribute
    var json: MutableJSON
    /// The last operation that changed it; nil for none.
    var changedBy: Int?
}

extension ObjectPatch {
    /// Moved elements of arrays that count as one copied value.
    private static let movedPerValue = 512

    // MARK: Changes in place

    /// Writes all values, at the end and before a relationship is written: a nested object may be this
    /// one, and change any of its attributes.
    /// - Throws: `Problem`; `operation` is then the one that changed the value.
    func closeAll() throws { try close(opened.values.map(\.attribute)) }

    /// Writes the values of attributes, so that these can be read as a whole.
    private func close(_ attributes: [Attribute]) throws {
        let all = attributes.compactMap { opened.removeValue(forKey: ObjectIdentifier($0)) }
        let current = operation
        for value in all.sorted(by: { $0.changedBy ?? -1 < $1.changedBy ?? -1 }) {
            guard let changedBy = value.changedBy else { continue }
            effort.visited += value.json.measure.weight
            operation = changedBy
            try writer.replace(
                value.attribute, of: object, by: value.json.document().root)
        }
        operation = current
    }

    /// Drops the values of an attribute that is written as a whole.
    func discard(_ attribute: Attribute) {
        for leaf in attribute.leaves { opened[ObjectIdentifier(leaf)] = nil }
    }

    /// Changes the JSON of a Transformable attribute at a place.
    func change(_ place: JSONPlace, _ change: JSONPlace.Access) throws {
        try checkWritable(place.attribute)
        if case .add(let new) = change { try checkDepth(of: new, at: place) }
        if case .replace(let new) = change { try checkDepth(of: new, at: place) }
        try reach(place, change)
    }

    private func checkDepth(of new: MutableJSON, at place: JSONPlace) throws {
        let levels = JSONDocument.valueDepthLimit
        guard place.steps.count + new.measure.depth > levels else { return }
        let error = TransformationError.tooDeep
        throw Problem(
            .value, "\(place.attribute.name) of \(object.entity.name) \(error.reason)",
            hint: error.hint)
    }

    @discardableResult
    private func reach(
        _ place: JSONPlace, _ access: JSONPlace.Access
    ) throws -> MutableJSON {
        let key = ObjectIdentifier(place.attribute)
        // It is taken out, because a value that is held twice is copied by a change.
        var value = try opened.removeValue(forKey: key) ?? opening(place.attribute)
        let before = effort.moved
        let reached = try place.reach(&value.json, access, &effort)
        try count(copied: effort.moved / Self.movedPerValue - before / Self.movedPerValue)
        if case .read = access {} else { value.changedBy = operation }
        // A transient one may be computed of what the next operation changes.
        if !place.attribute.isTransient { opened[key] = value }
        return reached
    }

    /// - Throws: `Problem` for bytes that are not read, whose form has no parts.
    private func opening(_ attribute: Attribute) throws -> OpenedValue {
        let bytes = try self.bytes(at: .attribute(attribute))
        try writer.countWhole(bytes, of: attribute, of: object)
        let stored = try JSONDocument(bytes).root
        guard !JSONMerge(attribute).isOpaque(stored) else {
            throw Problem(
                .pointer,
                "\(attribute.name) of \(object.entity.name) has bytes that are not read: "
                    + "the object that stands for them is written as a whole")
        }
        let json = MutableJSON(stored)
        effort.visited += json.measure.weight
        return OpenedValue(attribute: attribute, json: json)
    }

    /// The value at a place in JSON, or of an attribute that is open; nil for other places.
    func part(at place: Place) throws -> MutableJSON? {
        switch place {
        case .json(let it): return try reach(it, .read)
        case .attribute(let it): return opened[ObjectIdentifier(it)]?.json
        case .toOne, .toMany, .member, .own: return nil
        }
    }

    // MARK: Reading

    /// The JSON at a place, as an answer has it.
    func bytes(at place: Place) throws -> [UInt8] {
        var bytes = ByteWriter()
        switch place {
        case .attribute(let it):
            try close(it.isTransient ? opened.values.map(\.attribute) : it.leaves)
            try write(it, to: &bytes)
        case .json(let it): try reach(it, .read).write(to: &bytes)
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

    private func write(_ attribute: Attribute, to bytes: inout ByteWriter) throws {
        if attribute.isComposite {
            return writer.renderer.writeValue(
                of: CompositeField(attribute), of: object.snapshot.values, to: &bytes)
        }
        if attribute.isTransient, attribute.name == attribute.key {
            // Its class may compute it.
            return writer.renderer.writeValue(
                ofProperty: attribute.name, of: object.snapshot, to: &bytes)
        }
        let value = object.value(attribute)
        if case .data(let stored) = value { try writer.checkIsShort(stored) }
        writer.renderer.writeValue(value, of: .attribute(attribute), to: &bytes)
    }

    // MARK: Tests

    func test(_ place: Place, _ value: JSONNode) throws {
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
            return try isEqual(value, stored, in: it)
        case .json(let it): return try isEqual(value, stored, in: it.attribute)
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
    private func isEqual(
        _ value: JSONNode, _ stored: JSONNode, in attribute: Attribute
    ) throws -> Bool {
        if value.isEqual(to: stored) { return true }
        // The value of a test may be short, and the stored one a set with many equal elements.
        try writer.countCopied(MutableJSON(stored).measure.weight)
        guard let one = reading(of: value, as: attribute),
            let other = reading(of: stored, as: attribute)
        else { return false }
        return try JSONDocument(one).root.isEqual(to: JSONDocument(other).root)
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
