/// Writes a store in Core Data's XML form, object by object, in the framework's layout.
package struct XMLDatabaseWriter {
    private var writer: MarkupWriter

    /// Writes the beginning of the file.
    ///
    /// - Throws: `MarkupError` if the metadata has a value that XML cannot hold.
    package init(_ header: XMLDatabase.Header) throws(MarkupError) {
        let standalone =
            header.isStandalone.map { " standalone=\"\($0 ? "yes" : "no")\"" } ?? ""
        writer = MarkupWriter(
            "<?xml version=\"1.0\"\(standalone)?>\n<!DOCTYPE database SYSTEM "
                + "\"file:///System/Library/DTDs/CoreData.dtd\">\n\n")
        writer.open("database")
        writer.open("databaseInfo")
        writer.element("version", text: header.version)
        writer.element("UUID", text: header.uuid)
        writer.element("nextObjectID", text: String(header.nextObjectID))
        if let metadata = header.metadata {
            writer.open("metadata")
            writer.open("plist", .init(("version", "1.0")))
            try metadata.write(to: &writer)
            writer.close("plist")
            writer.close("metadata")
        } else {
            writer.element("metadata", text: "")
        }
        writer.close("databaseInfo")
    }

    /// Writes an object.
    package mutating func write(_ object: XMLDatabase.Object) {
        writer.open("object", .init(("type", object.type), ("id", "z\(object.id)")))
        for attribute in object.attributes {
            writer.element(
                "attribute", .init(("name", attribute.name), ("type", attribute.type)),
                text: attribute.text)
        }
        for relationship in object.relationships {
            var attributes = MarkupAttributes(
                ("name", relationship.name),
                ("type", "\(relationship.minCount)/\(relationship.maxCount)"),
                ("destination", relationship.destination))
            if !relationship.references.isEmpty {
                attributes.add(
                    "idrefs", relationship.references.map { "z\($0)" }.joined(separator: " "))
            }
            writer.element("relationship", attributes, text: "")
        }
        writer.close("object")
    }

    /// The number of bytes that have not been taken.
    package var count: Int { writer.text.count }

    /// Returns the bytes that were written since the last call.
    package mutating func take() -> [UInt8] { writer.take() }

    /// Writes the end of the file, and returns the bytes that have not been taken.
    package mutating func finish() -> [UInt8] {
        writer.close("database")
        return writer.finish()
    }
}

extension XMLDatabase {
    /// The bytes of the file.
    ///
    /// - Throws: `MarkupError` as `XMLDatabaseWriter.init` does.
    package func bytes() throws(MarkupError) -> [UInt8] {
        var writer = try XMLDatabaseWriter(header)
        for object in objects { writer.write(object) }
        return writer.finish()
    }
}
