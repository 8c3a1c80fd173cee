/// Writing archives in the layout of NSKeyedArchiver.

/// Collects the objects of an archive, which refer to each other by their places.
package struct KeyedArchiveWriter {
    private var objects: [PropertyList] = [.string("$null")]
    /// The place of each class, by its name.
    private var classes: [String: PropertyList] = [:]
    /// The place of each scalar, by its bytes.
    private var scalars: [[UInt8]: PropertyList] = [:]

    /// The reference that stands for nil.
    package static let null = PropertyList.uid(0)

    /// An archive without objects.
    package init() {}

    /// The bytes of the archive.
    /// - Parameter root: a reference to the root object.
    package func bytes(root: PropertyList) -> [UInt8] {
        BinaryPropertyListWriter.bytes([
            "$version": 100_000, "$archiver": "NSKeyedArchiver", "$top": ["root": root],
            "$objects": .array(objects),
        ])
    }

    /// Takes the next place, for an object that `fill` describes later: objects inside it may refer
    /// to it before.
    /// - Returns: a reference to it.
    package mutating func reserve() -> PropertyList { add(.bool(false)) }

    /// Describes an object whose place is reserved.
    /// - Parameters:
    ///   - classes: the names of its class and of all superclasses, NSObject last.
    ///   - fields: its keys and values.
    package mutating func fill(
        _ reference: PropertyList, _ classes: [String], _ fields: [(String, PropertyList)]
    ) {
        let itsClass = objectClass(classes)
        guard let place = reference.uid, objects.indices.contains(place) else { return }
        objects[place] = .dictionary(
            fields.map { .init(key: $0.0, value: $0.1) } + [.init(key: "$class", value: itsClass)])
    }

    /// Adds an object.
    /// - Parameters: as for `fill`.
    /// - Returns: a reference to it.
    package mutating func object(
        _ classes: [String], _ fields: [(String, PropertyList)]
    ) -> PropertyList {
        let made = reserve()
        fill(made, classes, fields)
        return made
    }

    /// Adds a text, a number, a Boolean or bytes, equal ones once.
    /// - Returns: a reference to it.
    package mutating func scalar(_ value: PropertyList) -> PropertyList {
        let bytes = BinaryPropertyListWriter.scalar(value)
        if let known = scalars[bytes] { return known }
        let made = add(value)
        scalars[bytes] = made
        return made
    }

    private mutating func objectClass(_ names: [String]) -> PropertyList {
        let name = names.first ?? "NSObject"
        if let known = classes[name] { return known }
        let made = add([
            "$classname": .string(name), "$classes": .array(names.map { .string($0) }),
        ])
        classes[name] = made
        return made
    }

    private mutating func add(_ object: PropertyList) -> PropertyList {
        objects.append(object)
        return .uid(objects.count - 1)
    }
}
