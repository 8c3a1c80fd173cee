/// Reading a store in Core Data's XML form.

extension XMLDatabase {
    /// The size of the parts in which a text in memory is parsed, in bytes.
    private static let partSize = 1 << 18

    /// Reads a whole file from memory.
    ///
    /// - Throws: `MarkupError` as below.
    package static func read(_ bytes: [UInt8]) throws(MarkupError) -> XMLDatabase {
        var rest = bytes[...]
        var header: Header?
        var objects: [Object] = []
        do {
            try read {
                let part = rest.prefix(partSize)
                rest = rest.dropFirst(part.count)
                return Array(part)
            } header: {
                header = $0
            } object: { object, _ in
                objects.append(object)
            }
        } catch let error as MarkupError {
            throw error
        } catch {
            throw MarkupError("\(error)")
        }
        guard let header else { throw missingHeader }
        return XMLDatabase(header: header, objects: objects)
    }

    /// Reads a file part by part. The memory in use is bounded by the largest object.
    ///
    /// - Parameters:
    ///   - next: Returns the next bytes of the file; none at its end.
    ///   - header: Takes the header, before all objects.
    ///   - object: Takes an object, and the line where it begins.
    /// - Throws: `MarkupError` with the line if the text is not well-formed, declares entities, is
    ///   nested too deeply, or is not of this form; and what the three closures throw.
    package static func read(
        next: () throws -> [UInt8], header: (Header) throws -> Void,
        object: (Object, _ line: Int) throws -> Void
    ) throws {
        let parser = try MarkupParser(inPieces: true)
        var hasHeader = false
        var isAtEnd = false
        while !isAtEnd {
            let part = try next()
            isAtEnd = part.isEmpty
            try parser.parse(part, isLast: isAtEnd)
            if let root = parser.rootName, root != "database" {
                throw MarkupError(
                    "it is not a store in Core Data's XML form: its root element is "
                        + "<\(root.prefix(40))>, and <database> is expected")
            }
            for element in parser.takeComplete() {
                switch element.name {
                case "databaseInfo" where !hasHeader:
                    hasHeader = true
                    try header(Header(element, isStandalone: parser.isStandalone))
                case "object" where hasHeader: try object(Object(element), element.line)
                case "object": throw missingHeader
                default:
                    throw MarkupError(
                        "a database has one <databaseInfo> and objects, and no "
                            + "<\(element.name.prefix(40))>", in: element)
                }
            }
        }
        if !hasHeader { throw missingHeader }
    }

    private static let missingHeader = MarkupError("it has no <databaseInfo> before its objects")
}

extension XMLDatabase.Header {
    fileprivate init(_ element: MarkupElement, isStandalone: Bool?) throws(MarkupError) {
        let last = element.child("nextObjectID")?.text ?? ""
        guard let nextObjectID = Int64(last) else {
            throw MarkupError("its nextObjectID is not a number: '\(last.prefix(40))'", in: element)
        }
        self.init(
            isStandalone: isStandalone, uuid: element.child("UUID")?.text ?? "",
            nextObjectID: nextObjectID, metadata: nil)
        if let version = element.child("version") { self.version = version.text }
        guard let list = element.child("metadata")?.child("plist") else { return }
        guard let root = list.children.first, list.children.count == 1 else {
            throw MarkupError("a property list has one value", in: list)
        }
        metadata = try PropertyList(root)
    }
}

extension XMLDatabase.Object {
    fileprivate init(_ element: MarkupElement) throws(MarkupError) {
        guard let type = element["type"], let text = element["id"] else {
            throw MarkupError("an object has a type and an id", in: element)
        }
        guard let id = Self.number(text[...]) else {
            throw MarkupError("the id '\(text.prefix(40))' is not a z and a number", in: element)
        }
        self.init(type: type, id: id)
        for child in element.children {
            switch child.name {
            case "attribute": attributes.append(try .init(child))
            case "relationship": relationships.append(try .init(child))
            default:
                throw MarkupError(
                    "an object has attributes and relationships, and no "
                        + "<\(child.name.prefix(40))>", in: child)
            }
        }
    }

    /// The number of an id such as `z102`; nil for other texts.
    fileprivate static func number(_ id: Substring) -> Int64? {
        guard id.utf8.first == UInt8(ascii: "z") else { return nil }
        return Int64(id.dropFirst()).flatMap { $0 >= 0 ? $0 : nil }
    }
}

extension XMLDatabase.Attribute {
    fileprivate init(_ element: MarkupElement) throws(MarkupError) {
        guard let name = element["name"], let type = element["type"], element.children.isEmpty
        else {
            throw MarkupError("an attribute has a name, a type and a text", in: element)
        }
        self.init(name: name, type: type, text: element.text)
    }
}

extension XMLDatabase.Relationship {
    fileprivate init(_ element: MarkupElement) throws(MarkupError) {
        guard let name = element["name"], let destination = element["destination"] else {
            throw MarkupError("a relationship has a name and a destination", in: element)
        }
        let bounds = element["type"] ?? ""
        let counts = bounds.split(separator: "/").map { Int($0) }
        guard counts.count == 2, let least = counts[0], let most = counts[1] else {
            throw MarkupError(
                "the type of \(name.prefix(40)) is not a minimum and a maximum such as 0/1: "
                    + "'\(bounds.prefix(40))'", in: element)
        }
        self.init(
            name: name, minCount: least, maxCount: most, destination: destination, references: [])
        for id in (element["idrefs"] ?? "").split(separator: " ") {
            guard let number = XMLDatabase.Object.number(id) else {
                throw MarkupError(
                    "the id '\(id.prefix(40))' in \(name.prefix(40)) is not a z and a number",
                    in: element)
            }
            references.append(number)
        }
    }
}

extension MarkupElement {
    /// The value of an attribute; nil if the element does not have it.
    fileprivate subscript(name: String) -> String? {
        attributes.first { $0.name == name }?.value
    }
}
