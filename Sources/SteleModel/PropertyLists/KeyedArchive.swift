/// The objects of an archive of NSKeyedArchiver, which refer to each other by their places.
package struct KeyedArchive: Sendable {
    /// The objects. The first stands for nil.
    package let objects: [PropertyList]
    /// The place of the root object.
    package let root: Int
    /// A bound on the values that may be made of the archive: references can describe a very large
    /// tree in few bytes.
    package let budget: PropertyList.Budget

    /// Why bytes are not an archive.
    package enum Failure: Error {
        /// They are not a binary property list, or one beyond its bounds.
        case malformed
        /// They are a property list that is not an archive with a root.
        case notAnArchive
    }

    /// Reads an archive.
    ///
    /// - Throws: `Failure`.
    package init(_ bytes: [UInt8]) throws(Failure) {
        let list: PropertyList
        do { list = try BinaryPropertyListReader.read(bytes) } catch { throw .malformed }
        guard list["$archiver"]?.string == "NSKeyedArchiver",
            let objects = list["$objects"]?.array, let root = list["$top"]?["root"]?.uid
        else { throw .notAnArchive }
        self.objects = objects
        self.root = root
        budget = PropertyList.Budget(size: bytes.count)
    }

    /// The object at a place; nil if there is none.
    package subscript(place: Int) -> PropertyList? {
        objects.indices.contains(place) ? objects[place] : nil
    }

    /// The name of an object's class; nil for values that are no objects.
    package func className(of object: PropertyList) -> String? {
        object["$class"]?.uid.flatMap { self[$0] }?["$classname"]?.string
    }

    /// The text of a string object; nil for other objects.
    package func text(_ object: PropertyList) -> String? {
        if case .string(let text) = object { return text }
        guard let name = className(of: object), name == "NSString" || name == "NSMutableString"
        else { return nil }
        if let text = object["NS.string"]?.string { return text }
        guard case .data(let bytes)? = object["NS.bytes"] else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
